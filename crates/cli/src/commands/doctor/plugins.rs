//! Plugins of an agent that carry our command. They are installed by the agent, so we neither write nor remove them.

use std::path::{Path, PathBuf};

use briefing_agents::agent::{Agent, Kept, Plugins};
use briefing_agents::install::own_commands;
use briefing_agents::install::plan::MAX_SETTINGS;
use briefing_agents::install::plugins::HOOKS;
use briefing_agents::install::server::{Entry, entries_of_plugin};
use briefing_core::fs::read_own_bytes;
use briefing_core::settings::Places;
use briefing_core::shown::path_text;
use serde_json::Value;

use super::agents::Place;
use super::{Check, Verdict, probe, server, switch};
use crate::commands::install::files::home_of;

/// A plugin that carries our command.
pub(super) struct Plugin {
    /// The name by which the agent knows it.
    pub(super) name: String,
    pub(super) is_enabled: bool,
    /// Its directory, which commands may name by a variable.
    root: PathBuf,
    /// The file with our commands.
    file: PathBuf,
    commands: Vec<String>,
    /// Our MCP server in it.
    servers: Vec<Entry>,
}

impl Plugin {
    /// Checks the commands of an enabled plugin. `own` is a file that has our entry too.
    pub(super) fn look(&self, agent: &Agent, own: Option<&Place<'_>>) -> Vec<Check> {
        let detail = format!("in the plugin `{}`, {}", self.name, path_text(&self.file));
        let mut checks = vec![Check::new(agent.name, "entry", Verdict::Good, detail)];
        match own {
            None => checks.extend(probe::answers(agent, &self.commands, Some(&self.root), "install the plugin again")),
            Some(own) => checks.push(twice(agent, own, self)),
        }
        checks
    }

    /// Checks the MCP server of an enabled plugin.
    pub(super) fn serves(&self, agent: &Agent) -> Vec<Check> {
        if self.servers.is_empty() {
            return Vec::new();
        }
        let found = Check::new(agent.name, server::ABOUT, Verdict::Good, format!("in the plugin `{}`", self.name));
        [found].into_iter().chain(server::answers(agent, &self.servers, "install the plugin again")).collect()
    }
}

fn twice(agent: &Agent, own: &Place<'_>, plugin: &Plugin) -> Check {
    let detail = format!(
        "{} and the plugin `{}` both call us: two processes answer each event, and the context arrives once",
        path_text(&own.file),
        plugin.name
    );
    Check::new(agent.name, "twice", Verdict::Info, detail).fix(own.uninstall())
}

/// Returns the plugins of an agent that carry our command, each with its newest version.
pub(super) fn carrying(agent: &Agent, places: &Places) -> Vec<Plugin> {
    let (Some(rules), Some(home)) = (agent.plugins, home_of(agent, places)) else { return Vec::new() };
    let settings: Vec<Value> =
        switch::managed(agent, places).into_iter().chain(switch::files(agent, places)).map(|file| switch::read(&file)).collect();
    let is_enabled =
        |name: &str| rules.enabled.is_empty() || settings.iter().find_map(|settings| enabled(settings, rules.enabled, name)) == Some(true);
    let carried = roots(rules, &home.join(rules.directory), &settings).into_iter().filter_map(|(name, root)| {
        let files = [HOOKS, "hooks.json", rules.layout.manifest];
        let (file, commands) = files.into_iter().find_map(|file| commands(agent, root.join(file)))?;
        let servers = if rules.layout.servers.is_empty() { rules.layout.manifest } else { rules.layout.servers };
        let servers = read_own_bytes(&root.join(servers), MAX_SETTINGS).map(|bytes| entries_of_plugin(&bytes)).unwrap_or_default();
        Some(Plugin { is_enabled: is_enabled(&name), name, root, file, commands, servers })
    });
    carried.collect()
}

/// Returns the names and the directories of all installed plugins.
fn roots(rules: Plugins, directory: &Path, settings: &[Value]) -> Vec<(String, PathBuf)> {
    let in_marketplaces = || {
        below(directory).into_iter().flat_map(|marketplace| {
            below(&marketplace).into_iter().map(move |plugin| (format!("{}@{}", name(&plugin), name(&marketplace)), plugin))
        })
    };
    match rules.kept {
        Kept::ByName => below(directory).into_iter().map(|plugin| (name(&plugin), plugin)).collect(),
        Kept::ByVersion => in_marketplaces().filter_map(|(name, plugin)| Some((name, newest(&plugin)?))).collect(),
        Kept::InPlace { marketplaces } => {
            let tables = settings.iter().filter_map(|settings| settings.pointer(marketplaces)?.as_object()).flatten();
            let local = tables.flat_map(|(name, marketplace)| listed(rules, name, marketplace));
            in_marketplaces().chain(local).collect()
        }
    }
}

/// Returns the plugins that a local marketplace lists.
fn listed(rules: Plugins, marketplace: &str, settings: &Value) -> Vec<(String, PathBuf)> {
    let path = settings.pointer("/source/path").and_then(Value::as_str).map(Path::new);
    let (Some(path), Some(market)) = (path, rules.layout.market) else { return Vec::new() };
    let list = switch::read(&path.join(market.file));
    let plugins = list["plugins"].as_array().into_iter().flatten();
    let place = |plugin: &Value| Some((format!("{}@{marketplace}", plugin["name"].as_str()?), path.join(plugin["source"].as_str()?)));
    plugins.filter_map(place).collect()
}

fn commands(agent: &Agent, file: PathBuf) -> Option<(PathBuf, Vec<String>)> {
    let commands = own_commands(agent, &read_own_bytes(&file, MAX_SETTINGS).ok()?);
    (!commands.is_empty()).then_some((file, commands))
}

/// Returns whether a file enables a plugin, by `true` or by a table with `enabled`; `None` if it does not mention it.
fn enabled(settings: &Value, table: &str, name: &str) -> Option<bool> {
    let value = settings.pointer(table)?.get(name)?;
    value.as_bool().or_else(|| value.get("enabled")?.as_bool())
}

/// Returns the directories in a directory, sorted.
fn below(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut directories: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    directories.sort();
    directories
}

/// Returns the version that was installed last. Clients keep the ones before it for a while.
fn newest(plugin: &Path) -> Option<PathBuf> {
    below(plugin).into_iter().max_by_key(|version| version.metadata().and_then(|metadata| metadata.modified()).ok())
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
