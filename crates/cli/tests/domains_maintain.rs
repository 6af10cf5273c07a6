//! `brief maintain`: its findings, `--apply` and `--undo`.

use briefing_testkit::Sandbox;
use serde_json::Value;

fn entry(date: &str, title: &str, topics: &str, body: &str) -> String {
    format!("\n---\n\n## {date} - {title}\n**Type:** decision\n**Topics:** {topics}\n\n{body}\n")
}

fn project(entries: &[String]) -> Sandbox {
    Sandbox::new().file(".megg/info.md", "# Top\n").file(".megg/knowledge.md", format!("# Knowledge\n{}", entries.concat()))
}

/// Returns the findings as (kind, message).
#[track_caller]
fn findings(sandbox: &Sandbox) -> Vec<(String, String)> {
    let report: Value = serde_json::from_str(&sandbox.brief(["maintain", "--json"]).success().stdout()).unwrap();
    let domains = report["domains"].as_array().unwrap().iter();
    let all = domains.flat_map(|domain| domain["findings"].as_array().unwrap());
    all.map(|finding| (finding["kind"].as_str().unwrap().to_owned(), finding["message"].as_str().unwrap().to_owned())).collect()
}

#[test]
fn every_finding_comes_with_the_command_that_fixes_it() {
    let entries = [
        entry("2026-08-16", "Ninety-one days", "auth", "See `src/gone.rs:3` and `src/here.rs`."),
        entry("2026-08-17", "Ninety days", "auths", "x"),
        entry("2026-11-40", "No day", "web-ui", "x"),
        "\n---\n\n## 2026-11-01 - No topics\n**Type:** fact\n\nx\n".to_owned(),
        entry("2026-11-02", "Twice", "a", "same"),
        entry("2026-11-02", "Twice", "a", "same"),
    ];
    let sandbox = project(&entries)
        .file("src/here.rs", "")
        .file(".megg/info.md", "---\nupdated: 2026-10-16T12:00:00Z\n---\n# Top\n")
        .file("sub/.megg/info.md", "---\nupdated: soon\n---\n# Sub\n")
        .file("fresh/.megg/info.md", "---\nupdated: 2026-10-16T13:00:00Z\n---\n# Fresh\n");
    insta::assert_snapshot!(sandbox.brief(["maintain"]), @r#"
    exit code: 0
    ----- stdout -----
    [ROOT] (6 entries, 114 tokens, loaded: full)
      stale entries: 1 entry is older than 90 days; archive those that no longer apply: "Ninety-one days"
        brief maintain [ROOT] --apply
      duplicate entries: 1 entry repeats another word for word: "Twice"
        brief maintain [ROOT] --apply
      topic spelling: `auth` and `auths` look like the same topic; choose one spelling (line 5)
        ${EDITOR:-vi} +5 [ROOT]/.megg/knowledge.md
      no topics: "No topics" has no topics, so `--topic` cannot find it (line 29)
        ${EDITOR:-vi} +29 [ROOT]/.megg/knowledge.md
      dead reference: "Ninety-one days" refers to `src/gone.rs`, which does not exist (line 9)
        ${EDITOR:-vi} +9 [ROOT]/.megg/knowledge.md
      stale info.md: info.md was last updated on 2026-10-16; check it and set `updated`
        ${EDITOR:-vi} [ROOT]/.megg/info.md
      bad date: "No day" has the date 2026-11-40, which does not exist (line 21)
        ${EDITOR:-vi} +21 [ROOT]/.megg/knowledge.md

    [ROOT]/sub (no knowledge yet)
      bad date: the date `soon` is not valid (line 2)
        ${EDITOR:-vi} +2 [ROOT]/sub/.megg/info.md

    8 findings in 3 domains.
    ----- stderr -----
    "#);
    let outcome = sandbox.brief(["maintain", "--check"]).code(1);
    assert!(outcome.stderr().contains("error: found 8 problems"), "{outcome}");
}

#[test]
fn a_healthy_domain_has_no_findings_and_no_updated_field_no_note() {
    let sandbox = project(&[entry("2026-11-01", "Fine", "a", "x")]);
    assert_eq!(sandbox.brief(["maintain", "--check"]).success().stdout(), "Nothing to fix: 1 domain, 1 entry.\n");
    assert_eq!(Sandbox::new().brief(["maintain"]).success().stdout(), "No domain at or below [ROOT]. `brief init domain` creates one.\n");
}

#[test]
fn many_entries_about_one_topic_are_advice() {
    let entries: Vec<_> = (1..=6).map(|day| entry(&format!("2026-11-0{day}"), &format!("T{day}"), "auth", "x")).collect();
    let sandbox = project(&entries);
    assert_eq!(
        findings(&sandbox),
        [("duplicate-topics".into(), "several entries share a topic and may repeat each other: auth (6)".into())]
    );
    assert!(sandbox.brief(["maintain", "--check"]).success().stdout().contains("brief context [ROOT] --topic auth"));
}

#[test]
fn bloated_files_say_how_they_are_loaded() {
    for (tokens, words) in [(8_000, "so it is only summarised"), (16_001, "so it is not loaded at all")] {
        let sandbox = project(&[entry("2026-11-01", "Long", "a", &"x".repeat(tokens * 4))]);
        let found = findings(&sandbox);
        assert_eq!(found[0].0, "bloated");
        assert!(found[0].1.contains(words), "{found:?}");
    }
}

#[test]
fn the_scan_goes_down_and_skips_what_tools_make() {
    let sandbox = Sandbox::new()
        .file("a/.megg/info.md", "x")
        .file("a/b/c/.megg/info.md", "x")
        .file("node_modules/p/.megg/info.md", "x")
        .file("out/.megg/info.md", "x")
        .file(".gitignore", "out/\n.megg/\n")
        .file("named/.megg/info.md", "x")
        .file("brief.toml", "excluded_directories = [\"nam*\"]\n");
    let report: Value = serde_json::from_str(&sandbox.brief(["maintain", "--json"]).success().stdout()).unwrap();
    let paths: Vec<_> = report["domains"].as_array().unwrap().iter().map(|domain| domain["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["[ROOT]/a", "[ROOT]/a/b/c"]);
    let inside: Value = serde_json::from_str(&sandbox.brief(["maintain", "a/src", "--json"]).success().stdout()).unwrap();
    assert_eq!(inside["root"], "[ROOT]/a", "a place inside a domain means the domain");
}

#[test]
fn apply_shows_the_diff_archives_and_merges_and_is_undone_by_one_command() {
    let old = [entry("2025-12-31", "Old", "a", "was\n\n---\n\ntrue"), entry("2026-01-01", "Less old", "b", "x")];
    let new = [entry("2026-11-02", "Twice", "a", "same"), entry("2026-11-03", "New", "a", "y")];
    let again = entry("2026-11-02", "Twice", "a", "same");
    let sandbox = project(&[old[0].clone(), again, old[1].clone(), new[0].clone(), new[1].clone()]);
    let before = sandbox.read(".megg/knowledge.md");

    let outcome = sandbox.brief(["maintain", "--apply"]).code(1);
    assert!(outcome.stdout().contains("-## 2025-12-31 - Old\n") && outcome.stdout().contains("+# Archive 2025\n"), "{outcome}");
    assert!(outcome.stderr().contains("hint: pass `--yes` to confirm"), "{outcome}");
    assert_eq!(sandbox.read(".megg/knowledge.md"), before);

    let outcome = sandbox.brief(["maintain", "--apply", "--yes"]).success();
    assert_eq!(
        outcome.stderr(),
        "Done: move 2 entries to the archive and remove 1 duplicate entry. `brief maintain [ROOT] --undo` undoes it.\n"
    );
    assert_eq!(sandbox.read(".megg/knowledge.md"), format!("# Knowledge\n{}", new.concat()));
    let archive =
        |year: &str, entry: &str| format!("---\ncreated: 2026-11-15T12:00:00.000Z\ntype: archive\n---\n\n# Archive {year}\n{entry}");
    assert_eq!(sandbox.read(".megg/archive/2025.md"), archive("2025", &old[0]));
    assert_eq!(sandbox.read(".megg/archive/2026.md"), archive("2026", &old[1]));
    assert_eq!(sandbox.brief(["maintain", "--apply"]).success().stdout(), "Nothing to archive and nothing to merge.\n");
    let context = sandbox.brief(["context"]).success().stdout();
    assert!(context.contains("- [ROOT]/.megg/archive/2025.md\n"), "archives are named: {context}");

    let _ = sandbox.brief(["learn", "Later", "--type", "fact", "--topics", "a", "z"]).success();
    let outcome = sandbox.brief(["maintain", "--undo"]).success();
    insta::assert_snapshot!(outcome.stdout(), @r"
    Restored the files from before 2026-11-15T12:00:00Z:
      [ROOT]/.megg/knowledge.md
      [ROOT]/.megg/archive/2026.md
      [ROOT]/.megg/archive/2025.md
    ");
    let restored = sandbox.read(".megg/knowledge.md");
    assert!(restored.starts_with(&before) && restored.contains("## 2026-11-15 - Later"), "what was learned since is kept: {restored}");
    assert!(!sandbox.path(".megg/archive").exists());
    assert!(sandbox.brief(["maintain", "--undo"]).code(1).stderr().contains("there is nothing to undo"));
}

#[test]
fn an_undo_never_overwrites_later_changes() {
    let sandbox = project(&[entry("2025-12-31", "Old", "a", "x"), entry("2026-11-01", "New", "a", "y")]);
    let _ = sandbox.brief(["maintain", "--apply", "--yes"]).success();
    sandbox.write(".megg/knowledge.md", "rewritten by hand\n");
    let outcome = sandbox.brief(["maintain", "--undo"]).code(1);
    assert!(outcome.stderr().contains("these files have changed since, so nothing was undone: [ROOT]/.megg/knowledge.md"), "{outcome}");
    assert!(outcome.stderr().contains("hint: the previous versions are in `[HOME]/.local/state/brief/maintain/000001`"), "{outcome}");
    assert_eq!(sandbox.read(".megg/knowledge.md"), "rewritten by hand\n");
    assert!(sandbox.path(".megg/archive/2025.md").exists());
}

#[test]
fn a_repeated_entry_with_another_date_is_kept_in_the_archive() {
    let sandbox = project(&[entry("2026-11-01", "Same", "a", "x"), entry("2026-11-09", "Same", "a", "x")]);
    let _ = sandbox.brief(["maintain", "--apply", "--yes"]).success();
    assert_eq!(sandbox.read(".megg/knowledge.md"), format!("# Knowledge\n{}", entry("2026-11-09", "Same", "a", "x")));
    assert!(sandbox.read(".megg/archive/2026.md").ends_with(&entry("2026-11-01", "Same", "a", "x")));
}

#[test]
fn crlf_files_keep_their_line_ends_and_older_than_can_be_chosen() {
    let sandbox = project(&[]);
    let text = format!("# Knowledge\n{}{}", entry("2026-11-01", "A", "a", "x"), entry("2026-11-14", "B", "a", "y")).replace('\n', "\r\n");
    sandbox.write(".megg/knowledge.md", &text);
    assert_eq!(sandbox.brief(["maintain", "--apply"]).success().stdout(), "Nothing to archive and nothing to merge.\n");
    let _ = sandbox.brief(["maintain", "--apply", "--yes", "--older-than", "7"]).success();
    assert_eq!(sandbox.read(".megg/knowledge.md"), format!("# Knowledge\n{}", entry("2026-11-14", "B", "a", "y")).replace('\n', "\r\n"));
    assert!(sandbox.read(".megg/archive/2026.md").contains("## 2026-11-01 - A\r\n**Type:** decision\r\n"));
    let _ = sandbox.brief(["maintain", "--undo"]).success();
    assert_eq!(sandbox.read(".megg/knowledge.md"), text);
}
