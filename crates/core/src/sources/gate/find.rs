//! Finds the gate's files: the nearest directory with a core file in it, and the constitutions above it.
//!
//! The directory is `.context`, unless the settings name another one.

use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use super::plan::{CONSTITUTION, DECISIONS, LEARNINGS, Planned};
use crate::fs::read_own_bytes;
use crate::note::{Note, NoteKind};
use crate::project::repository_or_self;
use crate::settings::{Places, Settings};

/// The usual name of the directory.
pub const CONTEXT: &str = ".context";

/// The variable that says when the gate opens.
pub const OPENS_VARIABLE: &str = "BRIEF_GATE_OPENS";

/// The variables that name another directory. They can be checked without reading the settings.
pub const DIRECTORY_VARIABLES: [&str; 2] = ["BRIEF_GATE_DIRECTORY", "CTX_DIR"];

/// The directories that the gate reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GateDirectories {
    /// The directory in which the gate's directory was found.
    pub(super) project: PathBuf,
    /// The nearest initialised one.
    pub(super) directory: PathBuf,
    /// Directories above it whose constitution also applies here, outermost first, each as seen from the project.
    pub(super) above: Vec<(PathBuf, String)>,
}

/// Returns whether there may be any core files for a directory, at the cost of a few `stat` calls.
pub fn is_here(places: &Places) -> bool {
    places.upward().any(|directory| directory.join(CONTEXT).is_dir()) || may_name_another(places)
}

/// Returns whether the core files for a directory may have entries, at the cost of a few `stat` calls.
///
/// Files whose index is shown only because of the settings are ignored: finding them would require reading the
/// settings.
pub fn may_have_entries(places: &Places) -> bool {
    let has = |context: PathBuf| [DECISIONS, LEARNINGS].iter().any(|name| context.join(name).is_file());
    places.upward().any(|directory| has(directory.join(CONTEXT))) || may_name_another(places)
}

/// Returns whether a settings file may say when the gate opens, at the cost of reading those files.
pub fn may_open_early(places: &Places) -> bool {
    let says = |path: PathBuf| read_own_bytes(&path, 1024 * 1024).is_ok_and(|bytes| memchr::memmem::find(&bytes, b"opens").is_some());
    places.project_file().is_some_and(says) || places.user_file().is_some_and(says)
}

/// Returns whether a settings file may name another directory. Returns true if the answer depends on the settings.
fn may_name_another(places: &Places) -> bool {
    let names_one =
        |path: PathBuf| read_own_bytes(&path, 1024 * 1024).is_ok_and(|bytes| memchr::memmem::find(&bytes, b"directory").is_some());
    places.ctxrc_file().is_some() || places.project_file().is_some_and(names_one) || places.user_file().is_some_and(names_one)
}

/// Returns the directory that the settings name, relative to each directory of the search or absolute. The problem is
/// returned if it may not be used; then `.context` is.
pub(super) fn named(places: &Places, settings: &Settings) -> (PathBuf, Option<Note>) {
    let setting = &settings.gate.directory;
    let path = Path::new(setting.value.trim());
    if path.as_os_str().is_empty() {
        return (CONTEXT.into(), None);
    }
    let is_inside = if path.is_absolute() {
        let is_plain = path.components().all(|part| !matches!(part, Component::ParentDir));
        let is_above = path.parent().is_some_and(|project| places.here.starts_with(project));
        is_plain && (is_above || path.starts_with(repository_or_self(&places.here)))
    } else {
        path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
    };
    if is_inside {
        return (path.components().collect(), None);
    }
    let reason = format!("the gate's directory must be inside the project; `{CONTEXT}` is used instead");
    (CONTEXT.into(), Some(Note::warning(setting.value.clone(), NoteKind::Outside, reason).decided_by(setting.decided_by())))
}

/// Returns the nearest directory upward, initialised or not. New entries are written there.
pub fn find_directory(places: &Places, settings: &Settings) -> Option<PathBuf> {
    let (name, _) = named(places, settings);
    places.upward().map(|directory| directory.join(&name)).find(|path| path.is_dir())
}

/// Finds the nearest directory that contains one of the planned files, and the constitutions above it.
///
/// A directory without such a file (it may have only an index of documents, or goals) does not hide the one above it.
pub(super) fn find(places: &Places, name: &Path, planned: &[Planned]) -> Option<GateDirectories> {
    let has_one = |context: &Path| planned.iter().any(|file| exists(&context.join(&file.name)));
    if name.is_absolute() {
        let project = name.parent().unwrap_or(name).to_path_buf();
        return has_one(name).then(|| GateDirectories { project, directory: name.to_path_buf(), above: Vec::new() });
    }
    let mut upward = places.upward();
    let project = upward.find(|directory| has_one(&directory.join(name)))?;
    let seen_from = |above: &Path| {
        let levels = project.strip_prefix(above).map_or(0, |below| below.components().count());
        format!("{}{}/{CONSTITUTION}", "../".repeat(levels), crate::shown::path_text(name))
    };
    let above = upward.filter(|directory| exists(&directory.join(name).join(CONSTITUTION)));
    let mut above: Vec<_> = above.map(|directory| (directory.join(name), seen_from(directory))).collect();
    above.reverse();
    Some(GateDirectories { project: project.to_path_buf(), directory: project.join(name), above })
}

/// Returns whether there is something at a path. If the system cannot tell, reading it will show the problem.
fn exists(path: &Path) -> bool {
    match path.symlink_metadata() {
        Ok(_) => true,
        Err(error) => !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
    }
}

/// Returns the directory that links in the gate's directory must not leave: the repository's root, or else its own parent.
pub(super) fn boundary(context: &Path) -> &Path {
    let project = context.parent().unwrap_or(context);
    repository_or_self(project)
}
