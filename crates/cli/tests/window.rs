//! The ledger's idea of the window: edited files, resumes, parts, order, second processes, files that fail once.

use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use briefing_testkit::{Sandbox, binary, context};
use serde_json::{Value, json};

use crate::gate::project;

fn lines(name: &str, count: usize) -> String {
    (0..count).map(|number| format!("{name}-{number:04} {}\n", "x".repeat(40))).collect::<Vec<_>>().concat()
}

/// Returns the numbered lines of a text, in order.
fn numbered(text: &str) -> Vec<String> {
    let is_numbered = |line: &&str| line.len() > 9 && line.as_bytes()[4] == b'-' && line[5..9].bytes().all(|byte| byte.is_ascii_digit());
    text.lines().filter(is_numbered).map(|line| line[..9].to_owned()).collect()
}

fn tool(sandbox: &Sandbox, id: &str) -> String {
    sandbox.hook(["claude", "PostToolBatch"], &json!({ "tool_calls": [{ "tool_use_id": id }] }))
}

fn say(sandbox: &Sandbox, words: &str) -> String {
    sandbox.hook(["claude", "UserPromptSubmit"], &json!({ "prompt": words, "prompt_id": words }))
}

#[test]
fn an_edited_core_file_comes_with_the_next_message_as_an_update() {
    let sandbox = project();
    assert!(tool(&sandbox, "t").contains("rule one"));
    sandbox.write(".context/CONVENTIONS.md", "# Conventions\nconvention two!\n");
    assert_eq!(tool(&sandbox, "u"), "", "not while the agent may still be editing it");
    let told = say(&sandbox, "go on please");
    let label = told.lines().next().unwrap();
    assert!(label.contains("CONVENTIONS.md (") && label.contains("changed, replaces what you saw"), "{told}");
    assert!(told.contains("convention two!") && !told.contains("rule one"), "{told}");
    assert!(!told.contains("files loaded") && !told.contains("PROJECT CONTEXT"), "no second frame: {told}");
    assert_eq!(say(&sandbox, "and now"), "", "once");
}

/// Returns a file with three sections.
fn sections(one: &str, two: &str, three: &str) -> String {
    format!("# Conventions\n\n## Names\n\n{one}\n\n## Errors\n\n{two}\n\n## Tests\n\n{three}\n")
}

#[test]
fn only_the_changed_sections_of_a_file_come_as_an_update() {
    let sandbox = project();
    let write = |one: &str, two: &str, three: &str| sandbox.write(".context/CONVENTIONS.md", sections(one, two, three));
    write("whole words", "say what failed", "run the real thing");
    assert!(tool(&sandbox, "t").contains("say what failed"));
    write("whole words", "say what failed, and why", "run the real thing");
    let told = say(&sandbox, "go on please");
    assert!(
        told.contains("CONVENTIONS.md (core file, verbatim; changed sections, these replace those you saw) ===\n## Errors\n"),
        "{told}"
    );
    assert!(told.contains("failed, and why") && !told.contains("whole words") && !told.contains("the real thing"), "{told}");
    assert_eq!(say(&sandbox, "and now"), "", "once");
    write("whole words", "say what failed", "run the real thing often");
    let told = say(&sandbox, "go on again please");
    assert!(told.contains("changed sections again (change 2), these replace those you saw"), "{told}");
    assert!(told.contains("## Errors\n\nsay what failed\n\n## Tests") && !told.contains("whole words"), "{told}");
    sandbox.write(".context/CONVENTIONS.md", "# Conventions\n\n## Names\n\nwhole words\n\n## Tests\n\nrun the real thing often\n");
    let told = say(&sandbox, "a section is gone");
    assert!(told.contains("changed again (change 3), replaces what you saw") && told.contains("whole words"), "{told}");
}

/// Copilot keeps what a message brought over a resume: the changed section, but not the file.
#[test]
fn a_changed_section_without_its_file_is_not_enough() {
    let sandbox = Sandbox::new().file(".context/CONVENTIONS.md", sections("whole words", "say what failed", "run the real thing"));
    let ask = |event: &str, more: Value| {
        let mut payload = json!({ "sessionId": "s-1" });
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        sandbox.hook(["copilot", event], &payload)
    };
    ask("sessionStart", json!({ "source": "startup" }));
    ask("userPromptSubmitted", json!({ "prompt": "hello" }));
    assert!(ask("preToolUse", json!({ "toolName": "view", "toolArgs": "a" })).contains("say what failed"));
    sandbox.write(".context/CONVENTIONS.md", sections("whole words", "say why it failed", "run the real thing"));
    let update = ask("userPromptSubmitted", json!({ "prompt": "go on" }));
    assert!(update.contains("say why it failed") && !update.contains("whole words"), "{update}");
    let resumed = ask("sessionStart", json!({ "source": "resume" })) + &ask("userPromptSubmitted", json!({ "prompt": "and on" }));
    let told = resumed + &ask("preToolUse", json!({ "toolName": "view", "toolArgs": "b" }));
    assert!(told.contains("whole words") && told.contains("say why it failed") && told.contains("run the real thing"), "{told}");
}

