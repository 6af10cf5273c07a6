//! A ledger and a heartbeat written by version 0.1 (schema 1000), before sources, events and outcomes were columns.
//!
//! The files in `fixtures` are what that version left after a session's start, a message and a tool use of Claude in a
//! project with `.megg`, `.context` and a document, and after three silent hooks. Two deliveries wait.

use std::fs;

use briefing_core::fit::{Briefing, Standing};
use briefing_core::{Moment, Note, NoteKind, Reason, Silence, Source};
use briefing_store::{Filter, Offer, Outcome, Place, State};

use crate::{Fixture, PATIENCE, of, plain, texts};

fn place() -> (tempfile::TempDir, Place) {
    let state = tempfile::tempdir().unwrap();
    let place = Place::below(state.path());
    fs::create_dir(place.directory()).unwrap();
    for (from, to) in [("ledger-1000.db", "ledger.db"), ("heartbeat-0.1.jsonl", "heartbeat.jsonl")] {
        let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
        fs::copy(format!("{fixtures}/{from}"), place.directory().join(to)).unwrap();
    }
    (state, place)
}

fn version(place: &Place) -> i64 {
    let connection = rusqlite::Connection::open(place.file().unwrap()).unwrap();
    connection.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap()
}

#[test]
fn every_way_of_opening_migrates() {
    type Open = fn(&Place);
    let ways: [Open; 3] = [
        |place| assert!(briefing_store::open(place, PATIENCE).unwrap().set_aside.is_none()),
        |place| assert!(briefing_store::open_existing(place, PATIENCE).unwrap().is_some()),
        |place| assert!(briefing_store::reader(place, PATIENCE).unwrap().is_some()),
    ];
    for open in ways {
        let (_state, place) = place();
        assert_eq!(version(&place), 1000);
        open(&place);
        assert_eq!(version(&place), 1005);
    }
}

#[test]
fn many_can_migrate_at_once() {
    let (_state, place) = place();
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                let mut reader = briefing_store::reader(&place, PATIENCE).unwrap().unwrap();
                assert_eq!(reader.deliveries(&Filter::default()).unwrap().len(), 8);
            });
        }
    });
}

#[test]
fn deliveries_and_the_log_are_kept_and_typed() {
    let (_state, place) = place();
    let mut fixture = Fixture::at(place);
    let rows = fixture.deliveries();
    let facts: Vec<_> = rows.iter().map(|row| (row.source, row.reason.to_string(), row.moment, row.state)).collect();
    let fact = |source, reason: &str, moment, state| (Some(source), reason.to_owned(), Some(moment), state);
    assert_eq!(
        facts,
        [
            fact(Source::Domains, "domain proj", Moment::Session, State::Delivered),
            fact(Source::Domains, "domain knowledge, full", Moment::Session, State::Delivered),
            fact(Source::Domains, "domains and files around", Moment::Session, State::Delivered),
            fact(Source::Docs, "matches: backoff, payment, requests, retry", Moment::Message, State::Delivered),
            fact(Source::Gate, "core file, verbatim", Moment::Tool, State::Delivered),
            fact(Source::Gate, "core file, verbatim", Moment::Tool, State::Delivered),
            fact(Source::Gate, "core file, verbatim", Moment::Tool, State::Queued),
            fact(Source::Gate, "closing notes", Moment::Tool, State::Queued),
        ]
    );
    assert_eq!(rows[4].reason, Reason::Earlier { text: "core file, verbatim".into() });
    assert!(rows.iter().all(|row| row.event.is_empty() && row.rendered_hash.is_none() && row.rendered_length.is_none()));
    let events = fixture.reader.events(&of("fixture")).unwrap();
    assert_eq!(events.iter().map(|event| event.event.as_str()).collect::<Vec<_>>(), ["SessionStart", "UserPromptSubmit", "PostToolBatch"]);
    assert!(events.iter().all(|event| event.outcome == Outcome::Delivered));
    let carried = fixture.reader.carried(&events.iter().map(|event| event.id).collect::<Vec<_>>()).unwrap();
    assert_eq!(carried.iter().map(|row| row.carrier).collect::<Vec<_>>(), [1, 1, 1, 2, 3, 3], "by their times");
    assert_eq!((events[0].name.directory.as_str(), events[0].name.title.as_str()), ("/tmp/hst/proj", ""));
    let sentence = "docs/retry.md: AWS access key on line 4 was redacted";
    assert_eq!(events[1].notes, [Note::info("", NoteKind::Other, sentence)]);
    assert_eq!(fixture.reader.sessions(&Filter::default()).unwrap()[0].context_paths.len(), 6);
    let given = fixture.ledger.given(1, None).unwrap();
    assert!(given.iter().all(|given| given.opening.is_empty()), "it did not write down by what they are found");
}

