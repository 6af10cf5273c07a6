//! `brief status` in an agent's status line. One that shows something else is the user's, and stays.

use jsonc_parser::cst::CstObject;
use serde_json::{Value, json};

use super::EditProblem;
use super::json::{change, input, value};
use super::recipe::is_own_program;
use crate::agent::Agent;

/// The end of our command.
pub(super) const COMMAND: &str = " status";

/// Returns the file with our status line. If it has one already, the bytes stay the same.
pub fn install(agent: &Agent, program: &str, bytes: &[u8]) -> Result<Vec<u8>, EditProblem> {
    change(bytes, |root| {
        let object = root.object_value_or_create().ok_or(EditProblem::NotAnObject)?;
        if object.get(agent.status_line).is_none() {
            object.append(agent.status_line, input(&json!({ "type": "command", "command": format!("{program}{COMMAND}") })));
        } else if !holds_ours(agent, &object) {
            return Err(EditProblem::Taken { place: agent.status_line.to_owned() });
        }
        Ok(())
    })
}

/// Returns the file without our status line.
pub fn uninstall(agent: &Agent, bytes: &[u8]) -> Result<Vec<u8>, EditProblem> {
    change(bytes, |root| {
        let Some(object) = root.object_value().filter(|object| holds_ours(agent, object)) else { return Ok(()) };
        if let Some(property) = object.get(agent.status_line) {
            property.remove();
        }
        Ok(())
    })
}

/// Returns whether the file has our status line.
pub fn is_in(agent: &Agent, bytes: &[u8]) -> bool {
    !agent.status_line.is_empty() && is_ours(value(bytes).get(agent.status_line))
}

/// Returns whether the file has a status line of somebody else.
pub fn is_taken(agent: &Agent, bytes: &[u8]) -> bool {
    let value = value(bytes);
    let line = value.get(agent.status_line);
    line.is_some() && !is_ours(line)
}

fn holds_ours(agent: &Agent, object: &CstObject) -> bool {
    let line = object.get(agent.status_line).and_then(|property| property.value()).and_then(|value| value.to_serde_value());
    is_ours(line.as_ref())
}

fn is_ours(line: Option<&Value>) -> bool {
    let command = line.and_then(|line| line.get("command")).and_then(Value::as_str);
    command.and_then(|command| command.strip_suffix(COMMAND)).is_some_and(|program| is_own_program(program.trim_matches(['"', '\''])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::USUAL;

    #[test]
    fn a_status_line_is_added_once_and_taken_back_and_another_one_stays() {
        let before = b"{\n  // mine\n  \"model\": \"opus\"\n}\n".as_slice();
        let after = install(USUAL, "brief", before).unwrap();
        assert!(is_in(USUAL, &after) && !is_in(USUAL, before) && !is_taken(USUAL, &after));
        assert!(String::from_utf8_lossy(&after).contains("// mine"));
        assert_eq!(install(USUAL, "brief", &after).unwrap(), after);
        assert_eq!(value(&uninstall(USUAL, &after).unwrap()), value(before));
        let other = br#"{"statusLine":{"type":"command","command":"~/mine.sh status"}}"#;
        assert!(matches!(install(USUAL, "brief", other), Err(EditProblem::Taken { .. })));
        assert!(is_taken(USUAL, other));
        assert_eq!(uninstall(USUAL, other).unwrap(), other);
    }
}
