//! Gemini `generateContent` and `streamGenerateContent`.

use serde_json::{Value, json};

use super::{Answer, Kind, ModelRequest, event_stream};
use crate::http::Response;

pub(super) fn render(request: &ModelRequest, answer: &Answer) -> Response {
    let mut parts: Vec<Value> = Vec::new();
    if request.kind == Kind::Side {
        // All fields that the routing, loop and next-speaker requests of the pinned version expect.
        let verdict = json!({"reasoning": "mock", "model_choice": "flash", "complexity_score": 1,
            "complexity_reasoning": "mock", "next_speaker": "user"});
        parts.push(json!({"text": verdict.to_string()}));
    } else {
        parts.extend(answer.text.iter().map(|text| json!({"text": text})));
        parts.extend(answer.calls.iter().map(|call| json!({"functionCall": {"name": call.name, "args": call.arguments}})));
    }
    let response = json!({
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": answer.input_tokens, "candidatesTokenCount": 5,
            "totalTokenCount": answer.input_tokens + 5},
        "modelVersion": "mock"});
    if request.path.contains("streamGenerateContent") { event_stream(&[("", response)]) } else { Response::json(response.to_string()) }
}
