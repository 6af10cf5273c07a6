//! Finds what is near a domain: siblings, subdomains, and files to read when needed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::chain::{Chain, as_text, nearest_above};
use super::load::{DIRECTORY, KNOWLEDGE, STATE};
use crate::fs::FileProblem;
use crate::note::Note;
use crate::project::repository;
use crate::shown::path_text;

/// A domain next to or below this one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Neighbour {
    #[serde(rename = "domain")]
    pub name: String,
    #[serde(serialize_with = "as_text")]
    pub path: PathBuf,
    /// Whether the directory that has it is in a domain or in the same repository. An agent's window does not name others:
    /// they may be of somebody else's work.
    #[serde(skip)]
    pub is_related: bool,
}

/// A Markdown file of the domain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedFile {
    pub name: String,
    #[serde(serialize_with = "as_text")]
    pub path: PathBuf,
    pub loaded: bool,
}

/// The domains next to and below the deepest domain's directory, and the requested directory if it differs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Around {
    pub siblings: Vec<Neighbour>,
    pub children: Vec<Neighbour>,
}

impl Around {
    pub fn look(chain: &Chain, notes: &mut Vec<Note>) -> Self {
        let domain = chain.deepest.as_deref().and_then(Path::parent);
        let mut centres = vec![chain.asked.as_path()];
        if let Some(domain) = domain.filter(|domain| *domain != chain.asked) {
            centres.insert(0, domain);
        }
        let (mut siblings, mut children) = (BTreeSet::new(), BTreeSet::new());
        for centre in centres {
            if let Some(parent) = centre.parent() {
                let is_related = nearest_above(parent).is_some() || repository(centre).is_some_and(|top| parent.starts_with(top));
                let others = domains_in(parent, is_related, notes).into_iter();
                siblings.extend(others.filter(|found| found.path != centre && Some(found.path.as_path()) != domain));
            }
            children.extend(domains_in(centre, true, notes));
        }
        Self { siblings: siblings.into_iter().collect(), children: children.into_iter().collect() }
    }
}

/// Returns the directories directly below `directory` that contain a `.megg` directory. Skips hidden ones and links.
fn domains_in(directory: &Path, is_related: bool, notes: &mut Vec<Note>) -> Vec<Neighbour> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) => {
            let problem = FileProblem::from(error);
            if problem != FileProblem::Missing && !notes.iter().any(|note| note.path == path_text(directory)) {
                let reason = format!("cannot be listed ({problem}), so domains in it are not shown");
                notes.push(Note::info(path_text(directory), problem.kind(), reason));
            }
            return Vec::new();
        }
    };
    let is_hidden = |name: &std::ffi::OsStr| name.as_encoded_bytes().starts_with(b".");
    let directories = entries.flatten().filter(|entry| !is_hidden(&entry.file_name()) && entry.file_type().is_ok_and(|kind| kind.is_dir()));
    directories
        .map(|entry| entry.path())
        .filter(|path| path.join(DIRECTORY).is_dir())
        .map(|path| Neighbour { name: path.file_name().map(|name| path_text(Path::new(name))).unwrap_or_default(), path, is_related })
        .collect()
}

/// Returns the `.md` files directly in a `.megg` directory, by name. `loaded` has the names of those that were loaded.
pub(super) fn files_in(megg: &Path, loaded: &[&str], notes: &mut Vec<Note>) -> Vec<ListedFile> {
    let mut files: Vec<_> = markdown_in(megg, notes)
        .into_iter()
        .map(|path| {
            let name = path.file_name().map(|name| path_text(Path::new(name))).unwrap_or_default();
            ListedFile { loaded: loaded.contains(&name.as_str()), name, path }
        })
        .collect();
    files.sort_by(|a, b| a.name.cmp(&b.name));
    files
}

fn markdown_in(directory: &Path, notes: &mut Vec<Note>) -> Vec<PathBuf> {
    match fs::read_dir(directory) {
        Ok(entries) => {
            let paths = entries.flatten().map(|entry| entry.path());
            paths.filter(|path| path.extension().is_some_and(|extension| extension == "md") && path.is_file()).collect()
        }
        Err(error) => {
            let problem = FileProblem::from(error);
            if problem != FileProblem::Missing {
                notes.push(Note::warning(path_text(directory), problem.kind(), problem.to_string()));
            }
            Vec::new()
        }
    }
}

/// Returns files that are not loaded but can be read: those of this domain, its archive, and the knowledge of the
/// levels above.
pub(super) fn on_demand(chain: &Chain, files: &[ListedFile]) -> Vec<PathBuf> {
    // An expired state is not useful; the reason for not loading it is shown elsewhere.
    let mut paths: Vec<_> = files.iter().filter(|file| !file.loaded && file.name != STATE).map(|file| file.path.clone()).collect();
    if let Some(megg) = &chain.deepest {
        let mut archived = markdown_in(&megg.join("archive"), &mut Vec::new());
        archived.sort();
        paths.append(&mut archived);
    }
    let above = chain.levels.iter().map(|level| &level.megg_path).filter(|megg| Some(*megg) != chain.deepest.as_ref());
    paths.extend(above.map(|megg| megg.join(KNOWLEDGE)).filter(|path| path.is_file()));
    paths
}
