//! Does what was planned.

use std::path::PathBuf;

use briefing_core::Failure;
use briefing_core::fs::{FileProblem, read_own_bytes, write_atomic};
use briefing_core::shown::path_text;

use super::record::Record;
use super::{MAX_SETTINGS, Part, Plan, Planned, Request, order, parts};
use crate::install::plan::Direction;

/// Makes the changes of a plan, in order. The record comes first, so whatever has been done can be taken back.
pub fn apply(plan: &mut Plan, request: &Request<'_>) -> Result<(), Failure> {
    if plan.changes.is_empty() {
        return Ok(());
    }
    let own: Vec<&Planned> = plan.changes.iter().filter(|planned| !matches!(planned.part, Part::Agent(_))).collect();
    own.iter().try_for_each(|planned| require_unchanged(planned))?;
    if let Some(state) = &plan.state {
        Record::with(state, &plan.found.project, &plan.changes).write(state)?;
    }
    own.into_iter().try_for_each(write)?;
    let Some(state) = &plan.state else { return Ok(()) };
    let parts = parts(request);
    let order = order(request.scope, Direction::In, &parts, request.program, state);
    // A file that cannot be written is not among the changes.
    let is_planned = |file: &PathBuf| plan.changes.iter().any(|planned| planned.file == *file);
    plan.steps.iter_mut().filter(|step| is_planned(&step.file)).try_for_each(|step| step.apply(&order))
}

/// Fails if a file is not what it was when the user agreed to the change.
fn require_unchanged(planned: &Planned) -> Result<(), Failure> {
    let now = match read_own_bytes(&planned.file, MAX_SETTINGS) {
        Ok(bytes) => Some(bytes),
        Err(FileProblem::Missing) => None,
        Err(problem) => return Err(cannot_write(planned, &problem)),
    };
    if now == planned.before {
        return Ok(());
    }
    Err(Failure::new(format!("`{}` has changed in the meantime; nothing was written", path_text(&planned.file)))
        .hint("run `brief init` again"))
}

fn write(planned: &Planned) -> Result<(), Failure> {
    if let Some(parent) = planned.file.parent() {
        std::fs::create_dir_all(parent).map_err(|error| cannot_write(planned, &error.into()))?;
    }
    write_atomic(&planned.file, &planned.after).map_err(|problem| cannot_write(planned, &problem))
}

fn cannot_write(planned: &Planned, problem: &FileProblem) -> Failure {
    Failure::new(format!("cannot write `{}`", path_text(&planned.file)))
        .because(problem)
        .hint("`brief init --undo` takes back what was done")
}
