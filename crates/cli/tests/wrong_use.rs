//! What people type instead of the right command, and the message that leads them to it.

use briefing_testkit::Sandbox;

#[track_caller]
fn told(words: &[&str], code: i32) -> String {
    let outcome = Sandbox::new().brief(words).code(code);
    assert_eq!(outcome.stdout(), "", "{outcome}");
    outcome.stderr()
}

#[test]
fn a_guessed_command_leads_to_the_right_one() {
    for (guess, expected) in [
        ("version", "`brief --version` prints the version"),
        ("list", "`brief goals` lists goals"),
        ("ls", "`brief log` lists sessions"),
        ("health", "`brief doctor`"),
        ("explain", "`brief why PATH`"),
        ("search", "`brief select"),
        ("remember", "`brief learn"),
        ("remove", "`brief uninstall"),
        ("history", "`brief log`"),
        ("settings", "`brief config show`"),
    ] {
        let text = told(&[guess], 2);
        assert!(text.starts_with(&format!("error: there is no command `{guess}`\n")) && text.contains(expected), "{text}");
        assert!(!text.contains("similar"), "{text}");
    }
    let near = told(&["previw"], 2);
    assert!(near.contains("hint: did you mean `brief preview`?"), "{near}");
    let far = told(&["xyzzy"], 2);
    assert_eq!(far, "error: there is no command `xyzzy`\nhint: `brief --help` lists all commands\n");
}

#[test]
fn other_mistakes_keep_the_parsers_own_message() {
    assert!(told(&["pack", "--no-such-flag"], 2).contains("unexpected argument '--no-such-flag'"));
    assert!(told(&["goal", "version"], 2).contains("unrecognized subcommand 'version'"));
}

#[test]
fn an_unknown_agent_lists_those_that_can_be_installed() {
    let unknown = told(&["install", "nosuch"], 2);
    assert!(unknown.contains("hint: agents: claude, codex, gemini, qwen, copilot, opencode, cursor, vscode\n"), "{unknown}");
    assert!(told(&["install", "gener"], 2).contains("agents: claude"), "nothing can be installed for `generic`");
    assert!(told(&["preview", "--agent", "nosuch"], 2).contains("generic"), "it can be previewed");
}

#[test]
fn install_without_an_agent_mentions_all() {
    let bare = told(&["install"], 2);
    assert!(bare.starts_with("error: no agent was named\n") && bare.contains("`brief install --all`"), "{bare}");
    assert!(bare.contains("`brief install claude`"), "{bare}");
    let bare = told(&["uninstall"], 2);
    assert!(bare.contains("`brief uninstall --all`") && bare.contains("`brief uninstall claude`"), "{bare}");
}

#[test]
fn the_help_of_uninstall_speaks_of_removing() {
    let help = Sandbox::new().brief(["uninstall", "--help"]).success().stdout();
    for line in [
        "Remove from every agent that has something of ours",
        "Remove from the settings of this project instead of yours",
        "Show what would be removed without removing it",
    ] {
        assert!(help.contains(line), "{help}");
    }
}
