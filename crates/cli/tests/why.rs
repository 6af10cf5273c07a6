//! `brief why`: one answer for every source, for the past and for a message that was typed.

use briefing_testkit::Sandbox;
use serde_json::{Value, json};

use crate::canary::{self, DEPLOY, say};

fn project() -> Sandbox {
    canary::project()
        .file("docs/billing.md", "# Billing\n\nInvoices for a release are created at the end of the month.\n")
        .file("docs/painting.md", "# Painting\n\nThe bikeshed is green.\n")
        .file("docs/index.json", r#"["deploy.md","billing.md","painting.md"]"#)
}

#[track_caller]
fn why(sandbox: &Sandbox, words: &[&str]) -> String {
    sandbox.clone().env("COLUMNS", "1000").brief(["why"].iter().chain(words)).success().stdout()
}

#[track_caller]
fn facts(sandbox: &Sandbox, words: &[&str]) -> Value {
    let outcome = sandbox.brief(["why", "--json"].iter().chain(words));
    serde_json::from_slice(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome}"))
}

/// Returns the test of a kind.
fn test<'a>(candidate: &'a Value, kind: &str) -> &'a Value {
    candidate["tests"].as_array().unwrap().iter().find(|test| test["test"] == kind).unwrap_or_else(|| panic!("no {kind}: {candidate:#}"))
}

#[test]
fn a_message_that_is_typed_is_decided_for() {
    let sandbox = project();
    let comes = facts(&sandbox, &["docs/deploy.md", "--message", DEPLOY]);
    assert_eq!((&comes["verdict"], &comes["rules"][0]["rule"]), (&"comes".into(), &"document".into()), "{comes:#}");
    let candidate = &comes["decision"]["candidate"];
    let matched = candidate["matches"].as_array().unwrap().iter().find(|found| found["word"] == "canary").unwrap();
    assert_eq!(matched["fields"], json!(["body"]));
    assert!(candidate["tests"].as_array().unwrap().iter().all(|test| test["is_passed"] == true), "{candidate:#}");
    let text = why(&sandbox, &["docs/deploy.md", "--message", DEPLOY]);
    assert!(text.starts_with("docs/deploy.md: this message brings it\n  document of `docs/index.json`, chosen by messages\n"), "{text}");
    assert!(text.contains("\n  score ") && text.contains("\n  brings docs/deploy.md ("), "{text}");
    let stays = facts(&sandbox, &["docs/billing.md", "--message", DEPLOY]);
    assert_eq!(stays["verdict"], "stays-out");
    let worth = test(&stays["decision"]["candidate"], "worth");
    assert_eq!(worth["is_passed"], false);
    assert!(worth["had"].as_f64().unwrap() < worth["needed"].as_f64().unwrap());
    let text = why(&sandbox, &["docs/billing.md", "--message", DEPLOY]);
    assert!(text.contains("MISSED  score, to be worth its room: 0.") && text.contains("missed by 0."), "{text}");
    assert!(text.contains("to change it: "), "{text}");
    let quiet = facts(&sandbox, &["docs/deploy.md", "--message", "thanks"]);
    assert_eq!(
        (&quiet["decision"]["abstained"], test(&quiet["decision"]["candidate"], "topic")["is_passed"].clone()),
        (&"no-topic".into(), false.into())
    );
    assert_eq!(facts(&sandbox, &["docs/painting.md", "--message", DEPLOY])["verdict"], "stays-out");
}

#[test]
fn a_limit_names_its_setting_and_where_it_was_set() {
    let sandbox = project().file("brief.toml", "[docs]\nmax_docs = 1\n");
    let message = format!("{DEPLOY} which invoices for a release are created at the end of the month, billing?");
    let places: Vec<Value> = ["docs/deploy.md", "docs/billing.md"]
        .iter()
        .map(|path| facts(&sandbox, &[path, "--message", &message])["decision"]["candidate"].clone())
        .collect();
    let second = places.iter().find(|candidate| candidate["place"] == 2).unwrap();
    let limit = test(second, "limit");
    assert_eq!((&limit["is_passed"], &limit["needed"]), (&false.into(), &1.0.into()));
    assert!(
        limit["decided_by"].as_str().unwrap().starts_with("docs.max_docs (")
            && limit["decided_by"].as_str().unwrap().contains("brief.toml"),
        "{limit}"
    );
    let path = second["path"].as_str().unwrap();
    assert!(why(&sandbox, &[path, "--message", &message]).contains("to change it: raise `docs.max_docs` (now 1)"));
}

