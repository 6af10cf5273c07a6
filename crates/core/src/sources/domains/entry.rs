//! One entry of a knowledge file: its heading, its type and topics, its body.

use std::ops::Range;

use jiff::civil::Date;

use crate::lines::lines;

/// The types in both versions of the format. Any other word is accepted when reading, but not when writing.
pub const KINDS: &[&str] = &["decision", "rule", "pattern", "gotcha", "fact", "context", "process"];

/// The type of an entry without one.
const DEFAULT_KIND: &str = "context";

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The date as written; it may be invalid.
    pub date: Option<&'a str>,
    pub title: &'a str,
    /// The type as written, in lower case.
    pub(super) kind: Option<String>,
    /// The topics in lower case, in the order of the file.
    pub topics: Vec<String>,
    pub body: &'a str,
    /// The position of the entry in the file, including the blank lines after it.
    pub range: Range<usize>,
    /// The whole entry, from its heading to the end of its body.
    pub text: &'a str,
}

impl Entry<'_> {
    /// Returns the type, or `context` if the entry has none.
    pub fn kind(&self) -> &str {
        self.kind.as_deref().unwrap_or(DEFAULT_KIND)
    }

    /// Returns the entry's date, if it is valid.
    pub fn day(&self) -> Option<Date> {
        self.date?.parse().ok()
    }

    /// Returns the name of this entry within its file: `2026-01-14-title-in-words`.
    pub fn slug(&self) -> String {
        let mut slug = self.date.map(|date| format!("{date}-")).unwrap_or_default();
        let mut length = 0;
        for c in self.title.chars() {
            if c.is_alphanumeric() {
                slug.extend(c.to_lowercase());
                length += 1;
            } else if !slug.ends_with('-') && !slug.is_empty() {
                slug.push('-');
            }
            if length == 60 {
                break;
            }
        }
        slug.trim_end_matches('-').to_owned()
    }
}

/// A parsed heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Heading<'a> {
    pub(super) date: Option<&'a str>,
    pub(super) title: &'a str,
    /// Whether it is only a timestamp: the heading of the format's first version.
    pub(super) is_timestamp: bool,
}

impl<'a> Heading<'a> {
    /// Parses `2026-01-14 - Title`, `[2026-01-14] Title`, `2026-01-14T13:52:00Z` or just a title.
    pub(super) fn parse(heading: &'a str) -> Self {
        let heading = heading.trim();
        let undated = Self { date: None, title: heading, is_timestamp: false };
        let inner = heading.strip_prefix('[').unwrap_or(heading);
        let shape = |(at, byte): (usize, u8)| if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() };
        if inner.len() < 10 || !inner.bytes().take(10).enumerate().all(shape) {
            return undated;
        }
        let (date, rest) = inner.split_at(10);
        // A time of day after the date belongs to the date.
        let time = if rest.starts_with(['T', '-']) && rest[1..].starts_with(|c: char| c.is_ascii_digit()) {
            rest.find(|c: char| c.is_whitespace() || c == ']').unwrap_or(rest.len())
        } else {
            0
        };
        if time == 0 && rest.starts_with(|c: char| c.is_alphanumeric()) {
            return undated;
        }
        let title = rest[time..].trim_start_matches(']').trim_start().trim_start_matches(['-', '–', '—', ':']).trim();
        if title.is_empty() {
            Self { date: Some(date), title: heading, is_timestamp: time > 0 }
        } else {
            Self { date: Some(date), title, is_timestamp: false }
        }
    }
}

/// The lines below a heading that give type and topics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Metadata {
    pub(super) kind: Option<String>,
    pub(super) topics: Vec<String>,
    has_topics: bool,
    /// Where the body begins.
    pub(super) end: usize,
}

