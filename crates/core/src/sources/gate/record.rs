//! Writes entries: in the form and at the place of those that are there, with an updated index and every other byte
//! unchanged.
//!
//! The new text is parsed before it replaces the file: there must be one more entry, and every other entry must be
//! unchanged. So neither an open fence nor an index marker in the text can destroy an entry.

use std::path::{Path, PathBuf};

use super::edit::{self, Draft};
use super::entry::{self, Entry, Form};
use super::index::{self, Block};
use super::label::{Label, LabelKind};
use super::plan::{DECISIONS, LEARNINGS};
use super::table;
use crate::Failure;
use crate::lines::Hidden;
use crate::shown::is_deceptive;
use crate::sources::Change;
use crate::sources::domains::refuse_secrets;

/// The file that an entry goes into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordKind {
    Decision,
    Learning,
}

impl RecordKind {
    fn file(self) -> &'static str {
        match self {
            Self::Decision => DECISIONS,
            Self::Learning => LEARNINGS,
        }
    }

    pub(super) fn new_file(self) -> &'static str {
        match self {
            Self::Decision => include_str!("templates/DECISIONS.md"),
            Self::Learning => include_str!("templates/LEARNINGS.md"),
        }
    }
}

/// An entry to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record<'a> {
    pub kind: RecordKind,
    pub title: &'a str,
    /// `Context`, `Rationale` … with their texts, in order. Empty texts are left out.
    pub fields: &'a [(&'a str, &'a str)],
    /// `YYYY-MM-DD-HHMMSS`, local time.
    pub stamp: &'a str,
    /// Whether the entry may contain text that looks like a secret.
    pub allows_secrets: bool,
}

/// Adds an entry to DECISIONS.md or LEARNINGS.md of a `.context` directory and returns the file's path.
pub fn add_record(context: &Path, record: &Record<'_>, state: Option<&Path>) -> Result<PathBuf, Failure> {
    edit::change(context, record.kind.file(), Some(record.kind.new_file()), state, |draft| with_entry(draft, record))
}

/// Returns what [`add_record`] would change, without changing anything.
pub fn plan_record(context: &Path, record: &Record<'_>) -> Result<Change, Failure> {
    edit::plan(context, record.kind.file(), Some(record.kind.new_file()), |draft| with_entry(draft, record))
}

/// Returns the file with a new entry.
fn with_entry(draft: &Draft<'_>, record: &Record<'_>) -> Result<String, Failure> {
    let title = record.title.trim();
    if title.is_empty() || title.chars().any(is_deceptive) {
        return Err(
            Failure::usage("the title must be one line of visible text").hint("put the rest into --context or one of the other fields")
        );
    }
    if !record.allows_secrets {
        refuse_secrets(title)?;
        record.fields.iter().try_for_each(|(_, text)| refuse_secrets(text))?;
    }
    let new = Insertion { draft, title, record }.text();
    let at = verify(draft.text, &new, title)?;
    Ok(with_current_index(record.kind.file(), &new, at, draft.line_break))
}

/// A new entry on its way into a file.
struct Insertion<'a> {
    draft: &'a Draft<'a>,
    title: &'a str,
    record: &'a Record<'a>,
}

