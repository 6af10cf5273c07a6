//! What an installation changes, file by file, and making that change. The command line shows it and asks in between.

use std::path::{Path, PathBuf};

use briefing_core::Failure;
use briefing_core::fs::{FileProblem, read_own_bytes, write_atomic};
use briefing_core::settings::Places;
use briefing_core::shown::{path_text, shell_word};

use super::record::Record;
use super::refusal::{Refusal, refusal};
use super::{Change, EditProblem, Part, home_of, install, is_in, names_us, uninstall};
use crate::agent::Agent;

/// The largest settings file that is edited, in bytes.
pub const MAX_SETTINGS: u64 = 16 * 1024 * 1024;

/// Whether we are registered or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    In,
    Out,
}

impl Direction {
    /// Returns the name of the command.
    pub fn word(self) -> &'static str {
        match self {
            Self::In => "install",
            Self::Out => "uninstall",
        }
    }
}

/// Whose settings are meant.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    pub places: &'a Places,
    /// The project, if its settings are meant and not the user's.
    pub project: Option<&'a Path>,
    /// Returns the directory that a variable of an agent names ([`Agent::home_variable`]).
    pub named_directory: &'a dyn Fn(&str) -> Option<PathBuf>,
}

impl Scope<'_> {
    /// Returns the directory in which an agent keeps its settings.
    pub fn home_of(&self, agent: &Agent) -> Option<PathBuf> {
        home_of(agent, self.places, (self.named_directory)(agent.home_variable))
    }

    /// Returns the file of an agent that has this part, or `None` if there is no such file.
    pub fn file_of(&self, agent: &Agent, part: Part) -> Result<Option<PathBuf>, Failure> {
        let (user, project, is_in_home) = match (part, &agent.mcp) {
            _ if !part.is_of(agent) => return Ok(None),
            (Part::Server, Some(mcp)) => (mcp.user_file, mcp.project_file, mcp.is_in_home),
            (Part::Hooks | Part::Server | Part::Status, _) => (agent.user_file, agent.project_file, false),
        };
        if let Some(root) = self.project {
            return Ok(Some(project).filter(|file| !file.is_empty()).map(|file| root.join(file)));
        }
        let is_moved = || (self.named_directory)(agent.home_variable).is_some();
        let directory = if is_in_home && !is_moved() { self.places.home.clone() } else { self.home_of(agent) };
        let directory = directory.ok_or_else(|| Failure::new("cannot determine the home directory").hint("set HOME"))?;
        Ok(Some(user).filter(|file| !file.is_empty()).map(|file| directory.join(file)))
    }

    /// Returns whether a file of the agent mentions us.
    pub fn names_us(&self, agent: &Agent) -> bool {
        Part::ALL.into_iter().any(|part| {
            let file = self.file_of(agent, part).ok().flatten();
            let bytes = file.and_then(|file| read_own_bytes(&file, MAX_SETTINGS).ok());
            bytes.is_some_and(|bytes| names_us(part, agent, &bytes))
        })
    }
}

/// What to do with an agent.
#[derive(Clone, Copy)]
pub struct Order<'a> {
    pub direction: Direction,
    pub parts: &'a [Part],
    /// How the agent calls `brief`: its name, if PATH leads to it, else its path.
    pub program: &'a str,
    /// The directory of our state, which keeps the records.
    pub state: &'a Path,
    pub scope: Scope<'a>,
}

/// One file that is to change.
#[derive(Debug, Clone)]
pub struct Step {
    pub agent: &'static Agent,
    /// The row to write, which may be that of an older version of the agent.
    row: Agent,
    pub parts: Vec<Part>,
    pub file: PathBuf,
    pub before: Option<Vec<u8>>,
    pub change: Change,
}

/// Returns the files of an agent that are to change, and those that need no change. `row` is the agent as installed here
/// ([`Agent::as_of`]).
pub fn plan(agent: &'static Agent, row: &Agent, order: &Order<'_>) -> Result<Vec<Step>, Failure> {
    let mut steps: Vec<Step> = Vec::new();
    for part in order.parts.iter().copied().filter(|part| part.is_of(agent)) {
        let Some(file) = order.scope.file_of(agent, part)? else { continue };
        match steps.iter_mut().find(|step| step.file == file) {
            Some(step) => step.parts.push(part),
            None => steps.push(Step { agent, row: *row, parts: vec![part], file, before: None, change: Change::Nothing }),
        }
    }
    steps.iter_mut().try_for_each(|step| step.settle(order))?;
    Ok(steps)
}

