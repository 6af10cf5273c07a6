//! Trust gates that make an installed hook silently dead. We only look: trust is the user's to give.

use std::path::Path;

use briefing_agents::agent::Agent;
use briefing_core::fs::read_text;
use briefing_core::settings::Places;
use briefing_core::shown::path_text;
use serde_json::Value;

use super::{Check, Verdict};
use crate::commands::install::MAX_SETTINGS;
use crate::environment;

/// Looks whether the agent will run our entry in `file` here.
pub(super) fn trusted(agent: &Agent, places: &Places, file: &Path) -> Option<Check> {
    let home = environment::named_directory(agent.home_variable).or_else(|| Some(places.home.as_ref()?.join(agent.home)))?;
    match agent.name {
        "codex" => Some(codex(&home, file)),
        "gemini" => Some(gemini(&home, &places.here)),
        "copilot" if !file.starts_with(&home) => Some(copilot(&home, &places.here)),
        _ => None,
    }
}

/// Codex runs a hook only while the hash in its own settings is that of the entry. The hash itself is Codex's business;
/// whether there is one for our file tells whether the user was asked at all.
fn codex(home: &Path, file: &Path) -> Check {
    let text = read_text(&home.join("config.toml"), MAX_SETTINGS).unwrap_or_default();
    let key = format!("{}:", path_text(file));
    let count = text.lines().filter(|line| line.contains("hooks.state") && line.contains(&key)).count();
    if count > 0 {
        return Check::new(
            "codex",
            "trust",
            Verdict::Good,
            format!("{count} of our hooks were approved (Codex asks again when they change)"),
        );
    }
    let detail = "no approval of our hooks was found: Codex skips them silently";
    Check::new("codex", "trust", Verdict::Broken, detail).mend("codex (then approve the hooks, or type /hooks)")
}

/// Gemini switches all hooks off in a folder that is not trusted.
fn gemini(home: &Path, here: &Path) -> Check {
    let text = read_text(&home.join("trustedFolders.json"), MAX_SETTINGS).unwrap_or_default();
    let folders: Value = serde_json::from_str(&text).unwrap_or_default();
    let rule_of = |directory: &Path| folders.get(path_text(directory)).and_then(Value::as_str).map(str::to_owned);
    let rule = here.ancestors().find_map(rule_of);
    let parent =
        here.ancestors().skip(1).filter_map(|directory| directory.parent().and(rule_of(directory))).any(|rule| rule == "TRUST_PARENT");
    match rule.as_deref() {
        Some("DO_NOT_TRUST") => {
            Check::new("gemini", "trust", Verdict::Broken, "this folder is marked as not trusted").mend("gemini (then /permissions)")
        }
        Some(_) => Check::new("gemini", "trust", Verdict::Good, "this folder is trusted"),
        None if parent => Check::new("gemini", "trust", Verdict::Good, "this folder is trusted"),
        None => Check::new("gemini", "trust", Verdict::Info, "this folder is not known as trusted; Gemini asks when it starts here"),
    }
}

/// Copilot runs a repository's hooks only in a trusted folder; the user's own it always runs.
fn copilot(home: &Path, here: &Path) -> Check {
    let text = read_text(&home.join("config.json"), MAX_SETTINGS).unwrap_or_default();
    let config: Value = serde_json::from_str(&text).unwrap_or_default();
    let folders = config.get("trusted_folders").or(config.get("trustedFolders")).and_then(Value::as_array).cloned().unwrap_or_default();
    let is_trusted = folders.iter().filter_map(Value::as_str).any(|folder| here.starts_with(folder));
    if is_trusted {
        return Check::new("copilot", "trust", Verdict::Good, "this folder is trusted");
    }
    Check::new("copilot", "trust", Verdict::Info, "this folder is not known as trusted; Copilot asks when it starts here")
}
