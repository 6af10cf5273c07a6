//! Damaged ledgers heal: what can be read is copied into a new file, and the damaged one is kept. Trouble is not damage.

use std::fs;
use std::path::Path;

use briefing_core::Moment;
use briefing_core::fit::Briefing;
use briefing_store::{Admission, Filter, Holder, LogEntry, Offer, Place, SessionKey, StoreError, damaged, open, reader, repair};
use rusqlite::Connection;

use crate::{ENTRY, Fixture, PATIENCE, plain, printer, segment, texts};

const TABLES: [&str; 5] = ["sessions", "resets", "plans", "deliveries", "events"];

/// A ledger in a directory that goes with the test, with one session that received two pieces and waits for a third.
fn used() -> (tempfile::TempDir, Place) {
    let state = tempfile::tempdir().unwrap();
    let place = Place::below(state.path());
    let mut fixture = Fixture::at(place.clone());
    let arrived = fixture.arrive(None, 1, false);
    let claim = fixture.admit(&arrived, 1, &[("a.md", "1"), ("b.md", "1"), ("c.md", "1")]);
    fixture.confirm(&claim);
    let claim = fixture.claim(&arrived, 2);
    fixture.confirm(&claim);
    (state, place)
}

fn change(place: &Place, statement: &str) {
    Connection::open(place.file().unwrap()).unwrap().execute_batch(statement).unwrap();
}

/// Runs an event as a hook does, all of it, and returns what it printed.
fn event(place: &Place) -> Vec<String> {
    let mut fixture = Fixture::at(place.clone());
    let arrived = fixture.arrive(None, 1, false);
    let claim = fixture.admit(&arrived, 1, &[("a.md", "1"), ("b.md", "1"), ("c.md", "1")]);
    let printed = texts(&claim).into_iter().map(str::to_owned).collect();
    fixture.confirm(&claim);
    printed
}

/// Does the same, and tells what failed.
fn try_event(place: &Place) -> Result<(), StoreError> {
    let mut ledger = open(place, PATIENCE)?.ledger;
    let (key, holder) = (SessionKey::new("claude", "one", None), Holder::me());
    let arrived = ledger.arrive(&plain(&key, &holder, 1_000_000_000_000))?;
    let (piece, entry) = (("d.md", "1"), LogEntry { now: 0, event: "x", ..ENTRY });
    let claim = ledger.admit(&mut Admission {
        printer: printer(1, &holder, "SessionStart", Moment::Session),
        session: arrived.known.session,
        epoch: arrived.known.epoch,
        plan: arrived.plan,
        now: 1_000_000_000_000,
        offers: &[Offer { piece: piece.0, hash: piece.1, within: Vec::new() }],
        done: 1,
        owe: 0,
        watched: "",
        arrange: &mut |standing| Briefing {
            segments: standing.due.iter().map(|_| segment(piece, 0)).collect(),
            placed: standing.queued.iter().map(|waiting| (waiting.id, 0)).collect(),
            ..Briefing::default()
        },
    })?;
    ledger.confirm(&claim, &entry)?;
    ledger.given(arrived.known.session, None)?;
    Ok(())
}

fn damage(place: &Place) -> Option<String> {
    reader(place, PATIENCE).unwrap().unwrap().damage().unwrap()
}

#[test]
fn a_dropped_table_is_damage_and_the_next_event_heals_it() {
    for table in TABLES {
        let (_state, place) = used();
        assert_eq!(damage(&place), None);
        change(&place, &format!("DROP TABLE {table}"));
        assert!(damage(&place).is_some_and(|told| told.contains(table)), "{table}");
        event(&place);
        assert_eq!(damage(&place), None, "{table}");
        assert_eq!(damaged(&place).len(), 1, "the damaged file is kept: {table}");
        let mut reader = reader(&place, PATIENCE).unwrap().unwrap();
        assert_eq!(reader.sessions(&Filter::default()).unwrap().len(), 1, "{table}");
        assert!(
            reader.events(&Filter::default()).unwrap().len() >= 2 || table == "events" || table == "sessions",
            "other tables stay: {table}"
        );
    }
}

#[test]
fn what_can_be_read_is_not_delivered_again() {
    for table in ["resets", "plans", "events"] {
        let (_state, place) = used();
        change(&place, &format!("DROP TABLE {table}"));
        assert_eq!(event(&place), ["c.md=1"], "only what was waiting: {table}");
    }
}

