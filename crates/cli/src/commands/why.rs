//! `brief why`: explains why an agent receives a file, or does not.

use briefing_agents::USUAL;
use briefing_agents::why::{Question, WhyError, why};
use briefing_core::Failure;
use briefing_core::settings::Layer;
use briefing_core::shown::one_line;
use clap::Args;

use super::{log, preview};
use crate::host::Asking;
use crate::wrap::Wrap;
use crate::{environment, output, when};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  brief why docs/deploy.md
  brief why docs/deploy.md --message \"how do I roll back?\"")]
pub(crate) struct Arguments {
    /// A file, a document as its index names it, or a section such as `docs/api.md#retries`
    #[arg(value_name = "PATH|ID")]
    what: String,
    /// Decide for this message instead of those of a session
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
    /// Look at one session: its id, the start of its name in `brief log`, or `last` [default: the last one in this project]
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The agent whose own files are known, where no session says it
    #[arg(long, value_name = "AGENT", default_value = USUAL.name)]
    agent: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let agent = preview::agent(&arguments.agent)?;
    let places = environment::places()?;
    let settings = environment::settings(&places, Layer::default())?;
    let place = log::place(&places)?;
    let mut ledger = log::open(&place)?;
    let question = Question { what: &arguments.what, message: arguments.message.as_deref(), session: arguments.session.as_deref(), agent };
    let asking = Asking::of(agent, &places, &settings)?;
    let answer = why(&question, &asking.ask(), log::as_reader(&mut ledger)).map_err(|error| match error {
        WhyError::UnknownSession(id) => {
            Failure::new(format!("unknown session `{}`", one_line(&id))).hint("`brief log` lists all sessions of the last 30 days")
        }
        WhyError::Store(error) => log::unreadable(&place, &error),
    })?;
    if arguments.json {
        output::print(&format!("{:#}\n", serde_json::json!(answer)))?;
    } else if answer.missing().is_none() {
        output::print(&Wrap::of_terminal().paragraphs(&answer.text(&when::shown)))?;
    }
    answer.missing().map_or(Ok(()), Err)
}
