//! How long the gate takes, as ratios to an empty process: `cargo bench -p briefing --bench gate`.
//!
//! The candidates take turns in one run on one machine, so that whatever disturbs one disturbs all. Medians are
//! compared. `--check` makes a missed target an error; `BRIEF_BENCH_BINARY` names another build to measure.

#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 300;

fn main() {
    let is_checked = std::env::args().any(|word| word == "--check");
    let place = tempfile::tempdir().expect("a temporary directory");
    let empty = compile_empty(place.path());
    let brief = std::env::var_os("BRIEF_BENCH_BINARY").map_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_brief")), PathBuf::from);
    let project = project(place.path());
    let home = place.path().join("home");
    std::fs::create_dir_all(&home).expect("a home");
    let gate = |session: &str| {
        let mut command = Command::new(&brief);
        command.args(["system", "context-load-gate"]).env_clear().env("HOME", &home).current_dir(&project);
        (command, format!(r#"{{"session_id":"{session}","cwd":"{}","tool_use_id":"t"}}"#, project.display()))
    };
    time(gate("warm"));
    let mut columns: Vec<Vec<Duration>> = vec![Vec::new(); 3];
    for round in 0..ROUNDS {
        columns[0].push(time((Command::new(&empty), String::new())));
        columns[1].push(time(gate(&format!("new-{round}"))));
        columns[2].push(time(gate("warm")));
    }
    let base = median(&mut columns[0]);
    println!("empty process: {:.2} ms (median of {ROUNDS})", millis(base));
    let mut missed = Vec::new();
    for (name, column, target) in [("first call of a session, 30 KB of core files", 1, 6.0), ("later calls", 2, 3.0)] {
        let time = median(&mut columns[column]);
        let ratio = millis(time) / millis(base);
        println!("{name}: {:.2} ms = {ratio:.2} × (target: {target:.0} ×)", millis(time));
        if ratio > target {
            missed.push(name);
        }
    }
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

/// A repository with 30 KB of core files.
fn project(directory: &Path) -> PathBuf {
    let root = directory.join("project");
    let context = root.join(".context");
    std::fs::create_dir_all(&context).expect("a project");
    std::fs::create_dir_all(root.join(".git")).expect("a repository");
    let line = format!("- {}\n", "a rule of the house ".repeat(4));
    for (name, bytes) in [("CONSTITUTION", 2_000), ("CONVENTIONS", 8_000), ("ARCHITECTURE", 10_000), ("AGENT_PLAYBOOK", 8_000)] {
        std::fs::write(context.join(format!("{name}.md")), line.repeat(bytes / line.len())).expect("a core file");
    }
    let entries =
        (0..20).map(|number| format!("## [2026-01-{:02}-120000] Entry {number}\n\nBody.\n\n", 28 - number)).collect::<Vec<_>>().concat();
    for name in ["DECISIONS", "LEARNINGS"] {
        std::fs::write(context.join(format!("{name}.md")), format!("# {name}\n\n{entries}")).expect("an index file");
    }
    root
}

fn time((mut command, payload): (Command, String)) -> Duration {
    let begin = Instant::now();
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    // An empty process may be gone before it reads.
    let _ = child.stdin.take().map(|mut stdin| stdin.write_all(payload.as_bytes()));
    child.wait().expect("a child can be waited for");
    begin.elapsed()
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
