//! `brief init`: sets a project up. `brief init domain|context [PATH]` creates single parts.

mod outlook;
mod setup;
mod words;

use std::path::{Path, PathBuf};

use briefing_core::Failure;
use briefing_core::settings::Layer;
use briefing_core::shown::path_text;
use briefing_core::sources::{domains, gate};
use clap::{Args, Subcommand, ValueEnum};

use crate::{environment, output};

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "It looks at the project and shows what it would do; nothing happens before you agree.\n\
                  Running it again changes nothing. `brief init --undo` takes back what it made."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    setup: SetupArguments,
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own on the command line")]
struct SetupArguments {
    /// Do not ask for confirmation
    #[arg(short, long)]
    yes: bool,
    /// Show what would be done without doing it
    #[arg(long)]
    dry_run: bool,
    /// Take back what `brief init` made here; files that have changed since stay
    #[arg(long)]
    undo: bool,
    /// Also do this, which is only done if you ask for it
    #[arg(long, value_name = "OFFER", value_enum, conflicts_with = "undo")]
    with: Vec<Extra>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Extra {
    /// Give an agent AGENTS.md although it loads a file of its own instead (Claude Code beside CLAUDE.md)
    AgentsMd,
    /// Show in the agent's status line what it has received (`brief status`)
    StatusLine,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Turn a directory into a domain: write `.megg/info.md` from what is found in the project
    Domain {
        /// The directory [default: the current one]
        path: Option<PathBuf>,
    },
    /// Create `.context/` with templates for rules, conventions, architecture, decisions, learnings and tasks
    Context {
        /// The directory [default: the current one]
        path: Option<PathBuf>,
    },
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.what {
        Some(What::Domain { path }) => domain(path.as_deref()),
        Some(What::Context { path }) => context(path.as_deref()),
        None if arguments.setup.undo => setup::undo(&arguments.setup),
        None => setup::run(&arguments.setup),
    }
}

fn domain(path: Option<&Path>) -> Result<(), Failure> {
    let made = domains::init_domain(&environment::absolute(path)?, environment::now()?)?;
    let shown = path_text(&made.path);
    if made.is_new {
        output::print(&format!("Wrote {shown}. Read it, and add the rules that everyone here must follow.\n"))
    } else {
        output::print(&format!("{shown} already exists and was not changed.\n"))
    }
}

fn context(path: Option<&Path>) -> Result<(), Failure> {
    let mut text = String::new();
    let places = environment::places_at(environment::absolute(path)?);
    let settings = environment::settings(&places, Layer::default())?;
    for file in gate::scaffold(&places, &settings)? {
        let shown = path_text(&file.path);
        let line = if file.is_new { format!("Wrote {shown}\n") } else { format!("{shown} already exists and was not changed\n") };
        text.push_str(&line);
    }
    text.push_str("Agents receive nothing of a template until you fill it in; `brief gate` shows what they receive.\n");
    output::print(&text)
}
