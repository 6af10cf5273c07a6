//! Epochs: when the window is emptied, and what that means for what was in it.

use briefing_core::Moment;
use briefing_core::fit::{Briefing, Due, Part, Segment, Standing};
use briefing_store::{Arrival, Arrived, Filter, Forgetting, Offer, PlanState, SessionKey};

use crate::{Fixture, on_every_engine, plain, segment, texts};

#[test]
fn a_reset_counts_once_however_many_lanes_see_it() {
    on_every_engine(|fixture| {
        let start = fixture.arrive(Some("start"), 1, false);
        let claim = fixture.admit(&start, 1, &[("/a", "1"), ("/b", "1")]);
        fixture.confirm(&claim);
        assert_eq!(fixture.paths_of("one"), ["/a"]);
        let first = fixture.arrive(Some("compact"), 2, true);
        assert_eq!((first.known.epoch, first.known.done, first.known.owed, first.known.open), (2, 0, 4, 0), "the queue is gone");
        assert_eq!(fixture.paths_of("one"), [""; 0]);
        for lane in [1, 3, 4] {
            let other = fixture.arrive(Some("compact"), lane, true);
            assert_eq!((other.known.epoch, other.state), (2, PlanState::Others));
        }
        assert_eq!(texts(&fixture.admit(&first, 2, &[("/a", "1"), ("/b", "1")])), ["/b=1"], "all is due again");
        // The same prompt compacted again at once is another event.
        let again = fixture.arrive(Some("compact"), 1, true);
        assert_eq!((again.known.epoch, again.state), (3, PlanState::Mine));
    });
}

#[test]
fn a_session_that_begins_with_a_reset_is_not_emptied_by_its_second_lane() {
    on_every_engine(|fixture| {
        let first = fixture.arrive(Some("compact"), 1, true);
        let second = fixture.arrive(Some("compact"), 2, true);
        assert_eq!((second.known.epoch, second.state), (first.known.epoch, PlanState::Others));
        assert_eq!(fixture.reader.sessions(&Filter::default()).unwrap().len(), 1);
    });
}

#[test]
fn pieces_brought_before_a_reset_do_not_enter_the_new_window() {
    on_every_engine(|fixture| {
        let before = fixture.arrive(None, 1, false);
        fixture.arrive(None, 1, true);
        assert_eq!(texts(&fixture.admit(&before, 1, &[("/a", "1")])), [""; 0]);
        let after = fixture.arrive(None, 1, false);
        assert_eq!((after.known.done, after.known.open), (0, 0));
    });
}

#[test]
fn paths_stand_once_each_in_order_of_arrival() {
    on_every_engine(|fixture| {
        for (piece, hash) in [("/b", "1"), ("/a", "1"), ("/b", "2")] {
            let arrived = fixture.arrive(None, 1, false);
            let claim = fixture.admit(&arrived, 1, &[(piece, hash)]);
            fixture.confirm(&claim);
        }
        assert_eq!(fixture.paths_of("one"), ["/b", "/a"]);
    });
}

#[test]
fn sessions_not_seen_for_a_month_are_forgotten() {
    on_every_engine(|fixture| {
        let arrived = fixture.arrive(None, 1, false);
        let claim = fixture.admit(&arrived, 1, &[("/a", "1")]);
        fixture.confirm(&claim);
        let month = 31 * 24 * 3600 * 1000;
        let key = SessionKey::new("claude", "another", None);
        let arrival = Arrival { cwd: "/q", ..plain(&key, &fixture.holder, fixture.now + month) };
        fixture.ledger.arrive(&arrival).unwrap();
        let sessions = fixture.reader.sessions(&Filter::default()).unwrap();
        assert_eq!((sessions.len(), sessions[0].cwd.as_str()), (1, "/q"));
        assert_eq!(fixture.deliveries(), []);
        assert_eq!(fixture.reader.events(&Filter::default()).unwrap(), []);
    });
}

