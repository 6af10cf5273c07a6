//! How long a message takes on many documents, as ratios to an empty process:
//! `cargo bench -p briefing --bench docs -- --documents 1000 --bytes 12000`.
//!
//! The documents are made up from a fixed recurrence over the words of this project's own pages, so runs compare and
//! words follow the usual steep frequencies. The candidates take turns in one run on one machine; medians are compared, of
//! the time on the wall and of the processor's, which is the steadier one where others work too.
//! `--rounds N` says how often; `--check` makes a missed target (1,000 documents: 10 ×) an error. Another build is
//! measured with `BRIEF_BENCH_BINARY=PATH`.

#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use briefing_testkit::bench::{empty_program, measured, median, millis};
use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;

/// Where the words come from.
const PAGES: [&str; 3] =
    [include_str!("../../../docs/agents.md"), include_str!("../../../docs/gate.md"), include_str!("../../../docs/goals.md")];
/// Documents per directory.
const PER_DIRECTORY: usize = 100;

fn main() {
    let option = |name: &str, usual: usize| {
        let mut words = std::env::args().skip_while(|word| word != name);
        words.nth(1).map_or(usual, |word| word.parse().expect("a number"))
    };
    let (count, bytes, rounds) = (option("--documents", 1_000), option("--bytes", 12_000), option("--rounds", 100));
    let is_checked = std::env::args().any(|word| word == "--check");
    let place = tempfile::tempdir().expect("a temporary directory");
    let bench = Bench::new(place.path());
    let topics = make_documents(&bench.project, count, bytes);

    println!("{count} documents of about {bytes} bytes");
    bench.report("brief index --all, first time", &["index", "--all"]);
    // A file that is younger than two seconds is not trusted to look as it did.
    std::thread::sleep(Duration::from_millis(2_500));
    bench.report("brief index --all, up to date", &["index", "--all"]);
    let message = format!("how does the {} {} of the {} work, and where is it described?", topics[0], topics[1], topics[2]);
    bench.report("brief select, unchanged", &["select", &message]);
    bench.change(count / 3);
    bench.report("brief select, one document changed", &["select", &message]);
    bench.report("brief select, just after that", &["select", &message]);
    std::thread::sleep(Duration::from_millis(2_500));
    bench.report("brief select, a while after that", &["select", &message]);

    let mut columns: Vec<Vec<(Duration, Duration)>> = vec![Vec::new(); 4];
    for round in 0..rounds {
        columns[0].push(bench.time_empty());
        columns[1].push(bench.run(&["--version"], "").0);
        let (time, output) = bench.run(&["select", &message], "");
        assert!(output.contains(".md"), "documents are found");
        columns[2].push(time);
        let payload = serde_json::json!({
            "session_id": format!("s-{round}"), "prompt_id": "p", "cwd": bench.project, "prompt": message,
        });
        let (time, output) = bench.run(&["hook", "claude", "UserPromptSubmit"], &payload.to_string());
        assert!(output.contains("=== brief: "), "documents are delivered: {output}");
        columns[3].push(time);
    }
    let (base, base_processor) = medians(&columns[0]);
    println!("empty process: {:.2} ms, processor {:.2} ms (medians of {rounds})", millis(base), millis(base_processor));
    let mut missed = Vec::new();
    for (name, column, target) in
        [("brief --version", 1, None), ("brief select", 2, Some(10.0)), ("hook that delivers to a new session", 3, Some(10.0))]
    {
        let (wall, processor) = medians(&columns[column]);
        let ratio = millis(wall) / millis(base);
        let target = target.filter(|_| count <= 1_000);
        let words = target.map(|target| format!(" (target: {target:.0} ×)")).unwrap_or_default();
        println!("{name}: {:.2} ms = {ratio:.2} ×, processor {:.2} ×{words}", millis(wall), millis(processor) / millis(base_processor));
        if target.is_some_and(|target| ratio > target) {
            missed.push(name);
        }
    }
    assert!(!is_checked || missed.is_empty(), "missed: {missed:?}");
}

struct Bench {
    project: PathBuf,
    home: PathBuf,
    empty: PathBuf,
    brief: PathBuf,
}

