//! GitHub Copilot CLI.

use briefing_testkit::clients::Client;
use briefing_testkit::model_api::{Kind, Reply, Role, Script};

const EVENTS: [&str; 4] = ["sessionStart", "userPromptSubmitted", "preToolUse", "postToolUse"];

#[test]
fn context_lands_where_the_reference_says() {
    let mut client = Client::copilot();
    for event in EVENTS {
        client.probe(event);
    }
    client.script(Script::new().shell("echo TOOL-RAN").shell("echo AGAIN").text("done"));
    let outcome = client.run("PROMPT-ONE please");
    assert_eq!(outcome.turns().len(), 3, "{outcome}");
    let order = ["PROBE-sessionStart-new", "PROMPT-ONE", "PROBE-userPromptSubmitted", "PROBE-postToolUse", "PROBE-preToolUse"];
    assert!(outcome.last_turn().in_order(&order), "{outcome}");
    assert_eq!(outcome.counts("PROBE-sessionStart"), [1, 1, 1], "{outcome}");
    assert_eq!(outcome.counts("PROBE-userPromptSubmitted"), [1, 1, 1], "{outcome}");
    assert_eq!(outcome.counts("PROBE-preToolUse"), [0, 1, 2], "{outcome}");
    assert_eq!(outcome.counts("PROBE-postToolUse"), [0, 1, 2], "{outcome}");
    let role = |needle: &str| outcome.last_turn().part_with(needle).map(|part| part.role);
    assert_eq!(role("PROBE-sessionStart"), Some(Role::User));
    assert_eq!(role("PROBE-postToolUse"), Some(Role::Tool));
    assert_eq!(role("PROBE-preToolUse"), Some(Role::User));
}

/// Context in the prompt or a tool's result is kept. Session and pre-tool context is lost with the process; the session's
/// hook runs again on resume.
#[test]
fn resume_keeps_prompt_context_and_loses_session_and_tool_context() {
    let mut client = Client::copilot();
    for event in EVENTS {
        client.probe(event);
    }
    client.script(Script::new().shell("echo TOOL-RAN").text("done"));
    let outcome = client.run("PROMPT-ONE");
    assert_eq!(outcome.last_turn().count("PROBE-"), 4, "{outcome}");
    let resumed = client.resume("PROMPT-TWO");
    assert_eq!(resumed.counts("PROBE-sessionStart-new"), [0], "{resumed}");
    assert_eq!(resumed.counts("PROBE-sessionStart-resume"), [1], "{resumed}");
    assert_eq!(resumed.counts("PROBE-userPromptSubmitted"), [2], "{resumed}");
    assert_eq!(resumed.counts("PROBE-postToolUse"), [1], "{resumed}");
    assert_eq!(resumed.counts("PROBE-preToolUse"), [0], "{resumed}");
}

#[test]
fn compact_and_clear_in_the_terminal() {
    let mut client = Client::copilot();
    client.probe("sessionStart").probe("userPromptSubmitted").listener("preCompact");
    let mut terminal = client.interactive();
    let turns = terminal.compact_and_clear();
    let count = |needle: &str| turns.iter().map(|turn| turn.count(needle)).collect::<Vec<_>>();
    assert_eq!(count("PROBE-sessionStart-new"), [1, 0, 1]);
    assert_eq!(count("PROBE-userPromptSubmitted"), [1, 1, 1]);
    drop(terminal);
    let mut events: Vec<String> = client.hook_calls().into_iter().map(|call| call.event).collect();
    // A session starts with its first message, and on a busy machine either hook may come first.
    events[..2].sort();
    events[4..].sort();
    let expected = ["sessionStart", "userPromptSubmitted", "preCompact", "userPromptSubmitted", "sessionStart", "userPromptSubmitted"];
    assert_eq!(events, expected, "there is no event after a compaction");
}

/// A sub-agent has its own session id; its parent's is in `parentAgentId`.
#[test]
fn hooks_of_a_sub_agent_carry_its_id() {
    let mut client = Client::copilot();
    for event in EVENTS {
        client.probe(event);
    }
    client.probe("subagentStart").listener("subagentStop");
    client.script(
        Script::new()
            .reply(Reply::agent("SUB-TASK look around"))
            .text("all done")
            .thread("SUB-TASK", [Reply::shell("echo INSIDE"), Reply::text("sub done")]),
    );
    let outcome = client.run("PROMPT-ONE");
    let turns = outcome.turns();
    assert_eq!(turns.len(), 4, "{outcome}");
    let inside = turns[2];
    let order = ["PROBE-subagentStart", "SUB-TASK", "PROBE-userPromptSubmitted", "INSIDE", "PROBE-postToolUse", "PROBE-preToolUse"];
    assert!(inside.in_order(&order), "{outcome}\n{:#?}", inside.texts());
    assert!(!inside.contains("PROBE-sessionStart"), "{outcome}");
    assert_eq!(outcome.last_turn().count("PROBE-subagentStart"), 0, "{outcome}");

    let calls = client.hook_calls();
    let parent = calls[0].text("sessionId");
    let start = calls.iter().find(|call| call.event == "subagentStart").expect("the sub-agent started");
    let agent = start.text("agentId");
    assert_eq!((start.text("sessionId"), start.text("parentAgentId")), (parent, parent));
    let shell = calls.iter().find(|call| call.text("toolName") == "bash").expect("it ran a command");
    assert_eq!((shell.text("sessionId"), shell.text("agentId"), shell.text("parentAgentId")), (agent, agent, parent));
    // The prompt's hook receives its task with our context before it.
    let task = calls.iter().find(|call| call.event == "userPromptSubmitted" && call.text("agentId") == agent);
    assert!(task.expect("the task is submitted").text("prompt").starts_with("PROBE-subagentStart"));
}

/// An automatic compaction runs in parallel with the turn: one more request has the old window, then the summary
/// replaces it, and everything after `preCompact` stays.
#[test]
fn compaction_within_a_tool_loop_runs_in_the_background() {
    let mut client = Client::copilot();
    client.probe("sessionStart").probe("userPromptSubmitted").probe("preToolUse").listener("preCompact");
    client.env("COPILOT_PROVIDER_MAX_PROMPT_TOKENS", "60000");
    let long = Reply::shell("echo TWO").input_tokens(59_000);
    // The third command gives the summary time to arrive.
    client.script(Script::new().shell("echo ONE").reply(long).shell("sleep 2; echo THREE").shell("echo FOUR").text("done"));
    let outcome = client.run("PROMPT-ONE");
    assert!(outcome.requests.iter().any(|request| request.kind == Kind::Compaction), "{outcome}");
    assert_eq!(outcome.counts("PROBE-sessionStart"), [1, 1, 1, 0, 0], "{outcome}");
    assert_eq!(outcome.counts("PROBE-userPromptSubmitted"), [1, 1, 1, 0, 0], "{outcome}");
    assert_eq!(outcome.counts("PROBE-preToolUse"), [0, 1, 2, 1, 2], "{outcome}");
    let calls = client.hook_calls();
    assert!(calls.iter().any(|call| call.event == "preCompact" && call.text("trigger") == "auto"), "{calls:?}");
    let events: Vec<&str> = calls.iter().map(|call| call.event.as_str()).collect();
    let tools = |count| std::iter::repeat_n("preToolUse", count);
    let expected: Vec<&str> =
        ["sessionStart", "userPromptSubmitted"].into_iter().chain(tools(2)).chain(["preCompact"]).chain(tools(2)).collect();
    assert_eq!(events, expected);
}
