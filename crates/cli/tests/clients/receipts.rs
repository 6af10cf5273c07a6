//! Receipts with the real agents: `brief verify` says of every delivery what the recorded request bodies say.

use std::fs;

use briefing_core::render::window;
use briefing_testkit::clients::Client;
use briefing_testkit::model_api::{Call, ModelRequest, Reply, Script};
use serde_json::Value;

use crate::{brief, briefed, log};

const DEPLOY: &str = "how do I roll back the canary release when the error budget is gone?";
const AUTH: &str = "how do users sign in with a session cookie?";

/// Gives a client a project in which every source has something, with characters that agents escape.
fn every_source(mut client: Client, agent: &str) -> Client {
    client
        .file(".context/CONSTITUTION.md", "RULE-ONE <must> &lt;not&gt; & \"never\" \\ leak ✓\n")
        .file(".context/CONVENTIONS.md", &"CONV line with some words\n".repeat(100))
        .file("docs/index.json", r#"["deploy.md","auth.md"]"#)
        .file(
            "docs/deploy.md",
            "# Deploying\n\nReleases are rolled out with a canary. When the error budget is gone, drain the canary and roll back the \
             release.\n",
        )
        .file("docs/auth.md", "# Authentication\n\nUsers sign in with a session cookie.\n");
    briefed(client, agent)
}

/// Returns what `brief verify` finds out about the last session, with its exit code.
fn verified(client: &Client) -> (Option<i32>, Vec<Value>) {
    let output = brief(client, &["verify", "--json"]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let receipts = found["sessions"].as_array().unwrap().iter().flat_map(|session| session["receipts"].as_array().unwrap().clone());
    (output.status.code(), receipts.collect())
}

/// Returns whether a text of this hash is in a request, wherever it begins.
fn has(request: &ModelRequest, hash: &str, length: usize, is_escaped: bool) -> bool {
    request.texts().iter().any(|text| {
        let text = if is_escaped { window::plain(text) } else { text.as_str().into() };
        // Every text of ours begins with one of its frames.
        ["===", "--- ", "Context: ", "PROJECT CONTEXT"]
            .iter()
            .flat_map(|frame| text.match_indices(frame))
            .any(|(at, _)| text.as_bytes()[at..].get(..length).is_some_and(|text| blake3::hash(text).to_hex().as_str() == hash))
    })
}

/// Panics unless every verdict is what the requests show. Returns the verdicts, sorted.
pub(crate) fn assert_agreement(client: &Client, is_escaped: bool) -> Vec<String> {
    let deliveries: Value = serde_json::from_slice(&brief(client, &["log", "--json"]).stdout).unwrap();
    let (_, receipts) = verified(client);
    let requests = client.requests();
    let delivered: Vec<&Value> = deliveries["deliveries"].as_array().unwrap().iter().filter(|row| row["state"] == "delivered").collect();
    let kept: Vec<&Value> = receipts.iter().filter(|receipt| receipt["is_due_again"] == false).collect();
    assert_eq!(delivered.len(), kept.len(), "{receipts:#?}");
    for (row, receipt) in delivered.iter().zip(&kept) {
        assert_eq!((&row["path"], &row["part"], &row["at"]), (&receipt["path"], &receipt["part"], &receipt["at"]));
        // An escaped text is compared without its entities, which changes the hash of one that has some.
        let has_entities = || fs::read_to_string(row["path"].as_str().unwrap()).is_ok_and(|text| text.contains("&lt;"));
        if is_escaped && has_entities() {
            assert_eq!(receipt["verdict"], "seen", "{receipt:#}");
            continue;
        }
        let (hash, length) = (row["rendered_hash"].as_str().unwrap(), row["rendered_length"].as_u64().unwrap() as usize);
        let is_there = requests.iter().any(|request| has(request, hash, length, is_escaped));
        let verdict = receipt["verdict"].as_str().unwrap_or("open");
        assert!(verdict == "unknowable" || (verdict == "seen") == is_there, "{is_there} {receipt:#}\n{}", log(client));
    }
    let mut verdicts: Vec<String> = kept.iter().map(|receipt| receipt["verdict"].as_str().unwrap_or("open").to_owned()).collect();
    verdicts.sort_unstable();
    verdicts
}

/// Runs a session with tools, parallel tools and a resume. Copilot records only what came with a message, and Qwen does not
/// record what came at the session's start.
pub(crate) fn whole_session(agent: &str) {
    let mut client = every_source(Client::named(agent), agent);
    let both = Reply::calls([Call::shell("echo A"), Call::shell("echo B")]);
    client.script(Script::new().shell("echo TOOL-RAN").reply(both).text("done"));
    let _ = client.run(DEPLOY);
    let _ = client.resume(AUTH);
    let verdicts = assert_agreement(&client, matches!(agent, "gemini" | "qwen"));
    assert_eq!(brief(&client, &["verify"]).status.code(), Some(0), "nothing was lost");
    let unknowable = verdicts.iter().filter(|verdict| *verdict == "unknowable").count();
    let seen = verdicts.iter().filter(|verdict| *verdict == "seen").count();
    assert_eq!(seen + unknowable, verdicts.len(), "{verdicts:?}");
    assert!(seen > 0 && verdicts.len() >= 8 && (unknowable > 0) == matches!(agent, "copilot" | "qwen"), "{verdicts:?}");
}

#[test]
fn sub_agents_of_claude_have_their_own_transcript() {
    let mut client = every_source(Client::claude(), "claude");
    client.script(
        Script::new()
            .reply(Reply::agent("SUB-TASK look around"))
            .text("all done")
            .thread("SUB-TASK", [Reply::shell("echo INSIDE"), Reply::text("sub done")]),
    );
    let _ = client.run("PROMPT-ONE");
    let (code, receipts) = verified(&client);
    let of_sub_agent: Vec<&Value> = receipts.iter().filter(|receipt| receipt["event"] == "SubagentStart").collect();
    assert!(of_sub_agent.len() >= 6, "{receipts:#?}");
    assert!(receipts.iter().all(|receipt| receipt["verdict"] == "seen"), "{receipts:#?}");
    assert_eq!(code, Some(0));
}

/// Spec 2's command prints more than Claude Code passes on: its hook log has everything, the model got 2 KB.
#[test]
fn what_claude_code_cut_is_not_seen_although_its_hook_log_has_it() {
    let mut client = Client::claude();
    client
        .file(".context/CONSTITUTION.md", &"RULE words words words words words\n".repeat(20))
        .file(".context/CONVENTIONS.md", &"CONV words words words words words\n".repeat(400))
        .file(".context/ARCHITECTURE.md", &"ARCH words words words words words\n".repeat(20))
        .hook("PreToolUse", "brief system context-load-gate")
        .path(briefing_testkit::binary().parent().unwrap());
    client.script(Script::new().shell("echo TOOL-RAN").text("done"));
    let outcome = client.run("PROMPT-ONE");
    assert_eq!(outcome.last_turn().count("ARCH words"), 0, "it was cut before\n{outcome}");
    let (code, receipts) = verified(&client);
    let verdict =
        |name: &str| receipts.iter().find(|receipt| receipt["path"].as_str().unwrap().ends_with(name)).unwrap()["verdict"].clone();
    assert_eq!(verdict("CONSTITUTION.md"), "seen", "{receipts:#?}");
    assert_eq!(verdict("CONVENTIONS.md"), "cut", "{receipts:#?}");
    assert_eq!(verdict("ARCHITECTURE.md"), "missing", "{receipts:#?}");
    assert_eq!(code, Some(1));
}

/// Codex without the setting that lifts its limit keeps head and tail and cuts the middle. What was lost comes again by itself,
/// but not for ever.
#[test]
fn what_codex_cut_in_the_middle_comes_again_at_most_twice() {
    let mut client = briefed(Client::codex(), "codex");
    let file = client.home().join(".codex/hooks.json");
    let mut hooks: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    for handler in hooks["hooks"].as_object_mut().unwrap().values_mut().flat_map(|groups| groups.as_array_mut().unwrap()) {
        handler["hooks"][0].as_object_mut().unwrap().remove("additionalContextLimit").unwrap();
    }
    fs::write(&file, hooks.to_string()).unwrap();
    client.script(Script::new().text("done"));
    let outcome = client.run("PROMPT-ONE");
    assert!(outcome.last_turn().contains("LINE-00000") && outcome.last_turn().contains("LINE-00599"), "head and tail are there");
    assert!(!outcome.last_turn().contains("LINE-00300"), "the middle is not");
    for number in 0..4 {
        let _ = client.resume(&format!("PROMPT-{number}"));
    }
    let (code, receipts) = verified(&client);
    let cut: Vec<&Value> = receipts
        .iter()
        .filter(|receipt| receipt["path"].as_str().unwrap().ends_with("knowledge.md") && receipt["verdict"] == "cut")
        .collect();
    assert_eq!(cut.len(), 3, "delivered, and again twice: {receipts:#?}\n{}", log(&client));
    assert_eq!(cut.iter().filter(|receipt| receipt["is_due_again"] == true).count(), 2, "{receipts:#?}");
    assert_eq!(code, Some(1));
    let log = log(&client);
    assert!(log.contains("knowledge.md: did not reach the model, according to the agent's transcript; it is due again"), "{log}");
}

/// What did not fit leaves with later events, some of which the agent does not record.
fn queued(mut client: Client, agent: &str, is_escaped: bool) {
    client.file(
        ".context/CONVENTIONS.md",
        &(0..2000).map(|number| format!("CONV-{number:04} {}\n", "x".repeat(40))).collect::<Vec<_>>().concat(),
    );
    let mut client = crate::installed(client, agent);
    client.script(Script::new().shell("echo ONE").shell("echo TWO").shell("echo THREE").text("done"));
    let _ = client.run("PROMPT-ONE");
    let verdicts = assert_agreement(&client, is_escaped);
    assert!(!verdicts.is_empty() && verdicts.iter().all(|verdict| verdict == "seen" || verdict == "unknowable"), "{verdicts:?}");
    let _ = client.resume("PROMPT-TWO");
    let verdicts = assert_agreement(&client, is_escaped);
    assert!(!verdicts.contains(&"missing".into()) && !verdicts.contains(&"cut".into()), "{verdicts:?}\n{}", log(&client));
}

#[test]
fn queued_parts_of_qwen() {
    queued(Client::qwen(), "qwen", true);
}

#[test]
fn queued_parts_of_copilot() {
    queued(Client::copilot(), "copilot", false);
}