#[test]
fn a_past_session_is_decided_for_once_more() {
    let sandbox = project();
    say(&sandbox, "thanks");
    say(&sandbox, DEPLOY);
    let got = facts(&sandbox, &["docs/deploy.md"]);
    assert_eq!((&got["verdict"], &got["deliveries"][0]["event"]), (&"delivered".into(), &"UserPromptSubmit".into()), "{got:#}");
    let replay = &got["replays"][0];
    assert_eq!((&replay["message"], &replay["changes"], &replay["outcome"]), (&DEPLOY.into(), &json!([]), &"delivered".into()), "{got:#}");
    let missed = facts(&sandbox, &["docs/billing.md"]);
    assert_eq!(missed["verdict"], "not-delivered");
    let closest = &missed["replays"][0];
    assert_eq!((&closest["message"], &closest["notes"][0]["kind"]), (&DEPLOY.into(), &"score".into()), "what the log kept: {missed:#}");
    assert_eq!(missed["replays"][1]["decision"]["abstained"], "no-topic");
    let text = why(&sandbox, &["docs/billing.md"]);
    assert!(text.starts_with("docs/billing.md: not delivered to claude:"), "{text}");
    assert!(
        text.contains("the closest of 2 messages, ") && text.contains("noted then: matches the message, but its score of 0."),
        "{text}"
    );
    assert!(!text.contains("have changed since"), "{text}");
}

#[test]
fn it_says_what_has_changed_since() {
    let sandbox = project();
    say(&sandbox, DEPLOY);
    sandbox.write("docs/billing.md", "# Billing\n\nA canary release that is rolled back when the error budget is gone costs nothing.\n");
    let answer = facts(&sandbox, &["docs/billing.md"]);
    assert_eq!(answer["replays"][0]["changes"], json!(["documents"]), "{answer:#}");
    assert!(why(&sandbox, &["docs/billing.md"]).contains("these are today's numbers: the documents have changed since"));
    sandbox.write("brief.toml", "[docs]\nmax_docs = 2\n");
    assert_eq!(facts(&sandbox, &["docs/billing.md"])["replays"][0]["changes"], json!(["documents", "settings"]));
}

#[test]
fn a_session_is_named_or_the_last_one_of_the_project() {
    let sandbox = project();
    say(&sandbox, DEPLOY);
    sandbox.hook(["claude", "UserPromptSubmit"], &json!({ "session_id": "two", "prompt": "thanks" }));
    assert_eq!(facts(&sandbox, &["docs/deploy.md"])["verdict"], "not-delivered", "the last one");
    assert_eq!(facts(&sandbox, &["docs/deploy.md", "--session", "last"])["verdict"], "not-delivered");
    assert_eq!(facts(&sandbox, &["docs/deploy.md", "--session", "s-1"])["verdict"], "delivered");
    let unknown = sandbox.brief(["why", "docs/deploy.md", "--session", "nosuch"]).code(1);
    assert!(unknown.stderr().contains("unknown session `nosuch`"), "{unknown}");
    let elsewhere = sandbox.at("docs");
    assert_eq!(facts(&elsewhere, &["deploy.md", "--session", "s-1"])["subject"]["shown"], "deploy.md");
}

/// Returns the first rule for a path, without a session.
#[track_caller]
fn rule(sandbox: &Sandbox, path: &str) -> Value {
    facts(sandbox, &[path])["rules"][0].clone()
}

#[test]
fn core_files_say_their_strategy_and_who_decided() {
    let sandbox = project()
        .file(".context/CONSTITUTION.md", "# Rules\n\nBe kind.\n")
        .file(".context/TASKS.md", "# Tasks\n\n- [ ] ship\n")
        .file(".context/GLOSSARY.md", "# Glossary\n\n- SKU: a number\n")
        .file(".context/CONVENTIONS.md", "# Conventions\n\n<!-- TODO: add conventions -->\n")
        .file(".context/ARCHITECTURE.md", "caf\u{e9} \u{0}\u{0}")
        .file(".context/DECISIONS.md", "# Decisions\n\n## [2026-01-28-051426] Use canaries\n\nA canary release is rolled back.\n")
        .file("brief.toml", "[gate.files]\n\"RUNBOOK.md\" = \"verbatim\"\n")
        .file(".context/RUNBOOK.md", "# Runbook\n\nCall somebody.\n");
    let state = |name: &str| {
        let rule = rule(&sandbox, &format!(".context/{name}"));
        assert_eq!(rule["rule"], "core-file", "{name}: {rule:#}");
        (rule["strategy"].as_str().unwrap().to_owned(), rule["state"].as_str().unwrap().to_owned())
    };
    let is = |strategy: &str, state: &str| (strategy.to_owned(), state.to_owned());
    assert_eq!(state("CONSTITUTION.md"), is("verbatim", "included"));
    assert_eq!(state("TASKS.md"), is("mention", "mentioned"));
    assert_eq!(state("GLOSSARY.md"), is("skip", "skipped"));
    assert_eq!(state("CONVENTIONS.md"), is("verbatim", "unfilled"));
    assert_eq!(state("ARCHITECTURE.md"), is("verbatim", "unreadable"));
    assert_eq!(state("DECISIONS.md"), is("index", "included"));
    assert_eq!(state("RUNBOOK.md"), is("verbatim", "included"));
    let decided = rule(&sandbox, ".context/RUNBOOK.md")["decided_by"].as_str().unwrap().to_owned();
    assert!(decided.starts_with("gate.files (") && decided.contains("brief.toml"), "{decided}");
    let entries = facts(&sandbox, &[".context/DECISIONS.md", "--message", DEPLOY]);
    assert_eq!(entries["rules"][1], json!({ "rule": "entries", "entries": 1 }));
    assert!(why(&sandbox, &[".context/GLOSSARY.md"]).contains("to change it: `[gate.files]` with `\"GLOSSARY.md\" = \"verbatim\"`"));
    // After the first tool, the deliveries are there, too.
    sandbox.hook(["claude", "PostToolBatch"], &json!({ "tool_calls": [{ "tool_use_id": "1" }] }));
    assert_eq!(facts(&sandbox, &[".context/CONSTITUTION.md"])["verdict"], "delivered");
    assert_eq!(facts(&sandbox, &[".context/GLOSSARY.md"])["verdict"], "not-delivered");
}

