//! `brief install` and `brief uninstall`: our entries in the agents' own settings.
//!
//! The change is shown first, written in one step, can be done twice without effect, and undone.

use std::path::{Path, PathBuf};

use briefing_agents::agent::{Agent, Recipe};
use briefing_agents::install::recipe::is_own_program;
use briefing_agents::install::record::Record;
use briefing_agents::install::{self, Change};
use briefing_agents::{AGENTS, Version};
use briefing_core::Failure;
use briefing_core::Moment;
use briefing_core::fs::{FileProblem, read_own_bytes, write_atomic};
use briefing_core::project::repository_or_self;
use briefing_core::settings::Places;
use briefing_core::shown::path_text;
use briefing_store::Place;
use clap::Args;

use super::preview::agent;
use crate::{agent_version, environment, output, prompt, talk};

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own on the command line")]
pub(crate) struct Arguments {
    /// The agents: claude, codex, gemini, qwen, copilot, opencode, cursor
    #[arg(value_name = "AGENT", required_unless_present = "all")]
    agents: Vec<String>,
    /// Select every agent that is installed on this machine
    #[arg(long, conflicts_with = "agents")]
    all: bool,
    /// Use the settings of this project instead of yours
    #[arg(long)]
    project: bool,
    /// Show the change without making it
    #[arg(long)]
    dry_run: bool,
    /// Do not ask for confirmation
    #[arg(short, long)]
    yes: bool,
}

/// The largest settings file that is edited, in bytes.
pub(crate) const MAX_SETTINGS: u64 = 16 * 1024 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    In,
    Out,
}

pub(crate) fn install(arguments: &Arguments) -> Result<(), Failure> {
    run(arguments, Direction::In)
}

pub(crate) fn uninstall(arguments: &Arguments) -> Result<(), Failure> {
    run(arguments, Direction::Out)
}

/// One file that is to change.
struct Step {
    agent: &'static Agent,
    file: PathBuf,
    before: Option<Vec<u8>>,
    change: Change,
    /// The agent's version, where it is too old for what we would write otherwise.
    old: Option<Version>,
}

fn run(arguments: &Arguments, direction: Direction) -> Result<(), Failure> {
    let places = environment::places()?;
    let program = program()?;
    if direction == Direction::In && !is_own_program(&program) {
        return Err(Failure::new(format!(
            "`brief` could not recognise an entry that calls `{}`",
            briefing_core::shown::one_line(&program)
        ))
        .hint("rename this program to `brief`, or put a link with that name on PATH"));
    }
    let state = Place::of(&places)
        .map(|place| place.directory().to_path_buf())
        .ok_or_else(|| Failure::new("cannot determine the state directory").hint("set HOME or XDG_STATE_HOME"))?;
    let mut steps = Vec::new();
    for agent in chosen(arguments, direction, &places)? {
        let file = file_of(agent, &places, arguments.project)?;
        let before = read(&file)?;
        let (row, old) = agent_version::row(agent);
        let change = match direction {
            Direction::In => install::install(&row, &program, before.as_deref()),
            Direction::Out => install::uninstall(agent, before.as_deref(), Record::read(&state, &file).as_ref()),
        };
        let change = change.map_err(|problem| {
            Failure::new(format!("`{}` was not changed", path_text(&file)))
                .because(&problem)
                .hint("correct the file, then run the same command again")
        })?;
        steps.push(Step { agent, file, before, change, old: old.filter(|_| direction == Direction::In) });
    }
    let mut text = String::new();
    for step in &steps {
        text.push_str(&shown(step, direction));
    }
    output::print(&text)?;
    let open: Vec<&Step> = steps.iter().filter(|step| step.change != Change::Nothing).collect();
    if arguments.dry_run || open.is_empty() {
        return Ok(());
    }
    if !arguments.yes {
        if !prompt::can_ask() {
            return Err(
                Failure::new("nothing was changed: not a terminal").hint("pass `--yes` to confirm, or `--dry-run` to see the change")
            );
        }
        if !prompt::yes("Make this change?") {
            return Err(Failure::new("nothing was changed"));
        }
    }
    for step in open {
        apply(step, direction, &state)?;
    }
    Ok(())
}

