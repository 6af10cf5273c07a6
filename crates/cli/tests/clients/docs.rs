//! Documents for a message, with the real agents: once, only what is new, and again after a compaction.

use briefing_testkit::clients::Client;
use briefing_testkit::model_api::{ModelRequest, Script};

use crate::{installed, log};

const DEPLOY: &str = "how do I roll back the canary release when the error budget is gone?";
const DATABASE: &str = "the migration locks a large table, split it into two SQL transactions";

fn with_documents(mut client: Client, agent: &str) -> Client {
    client
        .file("brief.toml", "[docs]\nmax_docs = 1\n")
        .file("docs/index.json", r#"["deploy.md","database.md","auth.md","logging.md","billing.md"]"#)
        .file(
            "docs/deploy.md",
            "# Deploying\n\nDOC-DEPLOY: releases are rolled out with a canary. When the error budget is gone, drain the canary and \
             roll back the release.\n",
        )
        .file(
            "docs/database.md",
            "# Database migrations\n\nDOC-DATABASE: migrations are SQL files, applied inside a transaction. A migration that locks a \
             large table must be split.\n",
        )
        .file("docs/auth.md", "# Authentication\n\nDOC-AUTH: users sign in with a session cookie.\n")
        .file("docs/logging.md", "# Logging\n\nDOC-LOGGING: records have levels and sinks.\n")
        .file("docs/billing.md", "# Billing\n\nDOC-BILLING: invoices are created every month.\n");
    installed(client, agent)
}

#[track_caller]
fn assert_counts(request: &ModelRequest, client: &Client, deploy: usize, database: usize) {
    let found = (request.count("DOC-DEPLOY"), request.count("DOC-DATABASE"));
    assert_eq!(found, (deploy, database), "{}\n{}", log(client), request.text());
    assert_eq!(request.count("DOC-AUTH") + request.count("DOC-BILLING"), 0, "nothing else comes");
}

/// A message about A brings A once; the next one about A brings nothing; one about B brings only B.
fn once_and_only_what_is_new(mut client: Client) {
    client.script(Script::new().text("done"));
    let first = client.run(DEPLOY);
    assert_counts(first.last_turn(), &client, 1, 0);
    let again = client.resume("and how do I roll back a canary release when its error budget is gone twice?");
    assert_counts(again.last_turn(), &client, 1, 0);
    let other = client.resume(DATABASE);
    assert_counts(other.last_turn(), &client, 1, 1);
}

#[test]
fn claude_gets_a_document_once() {
    once_and_only_what_is_new(with_documents(Client::claude(), "claude"));
}

#[test]
fn codex_gets_a_document_once() {
    once_and_only_what_is_new(with_documents(Client::codex(), "codex"));
}

#[test]
fn gemini_gets_a_document_once() {
    once_and_only_what_is_new(with_documents(Client::gemini(), "gemini"));
}

#[test]
fn claude_gets_it_again_after_a_compaction() {
    let mut client = with_documents(Client::claude(), "claude");
    let mut terminal = client.interactive();
    terminal.submit(DEPLOY).wait_for_turns(1);
    terminal.command("/compact");
    terminal.submit(DEPLOY).wait_for_turns(2);
    let turns = terminal.turns();
    for turn in &turns {
        assert_eq!(turn.count("DOC-DEPLOY"), 1, "{}", turn.text());
    }
}
