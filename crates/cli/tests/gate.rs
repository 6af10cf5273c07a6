//! `brief system context-load-gate`: the command of spec 2, one test per line of its tables and unit-test list.

use std::fmt::Display;
use std::io::Write;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use briefing_testkit::{Outcome, Sandbox, binary, context};
use serde_json::{Value, json};

/// A project with all eight core files, in a repository.
pub(crate) fn project() -> Sandbox {
    let index = "<!-- INDEX:START -->\n| Date | Decision |\n|------|--------|\n| 2026-01-02 | Use X |\n<!-- INDEX:END -->";
    Sandbox::new()
        .directory(".git")
        .file(".context/CONSTITUTION.md", "# Constitution\nrule one\n")
        .file(".context/TASKS.md", "# Tasks\n- [ ] private task words\n")
        .file(".context/CONVENTIONS.md", "# Conventions\nconvention one\n")
        .file(".context/ARCHITECTURE.md", "# Architecture\nmap one\n")
        .file(".context/DECISIONS.md", format!("# Decisions\n\n{index}\n\n## [2026-01-02-030405] Use X\n\nlong decision body\n"))
        .file(".context/LEARNINGS.md", "# Learnings\n\n## [2026-01-03-030405] Beware\n\nlong learning body\n")
        .file(".context/GLOSSARY.md", "# Glossary\nglossary words\n")
        .file(".context/AGENT_PLAYBOOK.md", "# Playbook\nplay one\n")
}

const COMMAND: [&str; 2] = ["system", "context-load-gate"];

fn payload(sandbox: &Sandbox, session: &str) -> Value {
    sandbox.payload(&json!({ "session_id": session, "hook_event_name": "PreToolUse", "tool_name": "Read", "tool_use_id": "t1" }))
}

#[track_caller]
fn run(sandbox: &Sandbox, payload: impl Display) -> Outcome {
    let outcome = sandbox.brief_with_input(COMMAND, payload.to_string());
    assert_eq!((outcome.status, outcome.stderr.as_slice()), (Some(0), &b""[..]), "{outcome}");
    outcome
}

#[track_caller]
fn gate(sandbox: &Sandbox, session: &str) -> String {
    run(sandbox, payload(sandbox, session)).context()
}

#[test]
fn no_context_is_silent() {
    assert_eq!(gate(&Sandbox::new(), "s"), "");
    assert_eq!(gate(&Sandbox::new().directory(".context"), "s"), "");
}

#[test]
fn empty_session_id_is_silent() {
    let sandbox = project();
    for text in [r#"{"session_id":""}"#, "{}", r#"{"session_id":7}"#] {
        assert_eq!(run(&sandbox, text).stdout, b"", "{text}");
    }
}

#[test]
fn first_tool_use_injects_content_with_all_expected_files() {
    let sandbox = project();
    let outcome = run(&sandbox, payload(&sandbox, "s"));
    let object: Value = serde_json::from_slice(&outcome.stdout).unwrap();
    assert_eq!(object["hookSpecificOutput"]["hookEventName"], "PreToolUse");
    assert_eq!(outcome.stdout().lines().count(), 1, "one line of JSON");
    let printed = sandbox.brief(["gate", "--print"]).success();
    assert_eq!(outcome.context().as_bytes(), printed.stdout, "one piece, exactly the message");
}

#[test]
fn second_tool_use_is_silent() {
    let sandbox = project();
    assert!(gate(&sandbox, "s").starts_with("PROJECT CONTEXT"));
    assert_eq!(gate(&sandbox, "s"), "");
    sandbox.write(".context/CONVENTIONS.md", "changed\n");
    assert_eq!(gate(&sandbox, "s"), "", "the gate has fired");
}

#[test]
fn different_sessions_each_get_own_injection() {
    let sandbox = project();
    assert_eq!(gate(&sandbox, "a"), gate(&sandbox, "b"));
    assert_eq!(gate(&sandbox, "../../escape/../x").len(), gate(&sandbox, "c").len(), "an id is never a path");
}

#[test]
fn verbatim_files_index_tables_tasks_and_glossary() {
    let message = gate(&project(), "s");
    for content in ["rule one\n", "convention one\n", "map one\n", "play one\n", "| 2026-01-02 | Use X |", "| 2026-01-03 | Beware |"] {
        assert!(message.contains(content), "{content}");
    }
    for content in ["long decision body", "long learning body", "private task words", "glossary words", "GLOSSARY"] {
        assert!(!message.contains(content), "{content}");
    }
}

#[test]
fn individual_file_read_fails_partial_injection() {
    let sandbox = project().file(".context/CONVENTIONS.md", b"caf\xe9");
    let message = gate(&sandbox, "s");
    assert!(message.contains("rule one") && message.contains("Context: 5 files loaded"));
    assert!(sandbox.brief(["log"]).success().stdout().contains("CONVENTIONS.md: not UTF-8"), "the note says what happened");
}

#[test]
fn cannot_store_the_claim_emit_injection_every_time() {
    let sandbox = project();
    sandbox.write("~/.local/state/brief", "a file where our directory should be");
    let first = gate(&sandbox, "s");
    assert!(first.starts_with("PROJECT CONTEXT"));
    assert_eq!(gate(&sandbox, "s"), first, "noisy but functional");
}

