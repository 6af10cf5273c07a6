//! `brief hook AGENT EVENT [LANE]`: called by agents, so it always exits with 0 and prints nothing to stderr.
//!
//! `main` calls it before anything else, without the argument parser, because every millisecond counts.

use std::io;
use std::panic;
use std::process::exit;
use std::time::Instant;

use briefing_agents::hook::{Call, run};
use briefing_agents::wire::Stdin;
use briefing_agents::{Agent, GATE_EVENT, Host, Lane, USUAL};
use briefing_core::Source;
use clap::Args;

use crate::host::Process;
use crate::webhook;

/// The arguments for `--help`, the manual and completions. [`answer`] parses the real ones.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The agent: claude, codex, gemini, qwen, copilot, opencode, cursor, generic
    agent: String,
    /// The event, as the agent names it
    event: String,
    /// The number of this handler, where an event has several
    lane: Option<String>,
}

/// Answers an agent and exits with 0, whatever happened.
pub(crate) fn answer(started: Instant, words: &[String]) -> ! {
    survive();
    match words {
        [agent, event, rest @ ..] if rest.len() <= 1 => match briefing_agents::find(agent) {
            Some(agent) => answer_event(agent, event, Lane::read(rest.first().map(String::as_str)), None, started),
            None => Process.log(&format_args!("unknown agent `{agent}`")),
        },
        _ => Process.log(&"usage: brief hook AGENT EVENT [LANE]"),
    }
    // The database is not closed: the next process can do the cleanup that closing would do.
    exit(0)
}

/// Answers the gate command of spec 2 as the default agent's event before a tool, and exits with 0.
pub(crate) fn answer_gate(started: Instant) -> ! {
    survive();
    answer_event(USUAL, GATE_EVENT, Lane::read(None), Some(Source::Gate), started);
    exit(0)
}

/// Answers the event, and then notifies the user's webhook, when the agent already has its answer.
fn answer_event(agent: &'static Agent, event: &str, lane: Lane, only: Option<Source>, started: Instant) {
    let call = Call { agent, event, lane, only, started };
    if let Some(receipt) = run(&call, &Process, &mut Stdin::default(), &mut io::stdout().lock()) {
        webhook::tell(&receipt);
    }
}

/// Makes a panic exit with 0: a bug of ours must not disturb the agent.
fn survive() {
    panic::set_hook(Box::new(|information| {
        Process.log(&information);
        exit(0)
    }));
}

/// Answers a call that was parsed by clap (`brief --some-flag hook …`); agents never call it this way.
pub(crate) fn run_parsed(arguments: &Arguments) -> ! {
    let words: Vec<String> =
        [Some(&arguments.agent), Some(&arguments.event), arguments.lane.as_ref()].into_iter().flatten().cloned().collect();
    answer(Instant::now(), &words)
}
