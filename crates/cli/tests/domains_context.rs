//! `brief context`: the requirements and scenarios of spec 1, each by its name.

use briefing_testkit::Sandbox;
use serde_json::Value;

/// Returns the result of `brief context --format json`.
#[track_caller]
fn result(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let outcome = sandbox.brief(["context", "--format", "json"].iter().chain(arguments)).success();
    serde_json::from_str(&outcome.stdout()).unwrap()
}

/// Returns the names in a list of the result.
fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|item| item.as_str().or_else(|| item["domain"].as_str()).unwrap()).collect()
}

fn entry(day: usize, title: &str, topics: &str, body: &str) -> String {
    format!("\n---\n\n## 2026-01-{day:02} - {title}\n**Type:** decision\n**Topics:** {topics}\n\n{body}\n")
}

/// A knowledge file of exactly this many tokens.
fn knowledge_of(tokens: usize) -> String {
    let mut text = "# Knowledge\n".to_owned() + &entry(1, "Log in", "auth", "x") + &entry(2, "Buttons", "ui", "y");
    text.push_str(&"z".repeat(tokens * 4 - text.len()));
    text
}

fn project() -> Sandbox {
    Sandbox::new().file(".megg/info.md", "# Projects\n\n1. Rule of all.\n").file("client/.megg/info.md", "# Client\n\n1. Rule of one.\n")
}

#[test]
fn domain_chain_discovery_multi_level_hierarchy() {
    let sandbox = project();
    let result = result(&sandbox, &["client/feature"]);
    assert_eq!(names(&result["chain"]), ["project", "client"]);
    let level = &result["chain"][1];
    assert_eq!(level["path"], "[ROOT]/client");
    assert_eq!(level["meggPath"], "[ROOT]/client/.megg");
    assert_eq!(level["info"], "# Client\n\n1. Rule of one.");
}

