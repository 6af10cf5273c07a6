//! `brief system …`: commands for other programs, hidden from `--help`.

use std::time::Instant;

use briefing_core::Failure;
use clap::{Args, Subcommand};

use crate::commands::hook;
use crate::webhook;

/// The gate command of spec 2.
pub(crate) const GATE: &str = "context-load-gate";

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Print the core files at a session's first tool use (JSON on stdin)
    #[command(name = GATE)]
    ContextLoadGate,
    /// Send the notification on stdin
    #[command(name = webhook::SEND)]
    NotifySend,
}

#[expect(clippy::unnecessary_wraps, reason = "every command returns the same")]
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match arguments.what {
        // `main` answers the usual form of this call; only a flag before the command leads here.
        What::ContextLoadGate => hook::answer_gate(Instant::now()),
        What::NotifySend => webhook::send_from_stdin(),
    }
    Ok(())
}
