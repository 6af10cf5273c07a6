//! A client, and how to run its turns.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::cell::Cell;
use super::outcome::Outcome;
use super::place::{Place, write};
use super::probe::{self, HookCall};
use super::protocol::{End, Run};
use super::recipes::{self, Recipe};
use super::terminal::Terminal;
use crate::model_api::{ModelRequest, Script};

/// A real agent client with its own home, project and mock model.
///
/// Its files may be changed at any time, by the methods here or by programs that a test runs on [`Client::home`] and
/// [`Client::project`] (`brief install`). The cell opens with the first run and closes when the client is dropped.
pub struct Client {
    pub(super) recipe: &'static Recipe,
    pub(super) place: Place,
    cell: Option<Cell>,
    script: Option<Script>,
    program: Vec<String>,
    env: Vec<(String, String)>,
    args: Vec<String>,
    path: Vec<PathBuf>,
    limit: Duration,
    asks_for_trust: bool,
    pub(super) runs: usize,
}

impl Client {
    /// Claude Code 2.1.325.
    #[must_use]
    pub fn claude() -> Self {
        Self::new(&recipes::CLAUDE)
    }

    /// Codex CLI 0.166.0; hooks run without approval, see [`Client::ask_for_trust`].
    #[must_use]
    pub fn codex() -> Self {
        Self::new(&recipes::CODEX)
    }

    /// Gemini CLI 0.61.0, in a trusted folder.
    #[must_use]
    pub fn gemini() -> Self {
        Self::new(&recipes::GEMINI)
    }

    /// GitHub Copilot CLI 1.0.102, in a trusted folder.
    #[must_use]
    pub fn copilot() -> Self {
        Self::new(&recipes::COPILOT)
    }

    /// `OpenCode` 1.18.33; it has plugins instead of hooks.
    #[must_use]
    pub fn opencode() -> Self {
        Self::new(&recipes::OPENCODE)
    }

    /// Qwen Code 0.24.4.
    #[must_use]
    pub fn qwen() -> Self {
        Self::new(&recipes::QWEN)
    }

    /// The client of an agent, by the name that `brief install` uses.
    #[must_use]
    pub fn named(agent: &str) -> Self {
        let recipe = recipes::ALL.iter().find(|recipe| recipe.name == agent);
        Self::new(recipe.unwrap_or_else(|| panic!("there is no client `{agent}`")))
    }

    /// Returns the name and the version of every client.
    pub fn versions() -> impl Iterator<Item = (&'static str, &'static str)> {
        recipes::ALL.iter().map(|recipe| (recipe.name, recipe.version))
    }

    fn new(recipe: &'static Recipe) -> Self {
        let program = recipe.locate(&clients_directory()).unwrap_or_else(|missing| panic!("{missing}"));
        let place = Place::new(recipe.name);
        write(&place.root().join("probe.sh"), probe::SCRIPT);
        (recipe.prepare)(&place);
        Self {
            recipe,
            place,
            cell: None,
            script: None,
            program,
            env: Vec::new(),
            args: Vec::new(),
            path: Vec::new(),
            limit: Duration::from_secs(120),
            asks_for_trust: false,
            runs: 0,
        }
    }

