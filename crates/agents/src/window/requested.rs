//! Delivery of pieces that were asked for by name. They are always delivered whole; the ledger learns of those that the
//! window did not have, so that no later event brings them again.

use std::path::Path;
use std::time::{Duration, Instant};

use briefing_core::fit::{Briefing, Room, Standing, fit};
use briefing_core::measure::Unit;
use briefing_core::settings::Places;
use briefing_core::shown::path_text;
use briefing_core::{Moment, Piece, Source};
use briefing_store::{Admission, Arrival, Holder, LogEntry, Outcome, Place, Printer, SessionKey, StoreError};

use super::delivery::{fit_alone, hashes_of, offers};
use super::{Target, outputs, wall_clock};
use crate::agent::Agent;

/// How long to wait for the ledger.
const PATIENCE: Duration = Duration::from_secs(2);
/// The name of the event in the log.
const EVENT: &str = "docs get";

/// The session that asked.
#[derive(Debug, Clone, Copy)]
pub struct Asking<'a> {
    pub agent: &'static Agent,
    pub session: &'a str,
}

/// Delivers all pieces, and records for the session what it did not have.
///
/// Returns the problem of the ledger, if it could not be used: what was asked for is delivered all the same. Fails only
/// if the target does.
pub fn deliver(
    pieces: &[Piece],
    source: Source,
    asking: Option<Asking<'_>>,
    places: &Places,
    target: &mut dyn Target,
) -> std::io::Result<Option<StoreError>> {
    let unit = asking.map_or(Unit::Characters, |asking| asking.agent.unit);
    let room = Room { cap: u64::MAX / 4, unit, lanes: 1, outputs: 1 };
    let (rendered, _) = outputs(pieces, room);
    let mut print = || rendered.iter().try_for_each(|rendered| target.deliver(rendered, None));
    let Some(asking) = asking else { return print().map(|()| None) };
    let mut printed = None;
    let recorded = record(pieces, source, asking, places, room, &mut || {
        let result = print();
        let is_printed = result.is_ok();
        printed = Some(result);
        is_printed
    });
    match printed {
        Some(result) => result.map(|()| recorded.err()),
        None => print().map(|()| recorded.err()),
    }
}

/// Claims what the window lacks, prints, and confirms.
fn record(
    pieces: &[Piece],
    source: Source,
    asking: Asking<'_>,
    places: &Places,
    room: Room,
    print: &mut dyn FnMut() -> bool,
) -> Result<(), StoreError> {
    let started = Instant::now();
    let place = Place::of(places).ok_or_else(|| StoreError::Unusable("cannot determine the state directory".into()))?;
    let mut ledger = briefing_store::open(&place, PATIENCE)?.ledger;
    let holder = Holder::me();
    let key = SessionKey::new(asking.agent.name, asking.session, None);
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
        parent: None,
        transcript: None,
    })?;
    // The agent keeps what its tools printed as long as what its user wrote.
    let printer = Printer { lane: 1, lanes: 1, holder: &holder, reaped_as: std::process::id(), event: EVENT, moment: Moment::Message };
    let hashes = hashes_of(pieces);
    let offers = offers(pieces, &hashes);
    let mut arrange = |standing: &Standing| -> Briefing { fit_alone(source, standing, |own| fit(own, pieces, room)) };
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
        return ledger.release(&claim);
    }
    let size = claim.rows.iter().map(|row| room.unit.of(&row.text)).sum();
    let micros = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
    ledger.confirm(&claim, &LogEntry { now: wall_clock(), event: EVENT, lane: 1, micros, outcome: &Outcome::Delivered, size, notes: &[] })
}
