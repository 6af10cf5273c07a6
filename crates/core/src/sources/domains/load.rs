//! Reads the files of a `.megg` directory. A problem with one file affects only that file.

use std::path::Path;

use crate::fs::{FileProblem, LinkProblem};
use crate::load::{self, Opened, Root};
use crate::note::{Note, NoteKind};
use crate::shown::path_text;

/// The directory that makes its parent a domain.
pub const DIRECTORY: &str = ".megg";
pub(super) const INFO: &str = "info.md";
pub(super) const KNOWLEDGE: &str = "knowledge.md";
pub(super) const STATE: &str = "state.md";

/// The maximum size of a file. It is far more than is ever loaded, and can still be read in a fraction of a second.
pub(super) const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Reads a text file in a `.megg` directory. A missing file is `None`; any other problem also adds a note.
///
/// Bytes that are not UTF-8 become U+FFFD, because the rest of the file is still useful.
pub(super) fn read(path: &Path, notes: &mut Vec<Note>) -> Option<String> {
    match open(path, notes).and_then(|opened| opened.lossy_text(MAX_BYTES)) {
        Ok((text, None)) => Some(text),
        Ok((text, Some(offset))) => {
            let reason = format!("is not UTF-8 (first invalid byte at {offset}); invalid bytes are shown as \u{FFFD}");
            notes.push(Note::warning(path_text(path), NoteKind::Replaced, reason));
            Some(text)
        }
        Err(FileProblem::Missing) => None,
        Err(problem) => {
            notes.push(Note::warning(path_text(path), problem.kind(), problem.to_string()));
            None
        }
    }
}

/// Opens a file in its directory. A link is followed only to another `.md` file, which may be anywhere: a repository
/// must not make us read `~/.netrc` as `info.md`.
fn open(path: &Path, notes: &mut Vec<Note>) -> Result<Opened, FileProblem> {
    let (Some(megg), Some(name)) = (path.parent(), path.file_name()) else { return load::open_named(path) };
    match Root::open(megg)?.open_plain(Path::new(name)) {
        Err(FileProblem::Link(_)) => {}
        opened => return opened,
    }
    let real = std::fs::canonicalize(path).map_err(|error| match FileProblem::from(error) {
        FileProblem::Missing => FileProblem::Link(LinkProblem::ToNothing),
        problem => problem,
    })?;
    if real.extension().is_none_or(|extension| extension != "md") {
        return Err(FileProblem::Link(LinkProblem::NotMarkdown));
    }
    notes.push(Note::info(path_text(path), NoteKind::Link, format!("is a link to `{}`", path_text(&real))));
    load::open_real(&real)
}
