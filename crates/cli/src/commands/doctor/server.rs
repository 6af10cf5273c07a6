//! Starts the MCP server as the agent's file says, and checks its answer in both eras of the protocol.
//!
//! It is started in a directory of its own with a store of its own: nothing is touched.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use briefing_agents::Agent;
use briefing_agents::install::server::Entry;
use serde_json::{Value, json};

use super::{Check, Verdict};

/// The name of these checks.
pub(super) const ABOUT: &str = "mcp";
const MARK: &str = "brief-doctor-was-here";
const PATIENCE: Duration = Duration::from_secs(5);

/// The eras, by the newest revision of each, with the request that begins a conversation.
const ERAS: [(&str, &str); 2] = [("2025-11-25", "initialize"), ("2026-07-28", "server/discover")];

/// Starts every entry of ours, once per era.
pub(super) fn answers(agent: &Agent, entries: &[Entry], fix: &str) -> Vec<Check> {
    entries.iter().flat_map(|entry| look(agent, entry, fix)).collect()
}

fn look(agent: &Agent, entry: &Entry, fix: &str) -> Vec<Check> {
    if !entry.is_enabled {
        let detail = format!("`{}` is disabled there, so the agent cannot ask", entry.name);
        return vec![Check::new(agent.name, ABOUT, Verdict::Info, detail).fix("enable it where you have disabled it")];
    }
    let asked = ERAS.map(|(revision, method)| {
        let what = format!("{ABOUT} answers {method}");
        match ask(entry, revision, method) {
            Ok(took) => Check::new(agent.name, &what, Verdict::Good, format!("in {:.1} ms", took.as_secs_f64() * 1000.0)),
            Err(problem) => {
                let command = [&[entry.program.clone()][..], &entry.arguments].concat().join(" ");
                Check::new(agent.name, &what, Verdict::Broken, format!("`{command}`: {problem}")).fix(fix)
            }
        }
    });
    asked.into()
}

fn ask(entry: &Entry, revision: &str, method: &str) -> Result<Duration, String> {
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    // A domain is called by its directory, and the answer names it.
    let (project, state) = (directory.path().join(MARK), directory.path().join("state"));
    fs::create_dir_all(project.join(".megg")).and_then(|()| fs::create_dir(&state)).map_err(|error| error.to_string())?;
    fs::write(project.join(".megg/info.md"), "# Here\n").map_err(|error| error.to_string())?;
    let request = request(revision, method);
    let started = Instant::now();
    let mut server = start(entry, &project, &state).map_err(|error| error.to_string())?;
    let (mut input, output) = (server.stdin.take(), server.stdout.take());
    let (sender, answered) = channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        let _ = output.map(|output| BufReader::new(output).read_line(&mut line));
        let _ = sender.send(line);
    });
    let _ = input.as_mut().map(|input| input.write_all(format!("{request}\n").as_bytes()));
    let answer = answered.recv_timeout(PATIENCE);
    let took = started.elapsed();
    // It ends with its input; what does not is killed.
    drop(input);
    let _ = server.kill();
    let _ = server.wait();
    let answer = answer.map_err(|_| format!("no answer in {} seconds", PATIENCE.as_secs()))?;
    let answer: Value = serde_json::from_str(&answer).map_err(|_| "it did not speak the protocol".to_owned())?;
    match answer.pointer("/result/instructions").and_then(Value::as_str) {
        Some(instructions) if instructions.contains(MARK) => Ok(took),
        Some(_) => Err("its answer is about another project".into()),
        None => Err(format!("it answered: {}", answer.get("error").unwrap_or(&answer))),
    }
}

fn start(entry: &Entry, project: &Path, state: &Path) -> std::io::Result<std::process::Child> {
    let mut command = Command::new(&entry.program);
    // The doctor may itself be run by an agent, which names its own project.
    for variable in briefing_agents::AGENTS.iter().filter_map(|agent| agent.mcp).map(|mcp| mcp.directory_variable) {
        if !variable.is_empty() {
            command.env_remove(variable);
        }
    }
    command.args(&entry.arguments).current_dir(project).env("XDG_STATE_HOME", state);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()
}

fn request(revision: &str, method: &str) -> Value {
    let client = json!({ "name": "brief-doctor", "version": env!("CARGO_PKG_VERSION") });
    let parameters = match method {
        "initialize" => json!({ "protocolVersion": revision, "capabilities": {}, "clientInfo": client }),
        _ => json!({ "_meta": {
            "io.modelcontextprotocol/protocolVersion": revision,
            "io.modelcontextprotocol/clientInfo": client,
            "io.modelcontextprotocol/clientCapabilities": {},
        } }),
    };
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": parameters })
}
