//! A message for an agent without hooks: what its hook would have got is pasted before it.
//!
//! The same hook runs as for any other agent, with the same ledger; only its output is the pane. What could not be
//! pasted was not delivered, and the ledger knows: the paste happens where the hook prints.

use std::io::{self, Write};
use std::time::Instant;

use briefing_agents::agent::{Agent, When};
use briefing_agents::hook::{Call, Host, Lane, Outcome, run};
use briefing_agents::wire::Input;
use briefing_core::Failure;
use briefing_core::settings::{Layer, Places, Settings};
use serde_json::{Map, json};

use super::super::hook;
use crate::environment;

/// Pasting waits for the pane, so this hook may take longer than others.
const PATIENCE_MS: u64 = 30_000;

/// Who says what to whom.
pub(super) struct Said<'a> {
    pub(super) agent: &'static Agent,
    pub(super) session: &'a str,
    pub(super) message: &'a str,
}

/// Pastes a message with what is due before it. Nothing due: the message alone.
pub(super) fn send(said: &Said<'_>, mut paste: impl FnMut(&str) -> Result<(), Failure>) -> Result<(), Failure> {
    let places = environment::places()?;
    let Some(event) = said.agent.events.iter().find(|event| event.when == When::Message) else {
        return Err(Failure::usage(format!("{} has no message event", said.agent.title)));
    };
    let fields = &said.agent.fields;
    let turn = format!("{:?}", std::time::SystemTime::now());
    let mut payload = Map::new();
    for (name, value) in [
        (fields.session, json!(said.session)),
        (fields.cwd, json!(places.here)),
        (fields.message, json!(said.message)),
        (fields.turn, json!(turn)),
    ] {
        if !name.is_empty() {
            payload.insert(name.to_owned(), value);
        }
    }
    let bytes = serde_json::Value::Object(payload).to_string().into_bytes();
    let mut failure = None;
    let mut pane = Pane { said, paste: &mut paste, printed: Vec::new(), failure: &mut failure };
    // Nobody else's hook runs inside this one, whatever agent this terminal belongs to.
    let host = Host { settings, variable: |_| None, ..hook::host() };
    let call = Call {
        agent: said.agent,
        event: event.name,
        lane: Lane { number: 1, is_whole: true },
        started: Instant::now(),
        host: &host,
        is_gate_alone: false,
    };
    let outcome = run(&call, &mut Bytes(&bytes), &mut pane);
    match (failure, outcome) {
        (Some(failure), _) => Err(failure),
        (None, Outcome::Delivered { .. } | Outcome::Stateless { .. }) => Ok(()),
        (None, Outcome::BadInput(problem) | Outcome::NotPrinted(problem)) => {
            Err(Failure::new("cannot tell what is due").because_of(problem))
        }
        (None, _) => paste(said.message),
    }
}

fn settings(places: &Places) -> (Settings, Vec<String>) {
    let mut patient = Layer::default();
    patient.flag("hook.deadline_ms", "brief tmux", PATIENCE_MS);
    let (settings, problems) = environment::resolve(places, patient);
    (settings, problems.iter().map(ToString::to_string).collect())
}

/// The payload as the hook reads it.
struct Bytes<'a>(&'a [u8]);

impl Input for Bytes<'_> {
    fn read_before(&mut self, buffer: &mut [u8], _: Instant) -> io::Result<usize> {
        let length = self.0.len().min(buffer.len());
        buffer[..length].copy_from_slice(&self.0[..length]);
        self.0 = &self.0[length..];
        Ok(length)
    }
}

/// Where the hook prints: what was printed is pasted when it is flushed, so a paste that fails is a print that failed.
struct Pane<'a, 'b> {
    said: &'a Said<'a>,
    paste: &'b mut dyn FnMut(&str) -> Result<(), Failure>,
    printed: Vec<u8>,
    failure: &'b mut Option<Failure>,
}

impl Write for Pane<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.printed.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let object: serde_json::Value = serde_json::from_slice(&std::mem::take(&mut self.printed)).map_err(io::Error::other)?;
        let places = ["/hookSpecificOutput/additionalContext", "/additionalContext", "/additional_context", "/context"];
        let context = places.iter().find_map(|place| object.pointer(place)?.as_str()).unwrap_or_default();
        (self.paste)(&format!("{context}\n{}", self.said.message)).map_err(|failure| {
            let error = io::Error::other(failure.to_string());
            *self.failure = Some(failure);
            error
        })
    }
}
