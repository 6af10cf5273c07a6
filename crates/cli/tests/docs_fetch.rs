//! `brief docs list` and `brief docs get`: a catalogue, and documents by name.

use briefing_testkit::Sandbox;
use serde_json::{Value, json};

const DEPLOY: &str = "how do I roll back the canary release when the error budget is gone?";

fn project() -> Sandbox {
    Sandbox::new()
        .file(".git/HEAD", "")
        .file(
            "docs/deploy.md",
            "---\nid: project/policy/deploy\n---\n# Deploying\n\nReleases are rolled out with a canary and its error budget.\n\n\
             ## Rolling back\n\nDrain the canary when the error budget of the release is gone.\n\n## Required reads\n\n- @docs/auth.md\n",
        )
        .file("docs/auth.md", "# Authentication\n\nUsers sign in with a session cookie.\n\ndb = postgres://bob:hunter2@db/x\n")
        .file("docs/logging.md", "# Logging\n\nStructured log records.\n")
        .file(
            "docs/index.yaml",
            "project_root: /elsewhere\nsnippets:\n- id: project/policy/deploy\n  description: How releases get out\n  type: policy\n  \
             path: docs/deploy.md\n- id: project/auth\n  description: Who may sign in\n  path: docs/auth.md\n\
             - id: project/gone\n  description: Not there\n  path: docs/gone.md\n",
        )
        .file("docs/index.json", r#"["logging.md"]"#)
}

#[test]
fn the_catalogue_lists_every_document_with_what_its_index_says() {
    let sandbox = project();
    insta::assert_snapshot!(sandbox.brief(["docs", "list"]), @r"
    exit code: 0
    ----- stdout -----
    docs/logging.md
    project/policy/deploy: How releases get out
    project/auth: Who may sign in
    project/gone: Not there (does not exist)
    ----- stderr -----
    ");
    let list: Value = serde_json::from_str(&sandbox.at("docs").brief(["docs", "list", "--json"]).success().stdout()).unwrap();
    let deploy = &list["documents"][1];
    assert_eq!((&deploy["id"], &deploy["path"]), (&json!("project/policy/deploy"), &json!("deploy.md")));
    assert_eq!(list["documents"][3]["problem"], "does not exist");
    let none = Sandbox::new().brief(["docs", "list"]).code(1);
    assert!(none.stderr().contains("brief index"), "{none}");
}

#[test]
fn a_document_is_fetched_by_id_path_or_section_behind_the_guards() {
    let sandbox = project();
    let whole = sandbox.brief(["docs", "get", "project/policy/deploy"]).success();
    assert!(whole.stdout().starts_with("=== brief: docs/deploy.md (requested) ===\n# Deploying\n"), "{whole}");
    assert!(whole.stderr().contains("`docs/deploy.md` requires `docs/auth.md`"), "{whole}");
    for path in ["docs/deploy.md", "./docs/deploy.md"] {
        assert_eq!(sandbox.brief(["docs", "get", path]).success().stdout(), whole.stdout());
    }
    assert_eq!(sandbox.at("docs").brief(["docs", "get", "deploy.md"]).success().stdout.len(), whole.stdout.len() - "docs/".len());
    for section in ["docs/deploy.md#Rolling back", "project/policy/deploy#rolling-back", "docs/deploy.md#Deploying › Rolling back"] {
        let text = sandbox.brief(["docs", "get", section]).success().stdout();
        assert!(text.contains("## Rolling back\n\nDrain the canary") && !text.contains("rolled out"), "{section}: {text}");
    }
    let both = sandbox.brief(["docs", "get", "project/auth,docs/logging.md"]).success();
    assert!(both.stdout().contains("[redacted: password]") && both.stdout().contains("Structured log records"), "{both}");
    let json: Value = serde_json::from_str(&sandbox.brief(["docs", "get", "--json", "project/auth"]).success().stdout()).unwrap();
    assert_eq!((&json[0]["path"], &json[0]["id"]), (&json!("docs/auth.md"), &json!("project/auth")));
    assert!(json[0]["text"].as_str().unwrap().starts_with("# Authentication"), "{json}");
}

#[test]
fn what_is_not_in_an_index_is_not_fetched() {
    let sandbox = project().file("secret.md", "# Secret\n").file("~/x.md", "# X\n");
    for (name, says) in [
        ("secret.md", "no index has `secret.md`"),
        ("../home/x.md", "no index has"),
        ("/etc/passwd", "no index has"),
        ("project/atuh", "did you mean `project/auth`?"),
        ("docs/gone.md", "does not exist"),
        ("docs/deploy.md#nothing", "its sections: Deploying"),
    ] {
        let refused = sandbox.brief(["docs", "get", "docs/auth.md", name]).code(1);
        assert_eq!(refused.stdout(), "", "{name}");
        assert!(refused.stderr().contains(says), "{name}: {refused}");
    }
    assert!(sandbox.brief(["docs", "get"]).code(2).stdout().is_empty());
}

#[test]
fn what_was_fetched_for_a_session_is_not_injected_again() {
    let say = |sandbox: &Sandbox, turn: &str| sandbox.hook(["claude", "UserPromptSubmit"], &json!({ "prompt": DEPLOY, "prompt_id": turn }));
    let sandbox = project();
    assert!(say(&sandbox, "1").contains("docs/deploy.md"));
    let sandbox = project();
    let fetched = sandbox.brief(["docs", "get", "project/policy/deploy", "--agent", "claude", "--session", "s-1"]).success();
    assert!(fetched.stdout().contains("Drain the canary"), "{fetched}");
    let told = say(&sandbox, "1");
    assert!(!told.contains("docs/deploy.md (matches"), "{told}");
    let log = sandbox.log();
    assert_eq!(log["sessions"][0]["context_paths"][0], "docs/deploy.md", "{log}");
    // Asked for again, it is printed again: the agent may have lost it.
    assert!(sandbox.brief(["docs", "get", "docs/deploy.md", "--agent", "claude", "--session", "s-1"]).success().stdout().contains("Drain"));
    sandbox.write("docs/deploy.md", "# Deploying\n\nThe canary release rolls back by itself when the error budget is gone.\n");
    assert!(say(&sandbox, "2").contains("changed, replaces what you saw"));
}

#[test]
fn a_fetched_section_is_not_injected_again_in_smaller_sections() {
    let filler = |word: &str| format!("The {word} of the release is described here at length. ").repeat(30);
    let deploy = format!(
        "# Deploying\n\n{}\n\n## Rolling back\n\n{}\n\n### Canary\n\nDrain the canary release when the error budget is gone. {}\n\n## Signing\n\n{}\n",
        filler("rollout"),
        filler("way back"),
        filler("canary"),
        filler("signature")
    );
    let sandbox = Sandbox::new().file(".git/HEAD", "").file("docs/deploy.md", deploy).file("docs/index.json", r#"["deploy.md"]"#);
    let say = |turn: &str| sandbox.hook(["claude", "UserPromptSubmit"], &json!({ "prompt": DEPLOY, "prompt_id": turn }));
    let fetched = sandbox.brief(["docs", "get", "docs/deploy.md#Rolling back", "--agent", "claude", "--session", "s-1"]).success();
    assert!(fetched.stdout().contains("### Canary\n\nDrain the canary"), "{fetched}");
    let told = say("1");
    assert!(!told.contains("Drain the canary"), "{told}");
    // Only a change makes it due.
    let text = std::fs::read_to_string(sandbox.root().join("docs/deploy.md")).unwrap();
    sandbox.write("docs/deploy.md", text.replace("Drain the canary", "Never drain the canary"));
    assert!(say("2").contains("Never drain the canary"));
}
