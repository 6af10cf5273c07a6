//! `brief hook` as agents call it.

use std::io::Write;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use briefing_testkit::{Sandbox, binary};
use serde_json::{Value, json};

/// A project whose session start has `bytes` of knowledge, in numbered lines.
fn project(bytes: usize) -> Sandbox {
    let knowledge: String = (0..bytes / 50).map(|number| format!("LINE-{number:05} {}\n", "x".repeat(38))).collect::<Vec<_>>().concat();
    Sandbox::new().file(".megg/info.md", "# Shop\n\nSells things.\n").file(".megg/knowledge.md", knowledge)
}

fn end(mut child: Child) {
    let _ = child.kill();
    let _ = child.wait();
}

#[test]
fn a_session_is_briefed_once() {
    let sandbox = project(1000);
    let told = sandbox.hook(["claude", "SessionStart"], &json!({ "source": "startup" }));
    assert!(told.starts_with("=== brief: ") && told.contains("Sells things.") && told.contains("LINE-00019"), "{told}");
    for (event, more) in [
        ("SessionStart", json!({ "source": "resume" })),
        ("UserPromptSubmit", json!({ "prompt": "hello", "prompt_id": "p" })),
        ("PostToolBatch", json!({ "prompt_id": "p", "tool_calls": [{ "tool_use_id": "t" }] })),
        ("Stop", json!({})),
    ] {
        assert_eq!(sandbox.hook(["claude", event], &more), "", "{event}");
    }
    let outcomes: Vec<_> =
        sandbox.log()["events"].as_array().unwrap().iter().map(|event| event["outcome"].as_str().unwrap().to_owned()).collect();
    assert_eq!(outcomes, ["delivered", "silent", "silent", "silent", "silent"], "every call left its beat");
}

#[test]
fn a_change_comes_with_the_resume() {
    let sandbox = project(500);
    let _ = sandbox.hook(["codex", "SessionStart", "whole"], &json!({ "source": "startup" }));
    sandbox.write(".megg/info.md", "# Shop\n\nSells other things.\n");
    let told = sandbox.hook(["codex", "SessionStart", "whole"], &json!({ "source": "resume" }));
    assert!(told.contains("Sells other things.") && told.contains("changed, replaces what you saw"), "{told}");
    assert!(!told.contains("LINE-00000"), "{told}");
}

#[test]
fn two_resumes_in_a_moment_are_two_events() {
    let sandbox = project(500);
    let _ = sandbox.hook(["claude", "SessionStart"], &json!({ "source": "startup" }));
    // Real processes that run as long as the test, since lanes check whether they are alive.
    let clients: Vec<Child> = (0..2).map(|_| std::process::Command::new("sleep").arg("60").spawn().unwrap()).collect();
    for (client, words) in clients.into_iter().zip(["one", "two"]) {
        let resumed = sandbox.clone().env("CLAUDE_PID", client.id().to_string());
        sandbox.write(".megg/info.md", format!("# Shop\n\nSells {words}.\n"));
        let lanes = ["1", "2"].map(|lane| resumed.hook(["claude", "SessionStart", lane], &json!({ "source": "resume" })));
        assert!(lanes[0].contains(&format!("Sells {words}.")), "{words}: {lanes:?}");
        assert_eq!(lanes[1], "", "lanes of one event share its plan");
        end(client);
    }
}

#[test]
fn a_compacted_window_is_filled_again_and_a_cleared_one_is_new() {
    let sandbox = project(500);
    for (session, source, expected) in [("a", "startup", true), ("a", "compact", true), ("a", "resume", false), ("b", "clear", true)] {
        let told = sandbox.hook(["claude", "SessionStart"], &json!({ "session_id": session, "source": source }));
        assert_eq!(told.contains("LINE-00000"), expected, "{session} {source}");
    }
}

#[test]
fn any_other_program_may_clear_or_compact_a_session_that_we_know() {
    let sandbox = project(500).file(".context/CONSTITUTION.md", "# Rules\n\nBe kind.\n");
    let ask = |event: &str, source: Value| sandbox.hook(["generic", event], &json!({ "session": "g", "source": source }));
    for (source, domains, gate) in
        [("startup", true, false), ("resume", false, false), ("clear", true, false), ("compact", true, true), ("clear", true, false)]
    {
        let told = ask("session-start", json!(source));
        assert_eq!((told.contains("Sells things."), told.contains("Be kind.")), (domains, gate), "{source}: {told}");
        if source != "resume" {
            assert_eq!(ask("tool", Value::Null).contains("Be kind."), !gate, "{source}");
        }
    }
}

