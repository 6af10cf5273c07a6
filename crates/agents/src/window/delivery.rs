//! Delivery with the ledger: arrive, plan or wait for the plan, claim, wait for the turn, deliver, confirm.

use std::path::Path;
use std::time::{Duration, Instant};

use briefing_core::fit::{Briefing, Part, Standing, fit};
use briefing_core::frames::inline;
use briefing_core::render::window::{self, Place};
use briefing_core::settings::{Announce, Settings};
use briefing_core::shown::{path_text, relative_text};
use briefing_core::sources::{Opens, Source, Sources};
use briefing_core::watch::{self, Watched};
use briefing_core::{Moment, Piece, Silence};
use briefing_store::{
    Admission, Arrival, Arrived, Claim, Holder, Known, Ledger, Life, Offer, Parent, PlanState, Printer, SessionKey, StoreError,
};

use super::{Outcome, Target, Window, by_message, milliseconds, wall_clock};
use crate::agent::Keeps;
use crate::fork::{self, Origin};
use crate::lanes;
use crate::moment::{self, AFTER_RESET};
use crate::request::{Request, Start};

/// How many files an announcement names.
const ANNOUNCED: usize = 5;

/// How exact the start of a process is, generously.
const SLACK_MILLIS: i64 = 100;

/// How often a lane checks whether the event has been planned.
const PAUSE: Duration = Duration::from_micros(500);

