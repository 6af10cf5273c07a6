//! Computes what a hook would print here and now, with the same sources, fitting and rendering, but without state.

use briefing_core::fit::{Room, Segment};
use briefing_core::sources::{self, Ask, Gathered, Opens, Source, Sources};
use briefing_core::{Moment, Note, Rendered};

use crate::agent::{Agent, Event};
use crate::moment;
use crate::request::Start;
use crate::window;

/// What one source contributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    pub source: Source,
    pub pieces: usize,
    pub tokens: u64,
}

/// What an event of a fresh session would carry.
#[derive(Debug, Clone)]
pub struct Preview {
    /// The exact texts, one per handler that prints.
    pub outputs: Vec<Rendered>,
    /// How many of them are delivered at this event. The others wait for later events.
    pub leaving: usize,
    /// The segments of the outputs.
    pub segments: Vec<Segment>,
    pub shares: Vec<Share>,
    pub notes: Vec<Note>,
    /// The state of the session after this event.
    pub after: Before,
}

/// The state of a session before an event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Before {
    /// The sources that have been opened.
    pub done: Sources,
    /// The sources that must wait for the next event, because the last one could not carry context.
    pub owed: Sources,
}

impl Before {
    /// Returns the state for previewing a single event. If messages cannot carry context, their documents are still owed
    /// at a tool event.
    pub fn single(agent: &Agent, event: &Event) -> Self {
        let is_mute = !agent.events.iter().any(|event| event.moment == Moment::Message && event.carries);
        let owed = if is_mute && event.moment == Moment::Tool { Source::opening(&[Opens::Message]) } else { 0 };
        Self { done: 0, owed }
    }
}

/// Computes the preview of an event. Writes nothing.
pub fn preview(agent: &Agent, event: &Event, ask: &Ask<'_>, room: Room, before: Before) -> Preview {
    let by_message = Source::opening(&[Opens::Message]);
    let present =
        sources::present(ask.places, sources::named_by(ask.settings)) & if ask.message.is_some() { Sources::MAX } else { !by_message };
    let open = moment::sources(agent, event, Start::Startup, before.done, before.owed) & present;
    let opened = if event.carries { open } else { 0 };
    let after = Before { done: before.done | opened, owed: (open | before.owed) & present & by_message & !opened };
    let Gathered { pieces, mut notes, .. } = sources::bring(ask, opened);
    let shares = Source::of(opened)
        .map(|source| {
            let own = pieces.iter().filter(|piece| piece.source == source);
            Share { source, pieces: own.clone().count(), tokens: own.map(|piece| piece.tokens).sum() }
        })
        .collect();
    let (outputs, briefing) = window::outputs(&pieces, room);
    notes.extend(briefing.notes);
    let leaving = outputs.len().min(room.lanes as usize);
    Preview { outputs, leaving, segments: briefing.segments, shares, notes, after }
}
