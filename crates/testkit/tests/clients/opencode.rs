//! `OpenCode`.

use briefing_testkit::clients::Client;
use briefing_testkit::model_api::Script;

const PLUGIN: &str = r#"
export const Probe = async () => ({
  "chat.message": async (input, output) => {
    const part = output.parts.find((part) => part.type === "text")
    if (part) part.text += "\nPROBE-chat-message"
  },
  "tool.execute.after": async (input, output) => { output.output += "\nPROBE-tool-after" },
  "experimental.chat.system.transform": async (input, output) => { output.system.push("PROBE-system") },
})
"#;

#[test]
fn context_lands_where_the_reference_says_and_stays_after_resume() {
    let mut client = Client::opencode();
    client.home_file(".config/opencode/plugins/probe.js", PLUGIN);
    client.script(Script::new().shell("echo TOOL-RAN").text("done"));
    let outcome = client.run("PROMPT-ONE please");
    let order = ["PROBE-system", "PROMPT-ONE", "PROBE-chat-message", "TOOL-RAN", "PROBE-tool-after"];
    assert!(outcome.last_turn().in_order(&order), "{outcome}");
    let resumed = client.resume("PROMPT-TWO please");
    let turn = resumed.last_turn();
    assert_eq!(turn.count("PROBE-chat-message"), 2, "{resumed}");
    assert_eq!(turn.count("PROBE-tool-after"), 1, "{resumed}");
    assert_eq!(turn.count("PROBE-system"), 1, "given again at every request\n{resumed}");
}