#[test]
fn what_was_lost_is_due_again() {
    for table in ["deliveries", "sessions"] {
        let (_state, place) = used();
        change(&place, &format!("DROP TABLE {table}"));
        assert_eq!(event(&place), ["a.md=1"], "{table}");
    }
}

#[test]
fn a_dropped_column_is_damage() {
    let (_state, place) = used();
    change(&place, "ALTER TABLE deliveries DROP COLUMN rendered_hash");
    assert!(damage(&place).is_some());
    assert_eq!(event(&place), ["c.md=1"]);
    assert_eq!(damage(&place), None);
}

#[test]
fn values_that_cannot_be_read_are_damage() {
    for broken in [
        "UPDATE sessions SET message = CAST(x'ff41' AS TEXT)",
        "UPDATE sessions SET done = -1",
        "UPDATE sessions SET epoch = 'one'",
        "UPDATE deliveries SET hash = x'00' WHERE piece = 'b.md'",
        "UPDATE deliveries SET rank = 70000",
        "UPDATE events SET lane = 300",
    ] {
        let (_state, place) = used();
        change(&place, broken);
        assert!(damage(&place).is_some(), "{broken}");
        // An event that does not touch the value may work with the ledger as it is; the one that does heals it.
        event(&place);
        let mut ledger = open(&place, PATIENCE).unwrap().ledger;
        assert!(ledger.given(1, None).is_ok(), "{broken}");
    }
}

#[test]
fn a_wrong_version_number_is_damage_unless_a_later_release_could_have_it() {
    for version in [0, 1, 1000, -7, 66_537, 2_000_001_001] {
        let (_state, place) = used();
        change(&place, &format!("PRAGMA user_version = {version}"));
        assert_eq!(event(&place), ["c.md=1"], "{version}");
        assert_eq!(damage(&place), None, "{version}");
    }
}

/// A bit of the file flips, in every region of it. Events go on with the ledger: at most the first one without.
#[test]
fn a_flipped_bit_heals() {
    let (_state, place) = used();
    change(&place, "PRAGMA wal_checkpoint(TRUNCATE)");
    let whole = fs::read(place.file().unwrap()).unwrap();
    let step = if std::env::var_os("BRIEF_TEST_FULL").is_some() { 7 } else { 397 };
    for at in (0..whole.len()).step_by(step) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        let state = tempfile::tempdir().unwrap();
        let place = Place::below(state.path());
        fs::create_dir_all(place.directory()).unwrap();
        fs::write(place.file().unwrap(), &bytes).unwrap();
        if matches!(open(&place, PATIENCE), Err(StoreError::Newer { .. })) {
            continue;
        }
        // The row of the session may turn out to be damaged in the middle of it.
        let _ = try_event(&place);
        try_event(&place).unwrap_or_else(|error| panic!("byte {at}: {error}"));
        // What only views read, `brief doctor --fix` repairs.
        repair(&place, PATIENCE).unwrap();
        assert_eq!(damage(&place), None, "byte {at}");
        let mut views = reader(&place, PATIENCE).unwrap().unwrap();
        assert!(
            views.sessions(&Filter::default()).is_ok()
                && views.deliveries(&Filter::default()).is_ok()
                && views.events(&Filter::default()).is_ok(),
            "byte {at}"
        );
    }
}

#[test]
fn half_a_file_heals() {
    let (_state, place) = used();
    change(&place, "PRAGMA wal_checkpoint(TRUNCATE)");
    let file = place.file().unwrap();
    let whole = fs::read(&file).unwrap();
    for length in [1, 100, 512, 4095, 4096, 5000, 8192, whole.len() / 2, whole.len() - 1] {
        remove_journals(&file);
        fs::write(&file, &whole[..length]).unwrap();
        event(&place);
        assert_eq!(damage(&place), None, "{length} bytes");
    }
}

fn remove_journals(file: &Path) {
    for suffix in ["-wal", "-shm"] {
        let _ = fs::remove_file(format!("{}{suffix}", file.display()));
    }
}

#[test]
fn a_file_of_no_bytes_becomes_a_ledger_like_any_other() {
    let (_state, place) = used();
    let file = place.file().unwrap();
    remove_journals(&file);
    fs::write(&file, b"").unwrap();
    event(&place);
    let mode: String = Connection::open(&file).unwrap().query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap();
    assert_eq!(mode, "wal", "readers and writers do not block each other");
    assert_eq!(damaged(&place), [""; 0].map(std::path::PathBuf::from), "nothing was lost");
}