#[test]
fn a_file_that_is_created_later_comes_with_the_next_message() {
    let sandbox = project();
    std::fs::remove_file(sandbox.root().join(".context/ARCHITECTURE.md")).unwrap();
    assert!(!tool(&sandbox, "t").contains("map one"));
    sandbox.write(".context/ARCHITECTURE.md", "# Architecture\nmap two\n");
    let told = say(&sandbox, "go on please");
    assert!(told.contains("map two") && told.contains("ARCHITECTURE.md") && !told.contains("PROJECT CONTEXT"), "{told}");
}

#[test]
fn an_edited_domain_comes_with_the_next_message() {
    for (agent, start, message) in [
        ("claude", "SessionStart", "UserPromptSubmit"),
        ("codex", "SessionStart", "UserPromptSubmit"),
        ("gemini", "SessionStart", "BeforeAgent"),
    ] {
        let sandbox = Sandbox::new().file(".megg/info.md", "# Shop\n\nSells things.\n").file(".megg/knowledge.md", "# Knowledge\n");
        let say = |words: &str| sandbox.hook([agent, message], &json!({ "prompt": words, "prompt_id": words, "turn_id": words }));
        let told = sandbox.hook([agent, start], &json!({ "source": "startup" })) + &say("hello there");
        assert!(told.contains("Sells things."), "{agent}: {told}");
        sandbox.write(".megg/info.md", "# Shop\n\nSells other things.\n");
        let told = say("what do we sell?");
        assert!(told.contains("Sells other things.") && told.contains("changed, replaces what you saw"), "{agent}: {told}");
        assert_eq!(say("thanks a lot"), "", "{agent}");
    }
}

/// Cursor's message event carries nothing, so an update waits for the next tool.
#[test]
fn an_update_waits_for_an_event_that_carries_context() {
    let sandbox = Sandbox::new().file(".megg/info.md", "# Shop\n\nSells things.\n");
    let more = |words: &str| json!({ "conversation_id": "c", "workspace_roots": [sandbox.root()], "prompt": words, "tool_use_id": words });
    assert!(sandbox.hook(["cursor", "sessionStart"], &more("")).contains("Sells things."));
    sandbox.write(".megg/info.md", "# Shop\n\nSells other things.\n");
    assert_eq!(sandbox.hook(["cursor", "postToolUse"], &more("t")), "");
    assert_eq!(sandbox.hook(["cursor", "beforeSubmitPrompt"], &more("what do we sell?")), "");
    assert!(sandbox.hook(["cursor", "postToolUse"], &more("u")).contains("Sells other things."));
}

/// Claude drops a context that equals an earlier one of the conversation.
#[test]
fn a_file_that_is_changed_back_and_forth_never_gives_the_same_text() {
    let sandbox = Sandbox::new().file(".megg/info.md", "# Shop\n\nSells A.\n");
    let mut texts = vec![sandbox.hook(["claude", "SessionStart"], &json!({ "source": "startup" }))];
    for goods in ["B", "A", "B", "A"] {
        sandbox.write(".megg/info.md", format!("# Shop\n\nSells {goods}.\n"));
        let mut client = Command::new("sleep").arg("60").spawn().unwrap();
        let resumed = sandbox.clone().env("CLAUDE_PID", client.id().to_string());
        let told = resumed.hook(["claude", "SessionStart"], &json!({ "source": "resume" }));
        client.kill().and_then(|()| client.wait()).unwrap();
        assert!(told.contains(&format!("Sells {goods}.")), "{told}");
        texts.push(told);
    }
    let count = texts.len();
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), count, "{texts:#?}");
}

