//! `brief goal add|check`: make a goal, and look goals over.

mod add;
mod check;

use briefing_core::Failure;
use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make a goal: a commented one, one that comes with brief, or one that your model drafts
    Add(add::Arguments),
    /// Look a goal over, or all of them, without running anything
    Check(check::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Add(arguments) => add::run(arguments),
        Command::Check(arguments) => check::run(arguments),
    }
}
