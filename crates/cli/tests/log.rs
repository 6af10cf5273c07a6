//! `brief log` as a user sees it.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

use briefing_store::{Beat, Outcome, Place, beat};
use briefing_testkit::{Sandbox, binary};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::canary::DEPLOY;

fn project() -> Sandbox {
    Sandbox::new()
        .file(".git/HEAD", "ref: refs/heads/main\n")
        .file(".megg/info.md", "# Shop\n")
        .file(
            "docs/deploy.md",
            "# Deploying to production\n\nReleases are rolled out with a canary until the error budget is gone. A rollback puts the release \
             back. The token is ghp_abcdefghijklmnopqrstuvwxyz0123456789.\n",
        )
        .file("docs/billing.md", "# Billing\n\nInvoices for a release are created at the end of the month.\n")
        .file("docs/index.json", r#"["deploy.md","billing.md"]"#)
        // Hooks write the real time, so the clock must be real, too.
        .env("BRIEF_NOW", Timestamp::now().to_string())
}

fn start(sandbox: &Sandbox, session: &str) {
    sandbox.hook(["claude", "SessionStart"], &json!({ "session_id": session, "source": "startup" }));
}

fn say(sandbox: &Sandbox, session: &str, message: &str) -> String {
    sandbox.hook(["claude", "UserPromptSubmit"], &json!({ "session_id": session, "prompt": message, "prompt_id": message }))
}

fn shown(sandbox: &Sandbox, words: &[&str]) -> String {
    sandbox.brief(["log"].iter().chain(words)).success().stdout()
}

#[test]
fn an_event_is_a_line_under_the_name_of_its_session() {
    let sandbox = project();
    start(&sandbox, "one");
    say(&sandbox, "one", DEPLOY);
    for number in 0..3 {
        sandbox.hook(["claude", "PostToolBatch"], &json!({ "session_id": "one", "tool_calls": [{ "tool_use_id": number.to_string() }] }));
    }
    let text = shown(&sandbox.clone().env("COLUMNS", "1000"), &[]);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].ends_with("(times in UTC, UTC+00:00)"), "{text}");
    assert!(lines[1].starts_with("claude · project · “how do I roll back the canary release when the error budget…” · claude:"), "{text}");
    assert!(lines[2].contains("SessionStart: ") && lines[2].contains(" tokens: .megg/info.md, domains and files around ("), "{text}");
    assert!(lines[3].contains(" tokens: docs/deploy.md; 1 redacted ("), "{text}");
    assert!(text.contains("docs/deploy.md: GitHub token"), "what was redacted is named: {text}");
    assert!(
        lines.last().unwrap().contains("PostToolBatch ×3: silent: nothing new is due ("),
        "silent events that are alike are one line: {text}"
    );
    assert!(!text.contains("ghp_"), "{text}");
}

#[test]
fn a_title_and_a_message_have_no_secrets() {
    let sandbox = project();
    say(&sandbox, "one", "the token ghp_abcdefghijklmnopqrstuvwxyz0123456789 does not roll back the canary release");
    let text = shown(&sandbox, &[]);
    assert!(text.contains("“the token [redacted: GitHub token] does not") && !text.contains("ghp_"), "{text}");
    assert!(!shown(&sandbox, &["--json"]).contains("ghp_"));
}

#[test]
fn it_is_readable_at_80_columns_and_unbroken_in_a_file() {
    let sandbox = project();
    start(&sandbox, "one");
    say(&sandbox, "one", DEPLOY);
    say(&sandbox, "one", "the invoices for the canary release of the error budget are created at the end of the month, roll it back");
    let narrow = shown(&sandbox.clone().env("COLUMNS", "80"), &[]);
    for line in narrow.lines() {
        assert!(line.chars().count() <= 80, "{} columns: {line}", line.chars().count());
    }
    assert!(narrow.lines().count() > shown(&sandbox.env("COLUMNS", ""), &[]).lines().count());
}

