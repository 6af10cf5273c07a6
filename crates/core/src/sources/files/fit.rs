//! Applies the limits that depend on all files: files per directory, and a budget of tokens.

use std::cmp::Ordering;
use std::collections::HashMap;

use serde::Serialize;

use super::document::Packed;
use super::load::Section;
use super::priority::{Anchors, Priority, compare};
use super::rules::Rules;
use crate::failure::Failure;
use crate::fs::{FileError, FileProblem};
use crate::note::{Level, Note, NoteKind};
use crate::shown::tree_order;
use crate::tokens::TokenCounter;

/// The order of sections in the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SortBy {
    #[default]
    Path,
    /// Largest first.
    Size,
    /// Most tokens first.
    Tokens,
    /// Newest first.
    Modified,
}

/// A section that did not fit into the budget.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Left {
    pub path: String,
    pub bytes: u64,
    pub tokens: u64,
}

/// The maximum number of left-out files to name in the document; a list of thousands would use up the budget.
const NAMED: usize = 20;

/// The sections that go into the result, in order.
#[derive(Debug)]
pub struct Fitted {
    pub kept: Vec<Section>,
    pub left_out: Vec<Left>,
    /// The number of those that are named in the document.
    pub named: usize,
    pub errors: Vec<FileError>,
    pub notes: Vec<Note>,
}

/// Applies the limit per directory, then the order. The sections must be sorted by path.
///
/// Files that the user named one by one do not count towards the limit.
pub(super) fn fit(sections: Vec<Section>, rules: &Rules, sort: SortBy) -> Fitted {
    let mut fitted = Fitted { kept: sections, left_out: Vec::new(), named: NAMED, errors: Vec::new(), notes: Vec::new() };
    if let Some(limit) = rules.max_files_per_directory {
        limit_directories(&mut fitted, limit, rules);
    }
    match sort {
        SortBy::Path => {}
        SortBy::Size => fitted.kept.sort_by_key(|section| std::cmp::Reverse(section.bytes)),
        SortBy::Tokens => fitted.kept.sort_by_key(|section| std::cmp::Reverse(section.tokens)),
        SortBy::Modified => fitted.kept.sort_by(|a, b| b.modified.cmp(&a.modified).then_with(|| tree_order(&a.shown, &b.shown))),
    }
    fitted
}

/// Leaves out the files of a directory beyond the first `limit` ones.
fn limit_directories(fitted: &mut Fitted, limit: usize, rules: &Rules) {
    // The length of the directory part of a path; for the root directory, its slash.
    let directory_of = |section: &Section| section.shown.rfind('/').map_or(0, |at| at.max(1));
    let mut sections = std::mem::take(&mut fitted.kept);
    // The number of files per directory, in the order of their first file.
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut counts: Vec<(&str, usize)> = Vec::new();
    let mut beyond = vec![false; sections.len()];
    let mut current: Option<(&str, usize)> = None;
    for (index, section) in sections.iter().enumerate().filter(|(_, section)| !section.found.is_explicit()) {
        let directory = &section.shown[..directory_of(section)];
        let place = match current {
            Some((name, place)) if name == directory => place,
            _ => *places.entry(directory).or_insert_with(|| {
                counts.push((directory, 0));
                counts.len() - 1
            }),
        };
        current = Some((directory, place));
        counts[place].1 += 1;
        beyond[index] = counts[place].1 > limit;
    }
    let decided_by = rules.settings.max_files_per_directory.decided_by();
    for (directory, count) in counts {
        let directory = if directory.is_empty() { "." } else { directory };
        if count > limit {
            let error = FileError::new(directory.to_owned(), FileProblem::TooMany { count, limit });
            if rules.is_error(&error.problem) {
                fitted.errors.push(error);
            } else {
                fitted.notes.push(error.note(Level::Warning).decided_by(decided_by.clone()));
            }
        } else if count >= limit - limit / 10 {
            let reason = format!("{count} of at most {limit} text files, close to the limit per directory");
            fitted.notes.push(Note::warning(directory, NoteKind::NearLimit, reason).decided_by(decided_by.clone()));
        }
    }
    let mut index = 0;
    sections.retain_mut(|section| {
        let is_beyond = beyond[index];
        index += 1;
        if is_beyond {
            let reason = format!("not among the first {limit} text files of its directory");
            let shown = std::mem::take(&mut section.shown);
            fitted.notes.push(Note::info(shown, NoteKind::TooMany, reason).decided_by(decided_by.clone()));
        }
        !is_beyond
    });
    fitted.kept = sections;
}

