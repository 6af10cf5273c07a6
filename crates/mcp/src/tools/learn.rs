//! `learn`: knowledge, a decision or a learning. What would change is planned first, so that the user can see it.

use std::path::{Path, PathBuf};

use briefing_core::Failure;
use briefing_core::shown::path_text;
use briefing_core::sources::Change;
use briefing_core::sources::domains::{self, NewEntry};
use briefing_core::sources::gate::{self, Record, RecordKind};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use rmcp::schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Call;
use crate::answer::Answer;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(crate = "rmcp::schemars")]
pub(crate) struct Parameters {
    kind: Kind,
    /// One line
    title: String,
    /// Details; of a decision what was decided, of a learning the lesson
    body: Option<String>,
    /// What led to the decision or learning
    context: Option<String>,
    /// Why this option; needed for a decision
    rationale: Option<String>,
    /// Of knowledge: what to find it by, separated by commas
    topics: Option<String>,
    /// Of knowledge: decision, rule, pattern, gotcha, fact, context or process; default: fact
    r#type: Option<String>,
    /// Path in the domain; default: the project
    path: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(crate = "rmcp::schemars")]
enum Kind {
    Knowledge,
    Decision,
    Learning,
}

/// A change that was planned but not written.
pub(crate) struct Learning {
    parameters: Parameters,
    now: Timestamp,
    pub(crate) change: Change,
    warnings: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Learned {
    path: String,
    diff: String,
    warnings: Vec<String>,
}

/// Plans and writes without asking. The server calls this only where the user allows it.
pub(super) fn write(call: &Call<'_>, parameters: &Parameters) -> Result<Answer, Failure> {
    Learning::plan(call, parameters.clone(), call.host.now())?.write(call)
}

impl Learning {
    /// Plans the change. `now` is the time that the entry will have.
    pub(crate) fn plan(call: &Call<'_>, parameters: Parameters, now: Timestamp) -> Result<Self, Failure> {
        let (change, warnings) = match parameters.kind {
            Kind::Knowledge => {
                let learned = domains::plan_learn(&call.project.path(parameters.path.as_deref()), &parameters.entry(), now)?;
                (learned.change, learned.warnings)
            }
            Kind::Decision | Kind::Learning => {
                let directory = directory(call)?;
                (parameters.with_record(now, |record| gate::plan_record(&directory, record))?, Vec::new())
            }
        };
        Ok(Self { parameters, now, change, warnings })
    }

    /// Writes the change.
    pub(crate) fn write(&self, call: &Call<'_>) -> Result<Answer, Failure> {
        let state = call.project.places.state.as_deref();
        let (path, diff) = match self.parameters.kind {
            Kind::Knowledge => {
                let learned =
                    domains::learn(&call.project.path(self.parameters.path.as_deref()), &self.parameters.entry(), self.now, state)?;
                (learned.change.path.clone(), learned.change.diff())
            }
            Kind::Decision | Kind::Learning => {
                let directory = directory(call)?;
                let path = self.parameters.with_record(self.now, |record| gate::add_record(&directory, record, state))?;
                (path, self.change.diff())
            }
        };
        let path = path_text(Path::new(&path));
        let warnings = self.warnings.iter().map(|warning| format!("note: {warning}\n")).collect::<Vec<_>>().concat();
        let words = format!("Added to {path}.\n{warnings}{diff}");
        Ok(Answer::facts(words, &Learned { path, diff, warnings: self.warnings.clone() }))
    }
}

impl Parameters {
    fn entry(&self) -> NewEntry {
        let body = [&self.context, &self.rationale, &self.body].into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join("\n\n");
        NewEntry {
            title: self.title.clone(),
            kind: self.r#type.clone().unwrap_or_else(|| "fact".to_owned()),
            topics: self.topics.clone().unwrap_or_default(),
            body,
            allows_secrets: false,
        }
    }

    fn with_record<T>(&self, now: Timestamp, work: impl FnOnce(&Record<'_>) -> Result<T, Failure>) -> Result<T, Failure> {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let (body, context, rationale) = (text(&self.body), text(&self.context), text(&self.rationale));
        let decided = if body.trim().is_empty() { &self.title } else { &body };
        let decision = [("Status", "Accepted"), ("Context", &context), ("Decision", decided), ("Rationale", &rationale)];
        let learning = [("Context", context.as_str()), ("Lesson", body.as_str())];
        if self.kind == Kind::Decision && (context.trim().is_empty() || rationale.trim().is_empty()) {
            return Err(
                Failure::usage("a decision needs `context` and `rationale`").hint("say what led to it, and why this option was chosen")
            );
        }
        let (kind, fields): (_, &[(&str, &str)]) =
            if self.kind == Kind::Decision { (RecordKind::Decision, &decision) } else { (RecordKind::Learning, &learning) };
        let stamp = now.to_zoned(TimeZone::system()).strftime("%Y-%m-%d-%H%M%S").to_string();
        work(&Record { kind, title: &self.title, fields, stamp: &stamp, allows_secrets: false })
    }
}

/// Returns the directory with the core files.
fn directory(call: &Call<'_>) -> Result<PathBuf, Failure> {
    gate::find_directory(&call.project.places, &call.project.settings).ok_or_else(|| {
        Failure::new("this project has no `.context` directory for decisions and learnings")
            .hint("`kind`: \"knowledge\" writes to a domain; `brief init context` creates the directory")
    })
}
