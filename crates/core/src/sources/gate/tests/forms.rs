//! Decisions as other people write them: every form is in the index, and a new entry follows the form that is there.

use super::*;
use crate::sources::gate::{Record, RecordKind, add_record, entries};

const STAMP: &str = "2026-11-15-120000";

/// Returns the index that an agent receives of a DECISIONS.md.
fn index_of(text: &str) -> String {
    let gate = loaded(&Sandbox::new().file(".context/DECISIONS.md", text));
    gate.sections[0].text.clone()
}

fn rows(text: &str) -> Vec<String> {
    let index = index_of(text);
    let rows = index.lines().filter(|line| line.starts_with('|')).skip(2);
    rows.map(|line| line.trim_matches(['|', ' ']).to_owned()).collect()
}

fn decide(old: &str, title: &str, fields: &[(&str, &str)]) -> String {
    let sandbox = Sandbox::new().file(".context/DECISIONS.md", old);
    let record = Record { kind: RecordKind::Decision, title, fields, stamp: STAMP, allows_secrets: false };
    add_record(&sandbox.path(".context"), &record, None).unwrap();
    sandbox.read(".context/DECISIONS.md")
}

#[test]
fn no_entry_disappears_because_another_has_a_different_form() {
    let text = "# Decisions\n\n\
        ## [2026-03-01-101500] Stamped\n\nbody\n\n---\n\n\
        ## [2026-02-01-1015] Short time\n\nbody\n\n\
        ## [2026-02-01] Bracketed date\n\nbody\n\n\
        ## 2026-01-20: Colon\n\nbody\n\n\
        ### 2026-06-13 — Dash\n\n**Why:** x\n\n\
        ## ADR-001: Record\n\n**Date:** 2026-01-05\n\n### Context\n\nc\n\n\
        ## [DEC-002] Bracketed id\n\n- **Datum**: 2026-01-06\n\n\
        ### D-0021 - Dashed id\n\n- Status: Accepted\n\n\
        ## Use one queue\n\nBecause.\n";
    assert_eq!(
        rows(text),
        [
            "2026-03-01 | Stamped",
            "2026-02-01 | Short time",
            "2026-02-01 | Bracketed date",
            "2026-01-20 | Colon",
            "2026-06-13 | Dash",
            "2026-01-05 | ADR-001: Record",
            "2026-01-06 | [DEC-002] Bracketed id",
            "- | D-0021 - Dashed id",
            "- | Use one queue",
        ]
    );
}

#[test]
fn groups_templates_and_fields_are_no_entries() {
    let text = "# Log\n\n> Append only.\n\n## 1. Purpose\n\nWhy this file is here.\n\n## 2. Template\n\n```markdown\n### D-XXXX - title\n```\n\n\
        ## YYYY-MM-DD: Title\n\nhow to\n\n\
        ## 3. Active decisions\n\n### D-0001 - One\n\n#### Context\n\nc\n\n### D-0002 - Two\n\nx\n\n\
        ## Storage\n\n### Use SQLite\n\nx\n\n### Use WAL\n\ny\n\n\
        ## 2026-05-01\n\n### Drop Redis\n\nz\n\n\
        ## Cache in memory\n\n### Context\n\nc\n\n### Decision\n\nd\n";
    assert_eq!(
        rows(text),
        ["- | D-0001 - One", "- | D-0002 - Two", "- | Use SQLite", "- | Use WAL", "2026-05-01 | Drop Redis", "- | Cache in memory"]
    );
}

#[test]
fn tables_and_lists_with_dates_or_numbers_are_entries_too() {
    let text = "# Log\n\n| Date | Decision | Why |\n|---|---|---|\n| 2026-01-21 | Use pnpm | Enough |\n| 2026-02-15 | Use cookies | Safe |\n\n\
        - 2026-03-01: Use Caddy\n  because of TLS\n- **2026-03-02** — Use Pino\n\n## [2026-04-01-000000] Newest\n\nbody\n";
    assert_eq!(
        rows(text),
        ["2026-01-21 | Use pnpm", "2026-02-15 | Use cookies", "2026-03-01 | Use Caddy", "2026-03-02 | Use Pino", "2026-04-01 | Newest"]
    );
    let indexed =
        "# Log\n\n| ID | Title | Date |\n|---|---|---|\n| D-0001 | One | 2026-01-01 |\n\n### D-0001 - One\n\n- Date: 2026-01-01\n";
    assert_eq!(rows(indexed), ["2026-01-01 | D-0001 - One"], "a table that repeats the headings is an index");
}

