//! How long hooks take, as ratios to an empty process: `cargo bench -p briefing --bench hook`.
//!
//! The candidates take turns in one run on one machine, so that whatever disturbs one disturbs all. Medians are
//! compared. The targets stand in design notes; `--check` makes a missed one an error.

#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 300;

fn main() {
    let is_checked = std::env::args().any(|word| word == "--check");
    let place = tempfile::tempdir().expect("a temporary directory");
    let empty = compile_empty(place.path());
    // Another build can be measured without compiling this one in release mode.
    let brief = std::env::var_os("BRIEF_BENCH_BINARY").map_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_brief")), PathBuf::from);
    let nothing_here = project(place.path(), "bare", 0);
    let known = project(place.path(), "known", 1_000);
    let chain = project(place.path(), "chain", 30_000);
    let home = place.path().join("home");
    std::fs::create_dir_all(&home).expect("a home");
    let hook = |words: &[&str], project: &Path, session: &str| {
        let mut command = Command::new(&brief);
        command.arg("hook").args(words).env_clear().env("HOME", &home).current_dir(project);
        let payload = format!(
            r#"{{"session_id":"{session}","cwd":"{}","source":"startup","prompt_id":"p","tool_calls":[{{"tool_use_id":"{session}"}}]}}"#,
            project.display()
        );
        (command, payload)
    };
    // Everything is delivered before the measuring begins: from then on these sessions have nothing due.
    time(hook(&["claude", "SessionStart"], &known, "known"));
    time(hook(&["claude", "PostToolBatch"], &known, "known"));
    time(hook(&["codex", "SessionStart", "whole"], &chain, "warm"));

    let mut columns: Vec<Vec<Duration>> = vec![Vec::new(); 5];
    for round in 0..ROUNDS {
        columns[0].push(time((Command::new(&empty), String::new())));
        columns[1].push(time(hook(&["claude", "PostToolBatch"], &nothing_here, "bare")));
        columns[2].push(time(hook(&["claude", "PostToolBatch"], &known, "known")));
        let lanes = ["1", "2", "3", "4"].map(|lane| hook(&["claude", "PostToolBatch", lane], &known, "known"));
        columns[3].push(time_all(lanes.into()));
        columns[4].push(time(hook(&["codex", "SessionStart", "whole"], &chain, &format!("new-{round}"))));
    }
    let base = median(&mut columns[0]);
    println!("empty process: {:.2} ms (median of {ROUNDS})", millis(base));
    let mut missed = Vec::new();
    let rows = [
        ("silent hook, nothing here", 1, Some(3.0)),
        ("silent hook, all delivered before", 2, Some(3.0)),
        ("all four lanes of one silent event", 3, None),
        ("session start with a 30 KB chain, store warm", 4, Some(6.0)),
    ];
    for (name, column, target) in rows {
        let time = median(&mut columns[column]);
        let ratio = millis(time) / millis(base);
        let target_words = target.map(|target| format!(" (target: {target:.0} ×)")).unwrap_or_default();
        println!("{name}: {:.2} ms = {ratio:.2} ×{target_words}", millis(time));
        if target.is_some_and(|target| ratio > target) {
            missed.push(name);
        }
    }
    let mut at_once = Vec::new();
    for round in 0..20 {
        let started: Vec<_> = (0..32)
            .map(|number| {
                let (command, payload) = hook(&["codex", "SessionStart", "whole"], &chain, &format!("storm-{round}-{number}"));
                (Instant::now(), start(command, &payload))
            })
            .collect();
        for (begin, mut child) in started {
            child.wait().expect("a child can be waited for");
            at_once.push(begin.elapsed());
        }
    }
    at_once.sort_unstable();
    println!(
        "32 session starts at once: p50 {:.1} ms, p99 {:.1} ms",
        millis(at_once[at_once.len() / 2]),
        millis(at_once[at_once.len() * 99 / 100])
    );
    assert!(!is_checked || missed.is_empty(), "missed: {missed:?}");
}

/// Compiles a program that does nothing, as every program of this language must begin.
fn compile_empty(directory: &Path) -> PathBuf {
    let source = directory.join("empty.rs");
    std::fs::write(&source, "fn main() {}").expect("a source file");
    let program = directory.join("empty");
    let status = Command::new("rustc").args(["-O", "-C", "panic=abort", "-o"]).arg(&program).arg(&source).status();
    assert!(status.is_ok_and(|status| status.success()), "rustc compiles an empty program");
    program
}

fn project(directory: &Path, name: &str, bytes: usize) -> PathBuf {
    let root = directory.join(name);
    std::fs::create_dir_all(&root).expect("a project");
    if bytes > 0 {
        std::fs::create_dir(root.join(".megg")).expect("a domain");
        std::fs::write(root.join(".megg/info.md"), "# A domain\n").expect("its identity");
        let line = format!("{}\n", "knowledge ".repeat(5));
        std::fs::write(root.join(".megg/knowledge.md"), line.repeat(bytes / line.len())).expect("its knowledge");
    }
    root
}

fn start(mut command: Command, payload: &str) -> Child {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    // An empty process may be gone before it reads.
    let _ = child.stdin.take().map(|mut stdin| stdin.write_all(payload.as_bytes()));
    child
}

fn time(call: (Command, String)) -> Duration {
    time_all(vec![call])
}

fn time_all(calls: Vec<(Command, String)>) -> Duration {
    let begin = Instant::now();
    let children: Vec<_> = calls.into_iter().map(|(command, payload)| start(command, &payload)).collect();
    for mut child in children {
        child.wait().expect("a child can be waited for");
    }
    begin.elapsed()
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
