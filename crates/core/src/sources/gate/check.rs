//! Finds paths in core files that no longer exist: an agent believes what these files say.

use std::path::Path;

use serde::Serialize;

use super::message::Gate;
use super::plan::Strategy;
use super::read::Reader;
use crate::sources::references::{References, exists};

/// A path in a core file that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeadPath {
    /// The name of the file that has it.
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    pub path: String,
}

/// Returns the dead paths in the files that go in whole, in order. Decisions and tasks may speak of what is gone or is still
/// to come.
pub fn dead_paths(gate: &Gate) -> Vec<DeadPath> {
    let mut found = Vec::new();
    for section in gate.sections.iter().filter(|section| section.strategy == Strategy::Verbatim) {
        let directory = section.path.parent().unwrap_or(Path::new(""));
        // As on disk: what an agent receives lacks comments, and with them lines.
        let Ok(Some(text)) = Reader::of(directory).read(&section.path, &section.name, false, &mut Vec::new()) else { continue };
        for (at, path) in References::WithDirectories.find(&text) {
            if !exists(path, directory) {
                let line = text[..at].matches('\n').count() + 1;
                found.push(DeadPath { file: section.name.clone(), line, path: path.to_owned() });
            }
        }
    }
    found
}
