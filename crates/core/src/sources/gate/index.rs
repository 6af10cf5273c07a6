//! The index of a file: the text between its markers or, if that is missing, empty or outdated, a generated table.

use super::entry::{self, Entry, Form};
use super::filled::without_comments;
use super::label::date_in;
use crate::lines::{Hidden, lines};
use crate::note::{Note, NoteKind};

pub(super) const START: &str = "<!-- INDEX:START -->";
pub(super) const END: &str = "<!-- INDEX:END -->";
pub(super) const NO_ENTRIES: &str = "(no index entries)";
/// A file without markers and entries is shown in full, up to this many characters.
const WHOLE_CHARACTERS: usize = 10_000;
/// The text before the first entry is shown up to this many characters.
const PREAMBLE_CHARACTERS: usize = 2_000;

/// Returns the text to show for a file of which only the index is included.
pub(super) fn index(name: &str, shown: &str, text: &str, notes: &mut Vec<Note>) -> String {
    let parsed = entry::parse(text);
    let entries = &parsed.entries;
    let stored = match block(text) {
        Block::Found(range) => Some(text[range].trim()),
        Block::Missing => None,
        Block::Broken => {
            notes.push(Note::warning(shown, NoteKind::Format, "its index markers are in the wrong order, so the index was generated"));
            None
        }
    };
    if text.matches(START).count() > 1 || text.matches(END).count() > 1 {
        notes.push(Note::warning(shown, NoteKind::Format, "has more than one index marker of a kind; the first ones are used"));
    }
    let mut parts = Vec::new();
    match stored {
        Some(stored) if !stored.is_empty() && !is_behind(stored, entries) => parts.push(marked(stored, entries)),
        _ if !entries.is_empty() => {
            if stored.is_some_and(|stored| !stored.is_empty()) {
                notes.push(Note::info(shown, NoteKind::Stale, "its stored index lacks entries, so the index was generated"));
            }
            let preamble = parsed.preamble.join("\n");
            parts.extend(Some(newest(name, preamble.trim(), PREAMBLE_CHARACTERS).0).filter(|text| !text.is_empty()));
            parts.push(table(name, entries, "\n"));
        }
        None if parsed.themes.is_none() && has_text(text) => parts.push(whole(name, shown, &without_comments(text), notes)),
        _ => {}
    }
    parts.extend(parsed.themes.map(|themes| without_comments(&text[themes]).trim().to_owned()));
    if parts.is_empty() { NO_ENTRIES.into() } else { parts.join("\n\n") }
}

/// The block between the markers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Block {
    /// The byte range between the markers.
    Found(std::ops::Range<usize>),
    Missing,
    /// The first end marker is before the first start marker, or one of them is missing.
    Broken,
}

/// Finds the first start marker and the first end marker.
pub(super) fn block(text: &str) -> Block {
    match (text.find(START), text.find(END)) {
        (Some(start), Some(end)) if end > start => Block::Found(start + START.len()..end),
        (None, None) => Block::Missing,
        _ => Block::Broken,
    }
}

