//! A mock of the model APIs that agent clients talk to.
//!
//! It speaks enough of Anthropic Messages, `OpenAI` Responses, `OpenAI` Chat Completions and Gemini for the real
//! clients to finish their turns, records every request in order, and answers by a [`Script`] that the test
//! wrote. It judges nothing: what reached the model is for the test to assert, with [`ModelRequest`].
//!
//! Side requests (titles, topics, routing, token counts, summaries for a compaction) are recognised and answered
//! without using up the script; they are recorded too, with their [`Kind`].
//!
//! The clients themselves run without network; [`crate::clients`] starts this server where they live. On its
//! own it is also the well-behaved `OpenAI`-compatible endpoint of other tests:
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

/// The answer to every request for a summary, in the frame that Claude and Gemini look for.
pub const SUMMARY: &str = "<analysis>short</analysis>\n<summary>SUMMARY-OF-THE-CONVERSATION</summary>";

/// What the model answers, once the calls carry the names of tools that the request offers.
pub(crate) struct Answer {
    text: Option<String>,
    calls: Vec<NamedCall>,
    input_tokens: u64,
    /// Makes ids unique within one server, so that a client never confuses two calls.
    serial: usize,
}

pub(crate) struct NamedCall {
    name: String,
    /// The group of the tool, where the API groups them (Codex).
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

    /// Starts on the given port; `on_request` hears of each request when it arrives.
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
            Kind::Compaction => Answer::plain(SUMMARY, serial),
            Kind::Side | Kind::Count | Kind::Other => Answer::plain("Side answer", serial),
        };
        // Under the lock, so that whoever listens sees the same order as `requests`.
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

/// Answers what is no model request at all: lists of models, settings, telemetry that nobody could switch off.
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

/// Writes server-sent events; the name is left out where the API has none.
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
