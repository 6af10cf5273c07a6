//! The entry in JSON.

use jsonc_parser::cst::{CstNode, CstObject, CstObjectProp};
use serde_json::Value;

use super::{Entry, NAME};
use crate::install::EditProblem;
use crate::install::json::{change, input, unexpected, value};

pub(super) fn install(key: &str, entry: &Value, program: &str, bytes: &[u8]) -> Result<Vec<u8>, EditProblem> {
    change(bytes, |root| {
        let object = root.object_value_or_create().ok_or(EditProblem::NotAnObject)?;
        let servers = object.object_value_or_create(key).ok_or_else(|| unexpected(key, "an object"))?;
        match own(&servers).into_iter().next() {
            Some((_, own)) if own.program == program => {}
            Some((property, _)) => set_program(&property, program),
            None if servers.get(NAME).is_some() => return Err(EditProblem::Taken { place: format!("{key}.{NAME}") }),
            None => {
                // Others' entries keep their layout.
                if servers.properties().is_empty() {
                    servers.ensure_multiline();
                }
                servers.append(NAME, input(entry));
            }
        }
        Ok(())
    })
}

fn set_program(property: &CstObjectProp, program: &str) {
    let Some(command) = property.object_value().and_then(|entry| entry.get("command")) else { return };
    match command.array_value().and_then(|words| words.elements().into_iter().next()) {
        Some(first) => {
            if let Some(first) = first.as_string_lit() {
                first.set_raw_value(Value::from(program).to_string());
            }
        }
        None => command.set_value(input(&Value::from(program))),
    }
}

pub(super) fn uninstall(key: &str, bytes: &[u8], original: Option<&[u8]>) -> Result<Vec<u8>, EditProblem> {
    let had_servers = original.is_some_and(|original| value(original).get(key).is_some());
    change(bytes, |root| {
        let Some(object) = root.object_value() else { return Ok(()) };
        let Some(servers) = object.object_value(key) else { return Ok(()) };
        let own = own(&servers);
        if own.is_empty() {
            return Ok(());
        }
        for (property, _) in own {
            property.remove();
        }
        let is_empty = servers.properties().is_empty() && !servers.children().iter().any(CstNode::is_comment);
        if let Some(property) = object.get(key).filter(|_| is_empty && !had_servers) {
            property.remove();
        }
        Ok(())
    })
}

pub(super) fn entries(key: &str, bytes: &[u8]) -> Vec<Entry> {
    let content = value(bytes);
    let servers = content.get(key).and_then(Value::as_object).into_iter().flatten();
    servers.filter_map(|(name, entry)| Entry::read(name, entry)).collect()
}

/// Returns our entries among the servers, in order.
fn own(servers: &CstObject) -> Vec<(CstObjectProp, Entry)> {
    let read = |property: CstObjectProp| {
        let entry = Entry::read(&property.decoded_name()?, &property.value()?.to_serde_value()?)?;
        Some((property, entry))
    };
    servers.properties().into_iter().filter_map(read).collect()
}
