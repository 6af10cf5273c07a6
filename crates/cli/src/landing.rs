//! Where the gate's files land in an agent's outputs: the same fit as the hook's, without any state.

use std::time::{Duration, Instant};

use briefing_agents::agent::{Agent, Event, When};
use briefing_agents::hook::room;
use briefing_agents::preview::{self, Before};
use briefing_agents::source::{Ask, Source};
use briefing_core::Failure;
use briefing_core::settings::{Places, Settings};
use briefing_core::shown::path_text;
use briefing_core::sources::gate::Section;
use serde_json::json;

use crate::environment;
use crate::selector::ask_model;

/// The outputs of the event at which an agent's gate opens.
pub(crate) struct Landing {
    agent: &'static Agent,
    event: &'static Event,
    outputs: Vec<String>,
    /// How many of them leave with that event; the others wait for the next ones.
    leaving: usize,
}

impl Landing {
    /// Computes what the agent would be given.
    pub(crate) fn of(agent: &'static Agent, places: &Places, settings: &Settings) -> Result<Self, Failure> {
        let wanted = if agent.gate_at_message { When::Message } else { When::Tool };
        let mut events = agent.events.iter().filter(|event| event.carries);
        let event = events.find(|event| event.when == wanted).or_else(|| agent.events.iter().find(|event| event.carries));
        let event = event.ok_or_else(|| Failure::new(format!("{} has no event that carries context", agent.title)))?;
        let ask = Ask {
            here: &places.here,
            places,
            settings,
            message: None,
            is_sub_agent: false,
            now: environment::now()?,
            deadline: Instant::now() + Duration::from_secs(10),
            ask_model,
            prepare: |_| {},
        };
        // Everything but the gate was brought before.
        let before = Before { done: Source::Domains.bit() | Source::Docs.bit(), owed: 0 };
        let preview = preview::preview(agent, event, &ask, room(agent, true, event.lanes), before);
        Ok(Self { agent, event, outputs: preview.outputs, leaving: preview.leaving })
    }

    /// Returns the outputs (from 1) that a file goes into.
    pub(crate) fn outputs_of(&self, section: &Section) -> Vec<usize> {
        let head = format!("--- {} ", section.name);
        let label = format!("=== brief: {} (", path_text(&section.path));
        let holds = |output: &&String| output.lines().any(|line| line.starts_with(&head) || line.starts_with(&label));
        (1..).zip(&self.outputs).filter(|(_, output)| holds(output)).map(|(number, _)| number).collect()
    }

    /// Returns the place of a file in words.
    pub(crate) fn words(&self, outputs: &[usize]) -> String {
        let numbers: Vec<_> = outputs.iter().map(ToString::to_string).collect();
        let waits = if outputs.iter().any(|number| *number > self.leaving) { ", waits for the next event" } else { "" };
        format!("output {} of {}{waits}", numbers.join(", "), self.outputs.len())
    }

    /// Returns the whole in words.
    pub(crate) fn summary(&self) -> String {
        let sizes: Vec<_> = self.outputs.iter().map(|output| self.agent.unit.of(output).to_string()).collect();
        let unit = self.agent.unit.words();
        let waiting = self.outputs.len() - self.leaving;
        let later = if waiting > 0 { format!("; {waiting} of them with the next events") } else { String::new() };
        let (title, event, cap) = (self.agent.title, self.event.name, self.agent.cap);
        format!("{title} at {event}: outputs of {} {unit}, each at most {cap}{later}", sizes.join(", "))
    }

    pub(crate) fn as_json(&self) -> serde_json::Value {
        let sizes: Vec<_> = self.outputs.iter().map(|output| self.agent.unit.of(output)).collect();
        json!({ "name": self.agent.name, "event": self.event.name, "cap": self.agent.cap, "unit": self.agent.unit.words(), "outputs": sizes, "leaving": self.leaving })
    }
}
