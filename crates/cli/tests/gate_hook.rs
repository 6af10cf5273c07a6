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

#[test]
fn another_directory_is_used_by_every_command() {
    let sandbox = Sandbox::new().directory(".git").env("CTX_DIR", "docs/ctx");
    sandbox.brief(["init", "context"]).success();
    sandbox.brief(["decision", "add", "Use X", "--context", "c", "--rationale", "r"]).success();
    assert!(sandbox.read("docs/ctx/DECISIONS.md").contains("] Use X\n"));
    assert!(!sandbox.path(".context").exists());
    let told = sandbox.hook(["claude", "PostToolBatch"], &json!({ "tool_calls": [{ "tool_use_id": "t" }] }));
    assert!(told.contains("| 2026-11-15 | Use X |"), "{told}");
    let told = sandbox.hook(["claude", "UserPromptSubmit"], &json!({ "prompt": "why do we use X?", "prompt_id": "p" }));
    assert!(told.is_empty() || told.contains("docs/ctx/DECISIONS.md"), "{told}");
    let shown = sandbox.brief(["config", "show"]).success().stdout();
    assert!(shown.lines().any(|line| line.contains("docs/ctx") && line.contains("CTX_DIR")), "{shown}");
}

#[test]
fn gate_lists_what_is_not_filled_in_and_finds_dead_paths() {
    let sandbox = Sandbox::new().directory(".git").directory("src");
    sandbox.brief(["init", "context"]).success();
    let plan = sandbox.brief(["gate"]).success().stdout();
    for name in ["CONSTITUTION.md", "CONVENTIONS.md", "ARCHITECTURE.md", "TASKS.md"] {
        assert!(plan.lines().any(|line| line.starts_with(name) && line.ends_with("not filled in yet")), "{name}\n{plan}");
    }
    sandbox.brief(["gate", "--check"]).success();
    sandbox.write(
        ".context/ARCHITECTURE.md",
        "# Architecture\n\n<!-- `src/comment.rs` -->\n- `src/`: code\n- `src/gone.rs`: gone, see [x](../docs/y.md)\n- `old/dir/`: too\n- `application/json`\n",
    );
    let outcome = sandbox.brief(["gate", "--check"]).code(1);
    assert_eq!(
        outcome.stdout(),
        "ARCHITECTURE.md:5: `src/gone.rs` does not exist\nARCHITECTURE.md:5: `../docs/y.md` does not exist\nARCHITECTURE.md:6: `old/dir/` does not exist\n"
    );
    assert!(outcome.stderr().contains("found 3 paths that do not exist"), "{outcome}");
    let json: Value = serde_json::from_slice(&sandbox.brief(["gate", "--check", "--json"]).code(1).stdout).unwrap();
    assert_eq!(json["dead_paths"][0], json!({ "file": "ARCHITECTURE.md", "line": 5, "path": "src/gone.rs" }));
}

#[test]
fn gate_does_not_show_the_parents_for_a_path_that_is_not_there() {
    let sandbox = project();
    let outcome = sandbox.brief(["gate", "nope"]).code(1);
    assert!(outcome.stderr().starts_with("error: `[ROOT]/nope` does not exist\n") && outcome.stdout.is_empty(), "{outcome}");
    sandbox.clone().directory("yes").brief(["gate", "yes"]).success();
}

#[test]
fn the_page_of_a_theme_arrives_when_the_message_is_about_it() {
    let page = "# Storage\n\n## [2026-06-01-000000] Store money as integer cents\n\nPrices and refunds are integers of cents; floating point lost a cent per invoice.\n\n\
        ## [2026-06-02-000000] One database per tenant\n\nEvery tenant has a PostgreSQL schema of its own, created by the migration runner.\n";
    let sandbox = project()
        .file(".context/DECISIONS.md", "# Decisions\n\n## Themes\n\n- storage — where data lives → [storage](decisions/storage.md)\n")
        .file(".context/decisions/storage.md", page);
    let told = sandbox.hook(
        ["claude", "UserPromptSubmit"],
        &json!({ "prompt": "how do we store money, prices and refunds as integer cents?", "prompt_id": "p" }),
    );
    assert!(told.contains("floating point lost a cent") && !told.contains("PostgreSQL schema"), "{told}");
    assert!(told.contains(".context/decisions/storage.md"), "{told}");
    assert!(sandbox.brief(["gate", "--print"]).success().stdout().contains("→ [storage](decisions/storage.md)"));
}

#[test]
fn what_changed_since_the_last_session_is_one_line_at_the_start() {
    let sandbox = project().directory("src");
    let start = |session: &str| sandbox.hook(["claude", "SessionStart"], &json!({ "session_id": session, "source": "startup" }));
    let work = |session: &str| {
        sandbox.hook(["claude", "PostToolBatch"], &json!({ "session_id": session, "tool_calls": [{ "tool_use_id": "t" }] }))
    };
    assert_eq!(start("a"), "", "there was no session before");
    assert!(work("a").contains("rule one"));
    assert_eq!(start("b"), "", "nothing changed");
    sandbox.write(".context/CONVENTIONS.md", "# Conventions\nconvention two\n");
    sandbox.brief(["decision", "add", "Use Y", "--context", "c", "--rationale", "r"]).success();
    sandbox.write(".context/AGENT_PLAYBOOK_GATE.md", "short\n");
    let told = start("c");
    let (head, tail) = told.split_once("since your last session (").unwrap_or_else(|| panic!("{told}"));
    assert_eq!(head, "Changed in .context/ ");
    let (date, files) = tail.split_once("): ").unwrap();
    assert!(date.len() == 10 && date.starts_with("20"), "{told}");
    assert_eq!(files.trim_end(), "CONVENTIONS.md, AGENT_PLAYBOOK_GATE.md (new), DECISIONS.md, AGENT_PLAYBOOK.md (no longer sent).");
    assert_eq!(told.lines().count(), 1, "{told}");
    assert_eq!(start("c"), "", "once");
    assert!(work("c").contains("convention two"), "the files come when work begins");
    assert_eq!(start("d"), "", "that session knew it");
    let codex = sandbox.hook(["codex", "SessionStart"], &json!({ "session_id": "e", "source": "startup" }));
    assert_eq!(codex, "", "another agent has another last session");
    let log = sandbox.log();
    assert!(log.to_string().contains("\"kind\":\"changed\""), "{log}");
}
