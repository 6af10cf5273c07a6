//! A long session with the real agents: twelve messages with tools, parallel tools, a message typed while the model works,
//! documents, an edited file, a compaction and four resumes. The window then has every promised line exactly once, and
//! `brief verify` says the same.

use std::fs;

use briefing_testkit::clients::{Client, Terminal};
use briefing_testkit::model_api::{Call, ModelRequest, Reply, Script};

use crate::core_files::{self, CoreFiles};
use crate::window::labels;
use crate::{installed, log, receipts};

const DEPLOY: &str = "how do I roll back the canary release when the error budget is gone?";
const DEPLOY_AGAIN: &str = "and how do I roll back a canary release when its error budget is gone twice?";
const AUTH: &str = "PROMPT-04 how do users sign in with a session cookie?";
const AUTH_AGAIN: &str = "how long may users sign in with the same session cookie?";

/// What a client needs to compact its window when it is asked to.
struct Compaction {
    command: &'static str,
    /// Some clients keep a window that the model calls small.
    reply: Reply,
}

fn compaction(agent: &str) -> Compaction {
    let long = (0..9_000).map(|number| number.to_string()).collect::<Vec<_>>().join(" words ");
    let long = Reply::text(&long).input_tokens(60_000);
    match agent {
        "gemini" | "qwen" => Compaction { command: "/compress", reply: long },
        _ => Compaction { command: "/compact", reply: Reply::text("done") },
    }
}

fn project(agent: &str) -> Client {
    let mut client = Client::named(agent);
    client
        .file("brief.toml", "[docs]\nmax_docs = 1\n")
        .file(".megg/info.md", "# SHOP-DOMAIN\n\nSells things.\n")
        .file("docs/index.json", r#"["deploy.md","auth.md","logging.md","billing.md"]"#)
        .file(
            "docs/deploy.md",
            "# Deploying\n\nDOC-DEPLOY: releases are rolled out with a canary. When the error budget is gone, drain the canary and \
             roll back the release.\n",
        )
        .file("docs/auth.md", "# Authentication\n\nDOC-AUTH: users sign in with a session cookie.\n")
        .file("docs/logging.md", "# Logging\n\nDOC-LOGGING: records have levels and sinks.\n")
        .file("docs/billing.md", "# Billing\n\nDOC-BILLING: invoices are created every month.\n");
    core_files::write(&mut client);
    installed(client, agent)
}

/// Returns the answers of one turn: some tools, each after a short pause as with a real model, and an end.
fn turn(number: usize, tools: usize, last: &Reply) -> Script {
    let shell = |step: usize| format!("sleep 0.8; echo TURN-{number}-TOOL-{step}");
    (0..tools).fold(Script::new(), |script, step| script.shell(&shell(step))).reply(last.clone()).summary_tokens(50_000)
}

fn parallel(number: usize) -> Script {
    let both = Reply::calls([Call::shell(&format!("echo TURN-{number}-LEFT")), Call::shell(&format!("echo TURN-{number}-RIGHT"))]);
    Script::new().reply(both).shell(&format!("sleep 0.8; echo TURN-{number}-AFTER")).text("done").summary_tokens(50_000)
}

/// Sends a message in the terminal and waits for the last answer of its turn.
fn say(terminal: &mut Terminal<'_>, message: &str, script: Script) -> ModelRequest {
    let answers = script.length();
    let before = terminal.turns().len();
    terminal.script(script);
    terminal.submit(message).wait_for_turns(before + answers);
    terminal.turns().pop().expect("a turn")
}

/// What a window must have.
#[derive(Clone, Copy)]
struct Promised {
    deploy: usize,
    auth: usize,
    /// How often the edited section is there: the old text and the new one, until the window is emptied.
    edited: usize,
    edit: usize,
}

#[track_caller]
fn assert_window(request: &ModelRequest, promised: Promised, what: &str) {
    let found = CoreFiles::of(request);
    assert!(found.is_whole_but(core_files::EDITED, promised.edited), "{what}: {found}\n{}", labels(request));
    let counts = ["DOC-DEPLOY", "DOC-AUTH", core_files::EDIT, "# SHOP-DOMAIN"].map(|needle| request.count(needle));
    assert_eq!(counts, [promised.deploy, promised.auth, promised.edit, 1], "{what}\n{}", labels(request));
}

pub(crate) fn whole(agent: &str) {
    let mut client = project(agent);
    let compaction = compaction(agent);
    let conventions = client.project().join(".context/CONVENTIONS.md");
    let done = Reply::text("done");
    let mut terminal = client.interactive();

    say(&mut terminal, "PROMPT-01", turn(1, 2, &done));
    say(&mut terminal, DEPLOY, parallel(2));
    fs::write(&conventions, core_files::edited()).unwrap();
    // The third message's tool runs long enough to type the fourth one.
    terminal.script(Script::new().shell("timeout 6 tail -f /dev/null; echo TURN-3-TOOL").text("done").text("done").summary_tokens(50_000));
    terminal.begin("PROMPT-03").interject(AUTH);
    terminal.wait_for("the typed message", |requests| requests.iter().any(|request| request.contains("PROMPT-04")));
    let fourth = terminal.turns().pop().expect("a turn");
    // Copilot reports no event for such a message.
    let auth = usize::from(agent != "copilot");
    let promised = Promised { deploy: 1, auth, edited: 2, edit: 1 };
    assert_window(&fourth, promised, "after an edit and a message that was typed while the model worked");
    say(&mut terminal, "PROMPT-05", turn(5, 1, &compaction.reply));
    let sixth = say(&mut terminal, "PROMPT-06", turn(6, 0, &compaction.reply));
    assert_window(&sixth, promised, "three messages later");

    terminal.command(compaction.command).wait_for_compaction();
    say(&mut terminal, "PROMPT-07", turn(7, 2, &done));
    let eighth = say(&mut terminal, DEPLOY_AGAIN, parallel(8));
    assert_eq!(eighth.count("TURN-1-TOOL-0"), 0, "the window was emptied\n{}", labels(&eighth));
    drop(terminal);

    let resumed = [
        ("PROMPT-09", turn(9, 1, &done)),
        ("PROMPT-10", parallel(10)),
        (AUTH_AGAIN, turn(11, 0, &done)),
        ("PROMPT-12", turn(12, 1, &done)),
    ];
    let mut last = eighth;
    for (message, script) in resumed {
        client.script(script);
        last = client.resume(message).last_turn().clone();
    }
    assert_window(&last, Promised { deploy: 1, auth: 1, edited: 1, edit: 1 }, &log(&client));
    receipts::assert_agreement(&client, matches!(agent, "gemini" | "qwen"));
}
