//! `select`: documents for a message, or source files for a task.

use std::time::{Duration, Instant};

use briefing_core::candidate::Body;
use briefing_core::settings::Settings;
use briefing_core::shown::path_text;
use briefing_core::sources::docs::{self, SelectRequest, way};
use briefing_core::sources::files::Rules;
use briefing_core::sources::requests::{Listing, choose};
use briefing_core::{Candidate, Failure};
use rmcp::schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Call;
use crate::answer::{Answer, told};

/// How many are selected unless the call says otherwise, and at most.
const USUAL: usize = 5;
const MOST: usize = 50;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(crate = "rmcp::schemars")]
pub(crate) struct Parameters {
    /// The request or task, in the user's words
    message: String,
    /// What to look for; default: documents
    kind: Option<Kind>,
    /// At most this many; default: 5
    limit: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(crate = "rmcp::schemars")]
enum Kind {
    Documents,
    Files,
}

#[derive(Debug, Serialize)]
struct Selection {
    selected: Vec<Choice>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<&'static str>,
}

#[derive(Debug, Serialize)]
struct Choice {
    /// What to pass to `read`.
    name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    title: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    description: String,
    reason: String,
}

pub(super) fn run(call: &Call<'_>, parameters: &Parameters) -> Result<Answer, Failure> {
    if parameters.message.trim().is_empty() {
        return Err(Failure::usage("the message is empty").hint("pass the user's request or the task in a sentence"));
    }
    let limit = parameters.limit.map_or(USUAL, |limit| usize::try_from(limit).unwrap_or(MOST)).clamp(1, MOST);
    let settings = &call.project.settings;
    let (selected, notes, none) = match parameters.kind {
        Some(Kind::Files) => (files(call, settings, &parameters.message, limit)?, Vec::new(), "no file has the words of the task"),
        _ => documents(call, settings, &parameters.message, limit)?,
    };
    let words: String = selected.iter().map(words).collect();
    let next = selected.is_empty().then_some("rephrase it, or search the source with `kind`: \"files\"");
    let words = match next {
        Some(next) => format!("nothing fits: {none}\nnext: {next}\n"),
        None => words,
    };
    Ok(Answer::facts(format!("{words}{}", notes.concat()), &Selection { selected, notes, next }))
}

fn words(choice: &Choice) -> String {
    let about = [&choice.title, &choice.description].into_iter().filter(|text| !text.is_empty());
    let about = about.map(|text| format!("{text}. ")).collect::<Vec<_>>().concat();
    format!("- {}: {about}({})\n", choice.name, choice.reason)
}

type Documents = (Vec<Choice>, Vec<String>, &'static str);

fn documents(call: &Call<'_>, settings: &Settings, message: &str, limit: usize) -> Result<Documents, Failure> {
    let places = &call.project.places;
    let deadline = Instant::now() + Duration::from_secs(600);
    let model = |message: &str, candidates: &[Candidate]| call.host.ask_model(settings, deadline, message, candidates);
    let request = SelectRequest { limit, model: Some(&model), ..SelectRequest::new(message, places, settings) };
    let choice = docs::select(&request).map_err(|failure| failure.hint("search the source with `kind`: \"files\""))?;
    let selected = choice.chosen().into_iter().map(|candidate| Choice {
        name: match candidate.about.body {
            Body::File { .. } => path_text(&way(&places.here, &candidate.path)),
            Body::Entry { .. } => path_text(&way(&places.here, std::path::Path::new(candidate.id()))),
        },
        title: candidate.title().to_owned(),
        description: candidate.about.description.clone(),
        reason: docs::reason_of(candidate, choice.is_models).to_string(),
    });
    let notes = told(&choice.notes).lines().map(|line| format!("{line}\n")).collect();
    Ok((selected.collect(), notes, "no document is about it"))
}

fn files(call: &Call<'_>, settings: &Settings, task: &str, limit: usize) -> Result<Vec<Choice>, Failure> {
    let here = &call.project.places.here;
    let rules = Rules::settle(settings, &[], &[], None)?;
    let listing = Listing::of(here, None, &[], &rules);
    let chosen = choose(task, &listing, limit);
    let choice =
        |name: String| Choice { name, title: String::new(), description: String::new(), reason: "has words of the task".to_owned() };
    Ok(chosen.into_iter().map(choice).collect())
}
