//! Every source redacts secrets, unless the user's own settings turn that off.

use briefing_testkit::Sandbox;
use serde_json::json;

const MESSAGE: &str = "how do I roll back the canary release when the error budget is gone?";
const DOCUMENT: &str = "# Rolling back the canary release\n\nA rollback drains the canary when the error budget is gone. Use";

fn key() -> String {
    format!("ghp_{}", "aB3dE5fG7hJ9kL1m".repeat(3))
}

/// A project in which every source has a file with the same key.
fn project() -> Sandbox {
    let key = key();
    let handoff = format!("---\nupdated: 2026-11-15T11:00:00Z\nstatus: active\n---\n\nThe key is {key}.\n");
    Sandbox::new()
        .directory(".git")
        .file(".megg/info.md", format!("# Project\n\nThe key is {key}.\n"))
        .file(".megg/knowledge.md", format!("# Knowledge\n\nThe key is {key}.\n"))
        .file(".megg/state.md", handoff)
        .file(".context/CONSTITUTION.md", format!("# Rules\n\nThe key is {key}.\n"))
        .file("docs/canary.md", format!("{DOCUMENT} {key}.\n"))
        .file("docs/index.json", r#"{"version":1,"docs":[{"path":"canary.md"}]}"#)
}

/// Returns the output of each source, by its name.
fn told(sandbox: &Sandbox) -> Vec<(&'static str, String)> {
    let brief = |arguments: &[&str]| sandbox.brief(arguments).success().stdout();
    let hook = |event: &str, session: &str| {
        let payload = json!({ "hook_event_name": event, "session_id": session, "cwd": sandbox.root(), "source": "startup", "prompt": MESSAGE, "tool_name": "Read", "tool_input": {} });
        sandbox.brief_with_input(["hook", "claude", event], payload.to_string()).success().stdout()
    };
    vec![
        ("context", brief(&["context"])),
        ("state", brief(&["state"])),
        ("pack", brief(&["pack", "docs"])),
        ("read", brief(&["read", "docs/canary.md"])),
        ("domains", hook("SessionStart", "one")),
        ("gate", hook("PreToolUse", "three")),
        ("documents", hook("UserPromptSubmit", "two")),
    ]
}

#[test]
fn by_default_no_source_shows_a_secret() {
    for (source, text) in told(&project()) {
        assert!(!text.contains(&key()), "{source}: {text}");
        assert!(text.contains("[redacted: GitHub token]"), "{source}: {text}");
    }
}

#[test]
fn the_users_own_settings_keep_secrets_in_every_source() {
    for (source, text) in told(&project().file("~/.config/brief/brief.toml", "redact = false\n")) {
        assert!(text.contains(&key()), "{source}: {text}");
        assert!(!text.contains("[redacted"), "{source}: {text}");
    }
}

#[test]
fn a_project_cannot_turn_redaction_off() {
    for (source, text) in told(&project().file("brief.toml", "redact = false\n")) {
        assert!(!text.contains(&key()), "{source}: {text}");
    }
}

#[test]
fn a_secret_in_a_message_is_not_stored_and_selects_nothing() {
    let sandbox = project();
    let said = format!("{MESSAGE} my key is {}", key());
    let told = sandbox.hook(["claude", "UserPromptSubmit"], &json!({ "prompt": said, "prompt_id": "1" }));
    assert!(told.contains("docs/canary.md (matches: "), "{told}");
    let label = told.lines().find(|line| line.contains("docs/canary.md (matches: ")).unwrap();
    assert!(!label.contains("ghp") && !label.contains("redacted") && !label.contains("github"), "{label}");
    let mut files = Vec::new();
    collect(&sandbox.home(), &mut files);
    assert!(files.iter().any(|file| file.extension().is_some_and(|extension| extension == "db" || extension == "sqlite")), "{files:?}");
    for file in files {
        let bytes = std::fs::read(&file).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.to_lowercase().contains(&key().to_lowercase()), "{}", file.display());
    }
}

fn collect(directory: &std::path::Path, files: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}
