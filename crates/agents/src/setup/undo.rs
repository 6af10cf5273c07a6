//! Takes back what a setup made. What has changed since stays, and is named.

use std::path::{Path, PathBuf};

use briefing_core::Failure;
use briefing_core::fs::{FileProblem, read_own_bytes, write_atomic};
use briefing_core::settings::Places;
use briefing_core::shown::path_text;
use briefing_store::Place;

use super::MAX_SETTINGS;
use super::record::{MadeFile, Record};
use crate::install::record::Record as Installed;
use crate::install::{self, Change};

/// What happens to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    Delete,
    /// It gets the bytes that it had before.
    Restore(Vec<u8>),
    /// Only what was added is removed.
    Edit(Vec<u8>),
    /// It has changed since, and stays as it is.
    Stays,
    /// It is gone, or never was written.
    Gone,
}

/// A file that a setup wrote, and what will happen to it.
#[derive(Debug, Clone)]
pub struct Step {
    pub file: PathBuf,
    pub fate: Fate,
    is_agents: bool,
}

/// What will be taken back.
#[derive(Debug)]
pub struct Undo {
    pub steps: Vec<Step>,
    project: PathBuf,
    state: PathBuf,
    directories: Vec<PathBuf>,
}

/// Plans to take back what was made in a project. Returns `None` if nothing was.
pub fn plan(places: &Places, project: &Path) -> Result<Option<Undo>, Failure> {
    let Some(state) = Place::of(places).map(|place| place.directory().to_path_buf()) else {
        return Err(Failure::new("cannot determine the state directory").hint("set HOME or XDG_STATE_HOME"));
    };
    let Some(record) = Record::read(&state, project) else { return Ok(None) };
    let mut steps = Vec::new();
    for made in record.files {
        let fate = fate(&made, &state)?;
        steps.push(Step { fate, is_agents: made.agent.is_some(), file: made.path });
    }
    Ok(Some(Undo { steps, project: project.to_path_buf(), state, directories: record.directories }))
}

fn fate(made: &MadeFile, state: &Path) -> Result<Fate, Failure> {
    let now = match read_own_bytes(&made.path, MAX_SETTINGS) {
        Ok(bytes) => bytes,
        Err(FileProblem::Missing) => return Ok(Fate::Gone),
        Err(problem) => return Err(Failure::new(format!("cannot read `{}`", path_text(&made.path))).because(&problem)),
    };
    if made.before.as_deref() == Some(&now) {
        return Ok(Fate::Gone);
    }
    if let Some(agent) = made.agent.as_deref().and_then(crate::find) {
        let change = install::uninstall(agent, Some(&now), Installed::read(state, &made.path).as_ref());
        return Ok(match change {
            Ok(Change::Delete) => Fate::Delete,
            Ok(Change::Write(bytes)) if made.before.as_ref() == Some(&bytes) => Fate::Restore(bytes),
            Ok(Change::Write(bytes)) => Fate::Edit(bytes),
            Ok(Change::Nothing) => Fate::Gone,
            Err(_) => Fate::Stays,
        });
    }
    Ok(match (&made.before, &made.appended) {
        (None, _) if made.is_untouched(&now) => Fate::Delete,
        (Some(before), _) if made.is_untouched(&now) => Fate::Restore(before.clone()),
        (Some(_), Some(appended)) => match String::from_utf8_lossy(&now).split_once(appended.trim_start()) {
            Some((start, end)) if start.is_empty() || start.ends_with('\n') => Fate::Edit(format!("{start}{end}").into_bytes()),
            _ => Fate::Stays,
        },
        _ => Fate::Stays,
    })
}

impl Undo {
    /// Does it: files first, then the directories that were made for them and are empty.
    pub fn apply(&self) -> Result<(), Failure> {
        for step in &self.steps {
            let failed = |problem: FileProblem| Failure::new(format!("cannot change `{}`", path_text(&step.file))).because(&problem);
            match &step.fate {
                Fate::Delete => remove(&step.file).map_err(|error| failed(error.into()))?,
                Fate::Restore(bytes) | Fate::Edit(bytes) => write_atomic(&step.file, bytes).map_err(failed)?,
                Fate::Stays | Fate::Gone => {}
            }
            if step.is_agents && step.fate != Fate::Stays {
                Installed::forget(&self.state, &step.file);
            }
        }
        Record::forget(&self.state, &self.project);
        // Inner directories first. One that is not empty stays.
        for directory in self.directories.iter().rev() {
            let _ = std::fs::remove_dir(directory);
        }
        Ok(())
    }
}

/// Removes a file. Of a link, what it leads to: that is what was made, and the link is the user's.
fn remove(file: &Path) -> std::io::Result<()> {
    std::fs::remove_file(file.canonicalize()?)
}
