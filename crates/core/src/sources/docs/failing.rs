//! Lets tests make reading fail as it does while the system has no file handles left.

use std::cell::Cell;
use std::path::Path;

use crate::fs::FileProblem;

thread_local!(static NAME: Cell<&'static str> = const { Cell::new("") });

/// Calls a function during which files with this name cannot be opened.
pub(super) fn during<T>(name: &'static str, act: impl FnOnce() -> T) -> T {
    NAME.set(name);
    let result = act();
    NAME.set("");
    result
}

pub(super) fn check(file: &Path) -> Result<(), FileProblem> {
    let is_failing = file.file_name().is_some_and(|name| name == NAME.get());
    if is_failing { Err(FileProblem::Io("too many open files".into())) } else { Ok(()) }
}
