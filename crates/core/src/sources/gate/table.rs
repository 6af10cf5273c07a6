//! Decisions in a table: which of its rows are entries, and how another row is written.

use super::label::{Label, LabelKind};
use crate::lines::Line;

/// A row that is an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row<'a> {
    pub(super) id: Option<&'a str>,
    pub(super) date: Option<&'a str>,
    pub(super) title: &'a str,
}

/// Returns the cells of a row. A `\|` does not separate cells.
fn cells(line: &str) -> Vec<&str> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let mut cells = Vec::new();
    let mut start = 0;
    for (at, _) in line.match_indices('|').filter(|(at, _)| !line[..*at].ends_with('\\')) {
        cells.push(line[start..at].trim());
        start = at + 1;
    }
    if !line[start..].trim().is_empty() {
        cells.push(line[start..].trim());
    }
    cells
}

fn is_rule(line: &str) -> bool {
    line.contains('-') && line.chars().all(|c| "|-: \t".contains(c))
}

/// Returns the rows of a table below its head.
pub(super) fn body<'a, 'b>(rows: &'b [Line<'a>]) -> &'b [Line<'a>] {
    let rule = rows.iter().position(|line| is_rule(line.text));
    rule.map_or(rows, |rule| &rows[rule + 1..])
}

/// Reads a row as an entry: it has a date or an id, and words.
pub(super) fn entry(line: &str) -> Option<Row<'_>> {
    let (mut id, mut date, mut title) = (None, None, None);
    for cell in cells(line) {
        let plain = cell.trim_matches(['*', '`', '_']);
        let label = Label::parse(plain);
        if label.rest.is_empty() && label.kind == LabelKind::Id {
            id = id.or(Some(plain));
        } else if label.rest.is_empty() && label.date().is_some() {
            date = date.or(label.date());
        } else if title.is_none() && cell.chars().any(char::is_alphabetic) {
            title = Some(cell);
        }
    }
    let title = title.filter(|_| id.is_some() || date.is_some())?;
    Some(Row { id, date, title })
}

/// What a column is for, by its name in the head of a table.
const COLUMNS: [(&str, &str); 12] = [
    ("decision", "title"),
    ("learning", "title"),
    ("lesson", "title"),
    ("title", "title"),
    ("what", "title"),
    ("rationale", "Rationale"),
    ("reason", "Rationale"),
    ("why", "Rationale"),
    ("context", "Context"),
    ("status", "Status"),
    ("consequence", "Consequence"),
    ("outcome", "Consequence"),
];

/// Returns a row like those of the table whose head is `head`, or `None` if the head has no column for the title.
///
/// `id` is the id of the new row. Fields without a column of their own follow the title, so that nothing is lost.
pub(super) fn written(head: &str, id: Option<&str>, date: &str, title: &str, fields: &[(&str, &str)]) -> Option<String> {
    let columns = cells(head);
    let purpose = |cell: &str| {
        let cell = cell.trim_matches(['*', '`', '_']).to_lowercase();
        COLUMNS.iter().find(|(word, _)| cell.starts_with(word)).map(|(_, purpose)| *purpose)
    };
    let escaped = |text: &str| text.trim().replace('|', "\\|").lines().collect::<Vec<_>>().join(" ");
    let has_column = |field: &str| columns.iter().any(|cell| purpose(cell) == Some(field));
    let others: Vec<_> =
        fields.iter().filter(|(field, text)| !has_column(field) && !text.trim().is_empty() && text.trim() != title).collect();
    let mut words = escaped(title);
    for (field, text) in others {
        words = format!("{words}; {}: {}", field.to_lowercase(), escaped(text));
    }
    let mut has_title = false;
    let row: Vec<String> = columns
        .iter()
        .map(|cell| match purpose(cell) {
            Some("title") if !has_title => {
                has_title = true;
                words.clone()
            }
            Some(name) => fields.iter().find(|(field, _)| *field == name).map(|(_, text)| escaped(text)).unwrap_or_default(),
            None if cell.eq_ignore_ascii_case("date") || cell.eq_ignore_ascii_case("when") => date.to_owned(),
            None if ["id", "adr", "#", "no", "no.", "nr"].contains(&cell.to_lowercase().as_str()) => id.unwrap_or_default().to_owned(),
            None => String::new(),
        })
        .collect();
    has_title.then(|| format!("| {} |", row.join(" | ")))
}

/// Returns the head of the table that has the row at `start`.
pub(super) fn head_above(text: &str, start: usize) -> Option<&str> {
    let mut rows = text[..start].lines().rev().take_while(|line| line.trim_start().starts_with('|'));
    rows.find(|line| is_rule(line))?;
    rows.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_needs_a_date_or_an_id_and_words() {
        let row = |id, date, title| Some(Row { id, date, title });
        assert_eq!(entry("| 2026-01-21 | Use \\| pnpm | Enough |"), row(None, Some("2026-01-21"), "Use \\| pnpm"));
        assert_eq!(entry("| **D-0001** | One | Accepted | 2026-02-16 |"), row(Some("D-0001"), Some("2026-02-16"), "One"));
        for line in ["| Date | Decision |", "|---|---|", "| — | *(none yet)* | — |", "| 2026-01-21 | - |"] {
            assert_eq!(entry(line), None, "{line}");
        }
    }

    #[test]
    fn a_new_row_fills_the_columns_that_it_knows() {
        let fields = [("Context", "a\nb"), ("Rationale", "x|y")];
        let row = written("| ID | Date | Decision | Why | Owner |", Some("D-3"), "2026-11-15", "New", &fields);
        assert_eq!(row.as_deref(), Some("| D-3 | 2026-11-15 | New; context: a b | x\\|y |  |"));
        assert_eq!(written("| a | b |", None, "2026-11-15", "New", &fields), None);
    }
}
