//! Explains why files are not in the result: an ignore rule, a hidden name, a directory that was not entered.
//!
//! The walk drops ignored files silently, which makes it fast. Only for `--explain` is the tree walked a second time
//! without rules, and every file that the first walk skipped is examined.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::gather::{Gathered, excluding, is_in_repository};
use super::rules::Rules;
use crate::fs::FileError;
use crate::note::{Note, NoteKind};
use crate::project::{Ceiling, is_repository, repository, upward};
use crate::shown::{path_text, relative_text};

/// Returns a note for every file and directory below the walked roots that the walk skipped silently.
///
/// A directory that was not entered is one note, not one per file in it.
pub(super) fn explain(gathered: &Gathered, notes: &[Note], errors: &[FileError], rules: &Rules) -> Vec<Note> {
    let taken = gathered.candidates.iter().map(|candidate| candidate.shown.as_str());
    let told = notes.iter().map(|note| note.path.as_str()).chain(errors.iter().map(|error| error.path.as_str()));
    let known: HashSet<&str> = taken.chain(told).collect();
    let mut silent = Vec::new();
    for root in &gathered.roots {
        let mut matchers = Matchers::new(root.path(), rules);
        let mut waiting = vec![(root.path().to_path_buf(), 1)];
        while let Some((directory, depth)) = waiting.pop() {
            // A directory that cannot be listed was already reported by the first walk.
            let Ok(entries) = fs::read_dir(&directory) else { continue };
            for entry in entries.flatten() {
                let path = entry.path();
                let shown = root.shown_below(&path);
                let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
                let below = path_text(path.strip_prefix(root.path()).unwrap_or(&path));
                let reason = matchers.reason(&path, &below, is_directory, depth);
                match (is_directory, reason) {
                    (true, None) => waiting.push((path, depth + 1)),
                    (true, Some((kind, reason, layer))) => {
                        silent.push(
                            Note::info(format!("{shown}/"), kind, format!("{reason}; the directory was not entered")).decided_by(layer),
                        );
                    }
                    (false, _) if known.contains(shown.as_str()) => {}
                    (false, Some((kind, reason, layer))) => silent.push(Note::info(shown, kind, reason).decided_by(layer)),
                    (false, None) => silent.push(Note::info(shown, NoteKind::Ignored, "ignored by a rule above the directory")),
                }
            }
        }
    }
    silent
}

/// The ignore files, strongest first: within one directory, the first one with a matching rule decides.
const SOURCES: [&str; 4] = [".briefignore", ".ignore", ".gitignore", ".git/info/exclude"];

pub(super) struct Matchers<'a> {
    rules: &'a Rules,
    root: PathBuf,
    /// Ignore files above this directory do not apply.
    ceiling: Option<PathBuf>,
    /// Whether git's ignore files apply only within their repository, as in the walk.
    is_bounded: bool,
    global: Option<Gitignore>,
    by_directory: HashMap<PathBuf, [Gitignore; 4]>,
}

/// The kind, the reason, and the layer that decided.
type Reason = (NoteKind, String, String);

/// The decision of the ignore files.
enum Word {
    None,
    TakenBack,
    Ignored(Reason),
}

impl<'a> Matchers<'a> {
    pub(super) fn new(root: &Path, rules: &'a Rules) -> Self {
        let ceiling = repository(root).map(Path::to_path_buf);
        let global = rules.honours_gitignore.then(|| Gitignore::global().0);
        Self { rules, root: root.to_path_buf(), ceiling, is_bounded: is_in_repository(root), global, by_directory: HashMap::new() }
    }

    /// Returns why the rules leave something out, given its path below the root, whether it is a directory, and its
    /// depth.
    pub(super) fn reason(&mut self, path: &Path, below: &str, is_directory: bool, depth: usize) -> Option<Reason> {
        let name = below.rsplit('/').next().unwrap_or(below);
        if let Some((_, layer)) = excluding(below, self.rules).filter(|_| is_directory) {
            return Some((NoteKind::Excluded, "excluded by name".into(), layer.clone()));
        }
        match self.ignored(path, is_directory) {
            Word::Ignored(reason) => return Some(reason),
            Word::None if !self.rules.takes_hidden && name.starts_with('.') => {
                return Some((NoteKind::Hidden, "hidden; `--hidden` includes it".into(), self.rules.settings.hidden.decided_by()));
            }
            // A file that an ignore file re-includes is included, even if it is hidden.
            Word::None | Word::TakenBack => {}
        }
        if is_directory && self.rules.recurse_depth.is_some_and(|limit| depth > limit) {
            return Some((NoteKind::Depth, "deeper than the recursion depth".into(), "--recurse_depth".into()));
        }
        None
    }

    /// Checks the ignore files from the nearest directory up to the repository's root; the first match decides.
    fn ignored(&mut self, path: &Path, is_directory: bool) -> Word {
        let (ceiling, root, is_bounded) = (self.ceiling.clone(), self.root.clone(), self.is_bounded);
        for (index, source) in SOURCES.iter().enumerate() {
            let is_gits = source.starts_with(".git");
            let mut above = upward(path, ceiling.as_deref().map_or(Ceiling::FileSystem, Ceiling::At)).skip(1);
            let mut is_beyond = false;
            // Git's own files apply only within their repository.
            while let Some(directory) = above.next().filter(|_| !is_beyond) {
                is_beyond = is_gits && is_bounded && is_repository(directory);
                match self.matchers(directory)[index].matched(path, is_directory) {
                    ignore::Match::None => {}
                    ignore::Match::Whitelist(_) => return Word::TakenBack,
                    ignore::Match::Ignore(glob) => {
                        let from = glob.from().map_or_else(|| (*source).to_owned(), |from| relative_text(from, &root));
                        return Word::Ignored((NoteKind::Ignored, format!("ignored by `{}`", glob.original()), from));
                    }
                }
            }
        }
        match self.global.as_ref().map(|global| global.matched(path, is_directory)) {
            Some(ignore::Match::Ignore(glob)) => {
                Word::Ignored((NoteKind::Ignored, format!("ignored by `{}`", glob.original()), "git's global excludes".into()))
            }
            _ => Word::None,
        }
    }

    fn matchers(&mut self, directory: &Path) -> &[Gitignore; 4] {
        let rules = self.rules;
        self.by_directory.entry(directory.to_path_buf()).or_insert_with(|| {
            SOURCES.map(|name| {
                let is_honoured = if name.contains("git") { rules.honours_gitignore } else { rules.honours_ignore_files };
                let path = directory.join(name);
                if !is_honoured || !path.is_file() {
                    return Gitignore::empty();
                }
                let mut builder = GitignoreBuilder::new(directory);
                builder.add(path);
                builder.build().unwrap_or_else(|_| Gitignore::empty())
            })
        })
    }
}
