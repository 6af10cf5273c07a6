//! The entries of a file such as DECISIONS.md, in whatever form people write them.
//!
//! A heading with a date or an id begins an entry wherever it is; so does a plain section, unless it only groups others or
//! explains the file. Lines of a list or a table that begin with a date or an id are entries too. So no entry is lost
//! because another one has a different form. Headings in comments and fences are none.

use std::ops::Range;

use super::index::{self, Block};
use super::label::{Label, LabelKind, date_in, is_placeholder};
use super::table;
use crate::lines::{Hidden, Line, lines};

/// How an entry is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form<'a> {
    /// A section under a heading of this level.
    Section { level: usize, label: Label<'a> },
    /// An item of a list, with the mark before its name.
    Item { mark: &'a str, label: Label<'a> },
    /// A row of a table, with its id.
    Row { id: Option<&'a str> },
}

impl<'a> Form<'a> {
    pub(super) fn label(&self) -> Option<&Label<'a>> {
        match self {
            Self::Section { label, .. } | Self::Item { label, .. } => Some(label),
            Self::Row { .. } => None,
        }
    }
}

/// An entry of a file such as DECISIONS.md.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry<'a> {
    pub(super) form: Form<'a>,
    pub(super) date: Option<&'a str>,
    /// Its name without a date, but with an id.
    pub(super) title: &'a str,
    /// The position of its first line.
    pub(super) start: usize,
    /// The position after its last line, which may be blank or a rule.
    pub(super) end: usize,
    /// The whole entry, without the rule at its end.
    pub(super) text: &'a str,
    /// Whether it says that another one replaced it.
    pub(super) is_superseded: bool,
}

impl Entry<'_> {
    /// Returns the entry's name within its file: its time or date and the words of its title.
    pub(super) fn slug(&self) -> String {
        let stamp = self.form.label().filter(|label| label.kind == LabelKind::Stamp).map(|label| label.value);
        let mut parts: Vec<&str> = stamp.or(self.date).into_iter().collect();
        let lower = self.title.to_lowercase();
        parts.extend(lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).take(8));
        parts.join("-")
    }
}

/// A file, taken apart.
#[derive(Debug, Default)]
pub(super) struct Parsed<'a> {
    pub(super) entries: Vec<Entry<'a>>,
    /// The text between the title and the first heading, without entries and quotations.
    pub(super) preamble: Vec<&'a str>,
    /// The section that links to pages of entries.
    pub(super) themes: Option<Range<usize>>,
}

/// A section that explains the file has one of these words in its heading, and otherwise only [`QUALIFYING`] ones.
const EXPLAINING: [&str; 12] = [
    "template",
    "templates",
    "format",
    "formats",
    "legend",
    "statuses",
    "index",
    "contents",
    "purpose",
    "overview",
    "introduction",
    "usage",
];
const QUALIFYING: [&str; 11] =
    ["adr", "lite", "decision", "decisions", "learning", "learnings", "entry", "record", "status", "table", "of"];

/// A section of an entry, by the first word of its heading.
const FIELDS: [&str; 22] = [
    "context",
    "decision",
    "decisions",
    "rationale",
    "consequence",
    "consequences",
    "status",
    "alternatives",
    "options",
    "problem",
    "solution",
    "background",
    "why",
    "what",
    "how",
    "lesson",
    "application",
    "impact",
    "references",
    "notes",
    "outcome",
    "reason",
];

fn is_explaining(label: &Label<'_>) -> bool {
    let lower = label.rest.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let has_one = words.clone().any(|word| EXPLAINING.contains(&word));
    has_one && words.all(|word| EXPLAINING.contains(&word) || QUALIFYING.contains(&word))
}

fn is_field(name: &str) -> bool {
    let first = name.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty()).unwrap_or_default();
    FIELDS.contains(&first.to_lowercase().as_str())
}

/// Returns the level and the words of a heading.
pub(super) fn heading(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_start_matches('\u{FEFF}');
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let words = line[level..].strip_prefix([' ', '\t'])?.trim().trim_end_matches('#').trim_end();
    ((1..=6).contains(&level) && !words.is_empty()).then_some((level, words))
}

/// Takes a file apart.
pub(super) fn parse(text: &str) -> Parsed<'_> {
    let stored = match index::block(text) {
        Block::Found(range) => range,
        _ => 0..0,
    };
    let mut hidden = Hidden::new(text);
    let shown: Vec<_> = lines(text, 0).filter(|line| !hidden.hides(line)).collect();
    // An entry caught between the index markers is still an entry; a row there is not.
    let is_stored = |line: &Line<'_>| stored.contains(&line.start) && heading(line.text).is_none();
    let shown: Vec<_> = shown.into_iter().filter(|line| !is_stored(line)).collect();
    let mut parser = Parser { text, parsed: Parsed::default(), open: None, place: Place::Preamble };
    let mut at = 0;
    while at < shown.len() {
        at += parser.take(&shown, at);
    }
    parser.finish(text.len());
    parser.end_themes(text.len());
    let mut parsed = parser.parsed;
    drop_repeated_rows(&mut parsed.entries);
    parsed
}

