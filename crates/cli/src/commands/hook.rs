//! `brief hook AGENT EVENT [LANE]`: called by agents, so it always ends with 0 and says nothing on stderr.
//!
//! `main` comes here before anything else exists: no argument parser, no logger. The words are read by hand.

use std::fmt::Display;
use std::io;
use std::panic;
use std::path::Path;
use std::process::exit;
use std::time::Instant;

use briefing_agents::hook::{Call, Host, Lane, run};
use briefing_agents::wire::Stdin;
use briefing_core::settings::{Layer, Places, Settings};
use clap::Args;
use jiff::Timestamp;

use crate::selector::{ask_model, prepare};
use crate::{environment, notifying, talk};

/// For `--help`, the manual and completions; the words themselves are read by [`answer`].
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The agent: claude, codex, gemini, qwen, copilot, opencode, cursor, generic
    agent: String,
    /// The agent's own name of the event
    event: String,
    /// Which of several handlers of the event this is
    lane: Option<String>,
}

/// Answers an agent and ends the process: with 0, whatever happened.
pub(crate) fn answer(started: Instant, words: &[String]) -> ! {
    survive();
    match words {
        [agent, event, rest @ ..] if rest.len() <= 1 => match briefing_agents::find(agent) {
            Some(agent) => {
                let host = host();
                let call =
                    Call { agent, event, lane: Lane::read(rest.first().map(String::as_str)), started, host: &host, is_gate_alone: false };
                run(&call, &mut Stdin::default(), &mut io::stdout().lock());
            }
            None => log(&format_args!("unknown agent `{agent}`")),
        },
        _ => log(&"usage: brief hook AGENT EVENT [LANE]"),
    }
    // Without closing the database: what it would do then, the next one can do.
    exit(0)
}

/// Answers the command of spec 2, which counts as Claude's event before a tool, and ends the process with 0.
pub(crate) fn answer_gate(started: Instant) -> ! {
    survive();
    if let Some(agent) = briefing_agents::find("claude") {
        let host = host();
        let call = Call { agent, event: "PreToolUse", lane: Lane::read(None), started, host: &host, is_gate_alone: true };
        run(&call, &mut Stdin::default(), &mut io::stdout().lock());
    }
    exit(0)
}

/// A broken invariant of ours is no reason to disturb the agent.
fn survive() {
    panic::set_hook(Box::new(|information| {
        log(&information);
        exit(0)
    }));
}

/// Tells the person's webhook how much went in. The agent has its answer already.
fn injected(places: &Places, settings: &Settings, session: &str) {
    if !notifying::is_set_up(places) {
        return;
    }
    if let Some(gate) = briefing_core::sources::gate::load(places, settings) {
        let project = gate.directory.parent().unwrap_or(&gate.directory);
        notifying::detached(&notifying::relay(gate.summary(), session, project));
    }
}

/// Returns what the agents' crate does not ask for itself.
pub(crate) fn host() -> Host {
    Host { places_at: environment::places_at, settings, variable: |name| std::env::var(name).ok(), now, ask_model, prepare, log, injected }
}

/// A problem in a settings file is noted, never fatal: the rest of the settings hold.
fn settings(places: &Places) -> (Settings, Vec<String>) {
    let (settings, problems) = environment::resolve(places, Layer::default());
    (settings, problems.iter().map(ToString::to_string).collect())
}

fn now() -> Timestamp {
    environment::now().unwrap_or_else(|_| Timestamp::now())
}

/// Says something on stderr where [`environment::BRIEF_LOG`] asks for it.
fn log(text: &dyn Display) {
    if std::env::var_os(environment::BRIEF_LOG).is_some_and(|value| !value.is_empty()) {
        talk::plain(&format!("brief hook: {text}"));
    }
}

/// Reached only through clap (`brief --some-flag hook …`), which no agent does.
pub(crate) fn run_parsed(arguments: &Arguments) -> ! {
    let words: Vec<String> =
        [Some(&arguments.agent), Some(&arguments.event), arguments.lane.as_ref()].into_iter().flatten().cloned().collect();
    answer(Instant::now(), &words)
}

/// Returns our state directory of the user, whether it exists or not.
pub(crate) fn state_directory(places: &Places) -> Option<std::path::PathBuf> {
    places.state.as_deref().map(|state: &Path| state.join("brief"))
}
