//! The gate with the real agents: 31 KB of core files, complete, in order, once, at the first tool use.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use briefing_testkit::clients::Client;
use briefing_testkit::model_api::{Call, ModelRequest, Reply, Script};

use crate::{installed, log};

/// The verbatim files: name, first word of each line, and number of lines.
const FILES: [(&str, &str, usize); 4] =
    [("CONSTITUTION", "RULE", 60), ("CONVENTIONS", "CONV", 190), ("ARCHITECTURE", "ARCH", 230), ("AGENT_PLAYBOOK", "PLAY", 140)];

fn gated(mut client: Client, agent: &str) -> Client {
    for (name, word, count) in FILES {
        let text = (0..count).map(|number| format!("{word}-{number:04} {}\n", "x".repeat(40))).collect::<Vec<_>>().concat();
        client.file(&format!(".context/{name}.md"), &text);
    }
    client.file(".context/DECISIONS.md", "# D\n\n## [2026-01-02-030405] DECIDED-ONE\n\nBODY-OF-DECISION\n");
    client.file(".context/LEARNINGS.md", "# L\n\n## [2026-01-03-030405] LEARNED-ONE\n\nBODY-OF-LEARNING\n");
    client.file(".context/TASKS.md", "# T\n- [ ] TASK-WORDS\n");
    installed(client, agent)
}

/// Panics unless banner, files, indexes and closing notes are there, complete, in order, exactly once.
#[track_caller]
fn assert_gate(request: &ModelRequest, what: &str) {
    let text = request.text();
    let numbered: Vec<String> = text
        .match_indices('-')
        .filter_map(|(at, _)| Some((text.get(at.checked_sub(4)?..at)?, text.get(at + 1..at + 5)?)))
        .filter(|(word, number)| FILES.iter().any(|(_, known, _)| known == word) && number.bytes().all(|byte| byte.is_ascii_digit()))
        .map(|(word, number)| format!("{word}-{number}"))
        .collect();
    let expected: Vec<String> =
        FILES.iter().flat_map(|(_, word, count)| (0..*count).map(move |number| format!("{word}-{number:04}"))).collect();
    assert!(numbered == expected, "{what}: {} of {} lines\n{text}", numbered.len(), expected.len());
    let frame =
        ["PROJECT CONTEXT (auto-loaded", "--- CONSTITUTION.md ---", "RULE-0059", "--- CONVENTIONS.md ---", "CONV-0189", "DECIDED-ONE"];
    assert!(request.in_order(&frame), "{what}\n{text}");
    assert!(
        request.in_order(&["DECIDED-ONE", "LEARNED-ONE", "Context: 6 files loaded (~", "LEARNINGS.md by timestamp."]),
        "{what}\n{text}"
    );
    assert_eq!(request.count("PROJECT CONTEXT (auto-loaded"), 1, "{what}");
    for hidden in ["BODY-OF-DECISION", "BODY-OF-LEARNING", "TASK-WORDS"] {
        assert_eq!(request.count(hidden), 0, "{what}: {hidden}");
    }
}

/// Agents that drop context at tool events receive the gate with the first message.
pub(crate) fn whole(agent: &str) {
    let client = gated(Client::named(agent), agent);
    match agent {
        "claude" | "codex" | "copilot" => at_the_first_tool(client),
        _ => at_the_first_message(client),
    }
}

/// Sends a first prompt with a tool use: nothing before it, the complete gate after it and at the end.
fn at_the_first_tool(mut client: Client) {
    client.script(Script::new().shell("echo TOOL-ONE").shell("echo TOOL-TWO").text("done"));
    let outcome = client.run("PROMPT-ONE please");
    let turns = outcome.turns();
    assert_eq!(turns.len(), 3, "{outcome}");
    assert_eq!(turns[0].count("PROJECT CONTEXT (auto-loaded"), 0, "{outcome}");
    for turn in &turns[1..] {
        assert_gate(turn, &log(&client));
    }
}

#[test]
fn claude_when_the_model_calls_two_tools_at_once() {
    let mut client = gated(Client::claude(), "claude");
    let both = Reply::calls([Call::shell("echo TOOL-ONE"), Call::shell("echo TOOL-TWO")]);
    client.script(Script::new().reply(both).text("done"));
    let outcome = client.run("PROMPT-ONE please");
    assert_eq!(outcome.turns().len(), 2, "{outcome}");
    assert_gate(outcome.last_turn(), &log(&client));
}

fn at_the_first_message(mut client: Client) {
    client.script(Script::new().shell("echo TOOL-ONE").text("done"));
    let outcome = client.run("PROMPT-ONE please");
    assert!(outcome.turns().len() >= 2, "{outcome}");
    for turn in outcome.turns() {
        assert_gate(turn, &log(&client));
    }
}

/// With a Claude Code that does not support `PostToolBatch`, the gate comes before tools, from a single handler.
#[test]
fn claude_as_installed_for_an_older_one() {
    let mut client = Client::claude();
    client.home_file("bin/claude", "#!/bin/sh\necho '2.1.117 (Claude Code)'\n");
    fs::set_permissions(client.home().join("bin/claude"), fs::Permissions::from_mode(0o755)).unwrap();
    let mut client = gated(client, "claude");
    let settings = fs::read_to_string(client.home().join(".claude/settings.json")).unwrap();
    assert!(!settings.contains("PostToolBatch") && settings.contains("PreToolUse"), "{settings}");
    // Tools that follow each other faster than any model answers are taken for parallel ones.
    let script = (1..=5).fold(Script::new(), |script, number| script.shell(&format!("sleep 0.8; echo TOOL-{number}")));
    client.script(script.text("done"));
    let outcome = client.run("PROMPT-ONE please");
    assert_eq!(outcome.turns().len(), 6, "{outcome}");
    assert_eq!(outcome.turns()[1].count("RULE-0059"), 1, "the rules come with the first tool\n{}", log(&client));
    assert_gate(outcome.last_turn(), &log(&client));
}
