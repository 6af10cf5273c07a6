//! Claude Code.

use briefing_testkit::clients::Client;
use briefing_testkit::model_api::{Call, Kind, ModelRequest, Reply, Role, Script};

/// Returns the author, message and block of `needle`, which must occur exactly once.
fn place_of(request: &ModelRequest, needle: &str) -> (Role, usize, usize) {
    assert_eq!(request.count(needle), 1, "{needle} in {:#?}", request.texts());
    let part = request.part_with(needle).expect("counted above");
    (part.role, part.message, part.block)
}

#[test]
fn context_lands_where_the_reference_says_and_stays_after_resume() {
    let mut client = Client::claude();
    for event in ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolBatch"] {
        client.probe(event);
    }
    client.script(Script::new().shell("echo TOOL-RAN").text("done"));
    let outcome = client.run("PROMPT-ONE please");
    assert_eq!(outcome.stdout.trim(), "done");
    assert_eq!(outcome.turns().len(), 2, "{outcome}");

    // Session context begins the first message; prompt context comes before the prompt in the same message.
    let first = outcome.first_turn();
    assert_eq!(place_of(first, "PROBE-SessionStart-startup"), (Role::User, 0, 0));
    assert!(first.in_order(&["PROBE-SessionStart", "PROBE-UserPromptSubmit", "PROMPT-ONE"]), "{outcome}");
    assert!(first.contains("<system-reminder>\nUserPromptSubmit hook additional context: PROBE-UserPromptSubmit"));

    // Tool context follows the result, in the order of the events.
    let last = outcome.last_turn();
    let tools = ["TOOL-RAN", "PROBE-PreToolUse", "PROBE-PostToolUse", "PROBE-PostToolBatch"];
    assert!(last.in_order(&tools), "{outcome}");

    let resumed = client.resume("PROMPT-TWO please");
    let turn = resumed.last_turn();
    assert_eq!(turn.count("PROBE-SessionStart-startup"), 1, "{resumed}");
    assert_eq!(turn.count("PROBE-SessionStart-resume"), 1, "{resumed}");
    assert_eq!(turn.count("PROBE-PostToolBatch"), 1, "{resumed}");
    let sessions: Vec<String> = client.hook_calls().iter().map(|call| call.text("session_id").to_owned()).collect();
    assert!(sessions.iter().all(|id| *id == sessions[0]), "{sessions:?}");
}

/// The payload of a fork names no parent, but its window has everything that the parent's window had.
#[test]
fn fork_is_a_new_session_with_the_old_window() {
    let mut client = Client::claude();
    client.probe("SessionStart").probe("UserPromptSubmit");
    let outcome = client.run("PROMPT-ONE");
    client.arg("--fork-session");
    let forked = client.resume("PROMPT-TWO");
    assert_eq!(outcome.counts("PROBE-SessionStart-startup"), [1], "{outcome}");
    assert_eq!(forked.counts("PROBE-SessionStart-startup"), [1], "{forked}");
    assert_eq!(forked.counts("PROBE-SessionStart-fork"), [1], "{forked}");
    let calls = client.hook_calls();
    let parent = calls[0].text("session_id");
    let fork = calls.iter().find(|call| call.text("source") == "fork").expect("the hook runs at a fork");
    assert_ne!(fork.text("session_id"), parent);
    assert!(!fork.payload.to_string().contains(parent), "{}", fork.payload);
}

#[test]
fn four_handlers_of_one_event_carry_38_kilobytes() {
    let mut client = Client::claude();
    for lane in ["alpha", "bravo", "charlie", "delta"] {
        let text = format!("LANE-{lane}-{}-{lane}-END", "x".repeat(9_400));
        client.home_file(&format!("{lane}.json"), &context("SessionStart", &text));
        client.hook("SessionStart", &format!("cat \"$HOME/{lane}.json\""));
    }
    let outcome = client.run("PROMPT-ONE");
    for lane in ["alpha", "bravo", "charlie", "delta"] {
        let whole = format!("LANE-{lane}-{}-{lane}-END", "x".repeat(9_400));
        assert_eq!(outcome.first_turn().count(&whole), 1, "{lane}\n{outcome}");
    }
}

#[test]
fn one_handler_above_ten_thousand_characters_is_cut() {
    let mut client = Client::claude();
    client.home_file("long.json", &context("SessionStart", &format!("{}LONG-END", "x".repeat(10_000))));
    client.hook("SessionStart", "cat \"$HOME/long.json\"");
    let outcome = client.run("PROMPT-ONE");
    assert!(outcome.first_turn().contains("<persisted-output>"), "{outcome}");
    assert!(!outcome.first_turn().contains("LONG-END"), "{outcome}");
}

#[test]
fn parallel_tools_end_in_one_batch() {
    let mut client = Client::claude();
    client.probe("PreToolUse").probe("PostToolBatch").file("README.md", "README-TEXT");
    let both = Reply::calls([Call::shell("echo SHELL-TEXT"), Call::read("README.md")]);
    client.script(Script::new().reply(both).text("done"));
    let outcome = client.run("PROMPT-ONE");
    let last = outcome.last_turn();
    assert_eq!((last.count("PROBE-PreToolUse"), last.count("PROBE-PostToolBatch")), (2, 1), "{outcome}");
    assert!(last.in_order(&["README-TEXT", "PROBE-PostToolBatch"]), "{outcome}");
    assert!(last.in_order(&["SHELL-TEXT", "PROBE-PostToolBatch"]), "{outcome}");
    let calls = client.hook_calls();
    let batch = calls.iter().find(|call| call.event == "PostToolBatch").expect("the batch fired");
    assert_eq!(batch.payload["tool_calls"].as_array().map(Vec::len), Some(2));
}

