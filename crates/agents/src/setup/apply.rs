//! Does what was planned.

use briefing_core::Failure;
use briefing_core::fs::{FileProblem, read_own_bytes, write_atomic};
use briefing_core::shown::path_text;

use super::record::Record;
use super::{MAX_SETTINGS, Part, Plan, Planned};
use crate::install::record::Record as Installed;

/// Makes the changes of a plan, in order. The record comes first, so whatever has been done can be taken back.
pub fn apply(plan: &Plan) -> Result<(), Failure> {
    if plan.changes.is_empty() {
        return Ok(());
    }
    for planned in &plan.changes {
        require_unchanged(planned)?;
    }
    if let Some(state) = &plan.state {
        Record::with(state, &plan.found.project, &plan.changes).write(state)?;
    }
    plan.changes.iter().try_for_each(|planned| write(plan, planned))
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

fn write(plan: &Plan, planned: &Planned) -> Result<(), Failure> {
    let file = &planned.file;
    // `brief uninstall` must work as after `brief install`.
    if let (Part::Hooks(_), Some(state)) = (planned.part, &plan.state) {
        Installed::new(file, planned.before.clone(), &planned.after)
            .write(state, file)
            .map_err(|error| Failure::new(format!("cannot keep a copy of `{}`, so it was not changed", path_text(file))).because(&error))?;
    }
    if let Some(parent) = file.parent() {
        std::fs::create_dir_all(parent).map_err(|error| cannot_write(planned, &error.into()))?;
    }
    write_atomic(file, &planned.after).map_err(|problem| cannot_write(planned, &problem))
}

fn cannot_write(planned: &Planned, problem: &FileProblem) -> Failure {
    Failure::new(format!("cannot write `{}`", path_text(&planned.file)))
        .because(problem)
        .hint("`brief init --undo` takes back what was done")
}
