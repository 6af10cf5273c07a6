//! Typed values are read from the ledger as they were written.

use briefing_core::fit::{Briefing, Part, Segment, Standing, Waiting};
use briefing_core::sources::gate::Strategy;
use briefing_core::{Level, Moment, Note, NoteKind, Order, Reason, Source};
use briefing_store::{Filter, SessionKey, State};

use crate::{Fixture, on_every_engine, segment};

fn core_file(slot: u32) -> Segment {
    Segment {
        path: "/p/.context/RULES.md".into(),
        file: "/p/.context/RULES.md".into(),
        source: Some(Source::Gate),
        reason: Reason::CoreFile { strategy: Strategy::Index },
        order: Order::Gate,
        text: "--- RULES.md ---\nnaïve\n".into(),
        ..segment(("/p/.context/RULES.md", "content"), slot)
    }
}

/// A section of a document, in two parts.
fn parts() -> [Segment; 2] {
    let part = |part: u32, slot: u32| Segment {
        part: Some(Part { number: part, of: 2, start: 10 * part as usize - 10, stop: 10 * part as usize, total: 20 }),
        path: "docs/a.md".into(),
        file: "docs/a.md".into(),
        source: Some(Source::Docs),
        reason: Reason::Match { words: vec!["retry".into()], by_model: false, is_outline: false, read_first: vec!["docs/b.md".into()] },
        order: Order::Document,
        text: format!("part {part}"),
        ..segment(("/p/docs/a.md#retry", "content"), slot)
    };
    [part(1, 0), part(2, 1)]
}

fn left_out() -> Segment {
    Segment {
        path: String::new(),
        file: String::new(),
        source: None,
        reason: Reason::LeftOut,
        order: Order::LeftOut,
        ..segment(("brief:left-out", "content"), 1)
    }
}

/// Admits the segments and returns the queue that the arrangement received.
fn admit(fixture: &mut Fixture, segments: &[Segment]) -> Vec<Waiting> {
    let arrived = fixture.arrive(None, 1, false);
    let mut queued = Vec::new();
    let mut arrange = |standing: &Standing| {
        queued.clone_from(&standing.queued);
        let placed = standing.queued.iter().map(|waiting| (waiting.id, 0)).collect();
        Briefing { segments: segments.to_vec(), placed, ..Briefing::default() }
    };
    let claim = fixture.admit_as(&arrived, 1, &[], &mut arrange);
    fixture.confirm(&claim);
    queued
}

#[test]
fn a_delivery_remembers_source_reason_moment_event_and_both_hashes() {
    on_every_engine(|fixture| {
        (fixture.event, fixture.moment) = ("PostToolBatch", Moment::Tool);
        admit(fixture, &[core_file(0), left_out()]);
        let rows = fixture.deliveries();
        let (rules, rest) = (&rows[0], &rows[1]);
        assert_eq!((rules.source, &rules.reason), (Some(Source::Gate), &Reason::CoreFile { strategy: Strategy::Index }));
        assert_eq!((rules.moment, rules.event.as_str(), rules.state), (Some(Moment::Tool), "PostToolBatch", State::Delivered));
        let text = core_file(0).text;
        let printed = text.trim_end();
        assert_eq!(rules.hash, "content");
        assert_eq!(rules.rendered_hash.as_deref(), Some(blake3::hash(printed.as_bytes()).to_hex().as_str()), "agents trim the end");
        assert_eq!(rules.rendered_length, Some(printed.len() as u64), "in bytes");
        assert_eq!((rest.source, &rest.reason, rest.state), (None, &Reason::LeftOut, State::Queued));
        assert_eq!((rest.moment, rest.event.as_str()), (Some(Moment::Tool), "PostToolBatch"), "planned by this event");
    });
}

#[test]
fn each_part_has_the_hash_of_its_own_text() {
    on_every_engine(|fixture| {
        admit(fixture, &parts());
        let rows = fixture.deliveries();
        for (row, number) in rows.iter().zip(1..) {
            let text = format!("part {number}");
            assert_eq!((row.part, row.hash.as_str(), row.rendered_length), (number, "content", Some(6)));
            assert_eq!(row.rendered_hash.as_deref(), Some(blake3::hash(text.as_bytes()).to_hex().as_str()));
        }
        assert_eq!(rows.len(), 2);
    });
}