impl Window<'_> {
    pub(super) fn deliver(&mut self, settings: &Settings, ledger: &mut dyn Ledger, target: &mut dyn Target) -> Result<Outcome, StoreError> {
        let request = self.request;
        let holder = Holder::me();
        let mut arrived = self.arrive(ledger, &holder, request.is_reset)?;
        self.is_first = arrived.known.done == 0;
        if !request.event.carries {
            let outcome = if request.is_reset { Outcome::Emptied } else { Outcome::Silent(Silence::CarriesNothing) };
            let claim = Claim { session: arrived.known.session, epoch: arrived.known.epoch, plan: arrived.plan, ..Claim::default() };
            self.log(ledger, settings, &claim, &outcome, 0);
            return Ok(outcome);
        }
        let printer = Printer {
            lane: request.lane.number,
            lanes: request.event.lanes.max(1),
            holder: &holder,
            reaped_as: lanes::reaped_as(request.client),
            is_parallel: request.event.moment == Moment::Tool && request.event.lanes < 2,
            event: request.event.name,
            moment: request.carrying_moment(),
        };
        let is_planner = loop {
            match arrived.state {
                PlanState::Mine => break true,
                PlanState::Ready => break false,
                PlanState::Lost => arrived = self.arrive(ledger, &holder, false)?,
                PlanState::Others if Instant::now() > self.deadline => return Ok(Outcome::Busy),
                PlanState::Others => {
                    std::thread::sleep(PAUSE);
                    arrived.state = ledger.plan_state(arrived.plan)?;
                }
            }
        };
        let claim =
            if is_planner { self.plan(settings, ledger, &arrived, printer)? } else { ledger.claim(arrived.plan, printer, wall_clock())? };
        self.hand_over(ledger, settings, claim, Handing { printer, is_planner, epoch: arrived.known.epoch }, target)
    }

    fn arrive(&mut self, ledger: &mut dyn Ledger, holder: &Holder, is_reset: bool) -> Result<Arrived, StoreError> {
        let request = self.request;
        let origin = origin(request);
        // The payloads of two resumes are the same; only the client's process differs.
        let occasion = format!("{} {}", request.occasion, request.client.unwrap_or_default());
        let parent_key = origin.as_ref().map(|origin| SessionKey::new(request.agent.name, &origin.session, None));
        let forked = origin.zip(parent_key.as_ref()).map(|(origin, key)| Parent { key, until: origin.until });
        let is_resumed = request.event.moment == Moment::Session && request.start == Start::Resume;
        let forgets = is_resumed && request.agent.keeps == Keeps::Messages;
        let keeps_message = self.present & (by_message() | Source::Instructions.bit()) != 0;
        let title = self.title();
        self.words();
        ledger.arrive(&Arrival {
            key: &self.key,
            plan: (request.event.lanes > 1).then_some(occasion.as_str()),
            lane: request.lane.number,
            cwd: &path_text(&self.places.here),
            now: wall_clock(),
            holder,
            client: &self.client,
            is_reset,
            // After a clear, the user starts new work: only what a new session gets is due.
            owed_after_reset: if request.start == Start::Clear { 0 } else { AFTER_RESET },
            forget_all_but: forgets.then_some(Moment::Message),
            forget_sources: if forgets { Source::opening(&[Opens::First, Opens::Work]) } else { 0 },
            owe: self.owes(),
            message: self.words.as_deref().filter(|_| keeps_message),
            title: title.as_deref(),
            parent: self.beside.as_ref().map(|key| Parent { key, until: began(request) }).or(forked),
            transcript: request.transcript.as_deref().and_then(Path::to_str),
        })
    }

    /// Plans the event: asks the sources, fits what is due, and claims this lane's own output.
    fn plan(&mut self, settings: &Settings, ledger: &mut dyn Ledger, arrived: &Arrived, printer: Printer<'_>) -> Result<Claim, StoreError> {
        let request = self.request;
        let known = &arrived.known;
        let open = moment::sources(request.agent, request.event, request.start, known.done, known.owed, self.early(known.done))
            | self.changed
            | self.touching;
        let sources = wanted(request, open & self.present, &known.message);
        let message = request.message.as_deref().or(Some(&known.message)).filter(|message| !message.is_empty());
        if self.words.is_none() && sources & by_message() != 0 {
            self.words = message.map(str::to_owned);
        }
        // After the window was emptied, what earlier touches brought comes with the next touch.
        let forgotten = Source::touchable() & !known.done;
        let earlier = watch::updated(&known.watched, forgotten, &[], &[]);
        let mut gathered = self.bring(settings, sources, message, &earlier);
        if known.done == 0 && known.epoch == 1 && self.tells_changes() {
            gathered.pieces.extend(self.changes(settings, ledger));
        }
        let pieces = &gathered.pieces;
        let hashes = hashes_of(pieces);
        let offers = offers(pieces, &hashes);
        let room = self.room();
        let (mut notes, mut sent) = (Vec::new(), Vec::new());
        let mut due = 0;
        let mut arrange = |standing: &Standing| -> Briefing {
            due = standing.due.len();
            let standing = &with_excerpts(standing, pieces, &known.watched);
            let mut briefing = match request.only {
                Some(source) => fit_alone(source, standing, |own| fit(own, pieces, room)),
                None => fit(standing, pieces, room),
            };
            notes = std::mem::take(&mut briefing.notes);
            sent = std::mem::take(&mut briefing.sent);
            briefing
        };
        // A source that could not read everything is asked again at the next event. If that fails too, with every message.
        let retried = gathered.incomplete & !known.owed;
        let unread = Source::of(gathered.incomplete & !retried).map(|source| (source, Watched::unread()));
        let watched: Vec<(Source, Watched)> = gathered.watched.into_iter().chain(unread).collect();
        // Documents are never done, because the next message may need others. What an absent source owes is settled.
        let settled = if request.only.is_some() { 0 } else { known.owed & (by_message() | !self.present) };
        let claim = ledger.admit(&mut Admission {
            printer,
            session: known.session,
            epoch: known.epoch,
            plan: arrived.plan,
            now: wall_clock(),
            offers: &offers,
            done: ((sources & !by_message()) | settled) & !retried,
            owe: retried,
            watched: &watch::updated(&known.watched, sources | forgotten, &watched, pieces),
            arrange: &mut arrange,
        })?;
        self.notes.extend(notes);
        self.sent = sent;
        self.found.is_any_due = due > 0;
        Ok(claim)
    }

    /// Renders, delivers and confirms a claim.
    fn hand_over(
        &mut self,
        ledger: &mut dyn Ledger,
        settings: &Settings,
        mut claim: Claim,
        handing: Handing<'_>,
        target: &mut dyn Target,
    ) -> Result<Outcome, StoreError> {
        let request = self.request;
        if claim.follows {
            lanes::wait_for_turn(ledger, &claim, self.deadline);
            claim = ledger.take_turn(claim, handing.printer, wall_clock())?;
        }
        if claim.rows.is_empty() {
            let outcome = Outcome::Silent(self.why_silent(&claim, handing.epoch));
            // The others were asked to print something that the planner has found not to be due; it says so for all.
            self.is_logged = true;
            if handing.is_planner {
                self.log(ledger, settings, &claim, &outcome, 0);
            }
            return Ok(outcome);
        }
        let segments: Vec<&str> = claim.rows.iter().map(|row| row.text.as_str()).collect();
        let Claim { number, of, is_continued, left, .. } = claim;
        let place = Place { number, of, is_continued, has_more: left > 0 };
        let header = window::header(place).filter(|_| request.only.is_none());
        let rendered = window::output(header.as_deref(), &segments, request.agent.unit);
        let announcement = self.announcement(&claim);
        if let Err(error) = target.deliver(&rendered, announcement.as_deref()) {
            ledger.release(&claim)?;
            return Ok(Outcome::NotPrinted { problem: error.to_string() });
        }
        // The output has been written. If confirming fails, the output is delivered a second time.
        self.log(ledger, settings, &claim, &Outcome::Delivered, rendered.size);
        self.is_logged = true;
        self.keep_texts(settings, &claim);
        self.size = rendered.size;
        Ok(Outcome::Delivered)
    }

    /// Returns one line for the user about what this event delivers, in the first of its outputs.
    fn announcement(&self, claim: &Claim) -> Option<String> {
        let is_wanted = match self.settings.as_ref()?.hook.announce.value {
            Announce::Start => self.is_first,
            Announce::Always => true,
            Announce::Never => false,
        };
        if !is_wanted || claim.files.is_empty() || self.request.only.is_some() {
            return None;
        }
        let here = &self.places.here;
        let names: Vec<String> =
            claim.files.iter().take(ANNOUNCED).map(|file| inline(&relative_text(Path::new(file), here)).into_owned()).collect();
        let more = match claim.files.len().saturating_sub(ANNOUNCED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let rest = if claim.left > 0 { "; more follows with the next event" } else { "" };
        Some(format!("brief: the agent has received {}{more} (~{} tokens){rest}", names.join(", "), claim.tokens))
    }

    /// Returns whether nothing is due and the event changes nothing, according to the ledger.
    pub(super) fn is_quiet(&mut self, ledger: &mut dyn Ledger) -> bool {
        let Ok(mut known) = self.find_session(ledger) else { return false };
        if known.is_none() && self.tells_changes() {
            return false;
        }
        if known.as_ref().is_some_and(|known| self.has_lost(ledger, known)) {
            known = ledger.look(&self.key).ok().flatten();
        }
        // What has changed comes with the user's next message: an agent that is editing a file must not get half of it back.
        if self.request.message.is_some() && self.request.event.moment == Moment::Message {
            self.changed = known.as_ref().map_or(0, |known| watch::changed(&known.watched)) & (self.present | Source::touchable());
            self.present |= self.changed;
        }
        let early = self.early(known.as_ref().map_or(0, |known| known.done));
        self.touching = known.as_ref().map_or(0, |known| self.touching(known.done, &known.watched));
        let (request, known) = (self.request, known.as_ref());
        if let Some((known, title)) = known.filter(|known| !known.is_named && request.lane.number == 1).zip(self.title()) {
            // Once per session. Without it, the session has no name in the log.
            let _ = ledger.name(known.session, &title);
        }
        if request.is_reset || self.owes() != 0 {
            return self.present == 0 && known.is_none();
        }
        if !request.event.carries {
            return true;
        }
        let sources =
            (moment::sources_for(request.agent, request.event, request.start, known, early) & self.present) | self.changed | self.touching;
        known.is_none_or(|known| known.open == 0) && wanted(request, sources, known.map_or("", |known| &known.message)) == 0
    }

    /// Looks up the session. A second process that works on the same session has a window of its own.
    fn find_session(&mut self, ledger: &mut dyn Ledger) -> Result<Option<Known>, StoreError> {
        let known = ledger.look(&self.key)?;
        let Some(pid) = self.request.client else { return Ok(known) };
        let owner = known.as_ref().map_or("", |known| known.client.as_str());
        if Holder::has_pid(owner, pid) {
            return Ok(known);
        }
        self.client = Holder::of(pid).map(|client| client.text()).unwrap_or_default();
        if owner.is_empty() || self.client.is_empty() {
            return Ok(known);
        }
        let beside = self.key.beside(&self.client);
        let second = ledger.look(&beside)?;
        let last_seen = known.as_ref().map_or(0, |known| known.last_seen);
        if second.is_none() && Holder::life_of(owner) != Life::Runs && last_seen < began(self.request).saturating_add(SLACK_MILLIS) {
            // The process that had the window has ended; this one has begun since and goes on with it.
            return Ok(known);
        }
        self.beside = Some(std::mem::replace(&mut self.key, beside));
        Ok(second)
    }
}

