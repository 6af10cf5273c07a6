//! What would my agent be told, here and now? The same doors, fit and rendering as the hook, without any state.

use briefing_core::Note;

use crate::agent::{Agent, Event};
use crate::door::{self, Ask, Door, Doors};
use crate::fit::Room;
use crate::hook::ask_doors;
use crate::moment;
use crate::request::Source;
use crate::stateless;

/// The tokens that one door brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    pub door: Door,
    pub pieces: usize,
    pub tokens: u64,
}

/// What an event of a fresh session would carry.
#[derive(Debug, Clone)]
pub struct Preview {
    /// The very texts, one per handler that prints.
    pub outputs: Vec<String>,
    /// How many of them leave with this event; the others wait for the next ones.
    pub leaving: usize,
    pub shares: Vec<Share>,
    pub notes: Vec<Note>,
    /// The doors that were opened, for the event after this one.
    pub done: Doors,
}

/// Computes it for a session in which the doors of `done` were opened before. Touches nothing.
pub fn preview(agent: &Agent, event: &Event, ask: &Ask<'_>, room: Room, done: Doors) -> Preview {
    let has_words = ask.message.is_some();
    let names_index = ["docs.index", "docs.global_index"].iter().any(|key| !ask.settings.text(key).is_empty());
    let mut doors = moment::doors(agent, event, Source::Startup, done, 0) & door::present(ask.places, names_index);
    if !has_words {
        doors &= !Door::Docs.bit();
    }
    if !event.carries {
        doors = 0;
    }
    let (brought, mut notes) = ask_doors(ask, doors);
    let shares = Door::of(doors)
        .map(|door| {
            let own = brought.iter().filter(|item| item.door == door);
            Share { door, pieces: own.clone().count(), tokens: own.map(|item| item.piece.tokens).sum() }
        })
        .collect();
    let (outputs, fitted) = stateless::outputs(&brought, room);
    notes.extend(fitted.notes);
    let leaving = outputs.len().min(room.lanes as usize);
    Preview { outputs, leaving, shares, notes, done: doors }
}