#[test]
fn a_session_met_in_its_middle_gets_the_chain_at_its_next_event() {
    let sandbox = project(500);
    let told = sandbox.hook(["claude", "PostToolBatch"], &json!({ "tool_calls": [{ "tool_use_id": "t" }] }));
    assert!(told.contains("Sells things."));
}

#[test]
fn copilot_receives_again_what_it_does_not_keep() {
    let sandbox = project(500);
    for source in ["new", "resume", "resume"] {
        let told = sandbox.hook(["copilot", "sessionStart"], &json!({ "sessionId": "c", "source": source }));
        assert!(told.contains("Sells things."), "{source}");
    }
    assert_eq!(sandbox.hook(["copilot", "userPromptSubmitted"], &json!({ "sessionId": "c", "prompt": "hi" })), "");
    assert_eq!(sandbox.hook(["copilot", "preCompact"], &json!({ "sessionId": "c", "trigger": "auto" })), "");
    let told = sandbox.hook(["copilot", "userPromptSubmitted"], &json!({ "sessionId": "c", "prompt": "hi" }));
    assert!(told.contains("Sells things."), "after compaction it is due at the next event");
}

#[test]
fn gemini_receives_context_with_its_first_message() {
    let sandbox = project(500);
    assert_eq!(sandbox.hook(["gemini", "SessionStart"], &json!({ "source": "startup" })), "");
    let told = sandbox.hook(["gemini", "BeforeAgent"], &json!({ "prompt": "hi" }));
    assert!(told.contains("Sells things."));
    assert_eq!(sandbox.hook(["gemini", "PreCompress"], &json!({ "trigger": "auto" })), "");
    assert_eq!(sandbox.hook(["gemini", "BeforeAgent"], &json!({ "prompt": "more" })), "");
}

#[test]
fn sub_agents_have_windows_of_their_own() {
    let sandbox = project(500);
    let parent = sandbox.hook(["claude", "SessionStart"], &json!({ "source": "startup" }));
    let child = sandbox.hook(["claude", "SubagentStart"], &json!({ "agent_id": "x" }));
    assert_eq!(parent, child);
    let batch = json!({ "agent_id": "x", "tool_calls": [{ "tool_use_id": "t" }] });
    assert_eq!(sandbox.hook(["claude", "PostToolBatch"], &batch), "");
}

#[test]
fn other_agents_that_run_claudes_entry_get_nothing() {
    let sandbox = project(500);
    let start = json!({ "source": "startup" });
    assert_eq!(sandbox.clone().env("COPILOT_CLI", "1").hook(["claude", "SessionStart"], &start), "");
    assert_eq!(sandbox.clone().env("CURSOR_VERSION", "2").hook(["claude", "SessionStart"], &start), "");
    let inside = sandbox.clone().env("COPILOT_CLI", "1").env("CLAUDE_CODE_SESSION_ID", "s-1");
    assert!(inside.hook(["claude", "SessionStart"], &start).contains("Sells things."));
}

