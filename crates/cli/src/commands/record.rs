//! `brief decision add` and `brief learning add`.

use briefing_core::Failure;
use briefing_core::shown::path_text;
use briefing_core::sources::gate::{self, Record, RecordKind};
use clap::{Args, Subcommand};

use crate::{context_place, input, output, prompt};

#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Decision {
    #[command(subcommand)]
    what: DecisionWhat,
}

#[derive(Debug, Subcommand)]
enum DecisionWhat {
    /// Add a decision in the form and place of the others; `-` as a text reads it from stdin
    Add {
        /// What was decided, in one line
        title: String,
        /// What prompted the decision; asked for if it is missing
        #[arg(long, value_name = "TEXT")]
        context: Option<String>,
        /// The decision in full, where the title is not enough
        #[arg(long, value_name = "TEXT")]
        decision: Option<String>,
        /// Why this option was chosen; asked for if it is missing
        #[arg(long, value_name = "TEXT")]
        rationale: Option<String>,
        /// The consequences, good and bad
        #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
        consequence: String,
        /// The status: Accepted, Proposed, Deprecated, …
        #[arg(long, value_name = "WORD", default_value = "Accepted")]
        status: String,
        /// Save the text even if it contains something that looks like a secret
        #[arg(long)]
        allow_secrets: bool,
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
    /// Add a learning in the form and place of the others; `-` as a text reads it from stdin
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
        /// Save the text even if it contains something that looks like a secret
        #[arg(long)]
        allow_secrets: bool,
    },
}

pub(crate) fn decision(arguments: &Decision) -> Result<(), Failure> {
    let DecisionWhat::Add { title, context, decision, rationale, consequence, status, allow_secrets } = &arguments.what;
    // Without a directory to write to, nobody should have to answer questions first.
    context_place::here()?;
    let decision = decision.as_ref().unwrap_or(title);
    let (context, rationale) = reasons(context.as_deref(), rationale.as_deref())?;
    let (context, rationale) = (&context, &rationale);
    let fields = [("Status", status), ("Context", context), ("Decision", decision), ("Rationale", rationale), ("Consequence", consequence)];
    add(RecordKind::Decision, title, &fields, *allow_secrets)
}

pub(crate) fn learning(arguments: &Learning) -> Result<(), Failure> {
    let LearningWhat::Add { title, context, lesson, application, allow_secrets } = &arguments.what;
    let fields = [("Context", context), ("Lesson", lesson), ("Application", application)];
    add(RecordKind::Learning, title, &fields, *allow_secrets)
}

/// Returns the context and the rationale of a decision. What is missing is asked for: a decision without them is of no use
/// to those who come later.
fn reasons(context: Option<&str>, rationale: Option<&str>) -> Result<(String, String), Failure> {
    let given = |text: Option<&str>| text.filter(|text| !text.trim().is_empty()).map(str::to_owned);
    let fields = [("--context", "What prompted the decision?", given(context)), ("--rationale", "Why this option?", given(rationale))];
    let missing: Vec<_> = fields.iter().filter(|(_, _, text)| text.is_none()).map(|(flag, ..)| *flag).collect();
    if !missing.is_empty() && !prompt::can_ask() {
        let flags = missing.join(" and ");
        return Err(
            Failure::usage(format!("a decision needs {flags}")).hint(format!("say it with {flags}; `-` reads one of them from stdin"))
        );
    }
    let [context, rationale] = fields.map(|(flag, question, text)| {
        let answer = text.or_else(|| given(prompt::line(question).as_deref()));
        answer.ok_or_else(|| Failure::usage(format!("a decision needs {flag}")))
    });
    Ok((context?, rationale?))
}

fn add(kind: RecordKind, title: &str, fields: &[(&str, &String)], allows_secrets: bool) -> Result<(), Failure> {
    if fields.iter().filter(|(_, text)| *text == "-").count() > 1 {
        return Err(Failure::usage("only one text can come from stdin"));
    }
    let texts = fields.iter().map(|(name, text)| Ok((*name, input::text(text)?))).collect::<Result<Vec<_>, Failure>>()?;
    let fields: Vec<_> = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let (places, context) = context_place::here()?;
    let stamp = context_place::stamp()?;
    let record = Record { kind, title, fields: &fields, stamp: &stamp, allows_secrets };
    let path = gate::add_record(&context, &record, places.state.as_deref())?;
    output::print(&format!("Added to {}.\n", path_text(&path)))
}
