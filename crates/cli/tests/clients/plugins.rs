//! Our plugins, installed by the real clients from a local directory with the commands that our documentation names: the
//! first request has the context, the tools and the skill, and an installation beside the plugin doubles nothing.

use std::path::PathBuf;

use briefing_testkit::binary;
use briefing_testkit::clients::Client;
use briefing_testkit::model_api::{ModelRequest, Script};

use crate::{assert_whole, brief, knowing, log};

/// The words in the description of our skill.
const SKILL: &str = "Look up, and write down, what this project knows";

/// Writes the plugins beside the client's project. Returns their directory.
fn written(client: &Client) -> PathBuf {
    let directory = client.home().join("plugins of brief");
    let output = brief(client, &["system", "plugins", directory.to_str().expect("a plain path")]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    directory
}

/// Installs the plugin with the commands of the agent's row. `more` are words for a machine that nobody sits at.
fn plugged(client: Client, agent: &str, more: &[&str]) -> Client {
    let mut client = knowing(client);
    client.path(binary().parent().expect("a binary is in a directory"));
    let directory = written(&client).display().to_string();
    let plugins = briefing_agents::find(agent).and_then(|agent| agent.plugins).expect("an agent with plugins");
    for command in plugins.layout.install {
        let words: Vec<String> = command.split(' ').skip(1).map(|word| word.replace("DIR", &directory)).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).chain(more.iter().copied()).collect();
        let _ = client.command(&words);
    }
    client
}

/// Returns how often the first request offers the tool `select` of our server.
fn tools(request: &ModelRequest) -> usize {
    // Codex names only the server.
    let names = ["__select\"", "brief-select\"", "mcp_brief_select\"", "\"mcp__brief\""];
    let body = request.body.to_string();
    names.iter().map(|name| body.matches(name).count()).sum()
}

/// Sends two prompts, the second with `brief install` beside the plugin.
fn once(mut client: Client, agent: &str) {
    for what in ["the plugin alone", "the plugin and an installation"] {
        client.script(Script::new().shell("echo TOOL-RAN").text("done"));
        let outcome = client.run("PROMPT-ONE please");
        for (number, turn) in outcome.turns().iter().enumerate() {
            assert_whole(turn, &format!("{what}, request {number}\n{}\n{outcome}", log(&client)));
        }
        let first = outcome.turns()[0].clone();
        assert_eq!(first.count(SKILL), 1, "{what}: the skill\n{outcome}");
        assert_eq!(tools(&first), 1, "{what}: the tools\n{}", first.body);
        let doctor = brief(&client, &["doctor"]);
        let told = String::from_utf8_lossy(&doctor.stdout).into_owned();
        assert!(told.contains("ok     entry: in the plugin `brief"), "{what}\n{told}");
        assert!(brief(&client, &["install", agent, "--yes"]).status.success());
    }
}

#[test]
fn claude() {
    let mut client = plugged(Client::claude(), "claude", &[]);
    let directory = client.home().join("plugins of brief");
    let _ = client.command(&["plugin", "validate", "--strict", directory.to_str().expect("a plain path")]);
    let own = directory.join("claude");
    let own = own.to_str().expect("a plain path");
    // What the public directory of plugins would refuse.
    let _ = client.command(&["plugin", "validate", "--profile", "directory", own]);
    once(client, "claude");
}

#[test]
fn codex() {
    once(plugged(Client::codex(), "codex", &[]), "codex");
}

#[test]
fn copilot() {
    once(plugged(Client::copilot(), "copilot", &[]), "copilot");
}

#[test]
fn gemini() {
    let mut client = plugged(Client::gemini(), "gemini", &["--consent"]);
    let own = client.home().join("plugins of brief/gemini");
    let _ = client.command(&["extensions", "validate", own.to_str().expect("a plain path")]);
    once(client, "gemini");
}
