//! Questions in a terminal, which `script` of util-linux provides, and the effect of each answer.

use std::process::Stdio;

use briefing_testkit::Sandbox;

use crate::run::project;
use crate::run_bad_input::{is_alive, with_goal};
use crate::run_receivers::with_agents;
use crate::run_trust::with_untrusted_goal;

/// Runs a command in a terminal and types `keys` after the shell command `wait`. Returns the screen and the exit code.
pub(super) fn at_terminal(sandbox: &Sandbox, command: &str, wait: &str, keys: &str) -> (String, Option<i32>) {
    let script = format!("({wait}; printf '{keys}'; sleep 1) | script -qec '{command}' /dev/null");
    let output = sandbox.command("bash").args(["-c", &script]).stderr(Stdio::inherit()).output().unwrap();
    (String::from_utf8_lossy(&output.stdout).replace('\r', ""), output.status.code())
}

/// Answers the one question that a command asks.
fn answer(sandbox: &Sandbox, command: &str, answer: &str) -> (String, Option<i32>) {
    at_terminal(sandbox, command, "sleep 1", &format!("{answer}\\n"))
}

#[test]
fn pack_asks_whether_to_go_on_without_what_is_missing() {
    let sandbox = Sandbox::new().file("ok.txt", "fine\n");
    let command = "brief pack ok.txt missing --format plain";
    let (screen, code) = answer(&sandbox, command, "y");
    assert!(code == Some(0) && screen.contains("Continue with the 1 file that can be used? [y/N]") && screen.contains("fine"), "{screen}");
    let (screen, code) = answer(&sandbox, command, "n");
    assert!(code == Some(1) && screen.contains("stopped; nothing was written") && !screen.contains("=== ok.txt"), "{screen}");
}

#[test]
fn ac5_over_the_file_limit_the_person_decides() {
    let mut sandbox = project();
    for index in 0..60 {
        sandbox = sandbox.file(format!("many/{index:02}.txt"), format!("CONTENT-{index:02}"));
    }
    for (given, is_sent) in [("n", false), ("y", true)] {
        let (screen, _) = answer(&sandbox, "brief run review -c many", given);
        assert!(screen.contains("Continue with the 50 files that can be used? [y/N]"), "{screen}");
        assert_eq!(sandbox.path("got").exists(), is_sent, "{screen}");
    }
}

#[test]
fn without_a_goal_one_can_be_chosen() {
    let sandbox = project();
    let chosen = |given: &str| answer(&sandbox, "brief run --dry-run", given).0;
    let screen = chosen("5");
    assert!(screen.contains("  1  code-review     Reviews a diff, the worst problems first\n"), "{screen}");
    assert!(screen.contains("  5  review\n") && screen.contains("Which goal?") && screen.contains("Please review."), "{screen}");
    assert!(chosen("review").contains("Please review."));
    assert!(chosen("99").contains("there is no goal `99`"));
    assert!(chosen("").contains("no goal was given"));
}

#[test]
fn trust_is_asked_for_and_the_answer_is_kept() {
    let sandbox = with_untrusted_goal();
    let answered = |given: &str| answer(&sandbox, "brief run mine", given).0;
    let screen = answered("n");
    assert!(screen.contains("Trust this until it changes, and continue? [y/N]") && screen.contains("nothing was run"), "{screen}");
    assert!(!sandbox.path("ran").exists());
    let screen = answered("y");
    assert!(screen.contains("the answer"), "{screen}");
    assert!(answered("").contains("the answer"), "it is asked once");
}

#[test]
fn a_new_goal_is_trusted_if_the_person_agrees_to_what_it_runs() {
    for (given, is_trusted) in [("n", false), ("y", true)] {
        let sandbox = project();
        let (screen, code) = answer(&sandbox, "brief goal add notes --from release-notes", given);
        assert!(
            code == Some(0) && screen.contains("  runs log:\n") && screen.contains("Trust it to run this until it changes? [y/N]"),
            "{screen}"
        );
        assert_eq!(!sandbox.brief(["goals"]).success().stdout().contains("not trusted yet"), is_trusted, "{screen}");
    }
}

#[test]
fn a_moved_project_is_asked_about_once() {
    let sandbox = Sandbox::new()
        .file("old/.git/HEAD", "")
        .file("old/.context/goals/a/prompt.yaml", "context_scripts: {s: echo secret plan}\nprompt: A {{ Context.s }}")
        .file("old/.context/goals/b/prompt.yaml", "prompt: B");
    let _ = sandbox.at("old").brief(["trust", "--yes"]).success();
    std::fs::rename(sandbox.path("old"), sandbox.path("new")).unwrap();
    let moved = sandbox.at("new");
    let (screen, _) = answer(&moved, "brief run a --receiver stdout", "n");
    assert!(screen.contains("/old`, which is gone. Trust it here as well? [y/N]") && screen.contains("nothing was run"), "{screen}");
    assert!(!screen.contains("echo secret plan"), "one question, not everything again: {screen}");
    let (screen, _) = answer(&moved, "brief run a --receiver stdout", "y");
    assert!(screen.contains("A secret plan"), "{screen}");
    assert_eq!(moved.brief(["run", "b", "--receiver", "stdout"]).success().stdout(), "B", "the answer is for the whole project");
}

#[test]
fn agents_start_a_session_at_a_terminal() {
    let sandbox = with_agents(&["claude", "codex", "gemini"]);
    for (name, words) in
        [("claude", "claude\nPlease review.\n"), ("codex", "codex\nPlease review.\n"), ("gemini", "gemini\n-i\nPlease review.\n")]
    {
        let (screen, code) = at_terminal(&sandbox, &format!("brief run review --receiver {name}"), "true", "");
        assert_eq!(code, Some(0), "{screen}");
        assert_eq!(sandbox.read("words"), words);
        assert!(!sandbox.path("stdin").exists(), "the terminal is theirs");
    }
}

#[test]
fn ctrl_c_ends_all_and_the_terminal_is_as_before() {
    let sandbox = with_goal("context_scripts:\n  s: touch started; sleep 7666\nprompt: p\n")
        .file("~/.config/brief/goals/raw/prompt.yaml", "prompt: p\n")
        .env("BRIEF_LLM_COMMAND", "sh -c 'stty raw -echo; kill -KILL $$'");
    let wait = "until [ -e started ]; do sleep 0.1; done; sleep 2";
    let (screen, code) = at_terminal(&sandbox, "brief run g", wait, "\\003");
    assert!(screen.contains("running s: 0 of 1 done"), "a line tells what is going on: {screen}");
    assert!(screen.contains("stopped") && code == Some(130), "{screen}");
    assert!(!is_alive(&sandbox, "sleep 7666"));
    let (screen, _) = at_terminal(&sandbox, "stty -a > before; brief run raw; stty -a > after", wait, "");
    assert!(screen.contains("signal 9"), "{screen}");
    assert_eq!(sandbox.read("before"), sandbox.read("after"));
}