#[test]
fn hostile_input_gets_silence() {
    let sandbox = project(500);
    let deep = format!("{{\"session_id\":\"s\",\"x\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    for input in ["", "null", "[]", "{", "{}", "{\"session_id\": 5}", "{\"session_id\":\"s\",}", "\0\0\0", "{\"session_id\":\"\"}"] {
        for words in [["hook", "claude", "SessionStart"], ["hook", "claude", "Nonsense"], ["hook", "nobody", "SessionStart"]] {
            let outcome = sandbox.brief_with_input(words, input);
            assert_eq!((outcome.status, &outcome.stdout[..], &outcome.stderr[..]), (Some(0), &b""[..], &b""[..]), "{input:.40}: {outcome}");
        }
    }
    let outcome = sandbox.brief_with_input(["hook", "claude", "SessionStart"], deep).success();
    assert!(outcome.context().contains("Sells things."), "what we do not read cannot hurt us");
    for words in [vec!["hook"], vec!["hook", "claude"], vec!["hook", "claude", "SessionStart", "1", "2"]] {
        assert_eq!(sandbox.brief(words).success().stdout, b"");
    }
    let notes = sandbox.brief(["log"]).success().stdout();
    assert!(notes.contains("silent: no input") && notes.contains("silent: unknown event"), "{notes}");
}

#[test]
fn input_may_drip_and_never_end() {
    let sandbox = project(500);
    let mut command = sandbox.command(binary());
    let mut child: Child = command.args(["hook", "claude", "SessionStart"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for byte in sandbox.payload(&json!({ "source": "startup" })).to_string().bytes() {
        stdin.write_all(&[byte]).unwrap();
        stdin.flush().unwrap();
    }
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    assert!(String::from_utf8(output.stdout).unwrap().contains("Sells things."));
}

#[test]
fn silence_on_stdin_ends_in_time() {
    let sandbox = project(500);
    let started = Instant::now();
    let mut child =
        sandbox.command(binary()).args(["hook", "claude", "SessionStart"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let stdin = child.stdin.take();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    drop(stdin);
    assert!(started.elapsed() < Duration::from_secs(4));
}

#[test]
fn a_broken_settings_file_does_not_stop_the_context() {
    let sandbox = project(500).file("brief.toml", "not = [valid");
    assert!(sandbox.hook(["claude", "SessionStart"], &json!({ "source": "startup" })).contains("Sells things."));
    assert!(sandbox.brief(["log"]).success().stdout().contains("brief.toml"));
}

#[test]
fn without_a_usable_store_the_session_is_briefed_all_the_same() {
    let sandbox = project(30_000);
    std::fs::create_dir_all(sandbox.home().join(".local/state")).unwrap();
    std::fs::write(sandbox.home().join(".local/state/brief"), "a file where our directory should be").unwrap();
    let mut whole = String::new();
    for lane in ["1", "2", "3", "4"] {
        whole += &sandbox.hook(["claude", "SessionStart", lane], &json!({ "source": "startup" }));
    }
    assert!(whole.contains("LINE-00000") && whole.contains("LINE-00599"));
    assert_eq!(sandbox.hook(["claude", "PostToolBatch"], &json!({})), "", "without memory it does not repeat itself");
}

#[test]
fn a_damaged_store_is_replaced_and_kept() {
    let sandbox = project(500);
    sandbox.write("~/.local/state/brief/ledger.db", "garbage, but the user's");
    assert!(sandbox.hook(["claude", "SessionStart"], &json!({ "source": "startup" })).contains("Sells things."));
    let names: Vec<_> =
        std::fs::read_dir(sandbox.home().join(".local/state/brief")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(names.iter().any(|name| name.to_string_lossy().starts_with("ledger.damaged-")), "{names:?}");
}

#[test]
fn where_there_is_nothing_to_say_no_database_is_made() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.hook(["claude", "SessionStart"], &json!({ "source": "startup" })), "");
    let state = sandbox.home().join(".local/state/brief");
    assert!(state.join("heartbeat.jsonl").exists(), "yet it left its beat");
    assert!(!state.join("ledger.db").exists());
}

#[test]
fn what_does_not_fit_leaves_with_the_next_events_in_order() {
    let sandbox = project(30_000);
    let mut told = vec![sandbox.hook(["claude", "SessionStart"], &json!({ "source": "startup" }))];
    for number in 0..6 {
        let batch = json!({ "tool_calls": [{ "tool_use_id": format!("t{number}") }] });
        told.push(sandbox.hook(["claude", "PostToolBatch"], &batch));
    }
    let lines: Vec<String> = told.concat().lines().filter(|line| line.starts_with("LINE-")).map(|line| line[..10].to_owned()).collect();
    let expected: Vec<String> = (0..600).map(|number| format!("LINE-{number:05}")).collect();
    assert_eq!(lines, expected);
    assert!(told[1].starts_with("=== brief: project context, continued, part 1 of 3 ===\n"), "{}", &told[1][..80]);
}

#[test]
fn preview_of_a_bare_project_says_how_to_begin() {
    let bare = Sandbox::new().brief(["preview", "hello"]).success();
    assert!(bare.stdout().contains("at SessionStart: nothing"), "{bare}");
    assert!(bare.stderr().contains("`brief index`"), "{bare}");
    let sandbox = Sandbox::new().file("README.md", "# Retries\n\nHow the client retries.\n");
    sandbox.brief(["index"]).success();
    let quiet = sandbox.brief(["preview", "thanks"]).success();
    assert!(!quiet.stderr().contains("`brief index`"), "what does not fit is not missing: {quiet}");
}

#[test]
fn preview_shows_the_very_text_and_touches_nothing() {
    let sandbox = project(500);
    let shown = sandbox.brief(["preview", "--event", "SessionStart"]).success().stdout();
    assert!(!sandbox.home().join(".local/state/brief").exists());
    let told = sandbox.hook(["claude", "SessionStart"], &json!({ "source": "startup" }));
    let root = sandbox.root().to_string_lossy().into_owned();
    assert!(shown.contains(&told.replace(&root, "[ROOT]")), "{shown}");
}

/// A project with a domain and a gate whose ledger cannot be used any more after the session's start.
#[cfg(unix)]
fn unusable_ledger(spoil: impl Fn(&std::path::Path)) -> Sandbox {
    let temporary = |sandbox: &Sandbox| sandbox.home().join("tmp");
    let sandbox = Sandbox::new().file(".megg/info.md", "# Shop\n").file(".context/CONSTITUTION.md", "THE-RULE\n").file("~/tmp/kept", "");
    let sandbox = sandbox.clone().env("TMPDIR", temporary(&sandbox));
    assert!(sandbox.hook(["claude", "SessionStart"], &json!({ "source": "startup" })).contains("Shop"));
    spoil(&sandbox.home().join(".local/state/brief"));
    sandbox
}

#[cfg(unix)]
fn tool(sandbox: &Sandbox, id: &str) -> String {
    sandbox.hook(["claude", "PostToolUse"], &json!({ "tool_name": "Bash", "tool_use_id": id }))
}

#[cfg(unix)]
#[test]
fn a_ledger_that_becomes_unusable_does_not_silence_the_gate() {
    use std::fs;

    type Spoil = fn(&std::path::Path);
    let unusable: [(&str, Spoil); 3] = [
        ("the file", |directory| {
            fs::rename(directory.join("ledger.db"), directory.join("gone")).unwrap();
            fs::create_dir(directory.join("ledger.db")).unwrap();
        }),
        ("the directory", |directory| {
            fs::rename(directory, directory.with_file_name("gone")).unwrap();
            fs::write(directory, "").unwrap();
        }),
        ("a newer version's", |directory| {
            let connection = rusqlite::Connection::open(directory.join("ledger.db")).unwrap();
            connection.execute_batch("PRAGMA user_version = 2000").unwrap();
        }),
    ];
    for (what, spoil) in unusable {
        let sandbox = unusable_ledger(spoil);
        assert!(tool(&sandbox, "1").contains("THE-RULE"), "{what}");
        assert_eq!(tool(&sandbox, "2"), "", "once is enough: {what}");
        assert_eq!(tool(&sandbox, "3"), "", "{what}");
    }
}

/// Nothing reaches the model at the start of these sessions, so the first message brings everything.
#[cfg(unix)]
#[test]
fn without_a_ledger_the_first_message_brings_everything_where_a_start_cannot() {
    for (agent, event) in [("gemini", "BeforeAgent"), ("opencode", "chat.message")] {
        let sandbox = Sandbox::new().file(".megg/info.md", "# Shop\n").file(".context/CONSTITUTION.md", "THE-RULE\n");
        let sandbox = sandbox.file("~/.local/state/brief", "a file where the directory should be").file("~/tmp/kept", "");
        let sandbox = sandbox.clone().env("TMPDIR", sandbox.home().join("tmp"));
        let say = |words: &str| sandbox.hook([agent, event], &json!({ "session": "s", "prompt": words, "message": words }));
        let first = say("hello there");
        assert!(first.contains("Shop") && first.contains("THE-RULE"), "{agent}: {first}");
        assert_eq!(say("and now"), "", "{agent}: once");
    }
}

#[cfg(unix)]
#[test]
fn a_session_that_began_without_a_ledger_is_not_told_twice() {
    let sandbox = Sandbox::new().file(".megg/info.md", "# Shop\n").file(".context/CONSTITUTION.md", "THE-RULE\n");
    let sandbox = sandbox.file("~/.local/state/brief", "a file where the directory should be").file("~/tmp/kept", "");
    let sandbox = sandbox.clone().env("TMPDIR", sandbox.home().join("tmp"));
    let start = sandbox.hook(["claude", "SessionStart"], &json!({ "source": "startup" }));
    assert!(start.contains("Shop") && start.contains("THE-RULE"), "{start}");
    assert_eq!(tool(&sandbox, "1"), "");
    let nowhere = sandbox.clone().env("TMPDIR", "/dev/null");
    assert_eq!(tool(&nowhere, "2"), "", "without any memory, a tool would be told every time");
}
