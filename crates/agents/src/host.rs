//! What the calling program provides: environment, clock, settings and a debug log.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use briefing_core::settings::{ConfigProblem, Places, Settings};
use briefing_core::sources::Helper;
use briefing_core::{Candidate, Failure, Note, NoteKind};
use jiff::Timestamp;

/// The environment of a request. Nothing else in this crate reads environment variables or the user's clock.
pub trait Host: Helper {
    /// Returns the user's directories for a request about `here` (absolute).
    fn places_at(&self, here: PathBuf) -> Places;

    /// Returns the settings, and notes about problems with them.
    fn settings(&self, places: &Places) -> (Settings, Vec<Note>);

    fn variable(&self, name: &str) -> Option<String>;

    fn now(&self) -> Timestamp;

    /// Writes to the debug log.
    fn log(&self, text: &dyn fmt::Display);

    /// Returns whether an environment variable is set and not empty.
    fn is_set(&self, name: &str) -> bool {
        self.variable(name).is_some_and(|value| !value.is_empty())
    }
}

/// Returns problems with settings as notes. For a hook they are never fatal; the other settings still apply.
pub fn problem_notes(problems: Vec<ConfigProblem>) -> Vec<Note> {
    problems.into_iter().map(|problem| Note::warning(problem.place, NoteKind::Config, problem.problem)).collect()
}

/// A host for programs that embed the engine. All user files are in one directory, environment variables are ignored,
/// and there is no model to ask.
#[derive(Debug, Clone)]
pub struct Embedded {
    pub home: PathBuf,
    pub now: Timestamp,
}

impl Helper for Embedded {
    fn ask_model(&self, _: &Settings, _: Instant, _: &str, _: &[Candidate]) -> Result<Vec<usize>, Failure> {
        Err(Failure::new("this program has no model to ask"))
    }

    fn prepare(&self, _: &Path) {}
}

impl Host for Embedded {
    fn places_at(&self, here: PathBuf) -> Places {
        let below = |name: &str| Some(self.home.join(name));
        Places { here, home: Some(self.home.clone()), config: below("config"), state: below("state"), cache: below("cache") }
    }

    fn settings(&self, places: &Places) -> (Settings, Vec<Note>) {
        let (settings, problems) = Settings::resolve(places.layers());
        (settings, problem_notes(problems))
    }

    fn variable(&self, _: &str) -> Option<String> {
        None
    }

    fn now(&self) -> Timestamp {
        self.now
    }

    fn log(&self, _: &dyn fmt::Display) {}
}
