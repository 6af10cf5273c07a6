//! Walks the arguments and collects candidates.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use ignore::{DirEntry, WalkBuilder, WalkState};

use super::explain::Matchers;
use super::rules::Rules;
use crate::candidate::Candidate;
use crate::fs::{FileError, FileProblem, LinkProblem};
use crate::load::Root;
use crate::note::{Level, Note, NoteKind};
use crate::project::repository;
use crate::shown::{normalize, path_text, relative_text, tree_order};

/// How a candidate was found, which decides how it is opened. Roots are indexes into [`Gathered::roots`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// The user named this file.
    Named,
    /// The file is in a list that the user gave, most likely the output of a program such as `git ls-files`.
    Listed,
    /// Found below a root, and not a link.
    Walked { root: usize },
    /// Found through a link below a root to a file inside the same root. Its path is the real one.
    Linked { root: usize },
}

impl Found {
    /// Returns whether the user gave the path of this file, on the command line or in a list.
    pub fn is_explicit(self) -> bool {
        matches!(self, Self::Named | Self::Listed)
    }
}

impl Candidate<Found> {
    fn order(&self, other: &Self) -> Ordering {
        tree_order(&self.shown, &other.shown).then_with(|| self.path.cmp(&other.path))
    }
}

/// The result of the walk.
#[derive(Debug, Default)]
pub struct Gathered {
    /// In tree order, without duplicates.
    pub candidates: Vec<Candidate<Found>>,
    pub errors: Vec<FileError>,
    pub notes: Vec<Note>,
    pub roots: Vec<WalkedRoot>,
}

impl Gathered {
    /// Adds a given path that cannot be used. One that does not exist is always an error: somebody expects it in the result.
    fn refuse(&mut self, error: FileError, found: Found, rules: &Rules) {
        if found == Found::Named || error.problem == FileProblem::Missing || rules.is_error(&error.problem) {
            self.errors.push(error);
        } else {
            self.notes.push(error.note(Level::Warning));
        }
    }
}

/// A walked directory. It is opened before the walk, so that files are read beneath the same directory.
#[derive(Debug)]
pub struct WalkedRoot {
    pub root: Root,
    pub shown: String,
}

impl WalkedRoot {
    pub(super) fn path(&self) -> &Path {
        self.root.path()
    }

    /// Returns the shown path of something below the root.
    pub(super) fn shown_below(&self, path: &Path) -> String {
        let below = path_text(path.strip_prefix(self.path()).unwrap_or(path));
        match self.shown.as_str() {
            "." => below,
            root if root.ends_with('/') => format!("{root}{below}"),
            root => format!("{root}/{below}"),
        }
    }
}

/// Walks every argument. Relative arguments start from `here`, which must be absolute.
pub fn gather(arguments: &[PathBuf], here: &Path, rules: &Rules) -> Gathered {
    gather_all(arguments, &[], here, rules)
}

/// Walks every argument, and every path of a list.
pub(super) fn gather_all(arguments: &[PathBuf], listed: &[PathBuf], here: &Path, rules: &Rules) -> Gathered {
    let mut gathered = Gathered::default();
    let mut has_links = false;
    let given = arguments.iter().map(|path| (path, Found::Named)).chain(listed.iter().map(|path| (path, Found::Listed)));
    for (argument, found) in given {
        // Remove `.` components, because ignore rules are matched by prefix.
        let path: PathBuf = here.join(argument).components().collect();
        let shown = shown_argument(argument, &path, here);
        match fs::metadata(&path) {
            Ok(metadata) if metadata.is_dir() => {
                if gathered.roots.iter().any(|root| root.path() == path) {
                    gathered.notes.push(Note::info(shown, NoteKind::Duplicate, "named more than once"));
                    continue;
                }
                let root = match Root::open(&path) {
                    Ok(root) => WalkedRoot { root, shown: shown.clone() },
                    Err(problem) => {
                        gathered.refuse(FileError::new(shown, problem), found, rules);
                        continue;
                    }
                };
                let walked = walk(&root, gathered.roots.len(), rules);
                gathered.roots.push(root);
                if walked.candidates.is_empty() && walked.errors.is_empty() {
                    gathered.notes.push(Note::warning(shown, NoteKind::Empty, "the directory contains no files to include"));
                }
                has_links |= walked.has_links;
                gathered.candidates.extend(walked.candidates);
                gathered.errors.extend(walked.errors);
                gathered.notes.extend(walked.notes);
            }
            // Whether it is a regular file is checked on the handle when it is read.
            Ok(_) => match rules.excluded_by_glob(&shown, &shown) {
                Some((reason, layer)) => gathered.notes.push(Note::info(shown, NoteKind::Excluded, reason).decided_by(layer)),
                None => gathered.candidates.push(Candidate { path, shown, about: found }),
            },
            Err(error) => {
                let is_broken_link = fs::symlink_metadata(&path).is_ok_and(|link| link.is_symlink());
                let problem = match FileProblem::from(error) {
                    FileProblem::Missing if is_broken_link => FileProblem::Link(LinkProblem::ToNothing),
                    problem => problem,
                };
                gathered.refuse(FileError::new(shown, problem), found, rules);
            }
        }
    }
    // A stable sort, because it benefits from the runs that the threads have already sorted.
    gathered.candidates.sort_by(Candidate::<Found>::order);
    if arguments.len() + listed.len() > 1 || has_links {
        deduplicate(&mut gathered);
    }
    drop_own_output(&mut gathered, rules);
    gathered.errors.sort_by(|a, b| tree_order(&a.path, &b.path));
    gathered.notes.sort_by(|a, b| tree_order(&a.path, &b.path).then_with(|| a.kind.cmp(&b.kind)));
    gathered
}

