//! Finds the gate's files: the nearest `.context/` with a core file in it, and the constitutions above it.

use std::path::{Path, PathBuf};

use super::plan::{CONSTITUTION, DECISIONS, LEARNINGS, Planned};
use crate::project::repository_or_self;
use crate::settings::Places;

/// The name of the directory.
pub const CONTEXT: &str = ".context";

/// The directories that the gate reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GateDirectories {
    /// The nearest initialised `.context`.
    pub(super) directory: PathBuf,
    /// Directories above it whose constitution also applies here, outermost first.
    pub(super) above: Vec<PathBuf>,
}

/// Returns whether there is any `.context` for a directory, at the cost of a few `stat` calls.
pub fn is_here(places: &Places) -> bool {
    places.upward().any(|directory| directory.join(CONTEXT).is_dir())
}

/// Returns whether a `.context` for a directory has files of dated entries, at the cost of a few `stat` calls.
///
/// Files whose index is shown only because of the settings are ignored: finding them would require reading the
/// settings.
pub fn may_have_entries(places: &Places) -> bool {
    let has = |context: PathBuf| [DECISIONS, LEARNINGS].iter().any(|name| context.join(name).is_file());
    places.upward().any(|directory| has(directory.join(CONTEXT)))
}

/// Returns the nearest `.context` upward, initialised or not. New entries are written there.
pub fn find_directory(places: &Places) -> Option<PathBuf> {
    places.upward().map(|directory| directory.join(CONTEXT)).find(|path| path.is_dir())
}

/// Finds the nearest `.context` that contains one of the planned files, and the constitutions above it.
///
/// A `.context` without such a file (it may have only an index of documents, or goals) does not hide the one above it.
pub(super) fn find(places: &Places, planned: &[Planned]) -> Option<GateDirectories> {
    let mut directories = places.upward().map(|directory| directory.join(CONTEXT));
    let directory = directories.find(|path| planned.iter().any(|file| path.join(&file.name).symlink_metadata().is_ok()))?;
    let mut above: Vec<_> = directories.filter(|path| path.join(CONSTITUTION).symlink_metadata().is_ok()).collect();
    above.reverse();
    Some(GateDirectories { directory, above })
}

/// Returns the directory that links in a `.context` must not leave: the repository's root, or else its own parent.
pub(super) fn boundary(context: &Path) -> &Path {
    let project = context.parent().unwrap_or(context);
    repository_or_self(project)
}

/// Returns the path of a file above relative to the project's directory: `../../.context/CONSTITUTION.md`.
pub(super) fn seen_from(project: &Path, above: &Path) -> String {
    let levels = above.parent().and_then(|parent| project.strip_prefix(parent).ok()).map_or(0, |below| below.components().count());
    format!("{}{CONTEXT}/{CONSTITUTION}", "../".repeat(levels))
}
