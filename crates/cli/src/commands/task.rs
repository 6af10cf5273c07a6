//! `brief task add|done|archive`.

use briefing_core::Failure;
use briefing_core::shown::path_text;
use briefing_core::sources::gate::{self, NewTask};
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
    /// Add a task above the open ones
    Add {
        /// The task, in one line
        text: String,
        /// Add a priority label
        #[arg(long, value_parser = ["high", "medium", "low"])]
        priority: Option<String>,
        /// Add it under the heading that contains these words
        #[arg(long, value_name = "WORDS")]
        section: Option<String>,
    },
    /// Mark an open task as done
    Done {
        /// Words that occur only in this task, or its number among the open tasks
        task: String,
    },
    /// Move done tasks to a dated file in `archive/`, under their headings
    Archive,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (places, context) = context_place::here()?;
    let stamp = context_place::stamp()?;
    let state = places.state.as_deref();
    match &arguments.what {
        What::Add { text, priority, section } => {
            let task = NewTask { text, priority: priority.as_deref(), section: section.as_deref(), stamp: &stamp };
            let path = gate::add_task(&context, &task, state)?;
            output::print(&format!("Added to {}.\n", path_text(&path)))
        }
        What::Done { task } => {
            let words = gate::finish_task(&context, task, &stamp, state)?;
            output::print(&format!("Done: {words}\n"))
        }
        What::Archive => {
            let archived = gate::archive_tasks(&context, &stamp, state)?;
            let text = match archived.tasks {
                0 => "No done tasks to archive.\n".to_owned(),
                1 => format!("Moved 1 task to {}.\n", path_text(&archived.path)),
                tasks => format!("Moved {tasks} tasks to {}.\n", path_text(&archived.path)),
            };
            output::print(&text)
        }
    }
}
