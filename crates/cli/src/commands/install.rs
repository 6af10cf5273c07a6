//! `brief install` and `brief uninstall`: our entries in the agents' own settings.
//!
//! The change is shown first, written in one step, can be done twice without effect, and undone. [`files`] knows where the
//! agents' files are, and writes them.

pub(crate) mod files;

use std::path::{Path, PathBuf};

use briefing_agents::agent::{Agent, Recipe};
use briefing_agents::install::recipe::is_own_program;
use briefing_agents::install::record::Record;
use briefing_agents::install::{self, Change};
use briefing_agents::{AGENTS, Version};
use briefing_core::Failure;
use briefing_core::fs::{FileProblem, write_atomic};
use briefing_core::settings::Places;
use briefing_core::shown::path_text;
use briefing_store::Place;
use clap::Args;
use files::{file_of, is_here, names_us, program, project_of, put_in, read, refuse};

use super::preview::unknown_agent;
use crate::{agent_version, environment, output, prompt, talk};

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own on the command line")]
pub(crate) struct Arguments {
    /// The agents: claude, codex, gemini, qwen, copilot, opencode, cursor
    #[arg(value_name = "AGENT")]
    agents: Vec<String>,
    /// Add the hooks to every agent that is on this machine
    #[arg(long, conflicts_with = "agents")]
    all: bool,
    /// Add them to the settings of this project instead of yours
    #[arg(long)]
    project: bool,
    /// Show the change without making it
    #[arg(long)]
    dry_run: bool,
    /// Do not ask for confirmation
    #[arg(short, long)]
    yes: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    In,
    Out,
}

impl Direction {
    /// Returns the command's name.
    fn word(self) -> &'static str {
        match self {
            Self::In => "install",
            Self::Out => "uninstall",
        }
    }
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
    let project = arguments.project.then(|| project_of(&places));
    let mut steps = Vec::new();
    for agent in chosen(arguments, direction, &places)? {
        let file = file_of(agent, &places, project.as_deref())?;
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
    let mut printed = output::print(&text);
    let open: Vec<&Step> = steps.iter().filter(|step| step.change != Change::Nothing).collect();
    if arguments.dry_run || open.is_empty() {
        return printed;
    }
    if !arguments.yes {
        // Nobody can agree to a change that was not shown.
        printed?;
        printed = Ok(());
        if !prompt::can_ask() {
            return Err(
                Failure::new("nothing was changed: not a terminal").hint("pass `--yes` to confirm, or `--dry-run` to see the change")
            );
        }
        if !prompt::yes("Make this change?") {
            return Err(Failure::new("nothing was changed"));
        }
    }
    for step in &open {
        refuse(&step.file, project.as_deref(), direction.word(), step.agent)?;
    }
    for step in open {
        apply(step, direction, &state)?;
    }
    printed
}

fn apply(step: &Step, direction: Direction, state: &Path) -> Result<(), Failure> {
    let failed = |problem: FileProblem| files::cannot_write(&step.file, &problem);
    match &step.change {
        Change::Write(bytes) if direction == Direction::In => put_in(&step.file, step.before.clone(), bytes, state)?,
        Change::Write(bytes) => write_atomic(&step.file, bytes).map_err(failed)?,
        Change::Delete => files::remove(&step.file).map_err(|error| failed(error.into()))?,
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

/// Returns the names of the agents that have something to install.
fn installable() -> Vec<&'static str> {
    AGENTS.iter().filter(|agent| agent.recipe != Recipe::None).map(|agent| agent.name).collect()
}

/// Returns the agent with this name.
fn named(name: &str) -> Result<&'static Agent, Failure> {
    match briefing_agents::find(name) {
        Some(agent) if agent.recipe == Recipe::None => Err(Failure::usage(format!("there is nothing to install for `{name}`"))
            .hint("call `brief hook generic EVENT` from your program; `docs/agents.md` shows the JSON")),
        Some(agent) => Ok(agent),
        None => Err(unknown_agent(name, &installable())),
    }
}

/// Returns the agents that were named, or those that are here. To be taken out, having our entries is enough.
fn chosen(arguments: &Arguments, direction: Direction, places: &Places) -> Result<Vec<&'static Agent>, Failure> {
    let word = direction.word();
    if !arguments.all {
        if arguments.agents.is_empty() {
            return Err(Failure::usage("no agent was named")
                .hint(format!("`brief {word} claude` names one; others are {}", installable()[1..].join(", ")))
                .hint(format!("`brief {word} --all` selects every agent on this machine")));
        }
        let agents: Vec<_> = arguments.agents.iter().map(|name| named(name)).collect::<Result<_, _>>()?;
        return Ok(agents);
    }
    let project = arguments.project.then(|| project_of(places));
    let is_wanted = |agent: &&Agent| is_here(agent, places) || (direction == Direction::Out && names_us(agent, places, project.as_deref()));
    let found: Vec<_> = AGENTS.iter().filter(is_wanted).collect();
    if found.is_empty() {
        return Err(match direction {
            Direction::In => Failure::new("no supported agent was found on this machine").hint("name one: `brief install claude`"),
            Direction::Out => Failure::new("no supported agent and no installed hook was found").hint("name one: `brief uninstall claude`"),
        });
    }
    Ok(found)
}
