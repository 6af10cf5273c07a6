//! Sets a project up: looks at it, plans what is missing, does it, and can take it back.
//!
//! [`plan`] only reads. Everything it plans is a change of one file ([`Planned`]), so a dry run, the confirmation, the work
//! itself ([`apply`]) and taking it back ([`undo`]) are about the same list. What exists already is never replaced.

mod apply;
mod found;
mod knowledge;
mod record;
pub mod undo;

use std::fmt;
use std::path::{Path, PathBuf};

use briefing_core::Failure;
use briefing_core::fs::{FileProblem, check_private, read_own_bytes};
use briefing_core::project::repository;
use briefing_core::settings::{Places, Settings};
use briefing_core::shown::path_text;
use briefing_core::sources::docs;
use briefing_core::sources::instructions::STANDARD;
use briefing_core::tokens::TokenCounter;
use briefing_store::Place;
use jiff::Timestamp;

use crate::agent::Agent;
use crate::install::plan::{Direction, MAX_SETTINGS, Order, Scope, Step};
use crate::install::recipe::is_own_program;
use crate::install::{self, Change, is_in};
use crate::loading;

pub use apply::apply;
pub use found::{Found, InstructionFile, project_of};
pub use knowledge::{Choice, Why};

/// What is asked for.
pub struct Request<'a> {
    /// The user's settings and directories; `here` is the project.
    pub scope: Scope<'a>,
    pub settings: &'a Settings,
    pub now: Timestamp,
    /// How the agents call this program.
    pub program: &'a str,
    /// The agents on this machine.
    pub agents: &'a [AgentHere],
    pub counter: &'a dyn TokenCounter,
    /// What the user wants besides.
    pub accepted: &'a [Offer],
}

/// Something useful that is done only if the user wants it.
#[derive(Debug, Clone, Copy)]
pub enum Offer {
    /// AGENTS.md for an agent that loads a file of its own instead.
    AgentsMd(&'static Agent),
    /// `brief status` in an agent's status line.
    StatusLine(&'static Agent),
}

impl Offer {
    /// Returns the agent that it is about.
    fn agent(self) -> &'static Agent {
        match self {
            Self::AgentsMd(agent) | Self::StatusLine(agent) => agent,
        }
    }

    fn is(self, other: Self) -> bool {
        self.word() == other.word() && self.agent().name == other.agent().name
    }

    /// Returns the word for it on the command line and in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::AgentsMd(_) => "agents-md",
            Self::StatusLine(_) => "status-line",
        }
    }
}

impl fmt::Display for Offer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AgentsMd(agent) => write!(f, "give {} `AGENTS.md` too, which it does not load beside its own file", agent.title),
            Self::StatusLine(agent) => write!(f, "show in the status line of {} what it has received (`brief status`)", agent.title),
        }
    }
}

/// An agent on this machine.
#[derive(Debug, Clone)]
pub struct AgentHere {
    pub agent: &'static Agent,
    /// The row for its version.
    pub row: Agent,
}

/// What a file is for.
#[derive(Debug, Clone, Copy)]
pub enum Part {
    /// A core file or a domain.
    Knowledge,
    /// The index of documents.
    Index,
    /// An agent's settings with our hooks, our MCP server, or both.
    Agent(&'static Agent),
    /// The project's settings.
    Settings,
    /// `.gitignore`.
    Ignored,
}

impl Part {
    /// Returns the word for it in records and in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Knowledge => "knowledge",
            Self::Index => "index",
            Self::Agent(_) => "agent",
            Self::Settings => "settings",
            Self::Ignored => "ignored",
        }
    }
}

/// A file that will be written.
#[derive(Debug, Clone)]
pub struct Planned {
    pub part: Part,
    pub file: PathBuf,
    /// Its bytes now; `None` if it does not exist.
    pub before: Option<Vec<u8>>,
    pub after: Vec<u8>,
    /// What it will have, in a few words.
    pub summary: String,
    /// What an agent's settings get that they did not have.
    added: Vec<install::Part>,
}

impl Planned {
    fn new(part: Part, file: PathBuf, before: Option<Vec<u8>>, after: Vec<u8>, summary: String) -> Self {
        Self { part, file, before, after, summary, added: Vec::new() }
    }
}

/// Something that is there already and stays as it is.
#[derive(Debug, Clone)]
pub struct Settled {
    pub part: Part,
    pub file: PathBuf,
}

/// What cannot be done here.
#[derive(Debug, thiserror::Error)]
pub enum Obstacle {
    #[error("no home directory is known, so the settings of agents cannot be found")]
    NoHome,
    #[error("no copy of the agents' settings can be kept in `{}`: {problem}", path_text(.directory))]
    NoState { directory: PathBuf, problem: FileProblem },
    #[error("an entry that calls `{program}` could not be recognised later")]
    ForeignProgram { program: String },
    #[error("{}", failure_text(.0))]
    Agent(Failure),
    #[error("`{}` cannot be written: {problem}", path_text(.file))]
    NotWritable { file: PathBuf, problem: FileProblem },
    #[error("no index was made: {0}")]
    Index(String),
}

