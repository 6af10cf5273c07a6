//! Qwen Code.

use briefing_testkit::clients::Client;
use briefing_testkit::model_api::{Role, Script};

#[test]
fn context_lands_where_the_reference_says_and_what_resume_keeps() {
    let mut client = Client::qwen();
    for event in ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"] {
        client.probe(event);
    }
    client.script(Script::new().shell("echo TOOL-RAN").text("done"));
    let outcome = client.run("PROMPT-ONE please");
    assert_eq!(outcome.stdout.trim(), "done");
    let last = outcome.last_turn();
    let order = ["PROBE-SessionStart-startup", "PROMPT-ONE", "PROBE-UserPromptSubmit", "TOOL-RAN", "PROBE-PostToolUse"];
    assert!(last.in_order(&order), "{outcome}");
    assert_eq!(last.part_with("PROBE-SessionStart").map(|part| part.role), Some(Role::System), "{outcome}");
    assert_eq!(outcome.counts("PROBE-PreToolUse"), [0, 0], "dropped by the client\n{outcome}");
    // The prompt's hook runs again after the tool, with an empty prompt, and its context is taken again.
    assert_eq!(outcome.counts("PROBE-UserPromptSubmit"), [1, 2], "{outcome}");

    // The system prompt is rebuilt on resume. Of the prompts' contexts, only the one with a real prompt is kept.
    let resumed = client.resume("PROMPT-TWO please");
    let turn = resumed.first_turn();
    assert_eq!(turn.count("PROBE-SessionStart-startup"), 0, "{resumed}");
    assert_eq!(turn.count("PROBE-SessionStart-resume"), 1, "{resumed}");
    assert_eq!(turn.count("PROBE-UserPromptSubmit"), 2, "{resumed}");
    assert_eq!(turn.count("PROBE-PostToolUse"), 1, "{resumed}");
}
