//! Errors of a call, with a cause and a next step. They never contain a key.

use briefing_core::Failure;
use briefing_core::secrets::redact;
use briefing_core::shown::one_line;
use serde_json::Value;

use crate::client::Limits;
use crate::endpoint::Endpoint;

/// How many characters of a server's message are shown.
const MAX_WORDS: usize = 300;

fn failed(endpoint: &Endpoint, what: &str) -> Failure {
    Failure::new(format!("the model `{}` at {} {what}", endpoint.model, endpoint.host()))
}

/// Returns a server's message on one line, shortened and without keys.
fn words(endpoint: &Endpoint, text: &str) -> String {
    let text = match &endpoint.key {
        Some(key) => key.hide_in(text),
        None => text.to_owned(),
    };
    let text = redact(&text).text.trim().chars().take(MAX_WORDS).collect::<String>();
    one_line(&text).into_owned()
}

pub(crate) fn from_transport(error: &ureq::Error, endpoint: &Endpoint, limits: &Limits) -> Failure {
    match error {
        ureq::Error::Timeout(_) => failed(endpoint, &format!("did not answer within {} ms", limits.timeout.as_millis()))
            .hint("raise `llm.timeout_ms`, or set `llm.model` to a faster model"),
        ureq::Error::HostNotFound => {
            failed(endpoint, "cannot be reached: the host does not exist").hint("check `llm.base_url` in `brief config show`")
        }
        error => failed(endpoint, "cannot be reached")
            .because_of(words(endpoint, &error.to_string()))
            .hint("check that the server is running, and `llm.base_url` in `brief config show`"),
    }
}

pub(crate) fn from_status(status: u16, location: Option<&str>, body: &[u8], endpoint: &Endpoint) -> Failure {
    let mut failure = failed(endpoint, &format!("refused the request: HTTP status {status}"));
    let body = String::from_utf8_lossy(body);
    let said = serde_json::from_str::<Value>(&body).ok().and_then(|value| said_in(value.get("error").unwrap_or(&value)));
    if let Some(said) = said.filter(|said| !said.is_empty()) {
        failure = failure.because_of(words(endpoint, &said));
    }
    match status {
        300..=399 => {
            let place = location.map(|place| format!(" to {}", words(endpoint, place))).unwrap_or_default();
            failure.because_of(format!("it redirects{place}")).hint("redirects are not followed; put the final address in `llm.base_url`")
        }
        401 | 403 if endpoint.key.is_some() => failure.hint("check the key in the environment variable that `llm.key_variable` names"),
        401 | 403 => failure.hint("set `llm.key_variable` to the name of the environment variable with the key"),
        404 => failure.hint("check `llm.model` and `llm.base_url`; most base URLs end in `/v1`"),
        429 => failure.hint("wait a moment, or check the limits of your account"),
        500..=599 => failure.hint("this is a problem of the server; try again later"),
        _ => failure,
    }
}

/// Returns the server's message: `{"message": …}` or a string.
fn said_in(error: &Value) -> Option<String> {
    error.get("message").unwrap_or(error).as_str().map(str::to_owned)
}

pub(crate) fn said(endpoint: &Endpoint, error: &Value) -> Failure {
    let said = said_in(error).unwrap_or_else(|| error.to_string());
    failed(endpoint, "answered with an error").because_of(words(endpoint, &said))
}

pub(crate) fn too_large(endpoint: &Endpoint, limit: usize) -> Failure {
    failed(endpoint, &format!("answered with more than {limit} bytes"))
}

pub(crate) fn not_chat(endpoint: &Endpoint) -> Failure {
    failed(endpoint, "did not answer with a chat completion")
        .hint("set `llm.base_url` to the address of an OpenAI-compatible API; most end in `/v1`")
}
