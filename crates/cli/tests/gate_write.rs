//! `brief init context`, `decision add`, `learning add`, `task add|done`, as a user runs them.

use briefing_testkit::Sandbox;

#[test]
fn from_nothing_to_a_recorded_decision() {
    let sandbox = Sandbox::new().directory(".git").directory("src");
    let outcome = sandbox.at("src").brief(["decision", "add", "X"]).code(1);
    assert!(outcome.stderr().contains("`brief init context` creates one"), "{outcome}");
    let made = sandbox.brief(["init", "context"]).success().stdout();
    assert_eq!(made.lines().filter(|line| line.starts_with("Wrote [ROOT]/.context/")).count(), 7, "{made}");
    assert!(sandbox.brief(["init", "context"]).success().stdout().contains("already exists and was not changed"));
    let added = sandbox.at("src").brief(["decision", "add", "Use SQLite", "--context", "One file.", "--rationale", "No server."]).success();
    assert_eq!(added.stdout(), "Added [2026-11-15-120000] to [ROOT]/.context/DECISIONS.md.\n");
    assert_eq!(
        sandbox.read(".context/DECISIONS.md"),
        "# Decisions\n\n<!-- INDEX:START -->\n| Date | Decision |\n|------|--------|\n| 2026-11-15 | Use SQLite |\n<!-- INDEX:END -->\n\n\
         ## [2026-11-15-120000] Use SQLite\n\n**Status**: Accepted\n\n**Context**: One file.\n\n**Decision**: Use SQLite\n\n**Rationale**: No server.\n"
    );
    sandbox.brief_with_input(["learning", "add", "WAL needs a local disk", "--lesson", "-"], "NFS breaks it.\n").success();
    assert!(sandbox.read(".context/LEARNINGS.md").contains("**Lesson**: NFS breaks it.\n"));
    let plan = sandbox.brief(["gate", "--print"]).success().stdout();
    assert!(plan.contains("| 2026-11-15 | Use SQLite |") && plan.contains("| 2026-11-15 | WAL needs a local disk |"), "{plan}");
}

#[test]
fn tasks_are_added_and_done() {
    let sandbox = Sandbox::new().directory(".context");
    sandbox.brief(["task", "add", "write the docs", "--priority", "high"]).success();
    sandbox.brief(["task", "add", "ship it"]).success();
    assert_eq!(
        sandbox.brief(["task", "done", "docs"]).success().stdout(),
        "Done: write the docs #priority:high #added:2026-11-15-120000\n"
    );
    assert_eq!(
        sandbox.read(".context/TASKS.md"),
        "# Tasks\n\n## Next\n\n- [ ] ship it #added:2026-11-15-120000\n\
         - [x] write the docs #priority:high #added:2026-11-15-120000 #done:2026-11-15-120000\n\n"
    );
    let outcome = sandbox.brief(["task", "done", "docs"]).code(1);
    assert!(outcome.stderr().contains("no open task contains `docs`") && outcome.stderr().contains("1. ship it"), "{outcome}");
}

#[test]
fn two_processes_at_once_lose_nothing() {
    let sandbox = Sandbox::new().directory(".context");
    let children: Vec<_> = (0..8)
        .map(|number| {
            let mut command = sandbox.command(briefing_testkit::binary());
            command.args(["decision", "add", &format!("Number {number}")]).stdout(std::process::Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let text = sandbox.read(".context/DECISIONS.md");
    for number in 0..8 {
        assert!(text.contains(&format!("] Number {number}\n")) && text.contains(&format!("| Number {number} |\n")), "{text}");
    }
}

#[test]
fn stamps_are_local_time() {
    let sandbox = Sandbox::new().directory(".context").env("TZ", "Asia/Tokyo");
    let added = sandbox.brief(["decision", "add", "Late"]).success().stdout();
    assert!(added.starts_with("Added [2026-11-15-210000]") || added.starts_with("Added [2026-11-15-120000]"), "{added}");
}
