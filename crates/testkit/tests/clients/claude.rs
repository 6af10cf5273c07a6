//! Claude Code.

use briefing_testkit::clients::Client;
use briefing_testkit::model_api::{Call, Kind, Reply, Role, Script};

#[test]
fn context_lands_where_the_reference_says_and_stays_after_resume() {
    let mut client = Client::claude();
    for event in ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolBatch"] {
        client.probe(event);
    }
    client.script(Script::new().shell("echo TOOL-RAN").text("done"));
    let outcome = client.run("PROMPT-ONE please");
    eprintln!("{outcome}");

    let resumed = client.resume("PROMPT-TWO please");
    eprintln!("{resumed}");
    for call in client.hook_calls() { eprintln!("{} {}", call.event, call.payload); }
}
