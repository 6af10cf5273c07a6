//! Computes which outputs of an agent the gate's files go into, with the same fitting as the hook but without state.

use std::path::Path;

use briefing_core::fit::Segment;
use briefing_core::shown::path_text;
use briefing_core::sources::{Ask, Source};
use briefing_core::{Failure, Moment, Rendered};

use crate::agent::{Agent, Event};
use crate::preview::{Before, preview};
use crate::window::room;

/// The outputs of the event at which an agent's gate opens.
#[derive(Debug)]
pub struct GateOutputs {
    pub agent: &'static Agent,
    pub event: &'static Event,
    pub outputs: Vec<Rendered>,
    /// How many of them are delivered at that event. The others wait for later events.
    pub leaving: usize,
    segments: Vec<Segment>,
}

impl GateOutputs {
    /// Computes the outputs for a window that already has everything but the gate's files.
    pub fn of(agent: &'static Agent, ask: &Ask<'_>) -> Result<Self, Failure> {
        let wanted = if agent.gate_at_message { Moment::Message } else { Moment::Tool };
        let mut events = agent.events.iter().filter(|event| event.carries);
        let event = events.find(|event| event.moment == wanted).or_else(|| agent.events.iter().find(|event| event.carries));
        let event = event.ok_or_else(|| Failure::new(format!("{} has no event that carries context", agent.title)))?;
        let before = Before { done: Source::every() & !Source::Gate.bit(), owed: 0 };
        let preview = preview(agent, event, ask, room(agent, true, event.lanes), before);
        Ok(Self { agent, event, outputs: preview.outputs, leaving: preview.leaving, segments: preview.segments })
    }

    /// Returns the numbers of the outputs that a file goes into, starting at 1.
    pub fn holding(&self, file: &Path) -> Vec<usize> {
        let path = path_text(file);
        let segments = self.segments.iter().filter(|segment| segment.path == path);
        let mut outputs: Vec<usize> = segments.map(|segment| segment.slot as usize + 1).collect();
        outputs.dedup();
        outputs
    }
}
