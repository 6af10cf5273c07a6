//! `brief run` when something goes wrong: a clear message, and no child process left.

use std::process::Stdio;
use std::time::{Duration, Instant};

use briefing_testkit::{Outcome, Sandbox, binary, wait_until};

use super::run::project;

pub(crate) fn with_goal(text: &str) -> Sandbox {
    project().file("~/.config/brief/goals/g/prompt.yaml", text)
}

fn run(text: &str, words: &[&str]) -> Outcome {
    with_goal(text).brief(["run", "g"].iter().chain(words))
}

#[track_caller]
fn assert_told(outcome: &Outcome, parts: &[&str]) {
    for part in parts {
        assert!(outcome.stderr().contains(part), "{part:?} is not in {outcome}");
    }
    assert_eq!(outcome.stdout(), "");
}

#[test]
fn an_unknown_goal_suggests_a_near_name() {
    assert_told(&project().brief(["run", "reviw"]).code(1), &["there is no goal `reviw`", "did you mean `review`?", "brief goals"]);
    assert_told(&project().brief(["run"]).code(2), &["no goal was given", "`brief goals`"]);
    assert_told(&project().brief(["run", "-c", "src", "review"]).code(2), &["put the goal before `-c`"]);
}

#[test]
fn a_wrong_parameter_says_what_is_wanted() {
    let goal = "parameters:\n  - {name: n, type: number, required: true, description: How many}\n  - {name: c, choices: [x, y], required: true}\nprompt: p\n";
    assert_told(&run(goal, &["--", "--n", "many", "--c", "z"]).code(2), &["`many` is not a number", "`z` is not one of x, y", "--explain"]);
    assert_told(&run(goal, &[]).code(2), &["--n <number> is missing: How many", "--c <x|y> is missing"]);
    assert_told(&run(goal, &["--", "word"]).code(2), &["unexpected argument `word`"]);
}

#[test]
fn a_yaml_error_has_line_and_column() {
    assert_told(&run("name: x\nprompt: [a\n", &[]).code(1), &["cannot use the goal `g`", "prompt.yaml`:2:9: "]);
}

#[test]
fn a_yaml_error_speaks_of_the_file_and_not_of_our_code() {
    for (text, expected) in [
        ("prompt:\n", "prompt.yaml`:1:7: a text is missing"),
        ("prompt: [a]\n", "prompt.yaml`:1:9: expected a text"),
        ("prompt: p\nparameters: x\n", "prompt.yaml`:2:13: expected a list"),
        ("prompt: p\nparameters:\n - name:\n", "prompt.yaml`:3:8: a text is missing"),
        ("prompt: p\nparameters:\n - x\n", "prompt.yaml`:3:4: expected a table of names and values"),
        ("prompt: p\nparameters:\n - {name: a, required: 3}\n", "prompt.yaml`:3:24: expected true or false"),
        ("prompt: p\ncontext: {a: b}\n", "prompt.yaml`:2:10: expected a text or a list of texts"),
        ("prompt: p\npass_env: [[x]]\n", "prompt.yaml`:2:11: expected a text or a list of texts"),
        ("prompt: p\nprompt: q\n", "prompt.yaml`:2:1: `prompt` is given twice"),
        ("just text\n", "prompt.yaml`:1:1: expected a table of names and values"),
        ("", "prompt.yaml`:1:1: the file ends too early"),
        ("prompt: p\n---\nprompt: q\n", "more than one YAML document"),
    ] {
        let outcome = run(text, &[]).code(1);
        assert_told(&outcome, &[expected]);
        for leaked in ["Option<", "String>", "enum", "deserialize", "Policy", "scalar", "mapping", "sequence"] {
            assert!(!outcome.stderr().contains(leaked), "{leaked:?} in {outcome}");
        }
    }
}

#[test]
fn a_template_error_has_its_line() {
    assert_told(&run("prompt: |\n  one\n  {% if %}\n", &[]).code(1), &["cannot render the goal `g`: its prompt", "line 2, column 7"]);
    assert_told(&run("prompt: '{{ Args.nope }}'\n", &[]).code(1), &["Args.nope", "default(value="]);
    assert_told(&run("context_scripts: {s: 'echo {{ x'}\nprompt: p\n", &[]).code(1), &["the script `s`"]);
}

#[test]
fn a_script_that_fails_shows_its_complaint() {
    let outcome = run("context_scripts:\n  bad: echo oops >&2; exit 3\n  slow: sleep 30\nprompt: p\n", &[]).code(1);
    assert_told(&outcome, &["a script of the goal `g` failed", "`bad` ended with exit code 3", "oops"]);
    assert!(!outcome.stderr().contains("slow"), "{outcome}");
    let long = run("context_scripts:\n  bad: seq 9999 >&2; exit 1\nprompt: p\n", &[]).code(1);
    assert_told(&long, &["    9999\n"]);
    assert!(long.stderr().len() < 10_000, "{long}");
}

/// Returns whether a process of this sandbox with `marker` in its command line is alive.
pub(crate) fn is_alive(sandbox: &Sandbox, marker: &str) -> bool {
    let holds = |path: std::path::PathBuf, part: &str| {
        std::fs::read(path).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).replace('\0', " ").contains(part))
    };
    let home = format!("HOME={}", sandbox.home().display());
    let mut processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes.any(|entry| holds(entry.path().join("cmdline"), marker) && holds(entry.path().join("environ"), &home))
}

