//! Rendering text in each format, one file per format. In none of them can content close its own frame.

mod json;
mod markdown;
mod plain;
pub mod window;
mod xml;

use crate::fs::Buffer;
use crate::note::{Level, Note, NoteKind};
use crate::shown::one_line;
use crate::sources::files::{Left, LoadedFile, ShownLimits};
use crate::text::longest_run;

pub use markdown::{fence, language};
pub use xml::{attribute as xml_attribute, cdata as xml_cdata};

/// The formats of a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    #[default]
    Markdown,
    Xml,
    Json,
    Jsonl,
    Plain,
    /// Only the directory structure.
    Tree,
}

/// How to render files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Style {
    pub format: Format,
    pub has_line_numbers: bool,
}

/// The text around the sections.
#[derive(Debug)]
pub struct Frame<'a> {
    pub limits: &'a ShownLimits,
    pub tree: String,
    pub files: usize,
    pub bytes: u64,
    pub tokens: Option<u64>,
    pub encoding: Option<&'a str>,
    /// The files left out for the budget: the first of them, and their total number.
    pub left_out: &'a [Left],
    pub left_out_total: usize,
    pub notes: &'a [Note],
}

/// The maximum number of unusable files to list in the document.
const MISSING: usize = 20;

impl Frame<'_> {
    /// Returns a line for each requested path and each text that could not be used. Images and other binary files that were
    /// met on the way are not missed.
    fn missing(&self) -> Vec<String> {
        let is_missed = |note: &&Note| match note.level {
            Level::Error => true,
            Level::Warning => matches!(
                note.kind,
                NoteKind::TooLarge | NoteKind::TooMany | NoteKind::NotUtf8 | NoteKind::Permission | NoteKind::Locked | NoteKind::Io
            ),
            Level::Info => false,
        };
        let errors = self.notes.iter().filter(is_missed);
        let mut lines: Vec<String> =
            errors.clone().take(MISSING).map(|note| format!("`{}`: {}", one_line(&note.path), note.reason)).collect();
        match errors.count() {
            count if count > MISSING => lines.push(format!("… and {} more", count - MISSING)),
            _ => {}
        }
        lines
    }
}

impl Style {
    /// Returns whether the contents of files are part of the result.
    pub fn prints_contents(&self) -> bool {
        self.format != Format::Tree
    }

    /// Returns everything before the first section.
    pub fn header(&self, frame: &Frame<'_>) -> String {
        match self.format {
            Format::Markdown => markdown::header(frame),
            Format::Xml => xml::header(frame),
            Format::Json => json::header(frame),
            Format::Jsonl => String::new(),
            Format::Plain => plain::header(frame),
            Format::Tree => frame.tree.clone(),
        }
    }

    /// Appends one file. Every section ends with [`Style::separator`].
    pub fn section(&self, file: &LoadedFile<'_>, out: &mut Buffer) {
        let numbered = self.has_line_numbers.then(|| number_lines(&file.text));
        let text = numbered.as_deref().unwrap_or(&file.text);
        match self.format {
            Format::Markdown => markdown::section(file, text, out),
            Format::Xml => xml::section(file, text, out),
            Format::Json | Format::Jsonl => json::section(file, text, self.separator(), out),
            Format::Plain => plain::section(file, text, out),
            Format::Tree => {}
        }
    }

    /// Appends the text before a file's content and returns true, if this format includes contents unchanged. The
    /// content can then be read directly into `out` without a copy; [`Style::close`] tells whether it could stay.
    pub fn open(&self, shown: &str, out: &mut Buffer) -> bool {
        let takes_as_it_is = self.format == Format::Markdown && !self.has_line_numbers;
        if takes_as_it_is {
            markdown::open(shown, markdown::FENCE, out);
        }
        takes_as_it_is
    }

    /// Appends the text after the content that begins at `start`, unless the content needs another frame.
    pub fn close(&self, start: usize, out: &mut Buffer) -> bool {
        let content = &out.as_bytes()[start..];
        let holds = longest_run(content, b'`') < markdown::FENCE.len();
        if holds {
            markdown::close(content.last().copied(), markdown::FENCE, out);
        }
        holds
    }

    /// Returns the text between two sections.
    pub fn separator(&self) -> &'static str {
        match self.format {
            Format::Markdown => "\n",
            Format::Json => ",\n",
            Format::Xml | Format::Jsonl | Format::Plain | Format::Tree => "",
        }
    }

    /// Returns everything after the last section.
    pub fn footer(&self, frame: &Frame<'_>) -> String {
        match self.format {
            Format::Xml => xml::footer(),
            Format::Json => json::footer(frame),
            Format::Markdown | Format::Jsonl | Format::Plain | Format::Tree => String::new(),
        }
    }

    /// Returns a note if this format cannot show all characters of the file unchanged.
    pub fn replaces(&self, file: &LoadedFile<'_>) -> Option<Note> {
        match self.format {
            Format::Xml => xml::replaces(file),
            _ => None,
        }
    }
}

/// Numbers the lines, aligned to the width of the last number.
fn number_lines(text: &str) -> String {
    use std::fmt::Write as _;
    let count = text.lines().count();
    let width = count.to_string().len();
    let mut numbered = String::with_capacity(text.len() + count * (width + 2));
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let _ = write!(numbered, "{:>width$}: {line}", index + 1);
    }
    numbered
}

/// Returns a limit, or "unlimited".
fn limit(limit: Option<usize>) -> String {
    limit.map_or_else(|| "unlimited".to_owned(), |limit| limit.to_string())
}

/// Returns the names as a list, or "none".
fn joined(items: &[String]) -> String {
    if items.is_empty() { "(none)".to_owned() } else { items.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::number_lines;

    #[test]
    fn line_numbers_keep_every_line_ending() {
        assert_eq!(number_lines("a\r\nb\nc"), "1: a\r\n2: b\n3: c");
        assert_eq!(number_lines(""), "");
        assert!(number_lines(&"x\n".repeat(10)).starts_with(" 1: x\n"));
    }
}
