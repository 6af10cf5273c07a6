//! Reads files in a `.context/`: with a size limit, only inside the project, decoded, and without secrets.

use std::path::Path;

use super::find::boundary;
use crate::frames::defuse;
use crate::fs::{FileProblem, LinkProblem};
use crate::load::{Opened, Root, guard};
use crate::note::Note;

/// The maximum size of a file. A larger one is there by mistake and is left out with a note.
pub(super) const MAX_BYTES: u64 = 1024 * 1024;

/// Reads the files of one `.context`. Links may point anywhere inside the project, but not outside.
pub(super) struct Reader {
    root: Result<Root, FileProblem>,
}

impl Reader {
    pub(super) fn of(context: &Path) -> Self {
        Self { root: Root::open(boundary(context)) }
    }

    /// Reads a file for injection. Returns `Ok(None)` if it does not exist. The caller adds a note about a problem.
    pub(super) fn read(&self, path: &Path, shown: &str, redacts: bool, notes: &mut Vec<Note>) -> Result<Option<String>, FileProblem> {
        let opened = match self.open(path) {
            Ok(opened) => opened,
            Err(FileProblem::Missing) => return Ok(None),
            Err(problem) => return Err(problem),
        };
        let text = guard(shown, opened.text(MAX_BYTES)?, redacts, notes);
        let defused = defuse(&text);
        notes.extend(defused.note(shown));
        Ok(Some(defused.text.into_owned()))
    }

    /// Opens a file as it is on disk.
    pub(super) fn open(&self, path: &Path) -> Result<Opened, FileProblem> {
        let root = self.root.as_ref().map_err(Clone::clone)?;
        root.open_file(path).map_err(|problem| match problem {
            FileProblem::Missing if path.symlink_metadata().is_ok() => FileProblem::Link(LinkProblem::ToNothing),
            FileProblem::Outside { .. } => FileProblem::Link(LinkProblem::LeavesProject),
            other => other,
        })
    }
}
