//! Who chooses documents: the settings say it, and the network is on this side of the core.

use std::time::{Duration, Instant};

use briefing_core::Failure;
use briefing_core::docs::{Candidate, Model, OnFailure, Selector};
use briefing_core::settings::Settings;
use briefing_llm::{Endpoint, choose};

use crate::environment;

/// A model that can be asked, or why there is none.
pub(crate) struct Chooser {
    ask: Box<Model<'static>>,
    on_failure: OnFailure,
    is_model: bool,
}

impl Chooser {
    /// Reads the settings. Nothing is sent before a message needs it, and no key is looked up for the local selector.
    pub(crate) fn new(settings: &Settings, deadline: Option<Instant>) -> Self {
        let is_model = settings.text("selector.kind") == "openai";
        let on_failure = if settings.text("selector.on_failure") == "local" { OnFailure::Local } else { OnFailure::Nothing };
        let settings = settings.clone();
        let ask = move |message: &str, candidates: &[Candidate]| {
            let limit = Duration::from_millis(settings.count("selector.timeout_ms"));
            let left = deadline.map_or(limit, |deadline| deadline.saturating_duration_since(Instant::now()).min(limit));
            if left.is_zero() {
                return Err(Failure::new("there is no time left to ask the model"));
            }
            let endpoint = Endpoint::from_settings(&settings, environment::variable)?;
            let client = choose::client(endpoint, left)?;
            choose::choose(message, candidates, |messages| client.complete(messages))
        };
        Self { ask: Box::new(ask), on_failure, is_model }
    }

    pub(crate) fn selector(&self) -> Selector<'_> {
        if self.is_model { Selector::Model { ask: &*self.ask, on_failure: self.on_failure } } else { Selector::Local }
    }
}
