//! Who chooses documents: the settings say it, and the network is on this side of the core.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use briefing_core::Failure;
use briefing_core::settings::Settings;
use briefing_core::sources::docs::Candidate;
use briefing_llm::{Endpoint, choose};

use crate::environment;

/// Asks the model of the settings: one call, which ends before the deadline and within `selector.timeout_ms`.
///
/// No key is looked up before a message needs it.
pub(crate) fn ask_model(settings: &Settings, deadline: Instant, message: &str, candidates: &[Candidate]) -> Result<Vec<usize>, Failure> {
    let limit = Duration::from_millis(settings.selector.timeout_ms.value);
    let left = deadline.saturating_duration_since(Instant::now()).min(limit);
    if left.is_zero() {
        return Err(Failure::new("there is no time left to ask the model"));
    }
    let endpoint = Endpoint::from_settings(settings, environment::variable)?;
    let client = choose::client(endpoint, left)?;
    choose::choose(message, candidates, |messages| client.complete(messages))
}

/// Prepares the documents of a directory in a process of its own, which outlives this one.
pub(crate) fn prepare(here: &Path) {
    let Ok(program) = std::env::current_exe() else { return };
    let mut command = Command::new(program);
    command.args(["index", "--prepare"]).current_dir(here).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // An agent that ends its hook's group must not end this too.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    // Nobody waits for it: we are gone before it is done.
    drop(command.spawn());
}
