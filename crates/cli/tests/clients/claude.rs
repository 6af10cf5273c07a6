//! Claude Code: four lanes of 9,500 units, in order of reaping.

use briefing_testkit::clients::Client;
use briefing_testkit::model_api::{Kind, Reply, Script};

use crate::{assert_whole, briefed, lines, log};

#[test]
fn thirty_kilobytes_arrive_through_lanes_and_stay_after_resume() {
    let mut client = briefed(Client::claude(), "claude");
    client.script(Script::new().shell("echo TOOL-RAN").text("done"));
    let outcome = client.run("PROMPT-ONE please");
    assert_eq!(outcome.turns().len(), 2, "{outcome}");
    assert_whole(outcome.first_turn(), "the first request");
    assert_whole(outcome.last_turn(), "after a tool");
    assert!(outcome.first_turn().in_order(&["part 1 of 4", "part 2 of 4", "part 3 of 4", "part 4 of 4", "PROMPT-ONE"]), "{outcome}");
    let resumed = client.resume("PROMPT-TWO please");
    assert_whole(resumed.last_turn(), "after resume");
}

#[test]
fn a_window_emptied_in_a_tool_loop_is_filled_again_at_once() {
    let mut client = briefed(Client::claude(), "claude");
    client.env("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "100000");
    let long = Reply::shell("echo TWO").input_tokens(190_000);
    client.script(Script::new().shell("echo ONE").reply(long).shell("echo THREE").text("done"));
    let outcome = client.run("PROMPT-ONE");
    assert!(outcome.requests.iter().any(|request| request.kind == Kind::Compaction), "{outcome}");
    let turns = outcome.turns();
    assert_eq!(turns.len(), 4, "{outcome}");
    for (number, turn) in turns.iter().enumerate() {
        assert_whole(turn, &format!("request {number}\n{}", log(&client)));
    }
}

#[test]
fn compact_and_clear_in_the_terminal() {
    let mut client = briefed(Client::claude(), "claude");
    let mut terminal = client.interactive();
    terminal.submit("PROMPT-ONE").wait_for_turns(1);
    terminal.command("/compact");
    terminal.submit("PROMPT-TWO").wait_for_turns(2);
    terminal.command("/clear");
    terminal.submit("PROMPT-THREE").wait_for_turns(3);
    for (turn, what) in terminal.turns().iter().zip(["at first", "after /compact", "after /clear"]) {
        assert_whole(turn, what);
    }
}

#[test]
fn a_sub_agent_gets_the_core_and_its_parent_nothing_twice() {
    let mut client = briefed(Client::claude(), "claude");
    client.script(
        Script::new()
            .reply(Reply::agent("SUB-TASK look around"))
            .text("all done")
            .thread("SUB-TASK", [Reply::shell("echo INSIDE"), Reply::text("sub done")]),
    );
    let outcome = client.run("PROMPT-ONE");
    for turn in outcome.turns() {
        assert_whole(turn, &format!("{}\n{}", lines(turn).len(), log(&client)));
    }
}
