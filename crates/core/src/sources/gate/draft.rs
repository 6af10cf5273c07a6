//! Drafts of core files from what a project already says about itself. There are no placeholders: a file that would
//! have nothing to say is not drafted.

use std::fmt::Write as _;

use super::plan::{ARCHITECTURE, CONVENTIONS};
use crate::shown::one_line;
use crate::survey::Survey;

/// How the first comment of a draft begins. Agents receive no comments.
const MARK: &str = "<!-- Draft by `brief init`";

/// A core file that does not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Its name in `.context/`.
    pub name: &'static str,
    pub text: String,
    /// What it has, in a few words.
    pub summary: String,
}

/// Returns whether a text is a draft that nobody has confirmed yet.
pub fn is_draft(text: &str) -> bool {
    text.lines().any(|line| line.starts_with(MARK))
}

/// Drafts the core files for a project.
pub fn draft(survey: &Survey) -> Vec<Draft> {
    conventions(survey).into_iter().chain(architecture(survey)).collect()
}

/// Commands and rules.
fn conventions(survey: &Survey) -> Option<Draft> {
    let mut text = String::new();
    let mut from: Vec<&str> = Vec::new();
    let mut said = Vec::new();
    if !survey.tools.is_empty() {
        text.push_str("## Commands\n\n");
        for tool in &survey.tools {
            let _ = writeln!(text, "- {}: `{}`", tool.purpose.word(), tool.command);
            from.push(tool.file);
        }
        text.push('\n');
        said.push("commands".to_owned());
    }
    if let Some(rules) = survey.rules.as_ref().filter(|rules| !rules.lines.is_empty()) {
        let mut section = None;
        for rule in &rules.lines {
            if section != Some(&rule.section) {
                let heading = if rule.section.is_empty() { "Rules" } else { rule.section.as_str() };
                let _ = write!(text, "{}## {}\n\n", if section.is_some() { "\n" } else { "" }, one_line(heading));
                section = Some(&rule.section);
            }
            let _ = writeln!(text, "- {}", one_line(&rule.text));
        }
        from.push(&rules.file);
        said.push(match rules.lines.len() {
            1 => format!("1 rule from {}", rules.file),
            count => format!("{count} rules from {}", rules.file),
        });
    }
    file(CONVENTIONS, "Conventions", &text, &from, &said)
}

/// What the project is, and where things are.
fn architecture(survey: &Survey) -> Option<Draft> {
    let mut text = String::new();
    let mut from: Vec<&str> = Vec::new();
    let mut said = Vec::new();
    for paragraph in survey.about() {
        let _ = write!(text, "{}\n\n", one_line(paragraph));
    }
    match &survey.readme {
        Some(readme) if !readme.lines.is_empty() => from.push(&readme.file),
        _ => from.extend(survey.manifests.iter().filter(|manifest| manifest.description.is_some()).map(|manifest| manifest.file)),
    }
    if !text.is_empty() {
        said.push(format!("what {} says", from.join(" and ")));
    }
    let described =
        survey.directories.iter().filter_map(|directory| Some((&directory.path, directory.about.as_deref().or(directory.language)?)));
    let described: Vec<_> = described.collect();
    if !described.is_empty() {
        text.push_str("## Layout\n\n");
        for (path, words) in &described {
            let _ = writeln!(text, "- `{}`: {}", one_line(path), one_line(words));
        }
        from.push("the directories");
        said.push(match described.len() {
            1 => "1 directory".to_owned(),
            count => format!("{count} directories"),
        });
    }
    file(ARCHITECTURE, "Architecture", &text, &from, &said)
}

fn file(name: &'static str, title: &str, text: &str, from: &[&str], said: &[String]) -> Option<Draft> {
    if text.is_empty() {
        return None;
    }
    let mut named: Vec<&str> = Vec::new();
    for file in from {
        if !named.contains(file) {
            named.push(file);
        }
    }
    let last = named.pop().unwrap_or_default();
    let named = if named.is_empty() { last.to_owned() } else { format!("{} and {last}", named.join(", ")) };
    let comment = format!("{MARK}, from {named}.\nRead it, correct it, then delete this comment. -->");
    Some(Draft { name, text: format!("# {title}\n\n{comment}\n\n{}\n", text.trim_end()), summary: said.join(", ") })
}
