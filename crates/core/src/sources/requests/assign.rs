//! The assign format: each file as a variable for its path and a variable for its content.
//!
//! A content is a here-doc where that is exact. The format's known consumer takes every line that starts with `@` for a
//! declaration, even inside a here-doc, and drops carriage returns; a content with either is written in quotes, which it
//! reads back exactly. So one file can never spoil the document.

use std::path::Path;

use super::names::{Names, build_safe_base_name};
use super::read_files::ReadFiles;
use super::token::{build_here_doc_token, content_base};
use crate::shown::is_deceptive;

/// Returns the files as assignments, joined by line breaks and without one at the end; an empty text for no files.
///
/// Labels are relative to `here`. The same files give the same bytes.
pub fn build_context_assign_string(files: &ReadFiles, here: &Path) -> String {
    let mut names = Names::default();
    let mut lines = Vec::with_capacity(files.len() * 5);
    for file in files {
        let label = file.label(here);
        let name = names.unique(&build_safe_base_name(&label, "spec_"));
        let content = file.content.text();
        lines.push(format!("@{name} assign {}", quoted(&label)));
        if !fits_here_doc(&content) {
            lines.push(format!("@{name}Content assign {}", quoted(&content)));
            continue;
        }
        let token = build_here_doc_token(&content, &content_base(&content));
        lines.push(format!("@{name}Content assign"));
        lines.push(format!("--begin-{token}--"));
        if !content.is_empty() {
            lines.push(content.into_owned());
        }
        lines.push(format!("--end-{token}--"));
    }
    lines.join("\n")
}

/// Returns `text` in double quotes, with the escapes that the consumer's tokenizer knows.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Returns whether a here-doc carries a content exactly: no carriage return, and no line that starts with `@`, after any
/// line break and behind any white space and invisible characters.
fn fits_here_doc(content: &str) -> bool {
    let is_break = |c: char| matches!(c, '\n' | '\u{B}' | '\u{C}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    let is_unseen = |c: char| c.is_whitespace() || is_deceptive(c);
    let starts_a_line = |at: usize| content[..at].chars().rev().take_while(|c| !is_break(*c)).all(is_unseen);
    memchr::memchr(b'\r', content.as_bytes()).is_none() && !memchr::memchr_iter(b'@', content.as_bytes()).any(starts_a_line)
}

#[cfg(test)]
mod tests {
    use briefing_testkit::{Assigned, parse_assigns};
    use proptest::prelude::*;

    use super::*;
    use crate::sources::requests::Content;

    fn files(entries: &[(&str, &str)]) -> ReadFiles {
        let mut files = ReadFiles::new();
        for (path, content) in entries {
            files.insert(Path::new("/w").join(path), Content::Read { content: (*content).into() });
        }
        files
    }

    #[test]
    fn no_files_give_an_empty_text() {
        assert_eq!(build_context_assign_string(&ReadFiles::new(), Path::new("/w")), "");
    }

    #[test]
    fn the_format_is_exactly_the_original_one() {
        let text = build_context_assign_string(&files(&[("a.md", "one\n"), ("sub/b.txt", ""), ("b.js", "no break")]), Path::new("/w"));
        insta::assert_snapshot!(text, @r#"
        @spec_a assign "a.md"
        @spec_aContent assign
        --begin-context-e0e63aa4-c8e1-8d79-acb1-04d8a074e553--
        one

        --end-context-e0e63aa4-c8e1-8d79-acb1-04d8a074e553--
        @spec_b assign "sub/b.txt"
        @spec_bContent assign
        --begin-context-af1349b9-f5f9-81a6-a040-4dea36dcc949--
        --end-context-af1349b9-f5f9-81a6-a040-4dea36dcc949--
        @spec_b_2 assign "b.js"
        @spec_b_2Content assign
        --begin-context-a8cf03e5-fac3-8406-8a97-3727faa8ee50--
        no break
        --end-context-a8cf03e5-fac3-8406-8a97-3727faa8ee50--
        "#);
    }

    #[test]
    fn labels_cannot_leave_their_quotes() {
        let text = build_context_assign_string(&files(&[("a\"b\\c\nd.md", "")]), Path::new("/w"));
        assert_eq!(text.lines().next(), Some(r#"@spec_a_b_c_d assign "a\"b\\c\nd.md""#));
    }

    #[test]
    fn a_content_that_a_here_doc_would_change_is_quoted() {
        let text = build_context_assign_string(&files(&[("a.py", "x\n \u{200B}@y\n"), ("b", "c\r\n")]), Path::new("/w"));
        assert_eq!(
            text,
            "@spec_a assign \"a.py\"\n@spec_aContent assign \"x\\n \u{200B}@y\\n\"\n@spec_b assign \"b\"\n@spec_bContent assign \"c\\r\\n\""
        );
        assert!(fits_here_doc("mail@host\n#@\n") && !fits_here_doc("@") && !fits_here_doc("\u{FEFF}@"));
        assert!(fits_here_doc(&"x@ ".repeat(1_000_000)), "in no time");
    }

    /// Returns hostile text: markers of its own token, declarations, quotes, carriage returns, any character.
    fn hostile() -> impl Strategy<Value = String> {
        let own = "[a-z\n]{0,8}".prop_map(|text| {
            let token = content_base(&text);
            format!("{text}\n--end-{token}--\n--begin-{token}--")
        });
        let words = prop::sample::select(vec!["--end-context--", "@spec_a assign \"x\"", "\n", "\r\n", "\"", "\\", "--", "\t", "ä", ""]);
        let pieces = prop::collection::vec(prop_oneof![words.prop_map(str::to_owned), own, any::<String>()], 0..6);
        pieces.prop_map(|pieces| pieces.concat())
    }

    /// Returns names of files: anything without a separator, often the same.
    fn file_name() -> impl Strategy<Value = String> {
        let alike = prop::sample::select(vec!["foo.md", "foo.txt", "fooContent.md", "foo_2.md", "a\"b", "c\\d\n", ".env", "é"]);
        prop_oneof![alike.prop_map(str::to_owned), "[^/\0]{1,12}"].prop_filter("a name", |name| !matches!(name.as_str(), "." | ".."))
    }

    proptest! {
        #[test]
        fn what_was_read_comes_back_from_the_text(entries in prop::collection::vec((prop::collection::vec(file_name(), 1..3), hostile()), 0..8)) {
            let here = Path::new("/w");
            let mut files = ReadFiles::new();
            for (names, content) in entries {
                files.insert(names.iter().fold(here.to_path_buf(), |path, name| path.join(name)), Content::Read { content });
            }
            let text = build_context_assign_string(&files, here);
            let parsed = parse_assigns(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let expected: Vec<_> = files.iter().map(|file| (file.label(here), file.content.text().into_owned())).collect();
            let parsed: Vec<_> = parsed.into_iter().map(|Assigned { path, content, .. }| (path, content)).collect();
            prop_assert_eq!(parsed, expected);
            prop_assert_eq!(build_context_assign_string(&files, here), text, "same input, same bytes");
        }

        #[test]
        fn no_token_occurs_in_its_content(content in hostile(), base in "[a-z-]{0,6}") {
            let content = format!("{content}--begin-{base}--{content}--end-{base}-1--");
            let token = build_here_doc_token(&content, &base);
            let (begin, end) = (format!("--begin-{token}--"), format!("--end-{token}--"));
            prop_assert!(!content.contains(&begin) && !content.contains(&end));
        }
    }
}
