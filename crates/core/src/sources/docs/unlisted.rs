//! Why a document is in no index.

use std::fs;
use std::path::{Component, Path};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde::Serialize;

use super::crawl::{FOREIGN, documents_below};
use super::find::find;
use super::make::{Plan, is_start, make};
use super::markdown::is_markdown;
use crate::note::Note;
use crate::settings::{Places, Settings};
use crate::shown::{path_text, relative_text};
use crate::tokens::Estimate;

/// Why a document is in no index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "because", rename_all = "kebab-case")]
pub enum Unlisted {
    /// The project has no index yet, and one would have it.
    NoIndex,
    /// The index is older than the document, or than the reference that leads to it.
    Outdated {
        indexes: Vec<String>,
    },
    /// Indexes have Markdown documents only.
    NotMarkdown,
    /// It is not below the project that would be indexed.
    Outside {
        root: String,
    },
    /// It is in a directory with code of others.
    ThirdParty {
        directory: String,
    },
    Hidden,
    /// An ignore file leaves it out.
    Ignored {
        pattern: String,
        file: String,
    },
    /// It cannot be read, or not as text.
    Refused {
        note: Note,
    },
    /// No document refers to it, and it is not one that `brief index` starts from.
    NotReferenced,
    /// The project cannot be indexed.
    NoProject {
        problem: String,
    },
}

/// Returns why a file (absolute) is in none of the indexes of a directory.
pub fn unlisted(places: &Places, settings: &Settings, file: &Path) -> Unlisted {
    let indexes: Vec<String> = find(places, settings).files().iter().map(|index| relative_text(&index.file, &places.here)).collect();
    if !is_markdown(&path_text(file)) {
        return Unlisted::NotMarkdown;
    }
    let plan = Plan::new(&places.here, None, None, Vec::new(), false).and_then(|plan| plan.with(places, settings));
    let plan = match plan {
        Ok(plan) => plan,
        Err(failure) => return Unlisted::NoProject { problem: failure.to_string() },
    };
    let real = fs::canonicalize(file).unwrap_or_else(|_| file.to_path_buf());
    let Ok(below) = real.strip_prefix(&plan.root) else { return Unlisted::Outside { root: path_text(&plan.root) } };
    let made = make(&plan, &Estimate);
    if let Ok(made) = &made {
        if made.documents.iter().any(|document| document.file == real) {
            return if indexes.is_empty() { Unlisted::NoIndex } else { Unlisted::Outdated { indexes } };
        }
        let shown = relative_text(&real, &plan.root);
        if let Some(note) = made.notes.iter().find(|note| note.path == shown) {
            return Unlisted::Refused { note: note.clone() };
        }
    }
    let names =
        || below.components().filter_map(|part| if let Component::Normal(name) = part { Some(name.to_string_lossy()) } else { None });
    if let Some(directory) = names().find(|name| FOREIGN.iter().any(|foreign| name == foreign)) {
        return Unlisted::ThirdParty { directory: directory.into_owned() };
    }
    if documents_below(&plan.root).contains(&real) {
        return match made {
            Err(failure) if is_start(below) => Unlisted::NoProject { problem: failure.to_string() },
            _ => Unlisted::NotReferenced,
        };
    }
    if let Some((pattern, from)) = ignored_by(&real, &plan.root) {
        return Unlisted::Ignored { pattern, file: relative_text(&from, &places.here) };
    }
    if names().any(|name| name.starts_with('.')) {
        return Unlisted::Hidden;
    }
    Unlisted::NotReferenced
}

/// The ignore files of a directory, strongest first.
const IGNORE_FILES: [&str; 3] = [".ignore", ".gitignore", ".git/info/exclude"];

/// Returns the pattern that leaves a file out, and the file that has it.
fn ignored_by(file: &Path, root: &Path) -> Option<(String, std::path::PathBuf)> {
    for directory in file.ancestors().skip(1).take_while(|directory| directory.starts_with(root)) {
        for name in IGNORE_FILES {
            let path = directory.join(name);
            let mut builder = GitignoreBuilder::new(directory);
            if !path.is_file() || builder.add(&path).is_some() {
                continue;
            }
            let matcher = builder.build().unwrap_or_else(|_| Gitignore::empty());
            match matcher.matched_path_or_any_parents(file, false) {
                ignore::Match::Ignore(glob) => return Some((glob.original().to_owned(), path)),
                ignore::Match::Whitelist(_) => return None,
                ignore::Match::None => {}
            }
        }
    }
    None
}