#[test]
fn a_script_that_hangs_is_ended_with_its_children() {
    let goal = "context_scripts:\n  hang: trap '' TERM; sleep 7611 | cat; sleep 7611\nprompt: p\n";
    let started = Instant::now();
    let sandbox = with_goal(goal).env("BRIEF_GOALS_SCRIPT_TIMEOUT_MS", "300");
    let outcome = sandbox.brief(["run", "g"]).code(1);
    assert_told(&outcome, &["`hang` took longer than 300 ms", "goals.script_timeout_ms"]);
    assert!(started.elapsed() < Duration::from_secs(10));
    wait_until("the children are gone", || !is_alive(&sandbox, "sleep 7611"));
}

#[test]
fn what_a_script_leaves_running_does_not_hold_us() {
    let started = Instant::now();
    let sandbox = with_goal("context_scripts:\n  s: sleep 7622 & echo done\nprompt: '{{ Context.s }}'\n");
    let outcome = sandbox.brief(["run", "g", "--receiver", "stdout"]).success();
    assert_eq!(outcome.stdout(), "done");
    assert!(started.elapsed() < Duration::from_secs(10));
    wait_until("it is ended", || !is_alive(&sandbox, "sleep 7622"));
}

#[test]
fn a_script_that_prints_binary_or_too_much_is_refused() {
    assert_told(&run("context_scripts:\n  b: printf '\\377\\376\\000'\nprompt: p\n", &[]).code(1), &["`b` printed binary data"]);
    let endless = with_goal("context_scripts:\n  e: yes\nprompt: p\n").env("BRIEF_GOALS_SCRIPT_OUTPUT_KB", "64");
    assert_told(&endless.brief(["run", "g"]).code(1), &["`e` printed more than 64 KB", "goals.script_output_kb"]);
}

#[test]
fn a_receiver_that_cannot_be_used_says_why() {
    let with = |command: &str| project().env("BRIEF_LLM_COMMAND", command).brief(["run", "review"]).code(1);
    assert_told(&with("no-such-program"), &["the receiver `no-such-program` is not installed", "--receiver stdout"]);
    assert_told(&with("/nonexistent/llm"), &["`/nonexistent/llm` is not installed", "in `[HOME]/.config/brief/brief.toml`"]);
    let elsewhere = project().env("BRIEF_LLM_COMMAND", "no-such-program").env("XDG_CONFIG_HOME", "/srv/config");
    let outcome = elsewhere.brief(["run", "explain", "-c"]).code(1);
    assert_told(&outcome, &["in `/srv/config/brief/brief.toml`"]);
    assert_told(&with("sh -c 'echo sorry >&2; exit 7'"), &["sorry", "ended with exit code 7", "--dry-run"]);
    assert_told(&with("open 'quote"), &["cannot be split into words"]);
    assert_told(
        &project().brief(["run", "review", "--receiver", "stdot"]).code(1),
        &["unknown receiver `stdot`", "did you mean `stdout`?"],
    );
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let sandbox = project().env("BRIEF_LLM_COMMAND", "yes");
    let output = sandbox.command("bash").args(["-c", "brief run review | head -n 1; echo ${PIPESTATUS[0]}"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "Please review.\n0\n");
}

#[test]
fn a_failed_answer_leaves_the_file_as_it_was() {
    let sandbox = project().file("answer.md", "before").env("BRIEF_LLM_COMMAND", "sh -c 'echo half; exit 1'");
    let _ = sandbox.brief(["run", "review", "-o", "answer.md"]).code(1);
    assert_eq!(sandbox.read("answer.md"), "before");
    assert_eq!(std::fs::read_dir(sandbox.root()).unwrap().count(), 2, "nothing else is left: .git and the file");
}

/// Starts a goal, sends a signal once `marker` runs, and returns the exit code and stderr.
fn stopped(sandbox: &Sandbox, marker: &str, signal: &str) -> (Option<i32>, String) {
    let mut command = sandbox.command(binary());
    let child = command.args(["run", "g"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until(marker, || is_alive(sandbox, marker));
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args([signal, &id]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    wait_until("the children are gone", || !is_alive(sandbox, marker));
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn ctrl_c_ends_scripts_and_their_children() {
    let goal = with_goal("context_scripts:\n  s: sleep 7633 | cat\nprompt: p\n");
    assert_eq!(stopped(&goal, "sleep 7633", "-INT"), (Some(130), "stopped\n".into()));
    let stubborn = with_goal("context_scripts:\n  s: trap '' TERM INT; sleep 7644; sleep 7644\nprompt: p\n");
    assert_eq!(stopped(&stubborn, "sleep 7644", "-TERM"), (Some(143), "stopped\n".into()));
}

#[test]
fn ctrl_c_ends_the_receiver_and_its_children() {
    let goal = with_goal("prompt: p\n").env("BRIEF_LLM_COMMAND", "sh -c 'sleep 7655; true'");
    assert_eq!(stopped(&goal, "sleep 7655", "-INT"), (Some(130), "stopped\n".into()));
}