#[test]
fn domains_say_what_a_file_is_and_what_its_size_means() {
    let sandbox = Sandbox::new()
        .file(".megg/info.md", "# Company\n")
        .file(".megg/knowledge.md", "# Knowledge\n")
        .file("api/.megg/info.md", "# API\n")
        .file("api/.megg/knowledge.md", format!("# Knowledge\n\n{}", "## 2026-01-01 fact\n\nA fact.\n\n".repeat(2_000)))
        .file("api/.megg/state.md", "---\nupdated: 2026-11-01T00:00:00Z\n---\nDoing things.\n")
        .file("web/.megg/info.md", "# Web\n")
        .at("api");
    let part = |path: &str| {
        let rule = rule(&sandbox, path);
        assert_eq!(rule["rule"], "domain", "{path}: {rule:#}");
        rule["part"]["part"].as_str().unwrap().to_owned()
    };
    assert_eq!(part("../.megg/info.md"), "identity");
    assert_eq!(part(".megg/info.md"), "identity");
    assert_eq!(part("../.megg/knowledge.md"), "knowledge-above");
    assert_eq!(part(".megg/knowledge.md"), "knowledge");
    assert_eq!(part(".megg/state.md"), "expired-hand-off");
    assert_eq!(part("../web/.megg/info.md"), "not-in-chain");
    assert_eq!(rule(&sandbox, ".megg/knowledge.md")["part"]["mode"], "summary");
    assert!(why(&sandbox, &[".megg/knowledge.md"]).contains("`brief maintain`"));
}

