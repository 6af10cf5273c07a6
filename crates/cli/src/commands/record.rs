//! `brief decision add` and `brief learning add`.

use briefing_core::Failure;
use briefing_core::shown::path_text;
use briefing_core::sources::gate::{self, Record, RecordKind};
use clap::{Args, Subcommand};

use crate::{context_place, input, output};

#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Decision {
    #[command(subcommand)]
    what: DecisionWhat,
}

#[derive(Debug, Subcommand)]
enum DecisionWhat {
    /// Add a decision at the top of the file; `-` as a text reads it from stdin
    Add {
        /// What was decided, in one line
        title: String,
        /// What prompted the decision
        #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
        context: String,
        /// The decision in full, where the title is not enough
        #[arg(long, value_name = "TEXT")]
        decision: Option<String>,
        /// Why this option was chosen
        #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
        rationale: String,
        /// The consequences, good and bad
        #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
        consequence: String,
        /// The status: Accepted, Proposed, Deprecated, …
        #[arg(long, value_name = "WORD", default_value = "Accepted")]
        status: String,
    },
}

#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Learning {
    #[command(subcommand)]
    what: LearningWhat,
}

#[derive(Debug, Subcommand)]
enum LearningWhat {
    /// Add a learning at the top of the file; `-` as a text reads it from stdin
    Add {
        /// What was learned, in one line
        title: String,
        /// What happened
        #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
        context: String,
        /// What was learned from it
        #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
        lesson: String,
        /// What to do next time
        #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
        application: String,
    },
}

pub(crate) fn decision(arguments: &Decision) -> Result<(), Failure> {
    let DecisionWhat::Add { title, context, decision, rationale, consequence, status } = &arguments.what;
    let decision = decision.as_ref().unwrap_or(title);
    let fields = [("Status", status), ("Context", context), ("Decision", decision), ("Rationale", rationale), ("Consequence", consequence)];
    add(RecordKind::Decision, title, &fields)
}

pub(crate) fn learning(arguments: &Learning) -> Result<(), Failure> {
    let LearningWhat::Add { title, context, lesson, application } = &arguments.what;
    add(RecordKind::Learning, title, &[("Context", context), ("Lesson", lesson), ("Application", application)])
}

fn add(kind: RecordKind, title: &str, fields: &[(&str, &String)]) -> Result<(), Failure> {
    if fields.iter().filter(|(_, text)| *text == "-").count() > 1 {
        return Err(Failure::usage("only one text can come from stdin"));
    }
    let texts = fields.iter().map(|(name, text)| Ok((*name, input::text(text)?))).collect::<Result<Vec<_>, Failure>>()?;
    let fields: Vec<_> = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let (places, context) = context_place::here()?;
    let stamp = context_place::stamp()?;
    let record = Record { kind, title, fields: &fields, stamp: &stamp };
    let path = gate::add_record(&context, &record, places.state.as_deref())?;
    output::print(&format!("Added [{stamp}] to {}.\n", path_text(&path)))
}
