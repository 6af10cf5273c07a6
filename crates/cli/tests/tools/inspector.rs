//! The official MCP inspector's command line against the real server, in both eras.
//!
//! It needs `scripts/install-clients inspector`; where it is missing, the tests fail.

use briefing_testkit::{Sandbox, binary, clients};
use serde_json::Value;

use crate::mcp::{ROLL_BACK, project};

/// Runs the inspector with these words after the server's command. It must succeed and warn of nothing.
#[track_caller]
fn inspect(sandbox: &Sandbox, era: &str, words: &[&str]) -> Value {
    let program = clients::inspector();
    let mut command = sandbox.command(&program[0]);
    command.args(&program[1..]).arg("--cli").arg(binary()).args(["mcp", "--protocol-era", era]).args(words);
    let output = command.output().expect("the inspector starts");
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && stderr.trim().is_empty(), "{era} {words:?}: {}\n{stdout}\n{stderr}", output.status);
    serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout}"))
}

fn everything_is_listed_without_a_warning(era: &str) {
    let sandbox = project();
    let listed = |method: &str, key: &str| -> Vec<String> {
        let list = inspect(&sandbox, era, &["--method", method]);
        list[key].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect()
    };
    // `--strict` fails on a schema that some clients cannot use.
    let strict = inspect(&sandbox, era, &["--method", "tools/list", "--strict"]);
    let tools: Vec<&str> = strict["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(tools, crate::mcp::TOOLS);
    assert_eq!(listed("resources/list", "resources").len(), 6);
    assert_eq!(listed("resources/templates/list", "resourceTemplates"), ["core file", "domain file", "document"]);
    assert!(listed("prompts/list", "prompts").contains(&"code-review".to_owned()));
}

fn everything_can_be_used(era: &str) {
    let sandbox = project();
    let message = format!("message={ROLL_BACK}");
    let selected = inspect(&sandbox, era, &["--method", "tools/call", "--tool-name", "select", "--tool-arg", &message]);
    assert_eq!(selected["structuredContent"]["selected"][0]["name"], "docs/deploy.md");
    let read = ["--method", "tools/call", "--tool-name", "read", "--tool-arg", "paths=[\"docs/deploy.md\"]"];
    assert!(inspect(&sandbox, era, &read)["content"][0]["text"].as_str().unwrap().contains("Drain the canary"));
    let resource = inspect(&sandbox, era, &["--method", "resources/read", "--uri", "brief://doc/docs/deploy.md"]);
    assert!(resource["contents"][0]["text"].as_str().unwrap().contains("Drain the canary"));
    let prompt = inspect(&sandbox, era, &["--method", "prompts/get", "--prompt-name", "code-review"]);
    assert_eq!(prompt["messages"].as_array().unwrap().len(), 1);
}

#[test]
fn everything_is_listed_without_a_warning_after_a_handshake() {
    everything_is_listed_without_a_warning("legacy");
}

#[test]
fn everything_is_listed_without_a_warning_without_a_handshake() {
    everything_is_listed_without_a_warning("modern");
}

#[test]
fn everything_can_be_used_after_a_handshake() {
    everything_can_be_used("legacy");
}

#[test]
fn everything_can_be_used_without_a_handshake() {
    everything_can_be_used("modern");
}
