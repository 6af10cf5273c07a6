//! What can be typed. What is decided from it stands in each command's own file.

use briefing_core::settings::OneOf;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};

use crate::commands;

/// Gives AI coding agents the right project context, no more and no less, at the right moment.
#[derive(Debug, Parser)]
#[command(name = "brief", version, propagate_version = true, arg_required_else_help = true)]
#[command(after_help = "Exit codes: 0 done, 1 the request failed, 2 wrong usage.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant, reason = "there is one of it in the life of the program")]
pub(crate) enum Command {
    /// Pack files and directories into one document for a model
    Pack(commands::pack::Arguments),
    /// Read the files a model asks for, behind guards, and print them as assignments
    Read(commands::read::Arguments),
    /// Let a model, or the local selector, choose files for a task, and print them
    Gather(commands::gather::Arguments),
    /// Run a goal: its scripts, its prompt, the files it needs, and the receiver that gets them
    Run(commands::run::Arguments),
    /// List the goals there are, where each comes from and which one runs
    Goals(commands::goals::Arguments),
    /// Make a goal, or look goals over
    Goal(commands::goal::Arguments),
    /// See what the goals of this project would run, and agree to it
    Trust(commands::trust::Arguments),
    /// Show what is known here: the domains from the root down, knowledge, state, what lies around
    Context(commands::context::Arguments),
    /// Add an entry to the knowledge of the nearest domain
    Learn(commands::learn::Arguments),
    /// Show, leave or finish the hand-off to the next session
    State(commands::state::Arguments),
    /// Look after the domains here and below: what is too large, old, repeated or broken
    Maintain(commands::maintain::Arguments),
    /// Show which core files of `.context/` an agent is given, how, and at what price
    Gate(commands::gate::Arguments),
    /// Write a decision into `.context/DECISIONS.md`
    Decision(commands::record::Decision),
    /// Write a learning into `.context/LEARNINGS.md`
    Learning(commands::record::Learning),
    /// Write or finish a task in `.context/TASKS.md`
    Task(commands::task::Arguments),
    /// Tell a webhook how much was injected, never what
    Notify(commands::notify::Arguments),
    /// Set up what is not there yet; nothing is ever overwritten
    Init(commands::init::Arguments),
    /// Show what an agent would be told, here and now
    Preview(commands::preview::Arguments),
    /// Put our entries into the configuration of agents
    Install(commands::install::Arguments),
    /// Take our entries out of the configuration of agents
    Uninstall(commands::install::Arguments),
    /// Look why it does not work: agents, store, settings
    Doctor(commands::doctor::Arguments),
    /// Paste a text into a tmux pane, for agents without hooks
    Tmux(commands::tmux::Arguments),
    /// Show what went into which agent's window, and how the hooks fared
    Log(commands::log::Arguments),
    /// Answer an event of an agent (called by the agent; JSON on stdin)
    Hook(commands::hook::Arguments),
    /// Make the index of a project's documents by following references between them
    Index(commands::index::Arguments),
    /// Print the documents that fit a message, best first, as a JSON array of paths
    Select(commands::select::Arguments),
    /// Show the settings: the commented defaults, or every value with who set it
    Config(commands::config::Arguments),
    /// Print the completion script of a shell
    Completions(commands::completions::Arguments),
    /// Print the manual page (roff)
    Man,
    /// What other programs call
    #[command(hide = true)]
    System(commands::system::Arguments),
}

/// Returns the parser of a flag that takes the words of a setting, and no others.
pub(crate) fn words<T: OneOf + Send + Sync>() -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(T::WORDS).map(|word| T::from_word(&word).expect("only words of the list get here"))
}
