//! Connects the engine to this process: environment, clock, model calls and background preparation.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use briefing_agents::host::problem_notes;
use briefing_agents::{Agent, Host, loading};
use briefing_core::settings::{Layer, Places, Settings};
use briefing_core::sources::instructions::{Reader, in_message, resolve};
use briefing_core::sources::{Ask, Helper, Look};
use briefing_core::{Candidate, Failure, Note};
use briefing_llm::{Endpoint, choose};
use jiff::Timestamp;

use crate::{environment, talk};

/// The running process.
pub(crate) struct Process;

impl Helper for Process {
    /// Asks the configured model with one call, limited by the deadline and by `selector.timeout_ms`.
    ///
    /// The API key is looked up only here, when a message needs it.
    fn ask_model(&self, settings: &Settings, deadline: Instant, message: &str, candidates: &[Candidate]) -> Result<Vec<usize>, Failure> {
        let limit = Duration::from_millis(settings.selector.timeout_ms.value);
        let left = deadline.saturating_duration_since(Instant::now()).min(limit);
        if left.is_zero() {
            return Err(Failure::new("no time left to ask the model"));
        }
        let endpoint = Endpoint::from_settings(settings, environment::variable)?;
        let client = choose::client(endpoint, left)?;
        choose::choose(message, candidates, |messages| client.complete(messages))
    }

    /// Prepares the documents of a directory in a separate process that outlives this one.
    fn prepare(&self, here: &Path) {
        let Ok(program) = std::env::current_exe() else { return };
        let mut command = Command::new(program);
        command.args(["index", "--prepare"]).current_dir(here).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // An agent that kills its hook's process group must not kill this process too.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        // Not waited for: this process exits before the child is done.
        drop(command.spawn());
    }
}

impl Host for Process {
    fn places_at(&self, here: PathBuf) -> Places {
        environment::places_at(here)
    }

    /// Returns problems in settings files as notes: they are never fatal for a hook, and the other settings still apply.
    fn settings(&self, places: &Places) -> (Settings, Vec<Note>) {
        let (settings, problems) = environment::resolve(places, Layer::default());
        (settings, problem_notes(problems))
    }

    fn variable(&self, name: &str) -> Option<String> {
        environment::variable(name)
    }

    fn now(&self) -> Timestamp {
        environment::now().unwrap_or_else(|_| Timestamp::now())
    }

    /// Logs to stderr if [`environment::BRIEF_LOG`] is set.
    fn log(&self, text: &dyn Display) {
        if self.is_set(environment::BRIEF_LOG) {
            talk::plain(&format!("brief hook: {text}"));
        }
    }
}

/// What a read-only command asks the engine with.
pub(crate) struct Asking<'a> {
    places: &'a Places,
    settings: &'a Settings,
    reader: Reader,
    touched: Vec<PathBuf>,
    now: Timestamp,
    deadline: Instant,
}

impl<'a> Asking<'a> {
    /// Asks about the windows of an agent. Touches nothing.
    pub(crate) fn of(agent: &Agent, places: &'a Places, settings: &'a Settings) -> Result<Self, Failure> {
        let reader = loading::reader_of(agent, places, &Process);
        Ok(Self { places, settings, reader, touched: Vec::new(), now: environment::now()?, deadline: Instant::now() + PATIENCE })
    }

    /// Asks about a message. The paths in it are touched.
    pub(crate) fn about(self, message: Option<&str>) -> Self {
        Self { touched: resolve(&message.map(in_message).unwrap_or_default(), &self.places.here), ..self }
    }

    pub(crate) fn ask(&self) -> Ask<'_> {
        let look = Look { places: self.places, reader: &self.reader, touched: &self.touched };
        Ask::new(&look, self.settings, self.now, self.deadline, &Looking)
    }
}

/// How long a command waits for an answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// The engine's helper for read-only commands: it starts no background process.
pub(crate) struct Looking;

impl Helper for Looking {
    fn ask_model(&self, settings: &Settings, deadline: Instant, message: &str, candidates: &[Candidate]) -> Result<Vec<usize>, Failure> {
        Process.ask_model(settings, deadline, message, candidates)
    }

    fn prepare(&self, _: &Path) {}
}

impl Host for Looking {
    fn places_at(&self, here: PathBuf) -> Places {
        Process.places_at(here)
    }

    fn settings(&self, places: &Places) -> (Settings, Vec<Note>) {
        Process.settings(places)
    }

    fn variable(&self, name: &str) -> Option<String> {
        Process.variable(name)
    }

    fn now(&self) -> Timestamp {
        Process.now()
    }

    fn log(&self, text: &dyn Display) {
        Process.log(text);
    }
}
