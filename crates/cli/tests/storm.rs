//! Many processes at once, and processes that are killed: exactly once, and nothing is lost.
//!
//! Small by default; `BRIEF_TEST_FULL=1` runs 64 processes × 1,000 rounds, 2,000 kills at random moments, and 100,000 events.

use std::collections::BTreeMap;
use std::io::Read;
use std::process::{Child, ChildStdout};
use std::time::Duration;

use briefing_testkit::{Sandbox, context, is_full, tell};
use serde_json::{Value, json};

fn project(lines: usize) -> Sandbox {
    let knowledge: String = (0..lines).map(|number| format!("LINE-{number:05} {}\n", "x".repeat(38))).collect::<Vec<_>>().concat();
    Sandbox::new().file(".megg/info.md", "# Shop\n").file(".megg/knowledge.md", knowledge)
}

/// Parallel tool calls of one session, every lane of each, all on a store that does not exist yet.
#[test]
fn a_storm_delivers_each_piece_exactly_once() {
    let (processes, rounds) = if is_full() { (64, 1000) } else { (32, 4) };
    for round in 0..rounds {
        let sandbox = project(600).env("BRIEF_HOOK_DEADLINE_MS", "30000");
        let children: Vec<Child> = (0..processes)
            .map(|number| {
                let (tool, lane) = (number / 4, number % 4 + 1);
                let payload = sandbox.payload(&json!({ "tool_calls": [{ "tool_use_id": format!("t{tool}") }] }));
                sandbox.start(["hook", "claude", "PostToolBatch", &lane.to_string()], &payload)
            })
            .collect();
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for child in children {
            let output = child.wait_with_output().unwrap();
            assert_eq!((output.status.code(), &output.stderr[..]), (Some(0), &b""[..]));
            for line in context(&output.stdout).lines().filter(|line| line.starts_with("LINE-")) {
                *seen.entry(line[..10].to_owned()).or_default() += 1;
            }
        }
        let log = sandbox.log();
        assert!(!log.to_string().contains("without the ledger") && !log.to_string().contains("held the ledger"), "{log:#}");
        assert!(seen.values().all(|times| *times == 1), "round {round}: {seen:?}");
        assert_eq!(seen.len(), 600, "round {round}: all of it");
    }
    tell(&format!("storm: {processes} processes at once, {rounds} times, each line of 600 exactly once"));
}

const MB: u64 = 1024 * 1024;

/// How many bytes the parts of the state directory have.
#[derive(Debug, Clone, Copy, Default)]
struct Sizes {
    ledger: u64,
    texts: u64,
    heartbeat: u64,
    others: u64,
}

impl Sizes {
    fn of(sandbox: &Sandbox) -> Self {
        let mut sizes = Self::default();
        for entry in std::fs::read_dir(sandbox.home().join(".local/state/brief")).unwrap() {
            let entry = entry.unwrap();
            let (name, bytes) = (entry.file_name().into_string().unwrap(), entry.metadata().unwrap().len());
            *match name.split('.').next().unwrap() {
                "ledger" => &mut sizes.ledger,
                "texts" => &mut sizes.texts,
                "heartbeat" => &mut sizes.heartbeat,
                _ => &mut sizes.others,
            } += bytes;
        }
        sizes
    }

    fn max(self, other: Self) -> Self {
        Self {
            ledger: self.ledger.max(other.ledger),
            texts: self.texts.max(other.texts),
            heartbeat: self.heartbeat.max(other.heartbeat),
            others: self.others.max(other.others),
        }
    }
}

