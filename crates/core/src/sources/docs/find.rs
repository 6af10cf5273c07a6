//! Finds the indexes: the user's, which applies in every project, and the project's.

use std::path::{Path, PathBuf};

use super::entries;
use crate::fs::read_own_bytes;
use crate::note::{Note, NoteKind};
use crate::project::{SETTINGS_FILES, marked_or_self, repository_or_self};
use crate::settings::{Places, Setting, Settings};
use crate::shown::{normalize, path_text};

/// The usual names of an index that `brief index` writes. In a directory, the first one that exists is used.
const WRITTEN: [&str; 3] = [".context/index.json", "docs/index.json", "index.json"];
/// The directory whose YAML indexes are used too: its own, and one in each of its directories.
const DOCS: &str = "docs";
const YAML: &str = "index.yaml";
/// Directories that belong to the one above them: an `index.json` in them is found from there.
const PARTS: [&str; 2] = [".context", DOCS];

/// The variables that name indexes. They can be checked without reading the settings.
pub const INDEX_VARIABLES: [&str; 2] = ["BRIEF_DOCS_INDEX", "BRIEF_DOCS_GLOBAL_INDEX"];

/// An index file, and what it may lead to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexFile {
    pub file: PathBuf,
    pub reach: Reach,
}

/// What an index may lead to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// The user's own configuration names it: it is trusted with its root, wherever that is.
    Anywhere,
    /// It was named for one request. Its documents must be in its own project.
    Project,
    /// It was found in a project, or the project's settings name it. It must be inside this directory even behind
    /// links, and its documents in its own project.
    Below(PathBuf),
}

impl IndexFile {
    /// Makes an index that was named for one request.
    pub fn named(file: impl Into<PathBuf>) -> Self {
        Self { file: file.into(), reach: Reach::Project }
    }
}

/// The indexes of a directory, and notes about problems with their settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexFiles {
    pub global: Option<IndexFile>,
    pub project: Vec<IndexFile>,
    pub notes: Vec<Note>,
}

impl IndexFiles {
    /// Returns the indexes in the order in which their documents are delivered: global first, then the project's.
    pub fn files(&self) -> Vec<IndexFile> {
        self.global.iter().chain(&self.project).cloned().collect()
    }
}

/// Finds the indexes for the directory of a request.
pub fn find(places: &Places, settings: &Settings) -> IndexFiles {
    let mut found = IndexFiles::default();
    found.global = global(places, settings, &mut found.notes);
    found.project = project(places, settings, &mut found.notes);
    // In the directory of the user's own notes, an index may be found both ways: use it only once.
    found.project.retain(|index| found.global.as_ref().is_none_or(|global| global.file != index.file));
    found
}

fn global(places: &Places, settings: &Settings, notes: &mut Vec<Note>) -> Option<IndexFile> {
    let named = &settings.docs.global_index.value;
    let file = if named.is_empty() {
        usual_global(places).filter(|path| path.is_file())?
    } else {
        let path = in_home(named, places).or_else(|| Some(places.config.as_ref()?.join("brief").join(named)))?;
        existing(path, &settings.docs.global_index, notes)?
    };
    Some(IndexFile { file, reach: Reach::Anywhere })
}

fn in_home(named: &str, places: &Places) -> Option<PathBuf> {
    Some(places.home.as_ref()?.join(named.strip_prefix("~/")?))
}

fn usual_global(places: &Places) -> Option<PathBuf> {
    places.config.as_ref().map(|config| config.join("brief").join("index.json"))
}

fn project(places: &Places, settings: &Settings, notes: &mut Vec<Note>) -> Vec<IndexFile> {
    let setting = &settings.docs.index;
    let names: Vec<&String> = setting.value.iter().filter(|name| !name.is_empty()).collect();
    if names.is_empty() {
        return usual(places);
    }
    let directory = named_from(places);
    let project = marked_or_self(directory);
    let mut indexes: Vec<IndexFile> = Vec::new();
    for name in names {
        let is_the_persons = setting.origin.source.is_the_persons();
        let in_home = in_home(name, places).filter(|_| is_the_persons);
        let path = in_home.unwrap_or_else(|| normalize(&directory.join(name)));
        let reach = if is_the_persons { Reach::Anywhere } else { Reach::Below(project.to_path_buf()) };
        if !is_the_persons && !is_inside(&path, project) {
            let reason = format!("the project's index must be inside `{}`", path_text(project));
            notes.push(Note::warning(path_text(&path), NoteKind::Outside, reason).decided_by(setting.decided_by()));
            continue;
        }
        indexes.extend(existing(path, setting, notes).map(|file| IndexFile { file, reach }));
    }
    indexes.dedup();
    indexes
}

