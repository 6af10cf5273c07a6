//! The MCP server with the real agents: a tool is offered and called, its result is whole in the next request, and the hooks
//! do not bring it again.

use briefing_testkit::clients::Client;
use briefing_testkit::model_api::{Call, ModelRequest, Reply, Role, Script};
use serde_json::{Value, json};

use crate::{brief, installed, log};

const QUESTION: &str = "PROMPT-ONE which word opens the blue door?";
const DEPLOY: &str = "how do I roll back the canary release when the error budget is gone?";
const ANSWER: &str = "the word is XYLOPHONE";
/// The number of lines in a note that fits every client's limit for the result of a tool.
const SHORT: usize = 130;
/// The number of lines in a note of 24 KB, which Codex and Copilot would cut.
const LONG: usize = 400;

/// How an agent names a tool of ours.
fn named(agent: &str, tool: &str) -> String {
    match agent {
        "claude" => format!("mcp__brief__{tool}"),
        "gemini" => format!("mcp_brief_{tool}"),
        "copilot" => format!("brief-{tool}"),
        "opencode" => format!("brief_{tool}"),
        // Codex has the tools of a server in a group.
        _ => tool.to_owned(),
    }
}

fn call(agent: &str, tool: &str, arguments: Value) -> Reply {
    Reply::calls([Call::named(&named(agent, tool), arguments)])
}

