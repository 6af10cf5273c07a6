//! What can go wrong with a call, said so that a person can act on it. No key ever stands in it.

use briefing_core::Failure;
use briefing_core::secrets::redact;
use briefing_core::shown::one_line;
use serde_json::Value;

use crate::client::Limits;
use crate::endpoint::Endpoint;

/// How much of a server's own words is repeated.
const MAX_WORDS: usize = 300;

fn failed(endpoint: &Endpoint, what: &str) -> Failure {
    Failure::new(format!("the model `{}` at {} {what}", endpoint.model, endpoint.host()))
}

/// Returns a server's words on one line, cut, without keys.
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
            .hint("give it more time with `llm.timeout_ms`, or name a faster `llm.model`"),
        ureq::Error::HostNotFound => {
            failed(endpoint, "cannot be reached: there is no such host").hint("look at `llm.base_url` in `brief config show`")
        }
        error => failed(endpoint, "cannot be reached")
            .because_of(words(endpoint, &error.to_string()))
            .hint("is the server running? `brief config show` tells the `llm.base_url` that is used"),
    }
}

pub(crate) fn from_status(status: u16, location: Option<&str>, body: &[u8], endpoint: &Endpoint) -> Failure {
    let mut failure = failed(endpoint, &format!("refused: HTTP status {status}"));
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
        401 | 403 if endpoint.key.is_some() => failure.hint("is the key in the variable that `llm.key_variable` names still valid?"),
        401 | 403 => failure.hint("it wants a key: name the variable that holds it in `llm.key_variable`"),
        404 => failure.hint("look at `llm.model` and `llm.base_url`; most base URLs end in `/v1`"),
        429 => failure.hint("wait a moment, or look at the limits of your account"),
        500..=599 => failure.hint("the server has a problem of its own; try again later"),
        _ => failure,
    }
}

/// Returns the server's message: `{"message": …}` or just a text.
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
    failed(endpoint, "answered with something else than a chat completion")
        .hint("is `llm.base_url` the address of an OpenAI-compatible API? Most end in `/v1`")
}