/// Returns the shown path of an argument: relative if it is below the working directory or was given as a relative
/// path.
fn shown_argument(argument: &Path, path: &Path, here: &Path) -> String {
    let absolute = normalize(path);
    match absolute.strip_prefix(here) {
        Err(_) if argument.is_relative() => path_text(&normalize(argument)),
        _ => relative_text(&absolute, here),
    }
}

/// Removes duplicates by canonical path: a named file wins over a walked one, a real name over a link.
fn deduplicate(gathered: &mut Gathered) {
    let mut directories: HashMap<PathBuf, Option<PathBuf>> = HashMap::new();
    let mut canonical = |candidate: &Candidate<Found>| -> PathBuf {
        if !matches!(candidate.about, Found::Walked { .. }) {
            return fs::canonicalize(&candidate.path).unwrap_or_else(|_| candidate.path.clone());
        }
        // A walked file is not a link, so the real path of its directory is enough; one lookup per directory is cheap.
        let parent = candidate.path.parent().unwrap_or(Path::new("/"));
        let real = directories.entry(parent.to_path_buf()).or_insert_with(|| fs::canonicalize(parent).ok());
        match (real, candidate.path.file_name()) {
            (Some(real), Some(name)) => real.join(name),
            _ => candidate.path.clone(),
        }
    };
    let rank = |candidate: &Candidate<Found>| match candidate.about {
        Found::Named => 0,
        Found::Listed => 1,
        Found::Walked { .. } => 2,
        Found::Linked { .. } => 3,
    };
    let keys: Vec<PathBuf> = gathered.candidates.iter().map(&mut canonical).collect();
    let mut best: HashMap<&Path, usize> = HashMap::with_capacity(keys.len());
    for (index, key) in keys.iter().enumerate() {
        let kept = best.entry(key).or_insert(index);
        if rank(&gathered.candidates[index]) < rank(&gathered.candidates[*kept]) {
            *kept = index;
        }
    }
    let mut notes = Vec::new();
    for (index, key) in keys.iter().enumerate() {
        let kept = best[key.as_path()];
        if kept != index {
            let same = &gathered.candidates[kept].shown;
            let reason = if *same == gathered.candidates[index].shown {
                "named more than once".to_owned()
            } else {
                format!("the same file as `{same}`")
            };
            notes.push(Note::info(gathered.candidates[index].shown.clone(), NoteKind::Duplicate, reason));
        }
    }
    let mut index = 0;
    let candidates = std::mem::take(&mut gathered.candidates);
    gathered.candidates = candidates
        .into_iter()
        .filter(|_| {
            index += 1;
            best[keys[index - 1].as_path()] == index - 1
        })
        .collect();
    gathered.notes.extend(notes);
}

fn drop_own_output(gathered: &mut Gathered, rules: &Rules) {
    let Some(output) = rules.own_output.as_deref() else { return };
    let Ok(real) = fs::canonicalize(output) else { return };
    let name = real.file_name();
    let is_output = |candidate: &Candidate<Found>| {
        candidate.path.file_name().is_some_and(|own| Some(own) == name || !matches!(candidate.about, Found::Walked { .. }))
            && fs::canonicalize(&candidate.path).is_ok_and(|path| path == real)
    };
    if let Some(index) = gathered.candidates.iter().position(is_output) {
        let Candidate { shown, about, .. } = gathered.candidates.remove(index);
        if about.is_explicit() {
            // A file that the user named must not be overwritten.
            gathered.errors.push(FileError::new(shown, FileProblem::Output));
        } else {
            gathered.notes.push(Note::info(shown, NoteKind::OwnOutput, "this is the output file"));
        }
    }
}

