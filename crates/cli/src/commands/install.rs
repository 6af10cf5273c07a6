//! `brief install` and `brief uninstall`: our entries in the agents' own settings.
//!
//! The change is shown first, written in one step, can be done twice without effect, and undone. The library plans and
//! makes it; [`files`] knows what it needs to know about this machine.

pub(crate) mod files;

use briefing_agents::agent::Agent;
use briefing_agents::install::plan::{Direction, Order, Step, plan};
use briefing_agents::install::recipe::is_own_program;
use briefing_agents::install::{Change, Part, is_in, words};
use briefing_agents::{AGENTS, Version};
use briefing_core::Failure;
use briefing_core::secrets::redacted;
use briefing_core::shown::path_text;
use clap::{Args, ValueEnum};
use files::{is_here, is_installable, program, project_of, scope, state_of};

use super::preview::unknown_agent;
use crate::{agent_version, environment, output, prompt, talk};

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own on the command line")]
pub(crate) struct Arguments {
    /// The agents: claude, codex, gemini, qwen, copilot, opencode, cursor, vscode
    #[arg(value_name = "AGENT")]
    agents: Vec<String>,
    /// Select every agent that is on this machine
    #[arg(long, conflicts_with = "agents")]
    all: bool,
    /// Change the settings of this project instead of yours
    #[arg(long)]
    project: bool,
    /// Change only this part
    #[arg(long, value_name = "PART")]
    only: Option<Only>,
    /// Leave the MCP server out
    #[arg(long, conflicts_with = "only")]
    no_mcp: bool,
    /// Show the change without making it
    #[arg(long)]
    dry_run: bool,
    /// Do not ask for confirmation
    #[arg(short, long)]
    yes: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Only {
    /// The hooks, which bring context by themselves
    Hooks,
    /// The MCP server, which answers when the agent asks
    Mcp,
    /// `brief status` in the agent's status line
    StatusLine,
}

impl Arguments {
    /// Returns what is meant. The status line is added only where it is asked for, and removed with the rest.
    fn parts(&self, direction: Direction) -> &'static [Part] {
        match (self.only, direction) {
            (Some(Only::Hooks), _) => &[Part::Hooks],
            (Some(Only::Mcp), _) => &[Part::Server],
            (Some(Only::StatusLine), _) => &[Part::Status],
            (None, Direction::In) if self.no_mcp => &[Part::Hooks],
            (None, Direction::Out) if self.no_mcp => &[Part::Hooks, Part::Status],
            (None, Direction::In) => &Part::USUAL,
            (None, Direction::Out) => &Part::ALL,
        }
    }
}

pub(crate) fn install(arguments: &Arguments) -> Result<(), Failure> {
    run(arguments, Direction::In)
}

