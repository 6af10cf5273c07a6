//! Measures the gate, as ratios to an empty process: `cargo bench -p briefing --bench gate`.
//!
//! The candidates take turns in one run on one machine, so that other load affects all of them. Medians are
//! compared. `--check` makes a missed target an error; `BRIEF_BENCH_BINARY` names another build to measure.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use briefing_testkit::bench::{Row, empty_program, measured, print, time};

const ROUNDS: usize = 300;

fn main() {
    let place = tempfile::tempdir().expect("a temporary directory");
    let empty = empty_program(place.path());
    let brief = measured(env!("CARGO_BIN_EXE_brief"));
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
    print(
        &columns[0],
        &[
            Row { name: "first call of a session, 30 KB of core files", target: Some(6.0), times: &columns[1] },
            Row { name: "later calls", target: Some(3.0), times: &columns[2] },
        ],
    );
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