/// Leaves out sections that do not fit into `budget` tokens. With `anchors`, the budget takes what matters most first;
/// without, the order of the document decides. A section that is too large is skipped.
///
/// Joining texts can change token boundaries, so the sum of the parts is only an estimate; the finished document
/// decides. If it is too large, the list of left-out files is shortened before another file is left out.
pub(super) fn fit_budget(packed: &mut Packed, budget: u64, counter: &dyn TokenCounter, anchors: Option<&Anchors>) -> Result<(), Failure> {
    let all = std::mem::take(&mut packed.fitted.kept);
    let ranks: Vec<Option<(Priority, usize)>> = all.iter().map(|section| Some(anchors?.rank(section))).collect();
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|a, b| match (ranks[*a], ranks[*b]) {
        (Some(first), Some(second)) => compare((first, &all[*a].shown), (second, &all[*b].shown)),
        _ => Ordering::Equal,
    });
    let mut used = count(packed, counter);
    let mut fits = vec![false; all.len()];
    for index in &order {
        let section = &all[*index];
        // The line in the tree costs about as much as the path.
        let cost = section.rendered_tokens.unwrap_or(section.bytes) + section.shown.len() as u64 / 3 + 4;
        fits[*index] = used + cost <= budget;
        if fits[*index] {
            used += cost;
        }
    }
    // The kept ones in the order of the document; what matters least is last in `order`.
    let priority = |index: usize| ranks[index].map(|(priority, _)| priority);
    order.retain(|index| fits[*index]);
    let mut kept_indexes = Vec::with_capacity(order.len());
    for (index, section) in all.into_iter().enumerate() {
        if fits[index] {
            kept_indexes.push(index);
            packed.fitted.kept.push(section);
        } else {
            leave(packed, &section, priority(index));
        }
    }
    loop {
        // Sort before every count, because the document names the first of them.
        packed.fitted.left_out.sort_by(|a, b| tree_order(&a.path, &b.path));
        let size = count(packed, counter);
        if size <= budget {
            return Ok(());
        }
        if packed.fitted.named > 0 {
            packed.fitted.named /= 2;
        } else if let Some(last) = order.pop() {
            let at = kept_indexes.binary_search(&last).expect("it was kept");
            kept_indexes.remove(at);
            let section = packed.fitted.kept.remove(at);
            leave(packed, &section, priority(last));
        } else {
            return Err(Failure::new(format!("a budget of {budget} tokens is too small: without any file the document takes {size}"))
                .hint("`--format jsonl` adds no text around the files"));
        }
    }
}

/// Returns the exact tokens of the current document.
fn count(packed: &Packed, counter: &dyn TokenCounter) -> u64 {
    let mut document = Vec::new();
    packed.write(&mut document).expect("memory and the spool can be read and written");
    let document = String::from_utf8_lossy(&document);
    counter.count(&document, &blake3::hash(document.as_bytes()))
}

fn leave(packed: &mut Packed, section: &Section, priority: Option<Priority>) {
    let tokens = section.tokens.unwrap_or_default();
    let priority = priority.map(|priority| format!(" ({})", priority.words())).unwrap_or_default();
    let reason = format!("left out for the budget: {tokens} tokens, {} bytes{priority}", section.bytes);
    packed.notes.push(Note::warning(section.shown.clone(), NoteKind::Budget, reason).decided_by("--budget"));
    packed.fitted.left_out.push(Left { path: section.shown.clone(), bytes: section.bytes, tokens });
}