#[test]
fn sub_agents_have_a_window_of_their_own() {
    let mut client = Client::claude();
    for event in ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolBatch", "SubagentStart"] {
        client.probe(event);
    }
    client.script(
        Script::new()
            .reply(Reply::agent("SUB-TASK look around"))
            .text("all done")
            .thread("SUB-TASK", [Reply::shell("echo INSIDE"), Reply::text("sub done")]),
    );
    let outcome = client.run("PROMPT-ONE");
    let turns = outcome.turns();
    assert_eq!(turns.len(), 4, "{outcome}");
    let (inside, outside) = (turns[2], turns[3]);

    assert_eq!(place_of(inside, "PROBE-SubagentStart in:"), (Role::User, 0, 0));
    assert_eq!(inside.count("PROBE-PostToolBatch in:"), 1, "{outcome}");
    assert_eq!(inside.count("PROBE-SessionStart") + inside.count("PROBE-UserPromptSubmit"), 0, "{outcome}");

    assert_eq!(outside.count(" in:"), 0, "nothing of the sub-agent's context comes back\n{outcome}");
    assert_eq!(outside.count("PROBE-PostToolBatch END"), 1, "{outcome}");

    let calls = client.hook_calls();
    let start = calls.iter().find(|call| call.event == "SubagentStart").expect("the sub-agent started");
    let shell = calls.iter().find(|call| call.text("tool_name") == "Bash").expect("it ran a command");
    assert_ne!(start.text("agent_id"), "");
    assert_eq!(start.text("agent_id"), shell.text("agent_id"));
    assert_eq!(start.text("session_id"), calls[0].text("session_id"));
}

#[test]
fn the_end_of_a_background_sub_agent_looks_like_a_prompt() {
    let mut client = Client::claude();
    client.probe("UserPromptSubmit");
    let task = Call::Agent { task: "SUB-TASK look around".to_owned(), background: true };
    client.script(
        Script::new().reply(Reply::calls([task])).text("started it").text("heard of it").thread("SUB-TASK", [Reply::text("sub done")]),
    );
    let outcome = client.run("PROMPT-ONE");
    let calls = client.hook_calls();
    let prompts: Vec<&str> = calls.iter().map(|call| call.text("prompt")).collect();
    assert_eq!(prompts.len(), 2, "{prompts:?}\n{outcome}");
    assert!(prompts[1].starts_with("<task-notification>"), "{prompts:?}");
}

#[test]
fn compaction_within_a_tool_loop_starts_the_session_again() {
    let mut client = Client::claude();
    client.probe("SessionStart").probe("UserPromptSubmit").probe("PostToolBatch").listener("PreCompact");
    client.env("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "100000");
    let long = Reply::shell("echo TWO").input_tokens(190_000);
    client.script(Script::new().shell("echo ONE").reply(long).shell("echo THREE").text("done"));
    let outcome = client.run("PROMPT-ONE");
    assert!(outcome.requests.iter().any(|request| request.kind == Kind::Compaction), "{outcome}");
    assert_eq!(outcome.stdout.trim(), "done");
    assert_eq!(outcome.counts("PROBE-SessionStart-startup"), [1, 1, 0, 0], "{outcome}");
    assert_eq!(outcome.counts("PROBE-SessionStart-compact"), [0, 0, 1, 1], "{outcome}");
    // The prompt's context is lost and its hook does not run again, so its context is due at SessionStart.
    assert_eq!(outcome.counts("PROBE-UserPromptSubmit"), [1, 1, 0, 0], "{outcome}");
    let events: Vec<String> = client.hook_calls().into_iter().map(|call| call.event).collect();
    let expected = ["SessionStart", "UserPromptSubmit", "PostToolBatch", "PostToolBatch", "PreCompact", "SessionStart", "PostToolBatch"];
    assert_eq!(events, expected);
}

#[test]
fn compact_and_clear_in_the_terminal() {
    let mut client = Client::claude();
    client.probe("SessionStart").probe("UserPromptSubmit").listener("SessionEnd");
    let mut terminal = client.interactive();
    let turns = terminal.compact_and_clear();
    let count = |needle: &str| turns.iter().map(|turn| turn.count(needle)).collect::<Vec<_>>();
    assert_eq!(count("PROBE-SessionStart-startup"), [1, 0, 0]);
    assert_eq!(count("PROBE-SessionStart-compact"), [0, 1, 0]);
    assert_eq!(count("PROBE-SessionStart-clear"), [0, 0, 1]);
    assert_eq!(count("PROBE-UserPromptSubmit"), [1, 1, 1]);
    drop(terminal);
    let calls = client.hook_calls();
    let ids: Vec<&str> = calls.iter().filter(|call| call.event == "SessionStart").map(|call| call.text("session_id")).collect();
    assert_eq!(ids[0], ids[1], "compact keeps the session");
    assert_ne!(ids[0], ids[2], "clear begins a new one");
}

/// Returns a hook's output in Claude's format.
fn context(event: &str, text: &str) -> String {
    format!(r#"{{"hookSpecificOutput":{{"hookEventName":"{event}","additionalContext":"{text}"}}}}"#)
}