fn is_inside(path: &Path, project: &Path) -> bool {
    match std::fs::canonicalize(path) {
        Ok(real) => std::fs::canonicalize(project).is_ok_and(|project| real.starts_with(project)),
        Err(_) => path.starts_with(project),
    }
}

/// Returns the directory that `docs.index` is relative to: that of the project's `brief.toml`, or else the project.
pub fn named_from(places: &Places) -> &Path {
    let has_file = |directory: &&Path| SETTINGS_FILES.iter().any(|name| directory.join(name).is_file());
    places.upward().find(has_file).unwrap_or_else(|| marked_or_self(&places.here))
}

fn existing<T>(path: PathBuf, named_by: &Setting<T>, notes: &mut Vec<Note>) -> Option<PathBuf> {
    if path.is_file() {
        return Some(path);
    }
    notes.push(Note::warning(path_text(&path), NoteKind::Missing, "this index does not exist").decided_by(named_by.decided_by()));
    None
}

/// Returns the indexes of a directory where no settings name others.
pub fn usual_files(places: &Places) -> Vec<IndexFile> {
    let global = usual_global(places).filter(|path| path.is_file()).map(|file| IndexFile { file, reach: Reach::Anywhere });
    let mut files = usual(places);
    files.retain(|index| global.as_ref().is_none_or(|global| global.file != index.file));
    global.into_iter().chain(files).collect()
}

/// Returns the indexes of the nearest directory that has any.
fn usual(places: &Places) -> Vec<IndexFile> {
    let mut directories = places.upward().peekable();
    while let Some(directory) = directories.next() {
        let mut files: Vec<PathBuf> = written_in(directory, directories.peek().is_some()).into_iter().collect();
        files.extend(yaml_in(directory));
        if !files.is_empty() {
            let reach = Reach::Below(repository_or_self(directory).to_path_buf());
            return files.into_iter().map(|file| IndexFile { file, reach: reach.clone() }).collect();
        }
    }
    Vec::new()
}

/// Returns the index of a directory that `brief index` writes.
pub(super) fn written_in(directory: &Path, has_more_above: bool) -> Option<PathBuf> {
    let is_part = has_more_above && PARTS.iter().any(|part| directory.ends_with(part));
    let names = WRITTEN.iter().filter(|name| !is_part || name.contains('/'));
    names.map(|name| directory.join(name)).find(|path| path.is_file())
}

/// Returns the usual places of the index of a root, in order.
pub(super) fn places_in(root: &Path) -> [PathBuf; 3] {
    WRITTEN.map(|name| root.join(name))
}

/// Returns the YAML indexes in the `docs/` of a directory.
fn yaml_in(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory.join(DOCS)) else { return Vec::new() };
    let may_be_directory = |entry: &std::fs::DirEntry| entry.file_type().is_ok_and(|kind| !kind.is_file());
    let mut files: Vec<PathBuf> = entries.flatten().filter(may_be_directory).map(|entry| entry.path().join(YAML)).collect();
    files.push(directory.join(DOCS).join(YAML));
    files.retain(|file| file.is_file());
    // The directory's own comes first.
    files.sort_by_key(|file| (file.components().count(), file.clone()));
    files
}

/// Returns, at the cost of a few `stat` calls, whether there can be documents for a message. Returns true if the
/// answer depends on settings.
pub fn may_be_here(places: &Places) -> bool {
    let has_usual = |directory: &Path| written_in(directory, false).is_some() || !yaml_in(directory).is_empty();
    let names_one = |path: PathBuf| read_own_bytes(&path, 1024 * 1024).is_ok_and(|bytes| memchr::memmem::find(&bytes, b"index").is_some());
    entries::may_be_here(places)
        || usual_global(places).is_some_and(|path| path.is_file())
        || places.upward().any(has_usual)
        || places.project_file().is_some_and(names_one)
        || places.user_file().is_some_and(names_one)
}
