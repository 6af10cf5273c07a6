//! `brief purge`: state and cache are shown, then removed, and nothing else.

use briefing_testkit::Sandbox;

fn used() -> Sandbox {
    let sandbox = Sandbox::new().directory(".git").file("README.md", "# Shop\n\nSells things.\n").file(".megg/info.md", "# Shop\n");
    let _ = sandbox.brief(["index"]).success();
    let _ = sandbox.brief(["install", "claude", "--yes"]).success();
    sandbox.hook(["claude", "SessionStart"], &serde_json::json!({"source": "startup"}));
    sandbox
}

#[test]
fn state_and_cache_are_shown_and_then_removed() {
    let sandbox = used();
    let (state, cache) = (sandbox.home().join(".local/state/brief"), sandbox.home().join(".cache/brief"));
    let refused = sandbox.brief(["purge"]).code(1);
    let shown = refused.stdout();
    assert!(shown.contains("State: ~/.local/state/brief\n") && shown.contains("Cache: ~/.cache/brief\n"), "{refused}");
    assert!(shown.contains("what each session received") && shown.contains("token counts"), "{refused}");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{refused}");
    assert!(refused.stderr().contains("`brief purge --yes`"), "{refused}");
    let _ = sandbox.brief(["purge", "--dry-run"]).success();
    assert!(state.is_dir() && cache.is_dir());
    let _ = sandbox.brief(["purge", "--cache", "--yes"]).success();
    assert!(state.is_dir() && !cache.exists());
    let _ = sandbox.brief(["purge", "--yes"]).success();
    assert!(!state.exists() && sandbox.home().join(".claude/settings.json").exists(), "hooks stay");
    assert!(sandbox.path(".megg/info.md").exists());
    assert!(sandbox.brief(["purge"]).success().stderr().contains("There is nothing to remove."));
    let _ = sandbox.brief(["uninstall", "claude", "--yes"]).success();
    let left = std::fs::read_to_string(sandbox.home().join(".claude/settings.json")).unwrap_or_default();
    assert!(!left.contains("brief"), "{left}");
}

#[test]
#[cfg(unix)]
fn a_link_in_place_of_our_directory_is_left_alone() {
    let sandbox = Sandbox::new().file("~/precious/a", "mine").directory("../home/.local/state");
    std::os::unix::fs::symlink(sandbox.home().join("precious"), sandbox.home().join(".local/state/brief")).unwrap();
    let refused = sandbox.brief(["purge", "--yes"]).code(1);
    assert!(refused.stderr().contains("was not removed"), "{refused}");
    assert!(sandbox.home().join("precious/a").exists());
}
