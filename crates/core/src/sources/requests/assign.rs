//! The assign format: each file as a variable for its path and a here-doc variable for its content.

use std::path::Path;

use super::names::{Names, build_safe_base_name};
use super::read_files::ReadFiles;
use super::token::{build_here_doc_token, content_base};
use crate::note::{Note, NoteKind};
use crate::shown::one_line;

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
        let token = build_here_doc_token(&content, &content_base(&content));
        lines.push(format!("@{name} assign {}", quoted(&label)));
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

/// Returns a note for each file that the known consumer of the format would misread.
///
/// Its parser treats every line that starts with `@` as a declaration, even inside a here-doc. The format has no
/// escape for it, so all we can do is add a note.
pub fn notes_on_misread_lines(files: &ReadFiles, here: &Path) -> Vec<Note> {
    let note = |file: &super::ReadFile| {
        let text = file.content.text();
        let mut lines = text.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with('@')).map(|(at, _)| at + 1);
        let first = lines.next()?;
        let others = match lines.count() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let reason = format!("line {first}{others} starts with `@`, which LightSOPLang treats as a declaration; other formats are safe");
        Some(Note::warning(one_line(&file.label(here)), NoteKind::Format, reason))
    };
    files.iter().filter_map(note).collect()
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
    fn lines_that_the_consumer_would_misread_are_named() {
        let notes = notes_on_misread_lines(&files(&[("a.py", "x\n  @decorated\n@again\n"), ("b.md", "mail@host")]), Path::new("/w"));
        assert_eq!(notes.len(), 1);
        assert_eq!(notes[0].path, "a.py");
        assert!(notes[0].reason.starts_with("line 2 and 1 more starts with"), "{}", notes[0].reason);
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
