//! Where the gate's files land in an agent's outputs: the same fit as the hook's, without any state.

use std::time::{Duration, Instant};

use briefing_agents::agent::{Agent, Event};
use briefing_agents::preview::{self, Before};
use briefing_agents::window::room;
use briefing_core::Moment;
use briefing_core::settings::{Places, Settings};
use briefing_core::shown::path_text;
use briefing_core::sources::Ask;
use briefing_core::sources::gate::Section;
use briefing_core::{Failure, Rendered, Segment, Source};
use serde_json::json;

use crate::environment;
use crate::host::Looking;

/// The outputs of the event at which an agent's gate opens.
pub(crate) struct Landing {
    agent: &'static Agent,
    event: &'static Event,
    outputs: Vec<Rendered>,
    segments: Vec<Segment>,
    /// How many of them leave with that event; the others wait for the next ones.
    leaving: usize,
}

impl Landing {
    /// Computes what the agent would be given.
    pub(crate) fn of(agent: &'static Agent, places: &Places, settings: &Settings) -> Result<Self, Failure> {
        let wanted = if agent.gate_at_message { Moment::Message } else { Moment::Tool };
        let mut events = agent.events.iter().filter(|event| event.carries);
        let event = events.find(|event| event.moment == wanted).or_else(|| agent.events.iter().find(|event| event.carries));
        let event = event.ok_or_else(|| Failure::new(format!("{} has no event that carries context", agent.title)))?;
        let ask = Ask {
            places,
            settings,
            message: None,
            now: environment::now()?,
            deadline: Instant::now() + Duration::from_secs(10),
            helper: &Looking,
        };
        // Everything but the gate was brought before.
        let before = Before { done: Source::Domains.bit() | Source::Docs.bit(), owed: 0 };
        let preview = preview::preview(agent, event, &ask, room(agent, true, event.lanes), before);
        Ok(Self { agent, event, outputs: preview.outputs, segments: preview.segments, leaving: preview.leaving })
    }

    /// Returns the outputs (from 1) that a file goes into.
    pub(crate) fn outputs_of(&self, section: &Section) -> Vec<usize> {
        let path = path_text(&section.path);
        let mut outputs: Vec<usize> =
            self.segments.iter().filter(|segment| segment.path == path).map(|segment| segment.slot as usize + 1).collect();
        outputs.dedup();
        outputs
    }

    /// Returns the place of a file in words.
    pub(crate) fn words(&self, outputs: &[usize]) -> String {
        let numbers: Vec<_> = outputs.iter().map(ToString::to_string).collect();
        let waits = if outputs.iter().any(|number| *number > self.leaving) { ", waits for the next event" } else { "" };
        format!("output {} of {}{waits}", numbers.join(", "), self.outputs.len())
    }

    /// Returns the whole in words.
    pub(crate) fn summary(&self) -> String {
        let sizes: Vec<_> = self.outputs.iter().map(|output| output.size.to_string()).collect();
        let unit = self.agent.unit.words();
        let waiting = self.outputs.len() - self.leaving;
        let later = if waiting > 0 { format!("; {waiting} of them with the next events") } else { String::new() };
        let (title, event, cap) = (self.agent.title, self.event.name, self.agent.cap);
        format!("{title} at {event}: outputs of {} {unit}, each at most {cap}{later}", sizes.join(", "))
    }

    pub(crate) fn as_json(&self) -> serde_json::Value {
        let sizes: Vec<_> = self.outputs.iter().map(|output| output.size).collect();
        json!({ "name": self.agent.name, "event": self.event.name, "cap": self.agent.cap, "unit": self.agent.unit.words(), "outputs": sizes, "leaving": self.leaving })
    }
}
