//! Reading the files of a `.megg` directory so that one bad file costs only itself.

use std::path::Path;

use crate::fs::{self, FileProblem, LinkProblem};
use crate::note::{Note, NoteKind};
use crate::shown::path_text;

/// The directory that makes its parent a domain.
pub const DIRECTORY: &str = ".megg";
pub(super) const INFO: &str = "info.md";
pub(super) const KNOWLEDGE: &str = "knowledge.md";
pub(super) const STATE: &str = "state.md";

/// No file larger than this is read. It is far beyond what anybody loads, and still read in a fraction of a second.
pub(super) const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Reads a text file. A missing file is nothing; everything else that goes wrong is also a note.
///
/// Bytes that are not UTF-8 become U+FFFD: the rest of the file is worth more than their exactness.
pub(super) fn read(path: &Path, notes: &mut Vec<Note>) -> Option<String> {
    let problem = match link_problem(path, notes).map_or_else(|| fs::read_text(path, MAX_BYTES), Err) {
        Ok(text) => return Some(text),
        Err(FileProblem::Missing) => return None,
        Err(FileProblem::NotUtf8 { offset }) => {
            let reason = format!("is not UTF-8 (first bad byte at {offset}): what could not be read is shown as \u{FFFD}");
            notes.push(Note::warning(path_text(path), NoteKind::Replaced, reason));
            let bytes = fs::read_bytes(path, MAX_BYTES).ok()?;
            return Some(String::from_utf8_lossy(&bytes).into_owned());
        }
        Err(problem) => problem,
    };
    notes.push(Note::warning(path_text(path), problem.kind(), problem.to_string()));
    None
}

/// Follows a link only to another `.md` file: a repository must not lead us to `~/.netrc` under the name of `info.md`.
fn link_problem(path: &Path, notes: &mut Vec<Note>) -> Option<FileProblem> {
    if !path.is_symlink() {
        return None;
    }
    match std::fs::canonicalize(path) {
        Ok(real) if real.extension().is_some_and(|extension| extension == "md") => {
            notes.push(Note::info(path_text(path), NoteKind::Link, format!("is a link to `{}`", path_text(&real))));
            None
        }
        Ok(_) => Some(FileProblem::Link(LinkProblem::NotMarkdown)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some(FileProblem::Link(LinkProblem::ToNothing)),
        Err(error) => Some(error.into()),
    }
}
