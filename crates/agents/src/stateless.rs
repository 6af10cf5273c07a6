//! Without a ledger: what can still be said, each event for itself.
//!
//! The store may be read-only, full, damaged or newer than we are. Then a session's start brings the domains and the
//! core files at once, a message its documents, and tool events nothing: without memory they would repeat themselves.
//! All lanes of an event compute the same outputs, and each prints its own. Nothing is queued.

use briefing_store::{Due, Standing};

use crate::agent::When;
use crate::fit::{Brought, Fitted, Room, fit};
use crate::render;
use crate::request::{Request, Start};
use crate::source::{Source, Sources};

/// Returns the sources that open at an event when nothing is remembered.
pub(crate) fn sources(request: &Request) -> Sources {
    match request.event.when {
        When::Session if request.start == Start::Resume => 0,
        When::Session | When::SubAgent => Source::Domains.bit() | Source::Gate.bit(),
        When::Message => Source::Docs.bit(),
        _ => 0,
    }
}

/// Returns the outputs of an event at which everything brought is due, with what was left out.
pub(crate) fn outputs(brought: &[Brought], room: Room) -> (Vec<String>, Fitted) {
    let due = (0..brought.len()).map(|offer| Due { offer, is_update: false }).collect();
    let fitted = fit(&Standing { due, queued: Vec::new() }, brought, room);
    let count = fitted.arrangement.add.iter().map(|segment| segment.slot + 1).max().unwrap_or(0);
    let outputs = (0..count)
        .map(|slot| {
            let segments: Vec<&str> =
                fitted.arrangement.add.iter().filter(|segment| segment.slot == slot).map(|segment| segment.text.as_str()).collect();
            let header = (count > 1).then(|| render::header(slot + 1, count));
            render::output(header.as_deref(), &segments)
        })
        .collect();
    (outputs, fitted)
}
