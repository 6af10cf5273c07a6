//! What an agent loads by itself in a project: its row, and what its own settings say besides.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use briefing_core::fs::read_own_text;
use briefing_core::settings::Places;
use briefing_core::sources::instructions::{Loaded, Reader};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::CstRootNode;
use serde_json::Value;
use toml_edit::DocumentMut;

use crate::agent::{Agent, Effect, Naming};
use crate::host::Host;
use crate::install::home_of;
use crate::install::plan::MAX_SETTINGS;

/// Returns the reader of an agent's windows, judging by its row alone. This reads nothing.
pub fn usual_reader(agent: &Agent, here: &Path) -> Reader {
    Reader::of(agent.title, agent.loads, here)
}

/// Returns the reader of an agent's windows. `variable` returns the value of an environment variable.
pub fn reader(agent: &Agent, places: &Places, variable: impl Fn(&str) -> Option<String>) -> Reader {
    reader_at(agent, places, variable(agent.home_variable).filter(|path| !path.is_empty()).map(PathBuf::from))
}

/// Does the same; `moved` is the value of [`Agent::home_variable`].
pub fn reader_at(agent: &Agent, places: &Places, moved: Option<PathBuf>) -> Reader {
    let home = home_of(agent, places, moved).filter(|_| !agent.home.is_empty());
    let reader = usual_reader(agent, &places.here);
    let names = agent.naming.iter().fold(None, |names, naming| {
        let said = said(naming, &reader.root, home.as_deref());
        said.and_then(|said| applied(naming.effect, &said, names.as_deref().unwrap_or(reader.files()))).or(names)
    });
    let reader = home.map_or(reader.clone(), |home| reader.at_home(&home));
    match names {
        Some(names) => reader.with_files(names),
        None => reader,
    }
}

/// Does the same with the environment of a host.
pub fn reader_of(agent: &Agent, places: &Places, host: &dyn Host) -> Reader {
    reader(agent, places, |name| host.variable(name))
}

/// Returns what the nearest settings file says under the key.
fn said(naming: &Naming, project: &Path, home: Option<&Path>) -> Option<Value> {
    let files = naming.project.iter().map(|name| project.join(name)).chain(home.map(|home| home.join(naming.user)));
    let last = naming.key.rsplit('/').next()?;
    files.filter(|file| file.is_file()).find_map(|file| {
        let text = read_own_text(&file, MAX_SETTINGS).ok().filter(|text| text.contains(last))?;
        if file.extension().is_some_and(|extension| extension == "toml") {
            return in_toml(&text, naming.key);
        }
        CstRootNode::parse(&text, &ParseOptions::default()).ok()?.to_serde_value()?.pointer(naming.key).cloned()
    })
}

fn in_toml(text: &str, key: &str) -> Option<Value> {
    let document: DocumentMut = text.parse().ok()?;
    let item = key.split('/').skip(1).try_fold(document.as_item(), |item, part| item.get(part))?;
    let texts = item.as_array().map(|items| items.iter().filter_map(|item| item.as_str()).map(Value::from).collect());
    texts.map(Value::Array).or_else(|| item.as_str().map(Value::from))
}

/// Returns the files that an agent loads when its settings say this.
fn applied(effect: Effect, said: &Value, files: &[Loaded]) -> Option<Vec<Loaded>> {
    let names = match said {
        Value::String(name) => vec![name.clone()],
        Value::Array(names) => names.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => return None,
    };
    let loaded = |is_nested: bool| move |name: String| Loaded { name: Cow::Owned(name), unless: Cow::Borrowed(""), is_nested };
    Some(match effect {
        Effect::Replaces => names.into_iter().map(loaded(files.iter().any(|file| file.is_nested))).collect(),
        Effect::Adds => files.iter().cloned().chain(names.into_iter().map(loaded(false))).collect(),
        Effect::Selects(modes) => modes.iter().find(|(word, _)| names.first().is_some_and(|name| name == word))?.1.to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::table::find;

    fn loads(root: &Path, agent: &str, file: &str) -> bool {
        let places = Places { home: Some(root.join("home")), ..Places::at(root.join("project")) };
        reader(find(agent).unwrap(), &places, |_| None).loads(&root.join("project").join(file))
    }

    #[test]
    fn the_agents_own_settings_name_files_too() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        let write = |name: &str, text: &str| {
            fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs::write(root.join(name), text).unwrap();
        };
        for name in [".git/HEAD", "AGENTS.md", "CLAUDE.md", "TEAM.md"] {
            write(&format!("project/{name}"), name);
        }
        assert!(!loads(root, "gemini", "AGENTS.md") && !loads(root, "codex", "TEAM.md") && !loads(root, "claude", "AGENTS.md"));
        write("project/.gemini/settings.json", "{ // names\n \"context\": {\"fileName\": [\"AGENTS.md\", \"GEMINI.md\"]} }");
        assert!(loads(root, "gemini", "AGENTS.md") && loads(root, "gemini", "sub/AGENTS.md"));
        write("project/.gemini/settings.json", r#"{"context":{"fileName":"TEAM.md"}}"#);
        assert!(loads(root, "gemini", "TEAM.md") && !loads(root, "gemini", "GEMINI.md"));
        write("home/.codex/config.toml", "project_doc_fallback_filenames = [\"TEAM.md\"]\n");
        assert!(loads(root, "codex", "TEAM.md") && loads(root, "codex", "AGENTS.md"));
        let mode = r#"{"pluginConfigs":{"cc-plugin-agents-md@builtin":{"options":{"instructionFiles":"claude-md-and-agents-md"}}}}"#;
        write("home/.claude/settings.json", mode);
        assert!(loads(root, "claude", "AGENTS.md") && loads(root, "claude", "CLAUDE.md"));
        write("home/.claude/settings.json", &mode.replace("claude-md-and-agents-md", "managed-only"));
        assert!(!loads(root, "claude", "AGENTS.md") && !loads(root, "claude", "CLAUDE.md"));
    }
}
