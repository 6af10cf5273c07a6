//! Reads the files of a `.megg` directory. A problem with one file affects only that file.

use std::path::{Path, PathBuf};

use crate::fs::{FileProblem, LinkProblem};
use crate::load::{self, Opened, Root};
use crate::note::{Note, NoteKind};
use crate::project::repository_or_self;
use crate::settings::{Places, Settings};
use crate::shown::path_text;

/// The directory that makes its parent a domain.
pub const DIRECTORY: &str = ".megg";
pub(super) const INFO: &str = "info.md";
pub(super) const KNOWLEDGE: &str = "knowledge.md";
pub(super) const STATE: &str = "state.md";

/// The maximum size of a file. It is far more than is ever loaded, and can still be read in a fraction of a second.
pub(super) const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// How the files of domains are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading<'a> {
    /// Replaces secrets.
    pub redacts: bool,
    /// Where links may lead besides the repository of their domain: the home directory, if the user allows it
    /// (`domains.follow_links`).
    pub links: Option<&'a Path>,
}

impl<'a> Reading<'a> {
    /// Returns what the user has decided.
    pub fn of(settings: &Settings, places: &'a Places) -> Self {
        let links = places.home.as_deref().filter(|_| settings.domains.follow_links.value);
        Self { redacts: settings.guards.redact.value, links }
    }

    /// Returns where a link in a domain leads. `domain` is the directory that contains `.megg`.
    pub(super) fn target(self, link: &Path, domain: &Path) -> Result<PathBuf, FileProblem> {
        let real = std::fs::canonicalize(link).map_err(|error| match FileProblem::from(error) {
            FileProblem::Missing => FileProblem::Link(LinkProblem::ToNothing),
            problem => problem,
        })?;
        let is_below = |top: &Path| std::fs::canonicalize(top).is_ok_and(|top| real.starts_with(top));
        if is_below(repository_or_self(domain)) || self.links.is_some_and(is_below) {
            return Ok(real);
        }
        Err(FileProblem::Link(LinkProblem::LeavesProject))
    }
}

/// Returns a problem as it is told, with what the user can do about it.
pub(super) fn told(problem: &FileProblem) -> String {
    match problem {
        FileProblem::Link(LinkProblem::LeavesProject) => {
            format!(
                "{problem}, not followed; `follow_links = true` under `[domains]` in your own `brief.toml` allows it below your home directory"
            )
        }
        problem => problem.to_string(),
    }
}

/// Reads a text file in a `.megg` directory. A missing file is `None`; any other problem also adds a note.
///
/// Bytes that are not UTF-8 become U+FFFD, because the rest of the file is still useful.
pub(super) fn read(path: &Path, reading: Reading<'_>, notes: &mut Vec<Note>) -> Option<String> {
    match open(path, reading, notes).and_then(|opened| opened.lossy_text(MAX_BYTES)) {
        Ok((text, None)) => Some(text),
        Ok((text, Some(offset))) => {
            let reason = format!("is not UTF-8 (first invalid byte at {offset}); invalid bytes are shown as \u{FFFD}");
            notes.push(Note::warning(path_text(path), NoteKind::Replaced, reason));
            Some(text)
        }
        Err(FileProblem::Missing) => None,
        Err(problem) => {
            notes.push(Note::warning(path_text(path), problem.kind(), told(&problem)));
            None
        }
    }
}

/// Opens a file in its directory. A link, also one in place of the directory, is followed only inside the repository and only
/// to a `.md` file: a repository must not make us read `~/.netrc` as `info.md`, nor another project's knowledge.
fn open(path: &Path, reading: Reading<'_>, notes: &mut Vec<Note>) -> Result<Opened, FileProblem> {
    let is_domain = |directory: &&Path| path.strip_prefix(directory).is_ok_and(|below| below.starts_with(DIRECTORY));
    let Some(domain) = path.ancestors().skip(1).find(is_domain) else { return load::open_named(path) };
    match Root::open(domain)?.open_plain(path.strip_prefix(domain).unwrap_or(path)) {
        Err(FileProblem::Link(_)) => {}
        opened => return opened,
    }
    let real = reading.target(path, domain)?;
    if real.extension().is_none_or(|extension| extension != "md") {
        return Err(FileProblem::Link(LinkProblem::NotMarkdown));
    }
    notes.push(Note::info(path_text(path), NoteKind::Link, format!("is a link to `{}`", path_text(&real))));
    load::open_real(&real)
}