    /// Returns the client's home, which contains its settings.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.place.home()
    }

    /// Returns the project, the directory in which the client runs.
    #[must_use]
    pub fn project(&self) -> PathBuf {
        self.place.project()
    }

    /// Writes a file of the project.
    pub fn file(&mut self, path: &str, text: &str) -> &mut Self {
        write(&self.place.project().join(path), text);
        self
    }

    /// Writes a file of the home.
    pub fn home_file(&mut self, path: &str, text: &str) -> &mut Self {
        write(&self.place.home().join(path), text);
        self
    }

    /// Sets a variable for the client and its hooks.
    pub fn env(&mut self, key: &str, value: &str) -> &mut Self {
        self.env.push((key.to_owned(), value.to_owned()));
        self
    }

    /// Prepends a directory to the PATH of the client and its hooks, such as the one with `brief`.
    pub fn path(&mut self, directory: &Path) -> &mut Self {
        self.path.push(directory.to_owned());
        self
    }

    /// Adds an argument to every command line of the client.
    pub fn arg(&mut self, argument: &str) -> &mut Self {
        self.args.push(argument.to_owned());
        self
    }

    /// Sets the time limit of a run. The default is 120 seconds.
    pub fn limit(&mut self, limit: Duration) -> &mut Self {
        self.limit = limit;
        self
    }

    /// Makes the client apply its own rules on which hooks may run (Codex: those that the user has approved).
    pub fn ask_for_trust(&mut self) -> &mut Self {
        self.asks_for_trust = true;
        self
    }

    /// Registers a command for an event in the client's own settings, after existing ones.
    pub fn hook(&mut self, event: &str, command: &str) -> &mut Self {
        (self.recipe.register)(&self.place, event, command);
        self
    }

    /// Registers a probe for an event. Its context is `PROBE-<event>`, with the source if there is one.
    pub fn probe(&mut self, event: &str) -> &mut Self {
        self.probe_saying(event, &format!("PROBE-{event}"))
    }

    /// Registers a probe with other context.
    pub fn probe_saying(&mut self, event: &str, text: &str) -> &mut Self {
        self.probe_in_shape(self.recipe.shape, event, text)
    }

    /// Registers a probe that prints nothing.
    pub fn listener(&mut self, event: &str) -> &mut Self {
        self.probe_in_shape("silent", event, "")
    }

    fn probe_in_shape(&mut self, shape: &str, event: &str, text: &str) -> &mut Self {
        let script = self.place.root().join("probe.sh");
        let command = format!("sh {} {} {shape} {event} '{text}'", script.display(), self.place.hook_log().display());
        self.hook(event, &command)
    }

    /// Returns the calls of all probes so far, in order of time.
    #[must_use]
    pub fn hook_calls(&self) -> Vec<HookCall> {
        probe::calls(&self.place.hook_log())
    }

    /// Sets what the model answers from now on.
    pub fn script(&mut self, script: Script) -> &mut Self {
        match &mut self.cell {
            Some(cell) => cell.set_script(script),
            None => self.script = Some(script),
        }
        self
    }

    /// Runs one prompt in a new session, without a terminal.
    pub fn run(&mut self, prompt: &str) -> Outcome {
        self.headless((self.recipe.headless)(prompt))
    }

    /// Runs one prompt in the latest session of this project, without a terminal.
    pub fn resume(&mut self, prompt: &str) -> Outcome {
        self.headless((self.recipe.resume)(prompt))
    }

    /// Runs a command of the client's program that sends nothing to the model, such as one that installs a plugin.
    pub fn command(&mut self, words: &[&str]) -> Outcome {
        let argv = self.program.iter().cloned().chain(words.iter().map(|&word| word.to_owned())).collect();
        self.quietly(argv)
    }

    /// Starts the client in a terminal and waits until it accepts input.
    pub fn interactive(&mut self) -> Terminal<'_> {
        Terminal::open(self)
    }

    /// Returns every request so far.
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.cell.as_ref().map_or_else(Vec::new, |cell| cell.requests_from(0))
    }

    fn headless(&mut self, arguments: Vec<String>) -> Outcome {
        self.quietly(self.argv(arguments))
    }

    /// Runs a program without a terminal, which must succeed.
    fn quietly(&mut self, argv: Vec<String>) -> Outcome {
        let mut env = self.environment();
        env.extend([("TERM".to_owned(), "dumb".to_owned()), ("NO_COLOR".to_owned(), "1".to_owned())]);
        let outcome = self.execute(argv, env, None);
        assert!(outcome.code == Some(0), "{} failed\n{outcome}", self.recipe.name);
        outcome
    }

    pub(super) fn interactive_argv(&self) -> Vec<String> {
        self.argv(self.recipe.interactive.iter().map(|&argument| argument.to_owned()))
    }

    fn argv(&self, arguments: impl IntoIterator<Item = String>) -> Vec<String> {
        let is_wanted = |argument: &String| !(self.asks_for_trust && argument == recipes::BYPASS_HOOK_TRUST);
        self.program.iter().cloned().chain(arguments.into_iter().filter(is_wanted)).chain(self.args.iter().cloned()).collect()
    }

    /// Runs a program in the cell and waits for it. Panics if it cannot start or takes too long.
    pub(super) fn execute(&mut self, argv: Vec<String>, env: Vec<(String, String)>, stdin: Option<PathBuf>) -> Outcome {
        self.runs += 1;
        let (stdout, stderr) = (self.place.root().join("stdout"), self.place.root().join("stderr"));
        let run = Run {
            id: self.runs,
            argv,
            env,
            directory: self.place.project(),
            stdin,
            stdout: stdout.clone(),
            stderr: stderr.clone(),
            limit_millis: u64::try_from(self.limit.as_millis()).unwrap_or(u64::MAX),
        };
        let (id, limit, name) = (self.runs, self.limit + Duration::from_secs(10), self.recipe.name);
        let what = run.argv.join(" ");
        let started = Instant::now();
        let cell = self.cell();
        let before = cell.request_count();
        cell.start(run);
        let end = cell.join(id, limit);
        let requests = cell.requests_from(before);
        let read = |path: &Path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
        let mut outcome = Outcome { code: None, stdout: read(&stdout), stderr: read(&stderr), took: started.elapsed(), requests };
        match end {
            Some(End::Code(code)) => outcome.code = code,
            Some(End::NotStarted(reason)) => panic!("{name}: cannot run `{what}`: {reason}"),
            Some(End::TimedOut) | None => panic!("{name}: `{what}` took too long\n{outcome}"),
        }
        outcome
    }

    /// Returns the whole environment of the client's processes, except what depends on the terminal.
    pub(super) fn environment(&self) -> Vec<(String, String)> {
        let host = env::var_os("PATH").unwrap_or_default();
        let path = env::join_paths(self.path.iter().cloned().chain(env::split_paths(&host))).expect("directories without colons");
        let text = |path: &Path| path.display().to_string();
        let mut env = vec![
            ("PATH".to_owned(), path.to_string_lossy().into_owned()),
            ("HOME".to_owned(), text(&self.place.home())),
            ("TMPDIR".to_owned(), text(&self.place.temp())),
            ("LANG".to_owned(), "C.UTF-8".to_owned()),
            // Ignore a repository above the temporary directory, if the machine has one there.
            ("GIT_CEILING_DIRECTORIES".to_owned(), text(self.place.root())),
        ];
        env.extend((self.recipe.env)(&self.place).into_iter().map(|(key, value)| (key.to_owned(), value)));
        env.extend(self.env.iter().cloned());
        env
    }

    pub(super) fn cell(&mut self) -> &mut Cell {
        let script = self.script.take();
        let cell = self.cell.get_or_insert_with(Cell::open);
        if let Some(script) = script {
            cell.set_script(script);
        }
        cell
    }
}

/// Returns the command line of the official MCP inspector. Panics if it is not installed.
#[must_use]
pub fn inspector() -> Vec<String> {
    let program = ["node_modules/node-{platform}/bin/node", "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"];
    recipes::locate("inspector", recipes::INSPECTOR, &program, &clients_directory()).unwrap_or_else(|missing| panic!("{missing}"))
}

/// Returns `$CLIENTS_DIR`, or `.clients` in the repository.
fn clients_directory() -> PathBuf {
    env::var_os("CLIENTS_DIR").map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.clients"), PathBuf::from)
}
