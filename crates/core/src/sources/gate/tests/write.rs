//! Entries and tasks: newest first, every other byte unchanged, the index up to date, nothing lost with many writers.

use std::fs;

use super::*;
use crate::sources::gate::{NewTask, Record, RecordKind, add_record, add_task, finish_task, scaffold};

const STAMP: &str = "2026-11-15-120000";

fn decide(sandbox: &Sandbox, title: &str, fields: &[(&str, &str)]) -> Result<String, crate::Failure> {
    let record = Record { kind: RecordKind::Decision, title, fields, stamp: STAMP, allows_secrets: false };
    add_record(&sandbox.path(".context"), &record, None).map(|_| sandbox.read(".context/DECISIONS.md"))
}

#[test]
fn a_new_file_gets_its_first_entry_and_index() {
    let text = decide(&Sandbox::new().directory(".context"), "Use X", &[("Status", "Accepted"), ("Context", " why\n"), ("Rationale", "")])
        .unwrap();
    assert_eq!(
        text,
        "# Decisions\n\n<!-- INDEX:START -->\n| Date | Decision |\n|------|--------|\n| 2026-11-15 | Use X |\n<!-- INDEX:END -->\n\n\
         ## [2026-11-15-120000] Use X\n\n**Status**: Accepted\n\n**Context**: why\n"
    );
}

#[test]
fn newest_first_and_everything_else_byte_for_byte() {
    let old = "# Decisions\n\n<!-- INDEX:START -->\n| Date | Decision |\n|----|--------|\n| 2026-03-31 | Two | \n<!-- INDEX:END -->\n\n<!-- FORMAT\n\n## [YYYY-MM-DD] Title\n\n-->\n## [2026-03-31-081949] Two\n\nbody  \n\n\n";
    let text = decide(&Sandbox::new().file(".context/DECISIONS.md", old), "Pipe | it", &[]).unwrap();
    let expected = old
        .replace("|----|--------|\n| 2026-03-31 | Two | \n", "|----|--------|\n| 2026-11-15 | Pipe \\| it |\n| 2026-03-31 | Two |\n")
        .replace("-->\n## [2026-03-31", "-->\n## [2026-11-15-120000] Pipe | it\n\n---\n\n## [2026-03-31");
    assert_eq!(text, expected);
}

#[test]
fn line_ends_of_windows_and_a_mark_stay() {
    let old = "\u{FEFF}# Decisions\r\n\r\n## [2026-03-31-081949] Two\r\n\r\nbody";
    let text = decide(&Sandbox::new().file(".context/DECISIONS.md", old), "Three", &[("Context", "a\nb\r\nc")]).unwrap();
    assert_eq!(
        text,
        "\u{FEFF}# Decisions\r\n\r\n## [2026-11-15-120000] Three\r\n\r\n**Context**: a\r\nb\r\nc\r\n\r\n---\r\n\r\n## [2026-03-31-081949] Two\r\n\r\nbody"
    );
}

#[test]
fn without_entries_it_goes_behind_the_head_and_before_the_rest() {
    let old = "# Learnings\n\n<!--\nhow to\n-->\n\n<!-- INDEX:START -->\n<!-- INDEX:END -->\n\n<!-- add here -->\n\n## Themes\n\n- x\n";
    let text = decide(&Sandbox::new().file(".context/DECISIONS.md", old), "T", &[]).unwrap();
    assert!(text.contains("<!-- add here -->\n\n## [2026-11-15-120000] T\n\n## Themes\n\n- x\n"), "{text}");
    assert!(text.contains("<!-- INDEX:START -->\n| Date | Decision |\n|------|--------|\n| 2026-11-15 | T |\n<!-- INDEX:END -->"));
}