/// What a lane knows when it prints.
#[derive(Clone, Copy)]
struct Handing<'a> {
    printer: Printer<'a>,
    is_planner: bool,
    /// The epoch in which the event arrived.
    epoch: i64,
}

/// The hash of a piece, and of the texts that contain it, as the ledger writes them.
type Hashes = (String, Vec<String>);

pub(super) fn hashes_of(pieces: &[Piece]) -> Vec<Hashes> {
    let hex = |hash: &blake3::Hash| hash.to_hex().to_string();
    pieces.iter().map(|piece| (hex(&piece.hash), piece.within.iter().map(|whole| hex(&whole.hash)).collect())).collect()
}

/// Returns what the ledger compares with the window.
pub(super) fn offers<'a>(pieces: &'a [Piece], hashes: &'a [Hashes]) -> Vec<Offer<'a>> {
    let offer = |(piece, (hash, of_wholes)): (&'a Piece, &'a Hashes)| Offer {
        piece: &piece.id,
        hash,
        within: piece.within.iter().map(|whole| whole.id.as_str()).zip(of_wholes.iter().map(String::as_str)).collect(),
    };
    pieces.iter().zip(hashes).map(offer).collect()
}

/// Adds to each piece that has changed what differs from the version in the window.
fn with_excerpts(standing: &Standing, pieces: &[Piece], watched: &str) -> Standing {
    let mut standing = standing.clone();
    // Parts of a text that are lost come as they were.
    for due in standing.due.iter_mut().filter(|due| due.lost.iter().all(Part::is_of_excerpt)) {
        due.excerpt = due.seen.as_ref().and_then(|seen| watch::excerpt(watched, &pieces[due.piece], seen));
    }
    standing
}

