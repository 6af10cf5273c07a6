//! Splits a Markdown document into sections of a useful size.
//!
//! Input is the text of a document; the result is byte ranges that cover it in order, each with its heading and the
//! headings above it. A section ends at the next heading; a long one is split at a paragraph or line near
//! [`SECTION_CHARS`]. Headings inside code fences are ignored.

use std::ops::Range;

/// The size at which a section is split, in bytes.
pub const SECTION_CHARS: usize = 1_600;
/// A section shorter than this is joined to its first child, so that a bare heading is not a section of its own.
const SHORTEST: usize = 160;

/// A part of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The headings from the outermost down to this section's own; empty before the first heading.
    pub trail: Vec<String>,
    /// Its byte range in the document, including the heading line.
    pub range: Range<usize>,
    /// The line it starts at, counted from 1.
    pub line: usize,
}

impl Section {
    /// Returns the section's own heading, if it has one.
    pub fn heading(&self) -> Option<&str> {
        self.trail.last().map(String::as_str)
    }
}

/// A line of a document that matters for splitting.
struct Line<'a> {
    start: usize,
    number: usize,
    text: &'a str,
    heading: Option<(usize, &'a str)>,
}

/// Splits a document into sections. Front matter belongs to none of them.
pub fn split(text: &str) -> Vec<Section> {
    let body = front_matter(text).end;
    let lines = read_lines(text, body);
    let mut sections = Vec::new();
    let mut trail: Vec<(usize, String)> = Vec::new();
    let mut open = Open { start: body, line: 1 + text[..body].matches('\n').count(), trail: Vec::new() };
    for line in &lines {
        let Some((level, title)) = line.heading else {
            continue;
        };
        let own_text = line.start - open.start;
        let joins = own_text < SHORTEST && trail.last().is_some_and(|(above, _)| *above < level);
        trail.retain(|(above, _)| *above < level);
        trail.push((level, title.to_owned()));
        if joins {
            open.trail = trail.iter().map(|(_, title)| title.clone()).collect();
            continue;
        }
        close(&open, line.start, text, &lines, &mut sections);
        let trail = trail.iter().map(|(_, title)| title.clone()).collect();
        open = Open { start: line.start, line: line.number, trail };
    }
    close(&open, text.len(), text, &lines, &mut sections);
    sections
}

/// Returns the headings of a document in order, without front matter and fenced code.
pub fn headings(text: &str) -> Vec<&str> {
    read_lines(text, front_matter(text).end).into_iter().filter_map(|line| line.heading.map(|(_, title)| title)).collect()
}

/// Returns where the lines with headings begin, and these lines, without front matter and fenced code.
pub(crate) fn heading_lines(text: &str) -> Vec<(usize, &str)> {
    let lines = read_lines(text, front_matter(text).end);
    lines.into_iter().filter(|line| line.heading.is_some()).map(|line| (line.start, line.text)).collect()
}

/// Returns the range of the front matter, including its delimiters; empty if there is none.
pub fn front_matter(text: &str) -> Range<usize> {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let rest = &text[start..];
    if !(rest.starts_with("---\n") || rest.starts_with("---\r\n")) {
        return start..start;
    }
    let mut at = start;
    for (number, line) in rest.split_inclusive('\n').enumerate() {
        at += line.len();
        if number > 0 && line.trim_end() == "---" {
            return start..at;
        }
    }
    start..start
}

/// A section that is still being collected.
struct Open {
    start: usize,
    line: usize,
    trail: Vec<String>,
}

/// Ends a section, and splits it if it is long.
fn close(open: &Open, end: usize, text: &str, lines: &[Line], sections: &mut Vec<Section>) {
    if text[open.start..end].trim().is_empty() {
        return;
    }
    let first = lines.partition_point(|line| line.start < open.start);
    let last = lines.partition_point(|line| line.start < end);
    let (mut start, mut number) = (open.start, open.line);
    // Where to split if the next line does not fit: at the last blank line, otherwise before this line.
    let mut blank: Option<(usize, usize)> = None;
    for line in &lines[first..last] {
        let line_end = line.start + line.text.len();
        if line_end - start > SECTION_CHARS && line.start > start {
            let (cut, cut_number) = match blank {
                Some(place) if place.0 > start + SECTION_CHARS / 3 => place,
                _ => (line.start, line.number),
            };
            sections.push(Section { trail: open.trail.clone(), range: start..cut, line: number });
            (start, number, blank) = (cut, cut_number, None);
        }
        if line.text.trim().is_empty() {
            blank = Some((line_end, line.number + 1));
        }
    }
    if start < end && !text[start..end].trim().is_empty() {
        sections.push(Section { trail: open.trail.clone(), range: start..end, line: number });
    } else if let Some(section) = sections.last_mut() {
        section.range.end = end;
    }
}