#[test]
fn nothing_is_due_twice_and_the_queue_leaves() {
    let (_state, place) = place();
    let mut fixture = Fixture::at(place);
    (fixture.event, fixture.moment) = ("PostToolBatch", Moment::Tool);
    let pieces: Vec<(String, String)> = fixture.deliveries().into_iter().map(|row| (row.piece, row.hash)).collect();
    let arrived = fixture.arrive_as("fixture", None, 1, false, None);
    assert_eq!((arrived.known.session, arrived.known.done, arrived.known.open), (1, 3, 2));
    assert_eq!(arrived.known.message, "how do we retry payment requests with backoff?");
    let offers: Vec<Offer<'_>> = pieces.iter().map(|(piece, hash)| Offer { piece, hash, within: Vec::new() }).collect();
    let mut arrange = |standing: &Standing| {
        assert_eq!(standing.due, [], "the window has all of it");
        assert!(standing.queued.iter().all(|waiting| waiting.source == Some(Source::Gate)));
        Briefing { placed: standing.queued.iter().map(|waiting| (waiting.id, 0)).collect(), ..Briefing::default() }
    };
    let claim = fixture.admit_as(&arrived, 1, &offers, &mut arrange);
    assert_eq!((claim.rows.len(), claim.number, claim.of, claim.is_continued), (2, 1, 1, true), "version 0.1 sent the beginning");
    assert!(texts(&claim)[0].starts_with("=== brief: /tmp/hst/proj/.context/CONVENTIONS.md (core file, verbatim; part 2 of 2) ==="));
    fixture.confirm(&claim);
    let rows = fixture.deliveries();
    assert!(rows.iter().all(|row| row.state == State::Delivered));
    assert_eq!(rows.iter().map(|row| row.event.as_str()).collect::<Vec<_>>(), ["", "", "", "", "", "", "PostToolBatch", "PostToolBatch"]);
}

/// Both versions may use one file for a while: the older one names the source in the reason only.
#[test]
fn what_version_0_1_writes_after_the_migration_has_its_source() {
    let (_state, place) = place();
    let mut fixture = Fixture::at(place);
    let connection = rusqlite::Connection::open(fixture.place.file().unwrap()).unwrap();
    let insert = "INSERT INTO deliveries (session, epoch, piece, hash, part, parts, path, reason, moment, rank, transient, size, tokens,
        text, slot, at, state) VALUES (1, 1, '/new', 'h', 1, 1, '/new', 'docs: matches: x', 'message', 1, 0, 9, 3, 'text', 9, 5, 0)";
    connection.execute(insert, []).unwrap();
    let row = fixture.reader.deliveries(&Filter { path: Some("/new"), ..Filter::default() }).unwrap().remove(0);
    assert_eq!((row.source, row.reason), (Some(Source::Docs), Reason::Earlier { text: "matches: x".into() }));
    let key = briefing_store::SessionKey::new("claude", "fixture", None);
    let arrived = fixture.ledger.arrive(&plain(&key, &fixture.holder, fixture.now)).unwrap();
    let mut sources = Vec::new();
    let mut arrange = |standing: &Standing| {
        sources = standing.queued.iter().map(|waiting| waiting.source).collect();
        Briefing::default()
    };
    fixture.admit_as(&arrived, 1, &[], &mut arrange);
    assert_eq!(sources, [Some(Source::Docs), Some(Source::Gate), Some(Source::Gate)]);
}

#[test]
fn the_heartbeat_is_read() {
    let (_state, place) = place();
    let outcomes: Vec<Outcome> = briefing_store::beats(&place).into_iter().map(|beat| beat.outcome).collect();
    let problem = "the input is not a JSON object".to_owned();
    assert_eq!(outcomes, [Outcome::BadInput { problem }, Outcome::Silent(Silence::Untold), Outcome::UnknownEvent]);
}
