//! What a transcript says about the window: a compaction that was announced and did not happen, one that was not announced.

use std::fs;
use std::path::PathBuf;

use briefing_testkit::Sandbox;
use serde_json::{Value, json};

/// A session whose client shortens its window without a reliable event.
struct Session {
    sandbox: Sandbox,
    agent: &'static str,
    transcript: PathBuf,
}

impl Session {
    fn of(agent: &'static str) -> Self {
        let sandbox = Sandbox::new()
            .file(".megg/info.md", "# Shop\n\nSells <things>.\n")
            .file(".context/CONSTITUTION.md", "# Rules\n\nrule one\n")
            .file(".context/CONVENTIONS.md", "# Conventions\n\nconvention one\n");
        let transcript = sandbox.home().join("transcript.jsonl");
        Self { sandbox, agent, transcript }
    }

    fn hook(&self, event: &str, more: &Value) -> String {
        let mut payload = json!({ "transcript_path": self.transcript });
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.sandbox.hook([self.agent, event], &payload)
    }

    /// Sends a message, and writes down what the model receives.
    fn say(&self, words: &str) -> String {
        let event = if self.agent == "gemini" { "BeforeAgent" } else { "UserPromptSubmit" };
        let context = self.hook(event, &json!({ "prompt": words, "submitted_prompt": words }));
        let escaped = context.replace('<', "&lt;").replace('>', "&gt;");
        let parts = json!([{ "text": words }, { "text": escaped }]);
        let (user, answer) = if self.agent == "gemini" {
            (json!({ "type": "user", "content": parts }), json!({ "type": "gemini" }))
        } else {
            (json!({ "type": "user", "message": { "parts": parts } }), json!({ "type": "assistant" }))
        };
        self.record(&user);
        self.record(&answer);
        context
    }

    fn record(&self, record: &Value) {
        let text = fs::read_to_string(&self.transcript).unwrap_or_default();
        fs::write(&self.transcript, format!("{text}{record}\n")).unwrap();
    }

    /// The user asks for a compaction, and the client announces it.
    fn announce(&self) {
        let event = if self.agent == "gemini" { "PreCompress" } else { "PreCompact" };
        assert_eq!(self.hook(event, &json!({ "trigger": "manual" })), "");
    }

    /// The client replaces its window by a summary and these messages.
    fn replace(&self, kept: &[&str]) {
        let messages: Vec<Value> = ["a summary"].iter().chain(kept).map(|text| json!({ "content": [{ "text": text }] })).collect();
        self.record(&match self.agent {
            "gemini" => json!({ "$set": { "messages": messages } }),
            _ => json!({ "type": "system", "subtype": "chat_compression", "systemPayload": { "compressedHistory": messages } }),
        });
    }
}

#[test]
fn a_compaction_that_is_announced_and_does_not_happen_repeats_nothing() {
    for agent in ["gemini", "qwen"] {
        let session = Session::of(agent);
        session.hook("SessionStart", &json!({ "source": "startup" }));
        assert!(session.say("hello").contains("rule one"), "{agent}");
        session.announce();
        assert_eq!(session.say("it was not worth it"), "", "{agent}: the window is as it was");
        session.announce();
        session.replace(&[]);
        let again = session.say("this time it was");
        assert!(again.contains("rule one") && again.contains("convention one"), "{agent}: {again}");
        assert_eq!(session.say("and now"), "", "{agent}: once");
    }
}

#[test]
fn what_a_compaction_keeps_is_not_repeated() {
    for agent in ["gemini", "qwen"] {
        let session = Session::of(agent);
        let start = session.hook("SessionStart", &json!({ "source": "startup" }));
        let first = session.say("hello");
        assert!(first.contains("rule one") && (start.clone() + &first).contains("Sells"), "{agent}: {first}");
        session.replace(&[&first.replace('<', "&lt;").replace('>', "&gt;")]);
        assert_eq!(session.say("and now"), "", "{agent}: it is among the messages that are left");
        session.replace(&[]);
        let again = session.say("and now again");
        assert!(again.contains("rule one"), "{agent}: {again}");
        // Qwen's session text is part of the system prompt, which no compaction touches.
        assert_eq!(again.contains("Sells"), agent == "gemini", "{agent}: {again}");
    }
}

/// Qwen can be told to keep no transcript.
#[test]
fn without_a_transcript_the_announcement_is_believed() {
    for agent in ["gemini", "qwen"] {
        let session = Session::of(agent);
        assert!(session.say("hello").contains("rule one"), "{agent}");
        fs::remove_file(&session.transcript).unwrap();
        session.announce();
        assert!(session.say("and now").contains("rule one"), "{agent}");
    }
}