/// Returns the table of entries, in their order. Superseded entries are marked.
pub(super) fn table(name: &str, entries: &[Entry<'_>], line_break: &str) -> String {
    let mut rows = vec![format!("| Date | {} |", column(name)), "|------|--------|".to_owned()];
    rows.extend(entries.iter().map(table_row));
    rows.join(line_break)
}

pub(super) fn table_row(entry: &Entry<'_>) -> String {
    let mark = if entry.is_superseded { SUPERSEDED } else { "" };
    format!("| {} | {}{mark} |", entry.date.unwrap_or("-"), title_cell(entry))
}

/// Returns the title of an entry as a cell of a table.
fn title_cell(entry: &Entry<'_>) -> String {
    match entry.form {
        // The title was a cell already.
        Form::Row { id: Some(id) } => format!("{id}: {}", entry.title),
        Form::Row { id: None } => entry.title.to_owned(),
        _ => entry.title.replace('|', "\\|"),
    }
}

/// Returns whether a row refers to an entry that is not in the file.
pub(super) fn rows_without_entry(rows: &[&str], entries: &[Entry<'_>]) -> bool {
    !rows.iter().filter_map(|line| row(line)).all(|row| entries.iter().any(|entry| names(&row, entry)))
}

const SUPERSEDED: &str = " (superseded)";

fn column(name: &str) -> &'static str {
    match name {
        super::plan::DECISIONS => "Decision",
        super::plan::LEARNINGS => "Learning",
        _ => "Entry",
    }
}

/// Returns the date and the title in a row of a stored table.
fn row(line: &str) -> Option<(&str, &str)> {
    let (date, title) = line.trim().strip_prefix('|')?.split_once('|')?;
    let title = title.trim().strip_suffix('|')?.trim();
    Some((date.trim(), title.strip_suffix(SUPERSEDED).unwrap_or(title)))
}

/// Returns whether a row of a stored table is the row of an entry.
fn names((date, title): &(&str, &str), entry: &Entry<'_>) -> bool {
    *title == title_cell(entry) && entry.date.is_none_or(|own| own == *date)
}

/// Returns whether a stored index is outdated: an entry has no row of its own, or an entry is inside the block.
fn is_behind(stored: &str, entries: &[Entry<'_>]) -> bool {
    let mut rows: Vec<_> = stored.lines().filter_map(row).collect();
    let lacks = |entry: &Entry<'_>| match rows.iter().position(|row| names(row, entry)) {
        Some(at) => {
            rows.swap_remove(at);
            false
        }
        None => true,
    };
    entries.iter().any(lacks) || stored.lines().any(|line| entry::heading(line).is_some())
}

/// Returns the stored index with the rows of superseded entries marked.
fn marked(stored: &str, entries: &[Entry<'_>]) -> String {
    if !entries.iter().any(|entry| entry.is_superseded) {
        return stored.to_owned();
    }
    let is_superseded = |line: &str| {
        let row = row(line).filter(|_| !line.contains(SUPERSEDED));
        row.is_some_and(|row| entries.iter().any(|entry| entry.is_superseded && names(&row, entry)))
    };
    let mark = |line: &str| match line.trim_end().strip_suffix('|') {
        Some(start) if is_superseded(line) => format!("{}{SUPERSEDED} |", start.trim_end()),
        _ => line.to_owned(),
    };
    stored.lines().map(mark).collect::<Vec<_>>().join("\n")
}

/// Returns whether there is any text other than a title and comments.
fn has_text(text: &str) -> bool {
    let mut hidden = Hidden::new(text);
    lines(text, 0).any(|line| {
        let is_fence = line.text.trim_start().starts_with(['`', '~']);
        let is_hidden = hidden.hides(&line);
        (!is_hidden || is_fence) && !line.is_blank() && !line.text.starts_with("# ")
    })
}

fn whole(name: &str, shown: &str, text: &str, notes: &mut Vec<Note>) -> String {
    let reason = "has neither index markers nor entries, so it is shown in full";
    let (text, left_out) = newest(name, text, WHOLE_CHARACTERS);
    notes.push(match left_out {
        0 => Note::info(shown, NoteKind::Fallback, reason),
        _ => Note::warning(shown, NoteKind::TooLarge, format!("{reason}, but for its oldest {left_out} characters")),
    });
    text
}

/// Returns the newest part of a text that has at most about `limit` characters, and how many characters it lacks.
///
/// The newest part is at the end, unless the first date in the text is later than the last one.
fn newest(name: &str, text: &str, limit: usize) -> (String, usize) {
    let total = text.chars().count();
    if total <= limit {
        return (text.to_owned(), 0);
    }
    let mut dates = text.lines().filter_map(date_in);
    let first = dates.next();
    let is_newest_first = first.zip(dates.next_back()).is_some_and(|(first, last)| first > last);
    let position = |count: usize| text.char_indices().nth(count).map_or(text.len(), |(at, _)| at);
    if is_newest_first {
        let end = position(limit);
        let end = text[..end].rfind('\n').map_or(end, |at| at + 1);
        let left_out = text[end..].chars().count();
        return (format!("{}[the last {left_out} characters are left out; they are in {name}]", &text[..end]), left_out);
    }
    let start = position(total - limit);
    let start = text[start..].find('\n').map_or(start, |at| start + at + 1);
    let left_out = text[..start].chars().count();
    (format!("[the first {left_out} characters are left out; they are in {name}]\n{}", &text[start..]), left_out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> (String, Vec<String>) {
        let mut notes = Vec::new();
        let shown = index("DECISIONS.md", "D", text, &mut notes);
        (shown, notes.into_iter().map(|note| note.reason).collect())
    }

    const ENTRY: &str = "## [2026-01-02-030405] Two | pipes\n\nbody\n";
    const TABLE: &str = "| Date | Decision |\n|------|--------|\n| 2026-01-02 | Two \\| pipes |";

    #[test]
    fn a_stored_index_is_taken_as_it_is() {
        let stored = "| Date | Decision |\n|----|--------|\n| 2026-01-02 | Two \\| pipes |\n| 2025-01-01 | Archived |";
        assert_eq!(of(&format!("# D\n\n{START}\n{stored}\n{END}\n\n{ENTRY}")), (stored.into(), vec![]));
        assert_eq!(of(&format!("# D\n\n{START}\nfree words\n{END}\n")), ("free words".into(), vec![]));
    }

    #[test]
    fn missing_or_empty_markers_are_computed() {
        assert_eq!(of(&format!("# D\n\n{ENTRY}")).0, TABLE);
        assert_eq!(of(&format!("# D\n{START}{END}\n{ENTRY}")).0, TABLE);
        assert_eq!(of(&format!("# D\r\n\r\n{}", ENTRY.replace('\n', "\r\n"))).0, TABLE, "CRLF");
    }

    #[test]
    fn a_stale_index_is_computed() {
        let (shown, notes) =
            of(&format!("{START}\n| Date | Decision |\n|--|--|\n| 2026-01-01 | Older |\n{END}\n{ENTRY}\n## [2026-01-01-000000] Older\n"));
        assert_eq!(shown, format!("{TABLE}\n| 2026-01-01 | Older |"));
        assert_eq!(notes, ["its stored index lacks entries, so the index was generated"]);
    }

    #[test]
    fn reversed_and_doubled_markers_are_noted() {
        let (shown, notes) = of(&format!("{END}\n{START}\n{ENTRY}"));
        assert_eq!((shown.as_str(), notes.len()), (TABLE, 1));
        let (_, notes) = of(&format!("{START}\n{TABLE}\n{END}\n{START}\n{END}\n{ENTRY}"));
        assert_eq!(notes, ["has more than one index marker of a kind; the first ones are used"]);
        assert_eq!(of(&format!("# D\n{START}\nx")).0, "# D\nx", "only a start: shown whole");
    }

    #[test]
    fn an_entry_caught_between_the_markers_is_not_lost() {
        assert_eq!(of(&format!("{START}\n{TABLE}\n{ENTRY}{END}\n")).0, TABLE);
    }

    #[test]
    fn superseded_entries_are_marked_stored_and_computed() {
        let entry = "## [2026-01-02-030405] Two\n\n~~Superseded by Three~~\n";
        let expected = "| 2026-01-02 | Two (superseded) |";
        assert!(of(entry).0.ends_with(expected));
        assert!(of(&format!("{START}\n| 2026-01-02 | Two |\n{END}\n{entry}")).0.ends_with(expected));
        assert!(of(&format!("{START}\n{expected}\n{END}\n{entry}")).0.ends_with(expected));
    }

    #[test]
    fn without_entries_it_says_so() {
        assert_eq!(of(&format!("# D\n{START}\n{END}\n")).0, NO_ENTRIES);
        assert_eq!(of("# D\n\n<!-- ## [2026-01-02-030405] X -->\n").0, NO_ENTRIES);
        assert_eq!(of("# D\n\n<!--\n## [2026-01-02-030405] X\n-->\n").0, NO_ENTRIES);
    }

    #[test]
    fn text_in_another_form_is_shown_whole_up_to_a_limit() {
        assert_eq!(of("# D\n\nWe use X.\n").0, "# D\n\nWe use X.\n");
        let (shown, notes) = of(&"é".repeat(10_001));
        assert_eq!(shown, format!("[the first 1 characters are left out; they are in DECISIONS.md]\n{}", "é".repeat(10_000)));
        assert_eq!(notes, ["has neither index markers nor entries, so it is shown in full, but for its oldest 1 characters"]);
    }
}
