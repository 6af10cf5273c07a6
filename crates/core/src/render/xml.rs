//! XML that every parser accepts: contents are CDATA, and characters that XML forbids are made visible.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::{Frame, joined, limit};
use crate::fs::Buffer;
use crate::note::{Note, NoteKind};
use crate::sources::files::LoadedFile;

pub(super) fn header(frame: &Frame<'_>) -> String {
    let limits = frame.limits;
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<context>\n<summary>\n");
    text.push_str("This document contains user-provided files that are relevant to the current task.\n");
    let depth = limit(limits.recurse_depth);
    let _ = writeln!(
        text,
        "<limits max_file_size_kb=\"{}\" max_files_per_directory=\"{}\" excluded_directories=\"{}\" excluded_extensions=\"{}\" recurse_depth=\"{depth}\"/>",
        limits.max_file_size_kb,
        limit(limits.max_files_per_directory),
        attribute(&joined(&limits.excluded_directories)),
        attribute(&joined(&limits.excluded_extensions)),
    );
    let tokens = match (frame.tokens, frame.encoding) {
        (Some(tokens), Some(encoding)) => format!(" tokens=\"{tokens}\" encoding=\"{encoding}\""),
        _ => String::new(),
    };
    let left_out = if frame.left_out_total > 0 { format!(" left_out=\"{}\"", frame.left_out_total) } else { String::new() };
    let _ = writeln!(text, "<totals files=\"{}\" bytes=\"{}\"{tokens}{left_out}/>", frame.files, frame.bytes);
    for line in frame.missing() {
        let _ = writeln!(text, "<not_included>{}</not_included>", attribute(&line));
    }
    for left in frame.left_out {
        let _ = writeln!(text, "<left_out path=\"{}\" bytes=\"{}\" tokens=\"{}\"/>", attribute(&left.path), left.bytes, left.tokens);
    }
    let _ = write!(text, "</summary>\n<directory_structure>{}</directory_structure>\n<files>\n", cdata(&frame.tree));
    text
}

pub(super) fn footer() -> String {
    "</files>\n</context>\n".into()
}

pub(super) fn section(file: &LoadedFile<'_>, text: &str, out: &mut Buffer) {
    let mut push = |part: &str| out.push(part.as_bytes());
    push("<file path=\"");
    push(&attribute(file.shown));
    push("\"");
    if let Some(tokens) = file.tokens {
        push(&format!(" tokens=\"{tokens}\""));
    }
    push(">");
    push(&cdata(text));
    push("</file>\n");
}

pub(super) fn replaces(file: &LoadedFile<'_>) -> Option<Note> {
    let count = file.text.chars().filter(|c| !is_allowed(*c)).count();
    (count > 0)
        .then(|| Note::warning(file.shown, NoteKind::Replaced, format!("{count} characters that XML forbids were replaced by symbols")))
}

/// Returns whether XML 1.0 allows a character.
fn is_allowed(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// Replaces the characters that XML forbids: controls by their symbols (`␀`), the two noncharacters by U+FFFD.
fn allowed(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_allowed) {
        return Cow::Borrowed(text);
    }
    let picture = |c: char| match c {
        c if is_allowed(c) => c,
        c @ '\0'..='\u{1F}' => char::from_u32(0x2400 + c as u32).unwrap_or('\u{FFFD}'),
        _ => '\u{FFFD}',
    };
    Cow::Owned(text.chars().map(picture).collect())
}

/// Returns text as CDATA; `]]>` inside it is split across two blocks.
pub fn cdata(text: &str) -> String {
    // A parser would turn a carriage return into a line feed, so it is written outside as a reference.
    format!("<![CDATA[{}]]>", allowed(text).replace("]]>", "]]]]><![CDATA[>").replace('\r', "]]>&#13;<![CDATA["))
}

/// Returns text for an attribute in double quotes.
pub fn attribute(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in allowed(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            '\r' => escaped.push_str("&#13;"),
            '\t' => escaped.push_str("&#9;"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_cannot_close_its_element_or_its_block() {
        assert_eq!(cdata("a]]></file>"), "<![CDATA[a]]]]><![CDATA[></file>]]>");
        assert_eq!(cdata("a\r\n"), "<![CDATA[a]]>&#13;<![CDATA[\n]]>");
        assert_eq!(cdata("bell\u{7}"), "<![CDATA[bell\u{2407}]]>");
        assert_eq!(attribute("a\"<\n&"), "a&quot;&lt;&#10;&amp;");
    }
}
