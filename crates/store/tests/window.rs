//! Epochs: when the window is emptied, and what that means for what was in it.

use briefing_core::Moment;
use briefing_store::{Arrival, PlanState, SessionKey};

use crate::{on_every_engine, plain, texts};

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
        assert_eq!(fixture.reader.sessions().unwrap().len(), 1);
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
        let sessions = fixture.reader.sessions().unwrap();
        assert_eq!((sessions.len(), sessions[0].cwd.as_str()), (1, "/q"));
        assert_eq!(fixture.deliveries(), []);
        assert_eq!(fixture.reader.events(None).unwrap(), []);
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
        assert_eq!(fixture.reader.sessions().unwrap().len(), 1, "the unknown parent does not become a session");
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
        let given: Vec<_> = fixture.ledger.given(session).unwrap().into_iter().map(|given| (given.piece, given.times)).collect();
        assert_eq!(given, [("/a".to_owned(), 1), ("/b".to_owned(), 2)]);
        fixture.ledger.forget(session, &["/b".to_owned()]).unwrap();
        let after = fixture.arrive(None, 1, false);
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
