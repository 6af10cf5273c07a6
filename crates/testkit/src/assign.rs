//! A parser of the assign format, written only from its description, to check how a consumer reads our output.

use std::collections::HashSet;

/// One file as the consumer sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assigned {
    pub name: String,
    pub path: String,
    pub content: String,
}

/// Parses assignments in both forms, the here-doc and the quoted one. Everything that the description does not allow is an error,
/// including a variable that is set twice, and what the format's known consumer would read differently: a line that starts with `@`
/// inside a here-doc, and a carriage return outside quotes.
pub fn parse_assigns(text: &str) -> Result<Vec<Assigned>, String> {
    let mut variables = HashSet::new();
    let mut declare = |name: &str| {
        let is_valid = name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let is_new = variables.insert(name.to_owned());
        if is_valid && is_new { Ok(()) } else { Err(format!("`{name}` is no name, or is set twice")) }
    };
    let mut files = Vec::new();
    let mut lines = text.split('\n');
    while let Some(line) = lines.next() {
        if line.is_empty() && lines.clone().next().is_none() {
            break;
        }
        let (name, argument) = declaration(line)?;
        let path = unquoted(argument)?;
        declare(name)?;
        let (content_name, argument) = declaration(lines.next().ok_or("no line for the content")?)?;
        if content_name != format!("{name}Content") {
            return Err(format!("`{content_name}` does not belong to `{name}`"));
        }
        declare(content_name)?;
        let content = if argument.is_empty() { here_doc(&mut lines)? } else { unquoted(argument)? };
        files.push(Assigned { name: name.to_owned(), path, content });
    }
    Ok(files)
}

/// Reads the lines between the markers.
fn here_doc<'a>(lines: &mut impl Iterator<Item = &'a str>) -> Result<String, String> {
    let begin = lines.next().ok_or("no begin marker")?;
    let token = begin.strip_prefix("--begin-").and_then(|rest| rest.strip_suffix("--")).ok_or(format!("no begin marker: {begin}"))?;
    let end = format!("--end-{token}--");
    let mut content = Vec::new();
    loop {
        match lines.next() {
            Some(line) if line.trim() == end => return Ok(content.join("\n")),
            Some(line) if is_declaration(line) => return Err(format!("a declaration before {end}: {line:?}")),
            Some(line) if line.contains('\r') => return Err(format!("a carriage return before {end}: {line:?}")),
            Some(line) => content.push(line),
            None => return Err(format!("no {end}")),
        }
    }
}

/// Returns whether the consumer takes a line for a declaration: it ignores white space and characters without width.
fn is_declaration(line: &str) -> bool {
    let is_unseen = |c: char| c.is_whitespace() || matches!(c, '\u{FEFF}' | '\u{200B}'..='\u{200D}');
    line.trim_start_matches(is_unseen).starts_with('@')
}

/// Splits `@name assign argument`.
fn declaration(line: &str) -> Result<(&str, &str), String> {
    let rest = line.strip_prefix('@').ok_or(format!("no declaration: {line:?}"))?;
    let (name, rest) = rest.split_once(' ').ok_or(format!("no command: {line:?}"))?;
    let argument = rest.strip_prefix("assign").ok_or(format!("not an assign: {line:?}"))?;
    Ok((name, argument.trim_start()))
}

fn unquoted(text: &str) -> Result<String, String> {
    let inner = text.strip_prefix('"').ok_or(format!("no quote: {text:?}"))?;
    let mut value = String::new();
    let mut characters = inner.chars();
    while let Some(c) = characters.next() {
        match c {
            '"' if characters.as_str().is_empty() => return Ok(value),
            '"' | '\r' => break,
            '\\' => match characters.next() {
                Some('n') => value.push('\n'),
                Some('r') => value.push('\r'),
                Some('t') => value.push('\t'),
                Some(c @ ('"' | '\\')) => value.push(c),
                _ => break,
            },
            c => value.push(c),
        }
    }
    Err(format!("the quotes do not close at the end: {text:?}"))
}
