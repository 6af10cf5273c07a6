//! Editing JSON that other programs write too, without changing its comments, order or layout.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstRootNode};
use serde_json::Value;

use super::EditProblem;

pub(super) const MARK: &str = "\u{FEFF}";

/// Edits the syntax tree of a file and returns the file's new bytes.
pub(super) fn change(bytes: &[u8], edit: impl FnOnce(&CstRootNode) -> Result<(), EditProblem>) -> Result<Vec<u8>, EditProblem> {
    let text = std::str::from_utf8(bytes).map_err(|_| EditProblem::NotUtf8)?;
    let (mark, text) = text.strip_prefix(MARK).map_or(("", text), |rest| (MARK, rest));
    let root = CstRootNode::parse(text, &options()).map_err(|error| {
        let range = error.range();
        let before = &text[..range.start.min(text.len())];
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        EditProblem::NotJson { line, column, problem: error.kind().to_string() }
    })?;
    edit(&root)?;
    let mut after = format!("{mark}{root}");
    if text.trim().is_empty() && !after.ends_with('\n') {
        after.push('\n');
    }
    Ok(after.into_bytes())
}

/// Returns the syntax we accept. Comments and trailing commas are common in these files; other deviations from JSON
/// are mistakes, and an edit could make them worse.
fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

pub(super) fn unexpected(place: &str, expected: &'static str) -> EditProblem {
    EditProblem::Unexpected { place: place.to_owned(), expected }
}

/// Returns the content of a file; `null` if it cannot be parsed.
pub(super) fn value(bytes: &[u8]) -> Value {
    let text = String::from_utf8_lossy(bytes);
    let parsed = CstRootNode::parse(text.strip_prefix(MARK).unwrap_or(&text), &options()).ok();
    parsed.and_then(|root| root.to_serde_value()).unwrap_or_default()
}

/// Returns whether a file has nothing but what we write besides our entries.
pub(super) fn is_bare(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let content: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    matches!(content.as_str(), "" | "{}" | "{\"version\":1}")
}

pub(super) fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(fields) => CstInputValue::Object(fields.iter().map(|(name, value)| (name.clone(), input(value))).collect()),
    }
}
