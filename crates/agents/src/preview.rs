//! What would my agent be told, here and now? The same sources, fit and rendering as the hook, without any state.

use briefing_core::Note;

use crate::agent::{Agent, Event, When};
use crate::fit::Room;
use crate::hook::ask_sources;
use crate::moment;
use crate::request::Start;
use crate::source::{self, Ask, Source, Sources};
use crate::stateless;

/// The tokens that one source brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    pub source: Source,
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
    /// The session as the event after this one finds it.
    pub after: Before,
}

/// What happened in a session before an event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Before {
    /// The sources that were opened.
    pub done: Sources,
    /// The sources that a mute event has left to the next one.
    pub owed: Sources,
}

impl Before {
    /// Returns the state in which a single event is looked at: for one that follows the message, what a mute message left.
    pub fn single(agent: &Agent, event: &Event) -> Self {
        let is_mute = !agent.events.iter().any(|event| event.when == When::Message && event.carries);
        let owed = if is_mute && event.when == When::Tool { Source::Docs.bit() } else { 0 };
        Self { done: 0, owed }
    }
}

/// Computes it for a session of which `before` is known. Touches nothing.
pub fn preview(agent: &Agent, event: &Event, ask: &Ask<'_>, room: Room, before: Before) -> Preview {
    let has_words = ask.message.is_some();
    let names_index = [&ask.settings.docs.index, &ask.settings.docs.global_index].iter().any(|index| !index.value.is_empty());
    let present = source::present(ask.places, names_index) & if has_words { Sources::MAX } else { !Source::Docs.bit() };
    let open = moment::sources(agent, event, Start::Startup, before.done, before.owed) & present;
    let sources = if event.carries { open } else { 0 };
    let after = Before { done: before.done | sources, owed: (open | before.owed) & present & Source::Docs.bit() & !sources };
    let (brought, mut notes) = ask_sources(ask, sources);
    let shares = Source::of(sources)
        .map(|source| {
            let own = brought.iter().filter(|item| item.source == source);
            Share { source, pieces: own.clone().count(), tokens: own.map(|item| item.piece.tokens).sum() }
        })
        .collect();
    let (outputs, fitted) = stateless::outputs(&brought, room);
    notes.extend(fitted.notes);
    let leaving = outputs.len().min(room.lanes as usize);
    Preview { outputs, leaving, shares, notes, after }
}
