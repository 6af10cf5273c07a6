//! `OpenCode`: plugins instead of command hooks.

use serde_json::json;

use super::{DUMMY_KEY, Recipe, url, words};

pub(in crate::clients) static OPENCODE: Recipe = Recipe {
    name: "opencode",
    version: "1.18.33",
    program: &["node_modules/opencode-{platform}/bin/opencode"],
    prepare: |place| {
        let settings = json!({
            "autoupdate": false,
            "share": "disabled",
            "model": "mock/mock-model",
            "small_model": "mock/mock-model",
            "permission": "allow",
            "provider": {"mock": {
                "npm": "@ai-sdk/openai-compatible",
                "name": "mock",
                "options": {"baseURL": url("/v1"), "apiKey": DUMMY_KEY},
                "models": {"mock-model": {"name": "mock-model"}}}}});
        place.write_home_json(".config/opencode/opencode.json", &settings);
        // Pretend that the plugin types are installed: otherwise every start tries the registry for a minute and a half.
        let types = json!({"dependencies": {"@opencode-ai/plugin": "1.18.33"}});
        place.write_home_json(".config/opencode/package.json", &types);
        place.write_home_json(".config/opencode/package-lock.json", &json!({"packages": {"": types}}));
        place.write_home_json(".config/opencode/node_modules/.keep.json", &json!({}));
    },
    env: |_| vec![("OPENCODE_DISABLE_AUTOUPDATE", "1".to_owned()), ("OPENCODE_DISABLE_MODELS_FETCH", "1".to_owned())],
    headless: |prompt| words(&["run", prompt]),
    resume: |prompt| words(&["run", "--continue", prompt]),
    interactive: &[],
    register: |_, event, _| panic!("opencode has plugins, no command hooks: write a plugin file instead of a hook for `{event}`"),
    shape: "none",
};
