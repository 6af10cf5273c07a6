//! `brief context` on damaged and unusual files: a result and a note, never a crash, never lost text.

use briefing_testkit::Sandbox;
use serde_json::Value;

const KNOWLEDGE: &str = "---\ntype: knowledge\n---\n\n# Knowledge\n\n---\n\n## 2026-01-01 - One\n**Type:** decision\n**Topics:** auth\n\nfirst\n\n---\n\n## 2026-01-02 - Two\n**Type:** rule\n**Topics:** ui\n\nsecond\n";

fn project() -> Sandbox {
    Sandbox::new().file(".megg/info.md", "# Top\n")
}

/// Returns the result and the lines on stderr.
#[track_caller]
fn result(sandbox: &Sandbox, arguments: &[&str]) -> (Value, String) {
    let outcome = sandbox.brief(["context", "--format", "json"].iter().chain(arguments)).success();
    (serde_json::from_str(&outcome.stdout()).unwrap(), outcome.stderr())
}

/// Returns whether the current user can read everything: then permissions cannot be tested.
fn is_root() -> bool {
    std::process::Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n")
}

#[test]
fn line_ends_marks_and_missing_newlines_change_nothing() {
    let crlf = KNOWLEDGE.replace('\n', "\r\n");
    for text in [crlf.clone(), format!("\u{FEFF}{KNOWLEDGE}"), KNOWLEDGE.trim_end().to_owned(), format!("\u{FEFF}{}", crlf.trim_end())] {
        let sandbox = project().file(".megg/knowledge.md", &text);
        let (all, stderr) = result(&sandbox, &[]);
        assert_eq!(all["knowledge"]["entries"], 2, "{text:?}");
        assert_eq!(all["knowledge"]["content"], text.trim_start_matches('\u{FEFF}'));
        assert_eq!(stderr, "");
        let (some, _) = result(&sandbox, &["--topic", "auth"]);
        assert!(some["knowledge"]["content"].as_str().unwrap().ends_with("first"), "{some}");
    }
}

#[test]
fn state_and_info_with_crlf_and_a_mark_are_read() {
    let sandbox = Sandbox::new()
        .file(".megg/info.md", "\u{FEFF}---\r\ntype: context\r\n---\r\n\r\n# Top\r\n")
        .file(".megg/state.md", "\u{FEFF}---\r\nupdated: 2026-11-15T11:00:00Z\r\nstatus: active\r\n---\r\n\r\nNext: tests\r\n");
    let (all, _) = result(&sandbox, &[]);
    assert_eq!(all["chain"][0]["info"], "# Top");
    assert_eq!(all["state"]["content"], "Next: tests");
    let (none, _) = result(&project().file(".megg/state.md", "---\nupdated: 2026-11-15T11:00:00Z\n---"), &[]);
    assert_eq!(none["state"]["content"], "", "front matter without a last newline");
}

#[test]
fn rules_inside_fences_and_bodies_do_not_cut() {
    let text = KNOWLEDGE
        .replace("first\n", "first\n\n---\n\nstill\n\n```yaml\n---\n\n## 2026-01-09 - Not one\n**Type:** x\n---\n```\nend of one\n");
    let (all, _) = result(&project().file(".megg/knowledge.md", text), &["--topic", "auth"]);
    let content = all["knowledge"]["content"].as_str().unwrap();
    assert_eq!(all["knowledge"]["entries"], 1);
    assert!(content.contains("still") && content.ends_with("end of one"), "{content}");
}

#[test]
fn entries_without_date_type_or_topics_are_counted_and_noted() {
    let text = "# Knowledge\n\n---\n\n## No date\n**Type:** fact\n**Topics:** a\n\nx\n\n---\n\n## 2026-01-02 - No type\n**Topics:** a\n\ny\n\n---\n\n## Nothing at all\n\nz\n";
    let (all, _) = result(&project().file(".megg/knowledge.md", text), &[]);
    assert_eq!(all["knowledge"]["entries"], 3);
    assert_eq!(all["notes"][0]["reason"], "1 entry is without topics: `--topic` cannot find them");
}

#[test]
fn front_matter_that_is_not_yaml_is_shown_as_text() {
    let sandbox = Sandbox::new().file(".megg/info.md", "---\nthese are just words\n---\n\n# Top\n");
    let (all, stderr) = result(&sandbox, &[]);
    assert_eq!(all["chain"][0]["info"], "---\nthese are just words\n---\n\n# Top");
    assert!(stderr.contains("are not front matter and are shown as text"), "{stderr}");
    let (odd, stderr) = result(&Sandbox::new().file(".megg/info.md", "---\nkey: [never: closed\n\t- x\n---\n# Top\n"), &[]);
    assert_eq!((odd["chain"][0]["info"].as_str().unwrap(), stderr.as_str()), ("# Top", ""));
}

#[test]
fn a_knowledge_file_of_50_mb_is_blocked_and_its_topics_still_load() {
    let filler = "words and more words\n".repeat(50 * 1024 * 1024 / 21);
    let sandbox = project().file(".megg/knowledge.md", KNOWLEDGE.replace("second\n", &filler));
    let (all, _) = result(&sandbox, &[]);
    assert_eq!(all["knowledge"]["mode"], "blocked");
    let (some, _) = result(&sandbox, &["--topic", "auth"]);
    assert_eq!(some["knowledge"]["entries"], 1);
    // A file too large to read is reported with its size.
    let file = std::fs::OpenOptions::new().write(true).open(sandbox.path(".megg/knowledge.md")).unwrap();
    file.set_len(70 * 1024 * 1024).unwrap();
    let (huge, stderr) = result(&sandbox, &[]);
    assert_eq!(huge["knowledge"]["mode"], "blocked");
    assert!(stderr.contains("too large"), "{stderr}");
}