#[test]
fn text_before_the_first_heading_stays_visible_beside_the_table() {
    let text = "# Decisions\n\nWe ship on Fridays.\n- Postgres, not MySQL\n\n## [2026-01-02-030405] Use X\n\nbody\n";
    assert_eq!(
        index_of(text),
        "We ship on Fridays.\n- Postgres, not MySQL\n\n| Date | Decision |\n|------|--------|\n| 2026-01-02 | Use X |"
    );
}

#[test]
fn superseded_is_read_from_a_status_too() {
    assert_eq!(
        rows("## ADR-001: A\n\n- **Status:** Superseded by ADR-002\n\n## ADR-002: B\n\nStatus: Accepted\n"),
        ["- | ADR-001: A (superseded)", "- | ADR-002: B"]
    );
}

#[test]
fn a_stored_index_that_names_every_entry_is_used_in_any_form() {
    let stored = "| 2026-01-05 | ADR-001: Record |";
    let text = format!("# D\n\n<!-- INDEX:START -->\n{stored}\n<!-- INDEX:END -->\n\n## ADR-001: Record\n\nDate: 2026-01-05\n");
    assert_eq!(index_of(&text), stored);
    assert_eq!(rows(&format!("{text}\n## ADR-002: New\n\nx\n")), ["2026-01-05 | ADR-001: Record", "- | ADR-002: New"]);
}

#[test]
fn themes_are_in_the_index_and_their_pages_can_be_selected() {
    let sandbox = Sandbox::new()
        .file(
            ".context/DECISIONS.md",
            "# Decisions\n\n## [2026-07-02-000000] Staged\n\nbody\n\n## Themes\n\n<!-- one line each -->\n\
             - storage — where data lives → [storage](decisions/storage.md)\n- gone → [gone](decisions/gone.md)\n- out → [out](../../etc/out.md)\n",
        )
        .file(
            ".context/decisions/storage.md",
            "# Storage\n\nAll about disks.\n\n## [2026-06-01-000000] Use SQLite\n\none file\n\n## ADR-002: Use WAL\n\nlocal disk\n",
        )
        .file(".context/LEARNINGS.md", "# Learnings\n\n## Themes\n- net → [net](learnings/net.md)\n")
        .file(".context/learnings/net.md", "# Net\n\nNo headings here.\n");
    let gate = loaded(&sandbox);
    assert_eq!(
        gate.sections[0].text,
        "| Date | Decision |\n|------|--------|\n| 2026-07-02 | Staged |\n\n## Themes\n\n\
         - storage — where data lives → [storage](decisions/storage.md)\n- gone → [gone](decisions/gone.md)\n- out → [out](../../etc/out.md)"
    );
    assert_eq!(gate.sections[1].text, "## Themes\n- net → [net](learnings/net.md)");
    let mut notes = Vec::new();
    let found = entries(&places(sandbox.root(), &sandbox), &Settings::defaults(), &mut notes);
    let context = sandbox.path(".context").display().to_string();
    let names: Vec<_> =
        found.iter().map(|found| (found.id().trim_start_matches(&context).to_owned(), found.title(), found.about.text())).collect();
    let expected = [
        ("/DECISIONS.md#2026-07-02-000000-staged", "Staged", "## [2026-07-02-000000] Staged\n\nbody"),
        ("/decisions/storage.md#page", "storage", "# Storage\n\nAll about disks."),
        ("/decisions/storage.md#2026-06-01-000000-use-sqlite", "Use SQLite", "## [2026-06-01-000000] Use SQLite\n\none file"),
        ("/decisions/storage.md#adr-002-use-wal", "ADR-002: Use WAL", "## ADR-002: Use WAL\n\nlocal disk"),
        ("/learnings/net.md#page", "net", "# Net\n\nNo headings here."),
    ];
    assert_eq!(names, expected.map(|(id, title, text)| (id.to_owned(), title, text)));
    let reasons: Vec<_> = notes.iter().map(|note| note.reason.as_str()).collect();
    assert_eq!(
        reasons,
        ["the theme page `decisions/gone.md` does not exist", "the theme page `../../etc/out.md` is outside the directory"]
    );
}

