//! `brief run GOAL --explain`: describes a goal and its parameters.

use std::fmt::Write as _;

use briefing_core::Failure;
use briefing_core::settings::Places;
use briefing_core::shown::one_line;
use briefing_goals::{Goal, Level, Parameter};

use crate::commands::goals::{place, trust};
use crate::output;

pub(super) fn print(goal: &Goal, level: Level, places: &Places) -> Result<(), Failure> {
    output::print(&text(goal, level, places))
}

fn text(goal: &Goal, level: Level, places: &Places) -> String {
    let mut text = format!("{}: {}\n", goal.name, goal.title);
    if let Some(description) = &goal.description {
        let _ = writeln!(text, "{}", description.trim());
    }
    let is_trusted = level != Level::Project || trust(places).is_trusted(&goal.path, &goal.hash);
    let remark = if is_trusted { "" } else { "  (not trusted yet: `brief trust`)" };
    let _ = writeln!(text, "{}{remark}", one_line(&place(&goal.path, places)));
    if !goal.parameters.is_empty() {
        text.push_str("\nParameters, after `--`:\n");
        for parameter in &goal.parameters {
            let _ = writeln!(text, "  --{} <{}>{}", parameter.name, parameter.kind.words(), about(parameter));
        }
    }
    if !goal.scripts.is_empty() {
        text.push_str("\nScripts:\n");
        for script in &goal.scripts {
            let _ = writeln!(text, "  {}:", script.name);
            for line in script.command.trim_end().lines() {
                let _ = writeln!(text, "    {line}");
            }
        }
    }
    if !goal.pass_env.is_empty() {
        let _ = writeln!(text, "\nReceives from the environment:\n  {}", goal.pass_env.join("\n  "));
    }
    if !goal.context.is_empty() {
        let _ = writeln!(text, "\nEmbeds, unless `-c` names other paths:\n  {}", goal.context.join("\n  "));
    }
    text
}

fn about(parameter: &Parameter) -> String {
    let default = parameter.default.as_deref().filter(|default| !default.is_empty());
    let need = match (parameter.is_required, default) {
        (true, None) => " (required)".to_owned(),
        (_, Some(default)) => format!(" (default: {default})"),
        (false, None) => String::new(),
    };
    if parameter.description.is_empty() { need } else { format!("  {}{need}", parameter.description.trim()) }
}
