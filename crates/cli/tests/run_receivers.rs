//! The ready-made receivers of `brief run`: agents and an endpoint. Panes of tmux are in `tools/tmux.rs`.

use std::os::unix::fs::PermissionsExt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use briefing_testkit::Sandbox;
use briefing_testkit::http::{Response, Server};

use super::run::project;

/// A project without `llm_command`, and programs with these names that record their arguments and standard input.
pub(crate) fn with_agents(names: &[&str]) -> Sandbox {
    let mut sandbox = project().file("~/.config/brief/brief.toml", "");
    for name in names {
        let program = format!("#!/bin/sh\nprintf '%s\\n' {name} \"$@\" > words\n[ -t 0 ] || cat > stdin\necho answered\n");
        sandbox = sandbox.file(format!("~/bin/{name}"), program);
        std::fs::set_permissions(sandbox.home().join("bin").join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let own = briefing_testkit::binary();
    let path = format!("{}:{}:{}", sandbox.home().join("bin").display(), own.parent().unwrap().display(), std::env::var("PATH").unwrap());
    sandbox.env("PATH", path)
}

#[test]
fn agents_get_the_prompt_on_standard_input_without_a_terminal() {
    let sandbox = with_agents(&["claude", "codex", "gemini"]);
    let cases: [(&[&str], &str); 4] = [
        (&[], "claude\n-p\n"),
        (&["--receiver", "claude"], "claude\n-p\n"),
        (&["--receiver", "codex"], "codex\nexec\n--skip-git-repo-check\n-\n"),
        (&["--receiver", "gemini"], "gemini\n"),
    ];
    for (flags, words) in cases {
        let outcome = sandbox.brief(["run", "review"].iter().chain(flags)).success();
        assert_eq!(outcome.stdout(), "answered\n", "{outcome}");
        assert_eq!((sandbox.read("words").as_str(), sandbox.read("stdin").as_str()), (words, "Please review."));
    }
}

#[test]
fn claws_own_settings_are_understood() {
    // The defaults of claw: the type `ClaudeCli` and an empty template.
    let sandbox = with_agents(&["claude"])
        .file("~/.config/claw/claw.yaml", "llm_command: claude\nreceiver_type: ClaudeCli\nprompt_arg_template: \"\"\n");
    let _ = sandbox.brief(["run", "review"]).success();
    assert_eq!((sandbox.read("words").as_str(), sandbox.read("stdin").as_str()), ("claude\n-p\n", "Please review."));
    // Settings are merged one by one: once trusted, the project's template applies to the user's command.
    let merged = with_agents(&["claude"])
        .file("~/.config/claw/claw.yaml", "llm_command: claude\nreceiver_type: Generic\n")
        .file(".claw/claw.yaml", "prompt_arg_template: --verbose {{prompt}}\n");
    let _ = merged.brief(["trust", "--yes"]).success();
    let _ = merged.brief(["run", "review"]).success();
    assert_eq!(merged.read("words"), "claude\n--verbose\nPlease review.\n");
}

#[test]
fn an_endpoint_answers() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let api = Server::start(move |request| {
        log.lock().unwrap().push(String::from_utf8_lossy(&request.body).into_owned());
        let piece = |text: &str| format!("data: {}\n\n", serde_json::json!({ "choices": [{ "delta": { "content": text } }] }));
        Response::events(format!("{}{}data: [DONE]\n\n", piece("It is"), piece(" fine.")))
    });
    let api = api.unwrap();
    let sandbox = project().env("BRIEF_LLM_BASE_URL", format!("{}/v1", api.url())).env("BRIEF_RECEIVER_TYPE", "openai");
    let outcome = sandbox.brief(["run", "review"]).success();
    assert_eq!(outcome.stdout(), "It is fine.\n");
    assert!(seen.lock().unwrap()[0].contains("Please review.") && seen.lock().unwrap()[0].contains("\"stream\":true"), "{seen:?}");
    let _ = sandbox.brief(["run", "review", "-o", "answer.md"]).success();
    assert_eq!(sandbox.read("answer.md"), "It is fine.");
    let silent = Server::start(|_| {
        std::thread::sleep(Duration::from_secs(3));
        Response::json("{}")
    });
    let silent = silent.unwrap();
    let slow = sandbox.env("BRIEF_LLM_BASE_URL", format!("{}/v1", silent.url())).env("BRIEF_GOALS_ANSWER_TIMEOUT_MS", "200");
    let outcome = slow.brief(["run", "review"]).code(1);
    assert!(outcome.stdout().is_empty() && outcome.stderr().contains("200 ms"), "{outcome}");
}
