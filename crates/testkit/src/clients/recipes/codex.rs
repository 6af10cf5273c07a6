//! Codex CLI.

use serde_json::json;

use super::{DUMMY_KEY, Recipe, register_nested, url, words};
use crate::clients::place::write;

/// Without it, Codex silently skips hooks that the user has not approved.
pub(in crate::clients) const BYPASS_HOOK_TRUST: &str = "--dangerously-bypass-hook-trust";

pub(in crate::clients) static CODEX: Recipe = Recipe {
    name: "codex",
    version: "0.166.0",
    program: &["node_modules/@openai/codex-{platform}/vendor/{arch}-unknown-linux-musl/bin/codex"],
    prepare: |place| {
        let config = format!(
            r#"model = "gpt-5"
model_provider = "mock"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.mock]
name = "mock"
base_url = "{}"
wire_api = "responses"
env_key = "MOCK_KEY"
request_max_retries = 0
stream_max_retries = 0

[projects."{}"]
trust_level = "trusted"
"#,
            url("/v1"),
            place.project().display()
        );
        write(&place.home().join(".codex/config.toml"), &config);
    },
    env: |_| vec![("MOCK_KEY", DUMMY_KEY.to_owned())],
    headless: |prompt| words(&["exec", "--skip-git-repo-check", BYPASS_HOOK_TRUST, prompt]),
    resume: |prompt| words(&["exec", "--skip-git-repo-check", BYPASS_HOOK_TRUST, "resume", "--last", prompt]),
    interactive: &[BYPASS_HOOK_TRUST],
    register: |place, event, command| {
        let hook = json!({"type": "command", "command": command, "timeout": 10});
        register_nested(place, ".codex/hooks.json", event, hook);
    },
    shape: "nested",
};
