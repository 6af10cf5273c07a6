//! How fast `brief context` is: a chain of ten levels with a 30 KB knowledge file, against an empty process.
//!
//!     cargo bench -p briefing --bench context
//!     cargo bench -p briefing --bench context -- 500      that many runs of each
//!
//! Both run in turns, so that a busy machine slows both. The target is five times the empty process.
#![allow(clippy::print_stdout, reason = "a benchmark prints")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const LEVELS: usize = 10;
const KNOWLEDGE_BYTES: usize = 30 * 1024;
const TARGET: f64 = 5.0;

fn main() {
    let runs = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(200_usize).max(100);
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let deepest = chain(directory.path());
    let empty = empty_program(directory.path());
    let brief = env!("CARGO_BIN_EXE_brief");

    let (mut empties, mut contexts, mut hooks) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..runs + 10 {
        empties.push(time(Command::new(&empty).current_dir(&deepest)));
        contexts.push(time(Command::new(brief).arg("context").current_dir(&deepest)));
        hooks.push(time(Command::new(brief).args(["context", "--json"]).current_dir(&deepest)));
    }
    // The first runs fill the caches.
    let medians = [&mut empties, &mut contexts, &mut hooks].map(|times| median(&mut times[10..]));
    let ratio = |time: Duration| time.as_secs_f64() / medians[0].as_secs_f64();
    println!("{LEVELS} levels, {KNOWLEDGE_BYTES} bytes of knowledge, {runs} runs each, medians:");
    println!("  empty process         {:>9.3?}", medians[0]);
    println!("  brief context         {:>9.3?}  {:.2} ×  (target: ≤ {TARGET} ×)", medians[1], ratio(medians[1]));
    println!("  brief context --json  {:>9.3?}  {:.2} ×", medians[2], ratio(medians[2]));
}

/// Makes ten domains inside each other and returns the deepest.
fn chain(root: &Path) -> PathBuf {
    let mut directory = root.to_path_buf();
    for level in 0..LEVELS {
        directory.push(format!("level-{level}"));
        fs::create_dir_all(directory.join(".megg")).expect("a fresh directory is writable");
        let info = format!(
            "---\nupdated: 2026-11-01T00:00:00.000Z\ntype: context\n---\n\n# Level {level}\n\n## Rules\n{}",
            "1. A rule.\n".repeat(20)
        );
        fs::write(directory.join(".megg/info.md"), info).expect("a fresh directory is writable");
    }
    let mut knowledge = "# Knowledge\n".to_owned();
    for number in 0.. {
        if knowledge.len() >= KNOWLEDGE_BYTES {
            break;
        }
        let body = "What was decided, why, and what follows from it for everybody here.\n".repeat(6);
        let _ = write!(
            knowledge,
            "\n---\n\n## 2026-10-01 - Entry {number}\n**Type:** decision\n**Topics:** topic-{}, all\n\n{body}",
            number % 7
        );
    }
    fs::write(directory.join(".megg/knowledge.md"), knowledge).expect("a fresh directory is writable");
    directory
}

/// Compiles a program that does nothing, the way ours is compiled.
fn empty_program(directory: &Path) -> PathBuf {
    let (source, program) = (directory.join("empty.rs"), directory.join("empty"));
    fs::write(&source, "fn main() {}\n").expect("a fresh directory is writable");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let status = Command::new(rustc).args(["-O", "-C", "panic=abort", "-C", "strip=symbols", "-o"]).arg(&program).arg(&source).status();
    assert!(status.expect("rustc runs").success(), "the empty program compiles");
    program
}

fn time(command: &mut Command) -> Duration {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let status = command.status().expect("the program runs");
    let time = start.elapsed();
    assert!(status.success());
    time
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
