//! `brief convention add`.

use briefing_core::Failure;
use briefing_core::shown::path_text;
use briefing_core::sources::gate::{self, NewConvention};
use clap::{Args, Subcommand};

use crate::{context_place, output};

#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Add a convention after the others of its section
    Add {
        /// The convention, in one line
        text: String,
        /// Add it under the heading that contains these words, or under a new one
        #[arg(long, value_name = "WORDS")]
        section: Option<String>,
    },
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let What::Add { text, section } = &arguments.what;
    let (places, context) = context_place::here()?;
    let convention = NewConvention { text, section: section.as_deref() };
    let (path, is_new_section) = gate::add_convention(&context, &convention, places.state.as_deref())?;
    let section = section.as_deref().filter(|_| is_new_section).map(|section| format!(" under the new section `{section}`"));
    output::print(&format!("Added to {}{}.\n", path_text(&path), section.unwrap_or_default()))
}