impl Obstacle {
    /// Returns what to do about it.
    pub fn fix(&self) -> String {
        match self {
            Self::NoHome => "set HOME, then run `brief install --all`".to_owned(),
            Self::NoState { .. } => "set XDG_STATE_HOME to a directory that can be written, then run `brief init` again".to_owned(),
            Self::ForeignProgram { .. } => "rename this program to `brief`, then run `brief install --all`".to_owned(),
            Self::Agent(failure) => failure.hints().join("; or: "),
            Self::NotWritable { .. } => "make its directory writable, then run `brief init` again".to_owned(),
            Self::Index(_) => "brief index".to_owned(),
        }
    }
}

/// Returns a failure and its causes in one line.
fn failure_text(failure: &Failure) -> String {
    std::iter::once(failure.to_string()).chain(failure.causes().iter().cloned()).collect::<Vec<_>>().join(": ")
}

/// What was found, and what will be done about it.
#[derive(Debug)]
pub struct Plan {
    pub found: Found,
    /// Where knowledge goes, and why.
    pub choice: Choice,
    pub changes: Vec<Planned>,
    pub settled: Vec<Settled>,
    pub obstacles: Vec<Obstacle>,
    /// What could be done besides, if the user wants it.
    pub offers: Vec<Offer>,
    /// Agents that load the same text several times, with the files that have it.
    pub repeated: Vec<(&'static Agent, Vec<PathBuf>)>,
    /// The number of documents in the planned index, and how many were left out of it.
    pub indexed: Option<(usize, usize)>,
    /// Where the record of the changes is kept; without it they cannot be taken back.
    state: Option<PathBuf>,
    /// The changes of agents' settings, as the installer makes them.
    steps: Vec<Step>,
}

impl Plan {
    /// Adds an obstacle once: a directory that cannot be written is one problem, whatever would have gone there.
    fn add(&mut self, obstacle: Obstacle) {
        let text = obstacle.to_string();
        if !self.obstacles.iter().any(|other| other.to_string() == text) {
            self.obstacles.push(obstacle);
        }
    }

    /// Adds a file of an agent.
    fn add_step(&mut self, step: Step) {
        let (agent, file) = (step.agent, step.file.clone());
        let Change::Write(after) = &step.change else {
            self.settled.push(Settled { part: Part::Agent(agent), file });
            return;
        };
        let summary = format!("{} for {}", install::words(&step.parts), agent.title);
        let is_new = |part: &install::Part| !step.before.as_deref().is_some_and(|before| is_in(*part, agent, before));
        let added = step.parts.iter().copied().filter(is_new).collect();
        self.changes.push(Planned { part: Part::Agent(agent), file, before: step.before.clone(), after: after.clone(), summary, added });
        self.steps.push(step);
    }