/// What Copilot keeps over a resume depends on the event that carried it.
#[test]
fn a_resume_repeats_the_lost_parts_and_nothing_else() {
    for (agent, start, message, tool) in
        [("copilot", "sessionStart", "userPromptSubmitted", "preToolUse"), ("qwen", "SessionStart", "UserPromptSubmit", "UserPromptSubmit")]
    {
        let sandbox = Sandbox::new()
            .file(".megg/info.md", "# Shop\n")
            .file(".context/CONSTITUTION.md", lines("RULE", 100))
            .file(".context/CONVENTIONS.md", lines("CONV", 900))
            .file(".context/ARCHITECTURE.md", lines("ARCH", 700));
        let ask = |event: &str, more: Value| {
            let mut payload = json!({ "sessionId": "s-1" });
            payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            // Parallel tools are told apart by time.
            std::thread::sleep(Duration::from_millis(720));
            sandbox.hook([agent, event], &payload)
        };
        let after_tool = |id: &str| if agent == "qwen" { json!({ "prompt": "" }) } else { json!({ "toolName": "view", "toolArgs": id }) };
        // (text, whether the agent keeps it)
        let mut window: Vec<(String, bool)> = vec![
            (ask(start, json!({ "source": "startup" })), false),
            (ask(message, json!({ "prompt": "first words", "submitted_prompt": "first words" })), true),
            (ask(tool, after_tool("a")), false),
            (ask(tool, after_tool("b")), false),
            (ask(tool, after_tool("b")), false),
        ];
        let expected = 100 + 900 + 700;
        let held = |window: &[(String, bool)]| numbered(&window.iter().map(|(text, _)| text.as_str()).collect::<String>());
        assert_eq!(held(&window).len(), expected, "{agent}: the first run has all of it");
        for turn in 0..2 {
            window.retain(|(_, is_kept)| *is_kept);
            window.push((ask(start, json!({ "source": "resume" })), false));
            let words = format!("more words {turn}");
            window.push((ask(message, json!({ "prompt": words, "submitted_prompt": words })), true));
            window.push((ask(tool, after_tool("c")), false));
            window.push((ask(tool, after_tool("d")), false));
            window.push((ask(tool, after_tool("e")), false));
            let mut all = held(&window);
            let count = all.len();
            all.sort();
            all.dedup();
            assert_eq!((all.len(), count), (expected, expected), "{agent}, resume {turn}: everything, once");
        }
    }
}

#[test]
fn parallel_tool_calls_do_not_share_out_the_parts() {
    for (agent, event) in [("codex", "PreToolUse"), ("copilot", "preToolUse")] {
        let sandbox = Sandbox::new().directory(".git").file(".context/CONSTITUTION.md", lines("RULE", 2500));
        // On a busy machine the two may be too far apart to be taken for parallel ones; then they are tried again.
        let is_proven = (0..20).any(|round| {
            let begun = Instant::now();
            let session = format!("{agent}-{round}");
            let payload = |id: &str| sandbox.payload(&json!({ "session_id": session, "sessionId": session, "tool_use_id": id }));
            let children = ["a", "b"].map(|id| sandbox.start(["hook", agent, event], &payload(id)));
            let told = children.map(|child| context(&child.wait_with_output().unwrap().stdout));
            let are_parallel = begun.elapsed() < Duration::from_millis(600);
            let speaking: Vec<&String> = told.iter().filter(|text| !text.is_empty()).collect();
            assert!(speaking.iter().any(|text| numbered(text)[0] == "RULE-0000"), "{agent}");
            assert!(!are_parallel || speaking.len() == 1, "{agent}: the other one waits");
            are_parallel
        });
        assert!(is_proven, "{agent}: no two calls were parallel");
    }
}

#[test]
fn outputs_are_counted_within_one_event_only() {
    let sandbox = Sandbox::new().file(".megg/info.md", "# Shop\n").file(".megg/knowledge.md", lines("KNOW", 500));
    let outputs = [
        sandbox.hook(["codex", "SessionStart"], &json!({ "source": "startup" })),
        sandbox.hook(["codex", "UserPromptSubmit"], &json!({ "prompt": "one thing", "turn_id": "1" })),
        sandbox.hook(["codex", "UserPromptSubmit"], &json!({ "prompt": "another thing", "turn_id": "2" })),
    ];
    let firsts: Vec<&str> = outputs.iter().map(|text| text.lines().next().unwrap_or_default()).collect();
    assert_eq!(
        firsts,
        [
            "=== brief: project context; more follows ===",
            "=== brief: project context, continued; more follows ===",
            "=== brief: project context, continued ==="
        ]
    );
    assert_eq!(numbered(&outputs.concat()).len(), 500);
}

