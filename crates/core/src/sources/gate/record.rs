//! Writes dated entries: newest first, with an updated index and every other byte unchanged.
//!
//! The new text is parsed before it replaces the file: the new entry must come first, and every other entry must be
//! unchanged. So neither an open fence nor an index marker in the text can destroy an entry.

use std::path::{Path, PathBuf};

use super::edit::{self, Draft};
use super::entry::{self, DatedEntry};
use super::index::{self, Block};
use super::plan::{DECISIONS, LEARNINGS};
use crate::Failure;
use crate::lines::{Hidden, lines};
use crate::shown::is_deceptive;

/// The file that an entry goes into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordKind {
    Decision,
    Learning,
}

impl RecordKind {
    fn file(self) -> &'static str {
        match self {
            Self::Decision => DECISIONS,
            Self::Learning => LEARNINGS,
        }
    }

    pub(super) fn new_file(self) -> &'static str {
        match self {
            Self::Decision => include_str!("templates/DECISIONS.md"),
            Self::Learning => include_str!("templates/LEARNINGS.md"),
        }
    }
}

/// An entry to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record<'a> {
    pub kind: RecordKind,
    pub title: &'a str,
    /// `Context`, `Rationale` … with their texts, in order. Empty texts are left out.
    pub fields: &'a [(&'a str, &'a str)],
    /// `YYYY-MM-DD-HHMMSS`, local time.
    pub stamp: &'a str,
}

/// Adds an entry to DECISIONS.md or LEARNINGS.md of a `.context` directory and returns the file's path.
pub fn add_record(context: &Path, record: &Record<'_>, state: Option<&Path>) -> Result<PathBuf, Failure> {
    let title = record.title.trim();
    if title.is_empty() || title.chars().any(is_deceptive) {
        return Err(
            Failure::usage("the title must be one line of visible text").hint("put the rest into --context or one of the other fields")
        );
    }
    edit::change(context, record.kind.file(), Some(record.kind.new_file()), state, |draft| {
        let new = insert(draft, title, record);
        let new = with_current_index(record.kind.file(), &new, draft.line_break);
        verify(draft.text, &new, title, record.stamp)?;
        Ok(new)
    })
}

/// Returns the text of an entry.
fn written(title: &str, record: &Record<'_>, line_break: &str) -> String {
    let mut paragraphs = vec![format!("## [{}] {title}", record.stamp)];
    for (name, text) in record.fields {
        let text = text.trim();
        if !text.is_empty() {
            paragraphs.push(format!("**{name}**: {text}"));
        }
    }
    let text = paragraphs.join("\n\n").replace("\r\n", "\n");
    let closed = match Hidden::left_open(&text) {
        Some(closing) => format!("{text}\n{closing}"),
        None => text,
    };
    closed.replace('\n', line_break)
}

/// Inserts the entry before the first one, or after the head of a file without entries.
fn insert(draft: &Draft<'_>, title: &str, record: &Record<'_>) -> String {
    let (text, line_break) = (draft.text, draft.line_break);
    let entries = entry::parse(text);
    let at = entries.first().map_or_else(|| after_head(text), |first| first.start);
    let (before, after) = text.split_at(at);
    let entry = written(title, record, line_break);
    let gap = match before {
        "" => String::new(),
        _ if before.ends_with('\n') && before.trim_end_matches(['\r', '\n', ' ']).len() + line_break.len() < before.len() => String::new(),
        // Keep an entry directly under a comment, as some directories have it.
        _ if before.ends_with('\n') && !entries.is_empty() => String::new(),
        _ if before.ends_with('\n') => line_break.to_owned(),
        _ => line_break.repeat(2),
    };
    let separator = match (entries.is_empty(), after.trim().is_empty()) {
        (false, _) => format!("{line_break}{line_break}---{line_break}{line_break}"),
        (true, false) => line_break.repeat(2),
        (true, true) => line_break.to_owned(),
    };
    format!("{before}{gap}{entry}{separator}{after}")
}

/// Returns the position after the title, the index and comments.
fn after_head(text: &str) -> usize {
    let mut hidden = Hidden::new(text);
    let block = match index::block(text) {
        Block::Found(range) => range,
        _ => 0..0,
    };
    let mut end = 0;
    for line in lines(text, 0) {
        let is_fence = line.text.trim_start().starts_with("```") || line.text.trim_start().starts_with("~~~");
        let is_comment = hidden.hides(&line) && !is_fence;
        let is_head =
            is_comment || line.is_blank() || line.text.trim_start_matches('\u{FEFF}').starts_with("# ") || block.contains(&line.start);
        if !is_head {
            break;
        }
        end = line.end;
    }
    end
}

/// Updates the stored index, if there is one. A block that contains anything but a table is not changed.
fn with_current_index(name: &str, text: &str, line_break: &str) -> String {
    let Block::Found(range) = index::block(text) else { return text.to_owned() };
    let stored = &text[range.clone()];
    if stored.lines().any(|line| !line.trim().is_empty() && !line.trim_start().starts_with('|')) {
        return text.to_owned();
    }
    let entries = entry::parse(text);
    let rows: Vec<_> = stored.lines().filter(|line| line.trim_start().starts_with('|')).collect();
    let table = match rows.as_slice() {
        [head, rule, rows @ ..] if index::rows_without_entry(rows, &entries) => {
            // Rows of entries that are no longer in this file stay; the new one comes first.
            let row = index::table_row(&entries[0]);
            let all = [*head, *rule].into_iter().chain([row.as_str()]).chain(rows.iter().copied());
            all.map(str::trim_end).collect::<Vec<_>>().join(line_break)
        }
        [head, rule, ..] => {
            let rows: Vec<_> = entries.iter().map(index::table_row).collect();
            let all = [*head, *rule].into_iter().chain(rows.iter().map(String::as_str));
            all.map(str::trim_end).collect::<Vec<_>>().join(line_break)
        }
        _ => index::table(name, &entries, line_break),
    };
    format!("{}{line_break}{table}{line_break}{}", &text[..range.start], &text[range.end..])
}

/// Parses the new text and compares the entries.
fn verify(old: &str, new: &str, title: &str, stamp: &str) -> Result<(), Failure> {
    let (before, after) = (entry::parse(old), entry::parse(new));
    let same = |(a, b): (&DatedEntry<'_>, &DatedEntry<'_>)| a.title == b.title && a.stamp == b.stamp && a.text == b.text;
    let is_first = after.first().is_some_and(|entry| entry.title == title && entry.stamp == stamp);
    if is_first && after.len() == before.len() + 1 && before.iter().zip(&after[1..]).all(same) {
        return Ok(());
    }
    Err(Failure::new("the entry would not be read back as given")
        .because_of("its text contains a dated heading, an index marker or an unclosed comment")
        .hint("indent such lines or put them into a code fence"))
}
