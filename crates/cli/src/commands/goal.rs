//! `brief goal add|check`: creates and checks goals.

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
    /// Create a goal from a commented template, from a bundled goal, or with a model
    Add(add::Arguments),
    /// Check one goal, or all of them, without running anything
    Check(check::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Add(arguments) => add::run(arguments),
        Command::Check(arguments) => check::run(arguments),
    }
}