fn apply(step: &Step, direction: Direction, state: &Path) -> Result<(), Failure> {
    let failed = |problem: FileProblem| cannot_write(&step.file, &problem);
    match &step.change {
        Change::Write(bytes) if direction == Direction::In => put_in(&step.file, step.before.clone(), bytes, state)?,
        Change::Write(bytes) => write_atomic(&step.file, bytes).map_err(failed)?,
        Change::Delete => remove(&step.file).map_err(|error| failed(error.into()))?,
        Change::Nothing => return Ok(()),
    }
    if direction == Direction::Out {
        Record::forget(state, &step.file);
    }
    talk::plain(&format!("{}: {}", step.agent.title, if direction == Direction::In { "installed" } else { "removed" }));
    if direction == Direction::In && !step.agent.approval.is_empty() {
        talk::plain(step.agent.approval);
    }
    if let Some([major, minor, patch]) = step.old {
        talk::plain(&format!(
            "{} {major}.{minor}.{patch} does not know the event that we prefer; run `brief install {}` again after updating it.",
            step.agent.title, step.agent.name
        ));
    }
    Ok(())
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

fn cannot_write(file: &Path, problem: &FileProblem) -> Failure {
    Failure::new(format!("cannot write `{}`", path_text(file))).because(problem)
}

/// Removes a file. Of a link, what it leads to: that is what was made, and the link is the user's.
fn remove(file: &Path) -> std::io::Result<()> {
    std::fs::remove_file(file.canonicalize()?)
}

/// Returns what a person sees of one step.
fn shown(step: &Step, direction: Direction) -> String {
    let file = path_text(&step.file);
    let old = String::from_utf8_lossy(step.before.as_deref().unwrap_or_default()).into_owned();
    match &step.change {
        Change::Nothing if direction == Direction::In => format!("{}: already installed in `{file}`\n", step.agent.title),
        Change::Nothing => format!("{}: not installed in `{file}`\n", step.agent.title),
        Change::Delete => format!("{}: `{file}` will be deleted\n", step.agent.title),
        Change::Write(bytes) => {
            let new = String::from_utf8_lossy(bytes);
            let from = if step.before.is_some() { file.as_str() } else { "/dev/null" };
            let diff = similar::TextDiff::from_lines(old.as_str(), &new);
            let mut text = diff.unified_diff().context_radius(3).header(from, &file).to_string();
            text.retain(|c| c == '\n' || c == '\t' || !briefing_core::shown::is_deceptive(c));
            text
        }
    }
}

/// Returns the agents that were named, or those that are here. To be taken out, having our entries is enough.
fn chosen(arguments: &Arguments, direction: Direction, places: &Places) -> Result<Vec<&'static Agent>, Failure> {
    if !arguments.all {
        let agents: Vec<_> = arguments.agents.iter().map(|name| agent(name)).collect::<Result<_, _>>()?;
        if let Some(agent) = agents.iter().find(|agent| agent.recipe == Recipe::None) {
            return Err(Failure::usage(format!("there is nothing to install for `{}`", agent.name))
                .hint("call `brief hook generic EVENT` from your program; `docs/agents.md` shows the JSON"));
        }
        return Ok(agents);
    }
    let is_wanted = |agent: &&Agent| is_here(agent, places) || (direction == Direction::Out && names_us(agent, places, arguments.project));
    let found: Vec<_> = AGENTS.iter().filter(is_wanted).collect();
    if found.is_empty() {
        return Err(match direction {
            Direction::In => Failure::new("no supported agent was found on this machine").hint("name one: `brief install claude`"),
            Direction::Out => Failure::new("no supported agent and no installed hook was found").hint("name one: `brief uninstall claude`"),
        });
    }
    Ok(found)
}

/// Tells whether an agent is on this machine: its program on PATH, or its directory in the home.
pub(crate) fn is_here(agent: &Agent, places: &Places) -> bool {
    let has_home = places.home.as_ref().is_some_and(|home| home.join(agent.home).is_dir());
    agent.recipe != Recipe::None && (has_home || environment::find_program(agent.program).is_some())
}

/// Tells whether the user's or the project's file of an agent has something of ours in it.
pub(crate) fn names_us(agent: &Agent, places: &Places, is_project: bool) -> bool {
    let bytes = file_of(agent, places, is_project).ok().and_then(|file| read_own_bytes(&file, MAX_SETTINGS).ok());
    agent.recipe != Recipe::None && bytes.is_some_and(|bytes| install::names_us(agent, &bytes))
}

/// Returns the directory in which an agent keeps its settings.
pub(crate) fn home_of(agent: &Agent, places: &Places) -> Option<PathBuf> {
    environment::named_directory(agent.home_variable).or_else(|| Some(places.home.as_ref()?.join(agent.home)))
}

/// Returns the file of an agent that we write.
pub(crate) fn file_of(agent: &Agent, places: &Places, is_project: bool) -> Result<PathBuf, Failure> {
    debug_assert!(agent.events.iter().any(|event| event.moment == Moment::Message), "every agent has a message");
    let home = places.home.as_deref().ok_or_else(|| Failure::new("cannot determine the home directory").hint("set HOME"))?;
    let moved = environment::named_directory(agent.home_variable);
    Ok(install::file_of(agent, home, moved.as_deref(), is_project.then(|| repository_or_self(&places.here))))
}

/// Reads a settings file; `None` where there is none.
fn read(file: &Path) -> Result<Option<Vec<u8>>, Failure> {
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
