//! `brief init domain [PATH]`.

use std::path::{Path, PathBuf};

use briefing_core::Failure;
use briefing_core::domains;
use briefing_core::shown::path_text;
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
    /// Make a directory a domain: write `.megg/info.md` from what the project shows
    Domain {
        /// The directory [default: the current one]
        path: Option<PathBuf>,
    },
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.what {
        What::Domain { path } => domain(path.as_deref()),
    }
}

fn domain(path: Option<&Path>) -> Result<(), Failure> {
    let made = domains::init_domain(&environment::absolute(path)?, environment::now()?)?;
    let shown = path_text(&made.path);
    if made.is_new {
        output::print_foreign(&format!("Wrote {shown}. Read it, and replace the first rule by your own.\n"))
    } else {
        output::print_foreign(&format!("{shown} is already there and stays as it is.\n"))
    }
}
