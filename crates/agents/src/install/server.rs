//! Our MCP server in an agent's configuration: an entry called `brief` that runs `brief mcp`.
//!
//! An entry is ours if it runs a program called `brief` with `mcp`, whatever its name and its other fields are. Those are
//! the user's: an existing entry only gets another path of the program.

mod json;
mod toml;

use serde_json::{Value, json};

use super::EditProblem;
use super::recipe::is_own_program;
use crate::agent::{Mcp, Registration};

/// The name of our entry.
const NAME: &str = "brief";
/// The word after the program.
const COMMAND: &str = "mcp";
/// The key under which every agent looks for the servers of a plugin.
pub const IN_PLUGINS: &str = "mcpServers";

/// An entry of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    pub program: String,
    /// The words after the program.
    pub arguments: Vec<String>,
    /// Whether the agent uses it.
    pub is_enabled: bool,
}

impl Entry {
    /// Reads an entry, if it is ours.
    fn read(name: &str, entry: &Value) -> Option<Self> {
        let mut words = words(entry).into_iter();
        let program = words.next().filter(|program| is_own_program(program))?;
        let arguments: Vec<String> = words.collect();
        let is = |field: &str, value: bool| entry.get(field) == Some(&Value::Bool(value));
        let is_enabled = !is("enabled", false) && !is("disabled", true);
        let is_own = arguments.first().is_some_and(|word| word == COMMAND);
        is_own.then(|| Self { name: name.to_owned(), program, arguments, is_enabled })
    }
}

/// Returns the words of the command in an entry.
fn words(entry: &Value) -> Vec<String> {
    let list = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
    let texts = |values: Vec<Value>| values.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>();
    match entry.get("command") {
        Some(Value::String(program)) => [vec![program.clone()], texts(list(entry.get("args")))].concat(),
        command => texts(list(command)),
    }
}

/// Returns the file with our entry. If it already has one that runs this program, the bytes stay the same.
pub fn install(mcp: &Mcp, program: &str, bytes: &[u8]) -> Result<Vec<u8>, EditProblem> {
    match mcp.registration {
        Registration::Json { key, .. } | Registration::Local { key } => json::install(key, &entry(mcp, program), program, bytes),
        Registration::Toml { key, variables } => toml::install(key, variables, program, bytes),
    }
}

/// Returns our entry as JSON.
fn entry(mcp: &Mcp, program: &str) -> Value {
    match mcp.registration {
        Registration::Json { also, .. } => {
            let mut entry: Value = serde_json::from_str(also).unwrap_or_else(|_| json!({}));
            entry["command"] = json!(program);
            entry["args"] = json!([COMMAND]);
            entry
        }
        Registration::Local { .. } => json!({ "type": "local", "command": [program, COMMAND], "enabled": true }),
        Registration::Toml { variables, .. } => json!({ "command": program, "args": [COMMAND], "env_vars": variables }),
    }
}

/// Returns the servers of a plugin: our entry, by its name.
pub fn of_plugin(mcp: &Mcp, program: &str) -> Value {
    json!({ NAME: entry(mcp, program) })
}

/// Returns our entries in a plugin's file, in order.
pub fn entries_of_plugin(bytes: &[u8]) -> Vec<Entry> {
    json::entries(IN_PLUGINS, bytes)
}

/// Returns the file without our entry. `original` is the file before the installation, where it is known: a table that was
/// there then, though empty, stays.
pub fn uninstall(mcp: &Mcp, bytes: &[u8], original: Option<&[u8]>) -> Result<Vec<u8>, EditProblem> {
    match mcp.registration {
        Registration::Json { key, .. } | Registration::Local { key } => json::uninstall(key, bytes, original),
        Registration::Toml { key, .. } => toml::uninstall(key, bytes),
    }
}

/// Returns our entries in a file, in order.
pub fn entries(mcp: &Mcp, bytes: &[u8]) -> Vec<Entry> {
    match mcp.registration {
        Registration::Json { key, .. } | Registration::Local { key } => json::entries(key, bytes),
        Registration::Toml { key, .. } => toml::entries(key, bytes),
    }
}
