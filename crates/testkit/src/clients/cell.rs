//! A cell: a loopback-only network and a process namespace, with the mock model API inside.
//!
//! A cell is created with `unshare`: directly as root, otherwise through a user namespace. The kernel kills all its
//! processes when the cell ends, even if the test is killed.

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command as Program, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::protocol::{Command, End, Event, Run};
use crate::model_api::{ModelRequest, Script};

pub(super) struct Cell {
    outside: Child,
    control: Option<ChildStdin>,
    news: Arc<News>,
}

#[derive(Default)]
struct News {
    heard: Mutex<Heard>,
    changed: Condvar,
}

#[derive(Default)]
struct Heard {
    ready: bool,
    closed: bool,
    requests: Vec<ModelRequest>,
    exits: Vec<(usize, End)>,
}

impl Cell {
    /// Opens a cell. Panics with the reason if this machine does not allow it.
    pub(super) fn open() -> Self {
        let program = cell_program();
        let mut command = Program::new("unshare");
        if !is_root() {
            command.arg("--map-root-user");
        }
        // The shell stays process 1 of the cell: it reaps orphans, and the kernel kills all processes when it ends.
        let script = include_str!("cell.sh");
        command
            .args(["--net", "--pid", "--mount", "--fork", "--kill-child", "--mount-proc", "sh", "-c", script])
            .arg(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut outside = command.spawn().unwrap_or_else(|error| {
            panic!("cannot run `unshare`: {error}\nhint: run `scripts/install-clients`, it installs util-linux and iproute2")
        });
        let control = outside.stdin.take();
        let stdout = outside.stdout.take().expect("stdout is piped");
        let news = Arc::new(News::default());
        {
            let news = Arc::clone(&news);
            thread::spawn(move || {
                for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                    let event: Event = serde_json::from_str(&line).expect("the cell speaks our protocol");
                    let mut heard = news.lock();
                    match event {
                        Event::Ready => heard.ready = true,
                        Event::Request(request) => heard.requests.push(*request),
                        Event::Exited { id, end } => heard.exits.push((id, end)),
                    }
                    news.changed.notify_all();
                }
                news.lock().closed = true;
                news.changed.notify_all();
            });
        }
        let cell = Self { outside, control, news };
        let opened = cell.wait(Duration::from_secs(20), |heard| (heard.ready || heard.closed).then_some(heard.ready));
        assert!(
            opened == Some(true),
            "cannot open a network namespace with `unshare` (see its message above)\n\
             hint: run the tests as root, or allow user namespaces: sysctl kernel.unprivileged_userns_clone=1"
        );
        cell
    }

    pub(super) fn set_script(&mut self, script: Script) {
        self.send(&Command::Script(script));
    }

    /// Starts a program and returns without waiting for it.
    pub(super) fn start(&mut self, run: Run) {
        self.send(&Command::Run(run));
    }

    /// Waits for the end of a program. The cell enforces the time limit.
    pub(super) fn join(&self, id: usize, limit: Duration) -> Option<End> {
        self.wait(limit, |heard| {
            let end = heard.exits.iter().find(|(exited, _)| *exited == id).map(|(_, end)| end.clone());
            end.or_else(|| heard.closed.then(|| End::NotStarted("the cell ended".to_owned())))
        })
    }

    /// Returns the requests from the given position on.
    pub(super) fn requests_from(&self, start: usize) -> Vec<ModelRequest> {
        self.news.lock().requests[start..].to_vec()
    }

    pub(super) fn request_count(&self) -> usize {
        self.news.lock().requests.len()
    }

    /// Waits until `wanted` holds of the requests from the given position on.
    pub(super) fn wait_for_requests(&self, start: usize, limit: Duration, wanted: impl Fn(&[ModelRequest]) -> bool) -> bool {
        self.wait(limit, |heard| wanted(&heard.requests[start..]).then_some(())).is_some()
    }

    fn wait<T>(&self, limit: Duration, look: impl Fn(&Heard) -> Option<T>) -> Option<T> {
        let deadline = Instant::now() + limit;
        let mut heard = self.news.lock();
        loop {
            if let Some(found) = look(&heard) {
                return Some(found);
            }
            let left = deadline.checked_duration_since(Instant::now())?;
            heard = self.news.changed.wait_timeout(heard, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn send(&mut self, command: &Command) {
        let mut line = serde_json::to_string(command).expect("a command is JSON");
        line.push('\n');
        let control = self.control.as_mut().expect("open until dropped");
        control.write_all(line.as_bytes()).and_then(|()| control.flush()).expect("the cell is alive");
    }
}

impl Drop for Cell {
    fn drop(&mut self) {
        // Closing stdin ends the inside normally; killing `unshare` (--kill-child) ends the rest.
        drop(self.control.take());
        for _ in 0..50 {
            if !matches!(self.outside.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
        drop(self.outside.kill());
        drop(self.outside.wait());
    }
}

impl News {
    fn lock(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_root() -> bool {
    Program::new("id").arg("-u").output().is_ok_and(|out| out.stdout.trim_ascii() == b"0")
}

/// Returns the program for the inside, built by cargo into the same target directory as this test.
///
/// Cargo builds the programs of a package only for that package's own tests, but other crates use the cell too. Running
/// cargo takes a fraction of a second once per process, and the program is never out of date.
fn cell_program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let test = env::current_exe().expect("the test knows its own path");
        let profile = test.ancestors().nth(2).expect("tests live in target/PROFILE/deps");
        let target = profile.parent().expect("target/PROFILE has a parent");
        let profile_name = match profile.file_name().and_then(|name| name.to_str()) {
            Some("debug") | None => "dev",
            Some(name) => name,
        };
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let out = Program::new(cargo)
            .args(["build", "--quiet", "--offline", "--bin", "client-cell", "--profile", profile_name])
            .arg("--manifest-path")
            .arg(manifest)
            .arg("--target-dir")
            .arg(target)
            .output()
            .expect("cargo starts");
        assert!(out.status.success(), "cargo cannot build `client-cell`:\n{}", String::from_utf8_lossy(&out.stderr));
        profile.join("client-cell")
    })
}
