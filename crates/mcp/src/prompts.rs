//! Prompts: the goals that are trusted. Getting one renders its template and runs nothing: where a script's output would
//! be, the prompt says which command to run.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use briefing_agents::Host;
use briefing_core::Failure;
use briefing_core::secrets::redact;
use briefing_core::settings::Places;
use briefing_goals::template::{self, Values};
use briefing_goals::{FoundGoal, Goal, Level, Trust, arguments, find};
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

use crate::caller::Caller;
use crate::project::Project;

/// Returns the trusted goals as prompts.
pub(crate) fn list(host: &dyn Host, caller: &Caller) -> Result<Vec<Prompt>, Failure> {
    let project = Project::open(host, caller)?;
    Ok(trusted(&project.places).map(|goal| prompt(&goal)).collect())
}

/// Returns the goals that may be used without a question, the nearest of each name.
fn trusted(places: &Places) -> impl Iterator<Item = Goal> {
    let trust = Trust::open(places.state.as_deref().unwrap_or(Path::new("/nonexistent")));
    find::all(places).into_iter().filter(|found| found.shadowed_by.is_none()).filter_map(move |found| {
        let FoundGoal { level, path, goal, .. } = found;
        goal.ok().filter(|goal| level != Level::Project || trust.is_trusted(&path, &goal.hash))
    })
}

fn prompt(goal: &Goal) -> Prompt {
    let argument = |parameter: &briefing_goals::Parameter| {
        let argument = PromptArgument::new(parameter.name.clone()).with_required(parameter.is_required);
        if parameter.description.is_empty() { argument } else { argument.with_description(parameter.description.clone()) }
    };
    let arguments: Vec<PromptArgument> = goal.parameters.iter().map(argument).collect();
    let prompt = Prompt::new(goal.name.clone(), goal.description.clone(), Some(arguments).filter(|arguments| !arguments.is_empty()));
    if goal.title == goal.name { prompt } else { prompt.with_title(goal.title.clone()) }
}

/// Renders a goal.
pub(crate) fn get(host: &dyn Host, caller: &Caller, name: &str, given: JsonObject) -> Result<GetPromptResult, Failure> {
    let project = Project::open(host, caller)?;
    let goal = trusted(&project.places).find(|goal| goal.name == name).ok_or_else(|| unknown(&project.places, name))?;
    let typed: Vec<String> = given.into_iter().map(|(name, value)| format!("--{name}={}", words(&value))).collect();
    let checked = arguments::check(&goal, &typed, &project.places.here)?;
    let mut values = Values { arguments: checked, ..Values::default() };
    let commands = template::commands(&goal, &values)?;
    values.context =
        commands.iter().map(|command| (command.name.clone(), format!("[run this and use its output: {}]", command.command))).collect();
    let mut text = template::prompt(&guarded(&goal, project.settings.guards.redact.value), &values)?;
    let paths = template::paths(&goal, &values)?;
    if !paths.is_empty() {
        let _ = write!(text, "\n\nThe files of this goal: {}. `pack` returns them.\n", paths.join(", "));
    }
    let result = GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]);
    Ok(match goal.description {
        Some(description) => result.with_description(description),
        None => result,
    })
}

/// Returns the goal with secrets redacted in the files that its prompt includes.
fn guarded(goal: &Goal, redacts: bool) -> Goal {
    let included: BTreeMap<String, String> = if redacts { template::included(goal).into_iter().collect() } else { BTreeMap::new() };
    let mut goal = goal.clone();
    goal.files.extend(included.into_iter().map(|(name, text)| (name, redact(&text).text.into_owned())));
    goal
}

fn words(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn unknown(places: &Places, name: &str) -> Failure {
    match find::named(places, name) {
        Ok((_, Level::Project)) => {
            Failure::new(format!("the goal `{name}` is not trusted")).hint("the user reviews and approves it with `brief trust`")
        }
        Ok(_) => Failure::new(format!("the goal `{name}` cannot be used")),
        Err(failure) => failure,
    }
}
