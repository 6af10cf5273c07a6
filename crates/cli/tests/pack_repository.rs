//! `brief pack` on repositories as they are: images, lock files, large directories, lists from git, budgets.

use briefing_testkit::{Outcome, Sandbox};

/// A repository with everything that real ones have and a document cannot use.
fn repository() -> Sandbox {
    let mut sandbox = Sandbox::new()
        .file(".git/HEAD", "ref: refs/heads/main\n")
        .file("README.md", "# Shop\n")
        .file("Cargo.toml", "[package]\n")
        .file("Cargo.lock", "[[package]]\n")
        .file("web/package-lock.json", "{}\n")
        .file("docs/logo.png", b"\x89PNG\r\n\x1a\n\0\0".repeat(200_000))
        .file("docs/latin1.txt", b"caf\xe9")
        .file("data/dump.sql", "insert into x;\n".repeat(100_000));
    for i in 0..70 {
        sandbox = sandbox.file(format!("src/f{i:02}.rs"), format!("fn f{i}() {{}}\n"));
    }
    sandbox
}

fn names(outcome: &Outcome) -> Vec<String> {
    let rows = outcome.stdout();
    let name = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["path"].as_str().unwrap().to_owned();
    rows.lines().map(name).collect()
}

#[test]
fn what_cannot_be_packed_while_walking_is_a_warning() {
    let outcome = repository().brief(["pack", "."]).success();
    assert_eq!(outcome.stdout().matches("\n### ").count(), 72, "{outcome}");
    let stderr = outcome.stderr();
    assert!(stderr.contains("warning: `docs/logo.png`: binary file\n"), "a large image is binary, not too large: {stderr}");
    assert!(stderr.contains("warning: `docs/latin1.txt`: not UTF-8"), "{stderr}");
    assert!(stderr.contains("warning: `data/dump.sql`: too large: 1500000 bytes, the limit is 1048576"), "{stderr}");
    assert!(stderr.contains("hint: `--max-file-size-kb N` raises the limit"), "{stderr}");
    assert!(outcome.stdout().contains("- Maximum files per directory: unlimited\n"), "{outcome}");
    assert!(outcome.stdout().contains("  - `data/dump.sql`: too large"), "the document says what it lacks");
    assert!(!outcome.stdout().contains("logo.png"), "it does not list images");
}

#[test]
fn a_named_path_that_is_missing_or_not_text_is_an_error() {
    let sandbox = repository();
    assert!(sandbox.brief(["pack", ".", "nope"]).code(1).stderr().contains("`nope`: does not exist"));
    assert!(sandbox.brief(["pack", "docs/logo.png", "src"]).code(1).stderr().contains("`docs/logo.png`: binary file"));
    assert!(sandbox.brief(["pack", "data/dump.sql", "src"]).code(1).stderr().contains("too large"));
}

