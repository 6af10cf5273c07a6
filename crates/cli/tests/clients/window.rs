//! What is in the window of the real agents after edits, resumes, parallel tools, second processes, and going back.

use std::fs;

use briefing_testkit::clients::Client;
use briefing_testkit::model_api::{Call, Kind, ModelRequest, Reply, Script};

use crate::core_files::{self, CoreFiles};
use crate::{installed, log};

fn with_core_files(agent: &str) -> Client {
    let mut client = Client::named(agent);
    core_files::write(&mut client);
    installed(client, agent)
}

/// Each message is a process of its own that resumes the session.
pub(crate) fn resumed(agent: &str) {
    let mut client = with_core_files(agent);
    let script = || Script::new().shell("sleep 0.8; echo TOOL-RAN").text("done");
    client.script(script());
    let _ = client.run("PROMPT-ONE");
    client.script(script());
    let _ = client.resume("PROMPT-TWO");
    client.script(script());
    let third = client.resume("PROMPT-THREE");
    let found = CoreFiles::of(third.last_turn());
    assert!(found.is_whole(), "{found}\n{}", log(&client));
}

/// A file that was edited while the client was not running comes once, with the next message or before it.
pub(crate) fn edited(agent: &str) {
    let mut client = with_core_files(agent);
    let script = || Script::new().shell("sleep 0.8; echo ONE").shell("sleep 0.8; echo TWO").text("done");
    client.script(script());
    let _ = client.run("PROMPT-ONE");
    client.file(".context/CONVENTIONS.md", &core_files::edited());
    let (mut found, mut is_update) = (None, false);
    for prompt in ["PROMPT-TWO", "PROMPT-THREE"] {
        client.script(script());
        let outcome = client.resume(prompt);
        let last = outcome.last_turn();
        assert_eq!(last.count(core_files::EDIT), 1, "{prompt}\n{}", log(&client));
        // An agent that has lost the old text at the resume gets the new one whole, and not as an update.
        is_update = last.contains("; changed sections, these replace those you saw) ===");
        found = Some(CoreFiles::of(last));
    }
    let found = found.expect("two messages");
    assert!(found.is_whole_but(core_files::EDITED, if is_update { 2 } else { 1 }), "{found}\n{}", log(&client));
}

/// Two tools run at once, again and again: the parts stay in order.
pub(crate) fn parallel(agent: &str) {
    let mut client = with_core_files(agent);
    let both = || Reply::calls([Call::shell("echo LEFT"), Call::shell("echo RIGHT")]);
    let script = (0..6).fold(Script::new(), |script, _| script.reply(both()).shell("sleep 0.8; echo AFTER"));
    client.script(script.text("done"));
    let outcome = client.run("PROMPT-ONE");
    let found = CoreFiles::of(outcome.last_turn());
    assert!(found.is_whole() && found.is_in_order(), "{found}\n{}\n{}", labels(outcome.last_turn()), log(&client));
}

/// Without a ledger, one event brings what it can in order, and names the rest.
pub(crate) fn without_the_ledger(agent: &str) {
    let mut client = with_core_files(agent);
    let state = client.home().join(".local/state/brief");
    fs::remove_dir_all(&state).unwrap();
    fs::write(&state, "not a directory").unwrap();
    client.script(Script::new().shell("sleep 0.8; echo ONE").shell("sleep 0.8; echo TWO").text("done"));
    let outcome = client.run("PROMPT-ONE");
    let last = outcome.last_turn();
    let found = CoreFiles::of(last);
    assert!(found.is_at_most_once() && found.is_in_order(), "{found}\n{}", labels(last));
    assert!(found.has_all_of("RULE"), "{found}\n{}", labels(last));
    let left_out = "not included, for want of room; read these files when you need them";
    assert!(last.contains(left_out) && last.contains("AGENT_PLAYBOOK.md ("), "{found}\n{}", labels(last));
}

/// Claude Code drops a context at a session's start that equals an earlier one.
pub(crate) fn changed_back(agent: &str) {
    let mut client = Client::named(agent);
    client.file(".megg/info.md", "# Shop\n\nSells AAA.\n");
    let mut client = installed(client, agent);
    let _ = client.run("PROMPT-ONE");
    for goods in ["BBB", "AAA", "BBB", "AAA"] {
        client.file(".megg/info.md", &format!("# Shop\n\nSells {goods}.\n"));
        let outcome = client.resume(&format!("PROMPT-{goods}"));
        let text = outcome.last_turn().text();
        let last = text.rfind("Sells ").and_then(|at| text.get(at + 6..at + 9));
        assert_eq!(last, Some(goods), "{}\n{}", labels(outcome.last_turn()), log(&client));
    }
}

