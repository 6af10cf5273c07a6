//! Every domain below a directory.

use std::path::{Path, PathBuf};

use globset::{Glob, GlobSet, GlobSetBuilder};
use ignore::WalkBuilder;

use super::MaintainRules;
use crate::note::{Note, NoteKind};
use crate::shown::path_text;
use crate::sources::domains::load::DIRECTORY;

/// Made by tools, never by people: no domain is looked for in there.
const MADE: &[&str] = &["node_modules", "dist", "build", "__pycache__", "venv", "target", "vendor", "coverage"];

/// Returns the `.megg` directories at and below `root`, in tree order.
///
/// Hidden directories are not entered. An ignored `.megg` counts all the same: many keep theirs out of the repository.
pub(super) fn domains_below(root: &Path, rules: &MaintainRules, notes: &mut Vec<Note>) -> Vec<PathBuf> {
    let skip = skip_set(rules, notes);
    let walk = WalkBuilder::new(root)
        .git_ignore(rules.honours_gitignore)
        .git_exclude(rules.honours_gitignore)
        .git_global(rules.honours_gitignore)
        .ignore(rules.honours_gitignore)
        .require_git(false)
        .sort_by_file_name(Ord::cmp)
        .filter_entry(move |entry| {
            entry.depth() == 0 || (entry.file_type().is_some_and(|kind| kind.is_dir()) && !skip.is_match(entry.file_name()))
        })
        .build();
    let mut domains = Vec::new();
    for entry in walk {
        match entry {
            Ok(entry) => domains.extend(Some(entry.path().join(DIRECTORY)).filter(|megg| megg.is_dir())),
            Err(error) => notes.push(Note::warning(path_text(root), NoteKind::Io, error.to_string())),
        }
    }
    domains
}

fn skip_set(rules: &MaintainRules, notes: &mut Vec<Note>) -> GlobSet {
    let mut builder = GlobSetBuilder::new();
    for pattern in rules.skip.iter().map(String::as_str).chain(MADE.iter().copied()) {
        match Glob::new(pattern) {
            Ok(glob) => _ = builder.add(glob),
            Err(error) => notes.push(Note::warning(pattern, NoteKind::Config, error.kind().to_string())),
        }
    }
    builder.build().unwrap_or_default()
}