#[test]
fn guards_say_what_they_refuse() {
    let sandbox = project()
        .file("docs/binary.md", b"\0\x01\x02 binary")
        .file("docs/latin.md", b"caf\xe9 au lait, served all day long")
        .file("docs/huge.md", "x".repeat(3 * 1024 * 1024))
        .file("docs/secret.md", "# Access\n\nThe token is ghp_abcdefghijklmnopqrstuvwxyz0123456789.\n")
        .file("../outside.md", "# Outside\n")
        .file("docs/index.json", r#"["deploy.md","binary.md","latin.md","huge.md","secret.md","gone.md"]"#);
    let refused = |path: &str| {
        let answer = facts(&sandbox, &[path]);
        let rules = answer["rules"].as_array().unwrap().clone();
        rules.into_iter().find(|rule| rule["rule"] == "refused").unwrap_or_else(|| panic!("{path}: {answer:#}"))["kind"].clone()
    };
    assert_eq!(refused("docs/binary.md"), "binary");
    assert_eq!(refused("docs/latin.md"), "not-utf8");
    assert_eq!(refused("docs/huge.md"), "too-large");
    assert_eq!(refused("gone.md"), "missing", "the name in the index");
    assert_eq!(refused("../outside.md"), "outside");
    assert_eq!(refused("docs"), "not-regular");
    let secret = facts(&sandbox, &["docs/secret.md"]);
    let rule = secret["rules"].as_array().unwrap().iter().find(|rule| rule["rule"] == "redacted").unwrap();
    assert!(rule["secrets"][0].as_str().unwrap().contains("GitHub token") && !secret.to_string().contains("ghp_"), "{rule}");
}

#[test]
fn what_no_index_has_says_why_not() {
    let sandbox = Sandbox::new()
        .file(".git/HEAD", "")
        .file("README.md", "# Shop\n\nSee [guide](docs/guide.md).\n")
        .file("docs/guide.md", "# Guide\n")
        .file(".gitignore", "drafts/\n")
        .file("docs/drafts/idea.md", "# Idea\n")
        .file("notes/stray.md", "# Stray\n")
        .file("node_modules/x/README.md", "# X\n")
        .file("docs/.hidden.md", "# Hidden\n")
        .file("src/main.rs", "fn main() {}\n");
    let because = |path: &str| {
        let rule = rule(&sandbox, path);
        assert_eq!(rule["rule"], "unlisted", "{path}: {rule:#}");
        rule["because"].as_str().unwrap().to_owned()
    };
    assert_eq!(because("docs/guide.md"), "no-index");
    let _ = sandbox.brief(["index"]).success();
    assert_eq!(rule(&sandbox, "docs/guide.md")["rule"], "document");
    assert_eq!(because("notes/stray.md"), "not-referenced");
    assert_eq!(because("node_modules/x/README.md"), "third-party");
    assert_eq!(because("docs/.hidden.md"), "hidden");
    assert_eq!(because("src/main.rs"), "not-markdown");
    let ignored = rule(&sandbox, "docs/drafts/idea.md");
    assert_eq!((&ignored["because"], &ignored["pattern"], &ignored["file"]), (&"ignored".into(), &"drafts/".into(), &".gitignore".into()));
    sandbox.write("docs/new.md", "# New\n");
    assert_eq!(because("docs/new.md"), "outdated");
    assert!(why(&sandbox, &["docs/new.md"]).contains("to change it: `brief index` adds it"));
}

#[test]
fn what_an_agent_loads_by_itself_is_never_injected() {
    let sandbox = project().file("AGENTS.md", "# For agents\n");
    assert_eq!(rule(&sandbox, "AGENTS.md"), json!({ "rule": "loaded-by-agent", "agent": "Claude Code" }));
    sandbox.write("CLAUDE.md", "# For Claude\n");
    assert_ne!(rule(&sandbox, "AGENTS.md")["rule"], "loaded-by-agent", "only where there is no CLAUDE.md");
    assert_eq!(facts(&sandbox, &["CLAUDE.md", "--agent", "gemini"])["rules"][0]["rule"], "unlisted");
}

#[test]
fn an_unknown_name_gets_a_suggestion() {
    let sandbox = project();
    let outcome = sandbox.brief(["why", "docs/deplyo.md"]).code(1);
    assert!(outcome.stderr().contains("no file, document or piece called `docs/deplyo.md`"), "{outcome}");
    assert!(outcome.stderr().contains("did you mean `docs/deploy.md`?"), "{outcome}");
    assert_eq!(outcome.stdout(), "");
}

#[test]
fn preview_and_select_explain_with_the_same_facts() {
    let sandbox = project().env("COLUMNS", "1000");
    let line = why(&sandbox, &["docs/billing.md", "--message", DEPLOY])
        .lines()
        .find(|line| line.contains("to be worth its room"))
        .unwrap()
        .trim()
        .to_owned();
    for words in [&["preview", "--explain", DEPLOY][..], &["select", "--explain", "--limit", "3", DEPLOY]] {
        let text = sandbox.brief(words).success().stdout();
        assert!(text.contains(&line), "{line}\n{text}");
        assert!(text.contains("matched: canary (body)") || text.contains("canary (body)"), "{text}");
    }
    let preview = sandbox.brief(["preview", "--explain", DEPLOY]).success();
    assert!(preview.stdout().contains("docs/deploy.md: ") && preview.stdout().contains("(docs: matches: "), "{preview}");
    assert!(preview.stdout().contains("note: docs/billing.md: matches the message, but its score"), "{preview}");
    assert_eq!(preview.stderr(), "");
}

#[test]
fn other_sessions_that_received_a_file_are_named() {
    let sandbox = project();
    let say = |session: &str, message: &str| {
        sandbox.hook(["claude", "UserPromptSubmit"], &json!({ "session_id": session, "prompt": message, "prompt_id": message }))
    };
    assert!(say("before", DEPLOY).contains("docs/deploy.md"));
    say("after", "thanks");
    let facts = facts(&sandbox, &["docs/deploy.md"]);
    assert_eq!((&facts["verdict"], facts["elsewhere"].as_array().unwrap().len()), (&json!("not-delivered"), 1), "{facts:#}");
    let text = why(&sandbox, &["docs/deploy.md"]);
    assert!(text.contains("\n  other sessions here received it: claude:"), "{text}");
    assert!(!why(&sandbox, &["docs/painting.md"]).contains("other sessions"));
}
