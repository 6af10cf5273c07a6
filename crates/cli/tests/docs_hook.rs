//! Documents for a message, as agents receive them.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use briefing_testkit::Sandbox;
use briefing_testkit::http::{Response, Server};
use serde_json::json;

const DEPLOY: &str = "how do I roll back the canary release when the error budget is gone?";
const DATABASE: &str = "the migration locks a large table, split it into two SQL transactions";

fn project() -> Sandbox {
    Sandbox::new()
        .file(".git/HEAD", "ref: refs/heads/main\n")
        .file(
            "docs/deploy.md",
            "# Deploying to production\n\nReleases are rolled out to the cluster with a canary. The rollout pauses after ten \
             percent of the traffic and continues when the error budget holds.\n\n## Rolling back\n\nA rollback puts the previous \
             image of the release back and drains the canary.\n",
        )
        .file(
            "docs/database.md",
            "# Database migrations\n\nMigrations are SQL files, applied in order inside a transaction. A migration that locks a \
             large table must be split.\n",
        )
        .file("docs/auth.md", "# Authentication\n\nUsers sign in with a session cookie; services use bearer tokens.\n")
        .file("docs/logging.md", "# Logging\n\nStructured log records with levels and sinks.\n")
        .file("docs/metrics.md", "# Metrics\n\nCounters and histograms are scraped every minute.\n")
        .file("docs/billing.md", "# Billing\n\nInvoices are created at the end of the month.\n")
        .file("docs/index.json", r#"["deploy.md","database.md","auth.md","logging.md","metrics.md","billing.md"]"#)
        .file("brief.toml", "[docs]\nmax_docs = 1\n")
}

/// Sends a message to Claude; every message is a new turn.
fn say(sandbox: &Sandbox, turn: &str, message: &str) -> String {
    sandbox.hook(["claude", "UserPromptSubmit"], &json!({ "prompt": message, "prompt_id": turn }))
}

#[test]
fn a_document_comes_once_and_only_what_is_new() {
    let sandbox = project();
    let first = say(&sandbox, "1", DEPLOY);
    assert!(first.starts_with("=== brief: docs/deploy.md (matches: "), "{first}");
    assert!(first.contains("drains the canary"));
    assert_eq!(say(&sandbox, "2", DEPLOY), "", "it is in the window");
    assert_eq!(say(&sandbox, "3", "yes, do it"), "");
    let other = say(&sandbox, "4", DATABASE);
    assert!(other.contains("docs/database.md") && !other.contains("docs/deploy.md"), "{other}");
    let paths = &sandbox.log()["sessions"][0]["context_paths"];
    assert_eq!(paths, &json!(["docs/deploy.md", "docs/database.md"]));
}

#[test]
fn a_message_typed_while_the_model_works_gets_its_document() {
    let sandbox = project();
    assert!(say(&sandbox, "1", DEPLOY).contains("docs/deploy.md"));
    let queued = say(&sandbox, "1", DATABASE);
    assert!(queued.contains("docs/database.md"), "Claude gives it the id of the running prompt: {queued}");
    let sandbox = project();
    let without_id = |message: &str| sandbox.hook(["claude", "UserPromptSubmit"], &json!({ "prompt": message }));
    assert!(without_id(DEPLOY).contains("docs/deploy.md"));
    assert!(without_id(DATABASE).contains("docs/database.md"));
    let sandbox = project();
    say(&sandbox, "1", "<task-notification>\n<task-id>a</task-id>");
    assert!(say(&sandbox, "1", DEPLOY).contains("docs/deploy.md"), "a finished task may share the id of a prompt");
}

#[test]
fn a_session_remembers_files_not_sections() {
    let sandbox = project();
    let section = |name: &str| format!("## {name}\n\n{}\n\n", "A rollback drains the canary of the release. ".repeat(60));
    let long = format!("# Deploying to production\n\n{}{}{}", section("Rolling back"), section("Canary release"), section("Error budget"));
    sandbox.write("docs/deploy.md", &long);
    let context = say(&sandbox, "1", DEPLOY);
    assert!(context.contains("=== brief: docs/deploy.md#"), "{context}");
    assert_eq!(sandbox.log()["sessions"][0]["context_paths"], json!(["docs/deploy.md"]));
}

#[test]
fn after_a_compaction_the_running_messages_document_is_due_at_once() {
    let sandbox = project();
    assert!(say(&sandbox, "1", DEPLOY).contains("docs/deploy.md"));
    assert!(say(&sandbox, "2", DATABASE).contains("docs/database.md"));
    let told = sandbox.hook(["claude", "SessionStart"], &json!({ "source": "compact" }));
    assert!(told.contains("docs/database.md") && !told.contains("docs/deploy.md"), "{told}");
    assert!(say(&sandbox, "3", DEPLOY).contains("docs/deploy.md"), "the other one when it is next relevant");
    assert_eq!(say(&sandbox, "4", DATABASE), "");
}

#[test]
fn a_changed_document_comes_again_as_an_update() {
    let sandbox = project();
    assert!(say(&sandbox, "1", DEPLOY).contains("drains the canary"));
    sandbox.write("docs/deploy.md", "# Deploying to production\n\nRoll back the canary release at once when the error budget is gone.\n");
    let told = say(&sandbox, "2", DEPLOY);
    assert!(told.contains("changed, replaces what you saw") && told.contains("at once"), "{told}");
}

#[test]
fn what_no_user_said_selects_nothing() {
    let sandbox = project();
    for (turn, prompt) in [
        ("1", String::new()),
        ("2", format!("<task-notification>{DEPLOY}</task-notification>")),
        ("3", format!("<hook_context>{DEPLOY}</hook_context>")),
        ("4", "run the tests again".into()),
    ] {
        assert_eq!(say(&sandbox, turn, &prompt), "", "{prompt}");
    }
}

#[test]
fn every_agent_gets_it_at_its_own_event() {
    for (words, more) in [
        (["codex", "UserPromptSubmit"], json!({ "prompt": DEPLOY, "turn_id": "t" })),
        (["gemini", "BeforeAgent"], json!({ "prompt": DEPLOY })),
        (["qwen", "UserPromptSubmit"], json!({ "prompt": DEPLOY })),
    ] {
        let sandbox = project();
        assert!(sandbox.hook(words, &more).contains("docs/deploy.md"), "{words:?}");
        assert_eq!(sandbox.hook(words, &more), "", "{words:?}");
    }
}

#[test]
fn preview_shows_documents_where_they_would_come() {
    let sandbox = project();
    let shown = sandbox.brief(["preview", "--agent", "cursor", DEPLOY]).success().stdout();
    let (before, after) = shown.split_once("# Cursor at postToolUse: ").unwrap();
    assert!(before.contains("# Cursor at beforeSubmitPrompt: nothing; its documents come with the next event"), "{shown}");
    assert!(!before.contains("=== brief: docs/deploy.md") && after.contains("=== brief: docs/deploy.md"), "{shown}");
    let owed = json!({ "conversation_id": "c", "prompt": DEPLOY, "workspace_roots": [sandbox.root()] });
    assert_eq!(sandbox.hook(["cursor", "beforeSubmitPrompt"], &owed), "");
    let told = sandbox.hook(["cursor", "postToolUse"], &json!({ "conversation_id": "c", "workspace_roots": [sandbox.root()] }));
    assert!(!told.is_empty() && after.contains(&told), "{shown}");
    let single = sandbox.brief(["preview", "--agent", "cursor", "--event", "postToolUse", DEPLOY]).success().stdout();
    assert!(single.contains("=== brief: docs/deploy.md"), "{single}");
    for agent in ["claude", "codex", "gemini", "qwen", "copilot", "opencode", "generic"] {
        let shown = sandbox.brief(["preview", "--agent", agent, DEPLOY]).success().stdout();
        assert_eq!(shown.matches("=== brief: docs/deploy.md").count(), 1, "{agent}: {shown}");
    }
}

#[test]
fn a_selector_that_hangs_never_blocks() {
    let server = Server::always(Response::never()).unwrap();
    let config = format!("[selector]\nkind = 'openai'\ntimeout_ms = 300\n[llm]\nbase_url = '{}/v1'\n", server.url());
    let sandbox = project().file("~/.config/brief/brief.toml", &config);
    let started = Instant::now();
    assert_eq!(say(&sandbox, "1", DEPLOY), "");
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    assert_eq!(server.served(), 1);
    sandbox.write("~/.config/brief/brief.toml", config.replace("kind", "on_failure = 'local'\nkind"));
    assert!(say(&sandbox, "2", DEPLOY).contains("docs/deploy.md"));
}

#[test]
fn a_repository_cannot_make_a_model_choose() {
    let server = Server::always(Response::never()).unwrap();
    let config = format!("[selector]\nkind = 'openai'\n[llm]\nbase_url = '{}/v1'\n", server.url());
    let sandbox = project().file("brief.toml", config);
    assert!(say(&sandbox, "1", DEPLOY).contains("docs/deploy.md"));
    assert_eq!(server.served(), 0, "nothing is sent because a repository says so");
}

#[test]
fn broken_indexes_do_not_disturb_the_agent() {
    for text in
        ["{", "42", r#"{"version":9,"docs":[]}"#, r#"{"version":1,"root":"../../..","docs":["deploy.md"]}"#, r#"["../../../etc/passwd"]"#]
    {
        let sandbox = project().file("docs/index.json", text);
        assert_eq!(say(&sandbox, "1", DEPLOY), "", "{text}");
    }
}

#[test]
fn an_entry_of_knowledge_too_large_to_load_arrives_when_the_message_is_about_it() {
    let filler = "Words about the weather of the day and nothing else at all. ".repeat(60);
    let mut knowledge = String::from("# Knowledge\n");
    for number in 0..15 {
        let _ = write!(
            knowledge,
            "\n---\n\n## 2026-01-{:02} - Topic {number}\n\n**Type:** pattern\n**Topics:** weather\n\n{filler}\n",
            number + 1
        );
    }
    knowledge.push_str("\n---\n\n## 2026-02-01 - Zeppelins are moored at the mast\n\n**Type:** gotcha\n**Topics:** zeppelin, mooring\n\nIn a thunderstorm the zeppelin leaves the mast and goes into the hangar.\n");
    let sandbox = Sandbox::new().file(".megg/info.md", "# Shop\n").file(".megg/knowledge.md", knowledge);
    let start = sandbox.hook(["claude", "SessionStart"], &json!({ "source": "startup" }));
    assert!(!start.contains("goes into the hangar"), "it is only summed up");
    let told = say(&sandbox, "1", "where does the zeppelin go from the mast in a thunderstorm?");
    assert!(told.contains("goes into the hangar"), "{told}");
    assert!(told.len() < 2000, "the entry, not the file");
    // `brief select` shows what the hook would deliver; with `--index` it searches only that index.
    let message = "where does the zeppelin go from the mast in a thunderstorm?";
    let shown: Vec<String> = serde_json::from_slice(&sandbox.brief(["select", message]).success().stdout).unwrap();
    assert!(shown[0].starts_with(".megg/knowledge.md#"), "{shown:?}");
    let explained = sandbox.brief(["select", "--explain", message]).success().stdout();
    assert!(explained.contains(&format!("1. {}", shown[0])), "{explained}");
    sandbox.write("other.json", r#"[".megg/info.md"]"#);
    assert_eq!(sandbox.brief(["select", "--index", "other.json", message]).success().stdout(), "[]\n");
}

#[test]
fn an_index_that_only_the_environment_names_opens_the_door() {
    let page = "# Zeppelins\n\nIn a thunderstorm the zeppelin leaves the mooring mast and goes into the hangar.\n";
    let message = "where does the zeppelin go from the mooring mast in a thunderstorm?";
    let bare = || Sandbox::new().file(".git/HEAD", "x").file("notes/zeppelin.md", page).file("notes/list.json", r#"["zeppelin.md"]"#);
    assert_eq!(say(&bare(), "1", message), "", "no setting names it");
    let project = bare().env("BRIEF_DOCS_INDEX", "notes/list.json");
    assert!(say(&project, "1", message).contains("notes/zeppelin.md"));
    let preview = project.brief(["preview", "--event", "UserPromptSubmit", message]).success().stdout();
    assert!(preview.contains("notes/zeppelin.md"), "{preview}");
    let global = Sandbox::new().file("~/notes/zeppelin.md", page).file("~/notes/list.json", r#"["zeppelin.md"]"#);
    assert!(say(&global.env("BRIEF_DOCS_GLOBAL_INDEX", "~/notes/list.json"), "1", message).contains("goes into the hangar"));
}

#[test]
fn a_change_among_many_documents_is_seen_at_the_next_message() {
    let mut sandbox = project().file("~/.config/brief/brief.toml", "[hook]\ndeadline_ms = 3000\n");
    let mut index = String::from("[\"deploy.md\"");
    for number in 0..900 {
        sandbox =
            sandbox.file(format!("docs/many/{number}.md"), format!("# Page {number}\n\nWords about topic{number} and the weather.\n"));
        let _ = write!(index, ",\"many/{number}.md\"");
    }
    let sandbox = sandbox.file("docs/index.json", format!("{index}]"));
    sandbox.brief(["index", "--prepare"]).success();
    let message = "where does the zeppelin go from the mooring mast in a thunderstorm?";
    assert_eq!(say(&sandbox, "1", message), "");
    sandbox.write("docs/many/7.md", "# Zeppelins\n\nIn a thunderstorm the zeppelin leaves the mooring mast and goes into the hangar.\n");
    let told = say(&sandbox, "2", message);
    assert!(told.contains("docs/many/7.md"), "too many to prepare again within the hook, but only one changed: {told}");
}

#[test]
fn many_documents_are_prepared_behind_the_agents_back() {
    let mut sandbox = project().file("~/.config/brief/brief.toml", "[hook]\ndeadline_ms = 1500\n");
    let mut index = String::from("[\"deploy.md\"");
    for number in 0..400 {
        sandbox =
            sandbox.file(format!("docs/many/{number}.md"), format!("# Page {number}\n\nWords about topic{number} and the weather.\n"));
        let _ = write!(index, ",\"many/{number}.md\"");
    }
    let sandbox = sandbox.file("docs/index.json", format!("{index}]"));
    assert_eq!(say(&sandbox, "1", DEPLOY), "", "there is no time for all of it now");
    let started = Instant::now();
    let mut told = String::new();
    for turn in 2.. {
        if !told.is_empty() || started.elapsed() > Duration::from_secs(60) {
            break;
        }
        std::thread::sleep(Duration::from_millis(200));
        told = say(&sandbox, &turn.to_string(), DEPLOY);
    }
    assert!(told.contains("docs/deploy.md"), "{told}");
}

#[test]
fn a_core_file_that_is_also_a_document_comes_through_one_door() {
    let zebra = "# Zebra conventions\n\nZebras are counted in stripes, integers only, never floats.\n";
    let long = format!("{zebra}\n{}", "## A rule\n\nStripes of every kind are listed.\n\n".repeat(150));
    let question = "how are zebras counted in stripes with integers or floats?";
    for text in [zebra, &long] {
        let project = || {
            project().file(".context/CONVENTIONS.md", format!("---\ntitle: Zebras\n---\n{text}")).file(
                "docs/index.json",
                r#"{"root":"..","docs":[{"path":"../.context/CONVENTIONS.md"},{"path":"deploy.md"},{"path":"auth.md"}]}"#,
            )
        };
        let tool = |sandbox: &Sandbox| sandbox.hook(["claude", "PostToolBatch"], &json!({ "tool_use_id": "1" }));
        let told = |text: &str| text.matches("integers only").count();

        let gate_first = project();
        let gate = tool(&gate_first);
        assert_eq!(told(&gate), 1, "{gate}");
        assert_eq!(say(&gate_first, "1", question), "", "the window has it whole");
        gate_first.write(".context/CONVENTIONS.md", text.replace("floats", "fractions"));
        let changed = say(&gate_first, "2", question);
        assert!(changed.contains("fractions"), "{changed}");

        let message_first = project().file(".context/ARCHITECTURE.md", "Rust and barns.\n");
        assert_eq!(told(&say(&message_first, "1", question)), 1);
        let gate = tool(&message_first);
        assert_eq!(gate.matches("PROJECT CONTEXT (auto-loaded").count(), 1, "{gate}");
        let expected = usize::from(text.len() > zebra.len());
        assert_eq!(told(&gate), expected, "sections are not the whole, a document is: {gate}");
    }
}

#[test]
fn a_change_is_delivered_wherever_in_the_file_it_is_and_when_it_is_reverted() {
    let sandbox = project().file(".megg/info.md", "---\n# Shop rules\n\nNever deploy on Friday.\n\n---\n\nThe shop sells hats.\n");
    let start = |source: &str| sandbox.hook(["claude", "SessionStart"], &json!({ "source": source }));
    assert!(start("startup").contains("Never deploy on Friday."));
    sandbox.write(".megg/info.md", "---\n# Shop rules\n\nNever deploy on Monday.\n\n---\n\nThe shop sells hats.\n");
    assert!(start("resume").contains("Never deploy on Monday."));

    let rules = |wait: &str| {
        format!("# Zebras\n\nBefore zebras are counted in stripes, wait {wait} minutes.\n\n{}", "## Rule\n\nStripes.\n\n".repeat(400))
    };
    let sandbox = project()
        .file(".context/CONVENTIONS.md", rules("TEN"))
        .file("docs/index.json", r#"{"root":"..","docs":[{"path":"../.context/CONVENTIONS.md"},{"path":"deploy.md"},{"path":"auth.md"}]}"#);
    let question = "how many minutes to wait before zebras are counted in stripes?";
    assert!(sandbox.hook(["claude", "PostToolBatch"], &json!({ "tool_use_id": "1" })).contains("TEN"));
    for (turn, wait) in [("1", "TWENTY"), ("2", "TEN")] {
        sandbox.write(".context/CONVENTIONS.md", rules(wait));
        let told = say(&sandbox, turn, question);
        assert!(told.contains(wait), "{turn}: {told}");
    }
}
