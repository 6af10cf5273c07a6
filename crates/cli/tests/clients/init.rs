//! The first ten minutes of a stranger: `brief init --yes` in a project that has a README and documents, then the real
//! agent. Its first request has the project's rules and the document that the message is about.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use briefing_testkit::clients::Client;
use briefing_testkit::model_api::Script;

use crate::{brief, log};

/// Sets a project up with one command, and sends one message.
fn first_request(mut client: Client, agent: &str) {
    client
        .file("README.md", "# Shop\n\nABOUT-SHOP: sells small things over a slow network.\n\n## Install\n\nRun it.\n")
        .file("CONTRIBUTING.md", "# Contributing\n\n## Style\n\n- RULE-CENTS: prices are integers in cents, never floats.\n")
        .file("docs/deploy.md", "# Deploying\n\nDOC-DEPLOY: drain the canary and roll back the release when the error budget is gone.\n")
        .file("docs/billing.md", "# Billing\n\nDOC-BILLING: invoices are created every month.\n")
        .file("Makefile", "test:\n\ttrue\n")
        .path(briefing_testkit::binary().parent().expect("a binary is in a directory"));
    // As it is after an installation: its program is on PATH, and it has never run.
    let (_, version) = Client::versions().find(|(name, _)| *name == agent).expect("it has a version");
    client.home_file(&format!("bin/{agent}"), &format!("#!/bin/sh\necho {version}\n"));
    fs::set_permissions(client.home().join("bin").join(agent), fs::Permissions::from_mode(0o755)).unwrap();
    let output = brief(&client, &["init", "--yes"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    client.script(Script::new().text("done"));
    let outcome = client.run("how do I roll back the canary release when the error budget is gone?");
    let first = outcome.turns()[0];
    for (words, expected) in [("RULE-CENTS", 1), ("make test", 1), ("ABOUT-SHOP", 1), ("DOC-DEPLOY", 1), ("DOC-BILLING", 0)] {
        assert_eq!(first.count(words), expected, "{agent}: {words}\n{said}\n{}\n{}", log(&client), first.text());
    }
}

#[test]
fn claude() {
    first_request(Client::claude(), "claude");
}

#[test]
fn codex() {
    first_request(Client::codex(), "codex");
}

#[test]
fn gemini() {
    first_request(Client::gemini(), "gemini");
}

#[test]
fn qwen() {
    first_request(Client::qwen(), "qwen");
}

#[test]
fn copilot() {
    first_request(Client::copilot(), "copilot");
}

#[test]
fn opencode() {
    first_request(Client::opencode(), "opencode");
}
