//! What has changed in a Markdown text that a window has: only its changed sections.
//!
//! The text in the window is not kept. What is kept is one mark per section, made when the text was loaded; a later version
//! is compared with these marks. Where sections cannot be told apart by their headings, or one is gone or has moved, there
//! is no excerpt, and the whole text is sent.

use std::collections::BTreeSet;

use crate::select::sections::heading_lines;

/// Marks of more sections than this are not kept.
const MOST: usize = 300;
/// The hexadecimal digits of a mark: of the heading's hash, and of the hash of the whole section.
const HEADING: usize = 8;
const BODY: usize = 12;

/// Returns the marks of a text's sections. `None`: a change of this text is sent whole.
pub fn marks(text: &str) -> Option<String> {
    let sections = sections(text)?;
    (sections.len() > 2).then(|| sections.iter().map(Section::mark).collect())
}

/// Returns the sections of a text that are new or differ from those with these marks, if that is shorter than the text.
pub fn changed_sections(marks: &str, text: &str) -> Option<String> {
    let sections = sections(text)?;
    let mut earlier: Vec<&str> = split_marks(marks)?;
    let preamble = sections.first().map(Section::mark)?;
    // What is above the first heading has no name of its own.
    (!earlier.is_empty() && earlier.remove(0) == preamble).then_some(())?;
    let mut earlier = earlier.into_iter().peekable();
    let mut changed = String::new();
    for section in &sections[1..] {
        let mark = section.mark();
        let known = earlier.next_if(|known| known[..HEADING] == mark[..HEADING]);
        if known != Some(mark.as_str()) {
            changed.push_str(section.text.trim_end());
            changed.push_str("\n\n");
        }
    }
    // A section that is left was removed, renamed or moved.
    let is_complete = earlier.peek().is_none();
    let changed = changed.trim_end();
    (is_complete && !changed.is_empty() && changed.len() < text.trim_end().len()).then(|| format!("{changed}\n"))
}

/// A heading with the text below it, up to the next heading.
struct Section<'a> {
    heading: &'a str,
    text: &'a str,
}

impl Section<'_> {
    fn mark(&self) -> String {
        let hash = |text: &str| blake3::hash(text.as_bytes()).to_hex();
        // What follows a section must not change its mark: the last one ends in another way than the others.
        format!("{}{}", &hash(self.heading)[..HEADING], &hash(self.text.trim_end())[..BODY])
    }
}

/// Returns what is above the first heading, then the sections. `None` if there are too many, or two with the same heading.
fn sections(text: &str) -> Option<Vec<Section<'_>>> {
    let headings = heading_lines(text);
    let starts: Vec<usize> = headings.iter().map(|(start, _)| *start).chain([text.len()]).collect();
    let names: BTreeSet<&str> = headings.iter().map(|(_, line)| line.trim()).collect();
    if names.len() < headings.len() || headings.len() > MOST {
        return None;
    }
    let mut sections = vec![Section { heading: "", text: &text[..starts[0]] }];
    sections.extend(
        headings.iter().zip(starts.windows(2)).map(|((_, line), range)| Section { heading: line.trim(), text: &text[range[0]..range[1]] }),
    );
    Some(sections)
}

fn split_marks(marks: &str) -> Option<Vec<&str>> {
    let is_sound = marks.len().is_multiple_of(HEADING + BODY) && marks.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_sound.then(|| (0..marks.len()).step_by(HEADING + BODY).map(|start| &marks[start..start + HEADING + BODY]).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXT: &str = "--- A.md ---\n\n# Title\n\n## One\n\n1\n\n## Two\n\n```\n## not a heading\n```\n\n## Three\n\n3\n\n\n";

    #[track_caller]
    fn assert_changed(after: &str, expected: Option<&str>) {
        assert_eq!(changed_sections(&marks(TEXT).unwrap(), after).as_deref(), expected);
    }

    #[test]
    fn only_changed_and_new_sections_are_left() {
        assert_changed(&TEXT.replace("1\n", "11\n"), Some("## One\n\n11\n"));
        assert_changed(&TEXT.replace("## not", "## still not"), Some("## Two\n\n```\n## still not a heading\n```\n"));
        assert_changed(&TEXT.replace("## Two", "### New\n\nn\n\n## Two"), Some("### New\n\nn\n"));
        assert_changed(&TEXT.replace("3\n\n\n", "3\n\n## Four\n\n4\n"), Some("## Four\n\n4\n"));
        assert_changed(&TEXT.replace("1\n", "11\n").replace("3\n\n\n", "33\n"), Some("## One\n\n11\n\n## Three\n\n33\n"));
    }

    #[test]
    fn the_whole_text_is_sent_where_sections_do_not_tell() {
        assert_changed(&TEXT.replace("## One\n\n1\n\n", ""), None);
        assert_changed(&TEXT.replace("## One", "## First"), None);
        assert_changed(&TEXT.replace("# Title", "words\n\n# Title"), None);
        assert_changed(&TEXT.replace("## Two", "## One"), None);
        assert_changed("# Title\n\n## Two\n\n## One\n\n1\n\n## Three\n", None);
        assert_changed(TEXT, None);
        assert_eq!(changed_sections("not marks", TEXT), None);
        assert_eq!(changed_sections("", TEXT), None);
        assert_eq!(marks("no headings\n"), None);
        assert_eq!(marks("# One\n"), None);
        assert_eq!(marks("# A\n## B\n## B\n"), None);
        assert_eq!(marks(&(0..400).map(|number| format!("# {number}\n")).collect::<Vec<_>>().concat()), None);
    }

    proptest! {
        /// Whoever has the text before and replaces the sections of the excerpt has every section of the text after.
        #[test]
        fn an_excerpt_and_the_text_before_are_the_text_after(
            before in prop::collection::vec(("[a-e]", "[x\n]{0,9}"), 2..6),
            after in prop::collection::vec(("[a-e]", "[x\n]{0,9}"), 2..6),
        ) {
            let text = |sections: &[(String, String)]| -> String {
                sections.iter().map(|(heading, body)| format!("# {heading}\n{body}\n")).collect::<Vec<_>>().concat()
            };
            let (before, after) = (text(&before), text(&after));
            let Some(excerpt) = marks(&before).and_then(|marks| changed_sections(&marks, &after)) else { return Ok(()) };
            let of = |text: &str| -> Vec<(String, String)> {
                sections(text).unwrap()[1..].iter().map(|section| (section.heading.to_owned(), section.text.trim_end().to_owned())).collect()
            };
            let mut known: std::collections::BTreeMap<String, String> = of(&before).into_iter().collect();
            known.extend(of(&excerpt));
            prop_assert_eq!(known.into_iter().collect::<Vec<_>>(), { let mut all = of(&after); all.sort(); all });
            prop_assert!(excerpt.len() <= after.len());
        }
    }
}
