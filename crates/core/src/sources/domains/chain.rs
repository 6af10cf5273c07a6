//! The chain of domains from the root of the file system down to a path.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Serialize, Serializer};

use super::front_matter::{FrontMatter, without_front_matter};
use super::load::{self, DIRECTORY, INFO, Reading};
use super::moment;
use crate::fs::{FileProblem, LinkProblem};
use crate::load::guard;
use crate::note::{Note, NoteKind};
use crate::project::{Ceiling, upward};
use crate::shown::{normalize, path_text};

/// The age in days from which an `info.md` is stale.
pub const STALE_INFO_DAYS: i64 = 30;

/// One domain of the chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Level {
    /// The name of the directory that contains `.megg`.
    pub domain: String,
    #[serde(serialize_with = "as_text")]
    pub path: PathBuf,
    #[serde(serialize_with = "as_text")]
    pub megg_path: PathBuf,
    /// The text of `info.md` without front matter; empty if it could not be read.
    pub info: String,
    /// Why `info` is empty although the file exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// A one-line warning if the file has not been updated for a month.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale_warning: Option<String>,
}

impl Level {
    /// Returns the path of this level's `info.md`.
    pub fn info_path(&self) -> PathBuf {
        self.megg_path.join(INFO)
    }
}

pub(super) fn as_text<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path_text(path))
}

/// The chain of a path, root first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    pub levels: Vec<Level>,
    /// The directory that the request is about: the path itself, or its parent if it is a file.
    pub asked: PathBuf,
    /// The deepest `.megg` directory, with or without `info.md`: knowledge and state are read from it.
    pub deepest: Option<PathBuf>,
}

impl Chain {
    /// Walks from `path` (absolute; need not exist) up to the root of the file system.
    pub fn discover(path: &Path, now: Timestamp, reading: Reading<'_>, notes: &mut Vec<Note>) -> Self {
        let asked = asked_directory(path);
        let mut levels = Vec::new();
        let mut deepest = None;
        for directory in upward(&asked, Ceiling::FileSystem) {
            let megg = directory.join(DIRECTORY);
            if is_domain(directory, &megg, reading, notes) {
                levels.extend(read_level(directory, &megg, now, reading, notes));
                deepest.get_or_insert(megg);
            }
        }
        levels.reverse();
        Self { levels, asked, deepest }
    }
}

/// Returns the nearest `.megg` directory at or above `path` without reading anything in it.
pub(super) fn nearest(path: &Path) -> Option<PathBuf> {
    nearest_above(&asked_directory(path))
}

/// Returns the nearest `.megg` directory of `directory` or one above it.
pub fn nearest_above(directory: &Path) -> Option<PathBuf> {
    all_above(directory).next()
}

/// Returns the `.megg` directories of `directory` and of those above it, the deepest first.
pub(super) fn all_above(directory: &Path) -> impl Iterator<Item = PathBuf> {
    upward(directory, Ceiling::FileSystem).map(|directory| directory.join(DIRECTORY)).filter(|megg| megg.is_dir())
}

/// Returns `path` if it is a directory, otherwise its parent. A path that does not exist is treated as a directory.
pub(super) fn asked_directory(path: &Path) -> PathBuf {
    let path = normalize(path);
    let is_file = fs::metadata(&path).is_ok_and(|metadata| !metadata.is_dir());
    match path.parent() {
        Some(parent) if is_file => parent.to_path_buf(),
        _ => path,
    }
}

fn is_domain(directory: &Path, megg: &Path, reading: Reading<'_>, notes: &mut Vec<Note>) -> bool {
    let metadata = match fs::symlink_metadata(megg) {
        Ok(metadata) if metadata.is_symlink() => {
            match reading.target(megg, directory) {
                Ok(real) => notes.push(Note::info(path_text(megg), NoteKind::Link, format!("is a link to `{}`", path_text(&real)))),
                Err(FileProblem::Link(LinkProblem::ToNothing)) => {
                    notes.push(Note::warning(path_text(megg), NoteKind::Link, "is a broken link"));
                }
                Err(problem) => {
                    notes.push(Note::warning(path_text(megg), problem.kind(), load::told(&problem)));
                    return false;
                }
            }
            fs::metadata(megg)
        }
        other => other,
    };
    match metadata {
        Ok(metadata) if metadata.is_dir() => true,
        Ok(_) => {
            notes.push(Note::warning(path_text(megg), NoteKind::NotRegular, "is a file, but a domain needs a directory"));
            false
        }
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => false,
        Err(error) => {
            let problem = FileProblem::from(error);
            // A broken link was already noted above.
            if problem != FileProblem::Missing {
                notes.push(Note::warning(path_text(megg), problem.kind(), problem.to_string()));
            }
            false
        }
    }
}

/// Reads the `info.md` of a domain. Without that file the directory is not a level of the chain.
fn read_level(directory: &Path, megg: &Path, now: Timestamp, reading: Reading<'_>, notes: &mut Vec<Note>) -> Option<Level> {
    let path = megg.join(INFO);
    let before = notes.len();
    let text = load::read(&path, reading, notes);
    // A note about a link to another file is not a problem; one about a file that could not be read is.
    let problem = if text.is_some() { None } else { notes[before..].last().map(|note| note.reason.clone()) };
    if text.is_none() && problem.is_none() {
        return None;
    }
    let text = text.unwrap_or_default();
    let front = FrontMatter::find(&text);
    if front.is_some_and(|front| !front.is_plain()) {
        notes.push(Note::warning(
            path_text(&path),
            NoteKind::Format,
            "the lines between `---` at its top are not front matter and are shown as text",
        ));
    }
    let domain = directory.file_name().map_or_else(|| path_text(directory), |name| path_text(Path::new(name)));
    let updated = front.and_then(|front| moment::parse(front.value("updated")?));
    let stale_warning = updated.filter(|updated| now.duration_since(*updated).as_hours() >= STALE_INFO_DAYS * 24).map(|updated| {
        // Use the date, not the number of days, so that the same file gives the same text tomorrow.
        format!("The info.md of `{domain}` was last updated on {}: check that it is still true.", moment::day(updated))
    });
    if let Some(warning) = &stale_warning {
        notes.push(Note::info(path_text(&path), NoteKind::Stale, warning.clone()));
    }
    let info = guard(&path_text(&path), without_front_matter(&text).to_owned(), reading.redacts, notes);
    Some(Level { domain, path: directory.to_path_buf(), megg_path: megg.to_path_buf(), info, problem, stale_warning })
}
