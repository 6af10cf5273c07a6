//! Settings of an agent that switch its hooks off, ours included.
//!
//! The nearest file that says anything decides, as in the agents themselves; Gemini alone adds up its lists of single hooks.

use std::path::{Path, PathBuf};

use briefing_agents::agent::Agent;
use briefing_agents::install::recipe::registered;
use briefing_core::fs::read_text;
use briefing_core::settings::Places;
use briefing_core::shown::path_text;
use serde_json::Value;

use super::trust::json;
use super::{Check, Verdict};
use crate::commands::install::{MAX_SETTINGS, home_of, project_of};

/// Where an agent says that no hook shall run.
struct Switch {
    agent: &'static str,
    /// Below the project, nearest first.
    project: &'static [&'static str],
    /// Below the agent's home.
    user: &'static str,
    /// The key, as a JSON pointer.
    key: &'static str,
    off: bool,
}

const SWITCHES: [Switch; 4] = [
    Switch {
        agent: "claude",
        project: &[".claude/settings.local.json", ".claude/settings.json"],
        user: "settings.json",
        key: "/disableAllHooks",
        off: true,
    },
    Switch { agent: "qwen", project: &[".qwen/settings.json"], user: "settings.json", key: "/disableAllHooks", off: true },
    Switch { agent: "gemini", project: &[".gemini/settings.json"], user: "settings.json", key: "/hooksConfig/enabled", off: false },
    Switch { agent: "codex", project: &[".codex/config.toml"], user: "config.toml", key: "/features/hooks", off: false },
];

/// Returns a check for everything that keeps an agent from running our hooks here.
pub(super) fn off(agent: &Agent, places: &Places) -> Vec<Check> {
    let (Some(switch), Some(home)) = (SWITCHES.iter().find(|switch| switch.agent == agent.name), home_of(agent, places)) else {
        return Vec::new();
    };
    let project = project_of(places);
    let files = switch.project.iter().map(|name| project.join(name)).chain([home.join(switch.user)]);
    let files: Vec<(PathBuf, Value)> = files.map(|file| (file.clone(), read(&file))).collect();
    let mut checks: Vec<Check> = all(switch, &files).into_iter().collect();
    if agent.name == "gemini" {
        checks.extend(files.iter().filter_map(|(file, settings)| some(agent, file, settings)));
    }
    checks
}

/// Looks at the switch for all hooks.
fn all(switch: &Switch, files: &[(PathBuf, Value)]) -> Option<Check> {
    let (file, is_set) = files.iter().find_map(|(file, settings)| Some((file, settings.pointer(switch.key)?.as_bool()?)))?;
    let key = format!("{} = {is_set}", switch.key[1..].replace('/', "."));
    (is_set == switch.off).then(|| broken(switch.agent, &format!("all hooks are switched off by `{key}`"), file))
}

/// Looks at Gemini's list of hooks that shall not run.
fn some(agent: &Agent, file: &Path, settings: &Value) -> Option<Check> {
    let listed = settings.pointer("/hooksConfig/disabled")?.as_array()?;
    let own = registered(agent).map(|event| format!("brief-{}", event.name));
    let own: Vec<String> = own.filter(|name| listed.iter().any(|listed| listed == name.as_str())).collect();
    (!own.is_empty()).then(|| broken(agent.name, &format!("`hooksConfig.disabled` lists {}", own.join(", ")), file))
}

fn broken(agent: &str, what: &str, file: &Path) -> Check {
    let shown = path_text(file);
    Check::new(agent, "switch", Verdict::Broken, format!("{what} in {shown}")).mend(format!("take it out of {shown} by hand"))
}

/// Reads a file of settings; what is missing or broken switches nothing off.
fn read(file: &Path) -> Value {
    if file.extension().is_some_and(|extension| extension == "toml") {
        let text = read_text(file, MAX_SETTINGS).unwrap_or_default();
        return text.parse::<toml::Table>().ok().and_then(|table| serde_json::to_value(table).ok()).unwrap_or_default();
    }
    json(file)
}
