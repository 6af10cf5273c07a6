//! Measures hooks, as ratios to an empty process: `cargo bench -p briefing --bench hook`.
//!
//! The candidates take turns in one run on one machine, so that other load affects all of them. Medians are
//! compared. The targets are in the design notes; `--check` makes a missed one an error.

#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use briefing_testkit::bench::{Row, empty_program, measured, millis, print, start, time, time_all};

const ROUNDS: usize = 300;

fn main() {
    let place = tempfile::tempdir().expect("a temporary directory");
    let empty = empty_program(place.path());
    let brief = measured(env!("CARGO_BIN_EXE_brief"));
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
    // Everything is delivered before the measurement, so that nothing is due in these sessions.
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
    let mut at_once = Vec::new();
    for round in 0..20 {
        let started: Vec<_> = (0..32)
            .map(|number| {
                let call = hook(&["codex", "SessionStart", "whole"], &chain, &format!("storm-{round}-{number}"));
                (Instant::now(), start(call))
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
    print(
        &columns[0],
        &[
            Row { name: "silent hook, nothing here", target: Some(3.0), times: &columns[1] },
            Row { name: "silent hook, all delivered before", target: Some(3.0), times: &columns[2] },
            Row { name: "all four lanes of one silent event", target: None, times: &columns[3] },
            Row { name: "session start with a 30 KB chain, store warm", target: Some(6.0), times: &columns[4] },
        ],
    );
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