#[test]
fn an_index_that_is_no_table_or_names_other_entries_is_kept() {
    let entry = "## [2026-03-31-081949] Two\n";
    let old = format!("<!-- INDEX:START -->\nwords of somebody\n<!-- INDEX:END -->\n\n{entry}");
    assert!(decide(&Sandbox::new().file(".context/DECISIONS.md", old), "T", &[]).unwrap().contains("START -->\nwords of somebody\n<!--"));
    let old = format!(
        "<!-- INDEX:START -->\n| Date | Decision |\n|--|--|\n| 2026-03-31 | Two |\n| 2020-01-01 | Archived |\n<!-- INDEX:END -->\n\n{entry}"
    );
    let text = decide(&Sandbox::new().file(".context/DECISIONS.md", old), "T", &[]).unwrap();
    assert!(text.contains("|--|--|\n| 2026-11-15 | T |\n| 2026-03-31 | Two |\n| 2020-01-01 | Archived |\n<!--"), "{text}");
}

#[test]
fn words_that_would_break_the_file_are_refused_or_closed() {
    let old = "# D\n\n## [2026-03-31-081949] Two\n\nbody\n";
    let sandbox = Sandbox::new().file(".context/DECISIONS.md", old);
    let open = decide(&sandbox, "Fence", &[("Context", "x\n```\nopen")]).unwrap();
    assert!(open.contains("open\n```\n\n---\n\n## [2026-03-31-081949] Two"), "{open}");
    sandbox.write(".context/DECISIONS.md", old);
    assert!(decide(&sandbox, "Bad", &[("Context", "a\n## [2026-01-01-000000] Fake\n")]).is_err());
    assert_eq!(sandbox.read(".context/DECISIONS.md"), old, "nothing is written");
    assert!(decide(&sandbox, "two\nlines", &[]).unwrap_err().is_usage());
    assert!(decide(&sandbox, "  ", &[]).unwrap_err().is_usage());
}

#[test]
fn files_that_cannot_be_changed_safely_stay_unchanged() {
    let sandbox = Sandbox::new().file(".context/DECISIONS.md", b"caf\xe9");
    assert!(decide(&sandbox, "T", &[]).unwrap_err().causes()[0].contains("not UTF-8"));
    assert_eq!(fs::read(sandbox.path(".context/DECISIONS.md")).unwrap(), b"caf\xe9");
    #[cfg(unix)]
    {
        let outside = Sandbox::new().file("d.md", "# D\n");
        let sandbox = Sandbox::new().directory(".context").link(".context/DECISIONS.md", outside.path("d.md"));
        assert!(decide(&sandbox, "T", &[]).is_err());
        assert_eq!(outside.read("d.md"), "# D\n");
    }
}

#[test]
fn many_at_once_lose_nothing() {
    let sandbox = full();
    let context = sandbox.path(".context");
    std::thread::scope(|scope| {
        for number in 0..16 {
            let context = &context;
            scope.spawn(move || {
                let title = format!("Decision {number}");
                let record = Record { kind: RecordKind::Decision, title: &title, fields: &[], stamp: STAMP, allows_secrets: false };
                add_record(context, &record, None).unwrap();
                add_task(context, &NewTask { text: &title, priority: None, section: None, stamp: STAMP }, None).unwrap();
            });
        }
    });
    let (decisions, tasks) = (sandbox.read(".context/DECISIONS.md"), sandbox.read(".context/TASKS.md"));
    for number in 0..16 {
        assert!(
            decisions.contains(&format!("## [{STAMP}] Decision {number}\n")) && decisions.contains(&format!("| Decision {number} |\n"))
        );
        assert!(tasks.contains(&format!("- [ ] Decision {number} #added:{STAMP}\n")));
    }
    assert!(decisions.contains("long decision body"));
}

fn task(sandbox: &Sandbox, text: &str, section: Option<&str>) -> Result<String, crate::Failure> {
    add_task(&sandbox.path(".context"), &NewTask { text, priority: Some("high"), section, stamp: STAMP }, None)
        .map(|_| sandbox.read(".context/TASKS.md"))
}

const NEW: &str = "- [ ] new #priority:high #added:2026-11-15-120000\n";

