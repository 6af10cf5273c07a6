//! Computes what a hook would print here and now, with the same sources, fitting and rendering, but without state.

use std::rc::Rc;

use briefing_core::fit::{Room, Segment};
use briefing_core::sources::docs::{SelectRequest, bring};
use briefing_core::sources::{self, Ask, Gathered, Opens, Source, Sources};
use briefing_core::{Moment, Note, Piece, Reason, Rendered, Silence};

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

/// Returns the first event of each usual moment that can carry context: session start, message, tool use. The message
/// event is included even if it cannot: its documents come with the next event.
pub fn usual_events(agent: &'static Agent, has_message: bool) -> Vec<&'static Event> {
    let mut wanted = vec![Moment::Session];
    if has_message || agent.gate_at_message {
        wanted.push(Moment::Message);
    }
    wanted.push(Moment::Tool);
    let of = |moment: Moment| {
        let mut all = agent.events.iter().filter(move |event| event.moment == moment);
        all.clone().find(|event| event.carries).or_else(|| all.find(|_| moment == Moment::Message))
    };
    wanted.into_iter().filter_map(of).collect()
}

/// What an event of a fresh session would bring, by file.
#[derive(Debug, Clone)]
pub struct Told {
    pub moment: Moment,
    /// The files, as shown, in order.
    pub files: Vec<String>,
    pub tokens: u64,
}

/// Returns what a fresh session would receive at each usual moment. Moments that bring nothing are left out.
pub fn outlook(agent: &'static Agent, ask: &Ask<'_>) -> Vec<Told> {
    let mut before = Before::default();
    let mut all = Vec::new();
    for event in usual_events(agent, ask.message.is_some()) {
        let preview = preview(agent, event, ask, window::room(agent, true, event.lanes), before);
        before = preview.after;
        let mut files: Vec<String> = Vec::new();
        for segment in preview.segments.iter().filter(|segment| segment.source.is_some() && !segment.file.is_empty()) {
            if !files.contains(&segment.file) {
                files.push(segment.file.clone());
            }
        }
        if !preview.outputs.is_empty() {
            let tokens = preview.segments.iter().map(|segment| segment.tokens).sum();
            all.push(Told { moment: event.moment, files, tokens });
        }
    }
    all
}

/// Computes the preview of an event. Writes nothing.
pub fn preview(agent: &Agent, event: &Event, ask: &Ask<'_>, room: Room, before: Before) -> Preview {
    let by_message = Source::opening(&[Opens::Message]);
    let look = ask.look();
    let present = sources::present(&look, sources::named_by(ask.settings)) & if ask.message.is_some() { Sources::MAX } else { !by_message };
    // What is touched opens its source once more.
    let touching = sources::touched(&look, "", before.done & present, || Rc::new(ask.settings.clone()));
    let opening = moment::sources(agent, event, Start::Startup, before.done, before.owed, sources::early(ask.settings));
    let open = (opening | if event.moment == Moment::Session { 0 } else { touching }) & present;
    let opened = if event.carries { open } else { 0 };
    let after = Before { done: before.done | opened, owed: (open | before.owed) & present & by_message & !opened };
    // A session begins before anything is touched, and what it brought does not come again.
    let touched = if event.moment == Moment::Session { &[] } else { ask.touched };
    let Gathered { mut pieces, mut notes, .. } = sources::bring(&Ask { touched, ..*ask }, opened);
    let is_new = |piece: &Piece| before.done & piece.source.bit() == 0 || matches!(piece.reason, Reason::Applies { .. });
    pieces.retain(|piece| touching & piece.source.bit() == 0 || is_new(piece));
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

/// What a message would bring of the documents alone.
#[derive(Debug, Clone)]
pub struct Documents {
    /// The exact texts.
    pub outputs: Vec<Rendered>,
    /// How many of them are delivered with the message.
    pub leaving: usize,
    pub segments: Vec<Segment>,
    pub notes: Vec<Note>,
    /// Why nothing comes, if so.
    pub silence: Option<Silence>,
}

/// Computes what a message would bring of the documents into a window that has none of them. Writes nothing.
pub fn documents(agent: &Agent, request: &SelectRequest<'_>) -> Documents {
    let brought = bring(request);
    let lanes = agent.events.iter().find(|event| event.moment == Moment::Message).map_or(1, |event| event.lanes);
    let room = window::room(agent, true, lanes);
    let (outputs, briefing) = window::outputs(&brought.pieces, room);
    let leaving = outputs.len().min(room.lanes as usize);
    let notes = brought.notes.into_iter().chain(briefing.notes).collect();
    Documents { outputs, leaving, segments: briefing.segments, notes, silence: brought.silence }
}
