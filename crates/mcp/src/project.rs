//! The project that a request is about: its directories and settings, read for each request, because both may change
//! while the server runs.

use std::path::{Path, PathBuf};

use briefing_agents::Host;
use briefing_core::settings::{Places, Settings};
use briefing_core::shown::{normalize, path_text};
use briefing_core::{Failure, Note};

use crate::caller::Caller;

/// The directories and settings of a request.
pub(crate) struct Project {
    pub(crate) places: Places,
    pub(crate) settings: Settings,
    /// Problems with the settings.
    pub(crate) notes: Vec<Note>,
}

impl Project {
    /// Finds the project: the directory that the client names in the server's environment, else the current one.
    pub(crate) fn open(host: &dyn Host, caller: &Caller) -> Result<Self, Failure> {
        let named = caller.directory.as_deref().map(|all| [all, all.split(',').next().unwrap_or_default()]);
        // An editor with several folders names them all; the first one counts.
        let named = named.into_iter().flatten().map(PathBuf::from).find(|path| path.is_absolute() && path.is_dir());
        let here = match named {
            Some(here) => here,
            None => std::env::current_dir().map_err(|error| gone().because(&error))?,
        };
        if !here.is_dir() {
            return Err(gone());
        }
        let places = host.places_at(here);
        let (settings, notes) = host.settings(&places);
        Ok(Self { places, settings, notes })
    }

    /// Returns the absolute path of an argument.
    pub(crate) fn path(&self, path: Option<&str>) -> PathBuf {
        path.map_or_else(|| self.places.here.clone(), |path| normalize(&self.places.here.join(Path::new(path))))
    }
}

fn gone() -> Failure {
    Failure::new("the project's directory is gone").hint(format!(
        "the server was started in a directory that no longer exists; restart it in the project (now: {})",
        std::env::var_os("PWD").map_or_else(|| "unknown".to_owned(), |path| path_text(Path::new(&path)))
    ))
}
