//! Our hooks in a JSON file that other programs write too.

use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject};
use serde_json::Value;

use super::EditProblem;
use super::json::{change, input, unexpected, value};
use super::recipe::{entry, is_own, registered};
use crate::agent::{Agent, Recipe};

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

/// Returns our commands in a file, in order.
pub fn own_commands(agent: &Agent, bytes: &[u8]) -> Vec<String> {
    commands(bytes, &|command| is_own(agent, command))
}

/// Returns the commands among a file's hooks that satisfy a condition, in order and each once.
pub fn commands(bytes: &[u8], is_wanted: &dyn Fn(&str) -> bool) -> Vec<String> {
    let mut commands = Vec::new();
    // Some of these files also hold what the user has typed.
    value(bytes).get("hooks").iter().for_each(|hooks| collect(is_wanted, hooks, &mut commands));
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