/// Fits all of one source into the first output. What other sources have queued stays queued.
///
/// Used for spec 2's command, which shares the hook's ledger and also delivers what a dead process left of its source.
pub(super) fn fit_alone(source: Source, standing: &Standing, fit: impl Fn(&Standing) -> Briefing) -> Briefing {
    let (own, others): (Vec<_>, Vec<_>) = standing.queued.iter().cloned().partition(|waiting| waiting.source == Some(source));
    let mut briefing = fit(&Standing { queued: own, ..standing.clone() });
    briefing.placed.extend(others.iter().map(|waiting| (waiting.id, 1)));
    briefing
}

/// Leaves out the sources that select by the message if there is no message.
fn wanted(request: &Request, sources: Sources, kept: &str) -> Sources {
    let has_words = request.message.is_some() || (request.event.moment != Moment::Message && !kept.is_empty());
    if has_words { sources } else { sources & !by_message() }
}

/// Returns when the agent's process began, in milliseconds since 1970. What the session received later is not in its window.
fn began(request: &Request) -> i64 {
    let client = request.client.and_then(fork::Client::of);
    client.map_or(i64::MAX, |client| milliseconds(client.started))
}

/// Returns the session that a fork was made from.
fn origin(request: &Request) -> Option<Origin> {
    let is_fork = request.event.moment == Moment::Session && request.start == Start::Fork;
    let transcript = request.transcript.as_deref().filter(|_| is_fork)?;
    fork::origin(transcript, request.client.and_then(fork::Client::of).as_ref())
}
