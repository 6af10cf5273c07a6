//! Codex CLI.

use briefing_testkit::clients::Client;
use briefing_testkit::model_api::{Call, Kind, Reply, Role, Script};
use serde_json::json;

#[test]
fn context_lands_where_the_reference_says_and_stays_after_resume() {
    let mut client = Client::codex();
    for event in ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"] {
        client.probe(event);
    }
    client.script(Script::new().shell("echo TOOL-RAN").text("done"));
    let outcome = client.run("PROMPT-ONE please");
    assert_eq!(outcome.stdout.trim(), "done");

    // Session context comes before the prompt, prompt context after it, tool context before the tool's output.
    let last = outcome.last_turn();
    let order = ["PROBE-SessionStart-startup", "PROMPT-ONE", "PROBE-UserPromptSubmit", "PROBE-PreToolUse", "PROBE-PostToolUse"];
    assert!(last.in_order(&order), "{outcome}");
    assert!(last.in_order(&["PROBE-PostToolUse", "TOOL-RAN"]), "{outcome}");
    for marker in order.iter().filter(|marker| marker.starts_with("PROBE")) {
        assert_eq!(last.count(marker), 1, "{outcome}");
        assert_eq!(last.part_with(marker).map(|part| part.role), Some(Role::Developer), "{outcome}");
    }

    let resumed = client.resume("PROMPT-TWO please");
    let turn = resumed.last_turn();
    assert_eq!(turn.count("PROBE-SessionStart-startup"), 1, "{resumed}");
    assert_eq!(turn.count("PROBE-SessionStart-resume"), 1, "{resumed}");
    assert_eq!(turn.count("PROBE-PreToolUse"), 1, "{resumed}");
    let sessions: Vec<String> = client.hook_calls().iter().map(|call| call.text("session_id").to_owned()).collect();
    assert!(sessions.iter().all(|id| *id == sessions[0]), "{sessions:?}");
}

#[test]
fn a_handler_without_limit_carries_40_kilobytes_and_one_with_is_cut() {
    let text = format!("{}LONG-END", "x".repeat(40_000));
    let output = json!({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}}).to_string();
    for (limit, whole) in [(r#","additionalContextLimit":0"#, true), ("", false)] {
        let mut client = Client::codex();
        client.home_file("long.json", &output);
        let hook = format!(r#"{{"type":"command","command":"cat \"$HOME/long.json\"","timeout":5{limit}}}"#);
        client.home_file(".codex/hooks.json", &format!(r#"{{"hooks":{{"SessionStart":[{{"hooks":[{hook}]}}]}}}}"#));
        let outcome = client.run("PROMPT-ONE");
        assert_eq!(outcome.first_turn().contains(&text), whole, "{outcome}");
        assert_eq!(outcome.first_turn().contains("truncated output"), !whole, "{outcome}");
    }
}

#[test]
fn hooks_of_a_sub_agent_carry_its_id() {
    let mut client = Client::codex();
    for event in ["SessionStart", "UserPromptSubmit", "PreToolUse", "SubagentStart"] {
        client.probe(event);
    }
    client.listener("SubagentStop");
    client.script(
        Script::new()
            .reply(Reply::agent("SUB-TASK look around"))
            .shell("sleep 3; echo WAITED")
            .text("all done")
            .thread("SUB-TASK", [Reply::shell("echo INSIDE"), Reply::text("sub done")]),
    );
    let outcome = client.run("PROMPT-ONE");
    let turns = outcome.turns();
    let inside = turns.iter().rfind(|turn| turn.contains("in:")).unwrap_or_else(|| panic!("no sub-agent\n{outcome}"));
    let order = ["PROBE-SubagentStart in:", "SUB-TASK", "PROBE-UserPromptSubmit in:", "PROBE-PreToolUse in:", "INSIDE"];
    assert!(inside.in_order(&order), "{outcome}");
    assert!(!inside.contains("PROBE-SessionStart"), "{outcome}");
    assert!(!outcome.last_turn().contains("in:"), "nothing of the sub-agent's context comes back\n{outcome}");

    let calls = client.hook_calls();
    let start = calls.iter().find(|call| call.event == "SubagentStart").expect("the sub-agent started");
    assert_eq!(start.text("session_id"), calls[0].text("session_id"), "the parent's session");
    let inside: Vec<&str> =
        calls.iter().filter(|call| call.text("agent_id") == start.text("agent_id")).map(|call| call.event.as_str()).collect();
    // Unlike Claude, the task of a sub-agent is submitted like a prompt.
    assert_eq!(inside, ["SubagentStart", "UserPromptSubmit", "PreToolUse", "SubagentStop"]);
}

#[test]
fn a_forked_sub_agent_inherits_the_context_of_its_parent() {
    let mut client = Client::codex();
    client.probe("SessionStart").probe("UserPromptSubmit").probe("SubagentStart");
    let fork = Call::named("spawn_agent", json!({"message": "SUB-TASK look around", "fork_context": true}));
    client.script(
        Script::new()
            .reply(Reply::calls([fork]))
            .shell("sleep 3; echo WAITED")
            .text("all done")
            .thread("SUB-TASK", [Reply::text("sub done")]),
    );
    let outcome = client.run("PROMPT-ONE");
    let turns = outcome.turns();
    let inside = turns.iter().find(|turn| turn.contains("in:")).unwrap_or_else(|| panic!("no sub-agent\n{outcome}"));
    let order = ["PROBE-SessionStart-startup", "PROMPT-ONE", "PROBE-UserPromptSubmit END", "PROBE-SubagentStart in:", "SUB-TASK"];
    assert!(inside.in_order(&order), "{outcome}");
}

#[test]
fn compaction_within_a_tool_loop_starts_the_session_again() {
    let mut client = Client::codex();
    client.probe("SessionStart").probe("UserPromptSubmit").listener("PreCompact");
    client.arg("-c").arg("model_auto_compact_token_limit=50000");
    let long = Reply::shell("echo TWO").input_tokens(190_000);
    client.script(Script::new().shell("echo ONE").reply(long).shell("echo THREE").text("done"));
    let outcome = client.run("PROMPT-ONE");
    assert!(outcome.requests.iter().any(|request| request.kind == Kind::Compaction), "{outcome}");
    assert_eq!(outcome.stdout.trim(), "done");
    assert_eq!(outcome.counts("PROBE-SessionStart-startup"), [1, 1, 0, 0], "{outcome}");
    assert_eq!(outcome.counts("PROBE-SessionStart-compact"), [0, 0, 1, 1], "{outcome}");
    assert_eq!(outcome.counts("PROBE-UserPromptSubmit"), [1, 1, 0, 0], "{outcome}");
    let events: Vec<String> = client.hook_calls().into_iter().map(|call| call.event).collect();
    assert_eq!(events, ["SessionStart", "UserPromptSubmit", "PreCompact", "SessionStart"]);
}

#[test]
fn compact_and_clear_in_the_terminal() {
    let mut client = Client::codex();
    client.probe("SessionStart").probe("UserPromptSubmit");
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

#[test]
fn hooks_that_nobody_approved_are_skipped_in_silence() {
    let mut client = Client::codex();
    client.probe("SessionStart").ask_for_trust();
    let outcome = client.run("PROMPT-ONE");
    assert_eq!(outcome.counts("PROBE-SessionStart"), [0], "{outcome}");
    assert_eq!(client.hook_calls().len(), 0);
}