/// Where the parser is, outside an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place<'a> {
    /// Before the first heading but the title.
    Preamble,
    /// In a section that groups entries; its heading may be their date.
    Group(usize, Option<&'a str>),
    /// In a section of this level that has no entries.
    Skipped(usize),
    /// In the section that links to pages of entries.
    Themes(usize, usize),
}

struct Parser<'a> {
    text: &'a str,
    parsed: Parsed<'a>,
    open: Option<Entry<'a>>,
    place: Place<'a>,
}

impl<'a> Parser<'a> {
    /// Takes the line at `at` and returns how many lines were taken.
    fn take(&mut self, shown: &[Line<'a>], at: usize) -> usize {
        let line = shown[at];
        if let Some((level, words)) = heading(line.text) {
            self.heading(shown, at, level, words);
            return 1;
        }
        match self.open.as_mut().map(|open| open.form) {
            Some(Form::Item { .. }) if line.is_blank() || line.text.starts_with([' ', '\t']) => return 1,
            Some(Form::Item { .. }) => self.finish(line.start),
            Some(_) => {
                self.in_entry(&line);
                return 1;
            }
            None => {}
        }
        if !matches!(self.place, Place::Preamble | Place::Group(..)) {
            return 1;
        }
        let rows = shown[at..].iter().take_while(|line| line.text.trim_start().starts_with('|')).count();
        if rows > 0 {
            self.table(&shown[at..at + rows]);
            return rows;
        }
        let item = ["- ", "* ", "+ "].into_iter().find_map(|mark| Some((mark, line.text.strip_prefix(mark)?)));
        if let Some((mark, name)) = item {
            let label = Label::parse(name);
            if label.is_entry() && !label.rest.is_empty() {
                self.begin(
                    Form::Item { mark, label },
                    label.date(),
                    if label.kind == LabelKind::Id { name.trim() } else { label.rest },
                    &line,
                );
                return 1;
            }
        }
        if self.place == Place::Preamble && !line.text.starts_with('>') && !line.is_rule() {
            self.parsed.preamble.push(line.text);
        }
        1
    }

    fn heading(&mut self, shown: &[Line<'a>], at: usize, level: usize, words: &'a str) {
        let line = shown[at];
        let label = Label::parse(words);
        let next = shown[at + 1..].iter().find_map(|line| heading(line.text)).filter(|(other, _)| *other > level);
        if label.is_entry() && !label.rest.is_empty() {
            self.close(&line);
            let title = if label.kind == LabelKind::Id { words } else { label.rest };
            self.begin(Form::Section { level, label }, label.date(), title, &line);
            return;
        }
        let inside = self.open.as_ref().and_then(|open| match open.form {
            Form::Section { level, .. } => Some(level),
            _ => None,
        });
        if inside.is_some_and(|inside| level > inside) {
            return;
        }
        if matches!(self.place, Place::Skipped(outer) | Place::Themes(outer, _) if level > outer) && inside.is_none() {
            return;
        }
        let is_title = level == 1 && self.place == Place::Preamble && self.parsed.entries.is_empty() && self.open.is_none();
        let group = match self.place {
            Place::Group(outer, date) if level > outer => date,
            _ => None,
        };
        self.close(&line);
        if is_title && !label.is_entry() {
            self.place = Place::Preamble;
        } else if words.eq_ignore_ascii_case("themes") {
            self.place = Place::Themes(level, line.start);
        } else if is_placeholder(words) || is_explaining(&label) {
            self.place = Place::Skipped(level);
        } else if label.is_entry() && next.is_some_and(|(_, words)| !is_field(words)) {
            self.place = Place::Group(level, label.date());
        } else if next.is_some_and(|(_, words)| !is_field(words)) && !has_text(&shown[at + 1..]) {
            self.place = Place::Group(level, group);
        } else {
            if group.is_none() {
                self.place = Place::Group(0, None);
            }
            let date = label.date().or_else(|| date_in(words)).or(group);
            let title = if label.is_entry() { first_words(&shown[at + 1..]).unwrap_or(words) } else { words };
            self.begin(Form::Section { level, label }, date, title, &line);
        }
    }

    fn begin(&mut self, form: Form<'a>, date: Option<&'a str>, title: &'a str, line: &Line<'a>) {
        if self.place == Place::Preamble && matches!(form, Form::Section { .. }) {
            self.place = Place::Group(0, None);
        }
        self.open = Some(Entry { form, date, title, start: line.start, end: line.end, text: "", is_superseded: false });
    }

    /// Looks at a line of the open entry for its date and whether it was replaced.
    fn in_entry(&mut self, line: &Line<'a>) {
        let Some(entry) = &mut self.open else { return };
        let words = line.text.trim_start_matches(|c: char| c.is_whitespace() || "-*_>".contains(c));
        let status = words.get(..6).filter(|head| head.eq_ignore_ascii_case("status")).map(|_| &words[6..]);
        let status = status.map(|rest| rest.trim_start_matches(|c: char| c.is_whitespace() || ":*_".contains(c)));
        let is_superseded = status.and_then(|status| status.get(..10)).is_some_and(|word| word.eq_ignore_ascii_case("superseded"));
        entry.is_superseded |= is_superseded || line.text.trim_start().starts_with("~~Superseded");
        // Its date is in one of the short lines under the heading, in whatever language.
        let is_near = self.text[entry.end..line.start].lines().filter(|line| !line.trim().is_empty()).count() < 4;
        if entry.date.is_none() && is_near && line.text.chars().count() <= 60 {
            entry.date = date_in(line.text);
        }
    }

    fn table(&mut self, rows: &[Line<'a>]) {
        let before = self.parsed.entries.len();
        for line in table::body(rows) {
            let Some(row) = table::entry(line.text) else { continue };
            let form = Form::Row { id: row.id };
            let text = line.text.trim();
            let entry = Entry { form, date: row.date, title: row.title, start: line.start, end: line.end, text, is_superseded: false };
            self.parsed.entries.push(entry);
        }
        if self.parsed.entries.len() == before && self.place == Place::Preamble {
            self.parsed.preamble.extend(rows.iter().map(|line| line.text));
        }
    }

    /// Ends the open entry and the themes at a heading.
    fn close(&mut self, line: &Line<'a>) {
        self.finish(line.start);
        self.end_themes(line.start);
    }

    fn finish(&mut self, end: usize) {
        let Some(entry) = self.open.take() else { return };
        self.parsed.entries.push(Entry { text: without_rule(&self.text[entry.start..end]), end, ..entry });
    }

    fn end_themes(&mut self, end: usize) {
        if let Place::Themes(_, start) = self.place {
            self.parsed.themes = Some(start..end);
            self.place = Place::Group(0, None);
        }
    }
}

/// Returns whether there is text before the next heading.
fn has_text(shown: &[Line<'_>]) -> bool {
    first_words(shown).is_some()
}

/// Returns the first line of text before the next heading.
fn first_words<'a>(shown: &[Line<'a>]) -> Option<&'a str> {
    let section = shown.iter().take_while(|line| heading(line.text).is_none());
    section.filter(|line| !line.is_rule()).map(|line| line.text.trim()).find(|words| !words.is_empty())
}

/// Drops the rows of a table that only repeats the headings of the same file.
fn drop_repeated_rows(entries: &mut Vec<Entry<'_>>) {
    let named: Vec<(Option<String>, &str)> = entries.iter().filter_map(|entry| Some((entry.form.label()?.id(), entry.title))).collect();
    let is_named =
        |id: Option<&str>, title: &str| named.iter().any(|(other, name)| (id.is_some() && other.as_deref() == id) || *name == title);
    entries.retain(|entry| !matches!(entry.form, Form::Row { id } if is_named(id, entry.title)));
}

/// Removes blank lines and the rule between entries from the end.
fn without_rule(text: &str) -> &str {
    let text = text.trim_end();
    match text.strip_suffix("---") {
        Some(before) if before.is_empty() || before.ends_with('\n') => before.trim_end(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_fences_hold_no_entries_and_rules_belong_to_none() {
        let text = "# D\n<!--\n## [2026-01-01-000000] no\n-->\n```\n## [2026-01-01-000001] no\n```\n\
            ## [2026-01-03-000000] Three\n\nbody\n\n---\n\n## [2026-01-02-000000] Two\r\n\r\n~~Superseded by Three~~\r\n\n## Themes\n- x\n";
        let parsed = parse(text);
        let short: Vec<_> = parsed.entries.iter().map(|entry| (entry.title, entry.date, entry.is_superseded)).collect();
        assert_eq!(short, [("Three", Some("2026-01-03"), false), ("Two", Some("2026-01-02"), true)]);
        assert_eq!(parsed.entries[0].text, "## [2026-01-03-000000] Three\n\nbody");
        assert_eq!(&text[parsed.themes.unwrap()], "## Themes\n- x\n");
    }

    #[test]
    fn an_entry_has_the_headings_below_its_own() {
        let parsed = parse("## ADR-1: A\n### Context\nc\n### More\n#### Even more\nd\n## B\n");
        assert_eq!(parsed.entries.len(), 2);
        assert!(parsed.entries[0].text.ends_with("Even more\nd"));
    }

    #[test]
    fn slugs_have_the_time_and_the_words() {
        let slug = |text| parse(text).entries[0].slug();
        assert_eq!(slug("## [2026-01-28-051426] Use `X` | Y\n"), "2026-01-28-051426-use-x-y");
        assert_eq!(slug("## ADR-001: Größe\n"), "adr-001-größe");
    }
}
