//! Anthropic Messages: streamed and whole.

use serde_json::{Value, json};

use super::{Answer, ModelRequest, event_stream};
use crate::http::Response;

pub(super) fn render(request: &ModelRequest, answer: &Answer) -> Response {
    let usage = json!({"input_tokens": answer.input_tokens, "output_tokens": 5,
        "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0});
    let stop = if answer.calls.is_empty() { "end_turn" } else { "tool_use" };
    let mut blocks: Vec<Value> = answer.text.iter().map(|text| json!({"type": "text", "text": text})).collect();
    for (index, call) in answer.calls.iter().enumerate() {
        let id = format!("toolu_{}", answer.call_id(index));
        blocks.push(json!({"type": "tool_use", "id": id, "name": call.name, "input": call.arguments}));
    }
    let message = |content: &[Value], stop: Option<&str>| {
        json!({"id": format!("msg_{}", answer.serial), "type": "message", "role": "assistant",
            "model": request.body["model"], "content": content, "stop_reason": stop, "stop_sequence": null, "usage": usage})
    };
    if request.body["stream"] != true {
        return Response::json(message(&blocks, Some(stop)).to_string());
    }
    let mut events = vec![("message_start", json!({"type": "message_start", "message": message(&[], None)}))];
    for (index, block) in blocks.iter().enumerate() {
        let (empty, delta) = if block["type"] == "text" {
            (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": block["text"]}))
        } else {
            let input = block["input"].to_string();
            (
                json!({"type": "tool_use", "id": block["id"], "name": block["name"], "input": {}}),
                json!({"type": "input_json_delta", "partial_json": input}),
            )
        };
        events.push(("content_block_start", json!({"type": "content_block_start", "index": index, "content_block": empty})));
        events.push(("content_block_delta", json!({"type": "content_block_delta", "index": index, "delta": delta})));
        events.push(("content_block_stop", json!({"type": "content_block_stop", "index": index})));
    }
    let end = json!({"stop_reason": stop, "stop_sequence": null});
    events.push(("message_delta", json!({"type": "message_delta", "delta": end, "usage": usage})));
    events.push(("message_stop", json!({"type": "message_stop"})));
    event_stream(&events)
}
