//! A request: the session, directory, event and message, in one type for all agents.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::agent::{Agent, Event};
use crate::fields::{self, TOOL_CALLS};
use crate::transcripts;
use briefing_core::render::window::MARK;
use briefing_core::sources::instructions::{Touch, in_message};
use briefing_core::{Moment, Source};

/// How a session begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    Startup,
    Resume,
    Clear,
    Compact,
    Fork,
}

/// The handler of an event that this process is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lane {
    /// The number of the lane, starting at 1.
    pub number: u8,
    /// Whether the agent's own size limit is lifted for this handler. The installer writes `whole` together with the
    /// setting that lifts the limit.
    pub is_whole: bool,
}

impl Lane {
    /// Parses the third argument of `brief hook AGENT EVENT [LANE]`. An invalid argument counts as lane 1.
    pub fn read(word: Option<&str>) -> Self {
        match word {
            Some("whole") => Self { number: 1, is_whole: true },
            Some(number) => Self { number: number.parse().ok().filter(|number| (1..=16).contains(number)).unwrap_or(1), is_whole: false },
            None => Self { number: 1, is_whole: false },
        }
    }
}

/// An event of a session, from a hook or from another caller.
#[derive(Debug, Clone)]
pub struct Request {
    pub agent: &'static Agent,
    pub event: &'static Event,
    pub lane: Lane,
    /// Restricts the output to this source and ignores the agent's cap, as the command of spec 2 does.
    pub only: Option<Source>,
    /// The agent's own process, if known.
    pub client: Option<u32>,
    /// When the request began. The deadline counts from here.
    pub started: Instant,
    /// How long the request may take. Overrides the deadline in the settings.
    pub patience: Option<Duration>,
    /// The agent's own id of the session.
    pub session: String,
    /// The sub-agent's id, inside a sub-agent.
    pub sub_agent: Option<String>,
    pub cwd: Option<PathBuf>,
    /// The file with the session's history. It may not exist yet.
    pub transcript: Option<PathBuf>,
    /// How the session begins. `Startup` at all events other than its start.
    pub start: Start,
    /// The user's own words.
    pub message: Option<String>,
    /// Whether the agent keeps what this event carries when the session is resumed, if it keeps messages.
    pub is_kept: bool,
    /// The paths in the message and in the inputs of tools.
    pub touches: Vec<Touch>,
    /// Identifies the event within its session. Equal for all lanes of the event.
    pub occasion: String,
    /// Whether this event empties the window.
    pub is_reset: bool,
}

/// Why a payload cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestProblem {
    #[error("the input is not valid JSON: {0}")]
    NotJson(String),
    #[error("the input has no session id (`{0}`)")]
    NoSession(&'static str),
}

/// Fields that some agents send in addition to those of the table.
const TRIGGER: &str = "trigger";

impl Request {
    /// Returns a request for a user's message that does not come from a hook. `turn` identifies the message in its session.
    ///
    /// Returns `None` if the agent has no event for messages.
    pub fn message(agent: &'static Agent, session: &str, here: PathBuf, message: &str, turn: &str) -> Option<Self> {
        let event = agent.events.iter().find(|event| event.moment == Moment::Message)?;
        Some(Self {
            agent,
            event,
            lane: Lane { number: 1, is_whole: true },
            only: None,
            client: None,
            started: Instant::now(),
            patience: None,
            session: session.to_owned(),
            sub_agent: None,
            cwd: Some(here),
            transcript: None,
            start: Start::Startup,
            message: own_words(message),
            is_kept: true,
            touches: own_words(message).map(|words| in_message(&words)).unwrap_or_default(),
            occasion: format!("{} {turn}", event.name),
            is_reset: false,
        })
    }

    /// Returns the directory of the request, or the process's own if the payload has no usable one.
    pub fn directory(&self) -> PathBuf {
        let named = self.cwd.clone().filter(|path| path.is_dir());
        named.or_else(|| std::env::current_dir().ok()).unwrap_or_else(|| PathBuf::from("/"))
    }

    /// Returns the moment that carries what is delivered now.
    ///
    /// Qwen sends its message event after a tool too, with an empty prompt, and for a message that was typed while the model
    /// worked. It keeps what these carried no longer than a tool's context.
    pub fn carrying_moment(&self) -> Moment {
        match self.event.moment {
            Moment::Message if self.message.is_none() || !self.is_kept => Moment::Tool,
            moment => moment,
        }
    }

