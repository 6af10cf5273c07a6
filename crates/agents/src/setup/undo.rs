//! Takes back what a setup made. What has changed since stays, and is named.

use std::path::{Path, PathBuf};

use briefing_core::Failure;
use briefing_core::fs::{FileProblem, read_own_bytes, write_atomic};
use briefing_core::shown::path_text;
use briefing_store::Place;

use super::record::{MadeFile, Record};
use super::{MAX_SETTINGS, order};
use crate::install::plan::{Direction, Scope, Step as AgentStep};
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
    /// How the installer does it, for the settings of an agent.
    agents: Option<AgentStep>,
    added: Vec<install::Part>,
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
pub fn plan(scope: Scope<'_>, project: &Path) -> Result<Option<Undo>, Failure> {
    let Some(state) = Place::of(scope.places).map(|place| place.directory().to_path_buf()) else {
        return Err(Failure::new("cannot determine the state directory").hint("set HOME or XDG_STATE_HOME"));
    };
    let Some(record) = Record::read(&state, project) else { return Ok(None) };
    let mut steps = Vec::new();
    for made in record.files {
        steps.push(step(made, scope, &state)?);
    }
    Ok(Some(Undo { steps, project: project.to_path_buf(), state, directories: record.directories }))
}

fn step(made: MadeFile, scope: Scope<'_>, state: &Path) -> Result<Step, Failure> {
    let added: Vec<install::Part> = made.added.iter().map(|part| part.part()).collect();
    let agent = made.agent.as_deref().and_then(crate::find).filter(|_| !added.is_empty());
    let Some(agent) = agent else { return Ok(Step { fate: fate(&made)?, file: made.path, agents: None, added }) };
    let order = order(scope, Direction::Out, &added, "", state);
    // A file that cannot be edited stays as it is.
    let steps = install::plan::plan(agent, agent, &order).unwrap_or_default();
    let Some(step) = steps.into_iter().find(|step| step.file == made.path) else {
        return Ok(Step { file: made.path, fate: Fate::Stays, agents: None, added });
    };
    let fate = match &step.change {
        Change::Delete => Fate::Delete,
        Change::Write(bytes) if made.before.as_ref() == Some(bytes) => Fate::Restore(bytes.clone()),
        Change::Write(bytes) => Fate::Edit(bytes.clone()),
        Change::Nothing => Fate::Gone,
    };
    Ok(Step { file: made.path, fate, agents: Some(step), added })
}

fn fate(made: &MadeFile) -> Result<Fate, Failure> {
    let now = match read_own_bytes(&made.path, MAX_SETTINGS) {
        Ok(bytes) => bytes,
        Err(FileProblem::Missing) => return Ok(Fate::Gone),
        Err(problem) => return Err(Failure::new(format!("cannot read `{}`", path_text(&made.path))).because(&problem)),
    };
    if made.before.as_deref() == Some(&now) {
        return Ok(Fate::Gone);
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
    pub fn apply(&mut self, scope: Scope<'_>) -> Result<(), Failure> {
        for Step { file, fate, agents, added } in &mut self.steps {
            if let Some(step) = agents {
                step.apply(&order(scope, Direction::Out, added, "", &self.state))?;
                continue;
            }
            let failed = |problem: FileProblem| Failure::new(format!("cannot change `{}`", path_text(file))).because(&problem);
            match fate {
                Fate::Delete => remove(file).map_err(|error| failed(error.into()))?,
                Fate::Restore(bytes) | Fate::Edit(bytes) => write_atomic(file, bytes).map_err(failed)?,
                Fate::Stays | Fate::Gone => {}
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
