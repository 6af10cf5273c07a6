//! `brief learn TITLE --type T --topics a,b [--path P] [BODY | -]`.

use std::path::PathBuf;

use briefing_core::Failure;
use briefing_core::shown::path_text;
use briefing_core::sources::domains::{self, KINDS, NewEntry};
use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::{environment, input, output, talk};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// What was learned, in one line
    title: String,
    /// Details in Markdown; `-` reads them from stdin
    body: Option<String>,
    /// The kind of entry
    #[arg(long = "type", short = 't', value_name = "TYPE", ignore_case = true, value_parser = PossibleValuesParser::new(KINDS))]
    kind: String,
    /// Topics to find it by, separated by commas
    #[arg(long, short = 'T', value_name = "A,B")]
    topics: String,
    /// A path inside the domain [default: the current directory]
    #[arg(long, short, value_name = "PATH")]
    path: Option<PathBuf>,
    /// Show the change as a diff without making it
    #[arg(long, short = 'n')]
    dry_run: bool,
    /// Save the text even if it contains something that looks like a secret
    #[arg(long)]
    allow_secrets: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let path = environment::absolute(arguments.path.as_deref())?;
    let now = environment::now()?;
    let entry = NewEntry {
        title: arguments.title.clone(),
        kind: arguments.kind.clone(),
        topics: arguments.topics.clone(),
        body: arguments.body.as_deref().map(input::text).transpose()?.unwrap_or_default(),
        allows_secrets: arguments.allow_secrets,
    };
    let learned = if arguments.dry_run {
        domains::plan_learn(&path, &entry, now)?
    } else {
        domains::learn(&path, &entry, now, environment::places()?.state.as_deref())?
    };
    for warning in &learned.warnings {
        talk::warning(warning);
    }
    if arguments.dry_run {
        return output::print(&learned.change.diff());
    }
    output::print(&format!("Added to {} ({} tokens)\n", path_text(&learned.change.path), learned.tokens))
}
