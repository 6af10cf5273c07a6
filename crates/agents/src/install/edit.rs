//! Editing a configuration file that other programs write too, without changing its comments, order or layout.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::Value;

use super::recipe::{entry, is_own, registered};
use crate::agent::{Agent, Recipe};

/// Why a file cannot be edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditProblem {
    #[error("not UTF-8")]
    NotUtf8,
    #[error("line {line}, column {column}: {problem}")]
    NotJson { line: usize, column: usize, problem: String },
    #[error("its content is not a JSON object")]
    NotAnObject,
    #[error("`{place}` is not {expected}")]
    Unexpected { place: String, expected: &'static str },
}

const MARK: &str = "\u{FEFF}";

/// Returns the file with our entries. If it already has them, the bytes stay the same.
pub fn install(agent: &Agent, program: &str, bytes: &[u8]) -> Result<Vec<u8>, EditProblem> {
    change(bytes, |root| {
        let object = root.object_value_or_create().ok_or(EditProblem::NotAnObject)?;
        if agent.recipe == Recipe::FlatEntries && object.get("version").is_none() {
            object.append("version", CstInputValue::Number("1".into()));
        }
        let hooks = object.object_value_or_create("hooks").ok_or_else(|| unexpected("hooks", "an object"))?;
        for event in registered(agent) {
            let wanted = entry(agent, program, event);
            let list = hooks.array_value_or_create(event.name).ok_or_else(|| unexpected(&format!("hooks.{}", event.name), "a list"))?;
            let own: Vec<CstNode> = list.elements().into_iter().filter(|group| holds_own(agent, group)).collect();
            if own.len() == 1 && own[0].to_serde_value() == Some(wanted.clone()) {
                continue;
            }
            remove_own(agent, &list);
            list.ensure_multiline();
            list.append(input(&wanted));
        }
        // Remove entries for events that an older version registered.
        for property in hooks.properties() {
            let name = property.decoded_name().unwrap_or_default();
            if !registered(agent).any(|event| event.name == name) {
                clear(agent, &hooks, &name);
            }
        }
        Ok(())
    })
}

/// Returns the file without our entries, and without the lists and objects that this leaves empty.
pub fn uninstall(agent: &Agent, bytes: &[u8]) -> Result<Vec<u8>, EditProblem> {
    change(bytes, |root| {
        let Some(object) = root.object_value() else { return Ok(()) };
        let Some(hooks) = object.object_value("hooks") else { return Ok(()) };
        for property in hooks.properties() {
            clear(agent, &hooks, &property.decoded_name().unwrap_or_default());
        }
        Ok(())
    })
}

/// Returns whether a file has exactly the entries that [`install`] would write for this program.
pub fn is_intact(agent: &Agent, program: &str, bytes: &[u8]) -> bool {
    install(agent, program, bytes).is_ok_and(|after| after == bytes)
}

/// Returns whether a file has nothing but what [`install`] itself writes besides the entries.
pub fn is_bare(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let content: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    matches!(content.as_str(), "" | "{}" | "{\"version\":1}")
}

/// Returns our commands in a file, in order.
pub fn own_commands(agent: &Agent, bytes: &[u8]) -> Vec<String> {
    commands(bytes, &|command| is_own(agent, command))
}

/// Returns the commands in a file that satisfy a condition, in order and each once.
pub fn commands(bytes: &[u8], is_wanted: &dyn Fn(&str) -> bool) -> Vec<String> {
    let mut commands = Vec::new();
    let text = String::from_utf8_lossy(bytes);
    let parsed = CstRootNode::parse(text.strip_prefix(MARK).unwrap_or(&text), &options()).ok();
    let value = parsed.and_then(|root| root.to_serde_value()).unwrap_or_default();
    collect(is_wanted, &value, &mut commands);
    commands
}

fn collect(is_wanted: &dyn Fn(&str) -> bool, value: &Value, commands: &mut Vec<String>) {
    match value {
        Value::String(text) if is_wanted(text) && !commands.contains(text) => commands.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect(is_wanted, item, commands)),
        Value::Object(fields) => fields.values().for_each(|field| collect(is_wanted, field, commands)),
        _ => {}
    }
}

fn change(bytes: &[u8], edit: impl FnOnce(&CstRootNode) -> Result<(), EditProblem>) -> Result<Vec<u8>, EditProblem> {
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

fn unexpected(place: &str, expected: &'static str) -> EditProblem {
    EditProblem::Unexpected { place: place.to_owned(), expected }
}

/// Returns whether a handler or a group of handlers contains one of ours.
fn holds_own(agent: &Agent, node: &CstNode) -> bool {
    let mut commands = Vec::new();
    collect(&|command| is_own(agent, command), &node.to_serde_value().unwrap_or_default(), &mut commands);
    !commands.is_empty()
}

/// Removes our handlers from a list, and the groups that this leaves empty.
fn remove_own(agent: &Agent, list: &CstArray) {
    for element in list.elements() {
        if !holds_own(agent, &element) {
            continue;
        }
        let handlers = element.as_object().and_then(|group| group.array_value("hooks"));
        if let Some(handlers) = handlers {
            for handler in handlers.elements() {
                if holds_own(agent, &handler) {
                    handler.remove();
                }
            }
            if !handlers.elements().is_empty() {
                continue;
            }
        }
        element.remove();
    }
}

/// Removes our handlers of an event. Also removes the event's list, and the `hooks` object, if nothing is left in
/// them, not even a comment.
fn clear(agent: &Agent, hooks: &CstObject, event: &str) {
    let Some(list) = hooks.array_value(event) else { return };
    let had_ours = list.elements().iter().any(|element| holds_own(agent, element));
    if !had_ours {
        return;
    }
    remove_own(agent, &list);
    if list.elements().is_empty()
        && !list.children().iter().any(CstNode::is_comment)
        && let Some(property) = hooks.get(event)
    {
        property.remove();
        if hooks.properties().is_empty()
            && !hooks.children().iter().any(CstNode::is_comment)
            && let Some(parent) = hooks.parent().and_then(|parent| parent.as_object_prop())
        {
            parent.remove();
        }
    }
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(fields) => CstInputValue::Object(fields.iter().map(|(name, value)| (name.clone(), input(value))).collect()),
    }
}
