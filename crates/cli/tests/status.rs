//! `brief status`: one line for a status bar.

use briefing_testkit::Sandbox;
use serde_json::{Value, json};

fn project() -> Sandbox {
    Sandbox::new().file(".git/HEAD", "").file(".megg/info.md", "# Shop\n").file(".context/CONSTITUTION.md", "# Rules\n\nBe kind.\n")
}

fn status(sandbox: &Sandbox, input: &Value) -> String {
    let outcome = sandbox.brief_with_input(["status"], input.to_string()).success();
    assert_eq!(outcome.stderr(), "");
    outcome.stdout()
}

#[test]
fn it_says_what_the_window_holds() {
    let sandbox = project();
    let input =
        json!({ "session_id": "s-1", "cwd": sandbox.root(), "workspace": { "current_dir": sandbox.root() }, "model": { "id": "m" } });
    assert_eq!(status(&sandbox, &input), "brief: nothing delivered yet\n");
    sandbox.hook(["claude", "SessionStart"], &json!({ "source": "startup" }));
    sandbox.hook(["claude", "PostToolBatch"], &json!({ "tool_calls": [{ "tool_use_id": "1" }] }));
    let line = status(&sandbox, &input);
    assert!(line.starts_with("brief: 2 files, ") && line.ends_with(" · last CONSTITUTION.md\n"), "{line}");
    assert_eq!(line.lines().count(), 1);
    assert_eq!(status(&sandbox, &json!({ "session_id": "another", "cwd": sandbox.root() })), "brief: nothing delivered yet\n");
    // After a compaction, the window holds what came since.
    sandbox.hook(["claude", "SessionStart"], &json!({ "source": "compact" }));
    assert!(status(&sandbox, &input).contains("last CONSTITUTION.md, info.md"), "{}", status(&sandbox, &input));
}

#[test]
fn without_input_it_is_the_last_session_of_the_project() {
    let sandbox = project().directory("docs");
    sandbox.hook(["claude", "SessionStart"], &json!({ "source": "startup" }));
    for here in [sandbox.clone(), sandbox.at("docs")] {
        for input in ["", "not json", "[]", "{\"session_id\": 5}"] {
            let outcome = here.brief_with_input(["status"], input).success();
            assert!(outcome.stdout().starts_with("brief: 1 file, "), "{input}: {outcome}");
        }
    }
    assert_eq!(Sandbox::new().brief(["status"]).success().stdout(), "brief: nothing delivered yet\n");
}

#[test]
fn the_same_for_programs() {
    let sandbox = project();
    let json = |sandbox: &Sandbox| -> Value { serde_json::from_slice(&sandbox.brief(["status", "--json"]).success().stdout).unwrap() };
    assert_eq!(json(&sandbox), json!({ "window": null }));
    sandbox.hook(["claude", "SessionStart"], &json!({ "source": "startup" }));
    let window = &json(&sandbox)["window"];
    assert_eq!(
        (&window["agent"], &window["files"], &window["queued"], &window["lost"]),
        (&"claude".into(), &1.into(), &0.into(), &0.into())
    );
    assert!(window["tokens"].as_u64().unwrap() > 0);
}

#[test]
fn help_has_a_snippet_for_the_status_line() {
    let help = project().brief(["status", "--help"]).success().stdout();
    assert!(help.contains(r#""statusLine": { "type": "command", "command": "brief status" }"#), "{help}");
    let _ = project().brief(["status", "--nonsense"]).code(2);
}