impl Metadata {
    /// Reads the metadata after a heading. Only type and topics are metadata, because a body may begin with bold
    /// words.
    pub(super) fn read(text: &str, from: usize) -> Self {
        let mut metadata = Self { kind: None, topics: Vec::new(), has_topics: false, end: from };
        for line in lines(text, from) {
            if line.is_blank() {
                continue;
            }
            if let Some(kind) = value(line.text, "type").filter(|_| metadata.kind.is_none()) {
                metadata.kind = Some(kind.to_lowercase());
            } else if let Some(topics) = value(line.text, "topics").filter(|_| !metadata.has_topics) {
                metadata.topics = parse_topics(topics);
                metadata.has_topics = true;
            } else {
                break;
            }
            metadata.end = line.end;
        }
        metadata.kind = metadata.kind.filter(|kind| !kind.is_empty());
        metadata
    }

    pub(super) fn is_empty(&self) -> bool {
        self.kind.is_none() && !self.has_topics
    }

    pub(super) fn is_complete(&self) -> bool {
        self.kind.is_some() && self.has_topics
    }
}

/// Returns the text after `**Name:**` or `**Name**:`, which may be the item of a list, ignoring case.
fn value<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let line = line.trim();
    let item = ["- ", "* ", "+ "].into_iter().find_map(|mark| line.strip_prefix(mark));
    let rest = item.unwrap_or(line).trim_start().strip_prefix("**")?;
    let head = rest.get(..name.len()).filter(|head| head.eq_ignore_ascii_case(name))?;
    let rest = &rest[head.len()..];
    Some(rest.strip_prefix(":**").or_else(|| rest.strip_prefix("**:"))?.trim())
}

/// Parses a list of topics: separated by commas, in lower case, without duplicates.
pub fn parse_topics(list: &str) -> Vec<String> {
    let mut topics = Vec::new();
    for topic in list.trim().trim_start_matches('[').trim_end_matches(']').split(',') {
        let topic = topic.trim().trim_matches('`').trim_start_matches('#').to_lowercase();
        if !topic.is_empty() && !topics.contains(&topic) {
            topics.push(topic);
        }
    }
    topics
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_of_every_generation_are_read() {
        for (heading, date, title, is_timestamp) in [
            ("2026-01-14 - Title", Some("2026-01-14"), "Title", false),
            ("2026-01-14 Title - with dash", Some("2026-01-14"), "Title - with dash", false),
            ("2026-01-14", Some("2026-01-14"), "2026-01-14", false),
            ("2025-12-30T13:52:11.123Z", Some("2025-12-30"), "2025-12-30T13:52:11.123Z", true),
            ("[2026-02-26-101500] Title", Some("2026-02-26"), "Title", false),
            ("2026-13-99 - No such day", Some("2026-13-99"), "No such day", false),
            ("Title 2026-01-14", None, "Title 2026-01-14", false),
            ("2026-01-14th of months", None, "2026-01-14th of months", false),
            ("2026-é", None, "2026-é", false),
        ] {
            assert_eq!(Heading::parse(heading), Heading { date, title, is_timestamp }, "{heading}");
        }
    }

    #[test]
    fn a_body_that_begins_in_bold_stays_a_body() {
        let text = "\n**Type:** Decision\n**Topics:** Auth, `API`, auth\n\n**Why:** because\nmore";
        let metadata = Metadata::read(text, 0);
        assert_eq!(metadata.kind.as_deref(), Some("decision"));
        assert_eq!(metadata.topics, ["auth", "api"]);
        assert_eq!(&text[metadata.end..], "\n**Why:** because\nmore");
    }

    #[test]
    fn slugs_are_short_and_plain() {
        let entry = |title| Entry { date: Some("2026-01-14"), title, kind: None, topics: vec![], body: "", range: 0..0, text: "" };
        assert_eq!(entry("Use `jiff`, not chrono!").slug(), "2026-01-14-use-jiff-not-chrono");
        assert_eq!(entry("Größe").slug(), "2026-01-14-größe");
        assert_eq!(entry(&"x".repeat(100)).slug().len(), "2026-01-14-".len() + 60);
    }
}
