//! Counts what the guards change in real files: redacted secrets and defused lines, per kind, with the number of lines read.
//!
//! `cargo run --release -p briefing-core --example guard_count -- [--show] PATH…` prints one table. Files that a person did
//! not write as text are left out: binaries, and files above 1 MB.

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::collections::BTreeMap;
use std::path::Path;

use briefing_core::frames::defuse;
use briefing_core::secrets::redact;
use briefing_core::text::decode;

#[derive(Default)]
struct Counts {
    files: usize,
    lines: usize,
    bytes: usize,
    secrets: BTreeMap<&'static str, usize>,
    defused_lines: usize,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let shows = arguments.iter().any(|argument| argument == "--show");
    let mut counts = Counts::default();
    let started = std::time::Instant::now();
    for path in arguments.iter().filter(|argument| *argument != "--show") {
        count(Path::new(path), shows, &mut counts);
    }
    let alarms: usize = counts.secrets.values().sum();
    for (kind, number) in &counts.secrets {
        println!("{number:6}  {kind}");
    }
    let per_alarm = counts.lines.checked_div(alarms).map_or_else(|| "no alarm".to_owned(), |lines| format!("one alarm per {lines} lines"));
    println!("{} files, {} lines, {} bytes, {:?}", counts.files, counts.lines, counts.bytes, started.elapsed());
    println!("secrets: {alarms} ({per_alarm}); defused lines: {}", counts.defused_lines);
}

fn count(path: &Path, shows: bool, counts: &mut Counts) {
    if path.is_dir() && !path.is_symlink() {
        let mut entries: Vec<_> = std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        entries.sort();
        entries.iter().filter(|path| !path.ends_with(".git")).for_each(|path| count(path, shows, counts));
        return;
    }
    let Ok(bytes) = std::fs::read(path) else { return };
    let Ok(text) = decode(&bytes) else { return };
    if text.len() > 1024 * 1024 {
        return;
    }
    let lines: Vec<&str> = text.lines().collect();
    counts.files += 1;
    counts.lines += lines.len();
    counts.bytes += text.len();
    for secret in redact(&text).secrets {
        *counts.secrets.entry(secret.kind).or_default() += 1;
        if shows {
            let line: String = lines.get(secret.line - 1).unwrap_or(&"").trim().chars().take(160).collect();
            println!("{}:{}: {}: {line}", path.display(), secret.line, secret.kind);
        }
    }
    let defused = defuse(&text);
    if let Some((line, finding)) = defused.first {
        let changed = defused.text.lines().zip(&lines).filter(|(after, before)| after != *before).count();
        counts.defused_lines += changed;
        if shows {
            let beginning: String = lines.get(line - 1).unwrap_or(&"").chars().take(120).collect();
            println!("{}:{line}: {changed} lines, {finding:?}: {beginning:?}", path.display());
        }
    }
}
