//! Pastes a message for an agent without hooks, preceded by the context that a hook would deliver.
//!
//! The engine and the ledger are the same as for hooks; only the target is a pane. If pasting fails, the ledger does not
//! record a delivery.

use std::io;
use std::time::{Duration, SystemTime};

use briefing_agents::window::{self, Outcome, Target};
use briefing_agents::{Agent, Request};
use briefing_core::{Failure, Rendered};

use crate::environment;
use crate::host::Process;

/// Longer than for a hook, since pasting waits for the pane.
const PATIENCE: Duration = Duration::from_secs(30);

/// A message to an agent's session.
pub(super) struct Said<'a> {
    pub(super) agent: &'static Agent,
    pub(super) session: &'a str,
    pub(super) message: &'a str,
}

/// Pastes a message after the context that is due, or alone if nothing is due.
pub(super) fn send(said: &Said<'_>, mut paste: impl FnMut(&str) -> Result<(), Failure>) -> Result<(), Failure> {
    let here = environment::places()?.here;
    let turn = format!("{:?}", SystemTime::now());
    let Some(request) = Request::message(said.agent, said.session, here, said.message, &turn) else {
        return Err(Failure::usage(format!("{} has no message event", said.agent.title)));
    };
    let mut pane = Pane { message: said.message, paste: &mut paste, failure: None };
    let receipt = window::brief(&Request { patience: Some(PATIENCE), ..request }, &Process, &mut pane);
    match (pane.failure, receipt.outcome) {
        (Some(failure), _) => Err(failure),
        (None, Outcome::Delivered | Outcome::DeliveredWithoutLedger) => Ok(()),
        (None, _) => paste(said.message),
    }
}

/// A pane that receives the context and the message in one paste.
struct Pane<'a> {
    message: &'a str,
    paste: &'a mut dyn FnMut(&str) -> Result<(), Failure>,
    failure: Option<Failure>,
}

impl Target for Pane<'_> {
    fn deliver(&mut self, rendered: &Rendered, _: Option<&str>) -> io::Result<()> {
        (self.paste)(&format!("{}\n{}", rendered.text, self.message)).map_err(|failure| {
            let error = io::Error::other(failure.to_string());
            self.failure = Some(failure);
            error
        })
    }
}
