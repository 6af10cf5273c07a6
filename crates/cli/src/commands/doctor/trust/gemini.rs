//! Gemini disables all hooks, also the user's own, in a folder that is not trusted.

use std::path::Path;

use briefing_agents::Agent;
use serde_json::Value;

use super::super::{Check, Verdict};
use super::{json, real};
use crate::environment;

const FIX: &str = "start `gemini` here and type /permissions";

pub(super) fn look(agent: &Agent, home: &Path, here: &Path) -> Check {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let workspace = variable("GEMINI_CLI_TRUST_WORKSPACE");
    if workspace == "true" {
        return Check::new(agent.name, "trust", Verdict::Good, "every folder is trusted (GEMINI_CLI_TRUST_WORKSPACE)");
    }
    if workspace == "false" {
        return Check::new(agent.name, "trust", Verdict::Broken, "no folder is trusted (GEMINI_CLI_TRUST_WORKSPACE)").fix(FIX);
    }
    if json(&home.join("settings.json")).pointer("/security/folderTrust/enabled") == Some(&Value::Bool(false)) {
        return Check::new(agent.name, "trust", Verdict::Good, "every folder is trusted (security.folderTrust.enabled is off)");
    }
    let file = environment::named_directory("GEMINI_CLI_TRUSTED_FOLDERS_PATH").unwrap_or_else(|| home.join("trustedFolders.json"));
    match rule(&json(&file), &real(here)) {
        Some(true) => Check::new(agent.name, "trust", Verdict::Good, "this folder is trusted"),
        Some(false) => Check::new(agent.name, "trust", Verdict::Broken, "this folder is marked as not trusted").fix(FIX),
        None => {
            Check::new(agent.name, "trust", Verdict::Info, "this folder is not known as trusted; Gemini runs no hooks here until it is")
                .fix("start `gemini` here and answer its question; without a terminal, set GEMINI_CLI_TRUST_WORKSPACE=true")
        }
    }
}

/// Returns what the longest rule that covers a folder says. A rule for the parent is stored under the path of the child.
fn rule(rules: &Value, here: &Path) -> Option<bool> {
    let mut longest: Option<(usize, bool)> = None;
    for (path, level) in rules.as_object()? {
        let (covered, is_trusted) = match level.as_str()? {
            "TRUST_FOLDER" => (Path::new(path), true),
            "TRUST_PARENT" => (Path::new(path).parent().unwrap_or(Path::new(path)), true),
            "DO_NOT_TRUST" => (Path::new(path), false),
            _ => continue,
        };
        if here.starts_with(real(covered)) && longest.is_none_or(|(length, _)| path.len() > length) {
            longest = Some((path.len(), is_trusted));
        }
    }
    longest.map(|(_, is_trusted)| is_trusted)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_longest_rule_decides_and_a_parent_stands_under_its_childs_name() {
        let rules = json!({"/w": "DO_NOT_TRUST", "/w/a/b": "TRUST_PARENT", "/w/a/c/d": "DO_NOT_TRUST", "/x": "TRUST_FOLDER"});
        for (here, expected) in [
            ("/w", Some(false)),
            ("/w/z", Some(false)),
            ("/w/a", Some(true)),
            ("/w/a/c", Some(true)),
            ("/w/a/c/d/e", Some(false)),
            ("/x/y", Some(true)),
            ("/xy", None),
        ] {
            assert_eq!(rule(&rules, Path::new(here)), expected, "{here}");
        }
        assert_eq!(rule(&Value::Null, Path::new("/w")), None);
    }
}
