//! `brief system context-load-gate`: the gate alone, its whole message in one output, through the same ledger.
//!
//! Spec 2 fixes this command: it knows no caps and no parts. What other sources have queued goes on waiting for an event
//! of `brief hook`.

use briefing_core::Order;
use briefing_store::Standing;

use crate::agent::Agent;
use crate::fit::{Brought, Fitted, Room, fit};
use crate::source::{Source, Sources};

/// The only source of this command.
pub(crate) const SOURCES: Sources = Source::Gate.bit();

/// Room for everything: files are bounded where they are read.
pub(crate) fn room(agent: &Agent) -> Room {
    Room { cap: u64::MAX / 4, unit: agent.unit, lanes: 1 }
}

/// Puts what is due, and what a dead process left of it, into the first output, and everything else behind it.
pub(crate) fn arrange(standing: &Standing, brought: &[Brought], room: Room) -> Fitted {
    let is_gates = |rank: u8| rank == Order::Constitution as u8 || rank == Order::Gate as u8;
    let (own, others): (Vec<_>, Vec<_>) = standing.queued.iter().cloned().partition(|waiting| is_gates(waiting.rank));
    let mut fitted = fit(&Standing { due: standing.due.clone(), queued: own }, brought, room);
    fitted.arrangement.place.extend(others.iter().map(|waiting| (waiting.id, 1)));
    fitted
}
