//! One ledger for hooks and the MCP server: what was read is in the window, and is not injected again.

use briefing_testkit::Sandbox;
use briefing_testkit::mcp::{Era, Server};
use serde_json::{Value, json};

use crate::mcp::{ROLL_BACK, project};

/// Starts the server as Claude Code does: the session is in its environment.
fn claude(sandbox: &Sandbox, session: &str) -> Server {
    Server::connect(&sandbox.clone().env("CLAUDE_CODE_SESSION_ID", session), Era::Modern, "claude-code", json!({}))
}

/// Says something in a session of Claude Code, and returns what the hook adds to it.
fn say(sandbox: &Sandbox, session: &str, turn: &str, message: &str) -> String {
    sandbox.hook(["claude", "UserPromptSubmit"], &json!({ "session_id": session, "prompt": message, "prompt_id": turn }))
}

fn starts(sandbox: &Sandbox, session: &str, source: &str) -> String {
    sandbox.hook(["claude", "SessionStart"], &json!({ "session_id": session, "source": source }))
}

fn deliveries(sandbox: &Sandbox) -> Vec<(String, String)> {
    let log = sandbox.log();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    log["deliveries"].as_array().unwrap().iter().map(|row| (text(&row["event"]), text(&row["path"]))).collect()
}

#[test]
fn a_document_that_was_read_is_not_injected_again() {
    assert!(say(&project(), "s", "1", ROLL_BACK).contains("docs/deploy.md"), "it would come");
    let sandbox = project();
    let mut server = claude(&sandbox, "s");
    let first = server.text("read", &json!({ "paths": ["docs/deploy.md"] }));
    assert!(first.contains("Drain the canary") && !first.contains("before"), "{first}");
    let told = say(&sandbox, "s", "1", ROLL_BACK);
    assert!(!told.contains("docs/deploy.md (matches"), "{told}");
    assert!(deliveries(&sandbox).contains(&("mcp read".into(), "docs/deploy.md".into())), "{:?}", deliveries(&sandbox));
    let shown = sandbox.brief(["log"]).success();
    assert!(shown.stdout().contains("mcp read: ") && shown.stdout().contains(" tokens: docs/deploy.md ("), "{shown}");
    let again = server.text("read", &json!({ "paths": ["docs/deploy.md"] }));
    assert!(again.starts_with("note: this session has received docs/deploy.md before\n") && again.contains("Drain the canary"), "{again}");
    // A changed file is due as an update, whoever delivered it first.
    sandbox.write("docs/deploy.md", "# Deploying\n\nThe canary release rolls back by itself when the error budget is gone.\n");
    assert!(say(&sandbox, "s", "2", ROLL_BACK).contains("changed, replaces what you saw"));
}

#[test]
fn the_text_that_was_read_is_kept_for_the_page_like_that_of_a_hook() {
    let sandbox = project();
    claude(&sandbox, "s").text("read", &json!({ "paths": ["docs/deploy.md"] }));
    sandbox.brief(["inspect", "--output", "page.html"]).success();
    assert!(sandbox.read("page.html").contains("Drain the canary"));
}

#[test]
fn an_agent_can_ask_why() {
    let sandbox = project();
    let mut server = claude(&sandbox, "s");
    let none = server.text("why", &json!({ "path": "docs/deploy.md" }));
    assert!(none.starts_with("docs/deploy.md: no source brings it\n  document of `"), "no session is known yet: {none}");
    let typed = server.text("why", &json!({ "path": "docs/deploy.md", "message": ROLL_BACK }));
    assert!(typed.starts_with("docs/deploy.md: this message brings it\n"), "{typed}");
    say(&sandbox, "other", "1", "thanks");
    say(&sandbox, "s", "1", ROLL_BACK);
    say(&sandbox, "another", "1", "thanks");
    let told = server.text("why", &json!({ "path": "docs/deploy.md" }));
    assert!(
        told.starts_with("docs/deploy.md: delivered to claude:") && told.contains("the message that brought it, "),
        "its own session: {told}"
    );
    let missing = server.call("why", &json!({ "path": "docs/deplyo.md" }));
    assert_eq!(missing["isError"], true, "{missing}");
}

