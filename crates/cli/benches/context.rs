//! Measures `brief context`: a chain of ten levels with a 30 KB knowledge file, against an empty process.
//!
//!     cargo bench -p briefing --bench context
//!     cargo bench -p briefing --bench context -- 500      that many runs of each
//!
//! Both take turns, so that other load slows both. The target is five times the empty process.
#![allow(clippy::print_stdout, reason = "a benchmark prints")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use briefing_testkit::bench::{Row, empty_program, measured, print, time};

const LEVELS: usize = 10;
const KNOWLEDGE_BYTES: usize = 30 * 1024;
/// Runs that only fill the caches.
const WARMING: usize = 10;

fn main() {
    let runs = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(200_usize).max(100);
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let deepest = chain(directory.path());
    let empty = empty_program(directory.path());
    let brief = measured(env!("CARGO_BIN_EXE_brief"));
    let call = |program: &Path, words: &[&str]| {
        let mut command = Command::new(program);
        command.args(words).current_dir(&deepest);
        (command, String::new())
    };
    let mut columns: Vec<Vec<Duration>> = vec![Vec::new(); 3];
    for _ in 0..runs + WARMING {
        columns[0].push(time(call(&empty, &[])));
        columns[1].push(time(call(&brief, &["context"])));
        columns[2].push(time(call(&brief, &["context", "--json"])));
    }
    println!("{LEVELS} levels, {KNOWLEDGE_BYTES} bytes of knowledge");
    print(
        &columns[0][WARMING..],
        &[
            Row { name: "brief context", target: Some(5.0), times: &columns[1][WARMING..] },
            Row { name: "brief context --json", target: Some(5.0), times: &columns[2][WARMING..] },
        ],
    );
}

/// Creates ten nested domains and returns the deepest one.
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
