//! `brief gather`: a local server plays the model, with good and bad answers.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use briefing_testkit::http::{Request, Response, Server};
use briefing_testkit::{Outcome, Sandbox, parse_assigns};
use serde_json::{Value, json};

fn completion(content: &str) -> Response {
    Response::json(json!({ "choices": [{ "message": { "role": "assistant", "content": content } }] }).to_string())
}

/// A server that gives one answer after another, repeats the last one, and records the requests.
fn model(answers: &[&str]) -> (Server, Arc<Mutex<Vec<Request>>>) {
    let answers: Vec<String> = answers.iter().map(|answer| (*answer).to_owned()).collect();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let server = Server::start(move |request| {
        let mut log = log.lock().unwrap();
        log.push(request.clone());
        completion(answers.get(log.len() - 1).or(answers.last()).map_or("", String::as_str))
    });
    (server.unwrap(), seen)
}

fn project() -> Sandbox {
    Sandbox::new()
        .file("README.md", "# Parcels\n\nSends parcels.\n")
        .file("src/retry.rs", "// Retries with exponential backoff.\nfn retry() {}\n")
        .file("src/invoice.rs", "// Invoices.\n")
        .file(".gitignore", "secret.txt\n")
        .file("secret.txt", "do not show")
}

fn gather(sandbox: &Sandbox, server: &Server, more: &[&str]) -> Outcome {
    let sandbox = sandbox.clone().env("BRIEF_LLM_BASE_URL", format!("{}/v1", server.url())).env("BRIEF_LLM_TIMEOUT_MS", "1500");
    sandbox.brief(["gather", "explain the retries"].iter().chain(more))
}

fn labels(outcome: &Outcome) -> Vec<String> {
    let text = String::from_utf8(outcome.stdout.clone()).unwrap();
    parse_assigns(text.trim_end_matches('\n')).unwrap().into_iter().map(|file| file.path).collect()
}

