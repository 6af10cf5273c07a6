//! `brief system …`: commands for other programs, hidden from `--help`.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use briefing_agents::install::plugins;
use briefing_core::Failure;
use briefing_core::shown::path_text;
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
    /// Write our plugins for the agents that have plugins
    Plugins {
        /// A directory that does not exist or is empty
        #[arg(value_name = "DIR")]
        directory: PathBuf,
    },
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.what {
        // `main` answers the usual form of this call; only a flag before the command leads here.
        What::ContextLoadGate => hook::answer_gate(Instant::now()),
        What::NotifySend => webhook::send_from_stdin(),
        What::Plugins { directory } => write_plugins(directory)?,
    }
    Ok(())
}

fn write_plugins(directory: &Path) -> Result<(), Failure> {
    let failed = |path: &Path| {
        let shown = path_text(path);
        move |error: std::io::Error| Failure::new(format!("cannot write `{shown}`")).because(&error)
    };
    fs::create_dir_all(directory).map_err(failed(directory))?;
    if fs::read_dir(directory).map_err(failed(directory))?.next().is_some() {
        // An agent would take what another version has left there for part of a plugin.
        return Err(Failure::new(format!("`{}` is not empty", path_text(directory))).hint("name a new directory"));
    }
    for (path, text) in plugins::files() {
        let file = directory.join(path);
        file.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&file, text)).map_err(failed(&file))?;
    }
    Ok(())
}
