//! Claude Code: four lanes of 9,500 characters, in the order in which it collects them.

use briefing_testkit::clients::Client;
use briefing_testkit::model_api::{Reply, Script};

use crate::{LINES, assert_whole, briefed, emptied_in_a_tool_loop, lines, log};

#[test]
fn a_window_emptied_in_a_tool_loop_is_filled_again_at_once() {
    let mut client = briefed(Client::claude(), "claude");
    client.env("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "100000");
    emptied_in_a_tool_loop(client);
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

/// A fork's window begins with its parent's content: nothing in it is delivered again, whatever its source.
#[test]
fn a_fork_receives_nothing_that_its_parent_received() {
    let mut client = Client::claude();
    client.file(".context/CONSTITUTION.md", "RULE-ONE\n");
    let mut client = briefed(client, "claude");
    client.script(Script::new().shell("echo ONE").text("done"));
    let _ = client.run("PROMPT-ONE");
    client.arg("--fork-session");
    client.script(Script::new().shell("echo TWO").text("done"));
    let forked = client.resume("PROMPT-TWO");
    assert_eq!(forked.counts("RULE-ONE"), [1, 1], "{}\n{forked}", log(&client));
    for turn in forked.turns() {
        assert_whole(turn, &log(&client));
    }
    let sessions = log(&client).lines().filter(|line| line.starts_with("claude · ")).count();
    assert_eq!(sessions, 2, "the fork has an id of its own: {}", log(&client));
}

#[test]
fn a_fork_of_a_session_without_context_receives_all() {
    let mut client = Client::claude();
    let _ = client.run("PROMPT-ONE");
    let mut client = briefed(client, "claude");
    client.arg("--fork-session");
    let forked = client.resume("PROMPT-TWO");
    assert_whole(forked.last_turn(), &log(&client));
}

#[test]
fn a_branch_in_the_terminal_receives_nothing_twice() {
    let mut client = Client::claude();
    client.file(".context/CONSTITUTION.md", "RULE-ONE\n");
    let mut client = briefed(client, "claude");
    client.script(Script::new().shell("echo ONE").text("done").shell("echo TWO").text("done"));
    let mut terminal = client.interactive();
    terminal.submit("PROMPT-ONE").wait_for_turns(2);
    terminal.command("/branch");
    terminal.submit("PROMPT-TWO").wait_for_turns(4);
    let turns = terminal.turns();
    drop(terminal);
    for turn in &turns[1..] {
        // Lanes wait for each other for half a second at most, and a terminal may start more slowly on a busy machine.
        // So the order may vary; this test only counts.
        let mut found = lines(turn);
        found.sort_unstable();
        assert_eq!(found, (0..LINES).collect::<Vec<_>>(), "{}", log(&client));
        assert_eq!(turn.count("RULE-ONE"), 1, "{}", log(&client));
    }
}
