//! Copilot runs a repository's hooks only in a folder that the user trusts.

use std::path::Path;

use briefing_agents::Agent;
use serde_json::Value;

use super::super::{Check, Verdict};
use super::{json, real};

pub(super) fn look(agent: &Agent, home: &Path, here: &Path) -> Check {
    if std::env::var("COPILOT_ALLOW_ALL").as_deref() == Ok("true") {
        return Check::new(agent.name, "trust", Verdict::Good, "every folder is trusted (COPILOT_ALLOW_ALL)");
    }
    let config = json(&home.join("config.json"));
    let folders = config.get("trustedFolders").and_then(Value::as_array).cloned().unwrap_or_default();
    let here = real(here);
    if folders.iter().filter_map(Value::as_str).any(|folder| here.starts_with(real(Path::new(folder)))) {
        return Check::new(agent.name, "trust", Verdict::Good, "this folder is trusted");
    }
    let detail = "this folder is not known as trusted, so Copilot skips the project's hooks";
    Check::new(agent.name, "trust", Verdict::Broken, detail).fix("start `copilot` here and answer its question")
}
