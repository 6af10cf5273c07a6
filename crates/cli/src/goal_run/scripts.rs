//! Runs the context scripts of a goal in parallel, each with a timeout and an output limit.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use briefing_core::Failure;
use briefing_goals::template;

use super::children;
use crate::progress;

/// The surroundings and limits of every script.
pub(crate) struct Frame<'a> {
    /// The working directory.
    pub(crate) directory: &'a Path,
    /// The complete environment.
    pub(crate) environment: &'a BTreeMap<OsString, OsString>,
    pub(crate) timeout: Duration,
    pub(crate) max_bytes: usize,
}

/// More scripts in parallel would only slow each other down.
const MAX_AT_ONCE: usize = 8;
/// How many bytes of a failed script's stderr are shown.
const MAX_SHOWN: usize = 4 * 1024;
const LOOK: Duration = Duration::from_millis(5);
/// How long to wait for the pipes after a script has ended: a process that it started may still hold them.
const PIPE_PATIENCE: Duration = Duration::from_millis(500);

/// Runs all scripts and returns the trimmed output of each. The first failure stops the others.
pub(crate) fn run(goal: &str, scripts: &[template::Command], frame: &Frame<'_>) -> Result<BTreeMap<String, String>, Failure> {
    let (next, finished, is_cancelled) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
    let results: Mutex<Vec<(usize, Result<String, Failure>)>> = Mutex::new(Vec::new());
    let work = || {
        std::thread::scope(|scope| {
            for _ in 0..scripts.len().min(MAX_AT_ONCE) {
                scope.spawn(|| {
                    while let Some(script) = scripts.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let index = scripts.iter().position(|other| std::ptr::eq(other, script)).expect("it is one of them");
                        let Some(result) = one(script, frame, &is_cancelled) else { continue };
                        is_cancelled.fetch_or(result.is_err(), Ordering::Relaxed);
                        finished.fetch_add(1, Ordering::Relaxed);
                        results.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
                    }
                });
            }
        });
    };
    let names = scripts.iter().map(|script| script.name.as_str()).collect::<Vec<_>>().join(", ");
    let text = || format!("running {names}: {} of {} done", finished.load(Ordering::Relaxed), scripts.len());
    progress::line(text, work);
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    let mut context = BTreeMap::new();
    let mut failure: Option<Failure> = None;
    for (index, result) in results {
        match result {
            Ok(text) => drop(context.insert(scripts[index].name.clone(), text)),
            Err(problem) => failure = Some(joined(failure, &problem, goal)),
        }
    }
    failure.map_or(Ok(context), Err)
}

fn joined(failure: Option<Failure>, problem: &Failure, goal: &str) -> Failure {
    let start = failure.unwrap_or_else(|| Failure::new(format!("a script of the goal `{goal}` failed")));
    let with_what = start.because_of(problem.to_string());
    let with_causes = problem.causes().iter().fold(with_what, Failure::because_of);
    problem.hints().iter().fold(with_causes, Failure::hint)
}

/// Runs one script. Returns `None` if it was stopped because another one failed.
fn one(script: &template::Command, frame: &Frame<'_>, is_cancelled: &AtomicBool) -> Option<Result<String, Failure>> {
    if is_cancelled.load(Ordering::Relaxed) {
        return None;
    }
    let name = &script.name;
    let mut command = Command::new("sh");
    command.args(["-c", &script.command]).current_dir(frame.directory).env_clear().envs(frame.environment);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = match children::start_script(&mut command) {
        Ok(child) => child,
        Err(error) => {
            // Scripts are in the language of `sh` on every platform: the filter `sh` quotes for no other shell.
            let failure = Failure::new(format!("cannot run `{name}` with `sh`")).because(&error);
            let hint = "scripts of goals need `sh` on PATH; on Windows, Git for Windows has one in its `bin` directory";
            return Some(Err(if error.kind() == ErrorKind::NotFound { failure.hint(hint) } else { failure }));
        }
    };
    let printed = Pipe::of(child.stdout.take().expect("it was piped"), frame.max_bytes, Keep::Start);
    let complaint = Pipe::of(child.stderr.take().expect("it was piped"), MAX_SHOWN, Keep::End);
    let end = wait(&mut child, frame, &printed, is_cancelled);
    children::end_script(&mut child);
    printed.wait();
    complaint.wait();
    let with_stderr = |failure: Failure| match String::from_utf8_lossy(&complaint.bytes()).trim() {
        "" => failure,
        text => failure.because_of(text.replace('\n', "\n    ")),
    };
    let too_much = || {
        Failure::new(format!("`{name}` printed more than {} KB and was stopped", frame.max_bytes / 1024))
            .hint("make it print less, or raise `goals.script_output_kb`")
    };
    Some(match end {
        End::Cancelled => return None,
        End::Status(status) if !status.success() => Err(with_stderr(Failure::new(format!("`{name}` ended with {}", words(status))))),
        End::TooMuch => Err(too_much()),
        End::Status(_) if printed.is_over() => Err(too_much()),
        End::TimedOut => {
            Err(with_stderr(Failure::new(format!("`{name}` took longer than {} ms and was stopped", frame.timeout.as_millis())))
                .hint("raise `goals.script_timeout_ms` to give scripts more time"))
        }
        End::Unknown(error) => Err(Failure::new(format!("cannot wait for `{name}`")).because_of(error)),
        End::Status(_) => text(name, printed.bytes()),
    })
}

