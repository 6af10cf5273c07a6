//! Extracts the texts of a request in the order in which the model reads them, from any wire format.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Api;

/// The author of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    System,
    Developer,
    User,
    Assistant,
    /// The result of a tool.
    Tool,
}

/// One text of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub role: Role,
    /// Index of the message in the request; instructions outside the list of messages count as 0.
    pub message: usize,
    /// Index of the block within its message.
    pub block: usize,
    pub text: String,
}

/// Returns the elements of an array member, or none if it is missing.
pub(super) fn items<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value.get(key).and_then(Value::as_array).into_iter().flatten()
}

pub(super) fn read(api: Api, body: &Value) -> Vec<Part> {
    let mut out = Vec::new();
    match api {
        Api::Anthropic => {
            content(&mut out, Role::System, 0, &body["system"]);
            messages(&mut out, body, "messages", "content");
        }
        Api::Responses => {
            content(&mut out, Role::System, 0, &body["instructions"]);
            match &body["input"] {
                Value::String(text) => push(&mut out, Role::User, 0, 0, text),
                _ => messages(&mut out, body, "input", "content"),
            }
        }
        Api::Chat => messages(&mut out, body, "messages", "content"),
        Api::Gemini => {
            content(&mut out, Role::System, 0, &body["systemInstruction"]["parts"]);
            messages(&mut out, body, "contents", "parts");
        }
        Api::None => {}
    }
    out
}

fn messages(out: &mut Vec<Part>, body: &Value, list: &str, key: &str) {
    for (index, message) in items(body, list).enumerate() {
        let role = match message["role"].as_str() {
            Some("system") => Role::System,
            Some("developer") => Role::Developer,
            Some("assistant" | "model") => Role::Assistant,
            Some("tool" | "function") => Role::Tool,
            _ => Role::User,
        };
        match message["type"].as_str() {
            // Items of the Responses API that are not messages.
            Some("function_call") => {
                push_json(out, Role::Assistant, index, 0, &message["arguments"]);
            }
            Some("custom_tool_call") => {
                push_json(out, Role::Assistant, index, 0, &message["input"]);
            }
            Some("function_call_output" | "custom_tool_call_output") => {
                content(out, Role::Tool, index, &message["output"]);
            }
            _ => content(out, role, index, &message[key]),
        }
        for (block, call) in items(message, "tool_calls").enumerate() {
            push_json(out, Role::Assistant, index, block, &call["function"]["arguments"]);
        }
    }
}

/// Reads a string, or a list of blocks in the shapes of the four formats.
fn content(out: &mut Vec<Part>, role: Role, message: usize, content: &Value) {
    match content {
        Value::String(text) => push(out, role, message, 0, text),
        Value::Array(blocks) => {
            for (index, block) in blocks.iter().enumerate() {
                if let Some(text) = block["text"].as_str() {
                    push(out, role, message, index, text);
                } else if block["type"] == "tool_result" {
                    tool_result(out, message, index, &block["content"]);
                } else if block["type"] == "tool_use" {
                    push_json(out, Role::Assistant, message, index, &block["input"]);
                } else if block.get("functionCall").is_some() {
                    push_json(out, Role::Assistant, message, index, &block["functionCall"]["args"]);
                } else if block.get("functionResponse").is_some() {
                    strings(out, message, index, &block["functionResponse"]["response"]);
                }
            }
        }
        _ => {}
    }
}

fn tool_result(out: &mut Vec<Part>, message: usize, block: usize, content: &Value) {
    match content {
        Value::String(text) => push(out, Role::Tool, message, block, text),
        content => {
            for text in content.as_array().into_iter().flatten().filter_map(|part| part["text"].as_str()) {
                push(out, Role::Tool, message, block, text);
            }
        }
    }
}

/// Reads every string below `value`: the response of a Gemini function has no fixed shape.
fn strings(out: &mut Vec<Part>, message: usize, block: usize, value: &Value) {
    match value {
        Value::String(text) => push(out, Role::Tool, message, block, text),
        Value::Array(list) => list.iter().for_each(|value| strings(out, message, block, value)),
        Value::Object(map) => map.values().for_each(|value| strings(out, message, block, value)),
        _ => {}
    }
}

fn push_json(out: &mut Vec<Part>, role: Role, message: usize, block: usize, value: &Value) {
    match value {
        Value::String(text) => push(out, role, message, block, text),
        value => push(out, role, message, block, &value.to_string()),
    }
}

fn push(out: &mut Vec<Part>, role: Role, message: usize, block: usize, text: &str) {
    out.push(Part { role, message, block, text: text.to_owned() });
}