#[test]
fn core_files_and_domains_that_were_read_are_not_injected_again() {
    let tool = |sandbox: &Sandbox| sandbox.hook(["claude", "PostToolBatch"], &json!({ "session_id": "s" }));
    let sandbox = project();
    assert!(starts(&sandbox, "s", "startup").contains("Tabs everywhere.") && tool(&sandbox).contains("Never push on Fridays"));
    let sandbox = project();
    let mut server = claude(&sandbox, "s");
    let read = server.text("read", &json!({ "paths": [".context/CONSTITUTION.md", ".megg/knowledge.md"] }));
    assert!(read.contains("Never push on Fridays") && read.contains("Tabs everywhere."), "{read}");
    let start = starts(&sandbox, "s", "startup");
    assert!(start.contains("Sells things.") && !start.contains("Tabs everywhere."), "{start}");
    assert!(!tool(&sandbox).contains("Never push on Fridays"));
    let sandbox = project();
    let mut server = claude(&sandbox, "s");
    assert!(server.text("context", &json!({})).contains("Tabs everywhere."));
    assert_eq!(starts(&sandbox, "s", "startup"), "", "all of it is there");
    let sandbox = project();
    let uri = "brief://core/.context/CONSTITUTION.md";
    claude(&sandbox, "s").request("resources/read", json!({ "uri": uri }));
    assert!(!tool(&sandbox).contains("Never push on Fridays"));
}

#[test]
fn what_the_hook_delivered_is_read_with_a_note() {
    let sandbox = project();
    assert!(say(&sandbox, "s", "1", ROLL_BACK).contains("docs/deploy.md"));
    let text = claude(&sandbox, "s").text("read", &json!({ "paths": ["docs/deploy.md", "docs/auth.md"] }));
    assert!(
        text.contains("note: this session has received docs/deploy.md, docs/auth.md before\n") && text.contains("Drain the canary"),
        "{text}"
    );
}

/// After a compaction the window is empty: what was read before is due again.
#[test]
fn a_compaction_makes_it_due_again() {
    let sandbox = project();
    let mut server = claude(&sandbox, "s");
    server.text("read", &json!({ "paths": ["docs/deploy.md"] }));
    starts(&sandbox, "s", "compact");
    assert!(say(&sandbox, "s", "1", ROLL_BACK).contains("docs/deploy.md (matches"));
}

/// `/clear` begins a session with another id, while the server lives on with the old one in its environment.
#[test]
#[cfg(target_os = "linux")]
fn after_a_clear_the_server_counts_for_the_new_session() {
    // The hook learns the client's process from a variable; the server's client is this test.
    let sandbox = project().env("CLAUDE_PID", std::process::id().to_string());
    starts(&sandbox, "old", "startup");
    let mut server = claude(&sandbox, "old");
    server.text("read", &json!({ "paths": ["docs/auth.md"] }));
    starts(&sandbox, "new", "clear");
    let text = server.text("read", &json!({ "paths": ["docs/auth.md", "docs/deploy.md"] }));
    assert!(!text.contains("before"), "the new window has nothing: {text}");
    assert!(!say(&sandbox, "new", "1", ROLL_BACK).contains("docs/deploy.md (matches"), "it is in the new window");
    let log = sandbox.log();
    let of = |row: &Value| row["session"].as_str().unwrap().to_owned();
    let sessions: Vec<String> =
        log["deliveries"].as_array().unwrap().iter().filter(|row| row["path"] == "docs/deploy.md").map(of).collect();
    let new = log["sessions"].as_array().unwrap().last().map(of).unwrap();
    assert_eq!(sessions, [new], "{log}");
}

/// Other clients say nothing about their session, so nothing is counted unless the call names it.
#[test]
fn without_a_session_nothing_is_counted() {
    let sandbox = project();
    // Codex that runs inside of Claude Code inherits the variable, but has a window of its own.
    let inherited = sandbox.clone().env("CLAUDE_CODE_SESSION_ID", "s");
    let mut server = Server::connect(&inherited, Era::Legacy, "codex-mcp-client", json!({}));
    server.text("read", &json!({ "paths": ["docs/deploy.md"] }));
    assert!(sandbox.log()["deliveries"].as_array().unwrap().is_empty());
    server.text("read", &json!({ "paths": ["docs/deploy.md"], "session": "c-1" }));
    let log = sandbox.log();
    assert_eq!((&log["sessions"][0]["agent"], &log["deliveries"][0]["path"]), (&json!("codex"), &json!("docs/deploy.md")), "{log}");
    let told = sandbox.hook(["codex", "UserPromptSubmit"], &json!({ "session_id": "c-1", "prompt": ROLL_BACK }));
    assert!(!told.contains("docs/deploy.md (matches"), "{told}");
}

