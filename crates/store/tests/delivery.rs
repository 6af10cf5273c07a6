//! Claim, print, confirm: exactly once, also across lanes, crashes and changes.

use briefing_core::Moment;
use briefing_store::{Filter, Outcome, PlanState, State};

use crate::{of, on_every_engine, texts};

#[test]
fn a_piece_is_delivered_once() {
    on_every_engine(|fixture| {
        let arrived = fixture.arrive(None, 1, false);
        assert_eq!((arrived.known.epoch, arrived.known.done, arrived.known.open), (1, 0, 0));
        let claim = fixture.admit(&arrived, 1, &[("/a", "1")]);
        assert_eq!(texts(&claim), ["/a=1"]);
        fixture.confirm(&claim);
        let again = fixture.arrive(None, 1, false);
        assert_eq!((again.known.session, again.known.done, again.known.open), (arrived.known.session, 1, 0));
        assert_eq!(fixture.reader.sessions(&Filter::default()).unwrap().len(), 1, "one session, however many events");
        assert_eq!(texts(&fixture.admit(&again, 1, &[("/a", "1")])), [""; 0]);
    });
}

#[test]
fn the_same_event_again_is_a_new_one_once_another_lies_between() {
    on_every_engine(|fixture| {
        let first = fixture.arrive(Some("e"), 1, false);
        fixture.admit(&first, 1, &[]);
        let reported_twice = fixture.arrive(Some("e"), 1, false);
        assert_eq!((reported_twice.plan, reported_twice.state), (first.plan, PlanState::Ready), "a plugin and a hook report one event");
        let other = fixture.arrive(Some("f"), 1, false);
        assert_eq!(other.state, PlanState::Mine);
        fixture.admit(&other, 1, &[]);
        assert_eq!(fixture.arrive(Some("e"), 2, false).plan, first.plan, "a late lane still belongs to its event");
        let again = fixture.arrive(Some("e"), 1, false);
        assert_ne!(again.plan, first.plan);
        assert_eq!(again.state, PlanState::Mine);
        fixture.admit(&again, 1, &[]);
        assert_eq!(fixture.arrive(Some("e"), 2, false).plan, again.plan, "its lanes find the new plan");
    });
}

#[test]
fn lanes_share_one_plan_and_take_their_own_parts() {
    on_every_engine(|fixture| {
        let first = fixture.arrive(Some("e"), 3, false);
        assert_eq!(first.state, PlanState::Mine);
        let second = fixture.arrive(Some("e"), 1, false);
        assert_eq!(second.state, PlanState::Others);
        assert_eq!(fixture.ledger.plan_state(second.plan).unwrap(), PlanState::Others);
        let third_lane = fixture.admit(&first, 3, &[("/a", "1"), ("/b", "1"), ("/c", "1"), ("/d", "1"), ("/e", "1")]);
        assert_eq!(texts(&third_lane), ["/c=1"]);
        assert_eq!((third_lane.number, third_lane.of, third_lane.left), (3, 4, 1));
        assert_eq!(fixture.ledger.plan_state(second.plan).unwrap(), PlanState::Ready);
        let first_lane = fixture.claim(&second, 1);
        assert_eq!((texts(&first_lane), first_lane.number, first_lane.of), (vec!["/a=1"], 1, 4));
        assert_eq!(fixture.arrive(Some("e"), 2, false).state, PlanState::Ready);
        assert_eq!(texts(&fixture.claim(&second, 2)), ["/b=1"]);
        assert_eq!(texts(&fixture.claim(&second, 2)), [""; 0], "never twice");
        assert_eq!(fixture.ledger.printer_of(first.known.session, first_lane.slot).unwrap(), Some(7));
        assert_eq!(texts(&fixture.claim(&second, 4)), ["/d=1"]);
        // The rest leaves with the next event, which continues this one.
        let next = fixture.arrive(Some("f"), 1, false);
        let rest = fixture.admit(&next, 1, &[]);
        assert_eq!((texts(&rest), rest.number, rest.of, rest.is_continued), (vec!["/e=1"], 1, 1, true));
        assert!(!first_lane.is_continued);
    });
}

#[test]
fn no_lane_overtakes_one_that_died() {
    on_every_engine(|fixture| {
        let planner = fixture.arrive(Some("e"), 4, false);
        fixture.admit(&planner, 4, &[("/a", "1"), ("/b", "1"), ("/c", "1")]);
        // Lane 1 never comes. Lane 2 prints its output instead, and lane 3 that of lane 2.
        let second = fixture.claim(&planner, 2);
        let third = fixture.claim(&planner, 3);
        assert_eq!((texts(&second), texts(&third)), (vec!["/b=1"], vec!["/c=1"]));
        let turn = |fixture: &mut crate::Fixture, claim, lane| {
            let printer = crate::printer(lane, &fixture.holder, fixture.event, fixture.moment);
            fixture.ledger.take_turn(claim, printer, fixture.now).unwrap()
        };
        let second = turn(fixture, second, 2);
        assert_eq!((texts(&second), second.number), (vec!["/a=1"], 1));
        fixture.confirm(&second);
        let third = turn(fixture, third, 3);
        assert_eq!((texts(&third), third.number), (vec!["/b=1"], 2));
        fixture.confirm(&third);
        // Lane 1 was only late: what is left is its to print.
        let first = fixture.claim(&planner, 1);
        assert_eq!((texts(&first), first.number, first.of), (vec!["/c=1"], 3, 3));
        let first = turn(fixture, first, 1);
        assert_eq!(texts(&first), ["/c=1"]);
    });
}

