//! Renders the files that were read in the requested format.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::json;

use super::assign::build_context_assign_string;
use super::read_files::{Content, ReadFiles};
use crate::render::{fence, language, xml_attribute, xml_cdata};
use crate::shown::one_line;

/// The output formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Assignments, as [`build_context_assign_string`] makes them.
    Assign,
    Markdown,
    Xml,
    Json,
}

/// Returns the files in a format, with a line break at the end. For no files, text formats return an empty text.
///
/// Labels are relative to `here`.
pub fn render(files: &ReadFiles, here: &Path, format: Format) -> String {
    match format {
        Format::Assign => {
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

/// Renders a heading and a fence for each file. Fences are longer than any run of backticks in the file.
fn markdown(files: &ReadFiles, here: &Path) -> String {
    let mut text = String::new();
    for file in files {
        if !text.is_empty() {
            text.push('\n');
        }
        let label = file.label(here);
        let _ = write!(text, "### {}\n\n", one_line(&label));
        match &file.content {
            Content::Read { content } => {
                let (fence, language) = (fence(content), language(&label));
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

fn xml(files: &ReadFiles, here: &Path) -> String {
    let mut text = String::from("<files>\n");
    for file in files {
        let status = match file.content {
            Content::Read { .. } => "read",
            Content::Skipped { .. } => "skipped",
            Content::Error { .. } => "error",
        };
        let (path, content) = (xml_attribute(&file.label(here)), xml_cdata(&file.content.text()));
        let _ = writeln!(text, "<file path=\"{path}\" status=\"{status}\">{content}</file>");
    }
    text.push_str("</files>\n");
    text
}

fn json(files: &ReadFiles, here: &Path) -> String {
    let file = |file: &super::ReadFile| {
        let mut value = json!({ "path": file.label(here) });
        let content = serde_json::to_value(&file.content).expect("plain data can always be serialised");
        if let (Some(value), Some(content)) = (value.as_object_mut(), content.as_object()) {
            value.extend(content.clone());
            value.insert("content".into(), json!(file.content.text()));
        }
        value
    };
    let all = json!({ "files": files.iter().map(file).collect::<Vec<_>>(), "notes": files.notes });
    format!("{all:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fs::FileProblem;

    fn files(entries: &[(&str, &str)]) -> ReadFiles {
        let mut files = ReadFiles::new();
        for (path, content) in entries {
            files.insert(Path::new("/w").join(path), Content::Read { content: (*content).into() });
        }
        files.insert("/w/gone".into(), Content::Error { message: "ENOENT".into(), problem: FileProblem::Missing });
        files
    }

    fn rendered(entries: &[(&str, &str)], format: Format) -> String {
        render(&files(entries), Path::new("/w"), format)
    }

    #[test]
    fn a_fence_is_longer_than_any_in_the_file() {
        let text = rendered(&[("a.md", "```\ncode\n````\n"), ("b", "x")], Format::Markdown);
        insta::assert_snapshot!(text, @r"
        ### a.md

        `````markdown
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
    fn xml_is_always_well_formed() {
        let text = rendered(&[("a\"<\n.md", "</file>]]>&\u{1b}x\nz")], Format::Xml);
        insta::assert_snapshot!(text, @r#"
        <files>
        <file path="a&quot;&lt;&#10;.md" status="read"><![CDATA[</file>]]]]><![CDATA[>&␛x
        z]]></file>
        <file path="gone" status="error"><![CDATA[[Error reading file: ENOENT]]]></file>
        </files>
        "#);
    }

    #[test]
    fn json_has_the_status_of_each_file() {
        let value: serde_json::Value = serde_json::from_str(&rendered(&[("a", "x")], Format::Json)).unwrap();
        assert_eq!(value["files"][0], json!({ "path": "a", "status": "read", "content": "x" }));
        assert_eq!(
            value["files"][1],
            json!({ "path": "gone", "status": "error", "message": "ENOENT", "content": "[Error reading file: ENOENT]" })
        );
    }

    #[test]
    fn nothing_read_is_an_empty_text_or_an_empty_document() {
        let none = ReadFiles::new();
        let here = Path::new("/w");
        assert_eq!(render(&none, here, Format::Assign), "");
        assert_eq!(render(&none, here, Format::Markdown), "");
        assert_eq!(render(&none, here, Format::Xml), "<files>\n</files>\n");
        assert!(render(&none, here, Format::Json).contains("\"files\": []"));
    }
}
