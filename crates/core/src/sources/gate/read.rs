//! Reading a file of `.context/`: bounded, inside the project, decoded, without secrets.

use std::path::{Path, PathBuf};

use super::find::boundary;
use super::frame;
use crate::fs::{self, FileProblem, LinkProblem};
use crate::note::{Note, NoteKind};
use crate::piece::guard;

/// A larger file is not context but an accident: it is left out, with a note.
pub(super) const MAX_BYTES: u64 = 1024 * 1024;

/// Reads a file for injection. `Ok(None)`: there is no such file. A problem is the caller's to note.
pub(super) fn read(path: &Path, shown: &str, redacts: bool, notes: &mut Vec<Note>) -> Result<Option<String>, FileProblem> {
    let Some(text) = raw(path)? else { return Ok(None) };
    let text = if redacts { guard(shown, text, notes) } else { text };
    let (text, quoted) = frame::neutral(text);
    if let Some(line) = quoted {
        let reason = format!("line {line} looks like a line of the gate's own; such lines are moved in by a space");
        notes.push(Note::warning(shown, NoteKind::Replaced, reason));
    }
    Ok(Some(text))
}

/// Reads the text as it is on disk.
fn raw(path: &Path) -> Result<Option<String>, FileProblem> {
    match place(path) {
        Ok(real) => fs::read_text(&real, MAX_BYTES).map(Some),
        Err(FileProblem::Missing) => Ok(None),
        Err(problem) => Err(problem),
    }
}

/// Returns where a file really is. Links may lead anywhere inside the project, and nowhere else.
pub(super) fn place(path: &Path) -> Result<PathBuf, FileProblem> {
    fs::beneath(boundary(path.parent().unwrap_or(path)), path).map_err(|problem| match problem {
        FileProblem::Missing if path.symlink_metadata().is_ok() => FileProblem::Link(LinkProblem::ToNothing),
        FileProblem::Outside { .. } => FileProblem::Link(LinkProblem::LeavesProject),
        other => other,
    })
}