impl Step {
    /// Decides what to do with the file as it is now.
    fn settle(&mut self, order: &Order<'_>) -> Result<(), Failure> {
        self.before = read(&self.file)?;
        let before = self.before.as_deref();
        let change = match order.direction {
            Direction::In => install(&self.row, &self.parts, order.program, before),
            Direction::Out => uninstall(self.agent, &self.parts, before, Record::read(order.state, &self.file).as_ref()),
        };
        self.change = change.map_err(|problem| self.refused(&problem, order))?;
        Ok(())
    }

    fn refused(&self, problem: &EditProblem, order: &Order<'_>) -> Failure {
        let failure = Failure::new(format!("`{}` was not changed", path_text(&self.file))).because(problem);
        let alone = format!("`brief {} {} --no-mcp` leaves it alone", order.direction.word(), self.agent.name);
        match problem {
            EditProblem::Taken { .. } if self.parts.contains(&Part::Status) => {
                failure.hint("another program has the status line; call `brief status` from it to show both")
            }
            EditProblem::Taken { .. } => failure.hint("rename that entry, then run the same command again").hint(alone),
            _ => failure.hint("correct the file, then run the same command again"),
        }
    }

    /// Returns whether there is something to do.
    pub fn is_open(&self) -> bool {
        self.change != Change::Nothing
    }

    /// Fails if the file must be left alone, and says what to do instead.
    pub fn check(&self, order: &Order<'_>) -> Result<(), Failure> {
        let Some(refusal) = refusal(&self.file, order.scope.project) else { return Ok(()) };
        let failure = Failure::new(format!("`{}` was not changed", path_text(&self.file))).because(&refusal);
        let (word, flag) = (order.direction.word(), if order.scope.project.is_some() { " --project" } else { "" });
        let shown = format!("`brief {word} {}{flag} --dry-run` shows the change, to be made by hand", self.agent.name);
        Err(match refusal {
            Refusal::ReadOnly => failure.hint(format!("`chmod u+w {}` makes it writable", shell_word(&self.file))).hint(shown),
            Refusal::OtherUser => failure.hint("run this command as that user").hint(shown),
            Refusal::Outside(_) => failure
                .hint(format!("`brief {word} {}` changes your own settings", self.agent.name))
                .hint("to have settings of the project, replace the link with a directory"),
        })
    }

    /// Makes the change. If the file has changed since it was planned, the same is done to what it is now: agents write
    /// to these files while they run.
    pub fn apply(&mut self, order: &Order<'_>) -> Result<(), Failure> {
        if read(&self.file)? != self.before {
            self.settle(order)?;
        }
        let failed = |problem: FileProblem| cannot_write(&self.file, &problem);
        let is_left = |after: &[u8]| Part::ALL.into_iter().any(|part| !self.parts.contains(&part) && is_in(part, self.agent, after));
        match &self.change {
            Change::Nothing => {}
            Change::Write(after) if order.direction == Direction::In || is_left(after) => self.put(after, order.state)?,
            Change::Write(after) => write_atomic(&self.file, after).map_err(failed)?,
            Change::Delete => remove(&self.file).map_err(|error| failed(error.into()))?,
        }
        let is_gone = match &self.change {
            Change::Write(after) => order.direction == Direction::Out && !is_left(after),
            Change::Delete => true,
            Change::Nothing => false,
        };
        if is_gone {
            Record::forget(order.state, &self.file);
        }
        Ok(())
    }

    /// Writes the file, once what it held before is kept in our state directory.
    fn put(&self, after: &[u8], state: &Path) -> Result<(), Failure> {
        let file = &self.file;
        Record::new(file, self.before.clone(), after).write(state, file).map_err(|error| {
            Failure::new(format!("cannot keep a copy of `{}`, so it was not changed", path_text(file)))
                .because(&error)
                .hint("`brief doctor` explains what is wrong with the state directory; XDG_STATE_HOME sets another one")
        })?;
        if let Some(parent) = file.parent() {
            std::fs::create_dir_all(parent).map_err(|error| cannot_write(file, &error.into()))?;
        }
        write_atomic(file, after).map_err(|problem| cannot_write(file, &problem))
    }
}

fn cannot_write(file: &Path, problem: &FileProblem) -> Failure {
    Failure::new(format!("cannot write `{}`", path_text(file))).because(problem)
}

/// Removes a file. Of a link, what it leads to: that is what was made, and the link is the user's.
fn remove(file: &Path) -> std::io::Result<()> {
    std::fs::remove_file(file.canonicalize()?)
}

/// Reads a settings file; `None` where there is none.
fn read(file: &Path) -> Result<Option<Vec<u8>>, Failure> {
    match read_own_bytes(file, MAX_SETTINGS) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(FileProblem::Missing) => Ok(None),
        Err(problem) => Err(Failure::new(format!("cannot read `{}`", path_text(file))).because(&problem)),
    }
}
