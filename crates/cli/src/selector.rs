//! Who chooses documents: the settings say it, and the network is on this side of the core.

use std::time::{Duration, Instant};

use briefing_core::Failure;
use briefing_core::docs::Candidate;
use briefing_core::settings::Settings;
use briefing_llm::{Endpoint, choose};

use crate::environment;

/// Asks the model of the settings: one call, which ends before the deadline and within `selector.timeout_ms`.
///
/// No key is looked up before a message needs it.
pub(crate) fn ask_model(settings: &Settings, deadline: Instant, message: &str, candidates: &[Candidate]) -> Result<Vec<usize>, Failure> {
    let limit = Duration::from_millis(settings.count("selector.timeout_ms"));
    let left = deadline.saturating_duration_since(Instant::now()).min(limit);
    if left.is_zero() {
        return Err(Failure::new("there is no time left to ask the model"));
    }
    let endpoint = Endpoint::from_settings(settings, environment::variable)?;
    let client = choose::client(endpoint, left)?;
    choose::choose(message, candidates, |messages| client.complete(messages))
}
