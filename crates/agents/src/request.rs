//! Who asks, where, at which moment, with which words: one type for all agents.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use crate::agent::{Agent, Event, When};
use crate::render::MARK;

/// Why a session begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Startup,
    Resume,
    Clear,
    Compact,
    Fork,
}

/// A hook call, read.
#[derive(Debug, Clone)]
pub struct Request {
    pub agent: &'static Agent,
    pub event: &'static Event,
    /// The agent's own id of the session.
    pub session: String,
    /// The sub-agent within it.
    pub sub_agent: Option<String>,
    pub cwd: Option<PathBuf>,
    /// The file with the session's history; it need not exist yet.
    pub transcript: Option<PathBuf>,
    /// Why the session begins; events other than its start count as startup.
    pub source: Source,
    /// The user's own words.
    pub message: Option<String>,
    /// What tells this event from others of the session, equal for all its lanes.
    pub occasion: String,
    /// The window is emptied by or at this event.
    pub is_reset: bool,
}

/// Why a payload is of no use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestProblem {
    #[error("the input is not valid JSON: {0}")]
    NotJson(String),
    #[error("the input names no session (`{0}`)")]
    NoSession(&'static str),
}

/// Fields that some agents send beside those of the table.
const TRIGGER: &str = "trigger";
const TOOL_CALLS: &str = "tool_calls";

impl Request {
    /// Reads an agent's payload. Unknown fields are skipped unread; fields of a wrong type count as missing.
    pub fn read(agent: &'static Agent, event: &'static Event, bytes: &[u8]) -> Result<Self, RequestProblem> {
        let fields = &agent.fields;
        let wanted = [
            fields.session,
            fields.cwd,
            fields.message,
            fields.source,
            fields.transcript,
            fields.sub_agent,
            fields.turn,
            fields.tool_use,
            TRIGGER,
            TOOL_CALLS,
        ];
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let mut json = serde_json::Deserializer::from_slice(bytes);
        let found = json.deserialize_map(Wanted(&wanted)).map_err(|error| RequestProblem::NotJson(error.to_string()))?;
        let text = |name: &str| found.get(name).and_then(text_of).filter(|text| !text.is_empty());
        let sub_agent = text(fields.sub_agent);
        let named = text(fields.session).ok_or(RequestProblem::NoSession(fields.session))?;
        let session = sub_agent.clone().filter(|_| agent.sub_agent_is_session).unwrap_or(named);
        let source = match text(fields.source).as_deref() {
            Some("resume") => Source::Resume,
            Some("clear") => Source::Clear,
            Some("compact") => Source::Compact,
            Some("fork") => Source::Fork,
            _ => Source::Startup,
        };
        let is_manual = text(TRIGGER).as_deref() == Some("manual");
        let is_reset = match event.when {
            When::Session => source == Source::Compact,
            When::Reset => true,
            When::ManualReset => is_manual,
            _ => false,
        };
        let occasion = [text(fields.source), text(fields.turn), text(fields.tool_use), text(TOOL_CALLS)];
        let message = text(fields.message).and_then(|message| own_words(&message));
        Ok(Self {
            agent,
            event,
            session,
            sub_agent,
            cwd: text(fields.cwd).map(PathBuf::from).filter(|path| path.is_absolute()),
            transcript: text(fields.transcript).map(PathBuf::from).filter(|path| path.is_absolute()),
            source,
            message,
            occasion: format!("{} {}", event.name, occasion.into_iter().flatten().collect::<Vec<_>>().join(" ")),
            is_reset,
        })
    }
}

/// Returns the text of a value: itself, the first of a list, or the id of the first tool call.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => items.first().and_then(text_of),
        Value::Object(call) => call.get("tool_use_id").and_then(text_of),
        _ => None,
    }
}

/// Returns the part of a prompt that the user wrote; `None` where nobody did.
///
/// A finished background task arrives as a prompt, and Gemini puts our own context of the session's start before it.
fn own_words(prompt: &str) -> Option<String> {
    let mut rest = prompt.trim();
    while let Some(inside) = rest.strip_prefix("<hook_context>") {
        rest = inside.split_once("</hook_context>").map_or("", |(_, after)| after.trim_start());
    }
    let is_theirs = rest.is_empty() || rest.starts_with("<task-notification>") || rest.starts_with(MARK);
    (!is_theirs).then(|| rest.to_owned())
}

/// Keeps the wanted fields of an object, the last where one comes twice, and skips everything else.
struct Wanted<'a>(&'a [&'static str]);

impl<'de> Visitor<'de> for Wanted<'_> {
    type Value = BTreeMap<&'static str, Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = BTreeMap::new();
        while let Some(name) = map.next_key::<std::borrow::Cow<'_, str>>()? {
            match self.0.iter().find(|wanted| **wanted == name && !wanted.is_empty()) {
                Some(wanted) => {
                    found.insert(*wanted, map.next_value()?);
                }
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::find;

    fn read(agent: &str, event: &str, payload: &str) -> Result<Request, RequestProblem> {
        let agent = find(agent).unwrap();
        Request::read(agent, agent.event(event).unwrap(), payload.as_bytes())
    }

    #[test]
    fn words_that_nobody_wrote_are_no_message() {
        for prompt in ["", "  ", "<task-notification>\\n<task-id>a</task-id>", "<hook_context>ours</hook_context>\\n"] {
            let request = read("claude", "UserPromptSubmit", &format!(r#"{{"session_id":"s","prompt":"{prompt}"}}"#)).unwrap();
            assert_eq!(request.message, None, "{prompt}");
        }
        let request = read("gemini", "BeforeAgent", r#"{"session_id":"s","prompt":"<hook_context>a</hook_context>\n\nfix it"}"#).unwrap();
        assert_eq!(request.message.as_deref(), Some("fix it"));
    }

    #[test]
    fn wrong_types_and_doubled_fields_do_no_harm() {
        let request = read("claude", "UserPromptSubmit", r#"{"session_id":"a","session_id":"b","cwd":7,"prompt":{"x":1}}"#).unwrap();
        assert_eq!((request.session.as_str(), request.cwd, request.message), ("b", None, None));
        assert!(matches!(read("claude", "Stop", r#"{"session_id":5}"#), Err(RequestProblem::NoSession("session_id"))));
        assert!(matches!(read("claude", "Stop", "{nonsense}"), Err(RequestProblem::NotJson(_))));
    }

    #[test]
    fn only_what_is_proven_empties_the_window() {
        assert!(read("claude", "SessionStart", r#"{"session_id":"s","source":"compact"}"#).unwrap().is_reset);
        assert!(!read("claude", "PreCompact", r#"{"session_id":"s","trigger":"auto"}"#).unwrap().is_reset);
        assert!(read("copilot", "preCompact", r#"{"sessionId":"s","trigger":"auto"}"#).unwrap().is_reset);
        assert!(read("gemini", "PreCompress", r#"{"session_id":"s","trigger":"manual"}"#).unwrap().is_reset);
        assert!(!read("gemini", "PreCompress", r#"{"session_id":"s","trigger":"auto"}"#).unwrap().is_reset);
    }
}
