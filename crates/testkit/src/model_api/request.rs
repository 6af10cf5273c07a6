//! A recorded request, and the detection of its purpose.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::parts::{self, Part};
use crate::http::Request;

/// A request that reached the mock, in order of arrival.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ModelRequest {
    pub serial: usize,
    pub api: Api,
    pub kind: Kind,
    pub method: String,
    /// The path without the query, which may contain a key.
    pub path: String,
    /// The headers, without those that contain keys.
    pub headers: Vec<(String, String)>,
    /// The JSON body, or a string if it is not JSON.
    pub body: Value,
}

/// The wire format of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Api {
    Anthropic,
    Responses,
    Chat,
    Gemini,
    /// Not a model request.
    None,
}

/// What a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// A step of the conversation, in the main thread or a sub-agent. The script answers it.
    Turn,
    /// A request for the summary of a compaction.
    Compaction,
    /// The client's own small requests: titles, topics, routing.
    Side,
    /// A request to count tokens.
    Count,
    Other,
}

/// A tool that a request offers to the model.
pub(super) struct Tool {
    pub(super) name: String,
    pub(super) namespace: Option<String>,
}

const SECRET_HEADERS: &[&str] = &["authorization", "x-api-key", "x-goog-api-key", "api-key", "cookie"];

/// Phrases in background requests that offer tools but are not steps of the conversation (Qwen's memory and suggestions).
const SIDE_PHRASES: &[&str] = &["Managed memory has TWO directories", "[SUGGESTION MODE"];

/// Phrases with which the pinned clients ask for the summary of a compaction.
const COMPACTION_PHRASES: &[&str] = &[
    "Your task is to create a detailed summary of the conversation",
    "Your task is to create a detailed summary of the RECENT portion",
    "CONTEXT CHECKPOINT COMPACTION",
    "<state_snapshot>",
    "Please create a detailed summary of the conversation so far",
    "detailed prompt for continuing our conversation",
    "You are a context summarization agent.",
];

impl ModelRequest {
    pub(super) fn read(serial: usize, http: &Request) -> Self {
        let path = http.path.split('?').next().unwrap_or_default().to_owned();
        let headers = http.headers.iter().filter(|(name, _)| !SECRET_HEADERS.contains(&name.as_str())).cloned().collect();
        let body = serde_json::from_slice(&http.body).unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&http.body).into_owned()));
        let mut request = Self { serial, api: api_of(http, &path), kind: Kind::Other, method: http.method.clone(), path, headers, body };
        request.kind = request.recognise();
        request
    }

    fn recognise(&self) -> Kind {
        if self.api == Api::None {
            return Kind::Other;
        }
        if self.path.ends_with("/count_tokens") || self.path.ends_with(":countTokens") {
            return Kind::Count;
        }
        if self.path.ends_with("/compact") || self.asks_with(COMPACTION_PHRASES) {
            return Kind::Compaction;
        }
        // The clients' small requests offer no tools, or ask for JSON of a given shape.
        if self.tools().is_empty() || self.wants_json() || self.asks_with(SIDE_PHRASES) {
            return Kind::Side;
        }
        Kind::Turn
    }

    /// Looks only at the instructions and the last message, because the history may contain the phrases of earlier requests.
    fn asks_with(&self, phrases: &[&str]) -> bool {
        let parts = self.parts();
        let last = parts.last().map(|part| part.message);
        parts
            .iter()
            .filter(|part| match part.role {
                parts::Role::System => self.tools().is_empty(),
                _ => Some(part.message) == last,
            })
            .any(|part| phrases.iter().any(|phrase| part.text.contains(phrase)))
    }

    fn wants_json(&self) -> bool {
        self.body.pointer("/generationConfig/responseMimeType").and_then(Value::as_str) == Some("application/json")
    }

    /// Returns every text that the model sees, in order, with its author. Tool descriptions are left out.
    #[must_use]
    pub fn parts(&self) -> Vec<Part> {
        parts::read(self.api, &self.body)
    }

    /// Returns the texts of [`Self::parts`].
    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        self.parts().into_iter().map(|part| part.text).collect()
    }

    /// Returns all texts as one, a newline between them.
    #[must_use]
    pub fn text(&self) -> String {
        self.texts().join("\n")
    }

    /// Returns how often the model sees `needle`.
    #[must_use]
    pub fn count(&self, needle: &str) -> usize {
        self.texts().iter().map(|text| text.matches(needle).count()).sum()
    }

    /// Returns whether the model sees `needle`.
    #[must_use]
    pub fn contains(&self, needle: &str) -> bool {
        self.count(needle) > 0
    }

    /// Returns the first part that contains `needle`.
    #[must_use]
    pub fn part_with(&self, needle: &str) -> Option<Part> {
        self.parts().into_iter().find(|part| part.text.contains(needle))
    }

    /// Returns whether all needles occur, in this order.
    #[must_use]
    pub fn in_order(&self, needles: &[&str]) -> bool {
        let text = self.text();
        let mut rest = text.as_str();
        needles.iter().all(|needle| match rest.find(needle) {
            Some(at) => {
                rest = &rest[at + needle.len()..];
                true
            }
            None => false,
        })
    }

    /// Returns the names of the tools that the request offers, those in groups included.
    #[must_use]
    pub fn tool_names(&self) -> Vec<String> {
        self.tools().into_iter().map(|tool| tool.name).collect()
    }

    pub(super) fn tools(&self) -> Vec<Tool> {
        let mut found = Vec::new();
        for entry in parts::items(&self.body, "tools") {
            let group = entry["name"].as_str().or_else(|| entry["type"].as_str());
            let nested: Vec<&Value> = parts::items(entry, "functionDeclarations").chain(parts::items(entry, "tools")).collect();
            let name = entry.pointer("/function/name").and_then(Value::as_str).or(group);
            if nested.is_empty() {
                found.extend(name.map(|name| Tool { name: name.to_owned(), namespace: None }));
            }
            // Codex groups tools in namespaces, Gemini in lists without a name.
            let namespace = group.filter(|_| entry["type"] == "namespace").map(str::to_owned);
            found.extend(
                nested
                    .iter()
                    .filter_map(|tool| tool["name"].as_str())
                    .map(|name| Tool { name: name.to_owned(), namespace: namespace.clone() }),
            );
        }
        found
    }
}

fn api_of(http: &Request, path: &str) -> Api {
    if http.method != "POST" {
        return Api::None;
    }
    if path.ends_with("/messages") || path.ends_with("/messages/count_tokens") {
        Api::Anthropic
    } else if path.ends_with("/responses") || path.ends_with("/responses/compact") {
        Api::Responses
    } else if path.ends_with("/chat/completions") {
        Api::Chat
    } else if path.contains("enerateContent") || path.ends_with(":countTokens") {
        Api::Gemini
    } else {
        Api::None
    }
}
