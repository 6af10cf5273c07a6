//! The trust questions of the real agents: `brief doctor` reads the answers, and `brief tmux` never answers them.

use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::{env, fs};

use briefing_testkit::binary;
use briefing_testkit::clients::{Client, Terminal};
use briefing_testkit::model_api::{Call, Reply, Script};
use serde_json::json;

use crate::{assert_whole, brief, briefed, lines, log};

/// Returns the doctor's lines about one agent's trust.
fn trust(client: &Client) -> String {
    let output = brief(client, &["doctor"]);
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().filter(|line| line.contains(" trust: ") || line.contains(" project: ")).map(str::trim).collect::<Vec<_>>().join("\n")
}

/// Runs `brief tmux` on the client's pane.
fn paste(terminal: &mut Terminal<'_>, text: &str) -> Output {
    let place = format!("{},1,0", terminal.socket().display());
    let path = env::var_os("PATH").unwrap_or_default();
    let mut child = Command::new(binary())
        .args(["tmux", "test", "-"])
        .env_clear()
        .envs([("TMUX", place.as_ref()), ("PATH", path.as_os_str())])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("our own program starts");
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("it reads");
    child.wait_with_output().expect("it ends")
}

/// Panics unless a paste is refused and the question is still open.
#[track_caller]
fn assert_no_paste(terminal: &mut Terminal<'_>) {
    let before = terminal.screen();
    let output = paste(terminal, "MUST-NOT-ARRIVE");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && told.contains("is waiting for an answer"), "{told}\n{before}");
    assert!(!terminal.screen().contains("MUST-NOT-ARRIVE"), "{}", terminal.screen());
}

/// A paste does not answer a question about a tool. At the input prompt a paste arrives, whatever is shown above it.
#[test]
fn claude_is_not_given_a_permission_by_a_paste() {
    let mut client = briefed(Client::claude(), "claude");
    let write = Call::named("Write", json!({"file_path": client.project().join("new.txt"), "content": "x"}));
    client.script(Script::new().text("1. one\n2. two").reply(Reply::calls([write])).text("done"));
    let mut terminal = client.interactive();
    terminal.submit("1. first\n2. second").wait_for_turns(1);
    let output = paste(&mut terminal, "1. PASTED\n2. too");
    assert!(output.status.success(), "{}\n{}", String::from_utf8_lossy(&output.stderr), terminal.screen());
    terminal.wait_for_turns(2).wait_for_screen("Do you want to");
    assert_no_paste(&mut terminal);
    let turns = terminal.turns();
    assert!(turns[1].contains("1. PASTED\n2. too"), "{}", turns[1].text());
}

#[test]
fn codex_runs_what_was_approved_as_it_was_approved() {
    let mut client = briefed(Client::codex(), "codex");
    client.ask_for_trust();
    assert!(trust(&client).contains("BROKEN trust: of our hooks: 4 not approved yet"), "{}", trust(&client));
    assert_eq!(lines(client.run("PROMPT-ONE").last_turn()).len(), 0, "skipped in silence");

    // "Hooks need review": 2 is "Trust all and continue".
    let mut terminal = client.interactive();
    terminal.wait_for_screen("Trust all and continue");
    assert_no_paste(&mut terminal);
    terminal.command("2");
    drop(terminal);
    assert_eq!(
        trust(&client),
        "ok     trust: all 4 hooks are approved",
        "{}",
        fs::read_to_string(client.home().join(".codex/config.toml")).unwrap()
    );
    let outcome = client.run("PROMPT-TWO");
    assert_whole(outcome.last_turn(), &log(&client));

    let hooks = client.home().join(".codex/hooks.json");
    let changed = fs::read_to_string(&hooks).unwrap().replacen("\"timeout\": 5", "\"timeout\": 6", 1);
    fs::write(&hooks, changed).unwrap();
    assert!(trust(&client).contains("3 approved, 1 changed since they were approved"), "{}", trust(&client));
    let outcome = client.run("PROMPT-THREE");
    let starts = log(&client).lines().filter(|line| line.contains("SessionStart")).count();
    assert_eq!(starts, 1, "the changed one is the first, `SessionStart`\n{}\n{outcome}", log(&client));
}

#[test]
fn gemini_says_where_it_trusts() {
    for (answer, expected) in [("2", "ok     trust: this folder is trusted"), ("3", "BROKEN trust: this folder is marked as not trusted")] {
        let mut client = briefed(Client::gemini(), "gemini");
        client.env("GEMINI_CLI_TRUST_WORKSPACE", "");
        assert!(trust(&client).contains("not known as trusted"), "{}", trust(&client));
        // "Do you trust the files in this folder?": 1 the folder, 2 its parent, 3 no.
        let mut terminal = client.interactive();
        terminal.wait_for_screen("Do you trust");
        assert_no_paste(&mut terminal);
        terminal.command(answer);
        drop(terminal);
        assert_eq!(trust(&client), expected, "{:?}", fs::read_to_string(client.home().join(".gemini/trustedFolders.json")));
    }
}

/// Copilot asks at its start, and ignores a project's hooks in a folder that is not trusted.
#[test]
fn copilot_says_where_it_trusts() {
    let mut client = briefed(Client::copilot(), "copilot");
    let _ = brief(&client, &["uninstall", "copilot", "--yes"]);
    assert!(brief(&client, &["install", "copilot", "--project", "--yes"]).status.success());
    client.env("COPILOT_ALLOW_ALL", "false");
    assert!(trust(&client).contains("BROKEN trust: this folder is not known as trusted"), "{}", trust(&client));
    assert_eq!(lines(client.run("PROMPT-ONE").last_turn()).len(), 0, "left out in silence");

    // "Do you trust the files in this folder?": 2 is "Yes, and remember".
    let mut terminal = client.interactive();
    terminal.wait_for_screen("Do you trust");
    assert_no_paste(&mut terminal);
    terminal.command("2");
    drop(terminal);
    assert_eq!(trust(&client), "ok     trust: this folder is trusted");
    assert_whole(client.run("PROMPT-TWO").last_turn(), &log(&client));

    // A folder inside a trusted one is trusted too.
    let config = client.home().join(".copilot/config.json");
    let (project, parent) = (client.project(), client.project().parent().unwrap().to_owned());
    let text = fs::read_to_string(&config).unwrap().replace(project.to_str().unwrap(), parent.to_str().unwrap());
    fs::write(&config, text).unwrap();
    assert_eq!(trust(&client), "ok     trust: this folder is trusted");
    assert_whole(client.run("PROMPT-THREE").last_turn(), &log(&client));
}
