//! `brief goals`: lists all goals, where each comes from, and which one runs.

use std::fmt::Write as _;
use std::path::Path;

use briefing_core::Failure;
use briefing_core::settings::Places;
use briefing_core::shown::{one_line, path_text, relative_text};
use briefing_goals::{FoundGoal, Level, Trust, find};
use clap::Args;
use serde_json::{Value, json};

use crate::{environment, output, talk};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let places = environment::places()?;
    let trust = trust(&places);
    let found = find::all(&places);
    if arguments.json {
        let all: Vec<_> = found.iter().map(|found| described(found, &trust)).collect();
        return output::print(&format!("{:#}\n", json!({ "goals": all })));
    }
    let width = found.iter().map(|found| found.name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for found in &found {
        let description = match &found.goal {
            Ok(goal) => one_line(goal.description.as_deref().unwrap_or_default().trim()).into_owned(),
            Err(failure) => one_line(&failure.to_string()).into_owned(),
        };
        let line = format!("{:width$}  {description}", one_line(&found.name));
        let _ = writeln!(text, "{}", line.trim_end());
        let _ = writeln!(text, "{:width$}  {}{}", "", one_line(&place(&found.path, &places)), remark(found, &trust, &places));
    }
    output::print(&text)?;
    if found.iter().all(|found| found.level == Level::Bundled) {
        talk::hint("these come with brief; `brief goal add NAME` creates your own");
    }
    Ok(())
}

/// Opens the user's trust file. Without a home directory nothing is trusted.
pub(crate) fn trust(places: &Places) -> Trust {
    let trust = Trust::open(places.state.as_deref().unwrap_or(Path::new("/nonexistent")));
    if let Some(problem) = &trust.problem {
        talk::warning(&format!("nothing is trusted: {problem}"));
    }
    trust
}

/// Returns a path relative to the current directory or, with `~/`, to the home directory.
pub(crate) fn place(path: &Path, places: &Places) -> String {
    match places.home.as_deref().and_then(|home| path.strip_prefix(home).ok()) {
        Some(below) if !path.starts_with(&places.here) => format!("~/{}", path_text(below)),
        _ => relative_text(path, &places.here),
    }
}

/// Returns whether a goal may run without asking.
pub(crate) fn is_trusted(found: &FoundGoal, trust: &Trust) -> bool {
    found.level != Level::Project || found.goal.as_ref().is_ok_and(|goal| trust.is_trusted(&found.path, &goal.hash))
}

fn remark(found: &FoundGoal, trust: &Trust, places: &Places) -> String {
    match (&found.goal, &found.shadowed_by) {
        (_, Some(nearer)) => format!("  (shadowed by {})", one_line(&place(nearer, places))),
        (Err(_), None) => "  (broken)".into(),
        (Ok(_), None) if is_trusted(found, trust) => String::new(),
        (Ok(goal), None) if trust.has_changed(&found.path, &goal.hash) => "  (changed since it was trusted: `brief trust`)".into(),
        (Ok(_), None) => "  (not trusted yet: `brief trust`)".into(),
    }
}

fn described(found: &FoundGoal, trust: &Trust) -> Value {
    let mut value = json!({
        "name": found.name,
        "path": path_text(&found.path),
        "level": match found.level { Level::Project => "project", Level::User => "user", Level::Bundled => "bundled" },
        "trusted": is_trusted(found, trust),
    });
    if let Some(nearer) = &found.shadowed_by {
        value["shadowed_by"] = json!(path_text(nearer));
    }
    match &found.goal {
        Err(failure) => value["error"] = json!(failure.to_string()),
        Ok(goal) => {
            value["title"] = json!(goal.title);
            value["description"] = json!(goal.description);
            value["context"] = json!(goal.context);
            value["pass_env"] = json!(goal.pass_env);
            let parameter = |parameter: &briefing_goals::Parameter| {
                json!({
                    "name": parameter.name,
                    "description": parameter.description,
                    "required": parameter.is_required,
                    "type": parameter.kind.words(),
                    "default": parameter.default,
                })
            };
            value["parameters"] = goal.parameters.iter().map(parameter).collect();
            value["scripts"] =
                goal.scripts.iter().map(|script| (script.name.clone(), json!(script.command))).collect::<serde_json::Map<_, _>>().into();
        }
    }
    value
}
