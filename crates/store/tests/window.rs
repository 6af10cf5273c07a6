//! Epochs: when the window is emptied, and what that means for what was in it.

use briefing_store::{Ledger, PlanState};

use crate::{Fixture, texts};

#[test]
fn a_reset_counts_once_however_many_lanes_see_it() {
    let mut fixture = Fixture::new();
    let start = fixture.arrive(Some("start"), 1, false);
    let claim = fixture.admit(&start, 1, &[("/a", "1"), ("/b", "1")]);
    fixture.confirm(&claim);
    assert_eq!(fixture.ledger.sessions().unwrap()[0].context_paths, ["/a"]);
    let first = fixture.arrive(Some("compact"), 2, true);
    assert_eq!((first.look.epoch, first.look.done, first.look.owed, first.look.open), (2, 0, 4, 0), "the queue is gone");
    assert_eq!(fixture.ledger.sessions().unwrap()[0].context_paths, [""; 0]);
    for lane in [1, 3, 4] {
        let other = fixture.arrive(Some("compact"), lane, true);
        assert_eq!((other.look.epoch, other.state), (2, PlanState::Others));
    }
    assert_eq!(texts(&fixture.admit(&first, 2, &[("/a", "1"), ("/b", "1")])), ["/b=1"], "all is due again");
    // The same prompt compacted again at once is another event.
    let again = fixture.arrive(Some("compact"), 1, true);
    assert_eq!((again.look.epoch, again.state), (3, PlanState::Mine));
}

#[test]
fn a_session_that_begins_with_a_reset_is_not_emptied_by_its_second_lane() {
    let mut fixture = Fixture::new();
    let first = fixture.arrive(Some("compact"), 1, true);
    let second = fixture.arrive(Some("compact"), 2, true);
    assert_eq!(second.look.epoch, first.look.epoch);
    assert_eq!(second.state, PlanState::Others);
}

#[test]
fn pieces_brought_before_a_reset_do_not_enter_the_new_window() {
    let mut fixture = Fixture::new();
    let before = fixture.arrive(None, 1, false);
    fixture.arrive(None, 1, true);
    assert_eq!(texts(&fixture.admit(&before, 1, &[("/a", "1")])), [""; 0]);
    let after = fixture.arrive(None, 1, false);
    assert_eq!((after.look.done, after.look.open), (0, 0));
}

#[test]
fn paths_stand_once_each_in_order_of_arrival() {
    let mut fixture = Fixture::new();
    for (piece, hash) in [("/b", "1"), ("/a", "1"), ("/b", "2")] {
        let arrived = fixture.arrive(None, 1, false);
        let claim = fixture.admit(&arrived, 1, &[(piece, hash)]);
        fixture.confirm(&claim);
    }
    assert_eq!(fixture.ledger.sessions().unwrap()[0].context_paths, ["/b", "/a"]);
}

#[test]
fn sessions_not_seen_for_a_month_are_forgotten() {
    let mut fixture = Fixture::new();
    let arrived = fixture.arrive(None, 1, false);
    let claim = fixture.admit(&arrived, 1, &[("/a", "1")]);
    fixture.confirm(&claim);
    let month = 31 * 24 * 3600 * 1000;
    let key = briefing_store::SessionKey::new("claude", "another", None);
    let arrival = briefing_store::Arrival {
        key: &key,
        plan: None,
        lane: 1,
        cwd: "/q",
        now: fixture.now + month,
        holder: &fixture.holder,
        is_reset: false,
        owed_after_reset: 0,
        forget_all_but: None,
        forget_sources: 0,
        owe: 0,
        message: None,
        parent: None,
    };
    fixture.ledger.arrive(&arrival).unwrap();
    let sessions = fixture.ledger.sessions().unwrap();
    assert_eq!((sessions.len(), sessions[0].cwd.as_str()), (1, "/q"));
    assert_eq!(fixture.ledger.deliveries(None).unwrap(), []);
    assert_eq!(fixture.ledger.events(None).unwrap(), []);
    assert!(fixture.directory.path().join("ledger.db").exists());
}

#[test]
fn a_fork_has_what_its_parent_had_and_waits_for_what_it_waited_for() {
    let mut fixture = Fixture::new();
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
    assert_eq!((whole.look.epoch, whole.look.done, whole.look.open), (1, 0, 1), "sources are asked again, `/c` waits");
    let claim = fixture.admit(&whole, 1, &[("/a", "1"), ("/b", "1"), ("/c", "1")]);
    assert_eq!(texts(&claim), ["/c=1"], "nothing else is due");
    fixture.confirm(&claim);
    assert_eq!(fixture.fork("whole", i64::MAX).look.open, 0, "a known session inherits nothing more");

    let earlier = fixture.fork("earlier", cut);
    assert_eq!(fixture.paths_of("earlier"), ["/a"], "what came after the cut is not in this window");
    let claim = fixture.admit(&earlier, 1, &[("/a", "1"), ("/b", "1")]);
    fixture.confirm(&claim);
    let next = fixture.arrive_as("earlier", None, 1, false, None);
    let claim = fixture.admit(&next, 1, &[]);
    assert_eq!(texts(&claim), ["/b=1"], "it is due again");
}

#[test]
fn a_fork_of_an_unknown_session_is_a_new_one() {
    let mut fixture = Fixture::new();
    let fork = fixture.fork("fork", i64::MAX);
    assert_eq!(texts(&fixture.admit(&fork, 1, &[("/a", "1")])), ["/a=1"]);
}

#[test]
fn what_is_forgotten_is_due_again_and_nothing_else() {
    let mut fixture = Fixture::new();
    for (piece, hash) in [("/a", "1"), ("/b", "1"), ("/b", "2")] {
        let arrived = fixture.arrive(None, 1, false);
        let claim = fixture.admit(&arrived, 1, &[(piece, hash)]);
        fixture.confirm(&claim);
    }
    let session = fixture.arrive(None, 1, false).look.session;
    let given: Vec<_> = fixture.ledger.given(session).unwrap().into_iter().map(|given| (given.piece, given.times)).collect();
    assert_eq!(given, [("/a".to_owned(), 1), ("/b".to_owned(), 2)]);
    fixture.ledger.forget(session, &["/b".to_owned()]).unwrap();
    let after = fixture.arrive(None, 1, false);
    assert_eq!((after.look.done, fixture.paths_of("one")), (0, vec!["/a".to_owned()]));
    assert_eq!(texts(&fixture.admit(&after, 1, &[("/a", "1"), ("/b", "2")])), ["/b=2"]);
}