impl Bench {
    fn new(place: &Path) -> Self {
        let (project, home) = (place.join("project"), place.join("home"));
        fs::create_dir_all(project.join(".git")).expect("a project");
        fs::create_dir_all(&home).expect("a home");
        Self { project, home, empty: empty_program(place), brief: measured(env!("CARGO_BIN_EXE_brief")) }
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.brief);
        command.args(words).env_clear().env("HOME", &self.home).current_dir(&self.project);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        command
    }

    fn time_empty(&self) -> (Duration, Duration) {
        let mut command = Command::new(&self.empty);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        time(&mut command, "").0
    }

    fn run(&self, words: &[&str], input: &str) -> ((Duration, Duration), String) {
        time(&mut self.command(words), input)
    }

    /// Runs once, and tells the time and the most memory that any child had until now.
    fn report(&self, name: &str, words: &[&str]) {
        let ((wall, processor), _) = self.run(words, "");
        let peak = usage().max_rss() / 1024;
        println!("{name}: {:.0} ms, processor {:.0} ms (largest child so far: {peak} MB)", millis(wall), millis(processor));
    }

    /// Changes one document, in a way that its time tells.
    fn change(&self, number: usize) {
        let file = path(&self.project, number);
        let text = fs::read_to_string(&file).expect("it is there");
        fs::write(&file, format!("{text}\nOne more line.\n")).expect("it can be written");
    }
}

/// What all children together used until now.
fn usage() -> Usage {
    getrusage(UsageWho::RUSAGE_CHILDREN).expect("the system counts")
}

fn processor() -> Duration {
    let usage = usage();
    let time = usage.user_time() + usage.system_time();
    Duration::from_micros(u64::try_from(time.num_microseconds()).unwrap_or(0))
}

/// Returns the time on the wall, the processor's, and the output.
fn time(command: &mut Command, input: &str) -> ((Duration, Duration), String) {
    let (before, begin) = (processor(), Instant::now());
    let mut child = command.spawn().expect("it starts");
    // An empty process may be gone before it reads.
    let _ = child.stdin.take().map(|mut stdin| stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    let wall = begin.elapsed();
    ((wall, processor().saturating_sub(before)), String::from_utf8_lossy(&output.stdout).into_owned())
}

fn path(project: &Path, number: usize) -> PathBuf {
    project.join(format!("docs/area-{}/page-{number}.md", number / PER_DIRECTORY))
}

/// Writes the documents; returns three words that stand in the title of one of them.
fn make_documents(project: &Path, count: usize, bytes: usize) -> [String; 3] {
    let mut words: Vec<String> =
        PAGES.iter().flat_map(|page| page.split(|c: char| !c.is_ascii_alphabetic())).map(str::to_lowercase).collect();
    words.retain(|word| word.len() > 2);
    words.sort_unstable();
    words.dedup();
    let mut state = 7u64;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    // Few words often, most of them seldom.
    let levels = words.len().ilog2() as usize;
    let mut word = || {
        let size = 1 << (next() % levels);
        words[(size - 1 + next() % size) * 7_919 % words.len()].clone()
    };
    let mut topics = None;
    for number in 0..count {
        let file = path(project, number);
        if number % PER_DIRECTORY == 0 {
            fs::create_dir_all(file.parent().expect("a directory")).expect("directories can be made");
        }
        // What a document is about has a name of its own, as in projects.
        let topic = [0, 1, 2].map(|part| format!("{}{}", word(), (number * 7 + part) % 4_999));
        let mut text = format!("# {} {} {}\n\n", topic[0], topic[1], topic[2]);
        while text.len() < bytes {
            let _ = write!(text, "## {} {}\n\n", word(), word());
            for _ in 0..(bytes / 8).clamp(20, 120) {
                text.push_str(&word());
                text.push(' ');
            }
            text.push_str("\n\n");
        }
        fs::write(file, text).expect("a document");
        if number == count / 2 {
            topics = Some(topic);
        }
    }
    topics.expect("there are documents")
}

fn medians(times: &[(Duration, Duration)]) -> (Duration, Duration) {
    let (wall, processor): (Vec<Duration>, Vec<Duration>) = times.iter().copied().unzip();
    (median(&wall), median(&processor))
}
