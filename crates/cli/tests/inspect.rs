//! `brief inspect` without a browser: who is answered, and with what.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::inspected::{DEPLOY, HOSTILE, Project};

/// Sends a request and returns the answer.
fn send(port: &str, head: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

/// Splits an address into its port and its token.
fn parts(address: &str) -> (&str, &str) {
    let (port, token) = address.strip_prefix("http://127.0.0.1:").unwrap().split_once("/?token=").unwrap();
    (port, token)
}

/// Exchanges the token for a cookie.
fn cookie(address: &str) -> String {
    let (port, token) = parts(address);
    let answer = send(port, &format!("GET /?token={token} HTTP/1.1\r\nHost: 127.0.0.1:{port}"), "");
    assert!(answer.starts_with("HTTP/1.1 303"), "{answer}");
    let line = answer.lines().find_map(|line| line.strip_prefix("Set-Cookie: ")).unwrap();
    assert!(line.contains("HttpOnly") && line.contains("SameSite=Strict"), "{line}");
    line.split(';').next().unwrap().to_owned()
}

fn get(address: &str, cookie: &str, path: &str) -> Value {
    let (port, _) = parts(address);
    let answer = send(port, &format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}"), "");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
}

#[test]
fn nobody_without_the_token_and_nobody_from_elsewhere_is_answered() {
    let project = Project::new();
    project.message("s", DEPLOY);
    let (_served, address) = project.serve();
    let (port, token) = parts(&address);
    let cookie = cookie(&address);
    let status = |head: String| send(port, &head, "").split(' ').nth(1).unwrap_or_default().to_owned();
    let host = format!("Host: 127.0.0.1:{port}");
    for path in ["/", "/?token=", "/?token=0", "/api/sessions", "/api/report"] {
        assert_eq!(status(format!("GET {path} HTTP/1.1\r\n{host}")), "403", "{path}");
        assert_eq!(status(format!("GET {path} HTTP/1.1\r\n{host}\r\nCookie: brief-{port}=wrong")), "403", "{path}");
    }
    for head in [
        format!("Host: evil.example:{port}"),
        "Host: 127.0.0.1".to_owned(),
        format!("{host}\r\nOrigin: http://evil.example"),
        format!("{host}\r\nOrigin: null"),
        format!("{host}\r\nSec-Fetch-Site: cross-site"),
    ] {
        assert_eq!(status(format!("GET /?token={token} HTTP/1.1\r\n{head}")), "403", "{head}");
        assert_eq!(status(format!("GET /api/sessions HTTP/1.1\r\n{head}\r\nCookie: {cookie}")), "403", "{head}");
    }
    assert_eq!(status(format!("GET /api/sessions HTTP/1.1\r\n{host}\r\nCookie: {cookie}")), "200");
    assert_eq!(status(format!("GET /etc/passwd HTTP/1.1\r\n{host}\r\nCookie: {cookie}")), "404");
    assert_eq!(status(format!("POST /api/sessions HTTP/1.1\r\n{host}\r\nCookie: {cookie}")), "404");
    assert_eq!(status("nonsense".to_owned()), "400");
    let page = send(port, &format!("GET / HTTP/1.1\r\n{host}\r\nCookie: {cookie}"), "");
    assert!(page.contains("Content-Security-Policy: default-src 'none'"), "{page}");
}

#[test]
fn the_answers_are_those_of_the_ledger_and_of_the_engine() {
    let project = Project::new();
    project.hook("s", "SessionStart", &json!({ "source": "startup" }));
    project.message("s", DEPLOY);
    project.answer("s", &json!({ "type": "text", "text": "Done." }));
    project.sandbox.brief(["verify"]).success();
    let (_served, address) = project.serve();
    let cookie = cookie(&address);
    let log = project.json(&["log", "--json"]);
    let sessions = get(&address, &cookie, "/api/sessions");
    let name = sessions["sessions"][0]["session"].as_str().unwrap().to_owned();
    assert_eq!(sessions["sessions"][0]["deliveries"], log["deliveries"].as_array().unwrap().len());
    let session = get(&address, &cookie, &format!("/api/session?id={}", name.replace(':', "%3A")));
    assert_eq!(session["events"].as_array().unwrap().len(), log["events"].as_array().unwrap().len());
    assert_eq!(session["fill"], json!({ "points": [[session["fill"]["points"][0][0], 1234]], "size": null }));
    assert!(session["receipts"].as_array().unwrap().iter().all(|receipt| receipt["verdict"] == "seen"), "{session:#}");
    for (mine, theirs) in session["deliveries"].as_array().unwrap().iter().zip(log["deliveries"].as_array().unwrap()) {
        assert_eq!((&mine["path"], &mine["tokens"], &mine["at"]), (&theirs["path"], &theirs["tokens"], &theirs["at"]));
    }
    let hash = session["deliveries"].as_array().unwrap().last().unwrap()["rendered_hash"].as_str().unwrap();
    assert!(get(&address, &cookie, &format!("/api/text?id={hash}"))["text"].as_str().unwrap().contains("shopctl_drain --canary"));
    assert_eq!(get(&address, &cookie, "/api/report"), project.json(&["report", "--json"]));
    let index = get(&address, &cookie, "/api/index");
    assert_eq!((index["documents"].as_array().unwrap().len(), index["dead"][0]["target"].as_str()), (3, Some("nowhere.md")), "{index:#}");
    assert!(get(&address, &cookie, "/api/domains")["domains"][0]["info"].as_str().unwrap().contains("Sells things"));
    let (port, _) = parts(&address);
    let ask = |question: &str, body: &Value| {
        let head =
            format!("POST /api/{question} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\nCookie: {cookie}");
        serde_json::from_str::<Value>(send(port, &head, &body.to_string()).split_once("\r\n\r\n").unwrap().1).unwrap()
    };
    assert_eq!(ask("select", &json!({ "message": DEPLOY }))["paths"], project.json(&["select", DEPLOY]));
    for arguments in [json!({ "path": "docs/deploy.md", "message": DEPLOY }), json!({ "path": "docs/auth.md", "session": name })] {
        let mut why = ask("why", &arguments);
        let text = |key: &str| arguments[key].as_str().unwrap_or_default().to_owned();
        let (path, message, session) = (text("path"), text("message"), text("session"));
        let mut command = vec!["why", path.as_str()];
        let flags = [("--message", &message), ("--session", &session)].into_iter().filter(|(_, value)| !value.is_empty());
        flags.for_each(|(flag, value)| command.extend([flag, value.as_str()]));
        let told = why.as_object_mut().unwrap().remove("told").unwrap();
        let printed = project.sandbox.brief(command.iter()).success().stdout;
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(told.as_str().unwrap()), words(&String::from_utf8(printed).unwrap()), "the same words");
        command.push("--json");
        assert_eq!(why, project.json(&command), "the same facts");
    }
    assert!(ask("why", &json!({ "path": "docs/nothing.md" }))["error"].as_str().unwrap().contains("docs/nothing.md"));
}

