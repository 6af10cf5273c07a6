//! Qwen Code.

use serde_json::json;

use super::{DUMMY_KEY, Recipe, register_nested, url, words};

pub(in crate::clients) static QWEN: Recipe = Recipe {
    name: "qwen",
    version: "0.24.4",
    program: &["node_modules/node-{platform}/bin/node", "node_modules/@qwen-code/qwen-code/cli.js"],
    prepare: |place| {
        let settings = json!({
            "security": {"auth": {"selectedType": "openai"}},
            "privacy": {"usageStatisticsEnabled": false}});
        place.write_home_json(".qwen/settings.json", &settings);
    },
    env: |_| vec![("OPENAI_API_KEY", DUMMY_KEY.to_owned()), ("OPENAI_BASE_URL", url("/v1")), ("OPENAI_MODEL", "mock-model".to_owned())],
    headless: |prompt| words(&["-p", prompt, "--yolo", "--auth-type", "openai"]),
    resume: |prompt| words(&["-p", prompt, "--continue", "--yolo", "--auth-type", "openai"]),
    interactive: &["--yolo", "--auth-type", "openai"],
    register: |place, event, command| {
        let hook = json!({"type": "command", "command": command, "timeout": 10_000});
        register_nested(place, ".qwen/settings.json", event, hook);
    },
    shape: "nested",
};