#[test]
fn it_can_be_narrowed_down() {
    let sandbox = project();
    start(&sandbox, "one");
    say(&sandbox, "one", DEPLOY);
    sandbox.hook(["codex", "SessionStart", "whole"], &json!({ "session_id": "two", "source": "startup" }));
    let elsewhere = Sandbox::new();
    let other = json!({ "session_id": "three", "prompt": "hello", "cwd": elsewhere.root() });
    sandbox.hook(["claude", "UserPromptSubmit"], &other);
    let events = |words: &[&str]| -> Vec<String> {
        let outcome = sandbox.brief(["log", "--json"].iter().chain(words)).success();
        let log: Value = serde_json::from_slice(&outcome.stdout).unwrap();
        log["events"]
            .as_array()
            .unwrap()
            .iter()
            .map(|event| format!("{} {}", event["agent"].as_str().unwrap(), event["event"].as_str().unwrap()))
            .collect()
    };
    let all = ["claude SessionStart", "claude UserPromptSubmit", "codex SessionStart", "claude UserPromptSubmit"];
    assert_eq!(events(&[]), all);
    assert_eq!(events(&["-n", "2"]), all[2..]);
    assert_eq!(events(&["--agent", "codex"]), all[2..3]);
    assert_eq!(events(&["--project", "."]), all[..3], "the other one works elsewhere");
    assert_eq!(events(&["--project", elsewhere.root().to_str().unwrap()]), all[3..]);
    assert_eq!(events(&["--project", "docs"]), [""; 0]);
    assert_eq!(events(&["--source", "docs"]), all[1..2]);
    assert_eq!(events(&["--source", "domains"]), ["claude SessionStart", "codex SessionStart"]);
    assert_eq!(events(&["--session", "one"]), all[..2]);
    assert_eq!(events(&["--session", "last"]), all[2..3], "of those that the ledger knows");
    assert_eq!(events(&["--session", "last", "--agent", "claude"]), all[..2]);
    assert_eq!(events(&["--since", "1h"]), all);
    assert_eq!(events(&["--until", "1h"]), [""; 0]);
    for words in [&["--source", "files"][..], &["--agent", "claud"], &["--since", "soon"], &["-n", "many"]] {
        let wrong = sandbox.brief(["log"].iter().chain(words)).code(2);
        assert!(!wrong.stderr().is_empty() && wrong.stdout().is_empty(), "{wrong}");
    }
    assert!(shown(&sandbox, &["--agent", "gemini"]).starts_with("Nothing fits these filters."));
    let deliveries = |words: &[&str]| -> usize {
        let outcome = sandbox.brief(["log", "--json"].iter().chain(words)).success();
        serde_json::from_slice::<Value>(&outcome.stdout).unwrap()["deliveries"].as_array().unwrap().len()
    };
    assert_eq!((deliveries(&["-n", "1"]), deliveries(&["--source", "docs"])), (0, 1));
    assert!(deliveries(&[]) >= 5);
}

/// "What did my agent get yesterday in this project?"
#[test]
fn yesterday_is_one_command() {
    let sandbox = project().env("BRIEF_NOW", "2026-11-15T12:00:00+01:00").env("TZ", "CET-1");
    let place = Place::below(&sandbox.home().join(".local/state"));
    let at = |text: &str| text.parse::<Timestamp>().unwrap().as_millisecond();
    let root = sandbox.root().display().to_string();
    for (time, event, directory) in [
        ("2026-11-13T22:30:00Z", "before", root.as_str()),
        ("2026-11-13T23:30:00Z", "early", &root),
        ("2026-11-14T22:30:00Z", "late", &format!("{root}/docs")),
        ("2026-11-14T10:00:00Z", "elsewhere", "/elsewhere"),
        ("2026-11-14T23:30:00Z", "after", &root),
    ] {
        let (agent, session, directory) = ("claude".into(), String::new(), directory.into());
        let outcome = Outcome::Busy;
        beat(
            &place,
            &Beat { at: at(time), agent, event: event.into(), session, directory, lane: 1, micros: 1, outcome, notes: Vec::new() },
        )
        .unwrap();
    }
    let text = shown(&sandbox, &["--since", "yesterday", "--until", "yesterday", "--project", "."]);
    let told: Vec<&str> = ["before", "early", "late", "elsewhere", "after"].into_iter().filter(|event| text.contains(*event)).collect();
    assert_eq!(told, ["early", "late"], "{text}");
    assert!(text.starts_with("Saturday, 14 November 2026 (times in CET, UTC+01:00)\n"), "{text}");
    assert!(text.contains("\n00:30:00  early: ") && text.contains("\n23:30:00  late: "), "{text}");
    let today = shown(&sandbox, &["--since", "today"]);
    assert!(today.contains("after") && !today.contains("late"), "{today}");
}

