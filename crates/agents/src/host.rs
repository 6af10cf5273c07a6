//! What the program around this crate brings: environment, clock, and a voice for whoever debugs.

use std::fmt;
use std::path::PathBuf;

use briefing_core::Note;
use briefing_core::settings::{Places, Settings};
use briefing_core::sources::Helper;
use jiff::Timestamp;

/// The surroundings of a request. Nothing in this crate reads the environment or the clock by itself.
pub trait Host: Helper {
    /// Returns the directories of this user for a request about `here` (absolute).
    fn places_at(&self, here: PathBuf) -> Places;

    /// Returns the settings, and what is wrong with them.
    fn settings(&self, places: &Places) -> (Settings, Vec<Note>);

    fn variable(&self, name: &str) -> Option<String>;

    fn now(&self) -> Timestamp;

    /// Says something to whoever debugs.
    fn log(&self, text: &dyn fmt::Display);

    /// Tells whether a variable is set to anything.
    fn is_set(&self, name: &str) -> bool {
        self.variable(name).is_some_and(|value| !value.is_empty())
    }
}