#[test]
fn a_task_goes_above_the_open_ones() {
    let old = "# Tasks\n\n<!--\n- [ ] shown\n-->\n\n### Phase 1\nSpec: x\n\n- [x] done one\n- [ ] open one\n  - [ ] child\n\n## Blocked\n- [ ] stuck\n";
    let sandbox = Sandbox::new().file(".context/TASKS.md", old);
    assert_eq!(task(&sandbox, "new", None).unwrap(), old.replace("- [ ] open one\n", &format!("{NEW}- [ ] open one\n")));
    sandbox.write(".context/TASKS.md", old);
    assert_eq!(task(&sandbox, "new", Some("blocked")).unwrap(), old.replace("- [ ] stuck\n", &format!("{NEW}- [ ] stuck\n")));
    let failure = task(&sandbox, "new", Some("phase 9")).unwrap_err();
    assert_eq!(failure.causes(), ["existing section: `Tasks`", "existing section: `Phase 1`", "existing section: `Blocked`"]);
}

#[test]
fn a_first_task_finds_its_place() {
    for (old, expected) in [
        ("# Tasks\n\n## Next\n\n", format!("# Tasks\n\n## Next\n\n{NEW}\n")),
        ("# Tasks\n\n## Blocked\n", format!("# Tasks\n\n## Blocked\n{NEW}")),
        ("", NEW.to_owned()),
        ("# Tasks", format!("# Tasks\n{NEW}")),
        ("# Tasks\n## A\ntext\n", format!("# Tasks\n## A\n\n{NEW}\ntext\n")),
    ] {
        assert_eq!(task(&Sandbox::new().file(".context/TASKS.md", old), "new", None).unwrap(), expected, "{old:?}");
    }
    assert!(task(&Sandbox::new().directory(".context"), "new", None).unwrap().contains(NEW));
}

#[test]
fn a_task_is_done_by_its_words_or_number() {
    let old = "# Tasks\r\n\r\n- [ ] first thing #added:2026-01-01-000000\r\n  - [] second Thing  \r\n- [x] third\r\n";
    let sandbox = Sandbox::new().file(".context/TASKS.md", old);
    let context = sandbox.path(".context");
    assert_eq!(finish_task(&context, "second thing", STAMP, None).unwrap(), "second Thing");
    let expected = old.replace("  - [] second Thing  \r\n", "  - [x] second Thing #done:2026-11-15-120000  \r\n");
    assert_eq!(sandbox.read(".context/TASKS.md"), expected);
    sandbox.write(".context/TASKS.md", old);
    let failure = finish_task(&context, "thing", STAMP, None).unwrap_err();
    assert_eq!(failure.causes(), ["1. first thing #added:2026-01-01-000000", "2. second Thing"]);
    assert!(finish_task(&context, "third", STAMP, None).is_err(), "done already");
    assert_eq!(finish_task(&context, "1", STAMP, None).unwrap(), "first thing #added:2026-01-01-000000");
    assert!(sandbox.read(".context/TASKS.md").contains("- [x] first thing #added:2026-01-01-000000 #done:2026-11-15-120000\r\n"));
}

#[test]
fn a_first_directory_is_useful_and_never_overwrites() {
    let sandbox = Sandbox::new().file(".context/CONSTITUTION.md", "mine\n").directory("src").directory("target");
    let all = || scaffold(&places(sandbox.root(), &sandbox), &Settings::defaults()).unwrap();
    assert_eq!(all().iter().filter(|file| !file.is_new).count(), 1);
    assert_eq!(sandbox.read(".context/CONSTITUTION.md"), "mine\n");
    let architecture = sandbox.read(".context/ARCHITECTURE.md");
    assert!(architecture.contains("- `src/`: [what is in it]\n") && !architecture.contains("target"), "{architecture}");
    let gate = loaded(&sandbox);
    assert_eq!((gate.files(), gate.unfilled.len()), (4, 3));
    assert!(gate.tokens() < 500, "{}", gate.tokens());
    assert!(all().iter().all(|file| !file.is_new));
}