#[test]
fn a_transcript_is_read_once() {
    let session = Session::of("gemini");
    assert!(session.say("hello").contains("rule one"));
    for number in 0..400 {
        session.record(&json!({ "type": "gemini", "content": format!("{number} {}", "x".repeat(500)) }));
    }
    session.replace(&["a summary"]);
    assert!(session.say("again").contains("rule one"));
    assert_eq!(session.say("what was replaced was dealt with"), "");
    // What was read before is not looked at again: a client does not change it.
    let text = fs::read_to_string(&session.transcript).unwrap();
    let mut garbled = "{}\n{\"$set\":{\"messages\":[]}}\n".to_owned();
    garbled.push_str(&" ".repeat(text.len() - garbled.len()));
    fs::write(&session.transcript, garbled).unwrap();
    session.record(&json!({ "type": "gemini" }));
    assert_eq!(session.say("only what was added counts"), "");
}

/// OpenCode keeps the end of a conversation when it compacts it, and its database says from which message on.
#[test]
fn what_opencode_keeps_at_the_end_of_a_conversation_is_not_repeated() {
    let sandbox = Sandbox::new()
        .file(".context/CONSTITUTION.md", "# Rules\n\nrule one\n")
        .file("docs/index.json", r#"["auth.md"]"#)
        .file("docs/auth.md", "# Authentication\n\nUsers sign in with a session cookie.\n")
        .file("~/.local/share/opencode/kept", "");
    let file = sandbox.home().join(".local/share/opencode/opencode.db");
    let database = rusqlite::Connection::open(file).unwrap();
    database
        .execute_batch(
            "CREATE TABLE session (id TEXT); INSERT INTO session VALUES ('s');
             CREATE TABLE message (id TEXT, data TEXT);
             CREATE TABLE part (message_id TEXT, session_id TEXT, time_created INTEGER, data TEXT)",
        )
        .unwrap();
    let part = |message: &str, data: Value| {
        let insert = "INSERT INTO part VALUES (?1, 's', 0, ?2)";
        database.execute(insert, [message, &data.to_string()]).unwrap();
    };
    let say = |message: &str, words: &str| {
        let context = sandbox.hook(["opencode", "chat.message"], &json!({ "session": "s", "message": words }));
        part(message, json!({ "type": "text", "text": context }));
        context
    };
    assert!(say("msg_1", "hello there").contains("rule one"));
    assert!(say("msg_2", "how do users sign in with a session cookie?").contains("Users sign in"));
    part("msg_3", json!({ "type": "compaction", "tail_start_id": "msg_2" }));
    assert_eq!(sandbox.hook(["opencode", "session.compacted"], &json!({ "session": "s" })), "");
    let again = say("msg_4", "how long may users sign in with the same session cookie?");
    assert!(again.contains("rule one") && !again.contains("Users sign in"), "the rules are gone, the document is not: {again}");
    part("msg_5", json!({ "type": "compaction" }));
    assert_eq!(sandbox.hook(["opencode", "session.compacted"], &json!({ "session": "s" })), "");
    let again = say("msg_6", "how do users sign in with a session cookie twice?");
    assert!(again.contains("rule one") && again.contains("Users sign in"), "nothing was left: {again}");
}

/// Claude's records name the one before them. A message that continues from an earlier one cuts off what came between.
#[test]
fn what_the_user_went_back_over_comes_again() {
    let sandbox = Sandbox::new().file(".context/CONSTITUTION.md", "# Rules\n\nrule one\n");
    let transcript = sandbox.home().join("transcript.jsonl");
    let record = |record: Value| {
        let text = fs::read_to_string(&transcript).unwrap_or_default();
        fs::write(&transcript, format!("{text}{record}\n")).unwrap();
    };
    let say = |id: &str, parent: &str| {
        let payload = json!({ "transcript_path": transcript, "prompt": id, "prompt_id": id });
        let context = sandbox.hook(["claude", "UserPromptSubmit"], &payload);
        record(json!({ "type": "user", "uuid": id, "parentUuid": parent, "origin": { "kind": "human" } }));
        context
    };
    let tool = |id: &str, parent: &str| {
        let payload = json!({ "transcript_path": transcript, "tool_calls": [{ "tool_use_id": id }] });
        let context = sandbox.hook(["claude", "PostToolBatch"], &payload);
        let attachment = json!({ "type": "hook_additional_context", "content": [context] });
        record(json!({ "type": "attachment", "uuid": id, "parentUuid": parent, "attachment": attachment }));
        context
    };
    say("one", "");
    say("two", "one");
    assert!(tool("a", "two").contains("rule one"));
    assert_eq!(say("three", "a"), "");
    assert_eq!(tool("b", "three"), "");
    // The user goes back to before the second message.
    assert_eq!(say("four", "one"), "");
    assert_eq!(say("five", "four"), "");
    assert!(tool("c", "five").contains("rule one"), "it was cut off");
    assert_eq!(say("six", "c"), "");
    assert_eq!(tool("d", "six"), "");
}
