//! The agents with one handler per event.

use std::fs;

use briefing_testkit::clients::Client;
use briefing_testkit::model_api::{Kind, Reply, Script};

use crate::{assert_whole, briefed, emptied_in_a_tool_loop, log};

/// Sends a first prompt with a tool use, then resumes: the context is complete and occurs once in every request.
pub(crate) fn whole_and_once(agent: &str) {
    let mut client = briefed(Client::named(agent), agent);
    client.script(Script::new().shell("echo TOOL-RAN").text("done"));
    let outcome = client.run("PROMPT-ONE please");
    for (number, turn) in outcome.turns().iter().enumerate() {
        assert_whole(turn, &format!("request {number}\n{}\n{outcome}", log(&client)));
    }
    if agent == "claude" {
        let parts = ["part 1 of 4", "part 2 of 4", "part 3 of 4", "part 4 of 4", "PROMPT-ONE"];
        assert!(outcome.first_turn().in_order(&parts), "{outcome}");
    }
    let resumed = client.resume("PROMPT-TWO please");
    assert_whole(resumed.last_turn(), &format!("after resume\n{}", log(&client)));
}

/// Sends a message, lets the client compact its window, and clears it: the context is complete before and after each.
pub(crate) fn compacted(agent: &str) {
    match agent {
        "gemini" => compressed_and_cleared(agent),
        "qwen" => crate::compaction::compressed(agent),
        _ => {
            let mut client = briefed(Client::named(agent), agent);
            for (turn, what) in client.interactive().compact_and_clear().iter().zip(["at first", "after /compact", "after /clear"]) {
                assert_whole(turn, what);
            }
        }
    }
}

#[test]
fn codex_receives_all_again_when_its_window_is_emptied_in_a_tool_loop() {
    let mut client = briefed(Client::codex(), "codex");
    client.arg("-c").arg("model_auto_compact_token_limit=50000");
    emptied_in_a_tool_loop(client);
}

/// Gemini has no event after `/compress` and drops what it receives at `/clear`: the next message delivers it again.
fn compressed_and_cleared(agent: &str) {
    let mut client = briefed(Client::named(agent), agent);
    // The client does not compress a small window. It goes by the token counts that the model reports.
    let long = (0..9_000).map(|number| number.to_string()).collect::<Vec<_>>().join(" words ");
    let long = Reply::text(&long).input_tokens(60_000);
    client.script(Script::new().reply(long.clone()).reply(long));
    let mut terminal = client.interactive();
    terminal.submit("PROMPT-ONE").wait_for_turns(1);
    terminal.submit("PROMPT-TWO").wait_for_turns(2);
    terminal.command("/compress").wait_for_compaction();
    terminal.submit("PROMPT-THREE").wait_for_turns(3);
    terminal.command("/clear");
    terminal.submit("PROMPT-FOUR").wait_for_turns(4);
    let turns = terminal.turns();
    assert_eq!(turns[2].count("PROMPT-ONE"), 0, "the window was emptied");
    for (turn, what) in turns.iter().zip(["at first", "with the next prompt", "after /compress", "after /clear"]) {
        assert_whole(turn, what);
    }
}

#[test]
fn codex_forks_in_the_terminal_receive_nothing_twice() {
    let mut client = Client::codex();
    client.file(".context/CONSTITUTION.md", "RULE-ONE\n");
    let mut client = briefed(client, "codex");
    client.script(Script::new().shell("echo ONE").text("done").shell("echo TWO").text("done"));
    let mut terminal = client.interactive();
    terminal.submit("PROMPT-ONE").wait_for_turns(2);
    terminal.command("/fork");
    terminal.submit("PROMPT-TWO").wait_for_turns(4);
    let turns = terminal.turns();
    drop(terminal);
    for turn in &turns[1..] {
        assert_whole(turn, &log(&client));
        assert_eq!(turn.count("RULE-ONE"), 1, "{}", log(&client));
    }
    let sessions = log(&client).lines().filter(|line| line.starts_with("codex · ")).count();
    assert_eq!(sessions, 2, "the fork has an id of its own: {}", log(&client));
}

/// When Gemini shortens its window by itself, there is no event. The transcript shows it, so the next message delivers
/// everything again.
#[test]
fn gemini_receives_all_again_after_it_has_compressed_by_itself() {
    let client = Client::gemini();
    let file = client.home().join(".gemini/settings.json");
    let settings = fs::read_to_string(&file).unwrap().replacen('{', "{\"model\":{\"compressionThreshold\":0.01},", 1);
    fs::write(&file, settings).unwrap();
    let mut client = briefed(client, "gemini");
    let long = (0..9_000).map(|number| number.to_string()).collect::<Vec<_>>().join(" words ");
    client.script(Script::new().text("short").reply(Reply::text(&long).input_tokens(60_000)).text("three").text("four"));
    let mut terminal = client.interactive();
    for (number, prompt) in ["PROMPT-ONE", "PROMPT-TWO", "PROMPT-THREE", "PROMPT-FOUR", "PROMPT-FIVE"].iter().enumerate() {
        terminal.submit(prompt).wait_for_turns(number + 1);
    }
    assert!(terminal.requests().iter().any(|request| request.kind == Kind::Compaction));
    let turns = terminal.turns();
    drop(terminal);
    assert_whole(&turns[1], "before");
    assert_eq!(turns[2].count("SHOP-DOMAIN"), 0, "our hook had its turn when the window was emptied");
    assert_whole(&turns[3], &log(&client));
    assert_whole(&turns[4], &log(&client));
}
