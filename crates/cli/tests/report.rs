//! `brief report`: what context cost, and what it was good for.

use serde_json::{Value, json};

use crate::inspected::{AUTH, DEPLOY, Project};

fn file<'a>(report: &'a Value, name: &str) -> &'a Value {
    let files = report["files"].as_array().unwrap();
    files.iter().find(|file| file["shown"].as_str().unwrap().ends_with(name)).unwrap_or_else(|| panic!("{name}: {report:#}"))
}

fn says(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn runs(command: &str) -> Value {
    json!({ "type": "tool_use", "name": "Bash", "input": { "command": command } })
}

#[test]
fn what_was_used_is_told_from_what_was_not_and_from_what_nobody_knows() {
    let project = Project::new();
    project.message("used", DEPLOY);
    project.answer("used", &runs("shopctl_drain --canary"));
    for session in ["a", "b", "c"] {
        project.message(session, AUTH);
        project.answer(session, &says("I would rather not."));
    }
    project.message("silent", DEPLOY);
    let report = project.json(&["report", "--json"]);
    let (deploy, auth) = (file(&report, "docs/deploy.md"), file(&report, "docs/auth.md"));
    assert_eq!((&deploy["used"], &deploy["unused"], &deploy["unknown"]), (&json!(1), &json!(0), &json!(1)), "{deploy:#}");
    assert_eq!(deploy["proof"], json!(["--canary", "shopctl_drain"]));
    assert_eq!(deploy["unknown_because"], json!({ "the model has not answered since": 1 }));
    assert_eq!((&auth["used"], &auth["unused"], &auth["unknown"]), (&json!(0), &json!(3), &json!(0)), "{auth:#}");
    let suggestion = report["suggestions"].as_array().unwrap().iter().find(|one| one["advice"] == "drop").unwrap();
    assert!(suggestion["path"].as_str().unwrap().ends_with("docs/auth.md"), "{suggestion:#}");
}

#[test]
fn the_sums_are_those_of_the_ledger() {
    let project = Project::new();
    project.hook("s", "SessionStart", &json!({ "source": "startup" }));
    project.message("s", DEPLOY);
    project.answer("s", &says("Done."));
    let report = project.json(&["report", "--json"]);
    let log = project.json(&["log", "--json"]);
    let rows: Vec<&Value> = log["deliveries"].as_array().unwrap().iter().filter(|row| row["state"] == "delivered").collect();
    let tokens: u64 = rows.iter().map(|row| row["tokens"].as_u64().unwrap()).sum();
    assert_eq!((&report["total"]["tokens"], &report["total"]["deliveries"]), (&json!(tokens), &json!(rows.len())));
    for list in ["sources", "agents", "files"] {
        let sum: u64 = report[list].as_array().unwrap().iter().map(|row| row["tokens"].as_u64().unwrap()).sum();
        assert_eq!(sum, tokens, "{list}");
    }
    assert!(report["loaded"].as_array().unwrap().iter().any(|row| row["kind"] == "message" && row["tokens"].as_u64().unwrap() > 0));
    assert_eq!(report["transcripts"]["read"], 1);
}

#[test]
fn documents_that_agents_open_by_themselves_are_named() {
    let project = Project::new();
    for session in ["a", "b"] {
        project.message(session, DEPLOY);
        project.answer(session, &runs("cat docs/auth.md docs/deploy.md src/main.rs"));
    }
    let report = project.json(&["report", "--json"]);
    let own = report["own"].as_array().unwrap();
    assert_eq!(own.len(), 1, "{own:#?}");
    assert!(own[0]["path"].as_str().unwrap().ends_with("docs/auth.md") && own[0]["sessions"] == 2);
    assert_eq!(file(&report, "docs/deploy.md")["used"], 2, "what is opened afterwards was used");
    assert!(report["suggestions"].as_array().unwrap().iter().any(|one| one["advice"] == "retag"));
}

#[test]
fn a_session_without_a_transcript_is_unknown() {
    let project = Project::new();
    let input = json!({ "session_id": "x", "cwd": project.sandbox.root(), "prompt": DEPLOY, "prompt_id": "1" });
    project.sandbox.brief_with_input(["hook", "claude", "UserPromptSubmit", "1"], input.to_string()).success();
    let report = project.json(&["report", "--json"]);
    assert_eq!(file(&report, "docs/deploy.md")["unknown_because"], json!({ "there is no transcript": 1 }));
    assert_eq!(report["transcripts"]["unread"], json!({ "the transcript was not found": 1 }));
}

#[test]
fn the_text_fits_eighty_columns_and_ends_with_suggestions() {
    let project = Project::new();
    for session in ["a", "b", "c"] {
        project.message(session, AUTH);
        project.answer(session, &runs("cat docs/deploy.md"));
    }
    let text = project.sandbox.brief(["report"]).success().stdout();
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    for words in
        ["By source:", "By agent:", "Most expensive:", "never used", "Opened by agents themselves", "Suggestions:", "drop", "retag"]
    {
        assert!(text.contains(words), "{words}: {text}");
    }
    let empty = project.sandbox.brief(["report", "--since", "2099-01-01"]).success().stdout();
    assert!(empty.starts_with("Nothing was delivered in this time"), "{empty}");
    assert!(project.sandbox.brief(["report", "--since", "soon"]).code(2).stderr().contains("`soon` is not a time"));
    let page = project.sandbox.brief(["report", "--html"]).success().stdout();
    assert!(
        page.starts_with("<!doctype html>") && page.contains("docs/auth.md") && !page.contains("src="),
        "one file, nothing from outside"
    );
}

#[test]
fn a_project_is_counted_alone_and_its_rules_are_not_called_useless() {
    let project = Project::new();
    project.hook("s", "SessionStart", &json!({ "source": "startup" }));
    project.message("s", AUTH);
    project.answer("s", &says("I would rather not."));
    let all = project.json(&["report", "--json"]);
    assert_eq!(project.json(&["report", "--json", "--project", "."])["total"], all["total"]);
    assert_eq!(project.json(&["report", "--json", "--project", "elsewhere"])["total"]["sessions"], 0);
    let text = project.sandbox.brief(["report", "--project", "."]).success().stdout();
    let useless = text.split("never used afterwards:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    assert!(useless.contains("docs/auth.md") && !useless.contains(".megg"), "{text}");
}