#[test]
fn stdin_that_never_ends_is_slow_or_garbage_is_silent_within_two_seconds() {
    let sandbox = project();
    for text in ["", "garbage", "[1]", "{\"session_id\":", "{nonsense}"] {
        assert_eq!(run(&sandbox, text).stdout, b"", "{text}");
    }
    let started = Instant::now();
    let mut child = sandbox.command(binary()).args(COMMAND).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"{\"session_id\":").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stdout), (Some(0), vec![]));
    // The hook's own limit is 1.5 s; a busy test machine may start it late.
    assert!(started.elapsed() < Duration::from_secs(4), "{:?}", started.elapsed());
    drop(stdin);
    let mut child = sandbox.command(binary()).args(COMMAND).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(payload(&sandbox, "s").to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    assert!(context(&output.stdout).starts_with("PROJECT CONTEXT"), "the object ends the read");
}

#[test]
fn found_from_the_payloads_cwd_upward() {
    let sandbox = project().directory("src/deep");
    let payload = json!({ "session_id": "s", "cwd": sandbox.path("src/deep") });
    let elsewhere = sandbox.at("..");
    let outcome = run(&elsewhere, &payload);
    assert!(outcome.context().starts_with("PROJECT CONTEXT"), "{outcome}");
}

#[test]
fn due_again_after_compact_and_clear() {
    let sandbox = project();
    let first = gate(&sandbox, "s");
    assert_eq!(gate(&sandbox, "s"), "");
    let at_compact = sandbox.hook(["claude", "SessionStart"], &json!({ "session_id": "s", "source": "compact" }));
    // `brief hook` delivers the core files at once; without it, the next tool use does.
    assert!(at_compact.contains("rule one"), "{at_compact}");
    assert_eq!(gate(&sandbox, "s"), "");
    assert_eq!(gate(&sandbox, "a-new-id-after-clear"), first);
}

#[test]
fn both_commands_share_one_claim() {
    let sandbox = project();
    assert!(gate(&sandbox, "s").starts_with("PROJECT CONTEXT"));
    let batch = |session: &str| {
        sandbox.hook(["claude", "PostToolBatch"], &json!({ "session_id": session, "tool_calls": [{ "tool_use_id": "t" }] }))
    };
    assert_eq!(batch("s"), "");
    assert!(batch("o").starts_with("PROJECT CONTEXT"));
    assert_eq!(gate(&sandbox, "o"), "");
}

#[test]
fn what_other_doors_queued_stays_queued() {
    let knowledge = (0..600).map(|number| format!("LINE-{number:05} {}\n", "x".repeat(38))).collect::<Vec<_>>().concat();
    let sandbox = project().file(".megg/info.md", "# Shop\n").file(".megg/knowledge.md", knowledge);
    let first = sandbox.hook(["claude", "SessionStart"], &json!({ "session_id": "s", "source": "startup" }));
    assert!(first.contains("LINE-00000") && !first.contains("LINE-00599"));
    let message = gate(&sandbox, "s");
    assert!(message.starts_with("PROJECT CONTEXT") && !message.contains("LINE-"), "{message}");
    assert_eq!(gate(&sandbox, "s"), "");
    let mut rest = String::new();
    for number in 0..6 {
        let batch = json!({ "session_id": "s", "tool_calls": [{ "tool_use_id": format!("t{number}") }] });
        rest += &sandbox.hook(["claude", "PostToolBatch"], &batch);
    }
    assert!(rest.contains("LINE-00599") && !rest.contains("PROJECT CONTEXT"), "{rest}");
}

#[test]
fn twenty_tool_calls_at_the_same_moment_inject_once() {
    let sandbox = project().env("BRIEF_HOOK_DEADLINE_MS", "30000");
    let children: Vec<Child> = (0..20)
        .map(|number| {
            let mut payload = payload(&sandbox, "s");
            payload["tool_use_id"] = json!(format!("t{number}"));
            sandbox.start(COMMAND, &payload)
        })
        .collect();
    let outputs: Vec<_> = children.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
    assert!(outputs.iter().all(|output| output.status.success() && output.stderr.is_empty()));
    let messages: Vec<_> = outputs.iter().map(|output| context(&output.stdout)).filter(|message| !message.is_empty()).collect();
    assert_eq!(messages.len(), 1, "exactly one");
    assert!(messages[0].starts_with("PROJECT CONTEXT") && messages[0].ends_with("LEARNINGS.md by timestamp.\n"));
}

#[test]
fn the_command_is_hidden_from_help() {
    let sandbox = Sandbox::new();
    let help = sandbox.brief(["--help"]).success().stdout();
    assert!(!help.contains("system") && help.contains("gate"), "{help}");
}

#[test]
fn a_sub_agent_has_a_claim_of_its_own() {
    let sandbox = project();
    assert!(gate(&sandbox, "s").starts_with("PROJECT CONTEXT"));
    let inside = sandbox.payload(&json!({ "session_id": "s", "agent_id": "a1" }));
    assert!(run(&sandbox, &inside).context().starts_with("PROJECT CONTEXT"));
    assert_eq!(run(&sandbox, &inside).stdout, b"");
}
