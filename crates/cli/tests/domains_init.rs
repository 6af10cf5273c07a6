//! `brief init domain`.

use briefing_testkit::Sandbox;

#[test]
fn a_domain_is_made_from_what_the_project_shows() {
    let sandbox = Sandbox::new()
        .file("Cargo.toml", "[package]\nname = \"parser\"\ndescription = \"Reads what strangers wrote\"\n")
        .file("src/main.rs", "")
        .file("src/lib.rs", "")
        .file("scripts/test.sh", "")
        .file(".gitignore", "made\n")
        .file("made/x.py", "");
    insta::assert_snapshot!(sandbox.brief(["init", "domain"]), @r"
    exit code: 0
    ----- stdout -----
    Wrote [ROOT]/.megg/info.md. Read it, and add the rules that everyone here must follow.
    ----- stderr -----
    ");
    insta::assert_snapshot!(sandbox.read(".megg/info.md"), @r"
    ---
    created: 2026-11-15T12:00:00.000Z
    updated: 2026-11-15T12:00:00.000Z
    type: context
    ---

    # parser

    ## Context
    Reads what strangers wrote

    **Languages:** Rust, Shell
    **Entry points:** `src/main.rs`, `src/lib.rs`
    **Build:** `cargo build`
    **Test:** `cargo test`

    ## Learning
    Worth keeping: decisions and their reasons, rules, and pitfalls that the code does not show.
    Ask before saving, then run `brief learn TITLE --type decision --topics a,b BODY`.
    ");
    let context = sandbox.at("src").brief(["context"]).success().stdout();
    assert!(context.contains("# parser"), "{context}");
}

#[test]
fn nothing_is_ever_overwritten() {
    let sandbox = Sandbox::new().file("a/.megg/info.md", "mine");
    assert_eq!(sandbox.brief(["init", "domain", "a"]).success().stdout(), "[ROOT]/a/.megg/info.md already exists and was not changed.\n");
    assert_eq!(sandbox.read("a/.megg/info.md"), "mine");
    assert!(sandbox.brief(["init", "domain", "nowhere"]).code(1).stderr().contains("is not a directory"));
    let blocked = Sandbox::new().file(".megg", "a file");
    assert!(blocked.brief(["init", "domain"]).code(1).stderr().contains("cannot create `[ROOT]/.megg`"));
    assert_eq!(blocked.read(".megg"), "a file");
}

#[test]
fn other_manifests_and_readmes_are_read() {
    let sandbox = Sandbox::new()
        .file("package.json", r#"{"name":"@acme/web"}"#)
        .file("README.md", "# Web\n\n[![badge](x)](y)\n\nThe shop's front,\nin one page.\n\nMore.\n")
        .file("src/index.ts", "");
    let _ = sandbox.brief(["init", "domain", "."]).success();
    let text = sandbox.read(".megg/info.md");
    assert!(text.contains("# @acme/web\n\n## Context\nThe shop's front, in one page.\n\n**Languages:** TypeScript\n"), "{text}");
    let bare = Sandbox::new();
    let _ = bare.brief(["init", "domain"]).success();
    let text = bare.read(".megg/info.md");
    assert!(text.contains("# project\n\n## Learning\n"), "there are no placeholders: {text}");
}
