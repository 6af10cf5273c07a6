//! Settings of an agent that disable its hooks, ours included.
//!
//! Where that is, the agent's row says. The nearest file that says anything decides; lists of single hooks add up.

use std::path::{Path, PathBuf};

use briefing_agents::agent::{Agent, Switch};
use briefing_agents::install::recipe::{handler_name, registered};
use briefing_core::fs::read_own_text;
use briefing_core::project::repository_or_self;
use briefing_core::settings::Places;
use briefing_core::shown::path_text;
use serde_json::Value;

use super::trust::json;
use super::{Check, Verdict};
use crate::commands::install::files::{MAX_SETTINGS, home_of};

/// Returns a check for everything that keeps an agent from running our hooks here.
pub(super) fn off(agent: &Agent, places: &Places) -> Vec<Check> {
    let (Some(switch), Some(home)) = (agent.switch, home_of(agent, places)) else {
        return Vec::new();
    };
    let project = repository_or_self(&places.here);
    let files = switch.project.iter().map(|name| project.join(name)).chain([home.join(switch.user)]);
    let files: Vec<(PathBuf, Value)> = files.map(|file| (file.clone(), read(&file))).collect();
    let some = files.iter().filter_map(|(file, settings)| some(agent, switch, file, settings));
    all(agent, switch, &files).into_iter().chain(some).collect()
}

/// Checks the setting for all hooks.
fn all(agent: &Agent, switch: Switch, files: &[(PathBuf, Value)]) -> Option<Check> {
    let (file, is_set) = files.iter().find_map(|(file, settings)| Some((file, settings.pointer(switch.key)?.as_bool()?)))?;
    let key = dotted(switch.key);
    (is_set == switch.off).then(|| broken(agent.name, &format!("all hooks are disabled by `{key} = {is_set}`"), file))
}

/// Checks the list of single hooks that are disabled.
fn some(agent: &Agent, switch: Switch, file: &Path, settings: &Value) -> Option<Check> {
    let key = switch.list?;
    let listed = settings.pointer(key)?.as_array()?;
    let own = registered(agent).map(handler_name);
    let own: Vec<String> = own.filter(|name| listed.iter().any(|listed| listed == name.as_str())).collect();
    (!own.is_empty()).then(|| broken(agent.name, &format!("`{}` lists {}", dotted(key), own.join(", ")), file))
}

/// Shows a JSON pointer as people write a key.
fn dotted(pointer: &str) -> String {
    pointer.trim_start_matches('/').replace('/', ".")
}

fn broken(agent: &str, what: &str, file: &Path) -> Check {
    let shown = path_text(file);
    Check::new(agent, "switch", Verdict::Broken, format!("{what} in {shown}")).fix(format!("remove it from {shown}"))
}

/// Reads a file of settings; a file that is missing or broken disables nothing.
fn read(file: &Path) -> Value {
    if file.extension().is_some_and(|extension| extension == "toml") {
        let text = read_own_text(file, MAX_SETTINGS).unwrap_or_default();
        return text.parse::<toml::Table>().ok().and_then(|table| serde_json::to_value(table).ok()).unwrap_or_default();
    }
    json(file)
}