impl Insertion<'_> {
    /// Returns the file with the new entry, in the form and at the place of those that are there.
    fn text(&self) -> String {
        let parsed = entry::parse(self.draft.text);
        let is_first = is_newest_first(&parsed.entries);
        let model = if is_first { parsed.entries.first() } else { parsed.entries.last() };
        match model.map(|model| (model, model.form)) {
            Some((model, Form::Section { level, label })) => self.section(model, is_first, level, &label, &parsed.entries),
            Some((model, Form::Item { mark, label })) => self.item(model, is_first, mark, &label, &parsed.entries),
            Some((model, Form::Row { id })) => self
                .row(model, is_first, id, &parsed.entries)
                .unwrap_or_else(|| self.alone(parsed.themes.as_ref().map_or(self.draft.text.len(), |themes| themes.start))),
            None => self.alone(parsed.themes.map_or(self.draft.text.len(), |themes| themes.start)),
        }
    }

    /// Inserts the first entry of a file, behind its introduction.
    fn alone(&self, at: usize) -> String {
        let (before, after) = self.draft.text.split_at(at);
        let entry = self.written(&format!("## [{}] {}", self.record.stamp, self.title), false);
        let end = if after.trim().is_empty() { self.draft.line_break.to_owned() } else { self.draft.line_break.repeat(2) };
        format!("{before}{}{entry}{end}{after}", self.gap(before))
    }

    fn section(&self, model: &Entry<'_>, is_first: bool, level: usize, label: &Label<'_>, entries: &[Entry<'_>]) -> String {
        let (text, line_break) = (self.draft.text, self.draft.line_break);
        let heading = format!("{} {}", "#".repeat(level), label.next(self.record.stamp, last_number(label, entries), self.title));
        let entry = self.written(&heading, label.date().is_none());
        let blank = line_break.repeat(2);
        let rule = format!("{blank}---{blank}");
        let has_rule = |entry: &Entry<'_>| text[entry.start..entry.end].trim_end().ends_with("\n---");
        let uses_rules = match entries {
            [only] => has_rule(only) || label.kind == LabelKind::Stamp,
            [others @ .., _] => others.iter().any(has_rule),
            [] => false,
        };
        if is_first {
            let (before, after) = text.split_at(model.start);
            // Keep an entry directly under a comment, as some directories have it.
            let gap = if before.ends_with('\n') { String::new() } else { self.gap(before) };
            return format!("{before}{gap}{entry}{}{after}", if uses_rules { &rule } else { &blank });
        }
        let (before, after) = text.split_at(model.end);
        let lead = if uses_rules && !has_rule(model) { format!("---{blank}") } else { String::new() };
        let end = match after.trim().is_empty() {
            true => line_break,
            false if has_rule(model) => &rule,
            false => &blank,
        };
        format!("{before}{}{lead}{entry}{end}{after}", self.gap(before))
    }

    fn item(&self, model: &Entry<'_>, is_first: bool, mark: &str, label: &Label<'_>, entries: &[Entry<'_>]) -> String {
        let (text, line_break) = (self.draft.text, self.draft.line_break);
        let mut item = vec![format!("{mark}{}", label.next(self.record.stamp, last_number(label, entries), self.title))];
        item.extend(self.fields(label.date().is_none()).map(|(name, text)| format!("  - **{name}**: {}", text.replace('\n', " "))));
        let item = item.join(line_break);
        if is_first {
            return format!("{}{item}{line_break}{}", &text[..model.start], &text[model.start..]);
        }
        let at = model.start + text[model.start..model.end].trim_end().len();
        let end = if text[at..].is_empty() { line_break } else { "" };
        format!("{}{line_break}{item}{end}{}", &text[..at], &text[at..])
    }

    /// Returns `None` if the table has no column for a title.
    fn row(&self, model: &Entry<'_>, is_first: bool, id: Option<&str>, entries: &[Entry<'_>]) -> Option<String> {
        let (text, line_break) = (self.draft.text, self.draft.line_break);
        let label = id.map(Label::parse);
        let id = label.map(|label| label.next("", last_number(&label, entries), ""));
        let fields: Vec<_> = self.fields(false).collect();
        let fields: Vec<_> = fields.iter().map(|(name, text)| (*name, text.as_str())).collect();
        let head = table::head_above(text, model.start)?;
        let row = table::written(head, id.as_deref(), &self.record.stamp[..10], self.title, &fields)?;
        if is_first {
            return Some(format!("{}{row}{line_break}{}", &text[..model.start], &text[model.start..]));
        }
        let at = model.start + text[model.start..model.end].trim_end().len();
        Some(format!("{}{line_break}{row}{}", &text[..at], if text[at..].is_empty() { line_break } else { &text[at..] }))
    }

    /// Returns the fields that have a text, led by the date where the entry's name has none.
    fn fields(&self, needs_date: bool) -> impl Iterator<Item = (&str, String)> {
        let date = needs_date.then(|| ("Date", self.record.stamp[..10].to_owned()));
        let fields = self.record.fields.iter().map(|(name, text)| (*name, text.trim().replace("\r\n", "\n")));
        date.into_iter().chain(fields.filter(|(_, text)| !text.is_empty()))
    }

    /// Returns the text of a section.
    fn written(&self, heading: &str, needs_date: bool) -> String {
        let mut paragraphs = vec![heading.to_owned()];
        paragraphs.extend(self.fields(needs_date).map(|(name, text)| format!("**{name}**: {text}")));
        let text = paragraphs.join("\n\n");
        let closed = match Hidden::left_open(&text) {
            Some(closing) => format!("{text}\n{closing}"),
            None => text,
        };
        closed.replace('\n', self.draft.line_break)
    }

    /// Returns what is missing for a blank line at the end of `before`.
    fn gap(&self, before: &str) -> String {
        let line_break = self.draft.line_break;
        match before {
            "" => String::new(),
            _ if before.ends_with(&line_break.repeat(2)) || before.ends_with("\n\n") => String::new(),
            _ if before.ends_with('\n') => line_break.to_owned(),
            _ => line_break.repeat(2),
        }
    }
}

