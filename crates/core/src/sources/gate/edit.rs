//! Changes one file of a `.context` directory: under a lock, and atomically.

use std::path::{Path, PathBuf};

use super::read::{MAX_BYTES, Reader};
use crate::Failure;
use crate::fs::{self, FileProblem};
use crate::lock::Lock;
use crate::shown::path_text;
use crate::sources::Change;

/// A file that is about to be changed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Draft<'a> {
    /// Its exact text, including a byte order mark.
    pub(super) text: &'a str,
    /// The file's line ending.
    pub(super) line_break: &'static str,
}

/// Changes a file by `change` under a lock. A missing file starts as `new_file`, if there is one.
pub(super) fn change(
    context: &Path,
    name: &str,
    new_file: Option<&str>,
    state: Option<&Path>,
    change: impl FnOnce(&Draft<'_>) -> Result<String, Failure>,
) -> Result<PathBuf, Failure> {
    let _lock = Lock::of(context, state)?;
    let planned = plan(context, name, new_file, change)?;
    if !planned.is_empty() {
        let after = planned.after();
        fs::write_atomic(&planned.path, after.as_bytes()).map_err(|problem| cannot_change(&planned.path, &problem))?;
    }
    Ok(planned.path)
}

/// Returns what [`change`] would write, without writing it.
pub(super) fn plan(
    context: &Path,
    name: &str,
    new_file: Option<&str>,
    change: impl FnOnce(&Draft<'_>) -> Result<String, Failure>,
) -> Result<Change, Failure> {
    let path = context.join(name);
    let cannot = |problem: &FileProblem| cannot_change(&path, problem);
    let mut is_new = false;
    let text = match (Reader::of(context).open(&path), new_file) {
        (Ok(opened), _) => {
            let bytes = opened.bytes(MAX_BYTES).map_err(|problem| cannot(&problem))?;
            String::from_utf8(bytes).map_err(|error| cannot(&FileProblem::NotUtf8 { offset: error.utf8_error().valid_up_to() }))?
        }
        (Err(FileProblem::Missing), Some(new_file)) => {
            is_new = true;
            new_file.to_owned()
        }
        (Err(problem), _) => return Err(cannot(&problem)),
    };
    let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let new = change(&Draft { text: &text, line_break })?;
    Ok(Change::between(path, (!is_new).then_some(text), &new))
}

fn cannot_change(path: &Path, problem: &FileProblem) -> Failure {
    Failure::new(format!("cannot change `{}`", path_text(path))).because(problem)
}
