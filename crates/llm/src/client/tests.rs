//! The client against a loopback server that behaves badly in every way.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use briefing_testkit::http::{self, Server};

use super::*;
use crate::Key;

const SECRET: &str = "sk-test-4f8a-never-shown";

fn client(server: &Server, timeout_ms: u64) -> Client {
    let endpoint = Endpoint { base_url: format!("{}/v1", server.url()), model: "tiny".into(), key: Key::new(SECRET) };
    Client::new(endpoint, Limits { timeout: Duration::from_millis(timeout_ms), max_response: 100_000 }).unwrap()
}

fn completion(content: &str) -> http::Response {
    http::Response::json(json!({ "choices": [{ "message": { "role": "assistant", "content": content } }] }).to_string())
}

fn message(failure: &Failure) -> String {
    let mut text = failure.to_string();
    for line in failure.causes().iter().chain(failure.hints()) {
        text.push('\n');
        text.push_str(line);
    }
    assert!(!text.contains(SECRET), "{text}");
    text
}

#[track_caller]
fn fails(response: http::Response, expected: &str) {
    let server = Server::always(response).unwrap();
    let client = client(&server, 400);
    let began = Instant::now();
    for failure in [client.complete(&[Message::user("hi")]).unwrap_err(), client.stream(&[], |_| ControlFlow::Continue(())).unwrap_err()] {
        assert!(message(&failure).contains(expected), "{}", message(&failure));
    }
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
}

#[test]
fn a_call_carries_model_messages_and_key_and_nothing_a_server_could_refuse() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let server = Server::start(move |request| {
        log.lock().unwrap().push(request.clone());
        completion("Hello")
    })
    .unwrap();
    assert_eq!(client(&server, 5000).complete(&[Message::system("be brief"), Message::user("hi")]).unwrap(), "Hello");
    let request = seen.lock().unwrap().remove(0);
    assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/v1/chat/completions"));
    assert_eq!(request.header("authorization"), Some(format!("Bearer {SECRET}").as_str()));
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    let expected =
        json!({ "model": "tiny", "messages": [{ "role": "system", "content": "be brief" }, { "role": "user", "content": "hi" }] });
    assert_eq!(body, expected);
}

#[test]
fn content_may_be_text_parts_or_missing() {
    for (content, expected) in [(json!("a"), "a"), (json!([{ "type": "text", "text": "a" }, { "type": "image" }]), "a"), (json!(null), "")]
    {
        let server =
            Server::always(http::Response::json(json!({ "choices": [{ "message": { "content": content } }] }).to_string())).unwrap();
        assert_eq!(client(&server, 5000).complete(&[]).unwrap(), expected);
    }
}

#[test]
fn the_time_limit_holds_for_every_kind_of_slow_server() {
    fails(http::Response::never(), "did not answer within 400 ms");
    fails(completion("late").after(Duration::from_secs(5)), "did not answer within 400 ms");
    fails(completion("drop by drop").dripping(1, Duration::from_millis(50)), "did not answer within 400 ms");
}

#[test]
fn bad_answers_are_failures_with_a_next_step() {
    fails(http::Response::status(500), "HTTP status 500\nstatus 500 as the test asked\nthis is a problem of the server");
    fails(http::Response::status(401), "check the key in the environment variable that `llm.key_variable` names");
    fails(http::Response::status(404), "most base URLs end in `/v1`");
    fails(http::Response::status(429), "wait a moment");
    fails(http::Response::garbage(), "did not answer with a chat completion");
    fails(http::Response::json("[]"), "did not answer with a chat completion");
    fails(http::Response::huge(10_000_000), "more than 100000 bytes");
    fails(http::Response::json(r#"{"error":{"message":"out of memory"}}"#), "out of memory");
    fails(completion("cut").cut_after(5), "cannot be reached");
    fails(http::Response::new(307, "text/plain", ""), "redirects are not followed");
}

#[test]
fn a_key_in_a_server_message_is_redacted() {
    fails(
        http::Response::new(400, "application/json", json!({ "error": { "message": format!("bad key {SECRET}!") } }).to_string()),
        "bad key [redacted: key]!",
    );
}

#[test]
fn an_unreachable_server_is_reported_with_its_address() {
    let server = Server::always(completion("")).unwrap();
    let client = client(&server, 2000);
    let host = server.url().replace("http://", "");
    drop(server);
    let failure = client.complete(&[]).unwrap_err();
    assert!(message(&failure).contains(&format!("at {host} cannot be reached")), "{}", message(&failure));
}

fn event(text: &str) -> String {
    format!("data: {}\n\n", json!({ "choices": [{ "delta": { "content": text } }] }))
}

#[test]
fn a_stream_is_received_in_parts_and_returned_whole() {
    let body =
        format!(": comment\n\n{}{}event: x\ndata: junk\n\n{}data: [DONE]\n\ndata: after", event("Hel"), event("lo "), event("wörld"));
    for bytes in [1, 7, 1000] {
        let server = Server::always(http::Response::events(body.clone()).dripping(bytes, Duration::ZERO)).unwrap();
        let mut pieces = Vec::new();
        let whole = client(&server, 5000).stream(&[Message::user("hi")], |piece| {
            pieces.push(piece.to_owned());
            ControlFlow::Continue(())
        });
        assert_eq!(whole.unwrap(), "Hello wörld");
        assert_eq!(pieces, ["Hel", "lo ", "wörld"]);
    }
}

#[test]
fn a_stream_can_be_stopped_and_can_fail() {
    let server = Server::always(http::Response::events(event("a").repeat(50))).unwrap();
    assert_eq!(client(&server, 5000).stream(&[], |_| ControlFlow::Break(())).unwrap(), "a");
    let server = Server::always(completion("not streamed")).unwrap();
    assert_eq!(client(&server, 5000).stream(&[], |_| ControlFlow::Continue(())).unwrap(), "not streamed");
    for (response, expected) in [
        (http::Response::events(format!("{}data: {{\"error\":{{\"message\":\"overloaded\"}}}}\n\n", event("a"))), "overloaded"),
        (http::Response::events(event("a").repeat(10_000)), "more than 100000 bytes"),
        (http::Response::events(event("a").repeat(100)).dripping(10, Duration::from_millis(20)), "did not answer within"),
    ] {
        let server = Server::always(response).unwrap();
        let failure = client(&server, 400).stream(&[], |_| ControlFlow::Continue(())).unwrap_err();
        assert!(message(&failure).contains(expected), "{}", message(&failure));
    }
}
