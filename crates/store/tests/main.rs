//! The contract of the ledger: [`Ledger`] and [`Reader`], tested on every engine. One file per topic.
//!
//! A new engine is one more line of [`ENGINES`]. What only the engine in files does is in `opening` and `earlier`.

mod damage;
mod delivery;
mod earlier;
mod facts;
mod holding;
mod opening;
mod receipts;
mod texts;
mod views;
mod window;

use std::path::Path;
use std::time::Duration;

use briefing_core::fit::{Briefing, Segment, Standing};
use briefing_core::{Moment, Note, Order, Reason, Source};
use briefing_store::{
    Admission, Arrival, Arrived, Basis, Claim, DeliveryRow, Filter, Holder, Ledger, LogEntry, Offer, Outcome, Parent, Place, Printer,
    Reader, SessionKey, SessionRow,
};

const PATIENCE: Duration = Duration::from_secs(5);

/// How a test gets a place for an empty ledger, one function per engine.
const ENGINES: &[fn(&Path) -> Place] = &[Place::below];

/// Runs a test on an empty ledger of each engine.
fn on_every_engine(test: impl Fn(&mut Fixture)) {
    for make in ENGINES {
        let directory = tempfile::tempdir().unwrap();
        let place = make(directory.path());
        test(&mut Fixture::at(place));
    }
}

/// A ledger, and what an event would say.
struct Fixture {
    place: Place,
    ledger: Box<dyn Ledger>,
    reader: Box<dyn Reader>,
    holder: Holder,
    now: i64,
    event: &'static str,
    moment: Moment,
    lanes: u8,
}

impl Fixture {
    fn at(place: Place) -> Self {
        let ledger = briefing_store::open(&place, PATIENCE).unwrap().ledger;
        let reader = briefing_store::reader(&place, PATIENCE).unwrap().unwrap();
        Self {
            place,
            ledger,
            reader,
            holder: Holder::me(),
            now: 1_000_000_000_000,
            event: "SessionStart",
            moment: Moment::Session,
            lanes: 4,
        }
    }

    fn arrive(&mut self, plan: Option<&str>, lane: u8, is_reset: bool) -> Arrived {
        self.arrive_as("one", plan, lane, is_reset, None)
    }

    /// The first event of a session that was forked from the usual one.
    fn fork(&mut self, session: &str, until: i64) -> Arrived {
        self.arrive_as(session, None, 1, false, Some(until))
    }

    fn arrive_as(&mut self, session: &str, plan: Option<&str>, lane: u8, is_reset: bool, forked: Option<i64>) -> Arrived {
        let (key, usual) = (SessionKey::new("claude", session, None), SessionKey::new("claude", "one", None));
        let parent = forked.map(|until| Parent { key: &usual, until });
        let arrival = Arrival { plan, lane, is_reset, parent, ..plain(&key, &self.holder, self.now) };
        self.ledger.arrive(&arrival).unwrap()
    }

    /// A resume of an agent that keeps only what came with messages.
    fn resume_with_messages_only(&mut self) -> Arrived {
        let key = SessionKey::new("claude", "one", None);
        let arrival = Arrival { forget_all_but: Some(Moment::Message), forget_sources: 1, ..plain(&key, &self.holder, self.now) };
        self.ledger.arrive(&arrival).unwrap()
    }

    fn session(&mut self, session: &str) -> SessionRow {
        let key = SessionKey::new("claude", session, None);
        self.reader.sessions(&Filter::default()).unwrap().into_iter().find(|row| row.native == key.native).unwrap()
    }

    fn paths_of(&mut self, session: &str) -> Vec<String> {
        self.session(session).context_paths
    }

    fn deliveries(&mut self) -> Vec<DeliveryRow> {
        self.reader.deliveries(&Filter::default()).unwrap()
    }

