//! Installing our hooks into an agent's configuration, and removing them.
//!
//! [`recipe`] defines the entries, [`edit`] edits files that other programs write too, [`record`] stores the original
//! bytes of a file, and [`refusal`] says which files are left alone. Only the last two access the disk.

pub mod edit;
pub mod recipe;
pub mod record;
pub mod refusal;

use std::path::PathBuf;

use briefing_core::settings::Places;

use crate::agent::{Agent, Recipe};
pub use edit::EditProblem;

/// What to do with a configuration file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    Nothing,
    Write(Vec<u8>),
    Delete,
}

/// Returns the directory in which an agent keeps its settings. `moved` is the value of its [`Agent::home_variable`].
pub fn home_of(agent: &Agent, places: &Places, moved: Option<PathBuf>) -> Option<PathBuf> {
    match (moved, agent.home.strip_prefix(".config/")) {
        (Some(moved), _) => Some(moved.join(agent.home_below)),
        (None, Some(name)) => Some(places.config.as_ref()?.join(name)),
        (None, None) => Some(places.home.as_ref()?.join(agent.home)),
    }
}

/// Returns the change that installs our hooks. `before` is `None` if the file does not exist.
pub fn install(agent: &Agent, program: &str, before: Option<&[u8]>) -> Result<Change, EditProblem> {
    let after = match agent.recipe {
        Recipe::OwnFile => recipe::own_file(agent, program).into_bytes(),
        Recipe::Plugin(source) => recipe::plugin(source, program).into_bytes(),
        Recipe::None => return Ok(Change::Nothing),
        Recipe::Groups | Recipe::FlatEntries => edit::install(agent, program, before.unwrap_or_default())?,
    };
    Ok(if before == Some(&after) { Change::Nothing } else { Change::Write(after) })
}

/// Returns the change that removes our hooks. `record` is what the installation stored about the file.
pub fn uninstall(agent: &Agent, before: Option<&[u8]>, record: Option<&record::Record>) -> Result<Change, EditProblem> {
    let Some(bytes) = before else { return Ok(Change::Nothing) };
    if let Some(record) = record.filter(|record| record.is_untouched(bytes)) {
        match &record.before {
            None => return Ok(Change::Delete),
            // The original may contain entries of an older installation, which must go too.
            Some(old) if own_commands(agent, old).is_empty() => return Ok(Change::Write(old.clone())),
            Some(_) => {}
        }
    }
    match agent.recipe {
        Recipe::OwnFile | Recipe::Plugin(_) => Ok(Change::Delete),
        Recipe::None => Ok(Change::Nothing),
        Recipe::Groups | Recipe::FlatEntries => {
            let after = edit::uninstall(agent, bytes)?;
            let is_left_of_ours = record.is_some_and(|record| record.before.is_none()) && edit::is_bare(&after);
            Ok(match after {
                _ if is_left_of_ours => Change::Delete,
                after if after == bytes => Change::Nothing,
                after => Change::Write(after),
            })
        }
    }
}

/// Returns our commands in a file, in order. For a plugin, this is its program with the first event it registers.
pub fn own_commands(agent: &Agent, bytes: &[u8]) -> Vec<String> {
    match agent.recipe {
        Recipe::Plugin(_) => recipe::program_of_plugin(&String::from_utf8_lossy(bytes))
            .zip(recipe::registered(agent).next())
            .map(|(program, event)| recipe::command(agent, &program, event, 1))
            .into_iter()
            .collect(),
        _ => edit::own_commands(agent, bytes),
    }
}

/// Returns whether a file is ours or mentions our hook, even if it cannot be parsed.
pub fn names_us(agent: &Agent, bytes: &[u8]) -> bool {
    match agent.recipe {
        Recipe::OwnFile | Recipe::Plugin(_) => true,
        Recipe::None => false,
        Recipe::Groups | Recipe::FlatEntries => {
            let text = String::from_utf8_lossy(bytes);
            text.contains("brief") && text.contains(&format!(" hook {} ", agent.name))
        }
    }
}