#[test]
fn knowledge_is_split_between_entries() {
    let entry =
        |number: usize| format!("## 2026-01-{:02} - Entry {number}\n**Type:** decision\n\n{}\n", number % 28 + 1, lines("BODY", 12));
    let sandbox = Sandbox::new()
        .file(".megg/info.md", "# Shop\n")
        .file(".megg/knowledge.md", format!("# Knowledge\n\n{}", (0..40).map(entry).collect::<String>()));
    let parts: Vec<String> = ["1", "2", "3", "4"]
        .iter()
        .map(|lane| sandbox.hook(["claude", "SessionStart", lane], &json!({ "source": "startup" })))
        .filter(|text| !text.is_empty())
        .collect();
    assert!(parts.len() > 2, "{}", parts.len());
    for part in &parts {
        let body = part.lines().find(|line| !line.starts_with("=== brief:") && !line.trim().is_empty()).unwrap();
        assert!(body.starts_with("# ") || body.starts_with("## "), "a part begins with an entry, not with `{body}`");
    }
}

/// Two processes that have one session open: each has a window of its own.
#[test]
fn a_second_process_on_the_same_session_has_its_own_window() {
    let sandbox = project();
    let mut clients = Vec::new();
    let mut client = || {
        let process = Command::new("sleep").arg("60").spawn().unwrap();
        let client = sandbox.clone().env("CLAUDE_PID", process.id().to_string());
        clients.push(process);
        client
    };
    let (first, second) = (client(), client());
    assert_eq!(first.hook(["claude", "SessionStart"], &json!({ "source": "startup" })), "");
    assert_eq!(second.hook(["claude", "SessionStart"], &json!({ "source": "resume" })), "");
    assert!(tool(&first, "t").contains("rule one"));
    assert!(tool(&second, "u").contains("rule one"), "the second window has not seen it");
    assert_eq!((tool(&first, "v"), tool(&second, "w")), (String::new(), String::new()));
    // What the first window has when the third process resumes the session is copied. Start times are exact to 10 ms.
    std::thread::sleep(Duration::from_millis(50));
    let third = client();
    assert_eq!(third.hook(["claude", "SessionStart"], &json!({ "source": "resume" })), "");
    assert_eq!(tool(&third, "x"), "");
    for process in &mut clients {
        process.kill().and_then(|()| process.wait()).unwrap();
    }
    // All have ended. The next process goes on with the session.
    let mut last = Command::new("sleep").arg("60").spawn().unwrap();
    let fourth = sandbox.clone().env("CLAUDE_PID", last.id().to_string());
    assert_eq!(fourth.hook(["claude", "SessionStart"], &json!({ "source": "resume" })), "");
    assert_eq!(tool(&fourth, "y"), "");
    last.kill().and_then(|()| last.wait()).unwrap();
}

/// A process that has the session open does not read what another one, which has ended since, received meanwhile.
#[test]
fn a_process_that_was_there_before_does_not_have_what_another_one_received() {
    let sandbox = project();
    let client = || Command::new("sleep").arg("60").spawn().unwrap();
    let (mut waiting, mut quick) = (client(), client());
    let hook = |process: &std::process::Child| sandbox.clone().env("CLAUDE_PID", process.id().to_string());
    assert_eq!(hook(&waiting).hook(["claude", "SessionStart"], &json!({ "source": "resume" })), "");
    std::thread::sleep(Duration::from_millis(200));
    assert!(tool(&hook(&quick), "t").contains("rule one"));
    quick.kill().and_then(|()| quick.wait()).unwrap();
    assert!(tool(&hook(&waiting), "u").contains("rule one"), "its window has not seen it");
    assert_eq!(tool(&hook(&waiting), "v"), "");
    waiting.kill().and_then(|()| waiting.wait()).unwrap();
}

#[test]
fn a_file_that_cannot_be_read_once_is_due_at_the_next_event() {
    let sandbox = project();
    let tool = |id: &str| ask_as_plain_user(&sandbox, &json!({ "tool_calls": [{ "tool_use_id": id }] }));
    let rules = sandbox.root().join(".context/CONSTITUTION.md");
    std::fs::set_permissions(&rules, Permissions::from_mode(0o000)).unwrap();
    let told = tool("t");
    assert!(told.contains("convention one") && !told.contains("rule one"), "{told}");
    std::fs::set_permissions(&rules, Permissions::from_mode(0o644)).unwrap();
    let told = tool("u");
    assert!(told.contains("rule one") && !told.contains("convention one"), "{told}");
    assert_eq!(tool("v"), "");
}