/// The results of one thread, merged when the thread ends.
#[derive(Default)]
struct Walked {
    candidates: Vec<Candidate<Found>>,
    errors: Vec<FileError>,
    notes: Vec<Note>,
    has_links: bool,
}

struct Share<'a> {
    walked: Walked,
    all: &'a Mutex<Walked>,
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        self.walked.candidates.sort_by(Candidate::<Found>::order);
        let mut all = self.all.lock().expect("no thread panics while it holds the lock");
        all.candidates.append(&mut self.walked.candidates);
        all.errors.append(&mut self.walked.errors);
        all.notes.append(&mut self.walked.notes);
        all.has_links |= self.walked.has_links;
    }
}

/// Returns the walker of one root, with the rules that decide which directories are entered.
fn walker(root: &Path, rules: &Rules) -> WalkBuilder {
    let mut builder = WalkBuilder::new(root);
    builder
        .hidden(!rules.takes_hidden)
        .git_ignore(rules.honours_gitignore)
        .git_exclude(rules.honours_gitignore)
        .git_global(rules.honours_gitignore)
        .ignore(rules.honours_ignore_files)
        // In a repository, a `.gitignore` applies down to the next repository, as in git; outside repositories it
        // applies too.
        .require_git(is_in_repository(root))
        .follow_links(false)
        .max_depth(rules.recurse_depth.map(|depth| depth.saturating_add(1)))
        .threads(rules.thread_count());
    if rules.honours_ignore_files {
        builder.add_custom_ignore_filename(".briefignore");
    }
    builder
}

pub(super) fn is_in_repository(root: &Path) -> bool {
    // The walker also looks upward from the real path.
    let real = fs::canonicalize(root).unwrap_or_else(|_| root.to_path_buf());
    repository(&real).is_some()
}

/// Returns the names of the ignore files that these rules respect.
fn ignore_files(rules: &Rules) -> impl Iterator<Item = &'static str> {
    let git = rules.honours_gitignore.then_some(".gitignore");
    let own = rules.honours_ignore_files.then_some([".ignore", ".briefignore"]);
    git.into_iter().chain(own.into_iter().flatten())
}

/// Returns whether a directory below the root is excluded by name.
fn is_excluded_directory(entry: &DirEntry, root: &Path, rules: &Rules) -> bool {
    entry.depth() > 0
        && entry.file_type().is_some_and(|kind| kind.is_dir())
        && excluding(&path_text(entry.path().strip_prefix(root).unwrap_or(entry.path())), rules).is_some()
}

/// Returns the rule that excludes a directory: by its name, or by its path below the argument.
pub(super) fn excluding<'a>(below: &str, rules: &'a Rules) -> Option<&'a (String, String)> {
    let name = below.rsplit('/').next().unwrap_or(below);
    rules.excluded_directories.matching(name).or_else(|| rules.excluded_directories.matching(below))
}

fn walk(root: &WalkedRoot, number: usize, rules: &Rules) -> Walked {
    let all = Mutex::new(Walked::default());
    let mut builder = walker(root.path(), rules);
    let (filter_rules, filter_root) = (rules.clone(), root.path().to_path_buf());
    builder.filter_entry(move |entry| !is_excluded_directory(entry, &filter_root, &filter_rules));
    builder.build_parallel().run(|| {
        let mut share = Share { walked: Walked::default(), all: &all };
        Box::new(move |entry| {
            match entry {
                Ok(entry) => share.walked.visit(entry, root, number, rules),
                Err(error) => share.walked.fail(&error, root, rules),
            }
            WalkState::Continue
        })
    });
    all.into_inner().expect("no thread panics while it holds the lock")
}

impl Walked {
    fn visit(&mut self, entry: DirEntry, root: &WalkedRoot, number: usize, rules: &Rules) {
        if let Some(error) = entry.error() {
            let reason = format!("a line of an ignore file was skipped: {error}");
            self.notes.push(Note::warning(root.shown_below(entry.path()), NoteKind::Config, reason));
        }
        let Some(kind) = entry.file_type() else { return };
        if kind.is_dir() {
            return self.check_ignore_files(entry.path(), root, rules);
        }
        let shown = root.shown_below(entry.path());
        let name = shown.rsplit('/').next().unwrap_or(&shown);
        if name == ".git" {
            self.notes.push(Note::info(shown, NoteKind::Excluded, "git's own link to its directory"));
            return;
        }
        if let Some((extension, layer)) = rules.excluded_extension(name) {
            self.notes
                .push(Note::info(shown.clone(), NoteKind::Excluded, format!("has the excluded extension `{extension}`")).decided_by(layer));
            return;
        }
        if let Some(layer) = rules.excludes_lock_file(name) {
            self.notes.push(Note::info(shown, NoteKind::LockFile, "a lock file; `--lock-files` includes it").decided_by(layer));
            return;
        }
        if rules.has_globs() {
            let below = path_text(entry.path().strip_prefix(root.path()).unwrap_or(entry.path()));
            if let Some((reason, layer)) = rules.excluded_by_glob(&shown, &below) {
                self.notes.push(Note::info(shown, NoteKind::Excluded, reason).decided_by(layer));
                return;
            }
        }
        if kind.is_file() {
            self.candidates.push(Candidate { path: entry.into_path(), shown, about: Found::Walked { root: number } });
        } else if kind.is_symlink() {
            self.visit_link(entry.path(), shown, root, number, rules);
        } else {
            self.notes.push(Note::warning(shown, NoteKind::NotRegular, "a FIFO, socket or device, not a file"));
        }
    }