    /// Reads an agent's payload. Unknown fields are skipped; fields of a wrong type count as missing.
    pub fn read(agent: &'static Agent, event: &'static Event, bytes: &[u8]) -> Result<Self, RequestProblem> {
        let names = &agent.fields;
        let wanted = [
            names.session,
            names.cwd,
            names.message,
            names.source,
            names.transcript,
            names.sub_agent,
            names.turn,
            names.tool_use,
            names.kept,
            TRIGGER,
            TOOL_CALLS,
        ];
        let found = fields::read(bytes, &wanted).map_err(|error| RequestProblem::NotJson(error.to_string()))?;
        let text = |name: &str| found.get(name).filter(|text| !text.is_empty()).cloned();
        let sub_agent = text(names.sub_agent);
        let own = text(names.session).ok_or(RequestProblem::NoSession(names.session))?;
        let session = sub_agent.clone().filter(|_| agent.sub_agent_is_session).unwrap_or(own);
        let start = match text(names.source).as_deref() {
            Some("resume") => Start::Resume,
            Some("clear") => Start::Clear,
            Some("compact") => Start::Compact,
            Some("fork") => Start::Fork,
            _ => Start::Startup,
        };
        let transcript = text(names.transcript).map(PathBuf::from).filter(|path| path.is_absolute());
        let is_manual = text(TRIGGER).as_deref() == Some("manual");
        let is_reset = match event.moment {
            Moment::Session => start == Start::Compact || (start == Start::Clear && agent.keeps_id_at_clear),
            Moment::Reset => true,
            // It may come to nothing, so the transcript decides at the next message. Where there is none, it is believed.
            Moment::ManualReset => is_manual && !transcript.as_deref().is_some_and(transcripts::is_readable),
            _ => false,
        };
        // Two messages may share a turn: Claude gives one that is typed while the model works the id of the running prompt.
        let said = text(names.message).map(|message| blake3::hash(message.as_bytes()).to_hex()[..16].to_owned());
        let occasion = [text(names.source), text(names.turn), text(names.tool_use), text(TOOL_CALLS), said];
        let message = text(names.message).and_then(|message| own_words(&message));
        let touches = match event.moment {
            Moment::Message => message.as_deref().map(in_message).unwrap_or_default(),
            Moment::Tool => fields::touched(bytes, names.tool_input),
            _ => Vec::new(),
        };
        Ok(Self {
            agent,
            event,
            lane: Lane::read(None),
            only: None,
            client: None,
            started: Instant::now(),
            patience: None,
            session,
            sub_agent,
            cwd: text(names.cwd).map(PathBuf::from).filter(|path| path.is_absolute()),
            transcript,
            start,
            message,
            is_kept: names.kept.is_empty() || text(names.kept).is_some(),
            touches,
            occasion: format!("{} {}", event.name, occasion.into_iter().flatten().collect::<Vec<_>>().join(" ")),
            is_reset,
        })
    }
}

/// How the notice of a finished background task begins, which arrives as a prompt.
const NOTICES: [&str; 2] = ["<task-notification>", "<system_notification>"];

/// Returns the part of a prompt that the user wrote, if any.
///
/// A finished background task arrives as a prompt, and Gemini puts our context from the session's start before the
/// user's prompt.
fn own_words(prompt: &str) -> Option<String> {
    let mut rest = prompt.trim();
    while let Some(inside) = rest.strip_prefix("<hook_context>") {
        rest = inside.split_once("</hook_context>").map_or("", |(_, after)| after.trim_start());
    }
    let is_generated = rest.is_empty() || NOTICES.iter().any(|notice| rest.starts_with(notice)) || rest.starts_with(MARK);
    (!is_generated).then(|| rest.to_owned())
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
    fn generated_prompts_are_no_message() {
        for prompt in [
            "",
            "  ",
            "<task-notification>\\n<task-id>a</task-id>",
            "<system_notification>\\nShell command",
            "<hook_context>ours</hook_context>\\n",
        ] {
            let request = read("claude", "UserPromptSubmit", &format!(r#"{{"session_id":"s","prompt":"{prompt}"}}"#)).unwrap();
            assert_eq!(request.message, None, "{prompt}");
        }
        let request = read("gemini", "BeforeAgent", r#"{"session_id":"s","prompt":"<hook_context>a</hook_context>\n\nfix it"}"#).unwrap();
        assert_eq!(request.message.as_deref(), Some("fix it"));
    }

    #[test]
    fn wrong_types_and_repeated_fields_are_accepted() {
        let request = read("claude", "UserPromptSubmit", r#"{"session_id":"a","session_id":"b","cwd":7,"prompt":{"x":1}}"#).unwrap();
        assert_eq!((request.session.as_str(), request.cwd, request.message), ("b", None, None));
        assert!(matches!(read("claude", "Stop", r#"{"session_id":5}"#), Err(RequestProblem::NoSession("session_id"))));
        assert!(matches!(read("claude", "Stop", "{nonsense}"), Err(RequestProblem::NotJson(_))));
    }

    #[test]
    fn half_a_character_does_not_lose_the_event() {
        let payload = r#"{"session_id":"s","cwd":"/p","prompt":"fix \ud83d it","tool_response":"\udc00","\ud800":"\ud800"}"#;
        let request = read("claude", "UserPromptSubmit", payload).unwrap();
        assert_eq!((request.session.as_str(), request.message.as_deref()), ("s", Some("fix \u{FFFD} it")));
        assert_eq!(request.cwd, Some("/p".into()));
    }

    #[test]
    fn only_certain_events_empty_the_window() {
        assert!(read("claude", "SessionStart", r#"{"session_id":"s","source":"compact"}"#).unwrap().is_reset);
        assert!(!read("claude", "SessionStart", r#"{"session_id":"s","source":"clear"}"#).unwrap().is_reset, "its id is new");
        assert!(read("generic", "session-start", r#"{"session":"s","source":"clear"}"#).unwrap().is_reset);
        assert!(!read("claude", "PreCompact", r#"{"session_id":"s","trigger":"auto"}"#).unwrap().is_reset);
        assert!(read("copilot", "preCompact", r#"{"sessionId":"s","trigger":"auto"}"#).unwrap().is_reset);
        assert!(read("gemini", "PreCompress", r#"{"session_id":"s","trigger":"manual"}"#).unwrap().is_reset);
        assert!(!read("gemini", "PreCompress", r#"{"session_id":"s","trigger":"auto"}"#).unwrap().is_reset);
    }
}