#[test]
fn bytes_that_are_not_utf8_cost_only_themselves() {
    let mut bytes = KNOWLEDGE.as_bytes().to_vec();
    bytes.extend_from_slice(b"caf\xe9\n");
    let (all, stderr) = result(&project().file(".megg/knowledge.md", bytes), &[]);
    assert_eq!(all["knowledge"]["entries"], 2);
    assert!(stderr.contains("is not UTF-8"), "{stderr}");
    let (binary, stderr) = result(&project().file(".megg/knowledge.md", b"\x7fELF\0\0"), &[]);
    assert_eq!(binary["knowledge"], Value::Null);
    assert!(stderr.contains("binary file"), "{stderr}");
}

#[cfg(unix)]
#[test]
fn an_unreadable_info_in_the_middle_of_the_chain_leaves_a_gap_with_a_reason() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = project().file("a/.megg/info.md", "# A").file("a/b/.megg/info.md", "# B");
    // A directory in place of the file is unreadable for every user, including root.
    let sandbox = sandbox.directory("a/b/c/.megg/info.md").file("a/b/c/d/.megg/info.md", "# D");
    let forbid = |mode| std::fs::set_permissions(sandbox.path("a/.megg/info.md"), std::fs::Permissions::from_mode(mode)).unwrap();
    forbid(0);
    let (all, stderr) = result(&sandbox, &["a/b/c/d"]);
    assert_eq!(all["chain"].as_array().unwrap().len(), 5);
    assert_eq!(all["chain"][3]["problem"], "not a regular file but a directory");
    assert!(stderr.contains("`[ROOT]/a/b/c/.megg/info.md`: not a regular file but a directory"), "{stderr}");
    if !is_root() {
        assert_eq!(all["chain"][1]["problem"], "permission denied");
    }
    let text = sandbox.brief(["context", "a/b/c/d"]).success().stdout();
    assert!(text.contains("(info.md could not be read: not a regular file but a directory)"), "{text}");
    forbid(0o644);
}

#[cfg(unix)]
#[test]
fn a_directory_above_that_cannot_be_listed_is_no_obstacle() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = project().file("a/b/.megg/info.md", "# B");
    let forbid = |mode| std::fs::set_permissions(sandbox.path("a"), std::fs::Permissions::from_mode(mode)).unwrap();
    forbid(0o311);
    let (all, _) = result(&sandbox, &["a/b"]);
    forbid(0o755);
    assert_eq!(all["chain"].as_array().unwrap().len(), 2);
    if !is_root() {
        assert!(all["notes"][0]["reason"].as_str().unwrap().contains("cannot be listed"), "{all}");
    }
}

#[test]
fn a_megg_that_is_a_file_is_no_domain() {
    let (all, stderr) = result(&project().file("sub/.megg", "not a directory"), &["sub"]);
    assert_eq!(all["chain"].as_array().unwrap().len(), 1);
    assert!(stderr.contains("`[ROOT]/sub/.megg`: is a file, but a domain needs a directory"), "{stderr}");
}

#[cfg(unix)]
#[test]
fn a_linked_megg_is_followed_and_noted_and_leads_to_nothing_but_markdown() {
    let sandbox = project()
        .directory(".git")
        .file("shared/info.md", "# Shared")
        .file("secret", "password")
        .directory("sub")
        .link("sub/.megg", "../shared");
    let (all, _) = result(&sandbox, &["sub"]);
    assert_eq!(all["chain"][1]["info"], "# Shared");
    assert!(all["notes"][0]["reason"].as_str().unwrap().contains("is a link to `[ROOT]/shared`"), "{all}");
    let sandbox =
        sandbox.directory("evil/.megg").link("evil/.megg/info.md", "../../secret").directory("gone").link("gone/.megg", "nowhere");
    let (evil, stderr) = result(&sandbox, &["evil"]);
    assert!(!evil.to_string().contains("password"), "{evil}");
    assert!(stderr.contains("symbolic link to something that is not a .md file"), "{stderr}");
    let (_, stderr) = result(&sandbox, &["gone"]);
    assert!(stderr.contains("is a broken link"), "{stderr}");
}

#[test]
fn secrets_do_not_get_through() {
    let secret = format!("ghp_{}", "aB3dE5fG7hJ9kL1m".repeat(3));
    let sandbox = project()
        .file(".megg/info.md", format!("# Top {secret}"))
        .file(".megg/knowledge.md", format!("# K {secret}"))
        .file(".megg/state.md", format!("---\nupdated: 2026-11-15T11:00:00Z\n---\n{secret}"));
    let outcome = sandbox.brief(["context"]).success();
    assert!(!outcome.stdout().contains(&secret) && outcome.stdout().matches("[redacted: GitHub token]").count() == 3, "{outcome}");
    assert_eq!(outcome.stderr().matches("was redacted").count(), 3, "{outcome}");
}
