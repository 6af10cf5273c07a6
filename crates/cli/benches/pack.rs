//! Measures `brief pack` against other programs, as ratios from one interleaved run.
//!
//!     cargo bench -p briefing --bench pack                       a generated tree of 1,000 files
//!     cargo bench -p briefing --bench pack -- --files 30000
//!     cargo bench -p briefing --bench pack -- --dir PATH --rounds 7
//!     cargo bench -p briefing --bench pack -- --files 30000 --peers yek,code2prompt
//!
//! The floor lists the same files with the `ignore` crate on all cores and reads each once. Peers that are installed
//! (`yek`, `code2prompt`, `repomix`, `files-to-prompt`, `gitingest`) get a row of their own.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use std::{env, fs};

use briefing_testkit::bench::{empty_program, measured, median};

fn main() {
    let arguments: Vec<String> = env::args().skip(1).filter(|argument| argument != "--bench").collect();
    match arguments.first().map(String::as_str) {
        Some("floor") => floor(Path::new(&arguments[1]), std::thread::available_parallelism().map_or(2, usize::from)),
        Some("floor-on-one") => floor(Path::new(&arguments[1]), 1),
        Some("peak") => peak(&arguments[1..]),
        _ => bench(&arguments),
    }
}

/// Lists and reads everything below a directory on this many threads, and does nothing else.
fn floor(directory: &Path, threads: usize) {
    let files = Mutex::new(Vec::new());
    ignore::WalkBuilder::new(directory).require_git(false).threads(threads).build_parallel().run(|| {
        Box::new(|entry| {
            if let Ok(entry) = entry
                && entry.file_type().is_some_and(|kind| kind.is_file())
            {
                files.lock().unwrap().push(entry.into_path());
            }
            ignore::WalkState::Continue
        })
    });
    let files = files.into_inner().unwrap();
    let bytes: usize = std::thread::scope(|scope| {
        let handles: Vec<_> = files
            .chunks(files.len().div_ceil(threads).max(1))
            .map(|chunk| scope.spawn(|| chunk.iter().filter_map(|path| fs::read(path).ok()).map(|bytes| bytes.len()).sum::<usize>()))
            .collect();
        handles.into_iter().map(|handle| handle.join().unwrap()).sum()
    });
    assert!(bytes > 0);
}

/// Runs a command and prints the peak memory of its largest process in KB.
fn peak(command: &[String]) {
    let _ = Command::new(&command[0]).args(&command[1..]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let usage = nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_CHILDREN).unwrap();
    println!("{}", usage.max_rss());
}

struct Contender {
    name: String,
    command: Vec<String>,
    /// Runs before each measurement and is not measured.
    prepare: Option<Box<dyn Fn()>>,
    times: Vec<Duration>,
    peak_kb: u64,
    is_peer: bool,
    has_failed: bool,
}

fn bench(arguments: &[String]) {
    let value = |name: &str| arguments.iter().position(|argument| argument == name).and_then(|at| arguments.get(at + 1)).cloned();
    let rounds: usize = value("--rounds").map_or(5, |rounds| rounds.parse().expect("--rounds takes a number"));
    let files: usize = value("--files").map_or(1000, |files| files.parse().expect("--files takes a number"));
    let scratch = tempfile::tempdir().expect("a temporary directory can be made");
    let directory = match value("--dir") {
        Some(directory) => PathBuf::from(directory),
        None => generate(scratch.path(), files),
    };
    let brief = measured(env!("CARGO_BIN_EXE_brief")).to_string_lossy().into_owned();
    let itself = env::current_exe().unwrap().to_string_lossy().into_owned();
    let empty = empty_program(scratch.path()).to_string_lossy().into_owned();
    let at = directory.to_string_lossy().into_owned();
    let out = scratch.path().join("out").to_string_lossy().into_owned();
    let cache = scratch.path().join("cache");

    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let plain = |name: &str, command: Vec<String>| Contender {
        name: name.into(),
        command,
        prepare: None,
        times: Vec::new(),
        peak_kb: 0,
        is_peer: false,
        has_failed: false,
    };
    let pack =
        ["pack", &at, "--errors", "ignore", "--max-files-per-directory", "1000000", "--max-file-size-kb", "1000000", "--quiet", "-o", &out];
    let packed = |more: &[&str]| std::iter::once(brief.clone()).chain(words(&pack)).chain(words(more)).collect::<Vec<_>>();
    let mut contenders = vec![
        plain("floor: list and read", words(&[&itself, "floor", &at])),
        plain("list and read on one core", words(&[&itself, "floor-on-one", &at])),
        plain("brief pack -o", packed(&[])),
        plain("brief pack -o, -j 1", packed(&["-j", "1"])),
        plain("brief pack --format json", packed(&["--format", "json"])),
    ];
    let cold = cache.clone();
    contenders.push(Contender {
        prepare: Some(Box::new(move || drop(fs::remove_dir_all(&cold)))),
        ..plain("brief pack --tokens, cold", packed(&["--tokens"]))
    });
    contenders.push(plain("brief pack --tokens, cached", packed(&["--tokens"])));
    let wanted = value("--peers");
    let is_wanted = |peer: &str| wanted.as_ref().is_none_or(|wanted| wanted.split(',').any(|name| name == peer));
    for (peer, command) in peers(&at, &out).into_iter().filter(|(peer, _)| is_wanted(peer)) {
        contenders.push(Contender { is_peer: true, ..plain(peer, command) });
    }
    contenders.push(plain("empty process", words(&[&empty])));
    contenders.push(plain("brief --version", words(&[&brief, "--version"])));

    for round in 0..=rounds {
        for contender in &mut contenders {
            if let Some(prepare) = &contender.prepare {
                prepare();
            }
            // Every candidate creates a new file: the time to free the old one must not count.
            let _ = fs::remove_file(&out);
            let start = Instant::now();
            let status = Command::new(&contender.command[0])
                .args(&contender.command[1..])
                .env("XDG_CACHE_HOME", &cache)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
            let time = start.elapsed();
            if !status.is_ok_and(|status| status.success()) {
                assert!(contender.is_peer, "{} failed", contender.name);
                eprintln!("{} fails here and gets no row: {}", contender.name, contender.command.join(" "));
                contender.has_failed = true;
            } else if round > 0 {
                // The first round warms the page cache.
                contender.times.push(time);
            }
        }
        contenders.retain(|contender| !contender.has_failed);
    }
    for contender in &mut contenders {
        let output = Command::new(&itself).arg("peak").args(&contender.command).env("XDG_CACHE_HOME", &cache).output().unwrap();
        contender.peak_kb = String::from_utf8_lossy(&output.stdout).trim().parse().unwrap_or(0);
    }
    print(&contenders, &directory, rounds);
}

