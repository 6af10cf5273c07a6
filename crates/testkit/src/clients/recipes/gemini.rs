//! Gemini CLI.

use serde_json::json;

use super::{DUMMY_KEY, Recipe, register_nested, url, words};

const MODEL: &str = "gemini-2.5-flash";

pub(in crate::clients) static GEMINI: Recipe = Recipe {
    name: "gemini",
    version: "0.61.0",
    program: &["node", "node_modules/@google/gemini-cli/bundle/gemini.js"],
    // In the user's file, because the client rejects system settings in a directory that others can write to.
    prepare: |place| {
        let settings = json!({
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "privacy": {"usageStatisticsEnabled": false},
            "telemetry": {"enabled": false},
            "general": {"enableAutoUpdate": false}});
        place.write_home_json(".gemini/settings.json", &settings);
    },
    env: |_| {
        vec![
            ("GEMINI_CLI_TRUST_WORKSPACE", "true".to_owned()),
            ("GEMINI_API_KEY", DUMMY_KEY.to_owned()),
            ("GOOGLE_GEMINI_BASE_URL", url("")),
        ]
    },
    headless: |prompt| words(&["-p", prompt, "--yolo", "-m", MODEL]),
    resume: |prompt| words(&["-p", prompt, "--resume", "latest", "--yolo", "-m", MODEL]),
    interactive: &["--yolo", "-m", MODEL],
    register: |place, event, command| {
        let hook = json!({"type": "command", "command": command, "timeout": 10_000});
        register_nested(place, ".gemini/settings.json", event, hook);
    },
    shape: "nested",
};
