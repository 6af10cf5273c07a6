//! Codex runs a hook only while its own settings hold the hash of the entry, as it was when the user approved it.

use std::collections::BTreeMap;
use std::path::Path;

use briefing_agents::Agent;
use briefing_agents::install::plan::MAX_SETTINGS;
use briefing_agents::install::recipe::is_own;
use briefing_core::fs::read_own_text;
use briefing_core::shown::path_text;
use serde_json::{Value, json};

use super::super::{Check, Verdict};
use super::real;

const FIX: &str = "start `codex` and approve the hooks, or type /hooks";

/// What Codex takes for the time-out of an entry that has none.
const USUAL_TIMEOUT: u64 = 600;

pub(super) fn look(agent: &Agent, home: &Path, file: &Path, is_project: bool) -> Vec<Check> {
    let text = read_own_text(&home.join("config.toml"), MAX_SETTINGS).unwrap_or_default();
    let config: toml::Table = match text.parse() {
        Ok(config) => config,
        Err(error) => return vec![Check::new(agent.name, "trust", Verdict::Broken, format!("config.toml: {}", error.message()))],
    };
    let mut checks = vec![approved(agent, &config, file)];
    if is_project {
        checks.push(project(agent, &config, file));
    }
    checks
}

/// Compares every entry of ours with what was approved.
fn approved(agent: &Agent, config: &toml::Table, file: &Path) -> Check {
    let (mut good, mut new, mut changed, mut off) = (0, 0, 0, 0);
    let states = config.get("hooks").and_then(|hooks| hooks.get("state"));
    for (key, hash) in entries(agent, file) {
        let state = states.and_then(|states| states.get(&key));
        match state.and_then(|state| state.get("trusted_hash")).and_then(toml::Value::as_str) {
            None => new += 1,
            Some(approved) if approved != hash => changed += 1,
            Some(_) if state.and_then(|state| state.get("enabled")).and_then(toml::Value::as_bool) == Some(false) => off += 1,
            Some(_) => good += 1,
        }
    }
    if new + changed + off == 0 {
        return Check::new(agent.name, "trust", Verdict::Good, format!("all {good} hooks are approved"));
    }
    let told = [(good, "approved"), (new, "not approved yet"), (changed, "changed since they were approved"), (off, "disabled")];
    let told: Vec<String> = told.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    Check::new(agent.name, "trust", Verdict::Broken, format!("of our hooks: {}; Codex runs only approved ones", told.join(", "))).fix(FIX)
}

/// Returns the key of each of our entries and the hash that Codex would compare with.
fn entries(agent: &Agent, file: &Path) -> Vec<(String, String)> {
    let text = read_own_text(file, MAX_SETTINGS).unwrap_or_default();
    let hooks: Value = serde_json::from_str(&text).unwrap_or_default();
    let mut entries = Vec::new();
    for (event, groups) in hooks.get("hooks").and_then(Value::as_object).into_iter().flatten() {
        for (group_at, group) in groups.as_array().into_iter().flatten().enumerate() {
            for (at, handler) in group.get("hooks").and_then(Value::as_array).into_iter().flatten().enumerate() {
                if handler.get("command").and_then(Value::as_str).is_some_and(|command| is_own(agent, command)) {
                    let event = snake(event);
                    let matcher = group.get("matcher").filter(|_| event != "user_prompt_submit");
                    let key = format!("{}:{event}:{group_at}:{at}", path_text(&real(file)));
                    entries.push((key, hash(&event, matcher, handler)));
                }
            }
        }
    }
    entries
}

/// Returns the hash of one entry: SHA-256 of its JSON with sorted keys, defaults filled in, alone in its group.
fn hash(event: &str, matcher: Option<&Value>, handler: &Value) -> String {
    let field = |name: &str| handler.get(name).filter(|value| !value.is_null()).cloned();
    let mut one = BTreeMap::from([
        ("async", field("async").unwrap_or(json!(false))),
        ("command", field("command").unwrap_or_default()),
        ("timeout", field("timeout").unwrap_or(json!(USUAL_TIMEOUT))),
        ("type", json!("command")),
    ]);
    one.extend(["additionalContextLimit", "statusMessage"].into_iter().filter_map(|name| Some((name, field(name)?))));
    let mut whole = BTreeMap::from([("event_name", json!(event)), ("hooks", json!([one]))]);
    whole.extend(matcher.map(|matcher| ("matcher", matcher.clone())));
    let text = json!(whole).to_string();
    let digest = ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
    digest.as_ref().iter().fold("sha256:".to_owned(), |hex, byte| format!("{hex}{byte:02x}"))
}

/// `SessionStart` → `session_start`.
fn snake(event: &str) -> String {
    let mut snake = String::new();
    for c in event.chars() {
        if c.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

/// Codex skips all hooks of a project that is not trusted.
fn project(agent: &Agent, config: &toml::Table, file: &Path) -> Check {
    let root = file.parent().and_then(Path::parent).unwrap_or(file);
    let projects = config.get("projects");
    let level = |path: &Path| projects?.get(path_text(path))?.get("trust_level")?.as_str().map(str::to_owned);
    match level(root).or_else(|| level(&real(root))).as_deref() {
        Some("trusted") => Check::new(agent.name, "project", Verdict::Good, "this project is trusted"),
        _ => Check::new(agent.name, "project", Verdict::Broken, "this project is not trusted, so Codex skips its hooks")
            .fix("start `codex` here and answer its question"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hashes are what Codex 0.166.0 itself answered for these entries (`hooks/list` of its app server).
    #[test]
    fn hashes_are_those_of_the_real_client() {
        let own = json!({"type": "command", "command": "brief hook codex SessionStart whole", "timeout": 5, "additionalContextLimit": 0});
        assert_eq!(hash("session_start", None, &own), "sha256:665e24d78771634b304e1a11cdf0e2c8e03c50b0aeaa5039bb41451378abb293");
        let bare = json!({"type": "command", "command": "echo a"});
        assert_eq!(hash("user_prompt_submit", None, &bare), "sha256:12ed829468b0bd691199142e946fc55452c1bb70b1eb9425ecd528d584870ea3");
        let full = json!({"type": "command", "command": "echo b", "timeout": 7, "statusMessage": "hi"});
        let matcher = json!("Bash");
        assert_eq!(hash("pre_tool_use", Some(&matcher), &full), "sha256:634fe230fa0dc0a3a8bfc72b853c7588a42aaf8f9d956be956190a48e8243fc5");
        let background = json!({"type": "command", "command": "echo c", "async": true, "commandWindows": "x"});
        assert_eq!(
            hash("pre_tool_use", Some(&matcher), &background),
            "sha256:839e437a01e0881b4ed22eff7747a38ba44f6d1012ccc092b6debe903e4660a4"
        );
    }

    #[test]
    fn events_are_named_as_codex_names_them() {
        assert_eq!((snake("SessionStart").as_str(), snake("UserPromptSubmit").as_str()), ("session_start", "user_prompt_submit"));
    }
}