/// Gives a client a project with a domain, documents for messages, and a note that is in no index: only `read` can bring it.
fn asking(mut client: Client, agent: &str) -> Client {
    let lines = |count: usize| (0..count).map(|number| format!("NOTE-{number:05} {}\n", "y".repeat(48))).collect::<Vec<_>>().concat();
    client
        .file(".megg/info.md", "# SHOP-DOMAIN\n\nSells things.\n")
        .file("notes/door.md", &format!("# The blue door\n\nIts word is XYLOPHONE.\n\n{}", lines(SHORT)))
        .file("notes/long.md", &format!("# Long\n\n{}", lines(LONG)))
        .file("docs/index.json", r#"["deploy.md","auth.md"]"#)
        .file("docs/deploy.md", "# Deploying\n\nDOC-DEPLOY: when the error budget is gone, drain the canary and roll back the release.\n")
        .file("docs/auth.md", "# Authentication\n\nDOC-AUTH: users sign in with a session cookie.\n");
    if agent == "claude" {
        client.arg("--allowedTools").arg("mcp__brief__select,mcp__brief__read");
    }
    installed(client, agent)
}

/// Returns the numbers of the note's lines in a request, in the order in which the model reads them.
fn lines(request: &ModelRequest) -> Vec<usize> {
    let text = request.text();
    text.match_indices("NOTE-").filter_map(|(at, _)| text.get(at + 5..at + 10)?.parse().ok()).collect()
}

fn deliveries(client: &Client) -> Vec<(String, String)> {
    let log: Value = serde_json::from_slice(&brief(client, &["log", "--json"]).stdout).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    log["deliveries"].as_array().unwrap().iter().map(|row| (text(&row["event"]), text(&row["path"]))).collect()
}

/// The agent selects, reads a note that only `read` could bring and a document, and answers.
fn answered(client: &mut Client, agent: &str) {
    client.script(
        Script::new()
            .reply(call(agent, "select", json!({ "message": DEPLOY })))
            .reply(call(agent, "read", json!({ "paths": ["notes/door.md", "docs/deploy.md"] })))
            .text(ANSWER),
    );
    let outcome = client.run(QUESTION);
    assert!(outcome.stdout.contains(ANSWER), "{outcome}");
    let turns = outcome.turns();
    assert_eq!(turns.len(), 3, "{outcome}");
    for tool in ["select", "read"] {
        assert!(turns[0].tool_names().contains(&named(agent, tool)), "{:?}", turns[0].tool_names());
    }
    assert_eq!((turns[0].count("XYLOPHONE"), turns[0].count("DOC-DEPLOY")), (0, 0), "nothing else brings them\n{outcome}");
    assert!(turns[1].contains("docs/deploy.md") && !turns[1].contains("DOC-DEPLOY"), "select names it\n{outcome}");
    assert_eq!(lines(turns[2]), (0..SHORT).collect::<Vec<_>>(), "the result is whole\n{outcome}");
    assert_eq!((turns[2].count("Its word is XYLOPHONE."), turns[2].count("DOC-DEPLOY")), (1, 1), "{outcome}");
    assert_eq!(turns[2].count("# SHOP-DOMAIN"), 1, "the hooks brought their part once\n{}", log(client));
}

/// What was read is in the log beside what the hooks brought, and a message that is about it brings nothing new.
fn counted_once(client: &mut Client) {
    let found = deliveries(client);
    for path in ["notes/door.md", "docs/deploy.md"] {
        assert!(found.contains(&("mcp read".into(), path.into())), "{found:?}\n{}", log(client));
    }
    assert!(found.iter().any(|(event, path)| event != "mcp read" && path.ends_with(".megg/info.md")), "{found:?}");
    client.script(Script::new().text("done"));
    let resumed = client.resume(DEPLOY);
    // Gemini itself has every result twice in a conversation that it resumes.
    let brought = resumed.last_turn().parts().into_iter().filter(|part| part.role != Role::Tool && part.text.contains("DOC-DEPLOY"));
    assert_eq!(brought.count(), 0, "{}\n{resumed}", log(client));
    assert!(resumed.last_turn().contains("DOC-DEPLOY"), "it is in the window\n{resumed}");
}

/// Reads a note page by page, as the last line of a page tells the model to.
fn read_in_pages(client: &mut Client, agent: &str, least: usize) {
    let mut arguments = json!({ "paths": ["notes/long.md"] });
    let mut pages = 0;
    loop {
        client.script(Script::new().reply(call(agent, "read", arguments.clone())).text("read"));
        let outcome = if pages == 0 { client.run("PROMPT-ONE") } else { client.resume("PROMPT-TWO go on") };
        pages += 1;
        let mut results = outcome.last_turn().parts().into_iter().filter(|part| part.role == Role::Tool);
        let result = results.next_back().unwrap_or_else(|| panic!("no result\n{outcome}")).text;
        let cursor = result.rsplit_once("`cursor`: ").and_then(|(_, rest)| {
            let digits: String = rest.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
            rest.contains(']').then_some(digits)
        });
        let Some(cursor) = cursor else {
            assert_eq!(lines(outcome.last_turn()), (0..LONG).collect::<Vec<_>>(), "{agent}, {pages} pages\n{outcome}");
            assert!(pages >= least, "{agent}: {pages} pages");
            return;
        };
        assert!(pages < 10, "{outcome}");
        arguments["cursor"] = json!(cursor);
    }
}

#[test]
fn a_long_note_reaches_codex_in_pages() {
    read_in_pages(&mut asking(Client::codex(), "codex"), "codex", 3);
}

#[test]
fn a_long_note_reaches_copilot_in_pages() {
    read_in_pages(&mut asking(Client::copilot(), "copilot"), "copilot", 2);
}

#[test]
fn a_long_note_reaches_claude_at_once() {
    read_in_pages(&mut asking(Client::claude(), "claude"), "claude", 1);
}

#[test]
fn claude() {
    let mut client = asking(Client::claude(), "claude");
    answered(&mut client, "claude");
    counted_once(&mut client);
}

#[test]
fn codex() {
    let mut client = asking(Client::codex(), "codex");
    answered(&mut client, "codex");
    counted_once(&mut client);
}

#[test]
fn gemini() {
    let mut client = asking(Client::gemini(), "gemini");
    answered(&mut client, "gemini");
    counted_once(&mut client);
}

#[test]
fn copilot() {
    let mut client = asking(Client::copilot(), "copilot");
    answered(&mut client, "copilot");
    counted_once(&mut client);
}

#[test]
fn opencode() {
    let mut client = asking(Client::opencode(), "opencode");
    answered(&mut client, "opencode");
    counted_once(&mut client);
}

/// The server lives on over `/clear`, with the session before in its environment.
#[test]
fn claude_cleared_while_the_server_lives() {
    let mut client = asking(Client::claude(), "claude");
    let read = || call("claude", "read", json!({ "paths": ["docs/deploy.md"] }));
    client.script(Script::new().reply(read()).text("one").reply(read()).text("two").text("three"));
    let mut terminal = client.interactive();
    terminal.submit("PROMPT-ONE").wait_for_turns(2);
    terminal.command("/clear");
    terminal.submit("PROMPT-TWO").wait_for_turns(4);
    terminal.submit(DEPLOY).wait_for_turns(5);
    let turns = terminal.turns();
    drop(terminal);
    assert_eq!(turns[2].count("DOC-DEPLOY"), 0, "the window was emptied");
    assert!(!turns[3].contains("has received docs/deploy.md before"), "the new window had nothing\n{}", log(&client));
    assert_eq!(turns[3].count("DOC-DEPLOY"), 1);
    assert_eq!(turns[4].count("DOC-DEPLOY"), 1, "the hook knows that the new window has it\n{}", log(&client));
}