#[test]
fn a_new_entry_has_the_form_and_the_place_of_the_others() {
    for (old, title, expected) in [
        // Dated headings, newest first, with rules.
        (
            "# Log\n\nIntro.\n\n---\n\n### 2026-06-13 — B\n\nb\n\n---\n\n### 2026-05-01 — A\n\na\n",
            "New",
            "# Log\n\nIntro.\n\n---\n\n### 2026-11-15 — New\n\n**Context**: why\n\n---\n\n### 2026-06-13 — B\n\nb\n\n---\n\n### 2026-05-01 — A\n\na\n",
        ),
        // Dated headings, oldest first.
        (
            "# Log\n\n## [2026-01-01] A\n\na\n\n## [2026-02-01] B\n\nb\n",
            "New",
            "# Log\n\n## [2026-01-01] A\n\na\n\n## [2026-02-01] B\n\nb\n\n## [2026-11-15] New\n\n**Context**: why\n",
        ),
        // Numbers count on; a closing section stays last.
        (
            "# ADRs\n\n## ADR-009: A\n\n**Status:** Final\n\n---\n\n## ADR-010: B\n\n**Status:** Final\n\n---\n\n## Themes\n\n- x\n",
            "New",
            "# ADRs\n\n## ADR-009: A\n\n**Status:** Final\n\n---\n\n## ADR-010: B\n\n**Status:** Final\n\n---\n\n\
             ## ADR-011: New\n\n**Date**: 2026-11-15\n\n**Context**: why\n\n---\n\n## Themes\n\n- x\n",
        ),
        (
            "# D\n\n## Active\n\n### D-0002 - B\n- Status: Accepted\n\n### D-0001 - A\n- Status: Accepted\n",
            "New",
            "# D\n\n## Active\n\n### D-0003 - New\n\n**Date**: 2026-11-15\n\n**Context**: why\n\n### D-0002 - B\n- Status: Accepted\n\n\
             ### D-0001 - A\n- Status: Accepted\n",
        ),
        // Plain sections.
        (
            "# D\n\n## Use X\n\nx\n\n## Use Y\n\ny",
            "New",
            "# D\n\n## Use X\n\nx\n\n## Use Y\n\ny\n\n## New\n\n**Date**: 2026-11-15\n\n**Context**: why\n",
        ),
        (
            "## 1. Use X\n\nx\n\n## 2. Use Y\n\ny\n",
            "New",
            "## 1. Use X\n\nx\n\n## 2. Use Y\n\ny\n\n## 3. New\n\n**Date**: 2026-11-15\n\n**Context**: why\n",
        ),
        // A list.
        (
            "# D\n\n- **2026-01-01**: A\n- **2026-02-01**: B\n",
            "New",
            "# D\n\n- **2026-01-01**: A\n- **2026-02-01**: B\n- **2026-11-15**: New\n  - **Context**: why\n",
        ),
        // A table.
        (
            "# D\n\n| Date | Decision | Context | Outcome |\n|---|---|---|---|\n| 2026-01-01 | A | a | b |\n\n---\n\nEnd.\n",
            "New | er",
            "# D\n\n| Date | Decision | Context | Outcome |\n|---|---|---|---|\n| 2026-01-01 | A | a | b |\n| 2026-11-15 | New \\| er | why |  |\n\n---\n\nEnd.\n",
        ),
        // Nothing but an introduction.
        ("# Decisions\n\nAll of them.\n", "New", "# Decisions\n\nAll of them.\n\n## [2026-11-15-120000] New\n\n**Context**: why\n"),
    ] {
        assert_eq!(decide(old, title, &[("Context", "why")]), expected, "{old}");
        let index = index_of(&decide(old, title, &[("Context", "why")]));
        for row in rows(old) {
            assert!(index.contains(&row), "{row} is gone from\n{index}");
        }
        assert!(index.contains("2026-11-15"), "{index}");
    }
}

#[test]
fn a_file_without_headings_keeps_its_newest_end() {
    let line = |day: usize| format!("On 2026-{:02}-{:02} we chose number {day}. {}\n", day / 28 + 1, day % 28 + 1, "x".repeat(60));
    let oldest_first: String = (0..300).map(line).collect();
    let shown = index_of(&format!("# D\n\n{oldest_first}"));
    assert!(shown.contains("number 299.") && !shown.contains("number 0."), "{shown}");
    let first = shown.lines().next().unwrap();
    assert!(first.starts_with("[the first ") && first.ends_with(" characters are left out; they are in DECISIONS.md]"), "{first}");
    assert!(shown.lines().nth(1).unwrap().starts_with("On 2026-"), "cut between lines: {shown}");
    assert!(shown.chars().count() <= 10_100);
    let newest_first: String = (0..300).rev().map(line).collect();
    let shown = index_of(&format!("# D\n\n{newest_first}"));
    assert!(shown.contains("number 299.") && !shown.contains("number 0."), "{shown}");
    let last = shown.lines().last().unwrap();
    assert!(last.starts_with("[the last ") && last.ends_with(" characters are left out; they are in DECISIONS.md]"), "{last}");
}
