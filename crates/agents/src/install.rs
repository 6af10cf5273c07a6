//! Registering with an agent: our hooks and our MCP server in its configuration, and removing them.
//!
//! [`plan`] is the way in: it says which files change and how, and makes the change. [`recipe`] defines the hooks'
//! entries and [`hooks`] edits the files with them; [`server`] does both for the MCP server, [`status`] for the status line. [`record`] stores the
//! original bytes of a file, and [`refusal`] says which files are left alone. Only those two and [`plan`] access the disk.
//! [`plugins`] has the same entries as plugins, which the agents install themselves.

pub mod hooks;
mod json;
pub mod plan;
pub mod plugins;
pub mod recipe;
pub mod record;
pub mod refusal;
pub mod server;
pub mod status;

use std::path::PathBuf;

use briefing_core::settings::Places;

use crate::agent::{Agent, Recipe};

/// What we register with an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The hooks, which bring context by themselves.
    Hooks,
    /// The MCP server, which answers when the agent asks.
    Server,
    /// `brief status` in the agent's status line.
    Status,
}

impl Part {
    /// Everything that may be ours.
    pub const ALL: [Self; 3] = [Self::Hooks, Self::Server, Self::Status];
    /// What is registered where nothing else is asked for.
    pub const USUAL: [Self; 2] = [Self::Hooks, Self::Server];

    /// Returns whether the agent takes this part.
    pub fn is_of(self, agent: &Agent) -> bool {
        match self {
            Self::Hooks => agent.recipe != Recipe::None,
            Self::Server => agent.mcp.is_some(),
            Self::Status => !agent.status_line.is_empty(),
        }
    }
}

/// Why a file cannot be edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditProblem {
    #[error("not UTF-8")]
    NotUtf8,
    #[error("line {line}, column {column}: {problem}")]
    NotJson { line: usize, column: usize, problem: String },
    #[error("line {line}, column {column}: {problem}")]
    NotToml { line: usize, column: usize, problem: String },
    #[error("its content is not a JSON object")]
    NotAnObject,
    #[error("`{place}` is not {expected}")]
    Unexpected { place: String, expected: &'static str },
    #[error("`{place}` is another program")]
    Taken { place: String },
}

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

/// Returns the change that registers these parts in one file. `before` is `None` if the file does not exist.
pub fn install(agent: &Agent, parts: &[Part], program: &str, before: Option<&[u8]>) -> Result<Change, EditProblem> {
    let mut after = before.map(<[u8]>::to_vec);
    for part in parts {
        let bytes = after.as_deref().unwrap_or_default();
        after = match (part, agent.recipe, agent.mcp.as_ref()) {
            (Part::Hooks, Recipe::OwnFile, _) => Some(format!("{:#}\n", recipe::own_file(agent, program)).into_bytes()),
            (Part::Hooks, Recipe::Plugin(source), _) => Some(recipe::plugin(source, program).into_bytes()),
            (Part::Hooks, Recipe::Groups | Recipe::FlatEntries, _) => Some(hooks::install(agent, program, bytes)?),
            (Part::Server, _, Some(mcp)) => Some(server::install(mcp, program, bytes)?),
            (Part::Status, ..) => Some(status::install(agent, program, bytes)?),
            (Part::Hooks, Recipe::None, _) | (Part::Server, _, None) => after,
        };
    }
    Ok(match after {
        Some(after) if before != Some(&after) => Change::Write(after),
        _ => Change::Nothing,
    })
}

/// Returns the change that removes these parts from one file. `record` is what the installation stored about the file.
pub fn uninstall(agent: &Agent, parts: &[Part], before: Option<&[u8]>, record: Option<&record::Record>) -> Result<Change, EditProblem> {
    let Some(bytes) = before else { return Ok(Change::Nothing) };
    let original = record.and_then(|record| record.before.as_deref());
    let mut after = Some(bytes.to_vec());
    for part in parts {
        let Some(bytes) = after.as_deref() else { break };
        after = match (part, agent.recipe, agent.mcp.as_ref()) {
            (Part::Hooks, Recipe::OwnFile | Recipe::Plugin(_), _) => None,
            (Part::Hooks, Recipe::Groups | Recipe::FlatEntries, _) => Some(hooks::uninstall(agent, bytes)?),
            (Part::Server, _, Some(mcp)) => Some(server::uninstall(mcp, bytes, original)?),
            (Part::Status, ..) => Some(status::uninstall(agent, bytes)?),
            (Part::Hooks, Recipe::None, _) | (Part::Server, _, None) => after,
        };
    }
    let Some(after) = after else { return Ok(Change::Delete) };
    if after == bytes {
        return Ok(Change::Nothing);
    }
    // The other part may be in the same file, and the original may have entries of an older installation.
    let is_free_of_us = |bytes: &[u8]| Part::ALL.iter().all(|part| !is_in(*part, agent, bytes));
    let is_made_by_us = record.is_some_and(|record| record.before.is_none());
    match record.filter(|record| record.is_untouched(bytes) && is_free_of_us(&after)) {
        Some(record) if record.before.is_none() => Ok(Change::Delete),
        Some(_) if original.is_some_and(is_free_of_us) => Ok(Change::Write(original.unwrap_or_default().to_vec())),
        _ if is_made_by_us && json::is_bare(&after) => Ok(Change::Delete),
        _ => Ok(Change::Write(after)),
    }
}

/// Returns parts in words: `hooks and MCP server`.
pub fn words(parts: &[Part]) -> String {
    let word = |part: &Part| match part {
        Part::Hooks => "hooks",
        Part::Server => "MCP server",
        Part::Status => "status line",
    };
    let words: Vec<&str> = parts.iter().map(word).collect();
    match words.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => words.concat(),
    }
}

/// Returns whether a file has an entry of this part.
pub fn is_in(part: Part, agent: &Agent, bytes: &[u8]) -> bool {
    match part {
        Part::Hooks => !own_commands(agent, bytes).is_empty(),
        Part::Server => agent.mcp.as_ref().is_some_and(|mcp| !server::entries(mcp, bytes).is_empty()),
        Part::Status => status::is_in(agent, bytes),
    }
}

/// Returns the commands of our hooks in a file, in order. For a plugin, this is its program with the first event it
/// registers.
pub fn own_commands(agent: &Agent, bytes: &[u8]) -> Vec<String> {
    match agent.recipe {
        Recipe::Plugin(_) => recipe::program_of_plugin(&String::from_utf8_lossy(bytes))
            .zip(recipe::registered(agent).next())
            .map(|(program, event)| recipe::command(agent, &program, event, 1))
            .into_iter()
            .collect(),
        _ => hooks::own_commands(agent, bytes),
    }
}

/// Returns whether a file of an agent is ours or mentions this part, even if it cannot be parsed.
pub fn names_us(part: Part, agent: &Agent, bytes: &[u8]) -> bool {
    let words = match (part, agent.recipe) {
        (Part::Hooks, Recipe::OwnFile | Recipe::Plugin(_)) => return true,
        (Part::Hooks, _) => format!(" hook {} ", agent.name),
        (Part::Server, _) => "\"mcp\"".to_owned(),
        (Part::Status, _) => status::COMMAND.to_owned(),
    };
    let text = String::from_utf8_lossy(bytes);
    let is_broken = || part.is_of(agent) && install(agent, &[part], "brief", Some(bytes)).is_err();
    is_in(part, agent, bytes) || (text.contains("brief") && text.contains(&words) && is_broken())
}
