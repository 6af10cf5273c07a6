//! The files of the agents: where they are, which are left alone, and how one is written.

use std::path::{Path, PathBuf};

use briefing_agents::agent::{Agent, Recipe};
use briefing_agents::install;
use briefing_agents::install::record::Record;
use briefing_agents::install::refusal::{Refusal, refusal};
use briefing_core::Failure;
use briefing_core::fs::{FileProblem, read_own_bytes, write_atomic};
use briefing_core::project::repository_or_self;
use briefing_core::settings::Places;
use briefing_core::shown::{path_text, shell_word};

use crate::environment;

/// The largest settings file that is edited, in bytes.
pub(crate) const MAX_SETTINGS: u64 = 16 * 1024 * 1024;

/// Fails if a file must be left alone, and says what to do instead. `word` is the command: `install` or `uninstall`.
pub(crate) fn refuse(file: &Path, project: Option<&Path>, word: &str, agent: &Agent) -> Result<(), Failure> {
    let Some(refusal) = refusal(file, project) else { return Ok(()) };
    let failure = Failure::new(format!("`{}` was not changed", path_text(file))).because(&refusal);
    let flag = if project.is_some() { " --project" } else { "" };
    let shown = format!("`brief {word} {}{flag} --dry-run` shows the change, to be made by hand", agent.name);
    Err(match refusal {
        Refusal::ReadOnly => failure.hint(format!("`chmod u+w {}` makes it writable", shell_word(file))).hint(shown),
        Refusal::OtherUser => failure.hint("run this command as that user").hint(shown),
        Refusal::Outside(_) => failure
            .hint(format!("`brief {word} {}` changes your own settings", agent.name))
            .hint("to have settings of the project, replace the link with a directory"),
    })
}

/// Writes a file that has our entries in it, once what it held before is kept in our state directory.
pub(crate) fn put_in(file: &Path, before: Option<Vec<u8>>, after: &[u8], state: &Path) -> Result<(), Failure> {
    Record::new(file, before, after).write(state, file).map_err(|error| {
        Failure::new(format!("cannot keep a copy of `{}`, so it was not changed", path_text(file)))
            .because(&error)
            .hint("`brief doctor` explains what is wrong with the state directory; XDG_STATE_HOME sets another one")
    })?;
    if let Some(parent) = file.parent() {
        std::fs::create_dir_all(parent).map_err(|error| cannot_write(file, &error.into()))?;
    }
    write_atomic(file, after).map_err(|problem| cannot_write(file, &problem))
}

pub(crate) fn cannot_write(file: &Path, problem: &FileProblem) -> Failure {
    Failure::new(format!("cannot write `{}`", path_text(file))).because(problem)
}

/// Removes a file. Of a link, what it leads to: that is what was made, and the link is the user's.
pub(crate) fn remove(file: &Path) -> std::io::Result<()> {
    std::fs::remove_file(file.canonicalize()?)
}

/// Tells whether an agent is on this machine: its program on PATH, or its directory in the home.
pub(crate) fn is_here(agent: &Agent, places: &Places) -> bool {
    let has_home = || home_of(agent, places).is_some_and(|home| home.is_dir());
    agent.recipe != Recipe::None && (has_home() || environment::find_program(agent.program).is_some())
}

/// Tells whether the user's or the project's file of an agent has something of ours in it.
pub(crate) fn names_us(agent: &Agent, places: &Places, project: Option<&Path>) -> bool {
    let bytes = file_of(agent, places, project).ok().and_then(|file| read_own_bytes(&file, MAX_SETTINGS).ok());
    agent.recipe != Recipe::None && bytes.is_some_and(|bytes| install::names_us(agent, &bytes))
}

/// Returns the directory in which an agent keeps its settings.
pub(crate) fn home_of(agent: &Agent, places: &Places) -> Option<PathBuf> {
    install::home_of(agent, places, environment::named_directory(agent.home_variable))
}

/// Returns the project whose settings `--project` means.
pub(crate) fn project_of(places: &Places) -> PathBuf {
    repository_or_self(&places.here).to_path_buf()
}

/// Returns the file of an agent that we write: the project's, or the user's.
pub(crate) fn file_of(agent: &Agent, places: &Places, project: Option<&Path>) -> Result<PathBuf, Failure> {
    if let Some(project) = project {
        return Ok(project.join(agent.project_file));
    }
    let home = home_of(agent, places).ok_or_else(|| Failure::new("cannot determine the home directory").hint("set HOME"))?;
    Ok(home.join(agent.user_file))
}

/// Reads a settings file; `None` where there is none.
pub(crate) fn read(file: &Path) -> Result<Option<Vec<u8>>, Failure> {
    match read_own_bytes(file, MAX_SETTINGS) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(FileProblem::Missing) => Ok(None),
        Err(problem) => Err(Failure::new(format!("cannot read `{}`", path_text(file))).because(&problem)),
    }
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