pub(crate) fn uninstall(arguments: &Arguments) -> Result<(), Failure> {
    run(arguments, Direction::Out)
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
    let state = state_of(&places).ok_or_else(|| Failure::new("cannot determine the state directory").hint("set HOME or XDG_STATE_HOME"))?;
    let project = arguments.project.then(|| project_of(&places));
    let scope = scope(&places, project.as_deref());
    let order = Order { direction, parts: arguments.parts(direction), program: &program, state: &state, scope };
    let mut steps = Vec::new();
    let mut old = Vec::new();
    for agent in chosen(arguments, &order)? {
        let (row, version) = agent_version::row(agent);
        old.extend(version.filter(|_| direction == Direction::In).map(|version| (agent, version)));
        steps.extend(plan(agent, &row, &order)?);
    }
    let text: String = steps.iter().map(|step| shown(step, direction)).collect();
    let mut printed = output::print(&text);
    steps.retain(Step::is_open);
    if arguments.dry_run || steps.is_empty() {
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
    steps.iter().try_for_each(|step| step.check(&order))?;
    for step in &mut steps {
        step.apply(&order)?;
        tell(step, &order, old.iter().find(|(agent, _)| agent.name == step.agent.name).map(|(_, version)| *version));
    }
    printed
}

/// Says what was done, and what the user has to know about it.
fn tell(step: &Step, order: &Order<'_>, old: Option<Version>) {
    let agent = step.agent;
    let done = if order.direction == Direction::In { "installed" } else { "removed" };
    talk::plain(&format!("{}: {} {done}", agent.title, named_parts(step, order.direction)));
    if order.direction == Direction::Out {
        return;
    }
    if step.parts.contains(&Part::Hooks) {
        if !agent.approval.is_empty() {
            talk::plain(agent.approval);
        }
        if let Some([major, minor, patch]) = old {
            talk::plain(&format!(
                "{} {major}.{minor}.{patch} does not know the event that we prefer; run `brief install {}` again after updating it.",
                agent.title, agent.name
            ));
        }
    }
    if let Some(mcp) = agent.mcp.filter(|_| order.scope.project.is_some() && step.parts.contains(&Part::Server)) {
        talk::plain(&format!("A colleague without `brief` {}.", mcp.without_program));
    }
}

/// Returns the parts of a step in words; of those to be removed, the ones that are there.
fn named_parts(step: &Step, direction: Direction) -> String {
    let before = step.before.as_deref().unwrap_or_default();
    let is_meant = |part: &&Part| direction == Direction::In || is_in(**part, step.agent, before);
    let mut parts: Vec<Part> = step.parts.iter().filter(is_meant).copied().collect();
    if parts.is_empty() {
        parts = step.parts.iter().filter(|part| step.parts.len() == 1 || Part::USUAL.contains(part)).copied().collect();
    }
    words(&parts)
}

/// Returns what a person sees of one step.
fn shown(step: &Step, direction: Direction) -> String {
    let (file, parts) = (path_text(&step.file), named_parts(step, direction));
    let old = String::from_utf8_lossy(step.before.as_deref().unwrap_or_default()).into_owned();
    match &step.change {
        Change::Nothing if direction == Direction::In => format!("{}: {parts} already installed in `{file}`\n", step.agent.title),
        Change::Nothing => format!("{}: {parts} not installed in `{file}`\n", step.agent.title),
        Change::Delete => format!("{}: `{file}` will be deleted\n", step.agent.title),
        Change::Write(bytes) => {
            let new = String::from_utf8_lossy(bytes);
            let from = if step.before.is_some() { file.as_str() } else { "/dev/null" };
            let diff = similar::TextDiff::from_lines(old.as_str(), &new);
            let mut text = diff.unified_diff().context_radius(3).header(from, &file).to_string();
            text.retain(|c| c == '\n' || c == '\t' || !briefing_core::shown::is_deceptive(c));
            // The lines around ours may hold the keys of other servers.
            redacted(text)
        }
    }
}

/// Returns the names of the agents that have something to install.
fn installable() -> Vec<&'static str> {
    AGENTS.iter().filter(|agent| is_installable(agent)).map(|agent| agent.name).collect()
}

/// Returns the agent with this name.
fn named(name: &str, parts: &[Part]) -> Result<&'static Agent, Failure> {
    match briefing_agents::find(name) {
        Some(agent) if !is_installable(agent) => Err(Failure::usage(format!("there is nothing to install for `{name}`"))
            .hint("call `brief hook generic EVENT` from your program; `docs/agents.md` shows the JSON")),
        Some(agent) if !parts.iter().any(|part| part.is_of(agent)) => {
            Err(Failure::usage(format!("{} has no hooks", agent.title)).hint(format!("`brief install {name}` registers the MCP server")))
        }
        Some(agent) => Ok(agent),
        None => Err(unknown_agent(name, &installable())),
    }
}

/// Returns the agents that were named, or those that are here. To be taken out, having our entries is enough.
fn chosen(arguments: &Arguments, order: &Order<'_>) -> Result<Vec<&'static Agent>, Failure> {
    let word = order.direction.word();
    if !arguments.all {
        if arguments.agents.is_empty() {
            return Err(Failure::usage("no agent was named")
                .hint(format!("`brief {word} claude` names one; others are {}", installable()[1..].join(", ")))
                .hint(format!("`brief {word} --all` selects every agent on this machine")));
        }
        return arguments.agents.iter().map(|name| named(name, order.parts)).collect();
    }
    let is_wanted =
        |agent: &&Agent| is_here(agent, order.scope.places) || (order.direction == Direction::Out && order.scope.names_us(agent));
    let found: Vec<_> = AGENTS.iter().filter(is_wanted).filter(|agent| order.parts.iter().any(|part| part.is_of(agent))).collect();
    if found.is_empty() {
        return Err(match order.direction {
            Direction::In => Failure::new("no supported agent was found on this machine").hint("name one: `brief install claude`"),
            Direction::Out => Failure::new("no supported agent and no installed hook was found").hint("name one: `brief uninstall claude`"),
        });
    }
    Ok(found)
}
