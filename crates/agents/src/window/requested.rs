//! Delivery of pieces that were asked for by name. They are always delivered whole; the ledger learns of those that the
//! window did not have, so that no later event brings them again.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use briefing_core::fit::{Briefing, Room, Standing, fit};
use briefing_core::measure::Unit;
use briefing_core::settings::{Places, Settings};
use briefing_core::shown::path_text;
use briefing_core::{Moment, Piece, Source};
use briefing_store::{Admission, Arrival, Basis, Holder, Ledger, LogEntry, Outcome, Place, Printer, Seen, SessionKey, StoreError};

use super::delivery::{fit_alone, hashes_of, offers};
use super::logging::keep;
use super::{Target, outputs, wall_clock};
use crate::agent::Agent;

/// How long to wait for the ledger.
const PATIENCE: Duration = Duration::from_secs(2);
/// More outputs than any reader asks for.
const MANY: u32 = 100_000;

/// The session that asked.
#[derive(Debug, Clone, Copy)]
pub struct Asking<'a> {
    pub agent: &'static Agent,
    /// The agent's own id of the session, if it is known.
    pub session: Option<&'a str>,
    /// The agent's own process, if it is known.
    pub client: Option<u32>,
}

impl Asking<'_> {
    /// Returns the session, if it is certain.
    ///
    /// Where the id is known, the session in which the process was last seen counts instead: `/clear` begins another one,
    /// which a program that was started earlier does not notice. Where it is not, the process must have been seen in a
    /// single one, here: what is counted for the wrong window would never reach the right one.
    fn key(&self, ledger: &mut dyn Ledger, here: &Path) -> Result<Option<SessionKey>, StoreError> {
        let client = self.client.and_then(Holder::of).map(|client| client.text());
        let seen = client.map_or(Ok(Vec::new()), |client| ledger.sessions_of(self.agent.name, &client))?;
        let Some(session) = self.session else {
            let is_here = |seen: &Seen| here.starts_with(&seen.cwd) || Path::new(&seen.cwd).starts_with(here);
            return Ok(match &seen[..] {
                [only] if only.key.sub_agent.is_empty() && is_here(only) => Some(only.key.clone()),
                _ => None,
            });
        };
        let last = seen.into_iter().map(|seen| seen.key).find(|key| key.sub_agent.is_empty());
        Ok(Some(last.unwrap_or_else(|| SessionKey::new(self.agent.name, session, None))))
    }
}

/// What was asked for.
#[derive(Debug, Clone, Copy)]
pub struct Requested<'a> {
    pub pieces: &'a [Piece],
    /// Who asked. Without a session, nothing is counted.
    pub asking: Option<Asking<'a>>,
    pub places: &'a Places,
    pub settings: &'a Settings,
    /// The name of the event in the log.
    pub event: &'a str,
    /// The size of the largest output that its reader takes; no limit if `None`. What does not fit goes into further outputs.
    pub cap: Option<u64>,
    /// The output to deliver, from 0.
    pub page: usize,
}

/// What came of a request.
#[derive(Debug, Default)]
pub struct Delivered {
    /// How many outputs there are.
    pub pages: usize,
    /// For each piece, whether the window had it already.
    pub had: Vec<bool>,
    /// Why the ledger could not be used: what was asked for is delivered all the same.
    pub problem: Option<StoreError>,
}