#[test]
fn a_fork_has_what_its_parent_had_and_waits_for_what_it_waited_for() {
    on_every_engine(|fixture| {
        let first = fixture.arrive(None, 1, false);
        let claim = fixture.admit(&first, 1, &[("/a", "1"), ("/b", "1")]);
        fixture.confirm(&claim);
        fixture.now += 1000;
        let cut = fixture.now;
        fixture.now += 1000;
        let second = fixture.arrive(None, 1, false);
        let claim = fixture.admit(&second, 1, &[("/c", "1")]);
        assert_eq!(texts(&claim), ["/b=1"], "in order of arrival");
        fixture.confirm(&claim);

        let whole = fixture.fork("whole", i64::MAX);
        assert_eq!(fixture.paths_of("whole"), ["/a", "/b"]);
        assert_eq!((whole.known.epoch, whole.known.done, whole.known.open), (1, 0, 1), "sources are asked again, `/c` waits");
        let claim = fixture.admit(&whole, 1, &[("/a", "1"), ("/b", "1"), ("/c", "1")]);
        assert_eq!(texts(&claim), ["/c=1"], "nothing else is due");
        fixture.confirm(&claim);
        assert_eq!(fixture.fork("whole", i64::MAX).known.open, 0, "a known session inherits nothing more");

        let earlier = fixture.fork("earlier", cut);
        assert_eq!(fixture.paths_of("earlier"), ["/a"], "what came after the cut is not in this window");
        let claim = fixture.admit(&earlier, 1, &[("/a", "1"), ("/b", "1")]);
        fixture.confirm(&claim);
        let next = fixture.arrive_as("earlier", None, 1, false, None);
        let claim = fixture.admit(&next, 1, &[]);
        assert_eq!(texts(&claim), ["/b=1"], "it is due again");
    });
}

#[test]
fn a_fork_of_an_unknown_session_is_a_new_one() {
    on_every_engine(|fixture| {
        let fork = fixture.fork("fork", i64::MAX);
        assert_eq!((fork.known.done, fork.known.open), (0, 0));
        assert_eq!(fixture.reader.sessions(&Filter::default()).unwrap().len(), 1, "the unknown parent does not become a session");
        assert_eq!(texts(&fixture.admit(&fork, 1, &[("/a", "1")])), ["/a=1"]);
    });
}

#[test]
fn what_is_forgotten_is_due_again_and_nothing_else() {
    on_every_engine(|fixture| {
        for (piece, hash) in [("/a", "1"), ("/b", "1"), ("/b", "2")] {
            let arrived = fixture.arrive(None, 1, false);
            let claim = fixture.admit(&arrived, 1, &[(piece, hash)]);
            fixture.confirm(&claim);
        }
        let session = fixture.arrive(None, 1, false).known.session;
        let given = fixture.ledger.given(session, None).unwrap();
        assert_eq!(given.iter().map(|given| given.opening.as_str()).collect::<Vec<_>>(), ["/a=1", "/b=1", "/b=2"]);
        let forgetting = Forgetting { session, before: "", after: "file 9" };
        fixture.ledger.forget(&forgetting, &[given[1].id, given[2].id]).unwrap();
        fixture.ledger.forget(&Forgetting { after: "file 7", ..forgetting }, &[given[0].id]).unwrap();
        let after = fixture.arrive(None, 1, false);
        assert_eq!(after.known.scanned, "file 9", "a process that looked from the same place was too late");
        assert_eq!((after.known.done, fixture.paths_of("one")), (0, vec!["/a".to_owned()]));
        assert_eq!(texts(&fixture.admit(&after, 1, &[("/a", "1"), ("/b", "2")])), ["/b=2"]);
    });
}

