//! The real agents with our real installer, offline: the context is in the model's request, complete, in order, once.
//!
//! They need `scripts/install-clients`; a missing client is a failure, never a skip.

#![cfg(unix)]

mod claude;
mod compaction;
mod core_files;
mod docs;
mod gate;
mod init;
mod instructions;
mod long_session;
mod mcp;
mod others;
mod plugins;
mod promises;
mod receipts;
mod report;
mod trust;
mod window;

use std::env;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use briefing_testkit::binary;
use briefing_testkit::clients::Client;
use briefing_testkit::model_api::{Kind, ModelRequest, Reply, Script};

/// The number of lines in the project's knowledge: 30 KB, more than any agent takes at once without lanes.
const LINES: usize = 600;

/// Gives a client a project with 30 KB of knowledge, and installs brief.
fn briefed(client: Client, agent: &str) -> Client {
    installed(knowing(client), agent)
}

/// Gives a client a project with 30 KB of knowledge.
fn knowing(mut client: Client) -> Client {
    let knowledge: Vec<String> = (0..LINES).map(|number| format!("LINE-{number:05} {}\n", "x".repeat(38))).collect();
    client.file(".megg/info.md", "# SHOP-DOMAIN\n\nSells things.\n").file(".megg/knowledge.md", &knowledge.concat());
    client
}

/// Installs brief as a user does.
fn installed(mut client: Client, agent: &str) -> Client {
    client.path(binary().parent().expect("a binary is in a directory"));
    let output = brief(&client, &["install", agent, "--yes"]);
    assert!(output.status.success(), "brief install {agent}");
    client
}

/// Runs brief in the project, as the client's user.
fn brief(client: &Client, words: &[&str]) -> Output {
    let program = binary();
    let own = client.home().join("bin");
    let path = program.parent().into_iter().chain([own.as_path(), Path::new("/usr/bin"), Path::new("/bin")]);
    Command::new(&program)
        .args(words)
        .env_clear()
        .env("HOME", client.home())
        .env("PATH", env::join_paths(path).expect("plain paths"))
        .current_dir(client.project())
        .stdin(Stdio::null())
        .output()
        .expect("our own program starts")
}

/// Returns the numbers of the knowledge's lines in a request, in the order in which the model reads them.
fn lines(request: &ModelRequest) -> Vec<usize> {
    let text = request.text();
    text.match_indices("LINE-").filter_map(|(at, _)| text.get(at + 5..at + 10)?.parse().ok()).collect()
}

/// Panics unless the complete context is there, in order, exactly once.
#[track_caller]
fn assert_whole(request: &ModelRequest, what: &str) {
    let found = lines(request);
    assert!(
        found == (0..LINES).collect::<Vec<_>>(),
        "{what}: {} lines, {:?}…\n{}",
        found.len(),
        found.iter().take(20).collect::<Vec<_>>(),
        request.text()
    );
    assert_eq!(request.count("# SHOP-DOMAIN"), 1, "{what}");
}

/// Sends a prompt whose window is compacted between two tool uses: the complete context is in every request before and
/// after.
fn emptied_in_a_tool_loop(mut client: Client) {
    let long = Reply::shell("echo TWO").input_tokens(190_000);
    client.script(Script::new().shell("echo ONE").reply(long).shell("echo THREE").text("done"));
    let outcome = client.run("PROMPT-ONE");
    assert!(outcome.requests.iter().any(|request| request.kind == Kind::Compaction), "{outcome}");
    let turns = outcome.turns();
    assert_eq!(turns.len(), 4, "{outcome}");
    for (number, turn) in turns.iter().enumerate() {
        assert_whole(turn, &format!("request {number}\n{}", log(&client)));
    }
}

/// Returns the output of `brief log`, for the message of a failed test.
fn log(client: &Client) -> String {
    String::from_utf8_lossy(&brief(client, &["log"]).stdout).into_owned()
}

#[test]
fn no_file_is_forgotten() {
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients")).expect("this directory") {
        let name = entry.expect("an entry").file_name().into_string().expect("a plain name");
        let module = name.trim_end_matches(".rs");
        assert!(module == "main" || include_str!("main.rs").contains(&format!("mod {module};")), "`{name}` is not compiled");
    }
}