#[test]
fn the_file_has_everything_but_secrets_and_runs_nothing_from_a_document() {
    let project = Project::new();
    project.message("s", "where are the penguins with a hostile title? AKIAZ7QHTGWLMXRPN3KD </script><script>alert(1)</script>");
    project.sandbox.brief(["inspect", "--output", "page.html"]).success();
    let page = project.sandbox.read("page.html");
    assert_eq!(page.matches("</script>").count(), 3, "ours alone");
    assert!(!page.contains(HOSTILE) && !page.contains("AKIAZ7QHTGWLMXRPN3KD"));
    assert!(!page.contains(project.sandbox.home().to_str().unwrap()), "the home directory has no name");
    assert_eq!(page.matches("://").count(), page.matches("http://www.w3.org/2000/svg").count(), "no outside assets");
}

#[test]
fn a_session_of_a_thousand_events_opens_in_under_a_second() {
    let project = Project::new();
    project.hook("s", "SessionStart", &json!({ "source": "startup" }));
    project.message("s", DEPLOY);
    project.repeat_events(1000);
    let (_served, address) = project.serve();
    let cookie = cookie(&address);
    let name = get(&address, &cookie, "/api/sessions")["sessions"][0]["session"].as_str().unwrap().replace(':', "%3A");
    let started = Instant::now();
    let session = get(&address, &cookie, &format!("/api/session?id={name}"));
    assert!(session["events"].as_array().unwrap().len() >= 1000);
    assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_it_also_while_a_browser_is_connected() {
    use std::os::unix::process::ExitStatusExt as _;
    let project = Project::new();
    project.message("s", DEPLOY);
    // What starts these tests in the background may have it ignored.
    let (mut served, address) = project.serve_by(&["env", "--default-signal=INT"]);
    let (port, _) = parts(&address);
    // A connection that has asked nothing yet, as browsers keep them.
    let _waiting = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
    cookie(&address);
    let started = Instant::now();
    assert!(std::process::Command::new("kill").args(["-INT", &served.0.id().to_string()]).status().unwrap().success());
    let status = loop {
        match served.0.try_wait().unwrap() {
            Some(status) => break status,
            None => assert!(started.elapsed() < Duration::from_secs(10), "it goes on"),
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    assert_eq!(status.signal(), Some(2), "as shells expect it");
    assert!(TcpStream::connect(format!("127.0.0.1:{port}")).is_err(), "the port is free");
    let (_served, again) = project.serve();
    assert_ne!(parts(&again).1, parts(&address).1, "another token");
}