#[test]
fn what_an_agent_keeps_depends_on_the_event_that_carried_it() {
    on_every_engine(|fixture| {
        let start = fixture.arrive(None, 1, false);
        let claim = fixture.admit(&start, 1, &[("/a", "1"), ("/b", "1")]);
        assert_eq!(texts(&claim), ["/a=1"], "`/b` waits");
        fixture.confirm(&claim);
        (fixture.event, fixture.moment) = ("UserPromptSubmit", Moment::Message);
        let message = fixture.arrive(None, 1, false);
        let claim = fixture.admit(&message, 1, &[]);
        assert_eq!(texts(&claim), ["/b=1"]);
        fixture.confirm(&claim);
        let carried: Vec<_> = fixture.deliveries().into_iter().map(|row| (row.piece, row.moment, row.event)).collect();
        let expected = [("/a", Moment::Session, "SessionStart"), ("/b", Moment::Message, "UserPromptSubmit")];
        assert_eq!(carried, expected.map(|(piece, moment, event)| (piece.to_owned(), Some(moment), event.to_owned())));
        // This agent keeps what messages carried, whichever event planned it.
        let resumed = fixture.resume_with_messages_only();
        assert_eq!(resumed.known.done, 0);
        assert_eq!(texts(&fixture.admit(&resumed, 1, &[("/a", "1"), ("/b", "1")])), ["/a=1"]);
    });
}

#[test]
fn a_lane_that_did_not_plan_names_its_own_event() {
    on_every_engine(|fixture| {
        let planner = fixture.arrive(Some("e"), 1, false);
        fixture.admit(&planner, 1, &[("/a", "1"), ("/b", "1")]);
        (fixture.event, fixture.moment) = ("PostToolUse", Moment::Tool);
        let claim = fixture.claim(&planner, 2);
        assert_eq!(texts(&claim), ["/b=1"]);
        let rows = fixture.deliveries();
        assert_eq!((rows[0].event.as_str(), rows[0].moment), ("SessionStart", Some(Moment::Session)));
        assert_eq!((rows[1].event.as_str(), rows[1].moment), ("PostToolUse", Some(Moment::Tool)));
    });
}

/// A piece in three parts, of which a session's start carried the first two and a message the third.
fn in_three_parts(fixture: &mut Fixture) -> Arrived {
    let part = |number: u32, slot: u32| Segment {
        part: Some(Part { number, of: 3, start: 10 * number as usize - 10, stop: 10 * number as usize, total: 30 }),
        text: format!("part {number}"),
        ..segment(("/a", "1"), slot)
    };
    let segments = [part(1, 0), part(2, 0), part(3, 1)];
    let start = fixture.arrive(None, 1, false);
    let offers = [Offer { piece: "/a", hash: "1", within: Vec::new() }];
    let mut arrange = |_: &Standing| Briefing { segments: segments.to_vec(), ..Briefing::default() };
    let claim = fixture.admit_as(&start, 1, &offers, &mut arrange);
    assert_eq!(texts(&claim), ["part 1", "part 2"]);
    fixture.confirm(&claim);
    start
}

fn due(fixture: &mut Fixture, arrived: &Arrived, hash: &str) -> (Vec<Due>, usize) {
    let offers = [Offer { piece: "/a", hash, within: Vec::new() }];
    let mut seen = (Vec::new(), 0);
    let mut arrange = |standing: &Standing| {
        seen = (standing.due.clone(), standing.queued.len());
        Briefing { placed: standing.queued.iter().map(|waiting| (waiting.id, 0)).collect(), ..Briefing::default() }
    };
    let claim = fixture.admit_as(arrived, 1, &offers, &mut arrange);
    fixture.confirm(&claim);
    seen
}

#[test]
fn a_part_that_was_kept_is_not_sent_again() {
    on_every_engine(|fixture| {
        in_three_parts(fixture);
        (fixture.event, fixture.moment) = ("UserPromptSubmit", Moment::Message);
        let message = fixture.arrive(None, 1, false);
        assert_eq!(due(fixture, &message, "1"), (vec![], 1), "the third part leaves");
        let resumed = fixture.resume_with_messages_only();
        let (due, queued) = due(fixture, &resumed, "1");
        assert_eq!(queued, 0);
        assert_eq!(due[0].lost.iter().map(|part| (part.number, part.start)).collect::<Vec<_>>(), [(1, 0), (2, 10)]);
    });
}

#[test]
fn a_queue_does_not_outlive_its_first_part() {
    on_every_engine(|fixture| {
        in_three_parts(fixture);
        let resumed = fixture.resume_with_messages_only();
        assert_eq!(resumed.known.open, 0, "the third part has left the queue");
        assert_eq!(due(fixture, &resumed, "1"), (vec![Due::default()], 0), "nothing is left: the piece is due as a whole");
    });
}

