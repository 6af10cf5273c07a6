//! The contract of the ledger, tested on SQLite in real files. One file per topic.

mod delivery;
mod opening;
mod window;

use std::time::Duration;

use briefing_core::fit::{Briefing, Segment, Standing};
use briefing_core::{Order, Reason, Source};
use briefing_store::{Admission, Arrival, Arrived, Claim, Holder, Ledger, Offer, Parent, Printer, Receipt, SessionKey, SqliteLedger};

/// A ledger in a directory of its own.
struct Fixture {
    directory: tempfile::TempDir,
    ledger: SqliteLedger,
    holder: Holder,
    now: i64,
}

impl Fixture {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let ledger = briefing_store::open(directory.path(), Duration::from_secs(2)).unwrap().ledger;
        Self { directory, ledger, holder: Holder::me(), now: 1_000_000_000_000 }
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
        self.ledger
            .arrive(&Arrival {
                key: &key,
                plan,
                lane,
                cwd: "/p",
                now: self.now,
                holder: &self.holder,
                is_reset,
                owed_after_reset: 4,
                forget_all_but: None,
                forget_sources: 0,
                owe: 0,
                message: None,
                parent: forked.map(|until| Parent { key: &usual, until }),
            })
            .unwrap()
    }

    fn paths_of(&mut self, session: &str) -> Vec<String> {
        let key = SessionKey::new("claude", session, None);
        self.ledger.sessions().unwrap().into_iter().find(|row| row.native == key.native).unwrap().context_paths
    }

    /// Admits pieces, each into a slot of its own, behind what is queued.
    fn admit(&mut self, arrived: &Arrived, lane: u8, pieces: &[(&str, &str)]) -> Claim {
        let offers: Vec<Offer<'_>> = pieces.iter().map(|(piece, hash)| Offer { piece, hash, whole: None }).collect();
        let mut arrange = |standing: &Standing| {
            let placed: Vec<_> = standing.queued.iter().zip(0..).map(|(waiting, slot)| (waiting.id, slot)).collect();
            let first = placed.len() as u32;
            let segments = standing.due.iter().zip(first..).map(|(due, slot)| segment(pieces[due.piece], slot)).collect();
            Briefing { segments, placed, notes: Vec::new() }
        };
        self.ledger
            .admit(&mut Admission {
                printer: Printer { lane, lanes: 4, holder: &self.holder, reaped_as: 7 },
                session: arrived.look.session,
                epoch: arrived.look.epoch,
                plan: arrived.plan,
                moment: "session",
                now: self.now,
                offers: &offers,
                done: 1,
                arrange: &mut arrange,
            })
            .unwrap()
    }

    fn claim(&mut self, arrived: &Arrived, lane: u8) -> Claim {
        self.ledger.claim(arrived.plan, Printer { lane, lanes: 4, holder: &self.holder, reaped_as: 7 }, self.now).unwrap()
    }

    fn confirm(&mut self, claim: &Claim) {
        let receipt = Receipt { now: self.now, event: "E", lane: 1, micros: 900, outcome: "delivered", size: 3, notes: &[] };
        self.ledger.confirm(claim, &receipt).unwrap();
    }
}

fn segment((piece, hash): (&str, &str), slot: u32) -> Segment {
    Segment {
        piece: piece.into(),
        hash: hash.into(),
        part: 1,
        parts: 1,
        path: piece.into(),
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
        let name = entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned();
        assert!(name == "main" || listed.contains(&format!("mod {name};")), "tests/{name}.rs is not listed in tests/main.rs");
    }
}
