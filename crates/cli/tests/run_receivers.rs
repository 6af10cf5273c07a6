//! The ready-made receivers of `brief run`: agents, an endpoint, a tmux pane.

use std::os::unix::fs::PermissionsExt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use briefing_testkit::http::{Response, Server};
use briefing_testkit::{Sandbox, wait_until};

use super::run::project;

/// A project without `llm_command`, and programs of these names that record their words and standard input.
fn with_agents(names: &[&str]) -> Sandbox {
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
fn agents_start_a_session_at_a_terminal() {
    let sandbox = with_agents(&["claude", "codex", "gemini"]);
    for (name, words) in
        [("claude", "claude\nPlease review.\n"), ("codex", "codex\nPlease review.\n"), ("gemini", "gemini\n-i\nPlease review.\n")]
    {
        let script = format!("script -qec 'brief run review --receiver {name}' /dev/null");
        let output = sandbox.command("sh").args(["-c", &script]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        assert_eq!(sandbox.read("words"), words);
        assert!(!sandbox.path("stdin").exists(), "the terminal is theirs");
    }
}

#[test]
fn claws_own_settings_are_understood() {
    // As claw ships it: the kind `ClaudeCli`, and an empty template.
    let sandbox = with_agents(&["claude"])
        .file("~/.config/claw/claw.yaml", "llm_command: claude\nreceiver_type: ClaudeCli\nprompt_arg_template: \"\"\n");
    let _ = sandbox.brief(["run", "review"]).success();
    assert_eq!((sandbox.read("words").as_str(), sandbox.read("stdin").as_str()), ("claude\n-p\n", "Please review."));
    // Field by field: the project's template is put to the user's command, once it is trusted.
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

#[test]
fn a_pane_gets_the_prompt_as_one_paste() {
    let sandbox = project();
    let socket = sandbox.root().join("tmux.socket").to_string_lossy().into_owned();
    let tmux = |words: &[&str]| sandbox.command("tmux").args(["-S", &socket]).args(words).output().unwrap();
    let program = r#"bash -c 'stty -icanon -echo; printf "\033[?2004hREADY\n"; while IFS= read -r -n1 -d "" c; do printf "%s" "$c" >> pasted; printf "%s" "$c"; done'"#;
    assert!(tmux(&["new-session", "-d", "-x", "150", "-y", "40", "-s", "t", program]).status.success());
    wait_until("the program is ready", || String::from_utf8_lossy(&tmux(&["capture-pane", "-p", "-t", "t"]).stdout).contains("READY"));
    let inside = sandbox.clone().env("TMUX", format!("{socket},1,0"));
    let outcome = inside.brief(["run", "review", "--receiver", "tmux:t"]).success();
    assert_eq!(outcome.stdout(), "");
    wait_until("the prompt is one paste", || sandbox.read("pasted").contains("\u{1b}[200~Please review.\u{1b}[201~"));
    let outcome = inside.brief(["run", "review", "--receiver", "tmux:nosuch"]).code(1);
    assert!(outcome.stderr().contains("list-panes"), "{outcome}");
    let _ = inside.brief(["run", "review", "--receiver", "tmux:t", "-o", "x"]).code(2);
    assert!(tmux(&["kill-server"]).status.success());
}