/// Returns the output as text. Binary data is an error, since it cannot be part of a prompt.
fn text(name: &str, bytes: Vec<u8>) -> Result<String, Failure> {
    let hint = "a prompt can only contain text; make the script describe the data instead";
    match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => Ok(text.trim().to_owned()),
        _ => Err(Failure::new(format!("`{name}` printed binary data")).hint(hint)),
    }
}

/// Describes how a program ended.
pub(super) fn words(status: ExitStatus) -> String {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        if let Some(signal) = status.signal() {
            return format!("signal {signal}");
        }
    }
    status.code().map_or_else(|| "no exit code".to_owned(), |code| format!("exit code {code}"))
}

enum End {
    Status(ExitStatus),
    TimedOut,
    TooMuch,
    Cancelled,
    Unknown(String),
}

fn wait(child: &mut Child, frame: &Frame<'_>, printed: &Pipe, is_cancelled: &AtomicBool) -> End {
    let started = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return End::Status(status),
            Err(error) => return End::Unknown(error.to_string()),
            Ok(None) if printed.is_over() => return End::TooMuch,
            Ok(None) if is_cancelled.load(Ordering::Relaxed) => return End::Cancelled,
            Ok(None) if started.elapsed() >= frame.timeout => return End::TimedOut,
            Ok(None) => std::thread::sleep(LOOK),
        }
    }
}

/// The part of an output to keep when it is too long.
#[derive(Debug, Clone, Copy)]
enum Keep {
    Start,
    /// For stderr, where the final error usually comes last.
    End,
}

/// Reads a pipe to its end and keeps its content up to a limit.
struct Pipe {
    kept: Arc<Mutex<Vec<u8>>>,
    is_over: Arc<AtomicBool>,
    done: Receiver<()>,
}

impl Pipe {
    fn of(mut source: impl Read + Send + 'static, limit: usize, keep: Keep) -> Self {
        let (kept, is_over) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (sender, done) = mpsc::channel();
        let (own_kept, own_is_over) = (Arc::clone(&kept), Arc::clone(&is_over));
        // Not a scoped thread: a process that keeps the pipe open must not block us.
        std::thread::spawn(move || {
            let mut buffer = vec![0; 64 * 1024];
            while let Ok(read @ 1..) = source.read(&mut buffer) {
                let mut kept = own_kept.lock().unwrap_or_else(PoisonError::into_inner);
                let room = limit.saturating_sub(kept.len());
                own_is_over.fetch_or(read > room, Ordering::Relaxed);
                match keep {
                    Keep::Start => kept.extend_from_slice(&buffer[..read.min(room)]),
                    Keep::End => {
                        kept.extend_from_slice(&buffer[..read]);
                        let excess = kept.len().saturating_sub(limit);
                        kept.drain(..excess);
                    }
                }
            }
            let _ = sender.send(());
        });
        Self { kept, is_over, done }
    }

    fn wait(&self) {
        let _ = self.done.recv_timeout(PIPE_PATIENCE);
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    fn bytes(&self) -> Vec<u8> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
