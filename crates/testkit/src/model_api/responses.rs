//! `OpenAI` Responses: streamed and whole.

use serde_json::{Value, json};

use super::{Answer, ModelRequest, event_stream};
use crate::http::Response;

pub(super) fn render(request: &ModelRequest, answer: &Answer) -> Response {
    let mut output: Vec<Value> = Vec::new();
    if let Some(text) = &answer.text {
        output.push(json!({"type": "message", "id": format!("msg_{}", answer.serial), "role": "assistant",
            "status": "completed", "content": [{"type": "output_text", "text": text, "annotations": []}]}));
    }
    for (index, call) in answer.calls.iter().enumerate() {
        let mut item = json!({"type": "function_call", "id": format!("fc_{}_{index}", answer.serial),
            "call_id": answer.call_id(index), "name": call.name, "arguments": call.arguments.to_string(), "status": "completed"});
        if let Some(namespace) = &call.namespace {
            item["namespace"] = json!(namespace);
        }
        output.push(item);
    }
    let response = |status: &str, output: &[Value]| {
        json!({"id": format!("resp_{}", answer.serial), "object": "response", "created_at": 0, "status": status,
            "model": request.body["model"], "output": output,
            "usage": {"input_tokens": answer.input_tokens, "input_tokens_details": {"cached_tokens": 0},
                "output_tokens": 5, "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": answer.input_tokens + 5}})
    };
    if request.body["stream"] != true {
        return Response::json(response("completed", &output).to_string());
    }
    let mut events = vec![("response.created", json!({"type": "response.created", "response": response("in_progress", &[])}))];
    for (index, item) in output.iter().enumerate() {
        for name in ["response.output_item.added", "response.output_item.done"] {
            events.push((name, json!({"type": name, "output_index": index, "item": item})));
        }
    }
    events.push(("response.completed", json!({"type": "response.completed", "response": response("completed", &output)})));
    event_stream(&events)
}