#[test]
fn a_tool_event_waits_while_a_parallel_one_prints() {
    on_every_engine(|fixture| {
        (fixture.event, fixture.moment, fixture.lanes) = ("PreToolUse", Moment::Tool, 1);
        let first = fixture.arrive(None, 1, false);
        let claim = fixture.admit(&first, 1, &[("/a", "1"), ("/b", "1")]);
        assert_eq!(texts(&claim), ["/a=1"]);
        fixture.confirm(&claim);
        fixture.now += 40;
        let parallel = fixture.arrive(None, 1, false);
        assert_eq!(texts(&fixture.admit(&parallel, 1, &[("/c", "1")])), [""; 0]);
        fixture.now += 800;
        let later = fixture.arrive(None, 1, false);
        let claim = fixture.admit(&later, 1, &[]);
        assert_eq!(texts(&claim), ["/b=1"]);
        fixture.confirm(&claim);
        // A message is never sent in parallel.
        fixture.now += 40;
        (fixture.event, fixture.moment) = ("UserPromptSubmit", Moment::Message);
        let message = fixture.arrive(None, 1, false);
        assert_eq!(texts(&fixture.admit(&message, 1, &[])), ["/c=1"]);
    });
}

#[test]
fn what_a_process_holds_too_long_goes_out_again() {
    on_every_engine(|fixture| {
        let arrived = fixture.arrive(None, 1, false);
        let claim = fixture.admit(&arrived, 1, &[("/a", "1")]);
        assert_eq!(texts(&claim), ["/a=1"]);
        // A running process holds it, so no other process gets it until the lease ends.
        let second = fixture.arrive(None, 1, false);
        assert_eq!(texts(&fixture.admit(&second, 1, &[])), [""; 0]);
        fixture.now += 5001;
        let third = fixture.arrive(None, 1, false);
        assert_eq!(third.known.done, 0, "its source is asked again");
        assert_eq!(texts(&fixture.admit(&third, 1, &[("/a", "1")])), ["/a=1"]);
    });
}

#[test]
fn a_change_replaces_what_still_waits_and_updates_what_was_sent() {
    on_every_engine(|fixture| {
        let arrived = fixture.arrive(None, 1, false);
        let claim = fixture.admit(&arrived, 1, &[("/a", "1"), ("/b", "1")]);
        fixture.confirm(&claim);
        let next = fixture.arrive(None, 1, false);
        let claim = fixture.admit(&next, 1, &[("/a", "2"), ("/b", "2")]);
        assert_eq!(texts(&claim), ["/a=2"], "the old /b never leaves");
        fixture.confirm(&claim);
        let states: Vec<_> = fixture.deliveries().into_iter().map(|row| (row.piece, row.state)).collect();
        assert_eq!(states, [("/a".into(), State::Delivered), ("/a".into(), State::Delivered), ("/b".to_owned(), State::Queued)]);
        let back = fixture.arrive(None, 1, false);
        let claim = fixture.admit(&back, 1, &[("/a", "1")]);
        assert_eq!(texts(&claim), ["/b=2"]);
        fixture.confirm(&claim);
        let last = fixture.arrive(None, 1, false);
        assert_eq!(texts(&fixture.admit(&last, 1, &[])), ["/a=1"], "changed back is changed again");
    });
}

#[test]
fn a_claim_that_could_not_be_printed_goes_back() {
    on_every_engine(|fixture| {
        let arrived = fixture.arrive(None, 1, false);
        let claim = fixture.admit(&arrived, 1, &[("/a", "1")]);
        fixture.ledger.release(&claim).unwrap();
        let next = fixture.arrive(None, 1, false);
        assert_eq!(next.known.done, 0, "its source is asked again");
        assert_eq!(texts(&fixture.admit(&next, 1, &[("/a", "1")])), ["/a=1"]);
    });
}

#[test]
fn the_log_is_a_ring_and_knows_its_session() {
    on_every_engine(|fixture| {
        let arrived = fixture.arrive(None, 1, false);
        let claim = fixture.admit(&arrived, 1, &[("/a", "1")]);
        fixture.confirm(&claim);
        let events = fixture.reader.events(&of("one")).unwrap();
        assert_eq!((events.len(), events[0].micros, &events[0].outcome), (1, 900, &Outcome::Delivered));
        assert_eq!(fixture.reader.events(&of(&events[0].name.session)).unwrap().len(), 1);
        assert_eq!(fixture.reader.events(&of("two")).unwrap().len(), 0);
    });
}