/// Delivers a segment at an event of this moment.
fn deliver(fixture: &mut Fixture, moment: Moment, segment: &Segment) {
    fixture.moment = moment;
    let arrived = fixture.arrive(None, 1, false);
    let offers = [Offer { piece: "/a", hash: &segment.hash, within: Vec::new() }];
    let mut arrange = |_: &Standing| Briefing { segments: vec![segment.clone()], ..Briefing::default() };
    let claim = fixture.admit_as(&arrived, 1, &offers, &mut arrange);
    fixture.confirm(&claim);
}

/// Changed sections alone.
fn excerpt(hash: &'static str) -> Segment {
    Segment { part: Some(Part { number: 1, of: 1, start: 0, stop: 0, total: 0 }), ..segment(("/a", hash), 0) }
}

#[test]
fn a_change_of_what_the_window_has_completely_says_so() {
    on_every_engine(|fixture| {
        in_three_parts(fixture);
        let next = fixture.arrive(None, 1, false);
        let (half, _) = due(fixture, &next, "2");
        assert_eq!((half[0].versions, half[0].seen.as_deref()), (1, None), "the third part never left");
    });
    on_every_engine(|fixture| {
        deliver(fixture, Moment::Tool, &segment(("/a", "1"), 0));
        let next = fixture.arrive(None, 1, false);
        let (changed, _) = due(fixture, &next, "2");
        assert_eq!((changed[0].versions, changed[0].seen.as_deref()), (1, Some("1")));
        deliver(fixture, Moment::Message, &excerpt("2"));
        let next = fixture.arrive(None, 1, false);
        assert_eq!(due(fixture, &next, "2").0, [], "the window has it all");
        assert_eq!(due(fixture, &next, "3").0[0].seen.as_deref(), Some("2"));
    });
}

/// The agent keeps what messages carried: the changed sections, but not the file.
#[test]
fn changed_sections_are_worth_nothing_without_the_rest() {
    on_every_engine(|fixture| {
        deliver(fixture, Moment::Tool, &segment(("/a", "1"), 0));
        deliver(fixture, Moment::Message, &excerpt("2"));
        let resumed = fixture.resume_with_messages_only();
        let (again, _) = due(fixture, &resumed, "2");
        assert_eq!((again.len(), again[0].versions, &again[0].seen), (1, 0, &None), "the piece is due as a whole");
    });
}

/// The changed sections did not reach the model.
#[test]
fn lost_sections_come_again() {
    on_every_engine(|fixture| {
        deliver(fixture, Moment::Tool, &segment(("/a", "1"), 0));
        deliver(fixture, Moment::Message, &excerpt("2"));
        let session = fixture.arrive(None, 1, false).known.session;
        let given = fixture.ledger.given(session, None).unwrap();
        fixture.ledger.forget(&Forgetting { session, before: "", after: "file 9" }, &[given[1].id]).unwrap();
        let next = fixture.arrive(None, 1, false);
        let (again, _) = due(fixture, &next, "2");
        assert_eq!((again[0].versions, again[0].seen.as_deref()), (1, Some("1")), "the same sections will do");
        assert_eq!(again[0].lost[0].total, 0, "they cannot be cut out of the piece");
    });
}

#[test]
fn versions_are_counted_as_the_session_saw_them() {
    on_every_engine(|fixture| {
        let mut seen = Vec::new();
        for hash in ["1", "2", "1", "1"] {
            let arrived = fixture.arrive(None, 1, false);
            let mut versions = None;
            let offers = [Offer { piece: "/a", hash, within: Vec::new() }];
            let mut arrange = |standing: &Standing| {
                versions = standing.due.first().map(|due| due.versions);
                Briefing { segments: standing.due.iter().map(|_| segment(("/a", hash), 0)).collect(), ..Briefing::default() }
            };
            let claim = fixture.admit_as(&arrived, 1, &offers, &mut arrange);
            fixture.confirm(&claim);
            seen.push(versions);
        }
        assert_eq!(seen, [Some(0), Some(1), Some(2), None]);
    });
}