fn read_lines(text: &str, body: usize) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut start = body;
    let first = 1 + text[..body].matches('\n').count();
    let mut fence: Option<&str> = None;
    for (number, line) in (first..).zip(text[body..].split_inclusive('\n')) {
        if fence.is_none()
            && let Some(level) = underline(line)
        {
            underlined(&mut lines, level);
        }
        let trimmed = line.trim_start();
        let marker = ["```", "~~~"].into_iter().find(|marker| trimmed.starts_with(marker));
        let mut heading = None;
        match (fence, marker) {
            (None, Some(marker)) => fence = Some(marker),
            (Some(open), Some(marker)) if open == marker => fence = None,
            (None, None) => heading = parse_heading(line),
            _ => {}
        }
        lines.push(Line { start, number, text: line, heading });
        start += line.len();
    }
    lines
}

/// Returns the level of the heading that a line of `=` or `-` would underline.
fn underline(line: &str) -> Option<usize> {
    let mark = line.trim_end();
    let is_only = |c: char| mark.len() >= 2 && mark.chars().all(|other| other == c);
    if is_only('=') { Some(1) } else { is_only('-').then_some(2) }
}

/// Makes the last line a heading if it is a paragraph of its own: neither a list item nor a part of a table.
fn underlined(lines: &mut [Line<'_>], level: usize) {
    let [before @ .., last] = lines else { return };
    let is_alone = before.last().is_none_or(|line| line.text.trim().is_empty() || line.heading.is_some());
    let title = last.text.trim();
    let is_prose = !last.text.starts_with([' ', '\t', '-', '*', '+', '>', '|', '#', '=', '`', '~', '<']) && !title.contains(" | ");
    if is_alone && is_prose && !title.is_empty() && last.heading.is_none() {
        last.heading = Some((level, title));
    }
}

/// Reads `## Title ##` and `## Title {#anchor}`.
fn parse_heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|&b| b == b'#').count();
    let rest = &line[level..];
    if !(1..=6).contains(&level) || !rest.starts_with([' ', '\t']) {
        return None;
    }
    let mut title = rest.trim().trim_end_matches('#').trim_end();
    if let Some(at) = title.rfind("{#")
        && title.ends_with('}')
    {
        title = title[..at].trim_end();
    }
    (!title.is_empty()).then_some((level, title))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{SECTION_CHARS, front_matter, headings, split};

    #[test]
    fn ends_sections_at_headings_and_keeps_the_trail() {
        let long = "word ".repeat(60);
        let text = format!("---\ntitle: x\n---\n# Top\n\n{long}\n\n## Inner {{#id}}\n\n{long}\n");
        let sections = split(&text);
        assert_eq!(sections.len(), 2);
        assert_eq!(sections[1].trail, ["Top", "Inner"]);
        assert_eq!((sections[0].line, sections[1].line), (4, 8));
        assert!(text[sections[1].range.clone()].starts_with("## Inner"));
    }

    #[test]
    fn a_bare_heading_joins_its_child() {
        let text = format!("# Top\n\n## Inner\n\n{}\n", "word ".repeat(60));
        let sections = split(&text);
        assert_eq!(sections.len(), 1);
        assert_eq!(sections[0].heading(), Some("Inner"));
        assert_eq!(sections[0].range, 0..text.len());
    }

    #[test]
    fn fences_hide_headings() {
        assert_eq!(headings("# A\n```sh\n# not one\n```\n## B\n"), ["A", "B"]);
    }

    proptest! {
        #[test]
        fn sections_cover_the_text_in_order(text in "(#{1,3} [a-z]{1,9}\n|[a-zé ]{0,400}\n|```\n|\n|---\n){0,40}") {
            let sections = split(&text);
            let mut at = front_matter(&text).end;
            for section in &sections {
                prop_assert!(section.range.start >= at);
                prop_assert!(text[at..section.range.start].trim().is_empty());
                at = section.range.end;
                let longest = text[section.range.clone()].split_inclusive('\n').map(str::len).max().unwrap_or(0);
                prop_assert!(section.range.len() <= SECTION_CHARS + longest + 200);
            }
            prop_assert!(text[at..].trim().is_empty());
        }
    }
}
