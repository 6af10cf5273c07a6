//! `brief init context`, `decision add`, `learning add`, `task add|done`, as a user runs them.

use briefing_testkit::Sandbox;

#[test]
fn from_nothing_to_a_recorded_decision() {
    let sandbox = Sandbox::new().directory(".git").directory("src");
    let outcome = sandbox.at("src").brief(["decision", "add", "X"]).code(1);
    assert!(outcome.stderr().contains("no `.context` directory"), "{outcome}");
    assert!(outcome.stderr().contains("`brief init context` creates one"), "{outcome}");
    let made = sandbox.brief(["init", "context"]).success().stdout();
    assert_eq!(made.lines().filter(|line| line.starts_with("Wrote [ROOT]/.context/")).count(), 7, "{made}");
    assert!(sandbox.brief(["init", "context"]).success().stdout().contains("already exists and was not changed"));
    let added = sandbox.at("src").brief(["decision", "add", "Use SQLite", "--context", "One file.", "--rationale", "No server."]).success();
    assert_eq!(added.stdout(), "Added to [ROOT]/.context/DECISIONS.md.\n");
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
            command
                .args(["decision", "add", &format!("Number {number}"), "--context", "c", "--rationale", "r"])
                .stdout(std::process::Stdio::null())
                .spawn()
                .unwrap()
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
    sandbox.brief(["learning", "add", "Late"]).success();
    let text = sandbox.read(".context/LEARNINGS.md");
    assert!(text.contains("## [2026-11-15-210000] Late") || text.contains("## [2026-11-15-120000] Late"), "{text}");
}

#[test]
fn a_decision_without_its_reasons_is_refused() {
    let sandbox = Sandbox::new().directory(".context");
    for (arguments, missing) in [
        (&["decision", "add", "X"][..], "--context and --rationale"),
        (&["decision", "add", "X", "--context", "c"], "--rationale"),
        (&["decision", "add", "X", "--rationale", "r", "--context", " "], "--context"),
    ] {
        let outcome = sandbox.brief(arguments).code(2);
        assert!(outcome.stderr().starts_with(&format!("error: a decision needs {missing}\n")), "{outcome}");
    }
    assert!(!sandbox.path(".context/DECISIONS.md").exists());
    sandbox.brief_with_input(["decision", "add", "X", "--context", "c", "--rationale", "-"], "because\n").success();
    assert!(sandbox.read(".context/DECISIONS.md").contains("**Rationale**: because\n"));
}

#[test]
fn a_decision_follows_the_form_of_the_file() {
    let old = "# ADRs\n\nAll of them.\n\n## ADR-001: One\n\n**Status:** Final\n";
    let sandbox = Sandbox::new().file(".context/DECISIONS.md", old);
    sandbox.brief(["decision", "add", "Two", "--context", "c", "--rationale", "r"]).success();
    let new = sandbox.read(".context/DECISIONS.md");
    assert!(new.starts_with(old) && new[old.len()..].starts_with("\n## ADR-002: Two\n\n**Date**: 2026-11-15\n"), "{new}");
    let index = sandbox.brief(["gate", "--print"]).success().stdout();
    assert!(index.contains("| - | ADR-001: One |\n| 2026-11-15 | ADR-002: Two |"), "{index}");
}

#[test]
fn conventions_go_under_their_section() {
    let old = "# Conventions\n\n## Naming\n\n- Nouns for types\n  - no verbs\n\n## Errors\n\nHow we fail.\n";
    let sandbox = Sandbox::new().file(".context/CONVENTIONS.md", old);
    let add = |arguments: &[&str]| sandbox.brief([&["convention", "add"], arguments].concat()).success().stdout();
    assert_eq!(add(&["Verbs for functions", "--section", "naming"]), "Added to [ROOT]/.context/CONVENTIONS.md.\n");
    add(&["Name the path", "--section", "errors"]);
    let told = add(&["Run them", "--section", "Tests"]);
    assert!(told.contains("under the new section `Tests`"), "{told}");
    add(&["Last of all"]);
    assert_eq!(
        sandbox.read(".context/CONVENTIONS.md"),
        "# Conventions\n\n## Naming\n\n- Nouns for types\n  - no verbs\n- Verbs for functions\n\n## Errors\n\n- Name the path\n\nHow we fail.\n\n\
         ## Tests\n\n- Run them\n- Last of all\n"
    );
    sandbox.brief(["convention", "add", "two\nlines"]).code(2);
    let fresh = Sandbox::new().directory(".context");
    fresh.brief(["convention", "add", "The first"]).success();
    let told = fresh.brief(["gate", "--print"]).success().stdout();
    assert!(told.contains("--- CONVENTIONS.md ---\n# Conventions\n\n- The first\n"), "{told}");
}

#[test]
fn done_tasks_move_to_the_archive() {
    let old = "# Tasks\n\n## Phase 1\n\n- [x] one #done:2026-01-01-000000\n  a note\n- [ ] two\n- [x] three\n  - [ ] open below\n- [-] four, skipped\n\n\
        ## Phase 2\n- [x] five\n\n```\n- [x] code\n```\n";
    let sandbox = Sandbox::new().file(".context/TASKS.md", old);
    let archive = ".context/archive/tasks-2026-11-15.md";
    assert_eq!(sandbox.brief(["task", "archive"]).success().stdout(), format!("Moved 2 tasks to [ROOT]/{archive}.\n"));
    assert_eq!(
        sandbox.read(".context/TASKS.md"),
        old.replace("- [x] one #done:2026-01-01-000000\n  a note\n", "").replace("- [x] five\n", "")
    );
    let first = "# Tasks archived on 2026-11-15\n\n## Phase 1\n\n- [x] one #done:2026-01-01-000000\n  a note\n\n## Phase 2\n\n- [x] five\n";
    assert_eq!(sandbox.read(archive), first);
    assert_eq!(sandbox.brief(["task", "archive"]).success().stdout(), "No done tasks to archive.\n");
    sandbox.brief(["task", "done", "two"]).success();
    sandbox.brief(["task", "archive"]).success();
    assert!(sandbox.read(archive).starts_with(&format!("{first}\n## Phase 1\n\n- [x] two")), "{}", sandbox.read(archive));
}