#[test]
fn the_lanes_of_an_event_are_one_line() {
    let sandbox = project().file(".megg/knowledge.md", "- a fact that is worth knowing\n".repeat(500));
    for lane in ["1", "2", "3", "4"] {
        sandbox.hook(["claude", "SessionStart", lane], &json!({ "session_id": "one", "source": "startup" }));
    }
    let log = sandbox.log();
    let events = log["events"].as_array().unwrap();
    assert_eq!(events.len(), 1, "{log:#}");
    assert_eq!((&events[0]["outputs"], &events[0]["outcome"]), (&2.into(), &"delivered".into()), "{log:#}");
    let text = shown(&sandbox, &[]);
    assert!(text.contains(".megg/knowledge.md (parts 1, 2 of 2)"), "{text}");
}

#[test]
fn what_waits_and_what_was_left_out_is_told() {
    let sandbox = project().file(".context/CONVENTIONS.md", "- a fact that is worth knowing\n".repeat(2000)).env("COLUMNS", "1000");
    sandbox.hook(["claude", "PostToolBatch"], &json!({ "session_id": "one", "tool_calls": [{ "tool_use_id": "1" }] }));
    let text = shown(&sandbox, &[]);
    assert!(text.contains(".context/CONVENTIONS.md (part 1 of 7); ") && text.contains(" queued for the next event"), "{text}");
    say(&sandbox, "two", DEPLOY);
    let text = shown(&sandbox, &["--session", "two"]);
    assert!(text.contains("docs/billing.md: matches the message, but its score of 0."), "{text}");
}

/// Runs `brief log --follow` and returns its first lines as soon as they come.
fn follow(sandbox: &Sandbox, words: &[&str], lines: usize, then: impl FnOnce()) -> Vec<String> {
    let mut command = sandbox.command(binary());
    let mut child = command.args(["log", "--follow"]).args(words).stdout(Stdio::piped()).spawn().unwrap();
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    std::thread::sleep(Duration::from_millis(500));
    then();
    let (started, mut found) = (Instant::now(), Vec::new());
    while found.len() < lines && started.elapsed() < Duration::from_secs(30) {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        found.push(line);
    }
    child.kill().unwrap();
    child.wait().unwrap();
    found
}

#[test]
fn further_events_are_shown_as_they_come() {
    let sandbox = project();
    start(&sandbox, "one");
    let lines = follow(&sandbox, &[], 4, || {
        say(&sandbox, "one", DEPLOY);
    });
    assert!(lines[2].contains("SessionStart") && lines[3].contains("UserPromptSubmit"), "{lines:?}");
    let json = follow(&sandbox, &["--json", "-n", "0"], 1, || {
        say(&sandbox, "one", "thanks");
    });
    let event: Value = serde_json::from_str(&json[0]).unwrap();
    assert_eq!((&event["event"], &event["why"]), (&"UserPromptSubmit".into(), &"nothing-fits".into()));
}

#[test]
fn the_delivered_texts_are_kept_as_the_user_says() {
    let sandbox = project();
    say(&sandbox, "one", DEPLOY);
    let texts = sandbox.home().join(".local/state/brief/texts.db");
    let row = sandbox.log()["deliveries"].as_array().unwrap().iter().find(|row| row["file"] == "docs/deploy.md").unwrap().clone();
    let place = Place::below(&sandbox.home().join(".local/state"));
    let text = briefing_store::kept_text(&place, row["rendered_hash"].as_str().unwrap()).unwrap().unwrap();
    assert!(text.contains("A rollback puts the release back") && text.contains("[redacted: GitHub token]"), "{text}");
    assert_eq!(text.len() as u64, row["rendered_length"].as_u64().unwrap());
    // Without the guard, the agent receives the secret; the file does not.
    let open = sandbox.clone().env("BRIEF_REDACT", "false");
    assert!(say(&open, "two", DEPLOY).contains("ghp_"));
    let bytes = std::fs::read(&texts).unwrap();
    assert!(!bytes.windows(4).any(|window| window == b"ghp_"), "no secret is kept");
    say(&sandbox.clone().env("BRIEF_LOG_TEXT_DAYS", "0"), "three", DEPLOY);
    assert!(!texts.exists(), "who wants none has none");
}
