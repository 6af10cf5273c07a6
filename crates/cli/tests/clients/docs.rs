//! Documents for a message, with the real agents: once, only what is new, and again after compaction.

use briefing_testkit::clients::Client;
use briefing_testkit::model_api::{Kind, ModelRequest, Reply, Script};

use crate::{installed, log};

const DEPLOY: &str = "how do I roll back the canary release when the error budget is gone?";
const AGAIN: &str = "and how do I roll back a canary release when its error budget is gone twice?";
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

/// A message about A delivers A once, the next one about A delivers nothing, one about B delivers only B.
pub(crate) fn once_and_only_what_is_new(agent: &str) {
    let mut client = with_documents(Client::named(agent), agent);
    client.script(Script::new().text("done"));
    let first = client.run(DEPLOY);
    assert_counts(first.last_turn(), &client, 1, 0);
    let again = client.resume(AGAIN);
    assert_counts(again.last_turn(), &client, 1, 0);
    let other = client.resume(DATABASE);
    assert_counts(other.last_turn(), &client, 1, 1);
}

/// After `/compact`, the window has the new message's document. It also has the previous message's document if the agent
/// reports the compaction before the new message.
fn again_after_a_compaction(mut client: Client, command: &str, database: usize) {
    // Gemini does not compress a small window. It goes by the token counts that the model reports.
    let long = (0..9_000).map(|number| number.to_string()).collect::<Vec<_>>().join(" words ");
    let long = Reply::text(&long).input_tokens(60_000);
    client.script(Script::new().reply(long.clone()).reply(long.clone()).reply(long));
    let mut terminal = client.interactive();
    terminal.submit(DEPLOY).wait_for_turns(1);
    terminal.submit(AGAIN).wait_for_turns(2);
    terminal.submit(DATABASE).wait_for_turns(3);
    terminal.command(command);
    terminal.wait_for_compaction();
    terminal.submit(DEPLOY).wait_for_turns(4);
    let turns = terminal.turns();
    drop(terminal);
    let found: Vec<_> = turns.iter().map(|turn| (turn.count("DOC-DEPLOY"), turn.count("DOC-DATABASE"))).collect();
    assert_eq!(found, [(1, 0), (1, 0), (1, 1), (1, database)], "{}", log(&client));
}

#[test]
fn claude_gets_it_again_after_a_compaction() {
    again_after_a_compaction(with_documents(Client::claude(), "claude"), "/compact", 1);
}

#[test]
fn codex_gets_it_again_after_a_compaction() {
    again_after_a_compaction(with_documents(Client::codex(), "codex"), "/compact", 1);
}

#[test]
fn gemini_gets_it_again_after_a_compaction() {
    again_after_a_compaction(with_documents(Client::gemini(), "gemini"), "/compress", 0);
}

#[test]
fn copilot_gets_it_again_after_a_compaction() {
    again_after_a_compaction(with_documents(Client::copilot(), "copilot"), "/compact", 0);
}

/// After a compaction in the middle of a turn there is no new message: the current message's document is delivered again.
fn again_in_a_tool_loop(mut client: Client) {
    let long = Reply::shell("echo TWO").input_tokens(190_000);
    client.script(Script::new().shell("echo ONE").reply(long).shell("echo THREE").text("done"));
    let outcome = client.run(DEPLOY);
    assert!(outcome.requests.iter().any(|request| request.kind == Kind::Compaction), "{outcome}");
    assert_eq!(outcome.turns().len(), 4, "{outcome}");
    for turn in outcome.turns() {
        assert_counts(turn, &client, 1, 0);
    }
}

#[test]
fn claude_gets_it_again_in_a_tool_loop() {
    let mut client = with_documents(Client::claude(), "claude");
    client.env("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "100000");
    again_in_a_tool_loop(client);
}

#[test]
fn codex_gets_it_again_in_a_tool_loop() {
    let mut client = with_documents(Client::codex(), "codex");
    client.arg("-c").arg("model_auto_compact_token_limit=50000");
    again_in_a_tool_loop(client);
}

/// Copilot writes its summary in parallel to the turn: the request after `preCompact` has the old window and what we sent
/// since. Then the summary replaces the old window.
#[test]
fn copilot_gets_it_again_in_a_tool_loop() {
    let mut client = with_documents(Client::copilot(), "copilot");
    client.env("COPILOT_PROVIDER_MAX_PROMPT_TOKENS", "60000");
    let long = Reply::shell("echo TWO").input_tokens(59_000);
    // The third command gives the summary time to arrive.
    client.script(Script::new().shell("echo ONE").reply(long).shell("sleep 2; echo THREE").shell("echo FOUR").text("done"));
    let outcome = client.run(DEPLOY);
    assert!(outcome.requests.iter().any(|request| request.kind == Kind::Compaction), "{outcome}");
    assert_eq!(outcome.counts("DOC-DEPLOY"), [1, 1, 1, 1, 1], "{}\n{outcome}", log(&client));
}