    /// Returns whether the changes can be taken back by `brief init --undo`.
    pub fn is_reversible(&self) -> bool {
        self.state.is_some()
    }
}

/// Looks at a project and plans what is missing. Writes nothing.
pub fn plan(request: &Request<'_>) -> Result<Plan, Failure> {
    let found = found::look(request)?;
    let mut plan = Plan {
        choice: knowledge::choose(&found),
        found,
        changes: Vec::new(),
        settled: Vec::new(),
        obstacles: Vec::new(),
        offers: Vec::new(),
        repeated: Vec::new(),
        indexed: None,
        state: None,
        steps: Vec::new(),
    };
    match usable_state(request.scope.places) {
        Ok(state) => plan.state = state,
        Err(obstacle) => plan.obstacles.push(obstacle),
    }
    let drafts = knowledge::drafts(&plan.found, &plan.choice, request.now)?;
    plan.changes.extend(drafts);
    plan.changes.extend(knowledge::settings(&plan.found, &plan.choice));
    plan_offers(&mut plan, request);
    plan_index(&mut plan, request)?;
    let ignored = knowledge::ignored(&plan.found, &plan.changes)?;
    plan.changes.extend(ignored);
    plan_agents(&mut plan, request);
    let (changes, problems): (Vec<_>, Vec<_>) = plan.changes.into_iter().map(writable).partition(Result::is_ok);
    plan.changes = changes.into_iter().flatten().collect();
    problems.into_iter().filter_map(Result::err).for_each(|obstacle| plan.add(obstacle));
    Ok(plan)
}

/// Returns our state directory, if it can be used. Without it, no change can be taken back.
fn usable_state(places: &Places) -> Result<Option<PathBuf>, Obstacle> {
    let Some(place) = Place::of(places) else { return Err(Obstacle::NoHome) };
    let directory = place.directory().to_path_buf();
    match check_private(&directory).and_then(|_| creatable(&directory.join("init"))) {
        Ok(()) => Ok(Some(directory)),
        Err(problem) => Err(Obstacle::NoState { directory, problem }),
    }
}

/// Plans the index of documents, if there is none and there are documents.
fn plan_index(plan: &mut Plan, request: &Request<'_>) -> Result<(), Failure> {
    if !plan.found.indexes.is_empty() {
        let settled = plan.found.indexes.iter().map(|file| Settled { part: Part::Index, file: file.clone() });
        plan.settled.extend(settled);
        return Ok(());
    }
    let index = docs::Plan::first(&plan.found.project)?.with(request.scope.places, request.settings)?;
    if !index.has_documents()? {
        return Ok(());
    }
    let made = match docs::make(&index, request.counter) {
        Ok(made) => made,
        Err(failure) => {
            plan.obstacles.push(Obstacle::Index(failure.to_string()));
            return Ok(());
        }
    };
    let count = made.documents.len();
    plan.indexed = Some((count, made.left_out));
    let summary = format!("{count} document{}, {} tokens", if count == 1 { "" } else { "s" }, made.tokens());
    // The path that the user sees, not the one without links.
    let file = plan.found.project.join(index.file.strip_prefix(&index.root).unwrap_or(&index.file));
    plan.changes.push(Planned::new(Part::Index, file, None, made.text.into_bytes(), summary));
    Ok(())
}

/// Plans our hooks and our MCP server in the settings of every agent on this machine.
fn plan_agents(plan: &mut Plan, request: &Request<'_>) {
    if request.agents.is_empty() {
        return;
    }
    if !is_own_program(request.program) {
        plan.add(Obstacle::ForeignProgram { program: request.program.to_owned() });
        return;
    }
    // Why not is among the obstacles.
    let Some(state) = plan.state.clone() else { return };
    let parts = parts(request);
    let order = order(request.scope, Direction::In, &parts, request.program, &state);
    for AgentHere { agent, row } in request.agents {
        if request.scope.home_of(agent).is_none() {
            plan.add(Obstacle::NoHome);
            continue;
        }
        let steps = install::plan::plan(agent, row, &order)
            .and_then(|steps| steps.iter().filter(|step| step.is_open()).try_for_each(|step| step.check(&order)).map(|()| steps));
        match steps {
            Ok(steps) => steps.into_iter().for_each(|step| plan.add_step(step)),
            Err(failure) => plan.add(Obstacle::Agent(failure)),
        }
    }
}

/// Returns what is registered with an agent.
fn parts(request: &Request<'_>) -> Vec<install::Part> {
    let has_status = request.accepted.iter().any(|offer| matches!(offer, Offer::StatusLine(_)));
    install::Part::USUAL.into_iter().chain(has_status.then_some(install::Part::Status)).collect()
}

/// Finds what could be done besides, and plans what the user has accepted of it.
fn plan_offers(plan: &mut Plan, request: &Request<'_>) {
    for AgentHere { agent, .. } in request.agents {
        let moved = (request.scope.named_directory)(agent.home_variable);
        let reader = loading::reader_at(agent, request.scope.places, moved);
        let files = reader.repeated();
        if !files.is_empty() {
            plan.repeated.push((agent, files));
        }
        let mut offers = Vec::new();
        if reader.declines(STANDARD) && !request.settings.instructions.beside.value {
            offers.push(Offer::AgentsMd(agent));
        }
        let file = request.scope.file_of(agent, install::Part::Status).ok().flatten();
        let bytes = file.and_then(|file| read_own_bytes(&file, MAX_SETTINGS).ok()).unwrap_or_default();
        let has_line = is_in(install::Part::Status, agent, &bytes) || install::status::is_taken(agent, &bytes);
        if install::Part::Status.is_of(agent) && !has_line && plan.state.is_some() {
            offers.push(Offer::StatusLine(agent));
        }
        for offer in offers {
            match offer {
                _ if !request.accepted.iter().any(|accepted| accepted.is(offer)) => plan.offers.push(offer),
                Offer::AgentsMd(_) => knowledge::beside(&plan.found, &mut plan.changes),
                // It is registered together with the hooks.
                Offer::StatusLine(_) => {}
            }
        }
    }
}

/// Returns what the installer is asked to do.
fn order<'a>(scope: Scope<'a>, direction: Direction, parts: &'a [install::Part], program: &'a str, state: &'a Path) -> Order<'a> {
    Order { direction, parts, program, state, scope }
}

/// Returns a change if its file can be written.
fn writable(planned: Planned) -> Result<Planned, Obstacle> {
    match creatable(&planned.file) {
        Ok(()) => Ok(planned),
        Err(problem) => {
            let there = existing_above(&planned.file).to_path_buf();
            Err(Obstacle::NotWritable { file: there, problem })
        }
    }
}

fn existing_above(file: &Path) -> &Path {
    file.ancestors().skip(1).find(|path| path.symlink_metadata().is_ok()).unwrap_or(file)
}

/// Checks that a file can be created or replaced, without doing it.
fn creatable(file: &Path) -> Result<(), FileProblem> {
    let there = existing_above(file);
    if !there.is_dir() {
        return Err(FileProblem::NotADirectory);
    }
    #[cfg(unix)]
    {
        use rustix::fs::{Access, access};
        access(there, Access::WRITE_OK | Access::EXEC_OK).map_err(|error| std::io::Error::from(error).into())
    }
    #[cfg(not(unix))]
    Ok(())
}

/// Returns the `.gitignore` of the repository around a directory.
fn gitignore(project: &Path) -> Option<PathBuf> {
    repository(project).map(|root| root.join(".gitignore"))
}
