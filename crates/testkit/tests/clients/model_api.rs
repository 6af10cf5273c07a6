//! Tests the mock itself, without a client: plain HTTP requests in the four formats.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use briefing_testkit::http::{Response, Server};
use briefing_testkit::model_api::{Kind, ModelApi, Reply, Script};
use serde_json::{Value, json};

/// Sends a request and returns everything that is received.
fn post(url: &str, path: &str, body: &str) -> String {
    let address = url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).expect("the server listens");
    stream.set_read_timeout(Some(Duration::from_millis(400))).expect("a time-out");
    let head = format!("POST {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer SECRET\r\ncontent-length: {}\r\n\r\n", body.len());
    stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes())).expect("sent");
    let mut out = Vec::new();
    // Ends with the timeout, because the connection is kept alive.
    drop(stream.read_to_end(&mut out));
    String::from_utf8_lossy(&out).into_owned()
}

fn answer(reply: &str) -> Value {
    serde_json::from_str(reply.split("\r\n\r\n").nth(1).expect("a body")).expect("JSON")
}

#[test]
fn chat_completions_answer_by_the_script_and_are_recorded() {
    let script = Script::new().shell("ls").text("second");
    let api = ModelApi::start(script).expect("starts");
    let tools = json!([{"type": "function", "function": {"name": "bash"}}]);
    let body = json!({"model": "m", "tools": tools, "messages": [{"role": "user", "content": "hello"}]}).to_string();
    let first = answer(&post(&api.url(), "/v1/chat/completions?key=SECRET", &body));
    assert_eq!(first.pointer("/choices/0/message/tool_calls/0/function/name"), Some(&json!("bash")));
    let second = answer(&post(&api.url(), "/v1/chat/completions", &body));
    assert_eq!(second.pointer("/choices/0/message/content"), Some(&json!("second")));
    let requests = api.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0].texts(), ["hello"]);
    assert!(!format!("{requests:?}").contains("SECRET"), "keys are not recorded");
}

#[test]
fn questions_without_tools_do_not_use_up_the_script() {
    let api = ModelApi::start(Script::new().reply(Reply::text("for the turn"))).expect("starts");
    let side = json!({"messages": [{"role": "user", "content": "a title, please"}]}).to_string();
    assert!(post(&api.url(), "/v1/messages", &side).contains("Side answer"));
    let turn = json!({"tools": [{"name": "Bash"}], "stream": true, "messages": [{"role": "user", "content": "hi"}]});
    assert!(post(&api.url(), "/v1/messages", &turn.to_string()).contains("for the turn"));
    let kinds: Vec<Kind> = api.requests().iter().map(|request| request.kind).collect();
    assert_eq!(kinds, [Kind::Side, Kind::Turn]);
}

#[test]
fn a_tool_that_is_not_offered_is_named() {
    let api = ModelApi::start(Script::new().shell("ls")).expect("starts");
    let turn = json!({"tools": [{"name": "Other"}], "messages": [{"role": "user", "content": "hi"}]}).to_string();
    assert!(post(&api.url(), "/v1/messages", &turn).contains("offered: Other"));
}

#[test]
fn servers_misbehave_on_request() {
    let all = |response| Server::always(response).expect("starts");
    assert!(post(&all(Response::status(500)).url(), "/", "").starts_with("HTTP/1.1 500"));
    assert!(post(&all(Response::huge(100_000)).url(), "/", "").len() > 100_000);
    assert_eq!(post(&all(Response::never()).url(), "/", ""), "");
    assert!(post(&all(Response::json("abcdef").cut_after(3)).url(), "/", "").ends_with("\r\n\r\nabc"));
    let slow = all(Response::json("{}").after(Duration::from_millis(200)));
    let started = Instant::now();
    assert!(post(&slow.url(), "/", "").ends_with("{}"));
    assert!(started.elapsed() >= Duration::from_millis(200));
    assert_eq!(slow.served(), 1);
    let drip = all(Response::json("123").dripping(1, Duration::from_millis(20)));
    assert!(post(&drip.url(), "/", "").ends_with("123"));
}
