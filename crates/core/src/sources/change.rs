//! A change to one file: the text before, the edits, and a diff to show.
//!
//! Changes are a few edits to a known text, so the diff is generated from the edits in linear time, without a search.

use std::fmt::Write as _;
use std::ops::Range;
use std::path::PathBuf;

use crate::Failure;
use crate::fs;
use crate::shown::{one_line, path_text};

/// The number of unchanged lines shown around an edit.
const CONTEXT: usize = 3;

/// A change to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub path: PathBuf,
    /// The text before, including a byte order mark; `None` if the file does not exist yet.
    pub before: Option<String>,
    /// Byte ranges and their replacements, in order and without overlap.
    edits: Vec<(Range<usize>, String)>,
}

impl Change {
    /// Makes a change from edits in order.
    pub(super) fn new(path: PathBuf, before: Option<String>, edits: Vec<(Range<usize>, String)>) -> Self {
        debug_assert!(edits.windows(2).all(|pair| pair[0].0.end <= pair[1].0.start), "edits must be in order");
        Self { path, before, edits }
    }

    /// Makes the change that turns one text into another, as one edit between what both have in common.
    pub(super) fn between(path: PathBuf, before: Option<String>, after: &str) -> Self {
        let old = before.as_deref().unwrap_or_default();
        let same = |(a, b): &(char, char)| a == b;
        let start: usize = old.chars().zip(after.chars()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
        let (old_rest, new_rest) = (&old[start..], &after[start..]);
        let end: usize = old_rest.chars().rev().zip(new_rest.chars().rev()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
        let new = new_rest[..new_rest.len() - end].to_owned();
        let edits = if old == after { Vec::new() } else { vec![(start..old.len() - end, new)] };
        Self::new(path, before, edits)
    }

    /// Returns whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Returns the text after the change.
    pub fn after(&self) -> String {
        let before = self.before.as_deref().unwrap_or_default();
        let mut text = String::with_capacity(before.len() + self.edits.iter().map(|(_, new)| new.len()).sum::<usize>());
        let mut at = 0;
        for (range, new) in &self.edits {
            text.push_str(&before[at..range.start]);
            text.push_str(new);
            at = range.end;
        }
        text.push_str(&before[at..]);
        text
    }

    /// Writes the file atomically.
    pub fn write(&self) -> Result<(), Failure> {
        fs::write_atomic(&self.path, self.after().as_bytes())
            .map_err(|problem| Failure::new(format!("cannot write `{}`", path_text(&self.path))).because(&problem))
    }

    /// Returns the change as a unified diff.
    pub fn diff(&self) -> String {
        let before = self.before.as_deref().unwrap_or_default();
        let name = path_text(&self.path);
        let name = one_line(&name);
        let old_name = if self.before.is_some() { &*name } else { "/dev/null" };
        let mut diff = format!("--- {old_name}\n+++ {name}\n");
        let mut numbers = Numbers { text: before, at: 0, line: 1 };
        let mut shift = 0isize;
        for hunk in hunks(before, &self.edits) {
            let (start, end) = (hunk[0].0.start, hunk[hunk.len() - 1].0.end);
            let (from, to) = (lines_back(before, start, CONTEXT), lines_on(before, end, CONTEXT));
            let mut body = String::new();
            let (mut old_lines, mut new_lines) = (0isize, 0isize);
            let mut at = from;
            for (range, new) in &hunk {
                let kept = push_lines(&mut body, ' ', &before[at..range.start]);
                old_lines += kept + push_lines(&mut body, '-', &before[range.clone()]);
                new_lines += kept + push_lines(&mut body, '+', new);
                at = range.end;
            }
            let kept = push_lines(&mut body, ' ', &before[at..to]);
            (old_lines, new_lines) = (old_lines + kept, new_lines + kept);
            let line = numbers.line_at(from);
            let first = |line: isize, count: isize| if count == 0 { line - 1 } else { line };
            let _ = writeln!(diff, "@@ -{},{old_lines} +{},{new_lines} @@", first(line, old_lines), first(line + shift, new_lines));
            diff.push_str(&body);
            shift += new_lines - old_lines;
        }
        diff
    }
}

/// Counts lines incrementally from one position to the next.
struct Numbers<'a> {
    text: &'a str,
    at: usize,
    line: isize,
}

impl Numbers<'_> {
    fn line_at(&mut self, offset: usize) -> isize {
        let offset = offset.max(self.at);
        self.line += memchr::memchr_iter(b'\n', &self.text.as_bytes()[self.at..offset]).count().cast_signed();
        self.at = offset;
        self.line
    }
}

