//! `brief select` as users, evaluations and other programs run it.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use briefing_testkit::Sandbox;
use briefing_testkit::http::{Response, Server};
use serde_json::{Value, json};

const DEPLOY: &str = "how do I roll back the canary release when the error budget is gone?";

fn project() -> Sandbox {
    Sandbox::new()
        .file(
            "docs/deploy.md",
            "# Deploying to production\n\nReleases are rolled out to the cluster with a canary. The rollout pauses after ten \
             percent of the traffic and continues when the error budget holds.\n\n## Rolling back\n\nA rollback puts the previous \
             image of the release back and drains the canary.\n",
        )
        .file("docs/auth.md", "# Authentication\n\nUsers sign in with a session cookie; services use bearer tokens.\n")
        .file("docs/database.md", "# Database migrations\n\nMigrations are SQL files. One that locks a large table must be split.\n")
        .file("docs/logging.md", "# Logging\n\nStructured log records with levels and sinks.\n")
        .file("docs/metrics.md", "# Metrics\n\nCounters and histograms are scraped every minute.\n")
        .file("docs/billing.md", "# Billing\n\nInvoices are created at the end of the month.\n")
        .file("docs/index.json", r#"["deploy.md","auth.md","database.md","logging.md","metrics.md","billing.md"]"#)
}

fn array(text: &str) -> Vec<String> {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn the_answer_is_an_array_of_paths_and_nothing_else() {
    let sandbox = project();
    let one = sandbox.brief(["select", "--index", "docs/index.json", "--", DEPLOY]).success();
    assert_eq!(array(&one.stdout())[0], "deploy.md");
    assert_eq!(one.stderr(), "");
    let found = sandbox.brief(["select", DEPLOY]).success();
    assert_eq!(array(&found.stdout())[0], "docs/deploy.md");
    let below = sandbox.at("docs").brief_with_input(["select"], DEPLOY).success();
    assert_eq!(array(&below.stdout())[0], "deploy.md");
    assert_eq!(sandbox.brief(["select", "--limit", "0", DEPLOY]).success().stdout(), "[]\n");
    for quiet in ["yes", "run the tests again", "thanks!"] {
        assert_eq!(sandbox.brief(["select", quiet]).success().stdout(), "[]\n", "{quiet}");
    }
}

#[test]
fn two_indexes_are_one_corpus_and_paths_are_relative_to_here() {
    let sandbox = project()
        .file("~/.config/brief/index.json", r#"["canary.md"]"#)
        .file("~/.config/brief/canary.md", "# Canary release\n\nRoll back the canary when the error budget is gone.\n");
    let paths = array(&sandbox.brief(["select", DEPLOY]).success().stdout());
    assert!(paths.contains(&"docs/deploy.md".to_owned()), "{paths:?}");
    assert!(paths.contains(&"../home/.config/brief/canary.md".to_owned()), "{paths:?}");
}

#[test]
fn lines_are_answered_one_by_one_and_a_changed_document_is_noticed() {
    let sandbox = project();
    let lines = format!("{}\n{}\nnot json\n", json!({"id": "1", "text": DEPLOY}), json!({"id": "2", "text": "yes"}));
    let answered = sandbox.brief_with_input(["select", "--lines"], &lines).success();
    let answers: Vec<Vec<String>> = answered.stdout().lines().map(array).collect();
    assert_eq!((answers.len(), answers[0][0].as_str()), (3, "docs/deploy.md"));
    assert!(answers[1].is_empty() && answers[2].is_empty());
    let message = "how is the zeppelin moored at the mast in a thunderstorm?";
    assert_eq!(sandbox.brief(["select", message]).success().stdout(), "[]\n");
    sandbox.write("docs/billing.md", "# Zeppelins\n\nA zeppelin is moored at the mast; in a thunderstorm it goes into the hangar.\n");
    assert_eq!(array(&sandbox.brief(["select", message]).success().stdout())[0], "docs/billing.md");
}

#[test]
fn an_explanation_says_what_matched_where() {
    let sandbox = project();
    let text = sandbox.brief(["select", "--explain", DEPLOY]).success().stdout();
    for part in ["words looked for: ", "confidence: ", "\nchosen\n  1. docs/deploy.md  score ", "canary (body)"] {
        assert!(text.contains(part), "{part:?} is missing from\n{text}");
    }
    let quiet = sandbox.brief(["select", "--explain", "run the tests again"]).success().stdout();
    assert!(quiet.contains("nothing chosen: "), "{quiet}");
    let value: Value = serde_json::from_str(&sandbox.brief(["select", "--json", DEPLOY]).success().stdout()).unwrap();
    assert_eq!((&value["paths"][0], &value["candidates"][0]["verdict"]), (&json!("docs/deploy.md"), &json!("chosen")));
}

#[test]
fn without_an_index_or_with_a_broken_one_it_says_what_to_do() {
    let none = Sandbox::new().brief(["select", "x"]).code(1);
    assert!(none.stderr().contains("hint: create one with `brief index`"), "{none}");
    let broken = project().file("bad.json", "{").brief(["select", "--index", "bad.json", "x"]).code(1);
    assert!(broken.stderr().contains("cannot read the index"), "{broken}");
    let missing = project().brief(["select", "--index", "gone.json", "x"]).code(1);
    assert!(missing.stderr().contains("does not exist"), "{missing}");
}

fn with_model(sandbox: Sandbox, server: &Server, more: &str) -> Sandbox {
    let config = format!("[selector]\nkind = 'openai'\n{more}\n[llm]\nbase_url = '{}/v1'\nmodel = 'small'\n", server.url());
    sandbox.file("~/.config/brief/brief.toml", config)
}

fn chat(content: &str) -> Response {
    Response::json(json!({ "choices": [{ "message": { "content": content } }] }).to_string())
}

#[test]
fn a_model_chooses_among_the_candidates_and_sees_no_contents() {
    let seen = Arc::new(Mutex::new(String::new()));
    let kept = Arc::clone(&seen);
    let server = Server::start(move |request| {
        kept.lock().unwrap().push_str(&String::from_utf8_lossy(&request.body));
        chat("```json\n{\"result\": [\"/etc/passwd\", \"deploy.md\", \"made-up.md\"]}\n```")
    })
    .unwrap();
    let sandbox = with_model(project(), &server, "");
    assert_eq!(sandbox.brief(["select", "yes"]).success().stdout(), "[]\n");
    assert_eq!(server.served(), 0, "small talk is sent nowhere");
    assert_eq!(array(&sandbox.brief(["select", DEPLOY]).success().stdout()), ["docs/deploy.md"]);
    let seen = seen.lock().unwrap();
    assert!(seen.contains("error budget is gone?") && seen.contains("Deploying to production"));
    assert!(!seen.contains("drains the canary"), "contents stay here");
    assert_eq!(server.served(), 1);
    let local = sandbox.brief(["select", "--selector", "local", DEPLOY]).success();
    assert_eq!((array(&local.stdout())[0].as_str(), server.served()), ("docs/deploy.md", 1));
}

#[test]
fn a_model_that_fails_chooses_nothing_or_leaves_it_to_words() {
    for bad in [Response::status(500), Response::garbage(), Response::huge(10 * 1024 * 1024), Response::never()] {
        let server = Server::always(bad.clone()).unwrap();
        let quick = "timeout_ms = 300";
        let started = Instant::now();
        let nothing = with_model(project(), &server, quick).brief(["select", DEPLOY]).success();
        assert_eq!(nothing.stdout(), "[]\n", "{bad:?}");
        assert!(nothing.stderr().contains("nothing was chosen"), "{nothing}");
        let local = with_model(project(), &server, &format!("{quick}\non_failure = 'local'")).brief(["select", DEPLOY]).success();
        assert_eq!(array(&local.stdout())[0], "docs/deploy.md");
        assert!(started.elapsed() < Duration::from_secs(20));
    }
}

#[test]
fn the_default_limit_of_a_model_is_two_seconds() {
    let server = Server::always(Response::never()).unwrap();
    let sandbox = with_model(project(), &server, "");
    let _ = sandbox.brief(["select", "--selector", "local", DEPLOY]).success();
    let started = Instant::now();
    assert_eq!(sandbox.brief(["select", DEPLOY]).success().stdout(), "[]\n");
    let took = started.elapsed();
    assert!(took >= Duration::from_millis(1900) && took < Duration::from_secs(10), "{took:?}");
}

#[test]
fn a_thousand_documents_work() {
    let mut sandbox = project();
    let mut index = String::from("[\"docs/deploy.md\"");
    for number in 0..1000 {
        sandbox = sandbox.file(format!("many/{number}.md"), format!("# Page {number}\n\nWords about topic{number} and the weather.\n"));
        let _ = write!(index, ",\"many/{number}.md\"");
    }
    let sandbox = sandbox.file("all.json", format!("{index}]"));
    let run = |message: &str| array(&sandbox.brief(["select", "--index", "all.json", message]).success().stdout());
    assert_eq!(run(DEPLOY)[0], "docs/deploy.md");
    assert_eq!(run(DEPLOY), run(DEPLOY), "the same answer every time");
}

/// The text that the message would add, through the real hook: its context, or nothing.
fn hooked(sandbox: &Sandbox, session: &str, message: &str) -> String {
    let event = json!({"session_id": session, "cwd": sandbox.root(), "hook_event_name": "UserPromptSubmit", "prompt": message});
    let answer = sandbox.brief_with_input(["hook", "claude", "UserPromptSubmit"], event.to_string()).success().stdout();
    let value: Value = serde_json::from_str(&answer).unwrap_or_default();
    value["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().trim_end().to_owned()
}

#[test]
fn as_hook_shows_what_the_hook_adds() {
    let sandbox = project();
    let shown = sandbox.brief(["select", "--as-hook", DEPLOY]).success();
    assert!(shown.stdout().starts_with("=== brief: docs/deploy.md ("), "{}", shown.stdout());
    assert_eq!(shown.stdout().trim_end(), hooked(&sandbox, "one", DEPLOY));
    let silent = sandbox.brief(["select", "--as-hook", "run the tests again"]).success();
    assert_eq!(silent.stdout(), "");
    assert!(silent.stderr().starts_with("nothing would be added: "), "{}", silent.stderr());
    let json: Value = serde_json::from_str(&sandbox.brief(["select", "--as-hook", "--json", DEPLOY]).success().stdout()).unwrap();
    assert_eq!(json["pieces"][0]["path"], "docs/deploy.md");
    assert_eq!(json["text"].as_str().unwrap().trim_end(), hooked(&sandbox, "two", DEPLOY));
}

#[test]
fn preview_and_select_explain_the_same() {
    let sandbox = project();
    for message in [DEPLOY, "run the tests again"] {
        let select = sandbox.brief(["select", "--as-hook", "--explain", message]).success().stdout();
        let preview = sandbox.brief(["preview", "--explain", "--event", "UserPromptSubmit", message]).success().stdout();
        // The one is indented, so its lines break elsewhere.
        let words = |text: &str| {
            let lines = text.lines().filter(|line| !line.starts_with('#'));
            lines.flat_map(str::split_whitespace).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(words(&select), words(&preview));
    }
}

/// Everyday orders bring nothing in this repository, although its documents speak of all of this.
#[test]
fn orders_about_the_code_at_hand_bring_nothing_here() {
    let repository = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let index = repository.join(".context/index.json");
    let sandbox = Sandbox::new();
    let added =
        |message: &str| sandbox.brief(["select", "--as-hook", "--index", &index.to_string_lossy(), "--", message]).success().stdout();
    let orders = [
        "rename this variable to something clearer",
        "run the tests again",
        "make the function async",
        "install the missing dependency",
        "add a default value for the parameter",
        "fix the failing test",
        "remove the unused imports",
        "move this helper into its own file",
        "commit the last change",
        "undo that",
        "add a comment to the struct",
        "why does this line not compile?",
        "print the value before the return",
        "split the function in two",
        "use the existing helper instead",
        "format the file",
        "revert the change in the second file",
        "show me the diff",
        "write a test for the new method",
        "the build is red, have a look",
    ];
    let noisy: Vec<&str> = orders.into_iter().filter(|order| !added(order).is_empty()).collect();
    assert!(noisy.is_empty(), "{noisy:?}");
    for (question, document) in [
        ("how are documents selected?", "docs/selection.md"),
        ("what is a domain?", "docs/domains.md"),
        ("explain goals", "docs/goals.md"),
        ("how does the gate work?", "docs/gate.md"),
        ("MCP", "docs/mcp.md"),
    ] {
        let text = added(question);
        assert!(text.contains(document), "{question}: {}", text.lines().next().unwrap_or_default());
    }
}