fn print(contenders: &[Contender], directory: &Path, rounds: usize) {
    let median = |contender: &Contender| median(&contender.times).as_secs_f64();
    let of = |name: &str| contenders.iter().find(|contender| contender.name == name).map(median).unwrap();
    let (floor, empty) = (of("floor: list and read"), of("empty process"));
    let (count, bytes) = size(directory);
    println!(
        "\n{count} files, {:.1} MB, {rounds} rounds interleaved, page cache warm, {} cores\n",
        bytes as f64 / 1e6,
        std::thread::available_parallelism().map_or(0, usize::from)
    );
    println!("| what | median ms | x floor | peak MB |\n|---|---:|---:|---:|");
    for contender in contenders.iter().filter(|contender| !["empty process", "brief --version"].contains(&contender.name.as_str())) {
        let time = median(contender);
        println!("| {} | {:.1} | {:.2} | {:.0} |", contender.name, time * 1e3, time / floor, contender.peak_kb as f64 / 1024.0);
    }
    println!(
        "\nstart-up: `brief --version` {:.2} ms is {:.2} x an empty process ({:.2} ms)",
        of("brief --version") * 1e3,
        of("brief --version") / empty,
        empty * 1e3
    );
}

fn peers(at: &str, out: &str) -> Vec<(&'static str, Vec<String>)> {
    let all: [(&str, &str, Vec<&str>); 6] = [
        ("yek", "yek", vec!["--max-size", "10GB", at]),
        ("yek --tokens", "yek", vec!["--tokens", "1000000000", at]),
        ("code2prompt", "code2prompt", vec![at, "-q", "-O", out]),
        ("repomix", "repomix", vec![at, "--quiet", "-o", out]),
        ("files-to-prompt", "files-to-prompt", vec![at, "-o", out]),
        ("gitingest", "gitingest", vec![at, "-o", out]),
    ];
    let is_installed =
        |program: &str| env::split_paths(&env::var_os("PATH").unwrap_or_default()).any(|directory| directory.join(program).is_file());
    all.into_iter()
        .filter(|(_, program, _)| is_installed(program))
        .map(|(name, program, arguments)| (name, std::iter::once(program).chain(arguments).map(str::to_owned).collect()))
        .collect()
}

fn size(directory: &Path) -> (usize, u64) {
    let walk = ignore::WalkBuilder::new(directory).require_git(false).build();
    let sizes = walk
        .flatten()
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .filter_map(|entry| entry.metadata().ok())
        .map(|metadata| metadata.len());
    sizes.fold((0, 0), |(count, bytes), size| (count + 1, bytes + size))
}

/// Creates a tree that resembles source code: many small files and a few large ones, about 8 KB on average, at most ten
/// directories deep.
fn generate(scratch: &Path, files: usize) -> PathBuf {
    let root = scratch.join("tree");
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut random = move |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    for file in 0..files {
        let mut path = root.clone();
        let directory = file / 20;
        for level in 0..3 {
            path.push(format!("module_{}", (directory >> (level * 4)) % 16 + level));
        }
        fs::create_dir_all(&path).unwrap();
        let lines = 20 + random(60) * random(12);
        let mut text = String::new();
        for line in 0..lines {
            let _ = writeln!(
                text,
                "    let value_{line} = compute_{}(input, {}); // step {} of the plan",
                random(900),
                random(100_000),
                random(40)
            );
        }
        fs::write(path.join(format!("source_{file}.rs")), text).unwrap();
    }
    root
}
