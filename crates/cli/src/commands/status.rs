//! `brief status`: one line about the current window, for a status bar.
//!
//! Status bars run it every few seconds, so `main` answers it without the argument parser.

use std::io::{IsTerminal as _, stdin};
use std::path::Path;
use std::time::{Duration, Instant};

use briefing_agents::USUAL;
use briefing_agents::wire::{Stdin, read_object};
use briefing_core::Failure;
use briefing_core::project::marked_or_self;
use briefing_core::shown::{one_line, path_text};
use briefing_store::{Filter, Reader, SessionKey, StoreError, WindowRow};
use clap::Args;
use serde_json::{Value, json};

use super::log;
use crate::{environment, output};

/// How long to wait for the agent's JSON.
const PATIENCE: Duration = Duration::from_millis(200);
/// How many files are named.
const NAMED: usize = 2;

/// How to use it, for the help.
pub(crate) const SNIPPET: &str = "\
For Claude Code, add this to ~/.claude/settings.json:

  \"statusLine\": { \"type\": \"command\", \"command\": \"brief status\" }

The session is the one in the JSON on standard input, as Claude Code writes it; without that, it is the last one in the
project around the current directory.";

#[derive(Debug, Default, Args)]
pub(crate) struct Arguments {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Reads the arguments if they are plain ones; the argument parser reads all others.
pub(crate) fn read(words: impl Iterator<Item = std::ffi::OsString>) -> Option<Arguments> {
    let mut arguments = Arguments::default();
    for word in words {
        if word != "--json" {
            return None;
        }
        arguments.json = true;
    }
    Some(arguments)
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let asked = asked();
    let here = asked.directory.as_deref().map(Path::new).filter(|path| path.is_dir());
    let places = here.map_or_else(environment::places, |here| Ok(environment::places_at(here.to_path_buf())))?;
    let place = log::place(&places)?;
    let mut window = None;
    if let Some(mut ledger) = log::open(&place)? {
        window = find(&mut *ledger, &asked, &places.here).map_err(|error| log::unreadable(&place, &error))?;
    }
    output::print(&if arguments.json { format!("{}\n", json!({ "window": window })) } else { format!("{}\n", line(window.as_ref())) })
}

/// What an agent says about itself on standard input.
#[derive(Debug, Default)]
struct Asked {
    session: Option<String>,
    directory: Option<String>,
}

fn asked() -> Asked {
    if stdin().is_terminal() {
        return Asked::default();
    }
    let bytes = read_object(&mut Stdin::default(), Instant::now() + PATIENCE).unwrap_or_default();
    let value: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
    Asked { session: text("/session_id"), directory: text("/workspace/current_dir").or_else(|| text("/cwd")) }
}

/// Finds the window that is asked about: that of a session, or the last one in the project.
fn find(ledger: &mut dyn Reader, asked: &Asked, here: &Path) -> Result<Option<WindowRow>, StoreError> {
    if let Some(session) = &asked.session {
        return ledger.window(&SessionKey::new(USUAL.name, session, None));
    }
    let project = path_text(marked_or_self(here));
    let last = ledger.sessions(&Filter { project: Some(&project), newest: Some(1), ..Filter::default() })?.pop();
    last.map_or(Ok(None), |last| ledger.window(&last.key))
}

fn line(window: Option<&WindowRow>) -> String {
    let Some(window) = window.filter(|window| window.files > 0 || window.queued > 0) else { return "brief: nothing delivered yet".into() };
    let files = if window.files == 1 { "1 file".to_owned() } else { format!("{} files", window.files) };
    let mut parts = vec![format!("brief: {files}, {} tokens", short(window.tokens))];
    let names: Vec<String> = window.latest.iter().take(NAMED).map(|path| name(path)).collect();
    if !names.is_empty() {
        let more = window.latest.len() - names.len();
        let more = if more > 0 { format!(" +{more}") } else { String::new() };
        parts.push(format!("last {}{more}", names.join(", ")));
    }
    if window.queued > 0 {
        parts.push(format!("{} queued", window.queued));
    }
    if window.lost > 0 {
        parts.push(format!("{} lost", window.lost));
    }
    parts.join(" · ")
}

/// Returns a number in a few characters: `940`, `3.2k`, `18k`.
fn short(number: u64) -> String {
    match number {
        ..1000 => number.to_string(),
        1000..10_000 => format!("{:.1}k", number as f64 / 1000.0),
        _ => format!("{}k", number / 1000),
    }
}

/// Returns the name of a file without its directories.
fn name(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    one_line(name).into_owned()
}
