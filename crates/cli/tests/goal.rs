//! `brief goal add|check`, the goals that come with brief, and drafts by a model.

use std::os::unix::fs::PermissionsExt;

use briefing_testkit::Sandbox;

use super::run::project;

fn git(sandbox: &Sandbox, script: &str) {
    let script = format!("set -e; git config --global user.email a@b; git config --global user.name A; {script}");
    let output = sandbox.command("sh").args(["-c", &script]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_new_goal_is_commented_sound_and_never_overwritten() {
    let sandbox = project().file("sub/x", "");
    let outcome = sandbox.at("sub").brief(["goal", "add", "mine"]).success();
    assert_eq!(outcome.stdout(), "[ROOT]/.context/goals/mine/prompt.yaml\n");
    assert!(outcome.stderr().contains("brief trust"), "{outcome}");
    assert!(sandbox.read(".context/goals/mine/prompt.yaml").starts_with("# The goal mine."));
    let outcome = sandbox.brief(["goal", "check", "mine"]).success();
    assert_eq!(outcome.stdout(), "ok  mine  (.context/goals/mine)\n");
    let _ = sandbox.brief(["trust", "--yes"]).success();
    let printed = sandbox.brief(["run", "mine", "--dry-run"]).success();
    assert!(printed.stdout().starts_with("Tell me about everything in this project."), "{printed}");
    let again = sandbox.brief(["goal", "add", "mine"]).code(1);
    assert!(again.stderr().contains("already exists"), "{again}");
    for name in ["../evil", "a/b", ".hidden", "two words", ""] {
        let _ = sandbox.brief(["goal", "add", "--", name]).code(2);
    }
    let own = sandbox.brief(["goal", "add", "mine", "--user"]).success();
    assert_eq!(own.stdout(), "[HOME]/.config/brief/goals/mine/prompt.yaml\n");
}

#[test]
fn a_new_goal_goes_where_the_projects_goals_are() {
    let sandbox = Sandbox::new().directory(".git").directory(".claw").file("sub/x", "");
    let outcome = sandbox.at("sub").brief(["goal", "add", "mine"]).success();
    assert_eq!(outcome.stdout(), "[ROOT]/.claw/goals/mine/prompt.yaml\n");
    let both = sandbox.clone().directory(".context");
    assert_eq!(both.brief(["goal", "add", "other"]).success().stdout(), "[ROOT]/.context/goals/other/prompt.yaml\n");
    let nearest = both.directory("sub/.claw");
    assert_eq!(nearest.at("sub").brief(["goal", "add", "third"]).success().stdout(), "[ROOT]/sub/.claw/goals/third/prompt.yaml\n");
}

#[test]
fn a_new_goal_is_trusted_once_its_scripts_were_shown_and_confirmed() {
    let sandbox = project();
    let outcome = sandbox.brief(["goal", "add", "mine", "--from", "release-notes", "--trust"]).success();
    assert!(outcome.stderr().contains("  runs log:\n    git rev-parse"), "what it runs is shown: {outcome}");
    assert!(outcome.stderr().contains("trusted `mine`") && !outcome.stderr().contains("`brief trust` allows"), "{outcome}");
    assert!(!sandbox.brief(["goals"]).success().stdout().contains("not trusted yet"));
    // Without a terminal and without the flag, it is not.
    let other = sandbox.brief(["goal", "add", "other", "--from", "release-notes"]).success();
    assert!(other.stderr().contains("`brief trust` allows it to run here"), "{other}");
    assert!(sandbox.brief(["goals"]).success().stdout().contains("not trusted yet"));
    // What was trusted is what was shown.
    sandbox.write(".context/goals/mine/prompt.yaml", "context_scripts: {s: touch ran}\nprompt: p\n");
    let _ = sandbox.brief(["run", "mine"]).code(1);
    assert!(!sandbox.path("ran").exists());
}

#[test]
fn template_errors_are_one_readable_line() {
    let sandbox = project()
        .file(".context/goals/bad/prompt.yaml", "context_scripts: {s: 'echo {{ x'}\nprompt: |\n  one {{ Context.s }}\n  {% if %}\n");
    let outcome = sandbox.brief(["goal", "check", "bad"]).code(1);
    assert!(!outcome.stdout().contains("\\n"), "{outcome}");
    assert!(
        outcome.stdout().contains("    error: the prompt: line 2, column 7: expected a value that can be negated: `{% if %}`\n"),
        "{outcome}"
    );
    assert!(outcome.stdout().contains("    error: the script `s`: line 1, column 10: expected "), "{outcome}");
    let _ = sandbox.brief(["trust", "--yes"]).success();
    let run = sandbox.brief(["run", "bad"]).code(1);
    assert!(run.stderr().contains("  caused by: line 1, column 10: expected ") && !run.stderr().contains("-->"), "{run}");
}

#[test]
fn bundled_goals_say_that_there_are_no_commits() {
    let sandbox = Sandbox::new().file("a.rs", "fn a() {}\n");
    git(&sandbox, "git init -q .; git add .");
    for goal in ["code-review", "release-notes"] {
        let outcome = sandbox.brief(["run", goal, "--receiver", "stdout"]).code(1);
        assert!(outcome.stderr().contains("there are no commits yet") && !outcome.stderr().contains("fatal"), "{outcome}");
    }
    assert!(sandbox.brief(["run", "commit-message", "--receiver", "stdout"]).success().stdout().contains("+fn a() {}"));
}

#[test]
fn a_bundled_goal_can_be_taken_over() {
    let sandbox = project();
    let _ = sandbox.brief(["goal", "add", "code-review", "--from", "code-review", "--user"]).success();
    assert!(sandbox.brief(["goals"]).success().stdout().contains("bundled:code-review  (shadowed by ~/.config/brief/goals/code-review)"));
    let outcome = sandbox.brief(["goal", "add", "x", "--from", "code-reviw"]).code(2);
    assert!(outcome.stderr().contains("did you mean `code-review`?"), "{outcome}");
}

#[test]
fn check_finds_what_is_wrong_and_leaves_the_rest_alone() {
    let sandbox = project()
        .file(".context/goals/bad/prompt.yaml", "prompt: |\n  {{ Context.nope }}\n  {% include \"gone.md\" %}\n")
        .file(".claw/goals/worse/prompt.yaml", "prompt: [\n");
    let outcome = sandbox.brief(["goal", "check"]).code(1);
    for line in [
        "broken  bad  (.context/goals/bad)\n",
        "    error: the prompt uses `Context.nope`, but no script has that name\n",
        "    error: the prompt includes `gone.md`, which is not in the goal's directory\n",
        "broken  worse  (.claw/goals/worse)\n",
        "ok  review  (~/.config/brief/goals/review)\n",
        "ok  write-tests  (bundled:write-tests)\n",
    ] {
        assert!(outcome.stdout().contains(line), "{line}: {outcome}");
    }
    assert!(outcome.stderr().contains("2 goals are broken"), "{outcome}");
    let _ = sandbox.brief(["goal", "check", "review"]).success();
    let _ = sandbox.brief(["goal", "check", "worse"]).code(1);
    assert!(sandbox.brief(["goal", "check", "reviw"]).code(1).stderr().contains("did you mean `review`?"));
}

#[test]
fn bundled_goals_work_at_once() {
    let sandbox = Sandbox::new().file("src/lib.rs", "fn old() {}\n").file("tests/a.rs", "// like this\n");
    git(&sandbox, "git init -q .; git add .; git commit -qm 'Feature: one thing'; git tag v1");
    sandbox.write("src/lib.rs", "fn new() {}\n");
    let prompt = |words: &[&str]| sandbox.brief([&["run"], words].concat().iter().chain(&["--receiver", "stdout"])).success().stdout();
    let with = |words: &[&str], parameters: &[&str]| {
        let all: Vec<&str> = [&["run"], words, &["--receiver", "stdout", "--"], parameters].concat();
        sandbox.brief(all).success().stdout()
    };
    let review = prompt(&["code-review"]);
    assert!(review.contains("-fn old() {}\n+fn new() {}") && !review.contains("# Context Files"), "{review}");
    assert!(with(&["code-review"], &["--guide", "tests"]).contains("### tests/a.rs"));
    git(&sandbox, "git add .");
    let message = prompt(&["commit-message"]);
    assert!(message.contains("+fn new() {}") && message.contains("Feature: one thing"), "{message}");
    git(&sandbox, "git commit -qm 'Fix: another thing'");
    let notes = prompt(&["release-notes"]);
    assert!(notes.contains("Commits in v1..HEAD") && notes.contains("- Fix: another thing") && !notes.contains("one thing"), "{notes}");
    assert!(with(&["release-notes"], &["--to", "v1"]).contains("- Feature: one thing"));
    let explained = prompt(&["explain"]);
    assert!(explained.contains("### src/lib.rs") && explained.contains("### tests/a.rs"), "{explained}");
    let tests = with(&["write-tests"], &["--file", "src/lib.rs", "--like", "tests/a.rs"]);
    assert!(tests.contains("Follow the manner") && tests.contains("### src/lib.rs") && tests.contains("### tests/a.rs"), "{tests}");
    // With nothing to work on, there is a message and no prompt is sent.
    let nothing = sandbox.brief(["run", "commit-message", "--receiver", "stdout"]).code(1);
    assert!(nothing.stderr().contains("nothing is staged"), "{nothing}");
    assert!(sandbox.brief(["run", "write-tests"]).code(2).stderr().contains("--file <path> is missing: The file to test"));
}

/// A sandbox whose `claude` answers with the files `answer1`, `answer2`, … in turn, and records the requests.
fn with_model(answers: &[&str]) -> Sandbox {
    let mut sandbox = Sandbox::new().directory(".git").file(
        "~/bin/claude",
        "#!/bin/sh\nn=$(($(cat ~/n 2>/dev/null || echo 0) + 1)); echo $n > ~/n\necho \"$*\" > ~/words\ncat > ~/request$n\ncat ~/answer$n\n",
    );
    std::fs::set_permissions(sandbox.home().join("bin/claude"), std::fs::Permissions::from_mode(0o755)).unwrap();
    for (index, answer) in answers.iter().enumerate() {
        sandbox = sandbox.file(format!("~/answer{}", index + 1), answer);
    }
    let path = format!("{}:{}", sandbox.home().join("bin").display(), std::env::var("PATH").unwrap());
    sandbox.env("PATH", path)
}

const GOOD: &str = "Here you are:\n```yaml\nname: Migrations\ncontext_scripts:\n  log: git log -- migrations\nprompt: |\n  Review {{ Context.log }}\n```\n";

#[test]
fn a_model_can_draft_a_goal_and_is_held_to_the_rules() {
    let sandbox = with_model(&[GOOD]);
    let outcome = sandbox.brief(["goal", "add", "m", "--with-llm", "review our migrations"]).success();
    assert!(outcome.stderr().contains("  runs log:\n    git log -- migrations\n"), "what was drafted is shown: {outcome}");
    assert!(sandbox.read(".context/goals/m/prompt.yaml").starts_with("name: Migrations\n"));
    let request = sandbox.read(sandbox.home().join("request1"));
    assert!(request.contains("review our migrations") && request.contains("`m`") && request.contains("context_scripts"), "{request}");
    assert_eq!(sandbox.read(sandbox.home().join("words")), "-p\n");
    assert!(!sandbox.brief(["run", "m"]).code(1).stderr().is_empty(), "it is not trusted by that");

    let second = with_model(&["```\nprompt: '{{ Context.nope }}'\n```", GOOD]);
    let outcome = second.brief(["goal", "add", "m", "--with-llm", "x"]).success();
    assert!(outcome.stderr().contains("asking the model once more"), "{outcome}");
    let request = second.read(second.home().join("request2"));
    assert!(request.contains("no script has that name") && request.contains("{{ Context.nope }}"), "{request}");

    let hopeless = with_model(&["I cannot do that.", "prompt: ["]);
    let outcome = hopeless.brief(["goal", "add", "m", "--with-llm", "x"]).code(1);
    assert!(outcome.stderr().contains("nothing was written"), "{outcome}");
    assert!(!hopeless.path(".context").exists());
    assert!(hopeless.brief(["goal", "add", "m", "--with-llm"]).code(2).stderr().contains("the description of the goal is empty"));
}
