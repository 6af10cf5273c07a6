//! Whether the agent trusts our entry; without trust it silently skips it. We only check: trust is the user's to give.
//!
//! Where each agent keeps it, and in which form, was measured with the real clients (`docs/agents-measured.md`).

mod codex;
mod copilot;
mod gemini;

use std::path::Path;

use briefing_agents::agent::{Agent, Trust};
use briefing_agents::install::plan::MAX_SETTINGS;
use briefing_core::fs::read_own_text;
use briefing_core::settings::Places;
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::CstRootNode;
use serde_json::Value;

use super::Check;
use crate::commands::install::files::home_of;

/// Checks whether the agent will run our entry in `file` here.
pub(super) fn trusted(agent: &Agent, places: &Places, file: &Path) -> Vec<Check> {
    let Some(home) = home_of(agent, places) else { return Vec::new() };
    let is_project = !file.starts_with(&home);
    match agent.trust {
        Trust::CodexHashes => codex::look(agent, &home, file, is_project),
        Trust::GeminiFolders => vec![gemini::look(agent, &home, &places.here)],
        // The user's own hooks run everywhere.
        Trust::CopilotFolders if is_project => vec![copilot::look(agent, &home, &places.here)],
        Trust::CopilotFolders | Trust::None => Vec::new(),
    }
}

/// Reads a JSON file that may have comments; what is missing or broken is empty.
pub(super) fn json(file: &Path) -> Value {
    let text = read_own_text(file, MAX_SETTINGS).unwrap_or_default();
    CstRootNode::parse(&text, &ParseOptions::default()).ok().and_then(|root| root.to_serde_value()).unwrap_or_default()
}

/// Returns a path without links where it exists: that is what the agents compare.
fn real(path: &Path) -> std::path::PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
