//! Claude Code.

use serde_json::json;

use super::{DUMMY_KEY, Recipe, register_nested, url, words};

const MODEL: &str = "claude-sonnet-4-5";

pub(in crate::clients) static CLAUDE: Recipe = Recipe {
    name: "claude",
    version: "2.1.325",
    program: &["node_modules/@anthropic-ai/claude-code-{platform}/claude"],
    prepare: |place| {
        let project = place.project().display().to_string();
        let key_end: String = DUMMY_KEY.chars().skip(DUMMY_KEY.chars().count() - 20).collect();
        let answered = json!({
            "hasCompletedOnboarding": true,
            "theme": "dark",
            "customApiKeyResponses": {"approved": [key_end], "rejected": []},
            "projects": {project: {"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}}});
        place.write_home_json(".claude.json", &answered);
    },
    env: |_| {
        vec![
            ("ANTHROPIC_BASE_URL", url("")),
            ("ANTHROPIC_API_KEY", DUMMY_KEY.to_owned()),
            ("DISABLE_AUTOUPDATER", "1".to_owned()),
            ("DISABLE_TELEMETRY", "1".to_owned()),
            ("DISABLE_ERROR_REPORTING", "1".to_owned()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
        ]
    },
    headless: |prompt| words(&["-p", prompt, "--model", MODEL, "--allowedTools", "Bash,Read,Agent"]),
    resume: |prompt| words(&["-p", prompt, "--continue", "--model", MODEL, "--allowedTools", "Bash,Read,Agent"]),
    interactive: &["--model", MODEL, "--allowedTools", "Bash,Read,Agent"],
    register: |place, event, command| {
        let hook = json!({"type": "command", "command": command, "timeout": 10});
        register_nested(place, ".claude/settings.json", event, hook);
    },
    shape: "nested",
};
