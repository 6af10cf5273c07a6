//! The webhook: metadata only, after the agent has its answer, and the receiver's behaviour never affects the hook.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use briefing_testkit::http::{Response, Server};
use briefing_testkit::{Sandbox, wait_until};
use serde_json::{Value, json};

use crate::gate::project;

type Bodies = Arc<Mutex<Vec<String>>>;

/// A receiver that records its requests.
fn receiver(response: Response) -> (Server, Bodies) {
    let bodies = Bodies::default();
    let kept = Arc::clone(&bodies);
    let server = Server::start(move |request| {
        kept.lock().unwrap().push(String::from_utf8_lossy(&request.body).into_owned());
        response.clone()
    });
    (server.unwrap(), bodies)
}

#[track_caller]
fn wait_for(bodies: &Bodies, count: usize) -> Vec<String> {
    wait_until(&format!("{count} notifications came"), || bodies.lock().unwrap().len() >= count);
    bodies.lock().unwrap().clone()
}

fn inject(sandbox: &Sandbox, session: &str) -> String {
    let payload = json!({ "session_id": session, "cwd": sandbox.root() }).to_string();
    let outcome = sandbox.brief_with_input(["system", "context-load-gate"], payload).success();
    assert_eq!(outcome.stderr, b"", "{outcome}");
    outcome.context()
}

#[test]
fn webhook_payload_contains_metadata_not_file_content() {
    let (server, bodies) = receiver(Response::json("{}"));
    let sandbox = project();
    sandbox.brief(["notify", "setup", &format!("{}/hook/s3cr3t", server.url())]).success();
    let message = inject(&sandbox, "session-1");
    let body: Value = serde_json::from_str(&wait_for(&bodies, 1)[0]).unwrap();
    assert_eq!(
        body,
        json!({
            "event": "relay",
            "message": "context-load-gate: injected 6 files (~56 tokens)",
            "session_id": "session-1",
            "timestamp": "2026-11-15T12:00:00Z",
            "project": "project",
        })
    );
    for line in message.lines().filter(|line| line.len() > 5) {
        assert!(!body.to_string().contains(line), "{line}");
    }
    assert_eq!(inject(&sandbox, "session-1"), "");
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(bodies.lock().unwrap().len(), 1, "a call without output sends no notification");
}

#[test]
fn over_15k_tokens_the_webhook_says_so_and_brief_hook_tells_too() {
    let (server, bodies) = receiver(Response::json("{}"));
    let sandbox = project().file(".context/ARCHITECTURE.md", "word\n".repeat(12_100));
    sandbox.brief_with_input(["notify", "setup", "-"], format!("{}/x\n", server.url())).success();
    sandbox.hook(["codex", "PreToolUse", "whole"], &json!({ "session_id": "h", "tool_use_id": "t" }));
    let body: Value = serde_json::from_str(&wait_for(&bodies, 1)[0]).unwrap();
    assert!(body["message"].as_str().unwrap().ends_with(" tokens) — over 15000"), "{body}");
    assert_eq!(body["session_id"], "h");
}

#[test]
fn a_dead_slow_or_redirecting_receiver_changes_nothing_for_the_agent() {
    let expected = inject(&project(), "s");
    let (elsewhere, elsewhere_bodies) = receiver(Response::json("{}"));
    let dead = receiver(Response::json("{}")).0.url();
    let slow = receiver(Response::never());
    let redirecting = receiver(Response::new(307, "text/plain", ""));
    for url in [dead, slow.0.url(), redirecting.0.url(), "https://hooks.invalid/x".into()] {
        let sandbox = project();
        sandbox.brief(["notify", "setup", &url]).success();
        let started = Instant::now();
        assert_eq!(inject(&sandbox, "s"), expected, "{url}");
        assert!(started.elapsed() < Duration::from_secs(5), "{url}: {:?}", started.elapsed());
    }
    // Each receiver was reached. The sender gives up after a second, which may be too short on a busy machine: try again.
    for (server, bodies) in [&slow, &redirecting] {
        let sandbox = project();
        sandbox.brief(["notify", "setup", &server.url()]).success();
        let reached = (0..20).any(|attempt| {
            let is_reached = !bodies.lock().unwrap().is_empty();
            if !is_reached {
                inject(&sandbox, &format!("again-{attempt}"));
                std::thread::sleep(Duration::from_millis(500));
            }
            is_reached
        });
        assert!(reached, "{}", server.url());
    }
    assert_eq!(elsewhere_bodies.lock().unwrap().len(), 0);
    drop(elsewhere);
}

#[test]
fn without_a_receiver_nothing_is_sent_and_no_project_can_name_one() {
    let (server, bodies) = receiver(Response::json("{}"));
    let sandbox = project()
        .file(".context/notify.toml", format!("url = \"{}\"\n", server.url()))
        .file("notify.toml", format!("url = \"{}\"\n", server.url()));
    assert!(inject(&sandbox, "s").starts_with("PROJECT CONTEXT"));
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(bodies.lock().unwrap().len(), 0);
}

#[test]
fn setup_show_test_and_off() {
    let (server, bodies) = receiver(Response::json("{}"));
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.brief(["notify", "show"]).success().stdout(), "Notifications are off.\n");
    assert!(sandbox.brief(["notify", "test"]).code(1).stderr().contains("no webhook is set up"));
    let url = format!("{}/T0/s3cr3t", server.url());
    let set_up = sandbox.brief(["notify", "setup", &url]).success();
    let shown = sandbox.brief(["notify", "show"]).success();
    let tested = sandbox.brief(["notify", "test"]).success();
    assert!(tested.stdout().contains("answered with status 200"), "{tested}");
    assert_eq!(serde_json::from_str::<Value>(&wait_for(&bodies, 1)[0]).unwrap()["event"], "test");
    for outcome in [set_up, shown, tested, sandbox.brief(["notify", "show", "--json"]).success()] {
        assert!(outcome.stdout().contains(&format!("{}/…", server.url())) && !outcome.to_string().contains("s3cr3t"), "{outcome}");
    }
    let path = sandbox.home().join(".config/brief/notify.toml");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    sandbox.brief(["notify", "off"]).success();
    assert!(!path.exists());
    assert_eq!(sandbox.brief(["notify", "off"]).success().stdout(), "Notifications were off already.\n");
}

#[test]
fn addresses_that_must_not_be_used_are_refused_without_being_repeated() {
    let sandbox = Sandbox::new();
    for (url, why) in
        [("http://hooks.example.com/s3cr3t", "not https"), ("https://10.0.0.1/s3cr3t", "private address"), ("nonsense s3cr3t", "not a URL")]
    {
        let outcome = sandbox.brief(["notify", "setup", url]).code(1);
        assert!(outcome.stderr().contains(why) && !outcome.stderr().contains("s3cr3t"), "{outcome}");
    }
    sandbox.brief(["notify", "setup", "https://10.0.0.1/x", "--allow-private"]).success();
}
