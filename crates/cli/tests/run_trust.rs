//! Nothing that comes with a repository runs until the user approves it.

use briefing_testkit::Sandbox;

use super::run::project;

const GOAL: &str = "context_scripts:\n  s: touch ran; echo done\nprompt: '{{ Context.s }}'\n";

pub(crate) fn with_untrusted_goal() -> Sandbox {
    project().file(".context/goals/mine/prompt.yaml", GOAL)
}

#[test]
fn an_untrusted_goal_is_refused_with_everything_it_would_run() {
    let sandbox = with_untrusted_goal();
    // `--yes` answers the question about files, never this one; a dry run runs scripts too.
    for words in [&["run", "mine"][..], &["run", "mine", "--yes"], &["run", "mine", "--dry-run"]] {
        let outcome = sandbox.brief(words).code(1);
        assert!(outcome.stderr().contains("    touch ran; echo done\n"), "{outcome}");
        assert!(outcome.stderr().contains("`brief trust`"), "{outcome}");
        assert_eq!(outcome.stdout(), "");
    }
    assert!(!sandbox.path("ran").exists() && !sandbox.path("got").exists());
    let _ = sandbox.brief(["trust", "--yes"]).success();
    let _ = sandbox.brief(["run", "mine"]).success();
    assert_eq!(sandbox.read("got/argument1"), "done");
    sandbox.write(".context/goals/mine/prompt.yaml", GOAL.replace("echo done", "echo other"));
    let outcome = sandbox.brief(["run", "mine"]).code(1);
    assert!(outcome.stderr().contains("changed since it was trusted"), "{outcome}");
}

#[test]
fn a_receiver_of_the_project_needs_trust_of_its_own() {
    for (file, text) in [
        (".claw/claw.yaml", "llm_command: touch\nprompt_arg_template: pwned\n"),
        ("brief.toml", "llm_command = 'touch'\nprompt_arg_template = 'pwned'\n"),
        (".context/brief.toml", "receiver_type = 'tmux:0.0'\n"),
    ] {
        let sandbox = project().file(file, text);
        let outcome = sandbox.brief(["run", "review"]).code(1);
        assert!(outcome.stderr().contains(&format!("the receiver of prompts ({file})")), "{outcome}");
        assert!(outcome.stderr().contains("brief trust --yes"), "{outcome}");
        assert!(!sandbox.path("pwned").exists());
        // With another receiver, this one needs no approval.
        assert_eq!(sandbox.brief(["run", "review", "--receiver", "stdout"]).success().stdout(), "Please review.");
    }
    let sandbox = project().file(".claw/claw.yaml", "llm_command: touch\nprompt_arg_template: agreed\nmax_file_size_kb: 5\n");
    let outcome = sandbox.brief(["trust", "--yes"]).success();
    assert!(outcome.stderr().contains("  llm_command: touch\n") && outcome.stderr().contains("trusted 1 receiver\n"), "{outcome}");
    let _ = sandbox.brief(["run", "review"]).success();
    assert!(sandbox.path("agreed").exists());
    // Other settings of the file may change; these may not.
    sandbox.write(".claw/claw.yaml", "llm_command: touch\nprompt_arg_template: agreed\nmax_file_size_kb: 6\n");
    let _ = sandbox.brief(["run", "review"]).success();
    sandbox.write(".claw/claw.yaml", "llm_command: touch\nprompt_arg_template: pwned\n");
    let _ = sandbox.brief(["run", "review"]).code(1);
    assert!(!sandbox.path("pwned").exists());
}

#[test]
fn a_goal_copied_elsewhere_is_not_trusted_there() {
    let sandbox = with_untrusted_goal();
    let _ = sandbox.brief(["trust", "--yes"]).success();
    let other = sandbox.clone().file("inner/.git/HEAD", "").file("inner/.context/goals/mine/prompt.yaml", GOAL).at("inner");
    let _ = other.brief(["run", "mine"]).code(1);
}