/// Extends edits to whole lines and groups nearby ones into hunks.
fn hunks(text: &str, edits: &[(Range<usize>, String)]) -> Vec<Vec<(Range<usize>, String)>> {
    let mut aligned: Vec<(Range<usize>, String)> = Vec::new();
    for (range, new) in edits {
        let start = lines_back(text, range.start, 0);
        let is_whole = (range.end == 0 || text[..range.end].ends_with('\n')) && (new.is_empty() || new.ends_with('\n'));
        let end = if is_whole && start == range.start { range.end } else { lines_on(text, range.end, 1) };
        let new = [&text[start..range.start], new, &text[range.end..end]].concat();
        match aligned.last_mut() {
            // Two edits in one line: the second begins inside the extended first.
            Some((last, replacement)) if last.end > start => {
                let tail = last.end - range.start;
                replacement.truncate(replacement.len() - tail);
                replacement.push_str(&new[range.start - start..]);
                last.end = end;
            }
            _ => aligned.push((start..end, new)),
        }
    }
    let mut hunks: Vec<Vec<(Range<usize>, String)>> = Vec::new();
    for edit in aligned {
        match hunks.last_mut() {
            Some(hunk) if lines_on(text, hunk[hunk.len() - 1].0.end, 2 * CONTEXT) >= edit.0.start => hunk.push(edit),
            _ => hunks.push(vec![edit]),
        }
    }
    hunks
}

/// Returns the start of the line at `offset`, or of the line `count` lines before it.
fn lines_back(text: &str, offset: usize, count: usize) -> usize {
    let mut breaks = memchr::memrchr_iter(b'\n', &text.as_bytes()[..offset]);
    breaks.nth(count).map_or(0, |at| at + 1)
}

/// Returns the end of `count` lines starting at `offset`.
fn lines_on(text: &str, offset: usize, count: usize) -> usize {
    let mut breaks = memchr::memchr_iter(b'\n', &text.as_bytes()[offset..]);
    breaks.nth(count - 1).map_or(text.len(), |at| offset + at + 1)
}

fn push_lines(diff: &mut String, sign: char, text: &str) -> isize {
    let mut count = 0;
    for line in text.split_inclusive('\n') {
        let content = line.strip_suffix('\n').unwrap_or(line);
        let _ = writeln!(diff, "{sign}{}", content.strip_suffix('\r').unwrap_or(content));
        if content.len() == line.len() {
            diff.push_str("\\ No newline at end of file\n");
        }
        count += 1;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(before: Option<&str>, edits: &[(Range<usize>, &str)]) -> Change {
        Change::new(
            "/p/a.md".into(),
            before.map(str::to_owned),
            edits.iter().map(|(range, new)| (range.clone(), (*new).to_owned())).collect(),
        )
    }

    #[test]
    fn a_new_file_is_all_added() {
        let change = change(None, &[(0..0, "a\nb\n")]);
        assert_eq!(change.after(), "a\nb\n");
        assert_eq!(change.diff(), "--- /dev/null\n+++ /p/a.md\n@@ -0,0 +1,2 @@\n+a\n+b\n");
    }

    #[test]
    fn an_appended_line_shows_the_missing_newline() {
        let change = change(Some("1\n2\n3\n4\n5"), &[(9..9, "\n6\n")]);
        assert_eq!(change.after(), "1\n2\n3\n4\n5\n6\n");
        assert_eq!(change.diff(), "--- /p/a.md\n+++ /p/a.md\n@@ -2,4 +2,5 @@\n 2\n 3\n 4\n-5\n\\ No newline at end of file\n+5\n+6\n");
    }

    #[test]
    fn removed_and_replaced_lines_far_apart_are_two_hunks() {
        let text = (1..=20).map(|line: u32| line.to_string() + "\r\n").collect::<String>();
        let at = |line: &str| text.find(&format!("{line}\r\n")).unwrap();
        let edits = [(at("2")..at("3"), ""), (at("18")..at("18") + 1, "X")];
        let change = change(Some(&text), &edits);
        assert_eq!(
            change.diff(),
            "--- /p/a.md\n+++ /p/a.md\n@@ -1,5 +1,4 @@\n 1\n-2\n 3\n 4\n 5\n@@ -15,6 +14,6 @@\n 15\n 16\n 17\n-18\n+X8\n 19\n 20\n"
        );
    }

    #[test]
    fn two_edits_in_one_line_are_shown_once() {
        let change = change(Some("a b c\n"), &[(0..1, "A"), (4..5, "C")]);
        assert_eq!(change.after(), "A b C\n");
        assert_eq!(change.diff(), "--- /p/a.md\n+++ /p/a.md\n@@ -1,1 +1,1 @@\n-a b c\n+A b C\n");
    }
}