/// Runs a tool event as a user who may be denied something: root never is.
fn ask_as_plain_user(sandbox: &Sandbox, more: &Value) -> String {
    const NOBODY: u32 = 65_534;
    let mut command = sandbox.command(binary());
    if rustix::process::geteuid().is_root() {
        let root = sandbox.root();
        let all = root.parent().unwrap();
        assert!(Command::new("chown").args(["-R", &NOBODY.to_string()]).arg(all).status().unwrap().success());
        command.uid(NOBODY).gid(NOBODY);
    }
    command.args(["hook", "claude", "PostToolBatch"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(sandbox.payload(more).to_string().as_bytes()).unwrap();
    context(&child.wait_with_output().unwrap().stdout)
}

#[test]
fn the_user_is_told_what_went_in_at_the_start() {
    let sandbox = Sandbox::new().file(".megg/info.md", "# Shop\n\nSells things.\n").file(".megg/knowledge.md", lines("KNOW", 20));
    let raw = |sandbox: &Sandbox, event: &str, session: &str| -> Value {
        let payload = sandbox.payload(&json!({ "session_id": session, "source": "startup", "prompt": "hello", "prompt_id": "p" }));
        let outcome = sandbox.brief_with_input(["hook", "claude", event], payload.to_string()).success();
        serde_json::from_slice(&outcome.stdout).unwrap_or_default()
    };
    let told = raw(&sandbox, "SessionStart", "one");
    let line = told["systemMessage"].as_str().unwrap_or_else(|| panic!("{told}"));
    assert!(line.starts_with("brief: the agent has received .megg/info.md, .megg/knowledge.md (~"), "{line}");
    assert!(!line.contains("Sells things."), "names and amounts, no content");
    sandbox.write(".megg/info.md", "# Shop\n\nSells other things.\n");
    let update = raw(&sandbox, "UserPromptSubmit", "one");
    assert!(update["hookSpecificOutput"].is_object() && update["systemMessage"].is_null(), "{update}");
    for (value, is_told) in [("always", true), ("never", false)] {
        let sandbox = sandbox.clone().env("BRIEF_HOOK_ANNOUNCE", value);
        assert_eq!(raw(&sandbox, "SessionStart", value)["systemMessage"].is_string(), is_told, "{value}");
    }
    let payload = sandbox.payload(&json!({ "sessionId": "c", "source": "new" })).to_string();
    let copilot = sandbox.brief_with_input(["hook", "copilot", "sessionStart"], payload).success().stdout();
    assert!(!copilot.contains("systemMessage"), "Copilot has no such line: {copilot}");
}

/// The footer, `brief gate` and the preview count the same things in the same way.
#[test]
fn what_was_not_sent_is_not_counted() {
    let sandbox = project().env("BRIEF_HOOK_DEADLINE_MS", "30000");
    for name in ["CONSTITUTION", "CONVENTIONS", "ARCHITECTURE", "AGENT_PLAYBOOK"] {
        sandbox.write(format!(".context/{name}.md"), format!("# {name}\n\n{}", "word ".repeat(40_000)));
    }
    let told: String = ["1", "2", "3", "4"]
        .iter()
        .map(|lane| sandbox.hook(["claude", "PostToolBatch", lane], &json!({ "tool_calls": [{ "tool_use_id": "t" }] })))
        .collect();
    assert!(told.contains("not included") && told.contains("CONSTITUTION.md"), "{told}");
    let count = told.lines().find(|line| line.starts_with("Context: ")).unwrap();
    assert!(count.starts_with("Context: 2 files loaded (~"), "only the two indexes were sent: {count}");
}

/// All hooks of an event start at once, on a machine where nothing has been prepared.
#[test]
fn one_of_sixteen_hooks_on_a_cold_store_brings_the_documents() {
    let sandbox = Sandbox::new()
        .file("docs/retry.md", "# Retrying payments\n\nFailed payments are retried with exponential backoff and jitter.\n")
        .file("docs/deploy.md", "# Deploying\n\nThe canary release is drained before a rollback.\n")
        .env("BRIEF_HOOK_DEADLINE_MS", "20000");
    sandbox.brief(["index"]).success();
    let payload = sandbox.payload(&json!({ "prompt": "how are failed payments retried with backoff?", "prompt_id": "p" }));
    let children: Vec<_> =
        (0..16).map(|number| sandbox.start(["hook", "claude", "UserPromptSubmit", &(number % 4 + 1).to_string()], &payload)).collect();
    let told: Vec<String> = children.into_iter().map(|child| context(&child.wait_with_output().unwrap().stdout)).collect();
    assert_eq!(told.concat().matches("exponential backoff and jitter").count(), 1, "{told:#?}");
}
