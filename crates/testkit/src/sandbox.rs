//! A fresh project, home and environment for running `brief` as a user does.

mod hook;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;

use tempfile::TempDir;

pub use hook::context;

/// The current time in the sandbox.
pub const NOW: &str = "2026-11-15T12:00:00Z";

/// A project in a temporary directory. Clones share the directory; [`Sandbox::at`] changes into a subdirectory.
#[derive(Debug, Clone)]
pub struct Sandbox {
    top: Rc<TempDir>,
    here: PathBuf,
    environment: Vec<(OsString, OsString)>,
}

impl Default for Sandbox {
    fn default() -> Self {
        Self::new()
    }
}

impl Sandbox {
    /// Makes an empty project and an empty home next to it.
    pub fn new() -> Self {
        let top = TempDir::with_prefix("brief-test-").expect("a temporary directory can be made");
        for name in ["project", "home"] {
            fs::create_dir(top.path().join(name)).expect("a fresh directory is writable");
        }
        let here = top.path().canonicalize().expect("it was just made").join("project");
        Self { top: Rc::new(top), here, environment: Vec::new() }
    }

    /// Returns the project's directory.
    pub fn root(&self) -> PathBuf {
        self.top.path().canonicalize().expect("it lives as long as the sandbox").join("project")
    }

    /// Returns the home directory.
    pub fn home(&self) -> PathBuf {
        self.root().with_file_name("home")
    }

    /// Returns a path below the current directory.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.here.join(name)
    }

    /// Writes a file below the current directory, with its parents. `~/…` means the home.
    #[must_use]
    pub fn file(self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) -> Self {
        self.write(name, content);
        self
    }

    /// Writes a file during a test.
    pub fn write(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        let path = match name.as_ref().strip_prefix("~") {
            Ok(below_home) => self.home().join(below_home),
            Err(_) => self.path(name),
        };
        fs::create_dir_all(path.parent().expect("a file has a parent")).expect("parents can be made");
        fs::write(&path, content).unwrap_or_else(|error| panic!("cannot write {}: {error}", path.display()));
    }

    /// Reads a file below the current directory.
    pub fn read(&self, name: impl AsRef<Path>) -> String {
        let path = self.path(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()))
    }

    /// Makes an empty directory.
    #[must_use]
    pub fn directory(self, name: impl AsRef<Path>) -> Self {
        fs::create_dir_all(self.path(name)).expect("a directory can be made");
        self
    }

    /// Makes a symbolic link.
    #[cfg(unix)]
    #[must_use]
    pub fn link(self, name: impl AsRef<Path>, target: impl AsRef<Path>) -> Self {
        std::os::unix::fs::symlink(target, self.path(name)).expect("a link can be made");
        self
    }

    /// Returns the same sandbox with a subdirectory as the current directory.
    #[must_use]
    pub fn at(&self, name: impl AsRef<Path>) -> Self {
        Self { here: self.path(name), ..self.clone() }
    }

    /// Sets an environment variable for all programs run from here.
    #[must_use]
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.environment.push((name.as_ref().into(), value.as_ref().into()));
        self
    }

    /// Returns a command for `program` with the sandbox's environment and nothing else.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.here).env_clear().stdin(Stdio::null());
        let binaries = binary().parent().expect("a binary is in a directory").to_path_buf();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let paths = std::iter::once(binaries).chain(std::env::split_paths(&path));
        command.env("PATH", std::env::join_paths(paths).expect("paths hold no separator"));
        command.env("HOME", self.home()).env("LANG", "C.UTF-8").env("TZ", "UTC").env("COLUMNS", "100").env("BRIEF_NOW", NOW);
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("TMPDIR", std::env::temp_dir());
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs `brief` without input.
    #[must_use = "check the outcome of the run"]
    pub fn brief<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Outcome {
        self.brief_with_input(arguments, "")
    }

    /// Runs `brief` with `input` on stdin.
    #[must_use = "check the outcome of the run"]
    pub fn brief_with_input<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>, input: impl AsRef<[u8]>) -> Outcome {
        let mut command = self.command(binary());
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("cannot run {}: {error}", binary().display()));
        let mut stdin = child.stdin.take().expect("stdin was piped");
        let input = input.as_ref().to_vec();
        // Write in a separate thread: a program that prints before it reads would deadlock otherwise.
        let feeder = std::thread::spawn(move || {
            let _ = stdin.write_all(&input);
        });
        let output = child.wait_with_output().expect("a child can be waited for");
        feeder.join().expect("the feeder does not panic");
        Outcome { status: output.status.code(), stdout: output.stdout, stderr: output.stderr, roots: [self.root(), self.home()] }
    }
}

/// Returns the `brief` binary next to the running test.
pub fn binary() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its own path");
    let directory = test.parent().and_then(Path::parent).expect("tests live in target/PROFILE/deps");
    directory.join(format!("brief{}", std::env::consts::EXE_SUFFIX))
}

/// Status, stdout and stderr of a program. [`fmt::Display`] shows all three, with normalised paths.
#[derive(Debug, Clone)]
pub struct Outcome {
    pub status: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    roots: [PathBuf; 2],
}

impl Outcome {
    /// Returns stdout as text with the sandbox's paths normalised to `[ROOT]` and `[HOME]`.
    pub fn stdout(&self) -> String {
        self.normalize(&self.stdout)
    }

    /// Returns stderr as text with the sandbox's paths normalised.
    pub fn stderr(&self) -> String {
        self.normalize(&self.stderr)
    }

    /// Panics with the whole output unless the program succeeded.
    #[track_caller]
    #[expect(clippy::return_self_not_must_use, reason = "it has looked at the run already")]
    pub fn success(self) -> Self {
        assert_eq!(self.status, Some(0), "{self}");
        self
    }

    /// Panics unless the program ended with this exit code.
    #[track_caller]
    #[expect(clippy::return_self_not_must_use, reason = "it has looked at the run already")]
    pub fn code(self, expected: i32) -> Self {
        assert_eq!(self.status, Some(expected), "{self}");
        self
    }

    fn normalize(&self, bytes: &[u8]) -> String {
        let text = String::from_utf8_lossy(bytes);
        let [root, home] = &self.roots;
        text.replace(&*root.to_string_lossy(), "[ROOT]").replace(&*home.to_string_lossy(), "[HOME]")
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.status {
            Some(code) => writeln!(f, "exit code: {code}")?,
            None => writeln!(f, "ended by a signal")?,
        }
        write!(f, "----- stdout -----\n{}----- stderr -----\n{}", self.stdout(), self.stderr())
    }
}
