//! The entry in TOML. The text is cut and joined at the places that the parser names, so that all bytes of others stay
//! as they are, line endings included.

use std::ops::Range;

use serde_json::Value;
use toml_edit::{Array, Document, Item, Table, TableLike};

use super::{COMMAND, Entry, NAME};
use crate::install::EditProblem;
use crate::install::json::{MARK, unexpected};

const INLINE: &str = "a table with a header of its own";

pub(super) fn install(key: &str, variables: &[&str], program: &str, bytes: &[u8]) -> Result<Vec<u8>, EditProblem> {
    let (mark, text) = split(bytes)?;
    let document = parse(text)?;
    let servers = servers(&document, key)?;
    if let Some((item, own)) = servers.and_then(|servers| own(servers).into_iter().next()) {
        let command = item.get("command").and_then(Item::span);
        let Some(command) = command.filter(|_| own.program != program) else { return Ok(bytes.to_vec()) };
        let (before, after) = (&text[..command.start], &text[command.end..]);
        return Ok(format!("{mark}{before}{}{after}", toml_edit::Value::from(program)).into_bytes());
    }
    match servers.map(|servers| servers.contains_key(NAME)) {
        Some(true) => return Err(EditProblem::Taken { place: format!("{key}.{NAME}") }),
        Some(false) if document.get(key).is_some_and(|item| item.as_table().is_none_or(Table::is_dotted)) => {
            return Err(unexpected(key, INLINE));
        }
        _ => {}
    }
    let line = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let open = if text.is_empty() || text.ends_with('\n') { "" } else { line };
    let gap = if text.is_empty() { "" } else { line };
    let list = |words: &[&str]| words.iter().copied().collect::<Array>().to_string();
    let table = [
        format!("[{key}.{NAME}]"),
        format!("command = {}", toml_edit::Value::from(program)),
        format!("args = {}", list(&[COMMAND])),
        format!("env_vars = {}", list(variables)),
    ];
    Ok(format!("{mark}{text}{open}{gap}{}{line}", table.join(line)).into_bytes())
}

pub(super) fn uninstall(key: &str, bytes: &[u8]) -> Result<Vec<u8>, EditProblem> {
    let (mark, text) = split(bytes)?;
    let document = parse(text)?;
    let Some(servers) = servers(&document, key)? else { return Ok(bytes.to_vec()) };
    let mut cuts = Vec::new();
    for (item, own) in own(servers) {
        let is_inside_a_line = document.get(key).is_some_and(Item::is_inline_table);
        let name = document.get(key).and_then(Item::as_table).and_then(|servers| servers.key(&own.name));
        match (item, name.and_then(toml_edit::Key::span)) {
            _ if is_inside_a_line => return Err(unexpected(key, INLINE)),
            (Item::Table(table), _) => tables(table, &mut cuts),
            (item, Some(name)) => cuts.push(name.start..item.span().map_or(name.end, |value| value.end)),
            (_, None) => {}
        }
    }
    let mut lines: Vec<Range<usize>> = cuts.into_iter().map(|cut| whole_lines(text, &cut)).collect();
    lines.sort_by_key(|lines| lines.start);
    let mut after = String::with_capacity(text.len());
    let mut at = 0;
    for lines in lines {
        after.push_str(&text[at..lines.start.max(at)]);
        // The empty line that the installation has put before the table.
        let shorter = after.strip_suffix("\r\n").or_else(|| after.strip_suffix('\n')).filter(|shorter| shorter.ends_with('\n'));
        if let Some(length) = shorter.map(str::len).filter(|_| text[lines.clone()].trim_start().starts_with('[')) {
            after.truncate(length);
        }
        at = at.max(lines.end);
    }
    after.push_str(&text[at..]);
    Ok(format!("{mark}{after}").into_bytes())
}

pub(super) fn entries(key: &str, bytes: &[u8]) -> Vec<Entry> {
    let read = || -> Result<Vec<Entry>, EditProblem> {
        let document = parse(split(bytes)?.1)?;
        Ok(servers(&document, key)?.map(own).unwrap_or_default().into_iter().map(|(_, entry)| entry).collect())
    };
    read().unwrap_or_default()
}

fn split(bytes: &[u8]) -> Result<(&'static str, &str), EditProblem> {
    let text = std::str::from_utf8(bytes).map_err(|_| EditProblem::NotUtf8)?;
    Ok(text.strip_prefix(MARK).map_or(("", text), |rest| (MARK, rest)))
}

fn parse(text: &str) -> Result<Document<&str>, EditProblem> {
    Document::parse(text).map_err(|error| {
        let before = &text[..error.span().unwrap_or_default().start.min(text.len())];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        EditProblem::NotToml { line, column, problem: error.message().to_owned() }
    })
}

/// Returns the table of all servers, if there is one.
fn servers<'a>(document: &'a Document<&str>, key: &str) -> Result<Option<&'a dyn TableLike>, EditProblem> {
    match document.get(key) {
        None => Ok(None),
        Some(item) => item.as_table_like().map(Some).ok_or_else(|| unexpected(key, "a table")),
    }
}

/// Returns our entries among the servers, in order.
fn own(servers: &dyn TableLike) -> Vec<(&Item, Entry)> {
    let read = |(name, item): (&str, _)| -> Option<(&Item, Entry)> { Some((item, Entry::read(name, &value(item))?)) };
    servers.iter().filter_map(read).collect()
}

/// Returns the fields of an entry that [`Entry::read`] looks at.
fn value(item: &Item) -> Value {
    let text = |item: &Item| item.as_str().map(Value::from);
    let list = |item: &Item| item.as_array().map(|words| words.iter().filter_map(toml_edit::Value::as_str).collect::<Value>());
    let switch = |item: &Item| item.as_bool().map(Value::from);
    let fields = item.as_table_like().into_iter().flat_map(TableLike::iter);
    fields.filter_map(|(name, item)| Some((name.to_owned(), text(item).or_else(|| list(item)).or_else(|| switch(item))?))).collect()
}

/// Collects the places of a table, its values and the tables inside of it.
fn tables(table: &Table, cuts: &mut Vec<Range<usize>>) {
    let mut own: Vec<Range<usize>> = table.span().into_iter().collect();
    for (name, item) in table {
        match item {
            Item::Table(inner) => tables(inner, cuts),
            Item::ArrayOfTables(inner) => inner.iter().for_each(|inner| tables(inner, cuts)),
            _ => own.extend(table.key(name).and_then(toml_edit::Key::span).zip(item.span()).map(|(name, value)| name.start..value.end)),
        }
    }
    match (own.iter().map(|place| place.start).min(), own.iter().map(|place| place.end).max()) {
        // With a header, whatever is between it and its last value belongs to it.
        (Some(start), Some(end)) if !table.is_dotted() && table.span().is_some() => cuts.push(start..end),
        _ => cuts.extend(own),
    }
}

/// Extends a place to whole lines.
fn whole_lines(text: &str, place: &Range<usize>) -> Range<usize> {
    let start = text[..place.start].rfind('\n').map_or(0, |line| line + 1);
    let end = text[place.end..].find('\n').map_or(text.len(), |line| place.end + line + 1);
    start..end
}