/// Codex and Gemini say nothing about the session, but their hooks and the server are started by the same process.
#[test]
#[cfg(target_os = "linux")]
fn a_process_with_a_single_session_needs_no_id() {
    for (agent, client, start, message) in [
        ("codex", "codex-mcp-client", "SessionStart", "UserPromptSubmit"),
        ("gemini", "gemini-cli-mcp-client", "BeforeAgent", "BeforeAgent"),
    ] {
        let sandbox = project();
        let event = |name: &str, session: &str, prompt: &str| {
            sandbox.hook([agent, name], &json!({ "session_id": session, "source": "startup", "prompt": prompt }))
        };
        assert!(event(start, "one", "hello").contains("Sells things."));
        let mut server = Server::connect(&sandbox, Era::Legacy, client, json!({}));
        server.text("read", &json!({ "paths": ["docs/deploy.md"] }));
        assert!(deliveries(&sandbox).contains(&("mcp read".into(), "docs/deploy.md".into())), "{agent}: {:?}", deliveries(&sandbox));
        assert!(!event(message, "one", ROLL_BACK).contains("docs/deploy.md (matches"), "{agent}: it is in the window");
        // With a second session, the next call may be of either.
        event(start, "two", "hello");
        let count = deliveries(&sandbox).len();
        server.text("read", &json!({ "paths": ["src/cart.rs"] }));
        assert_eq!(deliveries(&sandbox).len(), count, "{agent}");
    }
}

/// A client may have sessions in several projects; a hook that was silent there has left no trace.
#[test]
#[cfg(target_os = "linux")]
fn a_session_elsewhere_is_not_the_one_that_asks() {
    let (sandbox, elsewhere) = (project(), project());
    let elsewhere_root = elsewhere.root();
    sandbox.hook(["codex", "SessionStart"], &json!({ "session_id": "one", "source": "startup", "cwd": elsewhere_root }));
    let count = deliveries(&sandbox).len();
    assert!(count > 0);
    let mut server = Server::connect(&sandbox, Era::Legacy, "codex-mcp-client", json!({}));
    server.text("read", &json!({ "paths": ["docs/deploy.md"] }));
    assert_eq!(deliveries(&sandbox).len(), count);
}

/// Of a document in pages, only the last page completes it.
#[test]
fn a_part_of_a_document_does_not_count_as_the_whole() {
    let lines: Vec<String> = (0..5_000).map(|n| format!("line {n} about the canary release and its error budget\n")).collect();
    let sandbox = project().file("docs/deploy.md", format!("# Deploying\n\n{}", lines.concat()));
    let mut server = claude(&sandbox, "s");
    let mut result = server.call("read", &json!({ "paths": ["docs/auth.md", "docs/deploy.md"] }));
    let paths = |sandbox: &Sandbox| deliveries(sandbox).into_iter().map(|(_, path)| path).collect::<Vec<_>>();
    assert_eq!(paths(&sandbox), ["docs/auth.md"]);
    while let Some(cursor) = result["_meta"]["brief/about"]["next_cursor"].as_str().map(str::to_owned) {
        assert_eq!(paths(&sandbox), ["docs/auth.md"]);
        result = server.call("read", &json!({ "paths": ["docs/auth.md", "docs/deploy.md"], "cursor": cursor }));
    }
    assert_eq!(paths(&sandbox), ["docs/auth.md", "docs/deploy.md"]);
}

/// Without a usable ledger, `read` answers all the same.
#[test]
fn a_ledger_that_cannot_be_used_costs_no_answer() {
    let sandbox = project().file("~/.local/state/brief", "a file in its place");
    assert!(claude(&sandbox, "s").text("read", &json!({ "paths": ["docs/deploy.md"] })).contains("Drain the canary"));
}
