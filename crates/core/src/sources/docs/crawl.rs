//! Follows references from document to document inside the root, visiting each document once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use serde::Serialize;

use super::markdown::{Facts, facts, is_markdown};
use super::reference::{Around, Target, resolve};
use crate::Failure;
use crate::fs::{FileError, FileProblem};
use crate::load::Root;
use crate::note::{Level, Note, NoteKind, Tally};
use crate::shown::{is_deceptive, one_line, path_text, relative_text};
use crate::text;

/// The maximum size of a document.
pub const MAX_DOCUMENT_BYTES: u64 = 2 * 1024 * 1024;
/// Directories with third-party documents.
pub(super) const FOREIGN: [&str; 4] = ["node_modules", "target", "vendor", "__pycache__"];

/// A document that was reached.
#[derive(Debug, Clone)]
pub(super) struct Reached {
    pub facts: Facts,
    pub tokens: u64,
    /// The BLAKE3 hash of the file's bytes.
    pub hash: blake3::Hash,
}

/// A reference to a document that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct DeadReference {
    /// The document that contains it, relative to the root.
    pub path: String,
    pub line: usize,
    pub target: String,
}

/// All documents that were reached, by real path.
#[derive(Debug, Default)]
pub(super) struct Crawled {
    pub documents: BTreeMap<PathBuf, Reached>,
    pub dead: Vec<DeadReference>,
    pub notes: Vec<Note>,
}

/// Counts the tokens of a document, given its file, text and hash.
pub(super) type Count<'a> = dyn FnMut(&Path, &str, &blake3::Hash) -> u64 + 'a;

/// Follows references from `seeds` (canonical, inside `held`, which is canonical too). Keeps no texts, because there
/// may be many.
///
/// Fails if a document cannot be read for a reason that may pass: it must not leave the index because of that.
pub(super) fn crawl(
    held: &Root,
    seeds: impl IntoIterator<Item = PathBuf>,
    around: &Around<'_>,
    count: &mut Count<'_>,
) -> Result<Crawled, Failure> {
    let root = held.path();
    let mut crawled = Crawled::default();
    let mut outside = Tally::default();
    let mut waiting: BTreeSet<PathBuf> = seeds.into_iter().collect();
    let mut seen = waiting.clone();
    while let Some(file) = waiting.pop_first() {
        let shown = relative_text(&file, root);
        let mut reached = match reach(held, &file, &shown, count) {
            Ok(reached) => reached,
            Err(Unreached::Left(note)) => {
                crawled.notes.push(note);
                continue;
            }
            Err(Unreached::Failed(problem)) => {
                let failure = Failure::new(format!("cannot read `{shown}`")).because(&problem);
                return Err(failure.hint("the index was not changed; run `brief index` again"));
            }
        };
        let directory = file.parent().unwrap_or(root);
        for reference in &std::mem::take(&mut reached.facts.references) {
            match resolve(reference, directory, around) {
                Target::Document(next) => {
                    if seen.insert(next.clone()) {
                        waiting.insert(next);
                    }
                }
                Target::Dead { tried } if tried.iter().any(|path| around.is_generated(path)) => {}
                Target::Dead { .. } => {
                    crawled.dead.push(DeadReference { path: shown.clone(), line: reference.line, target: reference.target.clone() });
                }
                Target::Outside => {
                    let reason = format!("refers to `{}` outside the root, which is not followed", one_line(&reference.target));
                    let level = if reference.is_required { Level::Warning } else { Level::Info };
                    outside.push(Note::new(format!("{shown}:{}", reference.line), NoteKind::Outside, level, reason));
                }
                Target::TheUsers(_) | Target::Other => {}
            }
        }
        crawled.documents.insert(file, reached);
    }
    crawled.dead.sort();
    crawled.dead.dedup();
    crawled.notes.extend(outside.finish(&path_text(root), "references"));
    Ok(crawled)
}

/// Why a document is not in the result.
enum Unreached {
    Left(Note),
    Failed(FileProblem),
}

fn reach(root: &Root, file: &Path, shown: &str, count: &mut Count<'_>) -> Result<Reached, Unreached> {
    if shown.chars().any(is_deceptive) || file.to_str().is_none() {
        let reason = "a path with such characters cannot be in an index";
        return Err(Unreached::Left(Note::warning(one_line(shown), NoteKind::Format, reason)));
    }
    let problem = |problem: FileProblem| match problem {
        // Whoever makes the index may never be able to read this one.
        FileProblem::PermissionDenied => Unreached::Left(FileError::new(shown, problem).note(Level::Warning)),
        problem if problem.may_pass() => Unreached::Failed(problem),
        problem => Unreached::Left(FileError::new(shown, problem).note(Level::Warning)),
    };
    #[cfg(test)]
    super::failing::check(file).map_err(problem)?;
    let bytes = root.open_file(file).and_then(|opened| opened.bytes(MAX_DOCUMENT_BYTES)).map_err(problem)?;
    let hash = blake3::hash(&bytes);
    let text = text::decode(&bytes).map_err(|undecodable| problem(undecodable.into()))?;
    Ok(Reached { facts: facts(&text, shown), tokens: count(file, &text, &hash), hash })
}

/// Returns the Markdown documents below a directory that are not ignored.
pub(super) fn documents_below(directory: &Path) -> Vec<PathBuf> {
    let walk = WalkBuilder::new(directory)
        .require_git(false)
        .follow_links(false)
        .filter_entry(|entry| entry.depth() == 0 || !FOREIGN.iter().any(|name| entry.file_name() == *name))
        .build();
    let entries = walk.flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    entries.map(ignore::DirEntry::into_path).filter(|path| is_markdown(&path_text(path))).collect()
}
