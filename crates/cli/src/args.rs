//! The command line: every command with its one-line help. Each command's own file defines its arguments.

use briefing_core::settings::OneOf;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::help::grouped;
use crate::{commands, guess};

/// Gives AI coding agents the right project context, no more and no less, at the right moment.
#[derive(Debug, Parser)]
#[command(name = "brief", version, propagate_version = true, subcommand_required = false)]
#[command(
    after_help = "Run `brief help COMMAND` for the options of a command.\nExit codes: 0 success, 1 the request failed, 2 wrong usage."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Parses the command line. On `--help` or wrong usage it prints a message and exits.
pub(crate) fn parse() -> Cli {
    let mut command = grouped(Cli::command());
    let first = std::env::args().nth(1);
    let parsed = command.try_get_matches_from_mut(std::env::args_os()).and_then(|matches| Cli::from_arg_matches(&matches));
    parsed.unwrap_or_else(|error| guess::exit(&error, &command, first.as_deref()))
}

#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant, reason = "it is created once per run")]
pub(crate) enum Command {
    /// Set this project up: find what is there, index, install, show
    Init(commands::init::Arguments),
    /// Show what an agent would receive here and now
    Preview(commands::preview::Arguments),
    /// Check the installation and explain what is wrong
    Doctor(commands::doctor::Arguments),
    /// Register the hooks and the MCP server with your agents
    Install(commands::install::Arguments),
    /// Remove the hooks and the MCP server from the settings of your agents
    #[command(
        mut_arg("all", |arg| arg.help("Remove from every agent that has something of ours")),
        mut_arg("project", |arg| arg.help("Remove from the settings of this project instead of yours")),
        mut_arg("dry_run", |arg| arg.help("Show what would be removed without removing it"))
    )]
    Uninstall(commands::install::Arguments),
    /// Answer an agent's event (called by the agent, JSON on stdin)
    Hook(commands::hook::Arguments),
    /// Serve tools, resources and prompts to agents over MCP (stdin and stdout)
    Mcp,
    /// Paste text into a tmux pane, for agents without hooks
    Tmux(commands::tmux::Arguments),
    /// Show the domains from the root down to here, with their knowledge and state
    Context(commands::context::Arguments),
    /// Add an entry to the knowledge of the nearest domain
    Learn(commands::learn::Arguments),
    /// Show, write or close the hand-off to the next session
    State(commands::state::Arguments),
    /// Find knowledge that is too large, stale, repeated or broken, and tidy it up
    Maintain(commands::maintain::Arguments),
    /// Show which core files of `.context/` an agent receives, and in which form
    Gate(commands::gate::Arguments),
    /// Add a decision to `.context/DECISIONS.md`
    Decision(commands::record::Decision),
    /// Add a learning to `.context/LEARNINGS.md`
    Learning(commands::record::Learning),
    /// Add a convention to `.context/CONVENTIONS.md`
    Convention(commands::convention::Arguments),
    /// Add, complete or archive tasks in `.context/TASKS.md`
    Task(commands::task::Arguments),
    /// Build the index of a project's documents
    Index(commands::index::Arguments),
    /// Select the documents that fit a message, best first
    Select(commands::select::Arguments),
    /// List the documents of the indexes, or print documents by name
    Docs(commands::docs::Arguments),
    /// Pack files and directories into one document
    Pack(commands::pack::Arguments),
    /// Read the files that a model asks for, and print them as assignments
    Read(commands::read::Arguments),
    /// Gather the files for a task: a model or the local selector chooses them
    Gather(commands::gather::Arguments),
    /// Run a goal: send its prompt, with the context it needs, to a receiver
    Run(commands::run::Arguments),
    /// List all goals and where each one comes from
    Goals(commands::goals::Arguments),
    /// Create a goal, or check goals for mistakes
    Goal(commands::goal::Arguments),
    /// Review what the goals of this project would run, and approve it
    Trust(commands::trust::Arguments),
    /// Show what each session received, event by event, and why an event brought nothing
    Log(commands::log::Arguments),
    /// Explain why an agent receives a file, or does not
    Why(commands::why::Arguments),
    /// Check in the agent's own transcript what reached the model
    Verify(commands::verify::Arguments),
    /// Show one line about what the current window holds, for a status bar
    #[command(after_help = commands::status::SNIPPET)]
    Status(commands::status::Arguments),
    /// Show what context cost, what the models used of it, and what to change
    Report(commands::report::Arguments),
    /// Open a local page with everything that your agents received
    Inspect(commands::inspect::Arguments),
    /// Print the commented default settings, or every value and where it was set
    Config(commands::config::Arguments),
    /// Set up a webhook that receives how much context was sent, never its text
    Notify(commands::notify::Arguments),
    /// Show our state and cache, then remove them
    Purge(commands::purge::Arguments),
    /// Print the completion script for a shell
    Completions(commands::completions::Arguments),
    /// Print the manual page in roff format
    Man,
    /// Run a command that only other programs call
    #[command(hide = true)]
    System(commands::system::Arguments),
}

/// Returns the parser of a flag that accepts exactly the words of a setting.
pub(crate) fn words<T: OneOf + Send + Sync>() -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(T::WORDS).map(|word| T::from_word(&word).expect("clap accepts only listed words"))
}