#[test]
fn strict_makes_every_file_that_is_left_out_an_error() {
    let outcome = repository().brief(["pack", ".", "--errors", "strict"]).code(1);
    insta::assert_snapshot!(outcome, @r"
    exit code: 1
    ----- stdout -----
    ----- stderr -----
    error: 3 paths cannot be used
      caused by: `data/dump.sql`: too large: 1500000 bytes, the limit is 1048576
      caused by: `docs/latin1.txt`: not UTF-8 (first invalid byte at 3)
      caused by: `docs/logo.png`: binary file
    hint: `--max-file-size-kb N` raises the limit
    hint: `--errors ignore` leaves such files out and continues
    ");
    let excluded = ["pack", ".", "--errors", "strict", "--exclude", "docs", "--exclude", "data", "-q"];
    repository().brief(excluded).success();
}

#[test]
fn a_limit_per_directory_applies_when_it_is_set() {
    let sandbox = repository();
    for (here, arguments) in [
        (sandbox.clone(), vec!["pack", "src", "--max-files-per-directory", "50"]),
        (sandbox.clone().env("BRIEF_MAX_FILES_PER_DIRECTORY", "50"), vec!["pack", "src"]),
    ] {
        let outcome = here.brief(arguments).success();
        assert_eq!(outcome.stdout().matches("\n### ").count(), 50, "{outcome}");
        assert!(outcome.stderr().contains("warning: `src`: too many files in the directory: 70, the limit is 50"), "{outcome}");
        assert!(outcome.stderr().contains("hint: `--max-files-per-directory N` raises the limit"), "{outcome}");
    }
    sandbox.brief(["pack", "src", "--max-files-per-directory", "50", "--errors", "strict"]).code(1);
}

#[test]
fn lock_files_stay_out_unless_they_are_wanted() {
    let sandbox = repository();
    let pack = |more: &[&str]| sandbox.brief([&["pack", ".", "-f", "jsonl", "--exclude", "src"], more].concat()).success();
    let outcome = pack(&["--explain"]);
    assert_eq!(names(&outcome), ["Cargo.toml", "README.md"]);
    assert!(outcome.stderr().contains("`Cargo.lock`: a lock file; `--lock-files` includes it [lock_files (default)]"), "{outcome}");
    assert!(outcome.stderr().contains("2 lock files"), "the summary counts them: {outcome}");
    assert_eq!(names(&pack(&["--lock-files"])), ["Cargo.lock", "Cargo.toml", "README.md", "web/package-lock.json"]);
    assert_eq!(names(&sandbox.brief(["pack", "Cargo.lock", "-f", "jsonl"]).success()), ["Cargo.lock"], "a named file is taken");
    sandbox.write("brief.toml", "lock_files = true\n");
    assert!(names(&pack(&[])).contains(&"Cargo.lock".to_owned()));
}

#[test]
fn a_list_from_git_survives_what_it_contains() {
    let sandbox = repository();
    #[cfg(unix)]
    let sandbox = sandbox.link("broken", "nowhere");
    let list = "README.md\0docs/logo.png\0docs/latin1.txt\0data/dump.sql\0Cargo.lock\0broken\0";
    for arguments in [["pack", "-", "-f", "jsonl"], ["pack", "--files-from=-", "-f", "jsonl"]] {
        let outcome = sandbox.brief_with_input(arguments, list).success();
        assert_eq!(names(&outcome), ["Cargo.lock", "README.md"], "{outcome}");
        for name in ["docs/logo.png", "docs/latin1.txt", "data/dump.sql"] {
            assert!(outcome.stderr().contains(&format!("warning: `{name}`: ")), "{outcome}");
        }
    }
    let missing = sandbox.brief_with_input(["pack", "-"], "README.md\nnope\n").code(1);
    assert!(missing.stderr().contains("`nope`: does not exist"), "{missing}");
    sandbox.brief_with_input(["pack", "-", "--errors", "strict"], list).code(1);
    let named = sandbox.brief_with_input(["pack", "-", "docs/logo.png"], list).code(1);
    assert!(named.stderr().contains("`docs/logo.png`: binary file"), "what is named as well counts as named: {named}");
}

/// Sources, tests, data and documents that together exceed the budget.
fn large_project() -> Sandbox {
    let text = |word: &str| format!("{word} one two three four five six\n").repeat(12);
    let mut sandbox = Sandbox::new()
        .file("AAA-data.csv", text("1,2"))
        .file("README.md", text("# Shop"))
        .file("package.json", "{}\n")
        .file("src/shop.ts", text("shop"))
        .file("src/deep/down/under/price.ts", text("price"))
        .file("src/deep/down/under/tax.ts", text("tax"))
        .file("src/shop.test.ts", text("test"))
        .file("tests/fixtures/a.ts", text("fixture"));
    for i in 0..10 {
        sandbox = sandbox.file(format!("docs/a{i}.md"), text("document"));
    }
    sandbox
}

#[test]
fn a_budget_is_filled_by_what_matters() {
    let sandbox = large_project();
    let packed = |more: &[&str]| sandbox.brief([&["pack", "-f", "jsonl"], more].concat()).success();
    let outcome = packed(&[".", "--budget", "450", "--explain"]);
    assert_eq!(names(&outcome), ["README.md", "package.json", "src/deep/down/under/price.ts", "src/shop.ts"], "{outcome}");
    let stderr = outcome.stderr();
    assert!(
        stderr.contains(
            "the budget is filled in this order: named files; README and manifests; sources; other text; tests, examples and data"
        ),
        "{stderr}"
    );
    assert!(stderr.contains("`docs/a0.md`: left out for the budget: ") && stderr.contains("(other text) [--budget]"), "{stderr}");
    assert!(stderr.contains("(tests, examples and data) [--budget]"), "{stderr}");
    // What is near a named path comes before what is far away.
    assert_eq!(names(&packed(&[".", "--budget", "330"])), ["README.md", "package.json", "src/shop.ts"]);
    let near = packed(&["src/deep/down/under/price.ts", ".", "--budget", "330"]);
    assert_eq!(names(&near), ["README.md", "package.json", "src/deep/down/under/price.ts"]);
    // A named file comes first, whatever it is.
    let named = packed(&["tests/fixtures/a.ts", ".", "--budget", "330"]);
    assert_eq!(names(&named), ["README.md", "package.json", "tests/fixtures/a.ts"]);
    // With an order of its own, that order decides.
    let by_size = packed(&[".", "--budget", "330", "--sort", "size", "--explain"]);
    assert!(!by_size.stderr().contains("is filled in this order"), "{by_size}");
}

#[cfg(unix)]
#[test]
fn copying_says_what_was_copied() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new().file("a.txt", "a\n").file("~/bin/wl-copy", "#!/bin/sh\ncat > ~/clipboard\n");
    std::fs::set_permissions(sandbox.home().join("bin/wl-copy"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", sandbox.home().join("bin").display(), std::env::var("PATH").unwrap());
    let sandbox = sandbox.env("PATH", path);
    let outcome = sandbox.brief(["pack", "a.txt", "--copy", "-f", "plain"]).success();
    assert_eq!((outcome.stdout().as_str(), outcome.stderr().as_str()), ("", "copied 1 file, 2 B, to the clipboard with `wl-copy`\n"));
    assert!(sandbox.read(sandbox.home().join("clipboard")).contains("a.txt"));
}

#[test]
fn a_tree_does_not_warn_about_contents() {
    let token = format!("ghp_{}", "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY1z2A");
    let sandbox = Sandbox::new().file("a.env", format!("TOKEN={token}\n")).file("logo", "\0").file("near.txt", "x".repeat(1000));
    let outcome = sandbox.brief(["pack", ".", "--tree", "--max-file-size-kb", "1"]).success();
    assert_eq!(outcome.stdout(), "a.env\nnear.txt\n");
    assert_eq!(outcome.stderr(), "packed 2 files, 1.0 KB; skipped 1 binary\n");
}