/// Delivers one output of what was asked for, and records what is complete with it for the session.
///
/// Fails only if the target does. Nothing is delivered if there are not as many outputs.
pub fn deliver(requested: &Requested<'_>, target: &mut dyn Target) -> io::Result<Delivered> {
    let Requested { pieces, asking, page, .. } = *requested;
    let unit = asking.map_or(Unit::Characters, |asking| asking.agent.unit);
    let room = requested.cap.map_or(ROOMY, |cap| Room { cap, lanes: MANY, outputs: MANY, ..ROOMY });
    let (rendered, briefing) = outputs(pieces, Room { unit, ..room });
    let mut delivered = Delivered { pages: rendered.len(), had: vec![false; pieces.len()], problem: None };
    let Some(rendered) = rendered.get(page) else { return Ok(delivered) };
    let last_page = |piece: &Piece| briefing.segments.iter().filter(|segment| segment.piece == piece.id).map(|segment| segment.slot).max();
    let complete: Vec<usize> =
        (0..pieces.len()).filter(|place| last_page(&pieces[*place]).is_some_and(|last| last as usize == page)).collect();
    let mut print = || target.deliver(rendered, None);
    let Some(asking) = asking.filter(|_| !complete.is_empty()) else { return print().map(|()| delivered) };
    let own: Vec<Piece> = complete.iter().map(|place| pieces[*place].clone()).collect();
    let mut printed = None;
    let recorded = record(&own, requested, asking, &mut || {
        let result = print();
        let is_printed = result.is_ok();
        printed = Some(result);
        is_printed
    });
    printed.unwrap_or_else(print)?;
    match recorded {
        Ok(had) => complete.into_iter().zip(had).for_each(|(place, had)| delivered.had[place] = had),
        Err(problem) => delivered.problem = Some(problem),
    }
    Ok(delivered)
}

/// The room of a reader without a limit.
const ROOMY: Room = Room { cap: u64::MAX / 4, unit: Unit::Characters, lanes: 1, outputs: 1 };

/// Claims what the window lacks, prints, and confirms. Returns for each piece whether the window had it.
fn record(
    pieces: &[Piece],
    requested: &Requested<'_>,
    asking: Asking<'_>,
    print: &mut dyn FnMut() -> bool,
) -> Result<Vec<bool>, StoreError> {
    let started = Instant::now();
    let (places, event) = (requested.places, requested.event);
    let place = Place::of(places).ok_or_else(|| StoreError::Unusable("cannot determine the state directory".into()))?;
    let mut ledger = briefing_store::open(&place, PATIENCE)?.ledger;
    let holder = Holder::me();
    let Some(key) = asking.key(&mut *ledger, &places.here)? else {
        print();
        return Ok(vec![false; pieces.len()]);
    };
    let arrived = ledger.arrive(&Arrival {
        key: &key,
        plan: None,
        lane: 1,
        cwd: &path_text(Path::new(&places.here)),
        now: wall_clock(),
        holder: &holder,
        client: "",
        is_reset: false,
        owed_after_reset: 0,
        forget_all_but: None,
        forget_sources: 0,
        owe: 0,
        message: None,
        title: None,
        parent: None,
        transcript: None,
    })?;
    // The agent keeps what its tools printed as long as what its user wrote.
    let printer =
        Printer { lane: 1, lanes: 1, holder: &holder, reaped_as: std::process::id(), is_parallel: false, event, moment: Moment::Message };
    let hashes = hashes_of(pieces);
    let offers = offers(pieces, &hashes);
    let room = Room { unit: asking.agent.unit, ..ROOMY };
    let mut had = vec![true; pieces.len()];
    let mut arrange = |standing: &Standing| -> Briefing {
        standing.due.iter().for_each(|due| had[due.piece] = false);
        // What waits for a later event goes on waiting: nothing that was not asked for is printed here.
        fit_alone(Source::Docs, standing, |own| fit(own, pieces, room))
    };
    let claim = ledger.admit(&mut Admission {
        printer,
        session: arrived.known.session,
        epoch: arrived.known.epoch,
        plan: arrived.plan,
        now: wall_clock(),
        offers: &offers,
        done: 0,
        owe: 0,
        watched: &arrived.known.watched,
        arrange: &mut arrange,
    })?;
    if !print() {
        ledger.release(&claim)?;
        return Ok(had);
    }
    let size = claim.rows.iter().map(|row| room.unit.of(&row.text)).sum();
    let micros = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
    let (outcome, basis) = (&Outcome::Delivered, Basis::default());
    ledger.confirm(&claim, &LogEntry { now: wall_clock(), event, moment: None, micros, outcome, size, notes: &[], basis })?;
    let _ = ledger.tidy();
    keep(&place, requested.settings, &claim);
    Ok(had)
}