/// Two processes work on one session at once; each has a window of its own.
pub(crate) fn two_processes(agent: &str) {
    let mut client = with_core_files(agent);
    // A terminal continues only what began in one.
    client.interactive().submit("PROMPT-ONE").wait_for_turns(1);
    client.arg("--continue");
    let tools = || [1, 2, 3].map(|number| Reply::shell(&format!("sleep 0.8; echo {number}"))).into_iter().chain([Reply::text("done")]);
    client.script(Script::new().thread("PROMPT-LEFT", tools()).thread("PROMPT-RIGHT", tools()));
    let mut terminal = client.interactive();
    let right = terminal.client().run("PROMPT-RIGHT");
    terminal.submit("PROMPT-LEFT").wait_for("the other window", |requests| of(requests, "PROMPT-LEFT").len() >= 4);
    let left = of(&terminal.requests(), "PROMPT-LEFT").pop().expect("a request");
    assert_eq!(left.count("PROMPT-RIGHT"), 0, "it does not read what the other one has written");
    drop(terminal);
    for (request, what) in [(&left, "left"), (of(&right.requests, "PROMPT-RIGHT").last().expect("a request"), "right")] {
        let found = CoreFiles::of(request);
        assert!(found.is_whole() && found.is_in_order(), "{what}: {found}\n{}\n{}", labels(request), log(&client));
    }
}

fn of(requests: &[ModelRequest], prompt: &str) -> Vec<ModelRequest> {
    requests.iter().filter(|request| request.kind == Kind::Turn && request.contains(prompt)).cloned().collect()
}

/// Returns our own lines of a request, to explain a failure.
pub(crate) fn labels(request: &ModelRequest) -> String {
    let is_ours = |line: &&str| ["=== brief:", "PROJECT CONTEXT", "PROMPT-", "TURN-"].iter().any(|sign| line.contains(sign));
    request.text().lines().filter(is_ours).collect::<Vec<_>>().join("\n")
}

/// The user goes back to an earlier message.
pub(crate) fn gone_back(agent: &str) {
    match agent {
        "claude" => gone_back_by_escape(agent),
        _ => gone_back_by_command(agent),
    }
}

/// The user goes back to before the second message, with which a document came. The transcript has it at once.
fn gone_back_by_command(agent: &str) {
    let mut client = Client::named(agent);
    client
        .file("docs/index.json", r#"["auth.md"]"#)
        .file("docs/auth.md", "# Authentication\n\nDOC-AUTH: users sign in with a session cookie.\n");
    let mut client = installed(client, agent);
    let mut terminal = client.interactive();
    terminal.submit("PROMPT-ONE").wait_for_turns(1);
    terminal.submit("how do users sign in with a session cookie?").wait_for_turns(2);
    terminal.command("/rewind").wait_for_screen("Cancel rewind");
    // It may lose a key while it draws its list.
    for _ in 0..4 {
        if !terminal.screen().contains("● how do users sign in") {
            terminal.keys(&["Up"]);
        }
    }
    terminal.keys(&["Enter"]).wait_for_screen("Confirm Rewind").keys(&["Enter", "C-u"]);
    terminal.submit("how long may users sign in with the same session cookie?").wait_for_turns(3);
    let turns = terminal.turns();
    drop(terminal);
    let counts = |needle: &str| turns.iter().map(|turn| turn.count(needle)).collect::<Vec<_>>();
    assert_eq!(counts("how do users sign in"), [0, 1, 0], "the user went back");
    assert_eq!(counts("DOC-AUTH"), [0, 1, 1], "{}", log(&client));
}

/// The user goes back to before the second message, with which the core files came. The transcript shows it with the next
/// message, so the one after that has them again.
fn gone_back_by_escape(agent: &str) {
    let mut client = Client::named(agent);
    client.file(".context/CONSTITUTION.md", "RULE-ONE\n").file(".megg/info.md", "# SHOP-DOMAIN\n");
    let mut client = installed(client, agent);
    client.script(Script::new().text("one").shell("echo TOOL").text("two").text("three").text("four").shell("echo TOOL").text("five"));
    let mut terminal = client.interactive();
    terminal.submit("PROMPT-ONE").wait_for_turns(1);
    terminal.submit("PROMPT-TWO").wait_for_turns(3);
    terminal.submit("PROMPT-THREE").wait_for_turns(4);
    terminal.keys(&["Escape", "Escape"]).wait_for_screen("Rewind").keys(&["Up", "Up", "Enter"]);
    terminal.wait_for_screen("Restore conversation").keys(&["Enter", "C-u"]);
    terminal.submit("PROMPT-FOUR").wait_for_turns(5);
    terminal.submit("PROMPT-FIVE").wait_for_turns(7);
    let turns = terminal.turns();
    drop(terminal);
    let counts = |needle: &str| turns.iter().map(|turn| turn.count(needle)).collect::<Vec<_>>();
    assert_eq!(counts("PROMPT-TWO"), [0, 1, 1, 1, 0, 0, 0], "the user went back");
    assert_eq!(counts("SHOP-DOMAIN"), [1; 7], "{}", log(&client));
    assert_eq!(counts("RULE-ONE"), [0, 0, 1, 1, 0, 0, 1], "{}", log(&client));
}
