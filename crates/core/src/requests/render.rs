//! The entries as text, in the format that was asked for.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::json;

use super::assign::{build_context_assign_string, notes_on_misread_lines};
use super::entries::{Content, ReadFiles};
use crate::shown::one_line;
use crate::text::longest_run;

/// The formats files can be printed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Here-doc assignments, as [`build_context_assign_string`] makes them.
    Assign,
    Markdown,
    Xml,
    Json,
}

/// Returns the files in a format, with a line break at the end; nothing for no files in the formats made of text.
///
/// Labels are relative to `here`. What the format itself makes of a file is noted in `files`.
pub fn render(files: &mut ReadFiles, here: &Path, format: Format) -> String {
    match format {
        Format::Assign => {
            files.notes.extend(notes_on_misread_lines(files, here));
            let mut text = build_context_assign_string(files, here);
            if !text.is_empty() {
                text.push('\n');
            }
            text
        }
        Format::Markdown => markdown(files, here),
        Format::Xml => xml(files, here),
        Format::Json => json(files, here),
    }
}

/// A heading and a fence for each file. Fences are longer than any run of backticks in the file.
fn markdown(files: &ReadFiles, here: &Path) -> String {
    let mut text = String::new();
    for entry in files {
        if !text.is_empty() {
            text.push('\n');
        }
        let label = entry.label(here);
        let _ = write!(text, "### {}\n\n", one_line(&label));
        match &entry.content {
            Content::Read { content } => {
                let fence = "`".repeat(longest_run(content, b'`').max(2) + 1);
                let language = Path::new(&label).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
                let language = if language.chars().all(|c| c.is_ascii_alphanumeric()) { language } else { "" };
                let end = if content.is_empty() || content.ends_with('\n') { "" } else { "\n" };
                let _ = writeln!(text, "{fence}{language}\n{content}{end}{fence}");
            }
            missing => {
                let _ = writeln!(text, "{}", missing.text());
            }
        }
    }
    text
}

/// Well-formed XML 1.0: markup is escaped, and characters that XML cannot hold become U+FFFD.
fn xml(files: &ReadFiles, here: &Path) -> String {
    let mut text = String::from("<files>\n");
    for entry in files {
        let status = match entry.content {
            Content::Read { .. } => "read",
            Content::Skipped { .. } => "skipped",
            Content::Error { .. } => "error",
        };
        let _ = writeln!(
            text,
            "<file path=\"{}\" status=\"{status}\">{}</file>",
            xml_escaped(&entry.label(here), true),
            xml_escaped(&entry.content.text(), false)
        );
    }
    text.push_str("</files>\n");
    text
}

fn xml_escaped(text: &str, is_attribute: bool) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' if is_attribute => escaped.push_str("&quot;"),
            // A parser would turn these into a space or a line feed.
            '\n' | '\t' if is_attribute => {
                let _ = write!(escaped, "&#{};", u32::from(c));
            }
            '\r' => escaped.push_str("&#13;"),
            '\n' | '\t' => escaped.push(c),
            c if c < ' ' || matches!(c, '\u{FFFE}' | '\u{FFFF}') => escaped.push('\u{FFFD}'),
            c => escaped.push(c),
        }
    }
    escaped
}

fn json(files: &ReadFiles, here: &Path) -> String {
    let entry = |entry: &super::Entry| {
        let mut value = json!({ "path": entry.label(here) });
        let content = serde_json::to_value(&entry.content).expect("an entry is plain data");
        if let (Some(value), Some(content)) = (value.as_object_mut(), content.as_object()) {
            value.extend(content.clone());
            value.insert("content".into(), json!(entry.content.text()));
        }
        value
    };
    let all = json!({ "files": files.iter().map(entry).collect::<Vec<_>>(), "notes": files.notes });
    format!("{all:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(entries: &[(&str, &str)]) -> ReadFiles {
        let mut files = ReadFiles::new();
        for (path, content) in entries {
            files.insert(Path::new("/w").join(path), Content::Read { content: (*content).into() });
        }
        files.insert("/w/gone".into(), Content::Error { message: "ENOENT".into() });
        files
    }

    fn rendered(entries: &[(&str, &str)], format: Format) -> String {
        render(&mut files(entries), Path::new("/w"), format)
    }

    #[test]
    fn a_fence_is_longer_than_any_in_the_file() {
        let text = rendered(&[("a.md", "```\ncode\n````\n"), ("b", "x")], Format::Markdown);
        insta::assert_snapshot!(text, @r"
        ### a.md

        `````md
        ```
        code
        ````
        `````

        ### b

        ```
        x
        ```

        ### gone

        [Error reading file: ENOENT]
        ");
    }

    #[test]
    fn xml_is_well_formed_whatever_comes() {
        let text = rendered(&[("a\"<\n.md", "</file>]]>&\u{1b}\r\nz")], Format::Xml);
        insta::assert_snapshot!(text, @r#"
        <files>
        <file path="a&quot;&lt;&#10;.md" status="read">&lt;/file&gt;]]&gt;&amp;�&#13;
        z</file>
        <file path="gone" status="error">[Error reading file: ENOENT]</file>
        </files>
        "#);
    }

    #[test]
    fn json_tells_the_status_of_each() {
        let value: serde_json::Value = serde_json::from_str(&rendered(&[("a", "x")], Format::Json)).unwrap();
        assert_eq!(value["files"][0], json!({ "path": "a", "status": "read", "content": "x" }));
        assert_eq!(
            value["files"][1],
            json!({ "path": "gone", "status": "error", "message": "ENOENT", "content": "[Error reading file: ENOENT]" })
        );
    }

    #[test]
    fn nothing_read_is_an_empty_text_or_an_empty_document() {
        let mut none = ReadFiles::new();
        let here = Path::new("/w");
        assert_eq!(render(&mut none, here, Format::Assign), "");
        assert_eq!(render(&mut none, here, Format::Markdown), "");
        assert_eq!(render(&mut none, here, Format::Xml), "<files>\n</files>\n");
        assert!(render(&mut none, here, Format::Json).contains("\"files\": []"));
    }
}
