//! Claims and plans of processes that have ended, and of those that cannot be seen from here.
#![cfg(target_os = "linux")]

use briefing_store::{Holder, PlanState};

use crate::{Fixture, on_every_engine, texts};

// The places of words in [`Holder::text`].
const PROCESS: usize = 0;
const NAMESPACE: usize = 2;
const MACHINE: usize = 3;
const BOOT: usize = 4;

/// Returns a holder like this process, except for some words.
fn other(changes: &[(usize, &str)]) -> Holder {
    let text = Holder::me().text();
    let mut words: Vec<&str> = text.split(' ').collect();
    for (place, word) in changes {
        words[*place] = word;
    }
    Holder::read(&words.join(" ")).unwrap()
}

/// No process has this number.
const NO_PROCESS: &str = "4294967295";

/// Claims a piece as `holder` and returns what this process can claim of it afterwards.
fn claim_after(fixture: &mut Fixture, holder: Holder) -> Vec<String> {
    fixture.holder = holder;
    let arrived = fixture.arrive(None, 1, false);
    assert_eq!(texts(&fixture.admit(&arrived, 1, &[("/a", "1")])), ["/a=1"]);
    fixture.holder = Holder::me();
    let next = fixture.arrive(None, 1, false);
    let claim = fixture.admit(&next, 1, &[("/a", "1")]);
    texts(&claim).into_iter().map(str::to_owned).collect()
}

#[test]
fn what_a_dead_process_held_goes_out_at_once() {
    on_every_engine(|fixture| assert_eq!(claim_after(fixture, other(&[(PROCESS, NO_PROCESS)])), ["/a=1"]));
    on_every_engine(|fixture| assert_eq!(claim_after(fixture, other(&[(BOOT, "before")])), ["/a=1"]));
}

#[test]
fn what_others_elsewhere_hold_stays_theirs_until_the_lease_ends() {
    let elsewhere = [
        [(PROCESS, NO_PROCESS), (MACHINE, "0123456789abcdef"), (BOOT, "another")],
        [(PROCESS, NO_PROCESS), (MACHINE, "0123456789abcdef"), (NAMESPACE, "pid:[4026531836]")],
    ];
    for changes in &elsewhere {
        on_every_engine(|fixture| {
            assert_eq!(claim_after(fixture, other(changes)), [""; 0]);
            fixture.now += 5001;
            let later = fixture.arrive(None, 1, false);
            assert_eq!(texts(&fixture.admit(&later, 1, &[("/a", "1")])), ["/a=1"]);
        });
    }
    let container = other(&[(PROCESS, NO_PROCESS), (NAMESPACE, "pid:[1]")]);
    on_every_engine(|fixture| assert_eq!(claim_after(fixture, container.clone()), [""; 0]));
}

#[test]
fn the_plan_of_a_dead_process_is_taken_over_and_that_of_another_machine_is_not() {
    let plan_after = |fixture: &mut Fixture, holder: Holder| {
        fixture.holder = holder;
        let planner = fixture.arrive(Some("e"), 1, false);
        assert_eq!(planner.state, PlanState::Mine);
        fixture.holder = Holder::me();
        let state = fixture.ledger.plan_state(planner.plan).unwrap();
        (state, fixture.arrive(Some("e"), 2, false).state)
    };
    on_every_engine(|fixture| {
        assert_eq!(plan_after(fixture, other(&[(PROCESS, NO_PROCESS)])), (PlanState::Lost, PlanState::Mine));
    });
    on_every_engine(|fixture| {
        let elsewhere = other(&[(PROCESS, NO_PROCESS), (MACHINE, "0123456789abcdef")]);
        assert_eq!(plan_after(fixture, elsewhere), (PlanState::Others, PlanState::Others));
    });
}
