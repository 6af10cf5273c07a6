//! `brief learn`: appends, keeps every byte, loses nothing.

use briefing_testkit::Sandbox;

const FIRST: &str = "# Knowledge\n\n---\n\n## 2026-01-01 - One\n**Type:** decision\n**Topics:** auth\n\nfirst\n";

fn project() -> Sandbox {
    Sandbox::new().file(".megg/info.md", "# Top\n")
}

fn learn(sandbox: &Sandbox, more: &[&str]) -> briefing_testkit::Outcome {
    sandbox.brief(["learn", "Use jiff", "--type", "rule", "--topics", "Dates, rust,dates"].iter().chain(more))
}

#[test]
fn the_first_entry_makes_the_file() {
    let sandbox = project().directory("src/deep");
    insta::assert_snapshot!(learn(&sandbox.at("src/deep"), &["chrono is larger"]), @r"
    exit code: 0
    ----- stdout -----
    Added to [ROOT]/.megg/knowledge.md (49 tokens)
    ----- stderr -----
    ");
    insta::assert_snapshot!(sandbox.read(".megg/knowledge.md"), @r"
    ---
    created: 2026-11-15T12:00:00.000Z
    updated: 2026-11-15T12:00:00.000Z
    type: knowledge
    ---

    # Knowledge

    ---

    ## 2026-11-15 - Use jiff
    **Type:** rule
    **Topics:** dates, rust

    chrono is larger
    ");
    let text = sandbox.brief(["context", "--topic", "dates"]).success().stdout();
    assert!(text.contains("chrono is larger"), "{text}");
}

#[test]
fn everything_that_was_there_stays_byte_for_byte() {
    let entry = "## 2026-11-15 - Use jiff\n**Type:** rule\n**Topics:** dates, rust\n\na\n\nb\n";
    for (before, between) in [
        (FIRST.to_owned(), "\n---\n\n"),
        (FIRST.trim_end().to_owned(), "\n\n---\n\n"),
        (format!("{FIRST}\n"), "---\n\n"),
        (format!("\u{FEFF}{FIRST}"), "\n---\n\n"),
        ("no entries, trailing space \n".to_owned(), "\n---\n\n"),
    ] {
        let sandbox = project().file(".megg/knowledge.md", &before);
        let _ = learn(&sandbox, &["a\n\nb\n"]).success();
        assert_eq!(sandbox.read(".megg/knowledge.md"), format!("{before}{between}{entry}"));
        let crlf = before.replace('\n', "\r\n");
        sandbox.write(".megg/knowledge.md", &crlf);
        let _ = learn(&sandbox, &["a\n\nb\n"]).success();
        assert_eq!(sandbox.read(".megg/knowledge.md"), format!("{crlf}{}", format!("{between}{entry}").replace('\n', "\r\n")));
    }
}

#[test]
fn two_at_once_lose_nothing() {
    let sandbox = project();
    let mut children: Vec<_> = (0..24)
        .map(|at| {
            let mut command = sandbox.command(briefing_testkit::binary());
            command
                .stdout(std::process::Stdio::null())
                .args(["learn", &format!("Entry {at}"), "--type", "fact", "--topics", "race", "body"])
                .spawn()
                .unwrap()
        })
        .collect();
    assert!(children.iter_mut().all(|child| child.wait().unwrap().success()));
    let text = sandbox.read(".megg/knowledge.md");
    for at in 0..24 {
        assert_eq!(text.matches(&format!("## 2026-11-15 - Entry {at}\n")).count(), 1, "{text}");
    }
    assert_eq!(text.matches("# Knowledge\n").count(), 1);
    assert_eq!(std::fs::read_dir(sandbox.path(".megg")).unwrap().count(), 2, "no temporary file is left");
}

#[test]
fn a_dry_run_shows_the_diff_and_changes_nothing() {
    let sandbox = project().file(".megg/knowledge.md", FIRST);
    insta::assert_snapshot!(learn(&sandbox, &["body", "--dry-run"]), @r"
    exit code: 0
    ----- stdout -----
    --- [ROOT]/.megg/knowledge.md
    +++ [ROOT]/.megg/knowledge.md
    @@ -7,3 +7,11 @@
     **Topics:** auth
     
     first
    +
    +---
    +
    +## 2026-11-15 - Use jiff
    +**Type:** rule
    +**Topics:** dates, rust
    +
    +body
    ----- stderr -----
    ");
    assert_eq!(sandbox.read(".megg/knowledge.md"), FIRST);
}

#[test]
fn a_body_comes_from_stdin_and_stays_one_entry() {
    let body = "## Why\n\n---\n\n## Because\n\n```rust\nfn open() {\n";
    let sandbox = project();
    let outcome = sandbox.brief_with_input(["learn", "T", "--type", "gotcha", "--topics", "a", "-"], body).success();
    insta::assert_snapshot!(outcome.stderr(), @r"
    warning: a line `---` in the body was changed to `----`, because three dashes would end the entry
    warning: the body left a code fence open; it was closed at the end
    ");
    let _ = learn(&sandbox, &["```\nnext\n```"]).success();
    let text = sandbox.brief(["context", "--format", "json"]).success().stdout();
    let result: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(result["knowledge"]["entries"], 2, "{text}");
    let topic = sandbox.brief(["context", "--topic", "a"]).success().stdout();
    assert!(topic.contains("## Why\n\n----\n\n## Because\n\n```rust\nfn open() {\n```\n"), "{topic}");
}

#[test]
fn an_entry_that_could_not_be_read_back_is_refused() {
    let open = format!("{FIRST}\n```\nnever closed\n");
    let sandbox = project().file(".megg/knowledge.md", &open);
    let outcome = learn(&sandbox, &["```\ncode\n```"]).code(1);
    assert!(outcome.stderr().contains("hint: a code fence or comment in knowledge.md is not closed"), "{outcome}");
    assert_eq!(sandbox.read(".megg/knowledge.md"), open);
    let outcome = learn(&project(), &["text\n## 2026-01-01 - Other\n**Type:** fact\n\nx"]).code(1);
    assert!(outcome.stderr().contains("add the entries one at a time"), "{outcome}");
}

#[test]
fn types_of_both_generations_are_written_and_others_refused() {
    let sandbox = project();
    for kind in ["decision", "pattern", "gotcha", "context", "rule", "fact", "process", "RULE"] {
        let _ = sandbox.brief(["learn", kind, "--type", kind, "--topics", "a"]).success();
    }
    let outcome = sandbox.brief(["learn", "x", "--type", "ruel", "--topics", "a"]).code(2);
    assert!(outcome.stderr().contains("[possible values: decision, rule, pattern, gotcha, fact, context, process]"), "{outcome}");
    assert_eq!(sandbox.read(".megg/knowledge.md").matches("**Type:** rule\n").count(), 2);
}

#[test]
fn wrong_titles_and_topics_are_refused() {
    let sandbox = project();
    for (title, topics, message) in
        [("two\nlines", "a", "title must be one line"), (" - ", "a", "title must be one line"), ("x", " , ", "at least one topic")]
    {
        let outcome = sandbox.brief(["learn", title, "--type", "fact", "--topics", topics]).code(2);
        assert!(outcome.stderr().contains(message), "{outcome}");
    }
    assert!(!sandbox.path(".megg/knowledge.md").exists());
}

#[test]
fn secrets_are_refused_unless_allowed() {
    let secret = format!("ghp_{}", "aB3dE5fG7hJ9kL1m".repeat(3));
    let sandbox = project();
    insta::assert_snapshot!(learn(&sandbox, &[&secret]), @r"
    exit code: 1
    ----- stdout -----
    ----- stderr -----
    error: the text contains a secret (GitHub token)
    hint: write where the secret is stored instead of the secret itself
    hint: `--allow-secrets` saves it anyway
    ");
    assert!(!sandbox.path(".megg/knowledge.md").exists());
    let _ = learn(&sandbox, &[&secret, "--allow-secrets"]).success();
    assert!(sandbox.read(".megg/knowledge.md").contains(&secret));
}

#[test]
fn a_file_near_a_threshold_is_warned_about() {
    for (tokens, words) in [
        (6_500, "close to 8000; from there on only a summary is loaded"),
        (9_000, "8000 or more, so only a summary is loaded"),
        (13_000, "close to 16000; above that it is no longer loaded"),
        (17_000, "more than 16000, so it is no longer loaded"),
    ] {
        let sandbox = project().file(".megg/knowledge.md", format!("{FIRST}{}\n", "x".repeat(tokens * 4)));
        let outcome = learn(&sandbox, &[]).success();
        assert!(
            outcome.stderr().contains(words) && outcome.stderr().contains("`brief maintain [ROOT]` shows what can be archived"),
            "{outcome}"
        );
    }
}

#[test]
fn what_cannot_be_kept_is_not_touched() {
    for bytes in [&b"caf\xe9\n"[..], b"\xFF\xFEh\0i\0", b"a\0b"] {
        let sandbox = project().file(".megg/knowledge.md", bytes);
        let outcome = learn(&sandbox, &[]).code(1);
        assert!(outcome.stderr().contains("cannot read `[ROOT]/.megg/knowledge.md`"), "{outcome}");
        assert_eq!(std::fs::read(sandbox.path(".megg/knowledge.md")).unwrap(), bytes);
    }
    insta::assert_snapshot!(learn(&Sandbox::new(), &[]), @r"
    exit code: 1
    ----- stdout -----
    ----- stderr -----
    error: no domain at `[ROOT]` or above it
    hint: `brief init domain` creates one in this directory
    ");
}