/// Many sessions side by side, each with starts, messages, tools and compactions: neither the files nor the memory grow with
/// the number of events.
#[test]
fn a_soak_stays_small() {
    let (sessions, events): (u32, u32) = if is_full() { (50, 100_000) } else { (5, 150) };
    let sandbox = project(40).file(".context/CONSTITUTION.md", "# Rules\n").file("docs/deploy.md", "# Deploying\n\nThe canary.\n");
    let sandbox = sandbox.file("docs/index.json", r#"["deploy.md"]"#);
    let (mut early, mut largest) = (Sizes::default(), Sizes::default());
    let started = std::time::Instant::now();
    for number in 0..events {
        let session = format!("soak-{}", number % sessions);
        let turn = number / sessions;
        let (event, more) = match turn % 10 {
            0 if turn == 0 => ("SessionStart", json!({ "source": "startup" })),
            0 => ("SessionStart", json!({ "source": "compact" })),
            1 | 5 => ("UserPromptSubmit", json!({ "prompt": format!("deploy the canary, number {turn}"), "prompt_id": turn.to_string() })),
            _ => ("PostToolBatch", json!({ "tool_calls": [{ "tool_use_id": turn.to_string() }] })),
        };
        let mut payload = more;
        payload["session_id"] = session.into();
        let context = sandbox.hook(["claude", event], &payload);
        assert!(turn % 10 != 0 || context.contains("LINE-00000"), "a start and a compaction bring it: event {number}");
        assert!(turn % 10 < 6 || context.is_empty(), "the rest of a turn is silent: event {number}: {context}");
        if number % 100 == 0 {
            largest = largest.max(Sizes::of(&sandbox));
        }
        if number == events / 10 {
            early = Sizes::of(&sandbox);
        }
    }
    let (end, micros) = (Sizes::of(&sandbox), started.elapsed().as_micros() / u128::from(events));
    tell(&format!(
        "soak: {events} events of {sessions} sessions, {micros} µs each; bytes after a tenth: {early:?}; at the end: {end:?}; at \
         most: {largest:?}"
    ));
    // The past is shortened beyond 12 MB, every 64 events; the journal is emptied when it has 256 KB.
    assert!(largest.ledger < 14 * MB, "{largest:?}");
    // `log.text_mb`, and what SQLite needs around it.
    assert!(largest.texts < 22 * MB, "{largest:?}");
    // Two files of 1 MB.
    assert!(largest.heartbeat < 2 * MB + 100_000, "{largest:?}");
    assert!(largest.others < 100_000, "{largest:?}");
    assert_eq!(sandbox.brief(["doctor", "--json"]).stdout().matches("\"what\": \"ledger\"").count(), 1);
}

/// Events that deliver nothing write a line each; the journal must not grow until one delivers something.
#[test]
fn events_that_deliver_nothing_empty_the_journal() {
    let sandbox = Sandbox::new().file("docs/deploy.md", "# Deploying\n\nThe canary.\n").file("docs/index.json", r#"["deploy.md"]"#);
    let journal = sandbox.home().join(".local/state/brief/ledger.db-wal");
    for number in 0..80 {
        let message = format!("thanks, that is fine, number {number}");
        let payload = json!({ "prompt": message, "prompt_id": number.to_string() });
        assert_eq!(sandbox.hook(["claude", "UserPromptSubmit"], &payload), "");
        let bytes = std::fs::metadata(&journal).map_or(0, |journal| journal.len());
        assert!(bytes < 400_000, "{bytes} bytes after {number} events");
    }
}

/// Returns what a killed process had printed, `None` if nothing complete was printed.
fn printed(mut stdout: ChildStdout) -> String {
    let mut bytes = Vec::new();
    stdout.read_to_end(&mut bytes).unwrap();
    if serde_json::from_slice::<Value>(&bytes).is_ok() { context(&bytes) } else { String::new() }
}

#[test]
fn kill_9_at_any_moment_loses_nothing() {
    let kills = if is_full() { 2000 } else { 60 };
    let sandbox = project(20);
    let mut delay = 0u64;
    for number in 0..kills {
        let session = format!("k{number}");
        let payload = sandbox.payload(&json!({ "session_id": session, "source": "startup" }));
        let mut child = sandbox.start(["hook", "claude", "SessionStart"], &payload);
        // Pseudo-random delays over the run time of a debug build's hook, without a generator.
        delay = (delay * 7919 + 1031) % 9000;
        std::thread::sleep(Duration::from_micros(delay));
        child.kill().unwrap();
        child.wait().unwrap();
        let first = printed(child.stdout.take().unwrap());
        let log: Value = serde_json::from_slice(&sandbox.brief(["log", "--json", "--session", &session]).success().stdout).unwrap();
        let is_marked = log["deliveries"].as_array().unwrap().iter().any(|row| row["state"] == "delivered");
        assert!(!is_marked || first.contains("LINE-00000"), "marked as delivered, but never printed");
        // The next event delivers what has not been confirmed.
        let second = sandbox.hook(["claude", "UserPromptSubmit"], &json!({ "session_id": session, "prompt": "go on" }));
        assert!(first.contains("LINE-00000") || second.contains("LINE-00000"), "kill {number} lost it");
        assert!(!is_marked || second.is_empty(), "confirmed, and yet sent again");
    }
    let doctor = sandbox.brief(["log"]).success();
    assert!(!doctor.stdout().contains("damaged"));
}
