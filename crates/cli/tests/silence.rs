//! Every reason for which an event delivers nothing, as the log says it.

use briefing_testkit::Sandbox;
use briefing_testkit::http::{Response, Server};
use serde_json::{Value, json};

use crate::canary::{self, DEPLOY, say};

fn documents() -> Sandbox {
    canary::project()
        .file("docs/billing.md", "# Billing\n\nInvoices are created at the end of the month.\n")
        .file("docs/index.json", r#"["deploy.md","billing.md"]"#)
}

fn tool(sandbox: &Sandbox, number: u32) -> String {
    sandbox.hook(["claude", "PostToolBatch"], &json!({ "tool_calls": [{ "tool_use_id": number.to_string() }] }))
}

/// Returns the newest event of the log.
#[track_caller]
fn newest(sandbox: &Sandbox) -> Value {
    let outcome = sandbox.brief(["log", "--json", "-n", "1"]).success();
    let log: Value = serde_json::from_slice(&outcome.stdout).unwrap();
    log["events"][0].clone()
}

#[track_caller]
fn assert_silent(sandbox: &Sandbox, why: &str, words: &str) -> Value {
    let event = newest(sandbox);
    assert_eq!((&event["outcome"], &event["why"]), (&"silent".into(), &why.into()), "{event:#}");
    let shown = sandbox.clone().env("COLUMNS", "1000").brief(["log", "-n", "1"]).success().stdout();
    assert!(shown.contains(&format!("silent: {words}")), "{shown}");
    event
}

#[test]
fn nothing_is_set_up() {
    let sandbox = Sandbox::new();
    assert_eq!(say(&sandbox, "hello"), "");
    assert_silent(&sandbox, "no-source", "nothing is set up for this directory");
}

#[test]
fn the_agent_takes_no_context() {
    let sandbox = documents();
    assert_eq!(sandbox.hook(["claude", "Stop"], &json!({})), "");
    assert_silent(&sandbox, "carries-nothing", "the agent takes no context at this event");
    // This agent's messages carry nothing; the documents come with the next tool.
    let cursor = json!({ "conversation_id": "c", "prompt": DEPLOY, "workspace_roots": [sandbox.root()] });
    assert_eq!(sandbox.hook(["cursor", "beforeSubmitPrompt"], &cursor), "");
    let event = assert_silent(&sandbox, "carries-nothing", "the agent takes no context at this event");
    assert_eq!(event["message"], DEPLOY, "it is kept, because the next event is decided by it");
}

#[test]
fn everything_came_before() {
    let sandbox = documents().file(".context/CONSTITUTION.md", "# Rules\n\nBe kind.\n");
    assert!(tool(&sandbox, 1).contains("Be kind"));
    assert_eq!(tool(&sandbox, 2), "");
    assert_silent(&sandbox, "nothing-due", "nothing new is due");
}

#[test]
fn the_user_said_nothing() {
    let sandbox = documents();
    say(&sandbox, DEPLOY);
    assert_eq!(say(&sandbox, "<task-notification>the canary release is rolled back</task-notification>"), "");
    assert_silent(&sandbox, "no-message", "the prompt contains no words from the user");
}

#[test]
fn there_are_no_documents_or_none_is_allowed() {
    let sandbox = Sandbox::new().file(".git/HEAD", "").file("brief.toml", "[docs]\nindex = []\n");
    assert_eq!(say(&sandbox, DEPLOY), "");
    assert_silent(&sandbox, "no-documents", "there are no documents to choose from");
    let sandbox = documents().file("brief.toml", "[docs]\nmax_docs = 0\n");
    assert_eq!(say(&sandbox, DEPLOY), "");
    assert_silent(&sandbox, "none-allowed", "`docs.max_docs` is 0");
}

#[test]
fn no_document_fits() {
    let sandbox = documents();
    assert_eq!(say(&sandbox, "thanks"), "");
    let event = assert_silent(&sandbox, "nothing-fits", "the message names no topic");
    assert_eq!((&event["because"], &event["message"]), (&"no-topic".into(), &"thanks".into()));
    assert_eq!(say(&sandbox, "paint the bikeshed green before the party of the month"), "");
    let event = newest(&sandbox);
    assert_eq!(event["why"], "nothing-fits", "{event:#}");
    assert!(event["confidence"].as_f64().unwrap() < event["needed"].as_f64().unwrap(), "{event:#}");
}

#[test]
fn the_window_has_what_fits() {
    let sandbox = documents();
    assert!(say(&sandbox, DEPLOY).contains("rollback"));
    assert_eq!(say(&sandbox, "roll back the canary release, the error budget is gone"), "");
    assert_silent(&sandbox, "in-window", "the window already has what fits");
}

#[test]
fn what_fits_has_no_room() {
    let sandbox = documents().file("brief.toml", "[docs]\nmax_tokens = 10\n");
    assert_eq!(say(&sandbox, DEPLOY), "");
    let event = assert_silent(&sandbox, "left-out", "nothing that was found could be used");
    assert_eq!((&event["notes"][0]["kind"], &event["notes"][0]["path"]), (&"budget".into(), &"docs/deploy.md".into()), "{event:#}");
}

#[test]
fn the_files_have_nothing_to_say() {
    let sandbox = Sandbox::new().file(".context/TASKS.md", "# Tasks\n\n<!-- none yet -->\n");
    assert_eq!(tool(&sandbox, 1), "");
    assert_silent(&sandbox, "empty", "the files here have nothing to say");
}

#[test]
fn documents_are_being_prepared() {
    let sandbox = documents();
    // Without time, an event does not wait until a ledger is made.
    tool(&sandbox, 1);
    let sandbox = sandbox.env("BRIEF_HOOK_DEADLINE_MS", "1");
    assert_eq!(say(&sandbox, DEPLOY), "");
    assert_silent(&sandbox, "preparing", "the documents are still being prepared for search");
}

#[test]
fn a_model_chose_nothing() {
    let server = Server::always(Response::json(json!({ "choices": [{ "message": { "content": "[]" } }] }).to_string())).unwrap();
    let settings = format!("[selector]\nkind = \"openai\"\n[llm]\nbase_url = \"{}/v1\"\nkey_variable = \"\"\n", server.url());
    let sandbox = documents().file("~/.config/brief/brief.toml", settings);
    assert_eq!(say(&sandbox, DEPLOY), "");
    assert_silent(&sandbox, "none-chosen", "the model chose no document");
}

/// An agent that runs tools at the same time orders their texts by tool, so the second one waits.
#[test]
fn a_parallel_tool_has_just_received_something() {
    let sandbox = Sandbox::new().file(".context/CONSTITUTION.md", format!("# Rules\n\n{}", "Be kind to every reader.\n".repeat(4000)));
    let tool = |number: u32| sandbox.hook(["codex", "PostToolUse"], &json!({ "tool_use_id": number.to_string() }));
    assert!(tool(1).contains("Be kind"));
    assert_eq!(tool(2), "");
    assert_silent(&sandbox, "held-back", "another tool call has just received something; this waits");
}

#[test]
fn without_a_ledger_a_tool_event_would_repeat_itself() {
    let sandbox = documents().file(".context/CONSTITUTION.md", "# Rules\n\nBe kind.\n");
    tool(&sandbox, 1);
    let ledger = sandbox.home().join(".local/state/brief/ledger.db");
    let newer =
        |version: u32| rusqlite::Connection::open(&ledger).unwrap().execute_batch(&format!("PRAGMA user_version = {version}")).unwrap();
    newer(9000);
    assert!(tool(&sandbox, 2).contains("Be kind"), "once more, because nothing is known");
    assert_eq!(tool(&sandbox, 3), "");
    newer(1005);
    assert_silent(&sandbox, "not-remembered", "there is no ledger, and this event would repeat itself");
}

/// Events that were not answered have an outcome of their own.
#[test]
fn other_outcomes_say_what_happened() {
    let sandbox = documents();
    let outcome = |sandbox: &Sandbox| newest(sandbox)["outcome"].clone();
    assert_eq!(sandbox.hook(["claude", "Nonsense"], &json!({})), "");
    assert_eq!(outcome(&sandbox), "unknown-event");
    let _ = sandbox.brief_with_input(["hook", "claude", "Stop"], "{").success();
    assert_eq!(outcome(&sandbox), "bad-input");
    assert_eq!(sandbox.clone().env("COPILOT_CLI", "1").hook(["claude", "Stop"], &json!({})), "");
    assert_eq!(outcome(&sandbox), "foreign");
    sandbox.hook(["gemini", "BeforeAgent"], &json!({ "prompt": DEPLOY }));
    assert_eq!(outcome(&sandbox), "delivered");
    assert_eq!(sandbox.hook(["gemini", "PreCompress"], &json!({ "trigger": "manual" })), "");
    assert_eq!(outcome(&sandbox), "emptied");
    let shown = sandbox.brief(["log"]).success().stdout();
    for words in ["Nonsense: silent: unknown event", "silent: called by another agent", "PreCompress: the window was emptied"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
}
