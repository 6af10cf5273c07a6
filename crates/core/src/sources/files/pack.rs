//! The pipeline for packing: files and directories in, one document out.
//!
//! `load` reads and renders in one step, because a tree of 30,000 files must not be kept in memory: rendered sections
//! are kept in a spool until the limits are known. Asking questions and printing are up to the caller.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering as AtomicOrdering;

use super::document::Packed;
use super::explain::explain;
use super::fit::{SortBy, fit, fit_budget};
use super::gather::{Gathered, gather_all};
use super::load::{Job, Loaded, Progress, load};
use super::priority::Anchors;
use super::rules::Rules;
use super::spool::Home;
use crate::failure::Failure;
use crate::fs::FileError;
use crate::note::{Level, Note};
use crate::render::Style;
use crate::shown::tree_order;
use crate::tokens::TokenCounter;

/// What to pack, and how.
#[derive(Clone)]
pub struct PackRequest<'a> {
    /// Files and directories that the user names.
    pub paths: &'a [PathBuf],
    /// Files and directories of a list. What they contain is treated like what is found in a directory: a binary file among
    /// them is a warning.
    pub listed: &'a [PathBuf],
    /// The directory that relative paths start from; absolute.
    pub here: &'a Path,
    pub rules: &'a Rules,
    pub style: Style,
    pub sort: SortBy,
    /// Counts exact tokens, if set.
    pub tokens: Option<Tokens<'a>>,
    /// Whether every file that is left out gets a note.
    pub explains: bool,
    /// The output file, if there is one. It is used instead of temporary files.
    pub becomes: Option<&'a Path>,
    /// Device and inode of standard output if it is a file, so that it is not packed into itself.
    pub stdout_identity: Option<(u64, u64)>,
    /// The progress, shared with the code that displays it.
    pub progress: Option<&'a Progress>,
}

/// How to count tokens, and the maximum.
#[derive(Clone, Copy)]
pub struct Tokens<'a> {
    pub counter: &'a dyn TokenCounter,
    /// The maximum number of tokens of the document; files that do not fit are left out.
    pub budget: Option<u64>,
}

impl<'a> PackRequest<'a> {
    /// Makes a request for a Markdown document of `paths`, sorted by path, without counting tokens.
    pub fn new(paths: &'a [PathBuf], here: &'a Path, rules: &'a Rules) -> Self {
        Self {
            paths,
            listed: &[],
            here,
            rules,
            style: Style::default(),
            sort: SortBy::Path,
            tokens: None,
            explains: false,
            becomes: None,
            stdout_identity: None,
            progress: None,
        }
    }

    fn budget(&self) -> Option<u64> {
        self.tokens?.budget
    }

    /// Returns whether a budget takes what matters most first. An order that the user asks for decides instead.
    pub fn fills_by_priority(&self) -> bool {
        self.budget().is_some() && self.sort == SortBy::Path
    }

    fn job(&self) -> Job<'a> {
        Job {
            rules: self.rules,
            style: self.style,
            counter: self.tokens.map(|tokens| tokens.counter),
            counts_rendered: self.budget().is_some(),
            stdout_identity: self.stdout_identity,
            progress: self.progress,
        }
    }

    /// Returns where to keep the sections. Those in final order can be kept next to the output file.
    fn home(&self) -> Home {
        let is_in_order = self.sort == SortBy::Path && self.budget().is_none();
        self.becomes.filter(|_| is_in_order).map_or(Home::Temporary, |path| Home::Beside(path.to_path_buf()))
    }
}

/// Packs files and directories into one document.
///
/// A file that cannot be used becomes an error or a note in the result and does not stop the others;
/// [`Packed::decide`] says what to do about the errors.
pub fn pack(request: &PackRequest<'_>) -> Result<Packed, Failure> {
    let mut gathered = gather_all(request.paths, request.listed, request.here, request.rules);
    let mut loaded = load(&gathered, request.job(), request.home())?;
    if request.progress.is_some_and(|progress| progress.is_stopped.load(AtomicOrdering::Relaxed)) {
        return Err(Failure::new("the pack was stopped"));
    }
    let mut fitted = fit(std::mem::take(&mut loaded.sections), request.rules, request.sort);
    let errors = in_order(&mut [&mut gathered.errors, &mut loaded.errors, &mut fitted.errors]);
    let notes = notes(request, &mut gathered, &mut loaded, &mut fitted.notes, &errors);
    let told = notes.iter().filter(|note| note.level != Level::Info || request.explains).cloned();
    let mut packed = Packed {
        document_notes: errors.iter().map(|error| error.note(Level::Error)).chain(told).collect(),
        fitted,
        errors,
        notes,
        style: request.style,
        limits: request.rules.shown.clone(),
        encoding: request.tokens.map(|tokens| tokens.counter.encoding().to_owned()),
        spool: loaded.spool,
    };
    if let Some(Tokens { counter, budget: Some(budget) }) = request.tokens {
        let anchors = request.fills_by_priority().then(|| Anchors::of(&gathered));
        fit_budget(&mut packed, budget, counter, anchors.as_ref())?;
        packed.notes.sort_by(by_path_and_kind);
    }
    Ok(packed)
}

fn in_order(errors: &mut [&mut Vec<FileError>]) -> Vec<FileError> {
    let mut all: Vec<FileError> = errors.iter_mut().flat_map(|errors| errors.drain(..)).collect();
    all.sort_by(|a, b| tree_order(&a.path, &b.path));
    all.dedup();
    all
}

/// Collects the notes of all stages and, with `explains`, one for every file that was skipped silently.
fn notes(
    request: &PackRequest<'_>,
    gathered: &mut Gathered,
    loaded: &mut Loaded,
    fitted: &mut Vec<Note>,
    errors: &[FileError],
) -> Vec<Note> {
    let mut notes = std::mem::take(&mut gathered.notes);
    notes.append(&mut loaded.notes);
    notes.append(fitted);
    if request.explains {
        notes.extend(explain(gathered, &notes, errors, request.rules));
    }
    notes.sort_by(by_path_and_kind);
    notes.dedup();
    notes
}

fn by_path_and_kind(a: &Note, b: &Note) -> Ordering {
    tree_order(&a.path, &b.path).then_with(|| a.kind.cmp(&b.kind))
}
