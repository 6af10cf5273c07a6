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
        let context = self.hook(event, &json!({ "prompt": words }));
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
