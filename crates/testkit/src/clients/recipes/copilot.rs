//! GitHub Copilot CLI.

use serde_json::{Value, json};

use super::{DUMMY_KEY, Recipe, url, words};

const FILE: &str = ".copilot/hooks/test.json";

pub(in crate::clients) static COPILOT: Recipe = Recipe {
    name: "copilot",
    version: "1.0.102",
    program: &["node_modules/@github/copilot-{platform}/copilot"],
    prepare: |_| {},
    env: |_| {
        vec![
            ("COPILOT_PROVIDER_BASE_URL", url("/v1")),
            ("COPILOT_PROVIDER_TYPE", "openai".to_owned()),
            ("COPILOT_PROVIDER_API_KEY", DUMMY_KEY.to_owned()),
            ("COPILOT_MODEL", "mock-model".to_owned()),
            ("COPILOT_OFFLINE", "true".to_owned()),
            ("COPILOT_AUTO_UPDATE", "false".to_owned()),
            ("COPILOT_ALLOW_ALL", "true".to_owned()),
        ]
    },
    headless: |prompt| words(&["-p", prompt, "--allow-all-tools", "--model", "mock-model"]),
    resume: |prompt| words(&["-p", prompt, "--continue", "--allow-all-tools", "--model", "mock-model"]),
    interactive: &["--allow-all-tools", "--model", "mock-model"],
    register: |place, event, command| {
        let mut settings = place.home_json(FILE);
        settings["version"] = json!(1);
        let hooks = &mut settings["hooks"][event];
        if hooks.is_null() {
            *hooks = Value::Array(Vec::new());
        }
        let hook = json!({"type": "command", "bash": command, "timeoutSec": 10});
        hooks.as_array_mut().expect("a list of hooks").push(hook);
        place.write_home_json(FILE, &settings);
    },
    shape: "flat",
};
