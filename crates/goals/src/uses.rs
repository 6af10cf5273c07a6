//! Which names the templates of a goal use: `Args.x` and `Context.y` in tags.

use std::collections::BTreeSet;

use crate::goal::Goal;
use crate::template;

/// The parameters that a goal's prompt, scripts and `context` use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Parameters {
    /// A template uses all of them at once, such as `{{ Args | json_encode }}`.
    Any,
    These(BTreeSet<String>),
}

/// Returns the parameters that the templates of a goal use.
pub(crate) fn parameters(goal: &Goal) -> Parameters {
    let all = texts(goal);
    let mut names: BTreeSet<String> = used(&all, "Args.").into_iter().map(str::to_owned).collect();
    for tag in tags(&all) {
        for (index, _) in tag.match_indices("Args").filter(|(index, _)| is_start(tag, *index)) {
            let rest = tag[index + "Args".len()..].trim_start();
            if rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.') {
                continue;
            }
            match rest.strip_prefix('[').and_then(quoted) {
                Some(name) => drop(names.insert(name.to_owned())),
                None => return Parameters::Any,
            }
        }
    }
    Parameters::These(names)
}

/// Returns the prompt with everything it includes, the scripts and `context` as one text.
pub(crate) fn texts(goal: &Goal) -> String {
    let scripts: Vec<&str> = goal.scripts.iter().map(|script| script.command.as_str()).collect();
    format!("{}\n{}\n{}", template::texts(goal), scripts.join("\n"), goal.context.join("\n"))
}

/// Returns the names after a prefix such as `Args.` in template tags, without duplicates.
pub(crate) fn used<'a>(text: &'a str, prefix: &str) -> Vec<&'a str> {
    let mut names = Vec::new();
    for tag in tags(text) {
        for (index, _) in tag.match_indices(prefix) {
            let rest = &tag[index + prefix.len()..];
            let name = &rest[..rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())];
            if is_start(tag, index) && !name.is_empty() && !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// Returns the texts between two delimiters.
pub(crate) fn between<'a>(text: &'a str, open: &'static str, close: &'static str) -> impl Iterator<Item = &'a str> {
    text.split(open).skip(1).filter_map(move |rest| rest.split_once(close)).map(|(tag, _)| tag)
}

/// Returns the content of the tags of a template.
fn tags(text: &str) -> Vec<&str> {
    between(text, "{{", "}}").chain(between(text, "{%", "%}")).collect()
}

/// Returns whether a name starts here, and is not the end of a longer one.
fn is_start(tag: &str, index: usize) -> bool {
    tag[..index].chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != '.')
}

/// Returns the string that a text starts with, in any kind of quotes.
fn quoted(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    text[1..].split_once(quote).map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::PathBuf;

    use super::*;

    fn of(prompt: &str) -> Parameters {
        let yaml =
            serde_json::json!({ "prompt": prompt, "context_scripts": { "s": "echo {{ Args.in_script }}" }, "context": "{{ Args.dir }}" });
        parameters(&Goal::parse("g", PathBuf::from("/g"), &yaml.to_string(), BTreeMap::new()).unwrap())
    }

    fn these(names: &[&str]) -> Parameters {
        Parameters::These(names.iter().chain(&["dir", "in_script"]).map(|name| (*name).to_owned()).collect())
    }

    #[test]
    fn names_are_found_in_tags_only() {
        assert_eq!(of("{{ Args.a }} Args.b {% if Args.c %}{{ MyArgs.d }}{% endif %} {{ Args['e f'] }}"), these(&["a", "c", "e f"]));
        assert_eq!(of("no tags"), these(&[]));
        for all in ["{{ Args | json_encode() }}", "{% for k, v in Args %}{{ k }}{% endfor %}", "{{ Args[name] }}"] {
            assert_eq!(of(all), Parameters::Any, "{all}");
        }
    }
}
