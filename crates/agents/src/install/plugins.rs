//! Our plugins: the entries that `brief install` writes, as directories that the agents install themselves.
//!
//! One directory per agent, named like it, and beside them the lists from which agents install. Everything that differs
//! between agents is in [`Layout`]. A plugin calls the `brief` on PATH; it does not contain one.

use serde_json::{Map, Value, json};

use super::{recipe, server};
use crate::agent::{Agent, Layout, Plugins};
use crate::table::AGENTS;

/// The name of the plugin. The agents show it, and `brief doctor` finds it by its commands.
const NAME: &str = "brief";
/// The name of the list.
const MARKET: &str = "briefing";
const PROGRAM: &str = "brief";
const DESCRIPTION: &str = "Gives the agent the project's context: rules, knowledge and the documents that fit a message, each once";
/// The same for all agents: it speaks of commands.
const SKILL: &str = include_str!("plugins/SKILL.md");
/// Where every agent looks for hooks; a manifest that must name it does so.
pub const HOOKS: &str = "hooks/hooks.json";

/// Returns the files of all plugins, by their paths with `/`, in order.
pub fn files() -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = AGENTS.iter().filter_map(|agent| Some(of_agent(agent, agent.plugins?))).flatten().collect();
    files.sort();
    files
}

fn of_agent(agent: &Agent, Plugins { layout, .. }: Plugins) -> Vec<(String, String)> {
    let within = |path: &str| format!("{}/{path}", agent.name);
    let mut manifest = about(layout.also);
    manifest.insert("version".into(), env!("CARGO_PKG_VERSION").into());
    manifest.insert("description".into(), DESCRIPTION.into());
    let mut files = vec![
        (within(HOOKS), printed(&hooks(agent, &layout))),
        (within("skills/brief/SKILL.md"), SKILL.to_owned()),
        (within("README.md"), readme(agent, &layout)),
    ];
    if let Some(mcp) = &agent.mcp {
        let servers = server::of_plugin(mcp, PROGRAM);
        if layout.servers.is_empty() {
            manifest.insert(server::IN_PLUGINS.into(), servers);
        } else {
            files.push((within(layout.servers), printed(&json!({ server::IN_PLUGINS: servers }))));
        }
    }
    files.push((within(layout.manifest), printed(&manifest.into())));
    files.extend(market(agent, &layout));
    files
}

fn hooks(agent: &Agent, layout: &Layout) -> Value {
    let mut file = recipe::own_file(agent, PROGRAM);
    if !layout.windows.is_empty() {
        let groups = file["hooks"].as_object_mut().into_iter().flat_map(Map::values_mut).filter_map(Value::as_array_mut).flatten();
        for handler in groups.filter_map(|group| group["hooks"].as_array_mut()).flatten() {
            let command = recipe::audible(handler["command"].as_str().unwrap_or_default()).to_owned();
            handler[layout.windows] = command.into();
        }
    }
    file
}

/// Returns the list with the plugin of an agent.
fn market(agent: &Agent, layout: &Layout) -> Option<(String, String)> {
    let market = layout.market?;
    let path = format!("./{}", agent.name);
    let mut entry = about(market.entry);
    entry.insert("source".into(), if market.has_kinds { json!({ "source": "local", "path": path }) } else { path.into() });
    entry.insert("description".into(), DESCRIPTION.into());
    let mut list = object(market.also);
    list.insert("name".into(), MARKET.into());
    list.insert("plugins".into(), json!([entry]));
    Some((market.file.to_owned(), printed(&list.into())))
}

/// Returns an object of the table with our name.
fn about(also: &str) -> Map<String, Value> {
    let mut object = object(also);
    object.insert("name".into(), NAME.into());
    object
}

/// Parses an object of the table; a test looks at every one.
fn object(text: &str) -> Map<String, Value> {
    serde_json::from_str(text).unwrap_or_default()
}

fn printed(value: &Value) -> String {
    format!("{value:#}\n")
}

fn readme(agent: &Agent, layout: &Layout) -> String {
    let install = layout.install.join("\n");
    let needs = if layout.needs.is_empty() { String::new() } else { format!("\n{}\n", layout.needs) };
    format!(
        "# brief for {title}

{DESCRIPTION}.

The plugin has hooks, which bring context at the start of a session and with your messages, an MCP server, which the agent can ask, and
a skill, which says when to use which command. It calls the program `brief`, which must be on PATH; without it, the hooks do nothing.
`brief doctor` says whether everything works, and `brief log` what the agent received.

    {install}

`DIR` is the directory above this one.
{needs}
`brief install {name}` does the same without a plugin. With both, each text still arrives once.
",
        title = agent.title,
        install = install.replace('\n', "\n    "),
        name = agent.name,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_object_in_the_table_is_one() {
        for layout in AGENTS.iter().filter_map(|agent| agent.plugins).map(|plugins| plugins.layout) {
            let of_market = layout.market.iter().flat_map(|market| [market.also, market.entry]);
            for text in of_market.chain([layout.also]) {
                assert!(serde_json::from_str::<Map<String, Value>>(text).is_ok(), "{text}");
            }
        }
    }

    #[test]
    fn a_plugin_has_the_commands_that_the_installer_writes() {
        let files = files();
        for agent in AGENTS.iter().filter(|agent| agent.plugins.is_some()) {
            let path = format!("{}/{HOOKS}", agent.name);
            let (_, text) = files.iter().find(|(file, _)| *file == path).expect("every plugin has hooks");
            let super::super::Change::Write(installed) = super::super::install(agent, &[super::super::Part::Hooks], PROGRAM, None).unwrap()
            else {
                panic!("{path}");
            };
            let own = super::super::own_commands(agent, text.as_bytes());
            let expected = super::super::own_commands(agent, &installed);
            assert!(!expected.is_empty() && expected.iter().all(|command| own.contains(command)), "{own:?}");
        }
    }

    #[test]
    fn no_file_is_named_twice() {
        let files = files();
        assert!(files.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}
