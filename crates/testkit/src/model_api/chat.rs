//! `OpenAI` Chat Completions: streamed and whole.

use serde_json::{Value, json};

use super::{Answer, ModelRequest, event_stream};
use crate::http::Response;

pub(super) fn render(request: &ModelRequest, answer: &Answer) -> Response {
    let finish = if answer.calls.is_empty() { "stop" } else { "tool_calls" };
    let mut message = json!({"role": "assistant", "content": answer.text});
    if !answer.calls.is_empty() {
        let calls = answer.calls.iter().enumerate().map(|(index, call)| {
            json!({"index": index, "id": answer.call_id(index), "type": "function",
                "function": {"name": call.name, "arguments": call.arguments.to_string()}})
        });
        message["tool_calls"] = calls.collect();
    }
    let usage = json!({"prompt_tokens": answer.input_tokens, "completion_tokens": 5, "total_tokens": answer.input_tokens + 5});
    let envelope = |object: &str, choice: Value, usage: &Value| {
        json!({"id": format!("chatcmpl-{}", answer.serial), "object": object, "created": 0,
            "model": request.body["model"], "choices": [choice], "usage": usage})
    };
    if request.body["stream"] != true {
        let choice = json!({"index": 0, "message": message, "finish_reason": finish});
        return Response::json(envelope("chat.completion", choice, &usage).to_string());
    }
    let chunk = |delta: Value, finish: Option<&str>, usage: &Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        ("", envelope("chat.completion.chunk", choice, usage))
    };
    event_stream(&[chunk(message, None, &Value::Null), chunk(json!({}), Some(finish), &usage), ("", Value::String("[DONE]".to_owned()))])
}
