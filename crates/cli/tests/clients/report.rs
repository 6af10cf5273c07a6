//! The conversation in the real agents' transcripts: what was used, and what the agent opened by itself.

use briefing_testkit::clients::Client;
use briefing_testkit::model_api::Script;
use serde_json::Value;

use crate::{brief, briefed};

const DEPLOY: &str = "how do I roll back the canary release when the error budget is gone?";

fn reported(mut client: Client, agent: &str) {
    client
        .file("docs/index.json", r#"["deploy.md","auth.md"]"#)
        .file(
            "docs/deploy.md",
            "# Deploying\n\nWhen the error budget is gone, run `drain_canary_now`, watch `canary_hold_seconds`, and roll back the canary release.\n",
        )
        .file("docs/auth.md", "# Authentication\n\nUsers sign in with a session cookie.\n");
    let mut client = briefed(client, agent);
    client.script(Script::new().shell("cat docs/auth.md").text("I ran drain_canary_now until canary_hold_seconds was low."));
    let _ = client.run(DEPLOY);
    let report: Value = serde_json::from_slice(&brief(&client, &["report", "--json"]).stdout).unwrap();
    let files = report["files"].as_array().unwrap();
    let deploy = files.iter().find(|file| file["shown"].as_str().unwrap().ends_with("docs/deploy.md")).expect("it was delivered");
    assert_eq!(deploy["used"], 1, "{report:#}");
    let own = report["own"].as_array().unwrap();
    assert!(own.iter().any(|own| own["path"].as_str().unwrap().ends_with("docs/auth.md")), "{report:#}");
    let tokens =
        |kind: &str| report["loaded"].as_array().unwrap().iter().find(|row| row["kind"] == kind).map(|row| row["tokens"].as_u64().unwrap());
    assert!(tokens("message").is_some_and(|tokens| tokens > 0), "{report:#}");
    assert!(tokens("tool").is_some_and(|tokens| tokens > 0), "{report:#}");
}

#[test]
fn claude() {
    reported(Client::claude(), "claude");
}

#[test]
fn codex() {
    reported(Client::codex(), "codex");
}

#[test]
fn gemini() {
    reported(Client::gemini(), "gemini");
}

#[test]
fn copilot() {
    reported(Client::copilot(), "copilot");
}

#[test]
fn qwen() {
    reported(Client::qwen(), "qwen");
}

#[test]
fn opencode() {
    reported(Client::opencode(), "opencode");
}
