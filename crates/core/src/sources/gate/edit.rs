//! Changing one file of a `.context` directory: locked, read as it is, written in one step.

use std::path::{Path, PathBuf};

use super::read::{MAX_BYTES, Reader};
use crate::Failure;
use crate::fs::{self, FileProblem};
use crate::lock::Lock;
use crate::shown::path_text;

/// A file on its way to being changed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Draft<'a> {
    /// Its text, byte for byte, a byte order mark included.
    pub(super) text: &'a str,
    /// How its lines end.
    pub(super) line_break: &'static str,
}

/// Changes a file by `change` while nobody else does. A missing file begins as `new_file`, where there is one.
pub(super) fn change(
    context: &Path,
    name: &str,
    new_file: Option<&str>,
    state: Option<&Path>,
    change: impl FnOnce(&Draft<'_>) -> Result<String, Failure>,
) -> Result<PathBuf, Failure> {
    let path = context.join(name);
    let cannot = |problem: &FileProblem| Failure::new(format!("cannot change `{}`", path_text(&path))).because(problem);
    let _lock = Lock::of(context, state)?;
    let text = match (Reader::of(context).open(&path), new_file) {
        (Ok(opened), _) => {
            let bytes = opened.bytes(MAX_BYTES).map_err(|problem| cannot(&problem))?;
            String::from_utf8(bytes).map_err(|error| cannot(&FileProblem::NotUtf8 { offset: error.utf8_error().valid_up_to() }))?
        }
        (Err(FileProblem::Missing), Some(new_file)) => new_file.to_owned(),
        (Err(problem), _) => return Err(cannot(&problem)),
    };
    let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let new = change(&Draft { text: &text, line_break })?;
    fs::write_atomic(&path, new.as_bytes()).map_err(|problem| cannot(&problem))?;
    Ok(path)
}