#[test]
fn domain_chain_discovery_no_megg_found() {
    let sandbox = Sandbox::new();
    let result = result(&sandbox, &[]);
    assert_eq!(result["chain"], Value::Array(vec![]));
    assert_eq!((&result["knowledge"], &result["state"]), (&Value::Null, &Value::Null));
    insta::assert_snapshot!(sandbox.brief(["context"]), @r"
    exit code: 0
    ----- stdout -----
    No domain here: there is no .megg directory in this directory or above it.
    `brief init domain` creates one.
    ----- stderr -----
    ");
}

#[test]
fn a_path_may_be_a_file_relative_or_nowhere() {
    let sandbox = project().file("client/src/main.rs", "");
    for path in ["client/src/main.rs", "./client/src/../src", "client/not/there.rs", "client/.megg/info.md"] {
        assert_eq!(names(&result(&sandbox, &[path])["chain"]), ["project", "client"], "{path}");
    }
    assert_eq!(names(&result(&sandbox.at("client"), &[])["chain"]), ["project", "client"]);
    assert_eq!(names(&result(&sandbox.at("client"), &[".."])["chain"]), ["project"]);
}

#[test]
fn knowledge_loading_full_load_under_8k_tokens() {
    let text = knowledge_of(7_999);
    let knowledge = result(&project().file(".megg/knowledge.md", &text), &[])["knowledge"].take();
    assert_eq!(knowledge["mode"], "full");
    assert_eq!(knowledge["tokens"], 7_999);
    assert_eq!(knowledge["content"], text);
    assert_eq!(knowledge["entries"], 2);
    assert_eq!(knowledge["topics"], serde_json::json!(["auth", "ui"]));
    assert!(knowledge.get("warning").is_none());
}

#[test]
fn knowledge_loading_summary_load_8k_to_16k_tokens() {
    for tokens in [8_000, 16_000] {
        let knowledge = result(&project().file(".megg/knowledge.md", knowledge_of(tokens)), &[])["knowledge"].take();
        assert_eq!(knowledge["mode"], "summary");
        assert_eq!(knowledge["tokens"], tokens);
        let content = knowledge["content"].as_str().unwrap();
        assert!(content.contains("- 2026-01-01 Log in [auth]") && !content.contains("zzz"), "{content}");
        assert!(knowledge["warning"].as_str().unwrap().contains("--topic"), "{knowledge}");
    }
}

#[test]
fn knowledge_loading_blocked_load_over_16k_tokens() {
    let sandbox = project().file(".megg/knowledge.md", knowledge_of(16_001));
    let mut result = result(&sandbox, &[]);
    assert_eq!(result["files"][1]["loaded"], false, "blocked is not loaded");
    let knowledge = result["knowledge"].take();
    assert_eq!(knowledge["mode"], "blocked");
    let content = knowledge["content"].as_str().unwrap();
    assert!(content.contains("maintain()") && content.contains("16001 tokens, 2 entries") && content.contains("auth (1)"), "{content}");
    assert!(!content.contains("zzz"));
    assert!(knowledge["warning"].as_str().unwrap().contains("exceeds 16000"));
    let text = sandbox.brief(["context"]).success().stdout();
    assert!(text.contains("- [ROOT]/.megg/knowledge.md (16001 tokens: by topic only)\n"), "{text}");
}

#[test]
fn knowledge_comes_from_the_deepest_megg_directory_even_without_info() {
    let sandbox = project()
        .file("client/app/.megg/knowledge.md", entry(1, "App", "app", "b"))
        .file(".megg/knowledge.md", entry(1, "Top", "top", "b"));
    let result = result(&sandbox, &["client/app/src"]);
    assert_eq!(names(&result["chain"]), ["project", "client"]);
    assert_eq!(result["knowledge"]["topics"], serde_json::json!(["app"]));
    let text = sandbox.brief(["context", "client/app"]).success().stdout();
    assert!(text.contains("Not loaded, read when needed:\n- [ROOT]/.megg/knowledge.md\n"), "{text}");
}

#[test]
fn topic_filtering_filter_by_topic() {
    let sandbox = project().file(".megg/knowledge.md", knowledge_of(20_000));
    let knowledge = result(&sandbox, &["--topic", "AUTH"])["knowledge"].take();
    assert_eq!(knowledge["mode"], "full");
    assert_eq!(knowledge["entries"], 1);
    assert_eq!(knowledge["content"], "## 2026-01-01 - Log in\n**Type:** decision\n**Topics:** auth\n\nx");
    assert_eq!(knowledge["tokens"], 16);
}

#[test]
fn topic_filtering_no_matching_entries() {
    let sandbox = project().file(".megg/knowledge.md", knowledge_of(100));
    let knowledge = result(&sandbox, &["--topic", "nonexistent"])["knowledge"].take();
    assert_eq!(knowledge["entries"], 0);
    assert_eq!(knowledge["content"], "No entries found for topic: \"nonexistent\"\nTopics: auth (1), ui (1)");
    let knowledge = result(&sandbox, &["--topic", "auht"])["knowledge"].take();
    assert!(knowledge["content"].as_str().unwrap().contains("Did you mean \"auth\"?"), "{knowledge}");
}

#[test]
fn sibling_and_child_discovery_discover_siblings() {
    let sandbox = project().directory("zeta/.megg").file("alpha/.megg/info.md", "a").directory("plain").directory(".hidden/.megg");
    assert_eq!(names(&result(&sandbox.at("client"), &[])["siblings"]), ["alpha", "zeta"]);
    let sandbox = sandbox.directory("client/src/here").directory("client/src/peer/.megg");
    let inside = result(&sandbox, &["client/src/here"]);
    assert_eq!(names(&inside["siblings"]), ["alpha", "peer", "zeta"], "relative to the domain and to the asked path");
}

#[test]
fn siblings_and_children_have_their_paths() {
    let sandbox = project().directory("client/x/.megg").directory("client/src/here").directory("client/src/x/.megg");
    let result = result(&sandbox, &["client/src/here"]);
    assert_eq!(result["siblings"], serde_json::json!([{ "domain": "x", "path": "[ROOT]/client/src/x" }]));
    assert_eq!(result["children"], serde_json::json!([{ "domain": "x", "path": "[ROOT]/client/x" }]));
    let text = sandbox.brief(["context", "client/src/here"]).success().stdout();
    assert!(text.contains("- x: [ROOT]/client/src/x\n") && text.contains("- x: [ROOT]/client/x\n"), "{text}");
}

#[test]
fn a_window_names_no_directories_of_strangers() {
    let told = |sandbox: &Sandbox| {
        sandbox.hook(["claude", "SessionStart"], &serde_json::json!({ "source": "startup", "cwd": sandbox.path("mine") }))
    };
    let by_command = |sandbox: &Sandbox| {
        let hook: Value = serde_json::from_str(&sandbox.at("mine").brief(["context", "--json"]).success().stdout()).unwrap();
        hook["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
    };
    let strangers = || Sandbox::new().file("mine/.megg/info.md", "# Mine\n").file("theirs/.megg/info.md", "# Theirs\n");
    let sandbox = strangers();
    let first = told(&sandbox);
    assert!(first.contains("# Mine") && !first.contains("theirs"), "{first}");
    assert!(!by_command(&sandbox).contains("theirs"));
    assert_eq!(names(&result(&sandbox.at("mine"), &[])["siblings"]), ["theirs"], "the spec lists them");
    assert!(sandbox.at("mine").brief(["context"]).success().stdout().contains("- theirs: [ROOT]/theirs\n"));
    for related in [strangers().file(".megg/info.md", "# All\n"), strangers().directory(".megg"), strangers().directory(".git")] {
        assert!(told(&related).contains("theirs"), "in one domain or repository");
        assert!(by_command(&related).contains("theirs"));
    }
}

#[test]
fn type_and_topics_may_be_bullets() {
    let text = "# Knowledge\n\n---\n\n## 2026-01-01 - Log in\n- **Type:** Decision\n- **Topics:** Auth, api\n\nbody\n\n---\n\n\
        ## 2026-01-02 - Buttons\n* **Topics**: ui\n\n- **Topics:** are in bold\n";
    let sandbox = project().file(".megg/knowledge.md", text);
    let knowledge = result(&sandbox, &["--topic", "auth"])["knowledge"].take();
    assert_eq!((&knowledge["entries"], &knowledge["topics"]), (&serde_json::json!(1), &serde_json::json!(["api", "auth", "ui"])));
}

#[test]
fn sibling_and_child_discovery_discover_children() {
    let sandbox =
        project().directory("client/app/.megg").directory("client/web/.megg").directory("client/src/deep/.megg").directory("other/.megg");
    assert_eq!(names(&result(&sandbox, &[])["children"]), ["client", "other"]);
    assert_eq!(names(&result(&sandbox, &["client"])["children"]), ["app", "web"], "one level only");
    assert_eq!(names(&result(&sandbox, &["client/src"])["children"]), ["app", "deep", "web"]);
    let text = sandbox.brief(["context", "client"]).success().stdout();
    assert!(text.contains("Subdomains:\n- app: [ROOT]/client/app\n- web: [ROOT]/client/web\n"), "{text}");
    assert!(text.contains("Domains beside this one (`brief context PATH` loads one):\n- other: [ROOT]/other\n"), "{text}");
}

#[test]
fn file_discovery_list_available_files() {
    let sandbox = project().file(".megg/knowledge.md", entry(1, "A", "a", "b")).file(".megg/custom.md", "c").file(".megg/notes.txt", "t");
    let result = result(&sandbox, &[]);
    let files: Vec<_> = result["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| (file["name"].as_str().unwrap(), file["loaded"].as_bool().unwrap()))
        .collect();
    assert_eq!(files, [("custom.md", false), ("info.md", true), ("knowledge.md", true)]);
    assert_eq!(result["files"][0]["path"], "[ROOT]/.megg/custom.md");
}

fn state(updated: &str, status: &str) -> String {
    format!("---\nupdated: {updated}\nstatus: {status}\n---\n\n## Working On\nThe parser.\n")
}

#[test]
fn state_loading_load_active_state() {
    // The sandbox's clock says 2026-11-15T12:00:00Z; 48 hours exactly is still active.
    for updated in ["2026-11-15T09:00:00.000Z", "2026-11-13T12:00:00Z", "2026-11-16T00:00:00Z"] {
        let sandbox = project().file(".megg/state.md", state(updated, "active"));
        let result = result(&sandbox, &[]);
        assert_eq!(result["state"]["content"], "## Working On\nThe parser.", "{updated}");
        assert_eq!(result["state"]["status"], "active");
        assert_eq!(result["state"]["updated"], updated);
        assert_eq!(result["state"]["tokens"], 7);
        assert_eq!(result["state"]["path"], "[ROOT]/.megg/state.md");
    }
    let text = project().file(".megg/state.md", state("2026-11-15T09:00:00Z", "active")).brief(["context"]).success().stdout();
    assert!(text.contains("=== state of project: active, updated 2026-11-15T09:00:00Z ([ROOT]/.megg/state.md) ==="), "{text}");
}

#[test]
fn state_loading_skip_expired_state() {
    for (text, reason) in [
        (state("2026-11-15T09:00:00Z", "done"), "it is marked as done"),
        (state("2026-11-13T11:59:59Z", "active"), "it was updated 2026-11-13T11:59:59Z and holds for 48 hours"),
        (state("the day before", "active"), "its date `the day before` is not valid"),
        (state("", "active"), "it does not say when it was updated"),
        ("no front matter\n".to_owned(), "it does not say when it was updated"),
    ] {
        let sandbox = project().file(".megg/state.md", &text);
        assert_eq!(result(&sandbox, &[])["state"], Value::Null, "{text}");
        let shown = sandbox.brief(["context"]).success().stdout();
        assert!(shown.contains(&format!("state.md is not loaded: {reason}.")), "{shown}");
    }
}

#[test]
fn state_loading_no_state_file() {
    assert_eq!(result(&project(), &[])["state"], Value::Null);
}

#[test]
fn session_start_hook_output_json_output_for_hook() {
    let sandbox = project()
        .file("client/.megg/knowledge.md", entry(1, "A", "a", "b"))
        .file("client/.megg/state.md", state("2026-11-15T09:00:00Z", "active"))
        .file("client/.megg/custom.md", "c");
    let output: Value = serde_json::from_str(&sandbox.brief(["context", "client", "--json"]).success().stdout()).unwrap();
    assert_eq!(output["hookSpecificOutput"]["hookEventName"], "SessionStart");
    let additional = output["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert_eq!(additional, sandbox.brief(["context", "client"]).success().stdout());
    insta::assert_snapshot!(output["systemMessage"].as_str().unwrap(), @r"
    Briefing loaded:
      [ROOT]/.megg/info.md
      [ROOT]/client/.megg/info.md
      [ROOT]/client/.megg/knowledge.md (full, 15 tokens)
      [ROOT]/client/.megg/state.md (state, 7 tokens)
    Available (not loaded):
      [ROOT]/client/.megg/custom.md

    Good teams remember what works. The agent asks before it saves something; you can also write it down yourself: `brief learn`.
    ");
}

#[test]
fn a_hook_without_a_domain_prints_an_object_all_the_same() {
    let output: Value = serde_json::from_str(&Sandbox::new().brief(["context", "--json"]).success().stdout()).unwrap();
    assert_eq!(output["hookSpecificOutput"]["additionalContext"], "");
    assert_eq!(output["systemMessage"], "Briefing: no .megg found. `brief init domain` creates one.");
}

#[test]
fn a_hook_says_when_the_client_would_cut_its_context() {
    let sandbox = project().file(".megg/knowledge.md", knowledge_of(5_000));
    let output: Value = serde_json::from_str(&sandbox.brief(["context", "--json"]).success().stdout()).unwrap();
    assert!(output["systemMessage"].as_str().unwrap().contains("`brief install claude` delivers all of it"), "{output}");
    let sandbox = project().file(".megg/knowledge.md", knowledge_of(16_001));
    let output: Value = serde_json::from_str(&sandbox.brief(["context", "--json"]).success().stdout()).unwrap();
    assert!(output["systemMessage"].as_str().unwrap().contains("knowledge.md (blocked, 16001 tokens: run `brief maintain`)"), "{output}");
}

#[test]
fn the_text_shows_every_level_and_where_to_go() {
    let front = "---\ncreated: 2026-01-01T00:00:00Z\nupdated: 2026-10-16T12:00:00Z\ntype: context\n---\n\n";
    let sandbox = project()
        .file(".megg/info.md", format!("{front}# Projects\n\n=== domain fake ===\n"))
        .file("client/.megg/knowledge.md", entry(1, "A", "a", "b"))
        .file("other/.megg/info.md", "o")
        .file(".megg/knowledge.md", "k");
    insta::assert_snapshot!(sandbox.at("client").brief(["context"]), @r"
    exit code: 0
    ----- stdout -----
    === domain project ([ROOT]/.megg/info.md) ===

    > The info.md of `project` was last updated on 2026-10-16: check that it is still true.

    # Projects

    \=== domain fake ===

    === domain client ([ROOT]/client/.megg/info.md) ===

    # Client

    1. Rule of one.

    === knowledge of client: full, 1 entry, 15 tokens ([ROOT]/client/.megg/knowledge.md) ===

    ---

    ## 2026-01-01 - A
    **Type:** decision
    **Topics:** a

    b

    === around client ===

    Domains beside this one (`brief context PATH` loads one):
    - other: [ROOT]/other
    Not loaded, read when needed:
    - [ROOT]/.megg/knowledge.md
    Something worth keeping came up? Ask the user first, then: brief learn TITLE --type TYPE --topics A,B BODY
    ----- stderr -----
    ");
}

#[test]
fn json_and_format_exclude_each_other() {
    assert!(project().brief(["context", "--json", "--format", "json"]).code(2).stderr().contains("cannot be used with"));
}
