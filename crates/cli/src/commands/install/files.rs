//! Where the agents' files are on this machine, and how the agents can call this program.

use std::path::{Path, PathBuf};

use briefing_agents::agent::Agent;
use briefing_agents::install::Part;
use briefing_agents::install::plan::Scope;
use briefing_core::Failure;
use briefing_core::project::repository_or_self;
use briefing_core::settings::Places;

use crate::environment;

/// Returns whose settings are meant: the project's, or the user's.
pub(crate) fn scope<'a>(places: &'a Places, project: Option<&'a Path>) -> Scope<'a> {
    Scope { places, project, named_directory: &environment::named_directory }
}

/// Tells whether an agent is on this machine: its program on PATH, or its directory in the home.
pub(crate) fn is_here(agent: &Agent, places: &Places) -> bool {
    let has_home = || home_of(agent, places).is_some_and(|home| home.is_dir());
    is_installable(agent) && (has_home() || environment::find_program(agent.program).is_some())
}

/// Tells whether there is anything to install for an agent.
pub(crate) fn is_installable(agent: &Agent) -> bool {
    Part::ALL.iter().any(|part| part.is_of(agent))
}

/// Returns the directory in which an agent keeps its settings.
pub(crate) fn home_of(agent: &Agent, places: &Places) -> Option<PathBuf> {
    scope(places, None).home_of(agent)
}

/// Returns the project whose settings `--project` means.
pub(crate) fn project_of(places: &Places) -> PathBuf {
    repository_or_self(&places.here).to_path_buf()
}

/// Returns the directory of our state, which keeps what the agents' files were before.
pub(crate) fn state_of(places: &Places) -> Option<PathBuf> {
    briefing_store::Place::of(places).map(|place| place.directory().to_path_buf())
}

/// Returns how the agents' shell can call this program: by its name where PATH leads to it, else by its path.
pub(crate) fn program() -> Result<String, Failure> {
    let own = std::env::current_exe().and_then(std::fs::canonicalize);
    let own = own.map_err(|error| Failure::new("cannot determine the path of this program").because(&error))?;
    let found = environment::find_program("brief").and_then(|path| path.canonicalize().ok());
    if found.as_deref() == Some(&own) {
        return Ok("brief".into());
    }
    own.to_str().map(str::to_owned).ok_or_else(|| Failure::new(format!("`{}` is not UTF-8 and cannot be written to JSON", own.display())))
}
