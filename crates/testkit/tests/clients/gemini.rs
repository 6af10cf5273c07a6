//! Gemini CLI.

use briefing_testkit::clients::Client;
use briefing_testkit::model_api::{Reply, Role, Script};

#[test]
fn context_lands_where_the_reference_says() {
    let mut client = Client::gemini();
    for event in ["SessionStart", "BeforeAgent", "BeforeTool", "AfterTool"] {
        client.probe(event);
    }
    client.script(Script::new().shell("echo TOOL-RAN").text("done"));
    let outcome = client.run("PROMPT-ONE please");
    assert_eq!(outcome.stdout.trim(), "done");
    let last = outcome.last_turn();
    let order = ["<hook_context>PROBE-SessionStart-startup", "PROMPT-ONE", "PROBE-BeforeAgent", "TOOL-RAN", "PROBE-AfterTool"];
    assert!(last.in_order(&order), "{outcome}");
    assert_eq!(outcome.counts("PROBE-BeforeTool"), [0, 0], "dropped by the client\n{outcome}");
    assert_eq!(last.part_with("PROBE-AfterTool").map(|part| part.role), Some(Role::Tool), "{outcome}");
    // In this mode the prompt already contains the session's context when the next hook receives it.
    let calls = client.hook_calls();
    let prompt = calls.iter().find(|call| call.event == "BeforeAgent").expect("the prompt's hook ran");
    assert!(prompt.text("prompt").starts_with("<hook_context>PROBE-SessionStart"));
}

#[test]
fn prompt_context_stays_after_resume() {
    let mut client = Client::gemini();
    client.probe("BeforeAgent").listener("SessionStart");
    let outcome = client.run("PROMPT-ONE");
    assert_eq!(outcome.counts("PROBE-BeforeAgent"), [1], "{outcome}");
    client.home_file(".gemini/settings.json", r#"{"security":{"auth":{"selectedType":"gemini-api-key"}}}"#);
    let resumed = client.resume("PROMPT-TWO");
    assert_eq!(resumed.counts("PROBE-BeforeAgent"), [1], "{resumed}");
    assert!(resumed.last_turn().in_order(&["PROMPT-ONE", "PROBE-BeforeAgent", "PROMPT-TWO"]), "{resumed}");
}

/// Context at `SessionStart` loses the prompt: when the client reads the history back, it drops user messages that begin
/// with `<hook_context>`, and without a terminal that message is the prompt.
#[test]
fn session_context_takes_the_prompt_with_it_on_resume() {
    let mut client = Client::gemini();
    client.probe("SessionStart");
    let outcome = client.run("PROMPT-ONE");
    assert!(outcome.last_turn().in_order(&["PROBE-SessionStart-startup", "PROMPT-ONE"]), "{outcome}");
    let resumed = client.resume("PROMPT-TWO");
    assert_eq!(resumed.counts("PROBE-SessionStart-startup"), [0], "{resumed}");
    assert_eq!(resumed.counts("PROMPT-ONE"), [0], "{resumed}");
    assert!(resumed.last_turn().in_order(&["PROBE-SessionStart-resume", "PROMPT-TWO"]), "{resumed}");
}

/// In a terminal, session context is a separate message: on resume the prompt stays, the old context is lost, and the new
/// context of the resume's event never arrives.
#[test]
fn session_context_is_lost_on_resume_in_the_terminal() {
    let mut client = Client::gemini();
    client.probe("SessionStart").probe("BeforeAgent");
    client.interactive().submit("PROMPT-ONE").wait_for_turns(1);
    client.arg("--resume").arg("latest");
    let mut terminal = client.interactive();
    terminal.submit("PROMPT-TWO").wait_for_turns(1);
    let turns = terminal.turns();
    let turn = turns.last().expect("a turn");
    assert_eq!((turn.count("PROMPT-ONE"), turn.count("PROBE-BeforeAgent")), (1, 2), "{:#?}", turn.texts());
    assert_eq!(turn.count("PROBE-SessionStart"), 0, "{:#?}", turn.texts());
    drop(terminal);
    let calls = client.hook_calls();
    let starts: Vec<&str> = calls.iter().filter(|call| call.event == "SessionStart").map(|call| call.text("source")).collect();
    assert_eq!(starts, ["startup", "resume"]);
}

#[test]
fn compress_and_clear_in_the_terminal() {
    let mut client = Client::gemini();
    client.probe("SessionStart").probe("BeforeAgent").listener("PreCompress");
    // The client does not compress a small window, judging by the token counts that the model reports.
    let long = (0..3_000).map(|number| number.to_string()).collect::<Vec<_>>().join(" words ");
    let long = Reply::text(&long).input_tokens(60_000);
    client.script(Script::new().reply(long.clone()).reply(long));
    let mut terminal = client.interactive();
    terminal.submit("PROMPT-ONE").wait_for_turns(1);
    terminal.submit("PROMPT-TWO").wait_for_turns(2);
    terminal.command("/compress").wait_for_compaction();
    terminal.submit("PROMPT-THREE").wait_for_turns(3);
    terminal.command("/clear");
    terminal.submit("PROMPT-FOUR").wait_for_turns(4);
    let turns = terminal.turns();
    let count = |needle: &str| turns.iter().map(|turn| turn.count(needle)).collect::<Vec<_>>();
    assert_eq!(count("PROBE-SessionStart-startup"), [1, 1, 0, 0]);
    assert_eq!(count("PROBE-SessionStart-clear"), [0, 0, 0, 0], "the hook runs, and its context is dropped");
}
