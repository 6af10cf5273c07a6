//! `brief state [BODY | -] [--done] [--path P]`.

use std::path::{Path, PathBuf};

use briefing_core::Failure;
use briefing_core::settings::Layer;
use briefing_core::shown::path_text;
use briefing_core::sources::domains::{self, MAX_STATE_TOKENS, Reading, StateFound};
use clap::Args;
use serde_json::json;

use crate::{environment, input, output, talk};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// What the next session should know; `-` reads it from stdin [default: show the state]
    #[arg(conflicts_with_all = ["done", "json"])]
    body: Option<String>,
    /// Mark the state as done, so that new sessions no longer receive it
    #[arg(long, conflicts_with = "json")]
    done: bool,
    /// A path inside the domain [default: the current directory]
    #[arg(long, short, value_name = "PATH")]
    path: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Save the text even if it contains something that looks like a secret
    #[arg(long)]
    allow_secrets: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let path = environment::absolute(arguments.path.as_deref())?;
    let (now, places) = (environment::now()?, environment::places()?);
    let state_home = places.state.as_deref();
    if let Some(body) = &arguments.body {
        let written = domains::write_state(&path, &input::text(body)?, arguments.allow_secrets, now, state_home)?;
        if written.cut > 0 {
            talk::warning(&format!("the state was cut at {MAX_STATE_TOKENS} tokens; the last {} were left out", written.cut));
        }
        return output::print(&format!("Wrote {} ({} tokens)\n", path_text(&written.path), written.tokens));
    }
    if arguments.done {
        return match domains::finish_state(&path, now, state_home)? {
            Some(path) => output::print(&format!("Done: {}\n", path_text(&path))),
            None => output::print("There is no state to finish.\n"),
        };
    }
    show(&path, arguments.json)
}

fn show(path: &Path, as_json: bool) -> Result<(), Failure> {
    let mut notes = Vec::new();
    let places = environment::places()?;
    let settings = environment::resolve(&places, Layer::default()).0;
    let found = domains::find_state(path, environment::now()?, Reading::of(&settings, &places), &mut notes)?;
    talk::notes(&notes);
    let (state, expired) = match &found {
        StateFound::None => (None, None),
        StateFound::Active(state) => (Some(state), None),
        StateFound::Expired(state, reason) => (Some(state), Some(reason)),
    };
    if as_json {
        let value = json!({ "active": state.is_some() && expired.is_none(), "state": state, "expired": expired });
        return output::print(&format!("{value:#}\n"));
    }
    let Some(state) = state else { return output::print("No state. `brief state TEXT` leaves one for the next session.\n") };
    let status = match expired {
        Some(reason) => format!("expired: {reason}"),
        None => format!("active, updated {}", state.updated),
    };
    output::print(&format!("{} ({status})\n\n{}\n", path_text(&state.path), state.content))
}
