//! `maintain`: what is too large, stale, repeated or broken. A report only: tidying up is for people.

use briefing_core::sources::domains::maintain::{self, MaintainRules, STALE_ENTRY_DAYS};
use rmcp::schemars::JsonSchema;
use serde::Deserialize;

use super::Call;
use crate::answer::Answer;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(crate = "rmcp::schemars")]
pub(crate) struct Parameters {
    /// Directory; default: the project
    path: Option<String>,
}

pub(super) fn run(call: &Call<'_>, parameters: &Parameters) -> Answer {
    let files = &call.project.settings.files;
    let rules = MaintainRules {
        older_than_days: STALE_ENTRY_DAYS,
        skip: files.excluded_directories.value.clone(),
        honours_gitignore: files.gitignore.value,
    };
    let report = maintain::examine(&call.project.path(parameters.path.as_deref()), &rules, call.host.now());
    let next = if report.problems() > 0 { "next: tell the user; `brief maintain --apply` tidies up after showing a diff\n" } else { "" };
    Answer::facts(format!("{}{next}", maintain::report_text(&report)), &report)
}