/// Returns whether new entries go before the others.
///
/// The first and the last date decide, then the numbers. With nothing to compare, dated sections have the newest first, as
/// the format's own tool writes them; everything else grows at its end.
fn is_newest_first(entries: &[Entry<'_>]) -> bool {
    let mut dates = entries.iter().filter_map(|entry| entry.date);
    if let Some((first, last)) = dates.next().zip(dates.next_back()).filter(|(first, last)| first != last) {
        return first > last;
    }
    let number = |entry: &Entry<'_>| entry.form.label().and_then(|label| label.value.parse::<u64>().ok());
    let mut numbers = entries.iter().filter_map(number);
    if let Some((first, last)) = numbers.next().zip(numbers.next_back()).filter(|(first, last)| first != last) {
        return first > last;
    }
    matches!(entries.first().map(|entry| entry.form), Some(Form::Section { label, .. }) if label.date().is_some())
}

/// Returns the highest number of the entries that are named like `label`.
fn last_number(label: &Label<'_>, entries: &[Entry<'_>]) -> u64 {
    let labels = entries.iter().filter_map(|entry| match entry.form {
        Form::Row { id } => id.map(Label::parse),
        Form::Section { label, .. } | Form::Item { label, .. } => Some(label),
    });
    let alike = labels.filter(|other| other.kind == label.kind && other.before == label.before);
    alike.filter_map(|other| other.value.parse().ok()).max().unwrap_or(0)
}

/// Updates the stored index, if there is one, after the entry with the number `at` was added. A block that contains
/// anything but a table is not changed.
fn with_current_index(name: &str, text: &str, at: usize, line_break: &str) -> String {
    let Block::Found(range) = index::block(text) else { return text.to_owned() };
    let stored = &text[range.clone()];
    if stored.lines().any(|line| !line.trim().is_empty() && !line.trim_start().starts_with('|')) {
        return text.to_owned();
    }
    let entries = entry::parse(text).entries;
    let rows: Vec<_> = stored.lines().filter(|line| line.trim_start().starts_with('|')).collect();
    let table = match rows.as_slice() {
        [head, rule, rows @ ..] => {
            // Rows of entries that are no longer in this file stay; the new one comes first or last, as in the file.
            let new: Vec<_> = if index::rows_without_entry(rows, &entries) {
                let mut all: Vec<String> = rows.iter().map(|row| (*row).to_owned()).collect();
                all.insert(if at == 0 { 0 } else { all.len() }, index::table_row(&entries[at]));
                all
            } else {
                entries.iter().map(index::table_row).collect()
            };
            let all = [*head, *rule].into_iter().chain(new.iter().map(String::as_str));
            all.map(str::trim_end).collect::<Vec<_>>().join(line_break)
        }
        _ => index::table(name, &entries, line_break),
    };
    format!("{}{line_break}{table}{line_break}{}", &text[..range.start], &text[range.end..])
}

/// Parses the new text, compares the entries, and returns the number of the new one.
fn verify(old: &str, new: &str, title: &str) -> Result<usize, Failure> {
    let (before, after) = (entry::parse(old).entries, entry::parse(new).entries);
    let same = |a: &Entry<'_>, b: &Entry<'_>| a.title == b.title && a.date == b.date && a.text == b.text;
    let at = before.iter().zip(&after).take_while(|(a, b)| same(a, b)).count();
    let escaped = title.replace('|', "\\|");
    let is_new = |entry: &Entry<'_>| entry.title.contains(if matches!(entry.form, Form::Row { .. }) { &escaped } else { title });
    let is_kept = after.len() == before.len() + 1 && before[at..].iter().zip(&after[at + 1..]).all(|(a, b)| same(a, b));
    if is_kept && is_new(&after[at]) {
        return Ok(at);
    }
    Err(Failure::new("the entry would not be read back as given")
        .because_of("its text contains a heading that looks like an entry, an index marker or an unclosed comment")
        .hint("indent such lines or put them into a code fence"))
}
