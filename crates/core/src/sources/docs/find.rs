//! Finds the indexes: the user's, which applies in every project, and the project's.

use std::path::{Path, PathBuf};

use super::entries;
use crate::fs::read_own_bytes;
use crate::note::{Note, NoteKind};
use crate::project::{SETTINGS_FILES, marked_or_self};
use crate::settings::{Places, Setting, Settings};
use crate::shown::{normalize, path_text};

/// The usual names of the project's index, tried in this order in each directory from here upward.
const USUAL: [&str; 4] = [".context/index.json", "docs/index.json", "index.json", "docs/project/index.yaml"];

/// The variables that name indexes. They can be checked without reading the settings.
pub const INDEX_VARIABLES: [&str; 2] = ["BRIEF_DOCS_INDEX", "BRIEF_DOCS_GLOBAL_INDEX"];

/// The indexes of a directory, and notes about problems with their settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexFiles {
    pub global: Option<PathBuf>,
    pub project: Option<PathBuf>,
    pub notes: Vec<Note>,
}

impl IndexFiles {
    /// Returns the indexes in the order in which their documents are delivered: global first, then the project's.
    pub fn files(&self) -> Vec<PathBuf> {
        self.global.iter().chain(&self.project).cloned().collect()
    }
}

/// Finds the indexes for the directory of a request.
pub fn find(places: &Places, settings: &Settings) -> IndexFiles {
    let mut found = IndexFiles::default();
    found.global = global(places, settings, &mut found.notes);
    found.project = project(places, settings, &mut found.notes);
    // In the directory of the user's own notes, both are the same index: use it only once.
    if found.global == found.project {
        found.global = None;
    }
    found
}

fn global(places: &Places, settings: &Settings, notes: &mut Vec<Note>) -> Option<PathBuf> {
    let named = &settings.docs.global_index.value;
    if named.is_empty() {
        return usual_global(places).filter(|path| path.is_file());
    }
    let path = match (named.strip_prefix("~/"), &places.home) {
        (Some(below), Some(home)) => home.join(below),
        _ => places.config.as_ref()?.join("brief").join(named),
    };
    checked(path, &settings.docs.global_index, notes)
}

fn usual_global(places: &Places) -> Option<PathBuf> {
    places.config.as_ref().map(|config| config.join("brief").join("index.json"))
}

fn project(places: &Places, settings: &Settings, notes: &mut Vec<Note>) -> Option<PathBuf> {
    let named = &settings.docs.index.value;
    if named.is_empty() {
        let mut usual = places.upward().flat_map(|directory| USUAL.iter().map(move |name| directory.join(name)));
        return usual.find(|path| path.is_file());
    }
    let directory = named_from(places);
    let path = normalize(&directory.join(named));
    let project = marked_or_self(directory);
    let is_inside = match std::fs::canonicalize(&path) {
        Ok(real) => std::fs::canonicalize(project).is_ok_and(|project| real.starts_with(project)),
        Err(_) => path.starts_with(project),
    };
    if !is_inside {
        let reason = format!("the project's index must be inside `{}`", path_text(project));
        notes.push(Note::warning(path_text(&path), NoteKind::Outside, reason).decided_by(settings.docs.index.decided_by()));
        return None;
    }
    checked(path, &settings.docs.index, notes)
}

/// Returns the directory that `docs.index` is relative to: that of the project's `brief.toml`, or else the project.
fn named_from(places: &Places) -> &Path {
    let has_file = |directory: &&Path| SETTINGS_FILES.iter().any(|name| directory.join(name).is_file());
    places.upward().find(has_file).unwrap_or_else(|| marked_or_self(&places.here))
}

fn checked(path: PathBuf, named_by: &Setting<String>, notes: &mut Vec<Note>) -> Option<PathBuf> {
    if path.is_file() {
        return Some(path);
    }
    notes.push(Note::warning(path_text(&path), NoteKind::Missing, "this index does not exist").decided_by(named_by.decided_by()));
    None
}

/// Returns, at the cost of a few `stat` calls, whether there can be documents for a message. Returns true if the
/// answer depends on settings.
pub fn may_be_here(places: &Places) -> bool {
    let has_usual = |directory: &Path| USUAL.iter().any(|name| directory.join(name).is_file());
    let names_one = |path: PathBuf| read_own_bytes(&path, 1024 * 1024).is_ok_and(|bytes| memchr::memmem::find(&bytes, b"index").is_some());
    entries::may_be_here(places)
        || usual_global(places).is_some_and(|path| path.is_file())
        || places.upward().any(has_usual)
        || places.project_file().is_some_and(names_one)
        || places.user_file().is_some_and(names_one)
}
