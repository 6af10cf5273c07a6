//! Shared code of the benchmarks: the empty process to compare with, and taking and printing times.
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Compiles a Rust program that does nothing.
pub fn empty_program(directory: &Path) -> PathBuf {
    let (source, program) = (directory.join("empty.rs"), directory.join("empty"));
    fs::write(&source, "fn main() {}").expect("a source file");
    let status = Command::new("rustc").args(["-O", "-C", "panic=abort", "-o"]).arg(&program).arg(&source).status();
    assert!(status.is_ok_and(|status| status.success()), "rustc compiles an empty program");
    program
}

/// Returns the binary to measure: the one in `BRIEF_BENCH_BINARY`, or the one that was built with the benchmark.
pub fn measured(built: impl AsRef<OsStr>) -> PathBuf {
    std::env::var_os("BRIEF_BENCH_BINARY").map_or_else(|| PathBuf::from(built.as_ref()), PathBuf::from)
}

/// A program with the arguments and the input of one call.
pub type Call = (Command, String);

/// Starts a call and discards its output.
pub fn start((mut command, input): Call) -> Child {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    // An empty process may end before it reads.
    let _ = child.stdin.take().map(|mut stdin| stdin.write_all(input.as_bytes()));
    child
}

/// Times one call.
pub fn time(call: Call) -> Duration {
    time_all(vec![call])
}

/// Times calls that run in parallel, until the last one ends.
pub fn time_all(calls: Vec<Call>) -> Duration {
    let begin = Instant::now();
    let children: Vec<_> = calls.into_iter().map(start).collect();
    for mut child in children {
        child.wait().expect("a child can be waited for");
    }
    begin.elapsed()
}

pub fn median(times: &[Duration]) -> Duration {
    let mut times = times.to_vec();
    times.sort_unstable();
    times[times.len() / 2]
}

pub fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// A measurement: its name, its target as a multiple of the empty process, and its times.
pub struct Row<'a> {
    pub name: &'a str,
    pub target: Option<f64>,
    pub times: &'a [Duration],
}

/// Prints the medians as multiples of the empty process. With `--check` on the command line a missed target is an error.
pub fn print(empty: &[Duration], rows: &[Row<'_>]) {
    let base = millis(median(empty));
    println!("empty process: {base:.2} ms (median of {})", empty.len());
    let mut missed = Vec::new();
    for Row { name, target, times } in rows {
        let time = millis(median(times));
        let words = target.map(|target| format!(" (target: {target:.0} ×)")).unwrap_or_default();
        println!("{name}: {time:.2} ms = {:.2} ×{words}", time / base);
        if target.is_some_and(|target| time / base > target) {
            missed.push(name);
        }
    }
    let is_checked = std::env::args().any(|word| word == "--check");
    assert!(!is_checked || missed.is_empty(), "missed: {missed:?}");
}
