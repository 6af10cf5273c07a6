//! Settings of an agent that disable its hooks, ours included.
//!
//! Where that is, the agent's row says. The nearest file that says anything decides, an administrator's before all
//! others; lists of single hooks add up.

use std::path::{Path, PathBuf};

use briefing_agents::agent::{Agent, Managed, Switch};
use briefing_agents::install::own_commands;
use briefing_agents::install::plan::MAX_SETTINGS;
use briefing_agents::install::recipe::{handler_name, registered};
use briefing_core::fs::{read_own_bytes, read_own_text};
use briefing_core::settings::Places;
use briefing_core::shown::path_text;
use serde_json::Value;

use super::trust::json;
use super::{Check, Verdict};
use crate::commands::install::files::{home_of, project_of};
use crate::environment;

/// Returns a check for everything that keeps an agent from running our hooks here.
pub(super) fn off(agent: &Agent, places: &Places) -> Vec<Check> {
    let Some(switch) = agent.switch else { return Vec::new() };
    let managed = managed(agent, places);
    let files: Vec<_> = managed.iter().cloned().chain(files(agent, places)).collect();
    let files: Vec<(PathBuf, Value)> = files.into_iter().map(|file| (file.clone(), read(&file))).collect();
    let (by_administrator, by_user) = files.split_at(managed.len());
    let only = switch.managed.and_then(|rules| only(agent, rules, by_administrator));
    let some = by_user.iter().filter_map(|(file, settings)| some(agent, switch, file, settings));
    all(agent, switch, &files, &managed).into_iter().chain(only).chain(some).collect()
}

/// Returns the settings files of the project and of the user, nearest first.
pub(super) fn files(agent: &Agent, places: &Places) -> Vec<PathBuf> {
    let (Some(switch), Some(home)) = (agent.switch, home_of(agent, places)) else { return Vec::new() };
    let project = project_of(places);
    switch.project.iter().map(|name| project.join(name)).chain([home.join(switch.user)]).collect()
}

/// Returns the administrator's files that exist, those that decide first.
pub(super) fn managed(agent: &Agent, places: &Places) -> Vec<PathBuf> {
    let (Some(rules), Some(home)) = (agent.switch.and_then(|switch| switch.managed), home_of(agent, places)) else {
        return Vec::new();
    };
    let directory = environment::named_directory(rules.variable).unwrap_or_else(|| rules.directory.into());
    let entries = std::fs::read_dir(directory.join(rules.parts)).into_iter().flatten().flatten();
    let mut parts: Vec<_> = entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
    parts.sort_by(|a, b| b.cmp(a));
    let files = [home.join(rules.received)].into_iter().chain(parts).chain([directory.join(rules.file)]);
    files.filter(|file| file.is_file()).collect()
}

/// Returns a check for each of the administrator's files that registers us.
pub(super) fn managed_entries(agent: &Agent, places: &Places) -> Vec<Check> {
    let has_ours = |file: &PathBuf| read_own_bytes(file, MAX_SETTINGS).is_ok_and(|bytes| !own_commands(agent, &bytes).is_empty());
    let found = managed(agent, places).into_iter().filter(has_ours);
    found.map(|file| Check::new(agent.name, "entry", Verdict::Good, format!("in the managed settings {}", path_text(&file)))).collect()
}

/// Checks the setting for all hooks.
fn all(agent: &Agent, switch: Switch, files: &[(PathBuf, Value)], managed: &[PathBuf]) -> Option<Check> {
    let (file, is_set) = files.iter().find_map(|(file, settings)| Some((file, settings.pointer(switch.key)?.as_bool()?)))?;
    let what = format!("all hooks are disabled by `{} = {is_set}`", dotted(switch.key));
    (is_set == switch.off).then(|| broken(agent.name, &what, file, managed.contains(file)))
}

/// Checks whether only the administrator's hooks run, and ours are not among them.
fn only(agent: &Agent, rules: Managed, files: &[(PathBuf, Value)]) -> Option<Check> {
    let (file, _) = files.iter().find(|(_, settings)| settings.pointer(rules.only) == Some(&Value::Bool(true)))?;
    let has_ours = |settings: &Value| !own_commands(agent, settings.to_string().as_bytes()).is_empty();
    let what = format!("only hooks of the administrator run, because of `{} = true`", dotted(rules.only));
    (!files.iter().any(|(_, settings)| has_ours(settings))).then(|| broken(agent.name, &what, file, true))
}

/// Checks the list of single hooks that are disabled.
fn some(agent: &Agent, switch: Switch, file: &Path, settings: &Value) -> Option<Check> {
    let key = switch.list?;
    let listed = settings.pointer(key)?.as_array()?;
    let own = registered(agent).map(handler_name);
    let own: Vec<String> = own.filter(|name| listed.iter().any(|listed| listed == name.as_str())).collect();
    (!own.is_empty()).then(|| broken(agent.name, &format!("`{}` lists {}", dotted(key), own.join(", ")), file, false))
}

/// Shows a JSON pointer as people write a key.
fn dotted(pointer: &str) -> String {
    pointer.trim_start_matches('/').replace('/', ".")
}

fn broken(agent: &str, what: &str, file: &Path, is_managed: bool) -> Check {
    let shown = path_text(file);
    let fix =
        if is_managed { format!("ask the administrator of this machine to change {shown}") } else { format!("remove it from {shown}") };
    Check::new(agent, "switch", Verdict::Broken, format!("{what} in {shown}")).fix(fix)
}

/// Reads a file of settings; a file that is missing or broken disables nothing.
pub(super) fn read(file: &Path) -> Value {
    if file.extension().is_some_and(|extension| extension == "toml") {
        let text = read_own_text(file, MAX_SETTINGS).unwrap_or_default();
        return text.parse::<toml::Table>().ok().and_then(|table| serde_json::to_value(table).ok()).unwrap_or_default();
    }
    json(file)
}
