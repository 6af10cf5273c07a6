//! The gate through `brief hook`: the agent's cap, parts, lanes and moments; and `brief gate`, which predicts them.

use briefing_testkit::Sandbox;
use serde_json::{Value, json};

use crate::gate::project;

/// Core files of about 31 KB in numbered lines.
fn large() -> Sandbox {
    let lines =
        |name: &str, count: usize| (0..count).map(|number| format!("{name}-{number:04} {}\n", "x".repeat(40))).collect::<Vec<_>>().concat();
    project()
        .file(".context/CONSTITUTION.md", lines("RULE", 60))
        .file(".context/CONVENTIONS.md", lines("CONV", 180))
        .file(".context/ARCHITECTURE.md", lines("ARCH", 220))
        .file(".context/AGENT_PLAYBOOK.md", lines("PLAY", 140))
}

fn numbered(text: &str) -> Vec<String> {
    let is_numbered = |line: &&str| ["RULE-", "CONV-", "ARCH-", "PLAY-"].iter().any(|name| line.starts_with(name));
    text.lines().filter(is_numbered).map(|line| line[..9].to_owned()).collect()
}

#[test]
fn a_small_gate_is_the_very_message_at_the_first_tool_use() {
    let sandbox = project();
    assert_eq!(sandbox.hook(["claude", "SessionStart"], &json!({ "source": "startup" })), "");
    let told = sandbox.hook(["claude", "PostToolBatch"], &json!({ "tool_calls": [{ "tool_use_id": "t" }] }));
    assert_eq!(told.as_bytes(), sandbox.brief(["gate", "--print"]).success().stdout);
    assert_eq!(sandbox.hook(["claude", "PostToolBatch"], &json!({ "tool_calls": [{ "tool_use_id": "u" }] })), "");
}

#[test]
fn thirty_kilobytes_leave_through_the_lanes_in_order_and_within_the_cap() {
    let sandbox = large();
    let lanes: Vec<String> = ["1", "2", "3", "4"]
        .iter()
        .map(|lane| sandbox.hook(["claude", "PostToolBatch", lane], &json!({ "tool_calls": [{ "tool_use_id": "t" }] })))
        .collect();
    assert!(lanes.iter().all(|text| text.encode_utf16().count() <= 9_500));
    assert!(lanes[0].contains("PROJECT CONTEXT") && lanes[0].contains("RULE-0059"), "the first part carries the constitution");
    let whole = lanes.concat();
    let expected: Vec<String> = [("RULE", 60), ("CONV", 180), ("ARCH", 220), ("PLAY", 140)]
        .into_iter()
        .flat_map(|(name, count)| (0..count).map(move |number| format!("{name}-{number:04}")))
        .collect();
    assert_eq!(numbered(&whole), expected);
    assert!(whole.contains("| 2026-01-02 | Use X |") && whole.contains("| 2026-01-03 | Beware |"));
    assert!(whole.contains("Context: 6 files loaded (~"));
}

#[test]
fn codex_and_copilot_at_a_tool_gemini_and_qwen_at_the_first_message() {
    let sandbox = large();
    let told = sandbox.hook(["codex", "PreToolUse", "whole"], &json!({ "tool_use_id": "t" }));
    assert!(told.starts_with("PROJECT CONTEXT") && told.ends_with("by timestamp.\n"), "{}", &told[..200]);
    for (agent, event) in [("gemini", "BeforeAgent"), ("qwen", "UserPromptSubmit")] {
        let told = sandbox.hook([agent, event], &json!({ "prompt": "hello" }));
        assert!(told.contains("PROJECT CONTEXT") && told.contains("PLAY-0139"), "{agent}");
    }
    let told = sandbox.hook(["copilot", "preToolUse"], &json!({ "sessionId": "s", "toolName": "view" }));
    assert!(told.starts_with("PROJECT CONTEXT"), "{told}");
}

#[test]
fn a_sub_agent_gets_the_core_at_its_start() {
    let sandbox = project();
    let told = sandbox.hook(["claude", "SubagentStart"], &json!({ "agent_id": "a", "agent_type": "Explore" }));
    assert!(told.contains("rule one") && told.contains("LEARNINGS.md by timestamp."), "{told}");
}

#[test]
fn a_changed_file_is_due_again_at_resume_and_nothing_else() {
    let sandbox = project();
    assert!(sandbox.hook(["claude", "PostToolBatch"], &json!({ "tool_calls": [{ "tool_use_id": "t" }] })).contains("rule one"));
    sandbox.write(".context/CONVENTIONS.md", "# Conventions\nconvention two!\n");
    let told = sandbox.hook(["claude", "SessionStart"], &json!({ "source": "resume" }));
    assert!(told.contains("convention two!") && !told.contains("rule one"), "{told}");
}

#[test]
fn gate_prints_the_plan_and_where_each_file_lands() {
    let sandbox = large().file("brief.toml", "[gate.files]\n\"GLOSSARY.md\" = \"mention\"\n");
    let plan = sandbox.brief(["gate"]).success().stdout();
    for line in [
        "CONSTITUTION.md    verbatim      765  output 1 of 4",
        "TASKS.md           mention         -  named in the closing notes",
        "GLOSSARY.md        mention         -  named in the closing notes  # gate.files ([ROOT]/brief.toml:1)",
    ] {
        assert!(plan.lines().any(|shown| shown == line), "{line}\n{plan}");
    }
    assert!(plan.contains("Claude Code at PostToolBatch: outputs of "), "{plan}");
    let json: Value = serde_json::from_slice(&sandbox.brief(["gate", "--json", "--agent", "codex"]).success().stdout).unwrap();
    assert_eq!((&json["loaded"], &json["agent"]["outputs"].as_array().unwrap().len()), (&json!(6), &1));
    assert_eq!(
        json["files"][0],
        json!({ "file": "CONSTITUTION.md", "strategy": "verbatim", "decided_by": "default", "tokens": 765, "outputs": [1], "remark": null })
    );
    Sandbox::new().brief(["gate"]).code(1);
}

#[test]
fn an_entry_that_the_index_only_names_arrives_when_the_message_is_about_it() {
    let entries: String = [
        ("05", "Retry webhooks with exponential backoff", "Deliveries of webhooks are retried five times with jitter, then parked."),
        ("04", "Store money as integer cents", "Prices and refunds are integers of cents; floating point lost a cent per invoice."),
        ("03", "One database per tenant", "Every tenant has a PostgreSQL schema of its own, created by the migration runner."),
    ]
    .map(|(day, title, body)| format!("## [2026-01-{day}-120000] {title}\n\n**Context**: {body}\n\n---\n\n"))
    .concat();
    let sandbox = project().file(".context/DECISIONS.md", format!("# Decisions\n\n{entries}"));
    let told = sandbox.hook(
        ["claude", "UserPromptSubmit"],
        &json!({ "prompt": "how do we store money, prices and refunds as integer cents?", "prompt_id": "p" }),
    );
    assert!(told.contains("floating point lost a cent") && !told.contains("PostgreSQL schema"), "{told}");
    assert!(told.contains(".context/DECISIONS.md"), "{told}");
    assert_eq!(sandbox.hook(["claude", "UserPromptSubmit"], &json!({ "prompt": "yes", "prompt_id": "q" })), "");
}
