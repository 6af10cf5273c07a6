//! A call to a chat endpoint, limited in time and size.

use std::io::Read;
use std::ops::ControlFlow;
use std::time::Duration;

use briefing_core::Failure;
use serde::Serialize;
use serde_json::{Value, json};
use ureq::http::Response;
use ureq::{Agent, Body};

use crate::endpoint::Endpoint;
use crate::problem;
use crate::stream;

/// The author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    System,
    User,
    Assistant,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Message {
    pub role: Role,
    pub content: String,
}

impl Message {
    pub fn system(content: impl Into<String>) -> Self {
        Self { role: Role::System, content: content.into() }
    }

    pub fn user(content: impl Into<String>) -> Self {
        Self { role: Role::User, content: content.into() }
    }

    pub fn assistant(content: impl Into<String>) -> Self {
        Self { role: Role::Assistant, content: content.into() }
    }
}

/// The limits of a call: the time from connecting to the last byte, and the size of the response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub timeout: Duration,
    pub max_response: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { timeout: Duration::from_secs(30), max_response: 4 * 1024 * 1024 }
    }
}

/// A client of one endpoint.
#[derive(Debug)]
pub struct Client {
    agent: Agent,
    url: String,
    endpoint: Endpoint,
    limits: Limits,
}

impl Client {
    /// Makes a client and checks the address. Sends nothing.
    pub fn new(endpoint: Endpoint, limits: Limits) -> Result<Self, Failure> {
        let url = endpoint.chat_url()?;
        let mut config = Agent::config_builder()
            // Covers resolving, connecting, sending, waiting and reading.
            .timeout_global(Some(limits.timeout))
            .http_status_as_error(false)
            // A redirect could send the key and the files to another server.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("brief/", env!("CARGO_PKG_VERSION")));
        if endpoint.is_loopback() {
            config = config.proxy(None);
        }
        Ok(Self { agent: config.build().new_agent(), url, endpoint, limits })
    }

    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Sends a conversation and returns the whole answer.
    pub fn complete(&self, messages: &[Message]) -> Result<String, Failure> {
        let mut response = self.send(messages, false)?;
        let bytes = self.body(&mut response)?;
        self.text_of(&bytes)
    }

    /// Sends a conversation and passes on the answer in parts as they arrive. Returns the whole answer at the end.
    ///
    /// `receive` can stop early. If the server does not stream, the answer comes in one part.
    pub fn stream(&self, messages: &[Message], mut receive: impl FnMut(&str) -> ControlFlow<()>) -> Result<String, Failure> {
        let mut response = self.send(messages, true)?;
        if !response.body().mime_type().is_some_and(|kind| kind.eq_ignore_ascii_case("text/event-stream")) {
            let bytes = self.body(&mut response)?;
            let text = self.text_of(&bytes)?;
            let _ = receive(&text);
            return Ok(text);
        }
        let limit = self.limits.max_response;
        stream::read(response.body_mut().as_reader(), limit, &mut receive).map_err(|error| match error {
            stream::Broken::Read(error) => problem::from_transport(&error.into(), &self.endpoint, &self.limits),
            stream::Broken::TooLarge => problem::too_large(&self.endpoint, limit),
            stream::Broken::Said(error) => problem::said(&self.endpoint, &error),
        })
    }

    fn send(&self, messages: &[Message], streams: bool) -> Result<Response<Body>, Failure> {
        // Only fields that every server accepts: some reject temperatures, formats or token limits.
        let mut body = json!({ "model": self.endpoint.model, "messages": messages });
        if streams {
            body["stream"] = json!(true);
        }
        let mut request = self.agent.post(&self.url).header("Content-Type", "application/json");
        if let Some(key) = &self.endpoint.key {
            request = request.header("Authorization", key.header());
        }
        let response = request.send(body.to_string());
        let mut response = response.map_err(|error| problem::from_transport(&error, &self.endpoint, &self.limits))?;
        if response.status().is_success() {
            return Ok(response);
        }
        let status = response.status().as_u16();
        let location = response.headers().get("location").and_then(|value| value.to_str().ok()).map(str::to_owned);
        let body = self.body(&mut response).unwrap_or_default();
        Err(problem::from_status(status, location.as_deref(), &body, &self.endpoint))
    }

    fn body(&self, response: &mut Response<Body>) -> Result<Vec<u8>, Failure> {
        let limit = self.limits.max_response;
        let mut bytes = Vec::new();
        let read = response.body_mut().as_reader().take(limit as u64 + 1).read_to_end(&mut bytes);
        read.map_err(|error| problem::from_transport(&error.into(), &self.endpoint, &self.limits))?;
        if bytes.len() > limit { Err(problem::too_large(&self.endpoint, limit)) } else { Ok(bytes) }
    }

    fn text_of(&self, bytes: &[u8]) -> Result<String, Failure> {
        let value: Value = serde_json::from_slice(bytes).map_err(|_| problem::not_chat(&self.endpoint))?;
        if let Some(error) = value.get("error").filter(|error| !error.is_null()) {
            return Err(problem::said(&self.endpoint, error));
        }
        let message = value.pointer("/choices/0/message").ok_or_else(|| problem::not_chat(&self.endpoint))?;
        Ok(content_text(&message["content"]))
    }
}

/// Returns the text of a message's content, which is a string, a list of parts, or missing.
pub(crate) fn content_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests;
