//! Compactions that the transcript decides about, with the real agents.

use briefing_testkit::clients::Client;
use briefing_testkit::model_api::{Kind, Reply, Script};

use crate::{assert_whole, briefed, log};

/// The client asks for a summary, finds it too long, and keeps its window.
pub(crate) fn declined(agent: &str) {
    let mut client = briefed(Client::named(agent), agent);
    client.file(".context/CONSTITUTION.md", "RULE-ONE\n");
    client.script(Script::new().text("one").text("two"));
    let mut terminal = client.interactive();
    terminal.submit("PROMPT-ONE").wait_for_turns(1);
    terminal.command("/compress").wait_for_compaction();
    terminal.submit("PROMPT-TWO").wait_for_turns(2);
    let turns = terminal.turns();
    let turn = turns.last().unwrap();
    drop(terminal);
    assert_eq!(turn.count("PROMPT-ONE"), 1, "the window is as it was\n{}", turn.text());
    assert_whole(turn, &log(&client));
    assert_eq!(turn.count("RULE-ONE"), 1, "{}", log(&client));
}

/// Qwen's session text is part of the system prompt, which stays; everything else comes again.
pub(crate) fn compressed(agent: &str) {
    let mut client = briefed(Client::named(agent), agent);
    client.file(".context/CONSTITUTION.md", "RULE-ONE\n");
    let long = Reply::text(&"words ".repeat(2_000)).input_tokens(60_000);
    client.script(Script::new().reply(long.clone()).reply(long).summary_tokens(50_000));
    let mut terminal = client.interactive();
    terminal.submit("PROMPT-ONE").wait_for("an answer", |requests| requests.iter().any(|request| request.contains("PROMPT-ONE")));
    terminal.command("/compress").wait_for_compaction();
    terminal
        .submit("PROMPT-THREE")
        .wait_for("the next one", |requests| requests.iter().any(|request| request.kind == Kind::Turn && request.contains("PROMPT-THREE")));
    let turns = terminal.turns();
    let turn = turns.iter().rfind(|turn| turn.contains("PROMPT-THREE")).unwrap();
    drop(terminal);
    assert_eq!(turn.count("PROMPT-ONE"), 0, "the window was emptied\n{}", turn.text());
    assert_whole(turn, &log(&client));
    assert_eq!(turn.count("RULE-ONE"), 1, "{}", log(&client));
}
