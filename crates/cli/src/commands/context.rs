//! `brief context [PATH] [--topic T] [--json | --format text|json]`.

use std::fmt::Write as _;
use std::path::PathBuf;

use briefing_core::Failure;
use briefing_core::settings::Layer;
use briefing_core::sources::domains::{self, Context, ContextRequest, Reader, Reading};
use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::{environment, output, talk};

/// How many UTF-16 code units of a hook's output Claude Code passes to the model.
const CLAUDE_UNITS: usize = 10_000;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A directory or a file; it need not exist [default: the current directory]
    path: Option<PathBuf>,
    /// Show all entries of this topic, however large the knowledge is
    #[arg(long, short, value_name = "TOPIC", value_parser = NonEmptyStringValueParser::new())]
    topic: Option<String>,
    /// Print the JSON object that a `SessionStart` hook prints
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Set the output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text for people and models
    Text,
    /// The complete result: chain, knowledge, state, siblings, children, files
    Json,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let path = environment::absolute(arguments.path.as_deref())?;
    let places = environment::places()?;
    let settings = environment::resolve(&places, Layer::default()).0;
    let reading = Reading::of(&settings, &places);
    let topic = arguments.topic.as_deref();
    let context = domains::context(&ContextRequest { path: &path, topic, now: environment::now()?, reading });
    if arguments.json {
        // Claude Code does not show the stderr of a hook; the system message says what was loaded.
        return output::print(&format!("{:#}\n", hook(&context)));
    }
    talk::notes(&context.notes);
    match arguments.format {
        Format::Text => output::print(&domains::text(&context, Reader::Person)),
        Format::Json => output::print(&format!("{:#}\n", serde_json::json!(context))),
    }
}

/// Returns the object that a `SessionStart` hook prints.
fn hook(context: &Context) -> Value {
    let additional = if context.deepest.is_some() { domains::text(context, Reader::Window) } else { String::new() };
    let mut message = domains::loaded_text(context);
    let units = additional.encode_utf16().count();
    if units > CLAUDE_UNITS {
        let _ = write!(
            message,
            "\nThis context has {units} characters, but Claude Code passes on only {CLAUDE_UNITS} per hook. `brief install claude` delivers all of it, in parts."
        );
    }
    json!({
        "systemMessage": message,
        "hookSpecificOutput": { "hookEventName": "SessionStart", "additionalContext": additional },
    })
}
