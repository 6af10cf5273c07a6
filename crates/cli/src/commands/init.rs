//! `brief init domain|context [PATH]`.

use std::path::{Path, PathBuf};

use briefing_core::Failure;
use briefing_core::settings::Layer;
use briefing_core::shown::path_text;
use briefing_core::sources::{domains, gate};
use clap::{Args, Subcommand};

use crate::{environment, output};

#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
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
        What::Domain { path } => domain(path.as_deref()),
        What::Context { path } => context(path.as_deref()),
    }
}

fn domain(path: Option<&Path>) -> Result<(), Failure> {
    let made = domains::init_domain(&environment::absolute(path)?, environment::now()?)?;
    let shown = path_text(&made.path);
    if made.is_new {
        output::print(&format!("Wrote {shown}. Read it, and replace the first rule with your own.\n"))
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
