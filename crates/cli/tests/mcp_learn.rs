//! Writes through the MCP server: the user confirms, a model cannot.

use briefing_testkit::Sandbox;
use briefing_testkit::mcp::{Era, Server};
use serde_json::{Value, json};

use crate::mcp::{connect, project};

fn can_ask() -> Value {
    json!({ "elicitation": { "form": {}, "url": {} } })
}

fn decision() -> Value {
    json!({ "kind": "decision", "title": "Use Postgres", "context": "two servers", "rationale": "it is shared" })
}

fn knowledge() -> Value {
    json!({ "kind": "knowledge", "title": "Prices are in cents", "topics": "money", "body": "Never floats." })
}

fn is_written(sandbox: &Sandbox) -> bool {
    sandbox.read(".context/DECISIONS.md").contains("Use Postgres")
}

/// Asks for a decision in the new era, and returns the question.
fn asked(server: &mut Server, arguments: &Value) -> Value {
    let result = server.call("learn", arguments);
    assert_eq!(result["resultType"], "input_required", "{result}");
    assert_eq!(result["inputRequests"]["confirm"]["method"], "elicitation/create", "{result}");
    result
}

fn answered(server: &mut Server, arguments: &Value, question: &Value, action: &str) -> Value {
    let responses = json!({ "confirm": { "action": action, "content": {} } });
    let params = json!({ "name": "learn", "arguments": arguments, "inputResponses": responses, "requestState": question["requestState"] });
    server.request("tools/call", params)
}

#[test]
fn in_the_new_era_the_user_is_asked_between_two_calls() {
    let sandbox = project();
    let mut server = Server::connect(&sandbox, Era::Modern, "claude-code", can_ask());
    let question = asked(&mut server, &decision());
    let message = question["inputRequests"]["confirm"]["params"]["message"].as_str().unwrap();
    assert!(message.contains("+## [2026-11-15-120000] Use Postgres"), "the diff is shown: {message}");
    assert!(!is_written(&sandbox));
    for action in ["decline", "cancel"] {
        let refused = answered(&mut server, &decision(), &question, action);
        assert!(refused["isError"] == true && !is_written(&sandbox), "{refused}");
    }
    let written = answered(&mut server, &decision(), &question, "accept");
    assert!(written["structuredContent"]["diff"].as_str().unwrap().contains("+## [2026-11-15-120000] Use Postgres"), "{written}");
    assert!(is_written(&sandbox));
}

/// What was agreed to is what is written: other arguments, or a file that has changed, lead to another question.
#[test]
fn consent_is_for_what_was_shown() {
    let sandbox = project();
    let mut server = Server::connect(&sandbox, Era::Modern, "claude-code", can_ask());
    let question = asked(&mut server, &knowledge());
    let other = answered(&mut server, &decision(), &question, "accept");
    assert_eq!(other["resultType"], "input_required", "{other}");
    sandbox.write(".megg/knowledge.md", "# Knowledge\n\nwritten anew\n");
    let changed = answered(&mut server, &knowledge(), &question, "accept");
    assert_eq!(changed["resultType"], "input_required", "{changed}");
    assert!(!is_written(&sandbox) && !sandbox.read(".megg/knowledge.md").contains("cents"));
    // Neither an argument nor a made-up state is consent.
    for state in ["", "x", "2026-11-15T12:00:00Z 00000000000000000000000000000000", "1970-01-01T00:00:00Z x"] {
        let made_up = answered(&mut server, &decision(), &json!({ "requestState": state }), "accept");
        assert_eq!(made_up["resultType"], "input_required", "{made_up}");
    }
    let confirmed = server.error("learn", &json!({ "kind": "decision", "title": "x", "confirm": true }));
    assert!(confirmed.contains("unknown field `confirm`"), "{confirmed}");
}

#[test]
fn in_the_old_era_the_client_is_asked_during_the_call() {
    for (action, expected) in [("accept", true), ("decline", false), ("cancel", false)] {
        let sandbox = project();
        let mut server = Server::connect(&sandbox, Era::Legacy, "codex-mcp-client", json!({ "elicitation": {} }));
        let id = server.send("tools/call", json!({ "name": "learn", "arguments": decision() }));
        let question = server.message();
        assert_eq!(question["method"], "elicitation/create", "{question}");
        assert!(question["params"]["message"].as_str().unwrap().contains("Use Postgres"), "{question}");
        // Other calls are answered while the user thinks.
        assert_ne!(server.text("maintain", &json!({})), "");
        server.write(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": action, "content": {} } }));
        let answer = server.answer(id);
        assert_eq!(answer["result"]["isError"] != true, expected, "{answer}");
        assert_eq!(is_written(&sandbox), expected, "{action}");
    }
}

#[test]
fn a_client_that_cannot_ask_needs_the_users_own_setting() {
    let sandbox = project().file("brief.toml", "[mcp]\nwrite = true\n");
    for era in [Era::Legacy, Era::Modern] {
        let said = connect(&sandbox, era).error("learn", &decision());
        assert!(said.contains("cannot ask the user") && said.contains("mcp.write"), "a repository cannot allow it: {said}");
    }
    assert!(!is_written(&sandbox));
    sandbox.write("~/.config/brief/brief.toml", "[mcp]\nwrite = true\n");
    let written = connect(&sandbox, Era::Legacy).text("learn", &decision());
    assert!(written.contains("Added to ") && written.contains("+**Rationale**: it is shared"), "{written}");
    assert!(is_written(&sandbox));
    let learned = connect(&sandbox, Era::Modern).text("learn", &knowledge());
    assert!(learned.contains("+## 2026-11-15 - Prices are in cents"), "{learned}");
    assert!(sandbox.read(".megg/knowledge.md").contains("**Topics:** money\n\nNever floats."));
    let lesson = json!({ "kind": "learning", "title": "Flaky tests hide bugs", "context": "a red Friday", "body": "Fix them first." });
    let _ = connect(&sandbox, Era::Modern).text("learn", &lesson);
    assert!(sandbox.read(".context/LEARNINGS.md").contains("**Lesson**: Fix them first."));
}

#[test]
fn secrets_are_refused_as_on_the_command_line() {
    let sandbox = project().file("~/.config/brief/brief.toml", "[mcp]\nwrite = true\n");
    let secret = "postgres://bob:hunter2-is-long-enough@db/x";
    let mut server = connect(&sandbox, Era::Modern);
    for kind in ["knowledge", "decision", "learning"] {
        let arguments = json!({ "kind": kind, "title": "x", "context": "y", "rationale": "z", "topics": "t", "body": secret });
        let said = server.error("learn", &arguments);
        assert!(said.contains("contains a secret") && !said.contains("hunter2"), "{kind}: {said}");
    }
    for command in [["decision", "add"], ["learning", "add"]] {
        let refused = sandbox
            .brief([command[0], command[1], "x", "--context", secret, "--rationale", "z"].into_iter().take(if command[0] == "learning" {
                5
            } else {
                7
            }))
            .code(1);
        assert!(refused.stderr().contains("contains a secret"), "{refused}");
    }
}
