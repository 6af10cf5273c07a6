//! A mock of the model APIs that agent clients talk to.
//!
//! It implements enough of Anthropic Messages, `OpenAI` Responses, `OpenAI` Chat Completions and Gemini for the real
//! clients to finish their turns. It records every request in order and answers with the test's [`Script`]. It asserts
//! nothing: tests check what reached the model with [`ModelRequest`].
//!
//! Side requests (titles, topics, routing, token counts, summaries for a compaction) are recognised and answered
//! without using up the script; they are recorded too, with their [`Kind`].
//!
//! The clients run without network access; [`crate::clients`] starts this server in their cell. Other tests use it
//! directly, as an `OpenAI`-compatible endpoint that behaves well:
//!
//! ```
//! use briefing_testkit::model_api::{ModelApi, Script};
//! let api = ModelApi::start(Script::new().text("[1, 2]")).unwrap();
//! assert!(api.url().starts_with("http://127.0.0.1:"));
//! assert!(api.requests().is_empty());
//! ```

mod anthropic;
mod chat;
mod gemini;
mod parts;
mod request;
mod responses;
mod script;

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

pub use parts::{Part, Role};
pub use request::{Api, Kind, ModelRequest};
pub use script::{Call, Reply, Script};

use crate::http::{Request, Response, Server};

/// The answer to every request for a summary, with the tags that Claude and Gemini expect.
pub const SUMMARY: &str = "<analysis>short</analysis>\n<summary>SUMMARY-OF-THE-CONVERSATION</summary>";

/// An answer of the model whose calls have the names of tools that the request offers.
pub(crate) struct Answer {
    text: Option<String>,
    calls: Vec<NamedCall>,
    input_tokens: u64,
    /// Makes ids unique within one server, so that a client never confuses two calls.
    serial: usize,
}

pub(crate) struct NamedCall {
    name: String,
    /// The group of the tool, if the API has groups (Codex).
    namespace: Option<String>,
    arguments: Value,
}

/// A running mock; it stops when dropped.
pub struct ModelApi {
    server: Server,
    desk: Desk,
}

impl ModelApi {
    /// Starts on a free loopback port.
    pub fn start(script: Script) -> io::Result<Self> {
        Self::start_on(0, script, |_| {})
    }

    /// Starts on the given port. `on_request` is called for each request when it arrives.
    pub fn start_on(port: u16, script: Script, on_request: impl Fn(&ModelRequest) + Send + Sync + 'static) -> io::Result<Self> {
        let desk = Desk { state: Arc::new(Mutex::new(State { script, requests: Vec::new() })) };
        let server = {
            let desk = desk.clone();
            Server::start_on(port, move |request| desk.serve(request, &on_request))?
        };
        Ok(Self { server, desk })
    }

    /// Returns `http://127.0.0.1:PORT`; clients of the `OpenAI` kind want `/v1` after it.
    #[must_use]
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// Returns every request so far, in order of arrival.
    #[must_use]
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.desk.lock().requests.clone()
    }

    /// Replaces what is left of the script.
    pub fn set_script(&self, script: Script) {
        self.desk.lock().script = script;
    }
}

struct State {
    script: Script,
    requests: Vec<ModelRequest>,
}

#[derive(Clone)]
struct Desk {
    state: Arc<Mutex<State>>,
}

impl Desk {
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self, http: &Request, on_request: &dyn Fn(&ModelRequest)) -> Response {
        let mut state = self.lock();
        let serial = state.requests.len();
        let request = ModelRequest::read(serial, http);
        let answer = match request.kind {
            Kind::Turn => state.script.answer(&request, serial),
            Kind::Compaction => state.script.summary(SUMMARY, serial),
            Kind::Side | Kind::Count | Kind::Other => Answer::plain("Side answer", serial),
        };
        // Under the lock, so that `on_request` sees the same order as `requests`.
        on_request(&request);
        state.requests.push(request.clone());
        drop(state);
        match (request.api, request.kind) {
            (_, Kind::Other) => other(&request),
            (Api::Anthropic, Kind::Count) => Response::json(r#"{"input_tokens":100}"#),
            (Api::Gemini, Kind::Count) => Response::json(r#"{"totalTokens":100}"#),
            (Api::Anthropic, _) => anthropic::render(&request, &answer),
            (Api::Responses, _) => responses::render(&request, &answer),
            (Api::Chat, _) => chat::render(&request, &answer),
            (Api::Gemini, _) => gemini::render(&request, &answer),
            (Api::None, _) => Response::json("{}"),
        }
    }
}

/// Answers requests that are not for the model: lists of models, settings, and telemetry that cannot be disabled.
fn other(request: &ModelRequest) -> Response {
    if !request.path.ends_with("/models") {
        return Response::json("{}");
    }
    let models: Vec<Value> = ["mock-model", "gpt-5", "gpt-5-codex"]
        .iter()
        .map(|id| json!({"id": id, "object": "model", "created": 0, "owned_by": "mock"}))
        .collect();
    Response::json(json!({"object": "list", "data": models, "models": []}).to_string())
}

impl Answer {
    fn plain(text: &str, serial: usize) -> Self {
        Self { text: Some(text.to_owned()), calls: Vec::new(), input_tokens: 10, serial }
    }

    fn call_id(&self, index: usize) -> String {
        format!("call_{}_{index}", self.serial)
    }
}

/// Writes server-sent events, without names if the API has none.
fn event_stream(events: &[(&str, Value)]) -> Response {
    let mut out = String::new();
    for (name, data) in events {
        if !name.is_empty() {
            out.push_str("event: ");
            out.push_str(name);
            out.push('\n');
        }
        out.push_str("data: ");
        match data {
            Value::String(raw) => out.push_str(raw),
            data => out.push_str(&data.to_string()),
        }
        out.push_str("\n\n");
    }
    Response::events(out)
}
