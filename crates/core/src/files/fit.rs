//! The limits that need the whole picture: files per directory, and a budget of tokens.

use std::collections::HashMap;

use serde::Serialize;

use super::load::Section;
use super::rules::Rules;
use crate::fs::{FileError, FileProblem};
use crate::note::{Note, NoteKind};
use crate::shown::tree_order;

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

/// A section that did not fit the budget.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Left {
    pub path: String,
    pub bytes: u64,
    pub tokens: u64,
}

/// How many files that were left out are named in the document; a list of thousands would eat the budget itself.
const NAMED: usize = 20;

/// The sections that go into the result, in order.
#[derive(Debug)]
pub struct Fitted {
    pub kept: Vec<Section>,
    pub left_out: Vec<Left>,
    /// How many of those are named in the document.
    pub named: usize,
    pub errors: Vec<FileError>,
    pub notes: Vec<Note>,
}

/// Applies the limit per directory, then the order. Sections come in by path.
///
/// Files that a person named one by one do not count: nobody lists sixty files to get fifty.
pub fn fit(sections: Vec<Section>, rules: &Rules, sort: SortBy) -> Fitted {
    let mut fitted = Fitted { kept: Vec::new(), left_out: Vec::new(), named: NAMED, errors: Vec::new(), notes: Vec::new() };
    let limit = rules.max_files_per_directory;
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut order: Vec<String> = Vec::new();
    for section in sections {
        if section.is_explicit {
            fitted.kept.push(section);
            continue;
        }
        let directory = section.shown.rsplit_once('/').map_or(".", |(directory, _)| directory);
        if !counts.contains_key(directory) {
            order.push(directory.to_owned());
            counts.insert(directory.to_owned(), 0);
        }
        let count = counts.get_mut(directory).expect("it was inserted above");
        *count += 1;
        if *count > limit {
            let reason = format!("beyond the first {limit} text files of its directory");
            fitted.notes.push(Note::info(section.shown, NoteKind::TooMany, reason).decided_by(rules.decided_by("max_files_per_directory")));
        } else {
            fitted.kept.push(section);
        }
    }
    for directory in order {
        let count = counts[&directory];
        if count > limit {
            fitted.errors.push(FileError::new(directory, FileProblem::TooMany { count, limit }));
        } else if count >= limit - limit / 10 {
            let reason = format!("{count} of at most {limit} text files: near the limit of the directory");
            fitted
                .notes
                .push(Note::warning(directory, NoteKind::NearLimit, reason).decided_by(rules.decided_by("max_files_per_directory")));
        }
    }
    match sort {
        SortBy::Path => {}
        SortBy::Size => fitted.kept.sort_by_key(|section| std::cmp::Reverse(section.bytes)),
        SortBy::Tokens => fitted.kept.sort_by_key(|section| std::cmp::Reverse(section.tokens)),
        SortBy::Modified => fitted.kept.sort_by(|a, b| b.modified.cmp(&a.modified).then_with(|| tree_order(&a.shown, &b.shown))),
    }
    fitted
}

/// Leaves out what does not fit into `budget` tokens: first come, first kept; what is too large is passed over.
///
/// `count` returns the exact tokens of the finished document. Joining texts can move token borders, so the sum of the
/// parts is only the first guess; the finished document decides. When it is too large, the list of what was left out
/// is shortened before another file is. The error is the size of the smallest document there is.
pub fn fit_budget(fitted: &mut Fitted, budget: u64, count: impl Fn(&Fitted) -> u64) -> Result<(), u64> {
    let all = std::mem::take(&mut fitted.kept);
    let frame = count(fitted);
    let mut used = frame;
    for section in all {
        // The line in the tree costs about as much as the path itself.
        let cost = section.rendered_tokens.unwrap_or(section.bytes) + section.shown.len() as u64 / 3 + 4;
        if used + cost <= budget {
            used += cost;
            fitted.kept.push(section);
        } else {
            leave(fitted, &section);
        }
    }
    loop {
        // In order before every count: the document names the first of them.
        fitted.left_out.sort_by(|a, b| tree_order(&a.path, &b.path));
        let size = count(fitted);
        if size <= budget {
            return Ok(());
        }
        if fitted.named > 0 {
            fitted.named /= 2;
        } else if let Some(last) = fitted.kept.pop() {
            leave(fitted, &last);
        } else {
            return Err(size);
        }
    }
}

fn leave(fitted: &mut Fitted, section: &Section) {
    let tokens = section.tokens.unwrap_or_default();
    let reason = format!("left out for the budget: {tokens} tokens, {} bytes", section.bytes);
    fitted.notes.push(Note::warning(section.shown.clone(), NoteKind::Budget, reason).decided_by("--budget"));
    fitted.left_out.push(Left { path: section.shown.clone(), bytes: section.bytes, tokens });
}