#[test]
fn what_waits_and_what_was_given_name_their_sources() {
    on_every_engine(|fixture| {
        admit(fixture, &[core_file(0), core_file(1), left_out()]);
        let queued = admit(fixture, &[]);
        let sources: Vec<_> = queued.iter().map(|waiting| (waiting.source, waiting.order)).collect();
        assert_eq!(sources, [(Some(Source::Gate), Order::Gate.number()), (None, Order::LeftOut.number())]);
        let session = fixture.arrive(None, 1, false).known.session;
        let given = fixture.ledger.given(session, None).unwrap();
        assert_eq!(given.len(), 2, "two core files; the list of what was left out is nothing to look for");
        assert!(given[0].id < given[1].id && given.iter().all(|given| !given.opening.is_empty()), "{given:?}");
    });
}

#[test]
fn a_split_piece_was_given_in_parts() {
    on_every_engine(|fixture| {
        admit(fixture, &parts());
        admit(fixture, &[]);
        let session = fixture.arrive(None, 1, false).known.session;
        let given = fixture.ledger.given(session, None).unwrap();
        assert_eq!(given.iter().map(|given| given.opening.as_str()).collect::<Vec<_>>(), ["part 1", "part 2"]);
    });
}

#[test]
fn a_fork_inherits_facts_too() {
    on_every_engine(|fixture| {
        admit(fixture, &[core_file(0), left_out()]);
        fixture.fork("fork", i64::MAX);
        let rows = fixture.deliveries();
        assert_eq!(rows.len(), 4);
        for (own, inherited) in rows[..2].iter().zip(&rows[2..]) {
            let facts = |row: &briefing_store::DeliveryRow| {
                (row.source, row.reason.clone(), row.moment, row.event.clone(), row.rendered_hash.clone(), row.rendered_length)
            };
            assert_eq!(facts(own), facts(inherited));
        }
    });
}

#[test]
fn notes_are_objects_in_the_log_and_in_its_json() {
    on_every_engine(|fixture| {
        let notes = [
            Note::warning("docs/a.md", NoteKind::Redacted, "AWS access key on line 4 was redacted").decided_by("secrets"),
            Note::new("", NoteKind::Budget, Level::Error, "nothing fits"),
        ];
        let arrived = fixture.arrive(None, 1, false);
        let claim = fixture.admit(&arrived, 1, &[("/a", "1")]);
        fixture.confirm_with(&claim, &notes);
        let events = fixture.reader.events(&Filter::default()).unwrap();
        assert_eq!(events[0].notes, notes);
        let json = serde_json::to_value(&events[0]).unwrap();
        assert_eq!((&json["outcome"], json.get("problem")), (&"delivered".into(), None));
        assert_eq!(json["notes"][0]["kind"], "redacted");
        let json = serde_json::to_value(&fixture.deliveries()[0]).unwrap();
        assert_eq!((&json["source"], &json["reason"]["kind"], &json["moment"]), (&"domains".into(), &"hand-off".into(), &"session".into()));
    });
}

#[test]
fn why_asks_for_one_path() {
    on_every_engine(|fixture| {
        admit(fixture, &[core_file(0), segment(("/p/docs/a.mdx", "1"), 0)]);
        admit(fixture, &parts());
        let mut count = |path: &str, session: Option<&str>| {
            fixture.reader.deliveries(&Filter { session, path: Some(path), ..Filter::default() }).unwrap().len()
        };
        assert_eq!(count("docs/a.md", None), 2, "as shown");
        assert_eq!(count("/p/docs/a.md", None), 2, "the file, with its sections");
        assert_eq!(count("/p/docs/a.md#retry", Some("one")), 2, "one section");
        assert_eq!(count("/p/.context/RULES.md", Some("one")), 1);
        assert_eq!(count("/p/.context/RULES.md", Some("two")), 0);
        assert_eq!(count("/p", None), 0);
    });
}

#[test]
fn what_an_earlier_session_received_can_be_compared() {
    on_every_engine(|fixture| {
        let piece = "/p/.context/RULES.md";
        let next = SessionKey::new("claude", "two", None);
        assert_eq!(fixture.ledger.earlier(&next, piece).unwrap(), None);
        admit(fixture, &[core_file(0)]);
        let earlier = fixture.ledger.earlier(&next, piece).unwrap().unwrap();
        let hash = fixture.deliveries()[0].hash.clone();
        assert_eq!((earlier.last_seen, earlier.pieces), (fixture.now, [(piece.to_owned(), hash)].into()));
        assert_eq!(fixture.ledger.earlier(&next, "/p/.context/OTHER.md").unwrap(), None, "it did not receive that");
        assert_eq!(fixture.ledger.earlier(&SessionKey::new("claude", "one", None), piece).unwrap(), None, "a session is not its own");
        assert_eq!(fixture.ledger.earlier(&SessionKey::new("codex", "two", None), piece).unwrap(), None, "another agent's");
    });
}
