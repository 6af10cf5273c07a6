//! Which files with instructions the real clients load by themselves, and that each receives what it lacks exactly once.
//!
//! The first half needs no `brief`: it fails when a version loads something else than the row of its agent says.

use std::path::Path;
use std::process::Command;

use briefing_agents::{find, loading};
use briefing_testkit::clients::Client;
use briefing_testkit::model_api::{Call, ModelRequest, Reply, Script};

use crate::installed;

const AGENTS: [&str; 6] = ["claude", "codex", "gemini", "qwen", "copilot", "opencode"];
/// Each file has a mark of its own.
const FILES: [(&str, &str); 5] = [
    ("AGENTS.md", "MARK-ROOT-AGENTS"),
    ("CLAUDE.md", "MARK-ROOT-CLAUDE"),
    ("GEMINI.md", "MARK-ROOT-GEMINI"),
    ("QWEN.md", "MARK-ROOT-QWEN"),
    ("sub/AGENTS.md", "MARK-SUB-AGENTS"),
];

/// Returns a client in a repository with these files.
fn client(agent: &str, files: &[(&str, &str)]) -> Client {
    let mut client = Client::named(agent);
    client.file("sub/a.txt", "CONTENT-OF-A\n");
    for (name, mark) in files {
        client.file(name, &format!("# Rules\n\n{mark}\n"));
    }
    assert!(Command::new("git").args(["init", "-q"]).current_dir(client.project()).status().is_ok_and(|status| status.success()));
    client
}

/// Lets the model read a file below `sub`, and returns the last request. Codex has no tool for that but the shell.
fn read_below(client: &mut Client, agent: &str, message: &str) -> ModelRequest {
    let file = client.project().join("sub/a.txt");
    let call = if agent == "codex" { Call::shell("cat sub/a.txt") } else { Call::read(file.to_str().unwrap()) };
    client.script(Script::new().reply(Reply::calls([call])).text("done"));
    client.run(message).last_turn().clone()
}

/// Compares what a client loads with the row of its agent.
fn loads_what_its_row_says(agent: &str) {
    for files in [&FILES[..], &FILES[..1], &[FILES[0], FILES[4]]] {
        let mut client = client(agent, files);
        let turn = read_below(&mut client, agent, "PROMPT please");
        assert!(turn.contains("CONTENT-OF-A"), "{agent} has not read the file");
        let reader = loading::usual_reader(find(agent).unwrap(), &client.project());
        for (name, mark) in files {
            let is_loaded = turn.contains(mark);
            let is_said = reader.loads(&client.project().join(Path::new(name)));
            assert_eq!(is_loaded, is_said, "{agent} and {name}, among {files:?}: the left is what the client does, the right its row");
        }
    }
}

/// With brief, every text of the standard files is in the window once, whoever brought it.
fn receives_what_it_lacks_once(agent: &str) {
    let mut client = installed(client(agent, &[FILES[0], FILES[4]]), agent);
    // Where tools carry no context, the message names the path.
    let turn = read_below(&mut client, agent, "PROMPT about sub/a.txt please");
    for (name, mark) in [FILES[0], FILES[4]] {
        assert_eq!(turn.count(mark), 1, "{agent} and {name}:\n{}", turn.text());
    }
    // What the client loads by itself is its own affair after a resume.
    let reader = loading::usual_reader(find(agent).unwrap(), &client.project());
    let again = client.resume("PROMPT-TWO about sub/a.txt please");
    for (name, mark) in [FILES[0], FILES[4]].into_iter().filter(|(name, _)| !reader.loads(&client.project().join(name))) {
        assert_eq!(again.last_turn().count(mark), 1, "{agent} and {name}, after a resume:\n{}", again.last_turn().text());
    }
}

macro_rules! canaries {
    ($($agent:ident: $loads:ident, $receives:ident;)+) => {
        $(#[test]
        fn $loads() {
            loads_what_its_row_says(stringify!($agent));
        }

        #[test]
        fn $receives() {
            receives_what_it_lacks_once(stringify!($agent));
        })+

        #[test]
        fn every_client_has_its_canary() {
            assert_eq!(AGENTS, [$(stringify!($agent)),+]);
            assert_eq!(Client::versions().count(), AGENTS.len());
        }
    };
}

canaries! {
    claude: claude_loads_what_its_row_says, claude_receives_what_it_lacks_once;
    codex: codex_loads_what_its_row_says, codex_receives_what_it_lacks_once;
    gemini: gemini_loads_what_its_row_says, gemini_receives_what_it_lacks_once;
    qwen: qwen_loads_what_its_row_says, qwen_receives_what_it_lacks_once;
    copilot: copilot_loads_what_its_row_says, copilot_receives_what_it_lacks_once;
    opencode: opencode_loads_what_its_row_says, opencode_receives_what_it_lacks_once;
}