#[test]
fn a_model_chooses_in_rounds() {
    let (server, seen) = model(&[r#"{"files": ["src/retry.rs"]}"#, "```json\n[\"README.md\"]\n```", r#"{"done": true}"#]);
    let outcome = gather(&project(), &server, &[]).success();
    assert_eq!(labels(&outcome), ["src/retry.rs", "README.md"]);
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 3);
    let first: Value = serde_json::from_slice(&seen[0].body).unwrap();
    let question = first["messages"][1]["content"].as_str().unwrap();
    assert!(question.contains("explain the retries") && question.contains("src/invoice.rs"), "{question}");
    assert!(!question.contains("secret.txt"), "{question}");
    assert_eq!(seen[0].header("authorization"), None, "no key was configured for this server");
    assert!(String::from_utf8_lossy(&seen[1].body).contains("exponential backoff"));
}

#[test]
fn the_key_is_sent_and_never_shown() {
    let (server, seen) = model(&["[]"]);
    let sandbox = project().env("BRIEF_LLM_KEY_VARIABLE", "MY_KEY").env("MY_KEY", "k3y-of-mine");
    let outcome = gather(&sandbox, &server, &["--format", "markdown"]).success();
    assert_eq!(seen.lock().unwrap()[0].header("authorization"), Some("Bearer k3y-of-mine"));
    assert!(!outcome.to_string().contains("k3y-of-mine"), "{outcome}");
}

#[test]
fn hostile_wishes_read_nothing_and_end() {
    let many = json!((0..10_000).map(|number| format!("src/{number}.rs")).collect::<Vec<_>>()).to_string();
    let wishes = [r#"["../../etc/passwd", "/etc/passwd", "secret.txt", ".gitignore", "../home", "src"]"#, &many];
    let (server, seen) = model(&wishes);
    let outcome = gather(&project(), &server, &["--max-files", "20"]).success();
    let text = outcome.stdout();
    assert_eq!(text.matches("[Error reading file: ").count(), 20, "{text}");
    assert!(!outcome.stderr().contains("--allow-outside"), "gather has no such flag: {outcome}");
    assert!(!text.contains("root:") && !text.contains("do not show"), "{text}");
    assert_eq!(seen.lock().unwrap().len(), 2);
}

#[test]
fn prose_and_silence_are_survived() {
    let (server, _) = model(&["I would read src/retry.rs first.", "Nothing else, really."]);
    assert_eq!(labels(&gather(&project(), &server, &[]).success()), ["src/retry.rs"]);
    let (server, _) = model(&["As a language model, I have no opinion."]);
    let outcome = gather(&project(), &server, &[]).success();
    assert_eq!(labels(&outcome), ["README.md"], "something to start from");
    assert!(outcome.stderr().contains("the model's answer contains no list of files"), "{outcome}");
    assert!(outcome.stderr().contains("no file was chosen for the task"), "{outcome}");
}

#[test]
fn a_server_that_misbehaves_is_a_failure_in_time() {
    for (response, expected) in [
        (Response::never(), "did not answer within 1500 ms"),
        (completion("[]").after(Duration::from_secs(20)), "did not answer within 1500 ms"),
        (completion("[]").dripping(1, Duration::from_millis(100)), "did not answer within 1500 ms"),
        (Response::status(500), "HTTP status 500"),
        (Response::status(401), "set `llm.key_variable`"),
        (Response::garbage(), "did not answer with a chat completion"),
        (Response::huge(10_000_000), "more than 4194304 bytes"),
        (completion("[]").cut_after(3), "cannot be reached"),
    ] {
        let server = Server::always(response).unwrap();
        let began = Instant::now();
        let outcome = gather(&project(), &server, &[]).code(1);
        assert!(outcome.stderr().contains(expected), "{outcome}");
        assert!(outcome.stderr().contains("`--selector local`"), "{outcome}");
        assert_eq!(outcome.stdout(), "");
        assert!(began.elapsed() < Duration::from_secs(6), "{:?}", began.elapsed());
    }
}

#[test]
fn a_failure_in_a_later_round_keeps_what_was_read() {
    let calls = Mutex::new(0);
    let server = Server::start(move |_| {
        let mut calls = calls.lock().unwrap();
        *calls += 1;
        if *calls == 1 { completion("[\"README.md\"]") } else { Response::status(503) }
    });
    let outcome = gather(&project(), &server.unwrap(), &[]).success();
    assert_eq!(labels(&outcome), ["README.md"]);
    assert!(outcome.stderr().contains("HTTP status 503; keeping the files that were read before"), "{outcome}");
}

#[test]
fn without_configuration_the_error_explains_what_to_set() {
    insta::assert_snapshot!(project().brief(["gather", "explain the retries"]), @r"
    exit code: 1
    ----- stdout -----
    ----- stderr -----
    error: no key for https://api.openai.com/v1: the environment variable `OPENAI_API_KEY` is not set
    hint: set `OPENAI_API_KEY`, or set `llm.key_variable` to the name of another variable
    hint: for a local server without a key, set `llm.model` and `llm.base_url`, for example `http://localhost:11434/v1`
    hint: `--selector local` chooses without a model
    ");
}

#[test]
fn a_repository_cannot_choose_the_endpoint() {
    let (server, seen) = model(&["[]"]);
    let sandbox = project().file("brief.toml", format!("[llm]\nbase_url = \"{}/v1\"\n", server.url()));
    let outcome = sandbox.env("OPENAI_API_KEY", "k3y").brief(["gather", "x", "--selector", "local"]);
    assert!(outcome.stderr().contains("llm.base_url"), "{outcome}");
    assert!(seen.lock().unwrap().is_empty());
}

#[test]
fn the_local_selector_needs_no_model() {
    let sandbox = project();
    let outcome = sandbox.brief(["gather", "exponential backoff of retries", "--selector", "local", "--include", "README.md"]).success();
    assert_eq!(labels(&outcome), ["README.md", "src/retry.rs"]);
    let outcome = sandbox.brief(["gather", "xylophones", "--selector", "local"]).success();
    assert_eq!(labels(&outcome), ["README.md"]);
    assert!(outcome.stderr().contains("no file was chosen for the task"), "{outcome}");
    let outcome = sandbox.brief(["gather", "exponential backoff of retries", "--selector", "local", "--exclude", "src"]).success();
    assert_eq!(labels(&outcome), ["README.md"], "{outcome}");
    assert!(sandbox.brief(["gather", " "]).code(2).stderr().contains("the task is empty"));
}