    /// Admits pieces, each into a separate slot, after everything that is queued.
    fn admit(&mut self, arrived: &Arrived, lane: u8, pieces: &[(&str, &str)]) -> Claim {
        let offers: Vec<Offer<'_>> = pieces.iter().map(|(piece, hash)| Offer { piece, hash, within: Vec::new() }).collect();
        let mut arrange = |standing: &Standing| {
            let placed: Vec<_> = standing.queued.iter().zip(0..).map(|(waiting, slot)| (waiting.id, slot)).collect();
            let first = placed.len() as u32;
            let segments = standing.due.iter().zip(first..).map(|(due, slot)| segment(pieces[due.piece], slot)).collect();
            Briefing { segments, placed, ..Briefing::default() }
        };
        self.admit_as(arrived, lane, &offers, &mut arrange)
    }

    fn admit_as(&mut self, arrived: &Arrived, lane: u8, offers: &[Offer<'_>], arrange: &mut dyn FnMut(&Standing) -> Briefing) -> Claim {
        let mut admission = Admission {
            printer: Printer {
                lanes: self.lanes,
                is_parallel: self.lanes == 1 && self.moment == Moment::Tool,
                ..printer(lane, &self.holder, self.event, self.moment)
            },
            session: arrived.known.session,
            epoch: arrived.known.epoch,
            plan: arrived.plan,
            now: self.now,
            offers,
            done: 1,
            owe: 0,
            watched: "",
            arrange,
        };
        self.ledger.admit(&mut admission).unwrap()
    }

    fn claim(&mut self, arrived: &Arrived, lane: u8) -> Claim {
        self.ledger.claim(arrived.plan, printer(lane, &self.holder, self.event, self.moment), self.now).unwrap()
    }

    fn confirm(&mut self, claim: &Claim) {
        self.confirm_with(claim, &[]);
    }

    fn confirm_with(&mut self, claim: &Claim, notes: &[Note]) {
        let entry = LogEntry { now: self.now, event: self.event, notes, ..ENTRY };
        self.ledger.confirm(claim, &entry).unwrap();
    }
}

/// The line of an event that delivered something.
const ENTRY: LogEntry<'_> = LogEntry {
    now: 0,
    event: "SessionStart",
    moment: Some(Moment::Session),
    micros: 900,
    outcome: &Outcome::Delivered,
    size: 3,
    notes: &[],
    basis: Basis { message: None, documents: "", settings: "" },
};

/// Everything of one session.
fn of(session: &str) -> Filter<'_> {
    Filter { session: Some(session), ..Filter::default() }
}

/// An event with one lane that changes nothing.
fn plain<'a>(key: &'a SessionKey, holder: &'a Holder, now: i64) -> Arrival<'a> {
    Arrival {
        key,
        plan: None,
        lane: 1,
        cwd: "/p",
        now,
        holder,
        client: "",
        is_reset: false,
        owed_after_reset: 4,
        forget_all_but: None,
        forget_sources: 0,
        owe: 0,
        message: None,
        title: None,
        parent: None,
        transcript: None,
    }
}

fn printer<'a>(lane: u8, holder: &'a Holder, event: &'a str, moment: Moment) -> Printer<'a> {
    Printer { lane, lanes: 4, holder, reaped_as: 7, is_parallel: false, event, moment }
}

fn segment((piece, hash): (&str, &str), slot: u32) -> Segment {
    Segment {
        piece: piece.into(),
        hash: hash.into(),
        part: None,
        path: piece.into(),
        file: piece.into(),
        source: Some(Source::Domains),
        reason: Reason::HandOff,
        order: Order::Chain,
        is_transient: false,
        size: 10,
        tokens: 3,
        text: format!("{piece}={hash}"),
        slot,
    }
}

fn texts(claim: &Claim) -> Vec<&str> {
    claim.rows.iter().map(|row| row.text.as_str()).collect()
}

/// A test file that is not listed above would silently never run.
#[test]
fn no_test_file_is_forgotten() {
    let listed = include_str!("main.rs");
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let is_listed = name == "main" || path.is_dir() || listed.contains(&format!("mod {name};"));
        assert!(is_listed, "tests/{name}.rs is not listed in tests/main.rs");
    }
}