fn git(sandbox: &Sandbox, script: &str) {
    let script = format!("set -e; git config --global user.email a@b; git config --global user.name A; {script}");
    let output = sandbox.command("sh").args(["-c", &script]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A repository `main` with a trusted goal, and a work tree of it, `tree`.
fn with_work_tree() -> Sandbox {
    let sandbox = Sandbox::new().file("main/.context/goals/mine/prompt.yaml", GOAL).file("main/.claw/claw.yaml", "receiver_type: stdout\n");
    git(&sandbox, "cd main; git init -q .; git add .; git commit -qm one; git worktree add -q ../tree");
    let _ = sandbox.at("main").brief(["trust", "--yes"]).success();
    sandbox
}

#[test]
fn trust_holds_in_all_work_trees_of_a_repository() {
    let sandbox = with_work_tree();
    let tree = sandbox.at("tree");
    assert_eq!(tree.brief(["run", "mine"]).success().stdout(), "done");
    assert!(!tree.brief(["goals"]).success().stdout().contains("not trusted yet"));
    // Other content in the work tree is other content.
    tree.write(".context/goals/mine/prompt.yaml", GOAL.replace("echo done", "echo other"));
    let changed = tree.brief(["run", "mine"]).code(1);
    assert!(changed.stderr().contains("changed since it was trusted"), "{changed}");
    tree.write(".context/goals/mine/prompt.yaml", GOAL);
    // A directory that only claims to be a work tree is none.
    let forged =
        sandbox.clone().file("forged/.context/goals/mine/prompt.yaml", GOAL).file("forged/.git", sandbox.read("tree/.git")).at("forged");
    let _ = forged.brief(["run", "mine", "--receiver", "stdout"]).code(1);
    // Trust can be taken back in any of them.
    assert!(tree.brief(["trust", "--forget"]).success().stderr().contains("revoked 2"));
    let _ = sandbox.at("main").brief(["run", "mine"]).code(1);
}

#[test]
fn a_moved_project_is_one_question_that_names_the_old_place() {
    let sandbox = Sandbox::new()
        .file("old/.git/HEAD", "")
        .file("old/.context/goals/mine/prompt.yaml", GOAL)
        .file("old/.context/goals/other/prompt.yaml", "prompt: other")
        .file("old/brief.toml", "receiver_type = 'stdout'\n");
    let _ = sandbox.at("old").brief(["trust", "--yes"]).success();
    std::fs::rename(sandbox.path("old"), sandbox.path("new")).unwrap();
    let moved = sandbox.at("new");
    let refused = moved.brief(["run", "mine"]).code(1);
    insta::assert_snapshot!(refused.stderr(), @r"
    error: this project is not trusted at its new place
      caused by: you trusted it as `[ROOT]/old`, which is gone
    hint: run `brief trust` to trust it here as well, or `brief trust --yes` without a terminal
    ");
    assert!(!moved.path("ran").exists());
    let trusted = moved.brief(["trust", "--yes"]).success();
    assert!(trusted.stderr().contains("trusted what you had trusted as `[ROOT]/old`"), "{trusted}");
    assert_eq!(moved.brief(["run", "mine"]).success().stdout(), "done");
    assert_eq!(moved.brief(["run", "other"]).success().stdout(), "other");
    assert!(!moved.brief(["trust", "--list"]).success().stdout().contains("/old/"));
    // What changed on the way is shown as usual.
    std::fs::rename(sandbox.path("new"), sandbox.path("third")).unwrap();
    sandbox.write("third/.context/goals/mine/prompt.yaml", GOAL.replace("echo done", "echo other"));
    let changed = sandbox.at("third").brief(["run", "mine"]).code(1);
    assert!(changed.stderr().contains("    touch ran; echo other\n"), "{changed}");
}

#[test]
fn a_secret_in_a_file_that_a_prompt_loads_is_taken_out() {
    let key = format!("ghp_{}", "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY1z2A");
    let goal = "prompt: |\n  {% import \"names.md\" as names %}{% include \"rules.md\" %} {{ names::key() }}\n";
    let sandbox = project()
        .file("~/.config/brief/goals/s/prompt.yaml", goal)
        .file("~/.config/brief/goals/s/rules.md", "{% include \"more.md\" %}\n")
        .file("~/.config/brief/goals/s/more.md", format!("first\n{key}\n"))
        .file("~/.config/brief/goals/s/names.md", format!("{{% macro key() %}}{key}{{% endmacro key %}}"))
        .file("~/.config/brief/goals/s/unused.md", &key);
    let outcome = sandbox.brief(["run", "s", "--receiver", "stdout"]).success();
    assert!(!outcome.stdout().contains(&key), "{outcome}");
    assert_eq!(outcome.stdout().matches("[redacted: GitHub token]").count(), 2, "{outcome}");
    assert!(outcome.stderr().contains("`more.md`: GitHub token on line 2 was redacted"), "{outcome}");
    assert!(outcome.stderr().contains("`names.md`: ") && !outcome.stderr().contains("unused.md"), "{outcome}");
    assert!(sandbox.brief(["run", "s", "--receiver", "stdout", "--no-redact"]).success().stdout().contains(&key));
}

#[test]
fn a_secret_that_a_script_prints_is_taken_out() {
    let key = format!("ghp_{}", "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY1z2A");
    let goal = format!("context_scripts:\n  s: echo first; echo {key}\nprompt: '{{{{ Context.s }}}}'\n");
    let sandbox = project().file("~/.config/brief/goals/s/prompt.yaml", goal);
    let outcome = sandbox.brief(["run", "s", "--receiver", "stdout"]).success();
    assert!(!outcome.stdout().contains(&key) && outcome.stdout().contains("[redacted: "), "{outcome}");
    assert!(outcome.stderr().contains("script `s`: ") && outcome.stderr().contains("on line 2 was redacted"), "{outcome}");
    assert!(sandbox.brief(["run", "s", "--receiver", "stdout", "--no-redact"]).success().stdout().contains(&key));
}

#[test]
fn scripts_see_no_secrets() {
    let goal = "context_scripts:\n  all: env\nprompt: '{{ Context.all }}'\n";
    let sandbox = project()
        .file("~/.config/brief/goals/env/prompt.yaml", goal)
        .env("MY_API_KEY", "hidden-one")
        .env("GITHUB_TOKEN", "hidden-two")
        .env("DATABASE_URL", "postgres://me:hidden-three@host/db")
        .env("PLAIN", "visible");
    let outcome = sandbox.brief(["run", "env", "--receiver", "stdout"]).success();
    assert!(outcome.stdout().contains("PLAIN=visible") && !outcome.stdout().contains("hidden"), "{outcome}");
    let peeking = sandbox.file("~/.config/brief/goals/peek/prompt.yaml", "prompt: \"{{ get_env(name='MY_API_KEY') }}\"\n");
    let outcome = peeking.brief(["run", "peek", "--receiver", "stdout"]).code(1);
    assert!(outcome.stderr().contains("goals may not read it") && !outcome.stderr().contains("hidden"), "{outcome}");
}