    /// Reports ignore files that cannot be read: the walker skips them silently and would include too much.
    fn check_ignore_files(&mut self, directory: &Path, root: &WalkedRoot, rules: &Rules) {
        for name in ignore_files(rules) {
            let path = directory.join(name);
            if let Some(problem) = unreadable(&path, directory) {
                self.errors.push(FileError::new(root.shown_below(&path), problem));
            }
        }
    }

    fn visit_link(&mut self, path: &Path, shown: String, root: &WalkedRoot, number: usize, rules: &Rules) {
        let mut skip = |why: &str| {
            self.notes.push(
                Note::info(shown.clone(), NoteKind::Link, format!("symbolic link {why}"))
                    .decided_by(rules.settings.follow_links.decided_by()),
            );
        };
        if !rules.follows_links {
            return skip("is not followed");
        }
        let real = match fs::canonicalize(path).map_err(FileProblem::from) {
            Ok(real) => real,
            Err(FileProblem::Link(_)) => return skip("is part of a loop"),
            Err(FileProblem::Missing) => return skip("points to nothing"),
            Err(_) => return skip("cannot be followed"),
        };
        let Some(below) = root.root.real().and_then(|root| real.strip_prefix(root).ok()) else { return skip("leaves the directory") };
        // A link must not include a file that a rule excludes under its own name.
        if left_out(root.path(), below, rules) {
            return skip("to something that is left out");
        }
        match fs::metadata(&real) {
            Ok(metadata) if metadata.is_dir() => skip("to a directory is not followed"),
            Ok(_) => {
                self.has_links = true;
                self.candidates.push(Candidate { path: real, shown, about: Found::Linked { root: number } });
            }
            Err(_) => skip("points to nothing"),
        }
    }

    fn fail(&mut self, error: &ignore::Error, root: &WalkedRoot, rules: &Rules) {
        let path = path_of(error).map_or_else(|| root.shown.clone(), |path| root.shown_below(path));
        let problem = match error.io_error() {
            Some(io) => FileProblem::from(std::io::Error::new(io.kind(), io.to_string())),
            None => FileProblem::Io(error.to_string()),
        };
        let error = FileError::new(path, problem);
        if rules.is_error(&error.problem) {
            self.errors.push(error);
        } else {
            self.notes.push(error.note(Level::Warning));
        }
    }
}

/// Returns why an existing file cannot be read. Only checks permissions, which is cheap.
fn unreadable(path: &Path, directory: &Path) -> Option<FileProblem> {
    #[cfg(unix)]
    {
        use rustix::fs::{Access, access};
        // Without permission to search the directory, it is unknown what is in it.
        let is_denied = access(path, Access::READ_OK) == Err(rustix::io::Errno::ACCESS) && access(directory, Access::EXEC_OK).is_ok();
        is_denied.then_some(FileProblem::PermissionDenied)
    }
    #[cfg(not(unix))]
    {
        let _ = directory;
        fs::File::open(path).err().map(FileProblem::from).filter(|problem| *problem == FileProblem::PermissionDenied)
    }
}

/// Returns whether the rules exclude a path below a root, directly or through one of its directories.
fn left_out(root: &Path, below: &Path, rules: &Rules) -> bool {
    let mut matchers = Matchers::new(root, rules);
    let count = below.components().count();
    below.ancestors().take(count).any(|part| {
        let path = root.join(part);
        let is_directory = part != below;
        matchers.reason(&path, &path_text(part), is_directory, 0).is_some()
    })
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::Loop { child, .. } => Some(child),
        ignore::Error::WithLineNumber { err, .. } | ignore::Error::WithDepth { err, .. } => path_of(err),
        ignore::Error::Partial(errors) => errors.iter().find_map(path_of),
        _ => None,
    }
}
