//! `brief state`: show, write and finish.

use briefing_testkit::Sandbox;

fn project() -> Sandbox {
    Sandbox::new().file(".megg/info.md", "# Top\n")
}

#[test]
fn a_state_is_left_shown_and_finished() {
    let sandbox = project();
    assert_eq!(sandbox.brief(["state"]).success().stdout(), "No state. `brief state TEXT` leaves one for the next session.\n");
    let outcome = sandbox.brief_with_input(["state", "-"], "## Next\r\nWrite tests.\n").success();
    assert_eq!(outcome.stdout(), "Wrote [ROOT]/.megg/state.md (6 tokens)\n");
    assert_eq!(sandbox.read(".megg/state.md"), "---\nupdated: 2026-11-15T12:00:00.000Z\nstatus: active\n---\n\n## Next\r\nWrite tests.\n");
    let later = sandbox.clone().env("BRIEF_NOW", "2026-11-15T15:00:00Z");
    assert_eq!(
        later.brief(["state"]).success().stdout(),
        "[ROOT]/.megg/state.md (active, updated 2026-11-15T12:00:00.000Z)\n\n## Next\r\nWrite tests.\n"
    );
    let context = sandbox.brief(["context"]).success().stdout();
    assert!(context.contains("Write tests."), "{context}");

    assert_eq!(sandbox.brief(["state", "--done"]).success().stdout(), "Done: [ROOT]/.megg/state.md\n");
    assert_eq!(sandbox.read(".megg/state.md"), "---\nupdated: 2026-11-15T12:00:00.000Z\nstatus: done\n---\n\n## Next\r\nWrite tests.\n");
    let shown = sandbox.brief(["state", "--json"]).success().stdout();
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!((&shown["active"], &shown["expired"]), (&false.into(), &"it is marked as done".into()));
    assert!(!sandbox.brief(["context"]).success().stdout().contains("Write tests."));
}

#[test]
fn a_long_state_is_cut_at_a_line_with_a_warning() {
    let sandbox = project();
    let outcome = sandbox.brief_with_input(["state", "-"], "0123456789abcde\n".repeat(1_000)).success();
    assert!(outcome.stderr().contains("warning: the state was cut at 2000 tokens; the last 2000 were left out"), "{outcome}");
    let text = sandbox.read(".megg/state.md");
    assert!(text.ends_with("\n0123456789abcde\n"), "whole lines only");
    assert_eq!(text.matches("0123456789abcde\n").count(), 500);
    let _ = sandbox.brief_with_input(["state", "-"], "😀".repeat(9_000)).success();
    assert!(sandbox.read(".megg/state.md").chars().filter(|c| *c == '😀').count() <= 4_000);
}

#[test]
fn a_state_without_status_or_front_matter_can_be_finished() {
    for (before, after) in [
        ("---\nupdated: 2026-11-15\n---\nbody", "---\nstatus: done\nupdated: 2026-11-15\n---\nbody"),
        ("just words\n", "---\nupdated: 2026-11-15T12:00:00.000Z\nstatus: done\n---\n\njust words\n"),
    ] {
        let sandbox = project().file(".megg/state.md", before);
        let _ = sandbox.brief(["state", "--done"]).success();
        assert_eq!(sandbox.read(".megg/state.md"), after);
    }
    assert_eq!(project().brief(["state", "--done"]).success().stdout(), "There is no state to finish.\n");
}

#[test]
fn what_cannot_be_done_says_why() {
    assert!(Sandbox::new().brief(["state"]).code(1).stderr().contains("brief init domain"));
    assert!(project().brief(["state", " \n"]).code(2).stderr().contains("the state is empty"));
    assert!(project().brief(["state", "x", "--done"]).code(2).stderr().contains("cannot be used with"));
    let secret = format!("ghp_{}", "aB3dE5fG7hJ9kL1m".repeat(3));
    assert!(project().brief(["state", &secret]).code(1).stderr().contains("--allow-secrets"));
    let outcome = project().env("BRIEF_NOW", "noon").brief(["state"]).code(2);
    assert!(outcome.stderr().contains("BRIEF_NOW: `noon` is not a timestamp"), "{outcome}");
}
