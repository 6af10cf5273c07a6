//! `brief install`, `brief uninstall` and `brief doctor` as a user runs them.

use briefing_testkit::Sandbox;

const SETTINGS: &str = "{\n  // my own\n  \"model\": \"x\",\n  \"hooks\": {\n    \"Stop\": []\n  },\n}\n";

const CONFIG: &str = "# mine\nmodel = \"x\"   # fast\n\n[mcp_servers.other]\ncommand = \"npx\"\n# the end";
const STATE: &str = "{\n  \"numStartups\": 3,\n  \"mcpServers\": {}\n}";

#[test]
fn a_change_is_shown_and_needs_consent() {
    let sandbox = Sandbox::new().file("~/.claude/settings.json", SETTINGS);
    let refused = sandbox.brief(["install", "claude"]).code(1);
    assert!(refused.stdout().contains("+            \"command\": \"brief hook claude SessionStart 4 2>/dev/null || true\""), "{refused}");
    assert!(refused.stderr().contains("--yes"), "{refused}");
    let _ = sandbox.brief(["install", "claude", "--dry-run"]).success();
    assert_eq!(std::fs::read_to_string(sandbox.home().join(".claude/settings.json")).unwrap(), SETTINGS);
}

#[test]
fn in_twice_and_out_again_leaves_every_byte() {
    let sandbox = Sandbox::new().file("~/.claude/settings.json", SETTINGS).file("~/.cursor/hooks.json", "{\"version\":1}");
    let sandbox = sandbox.file("~/.codex/config.toml", CONFIG).file("~/.claude.json", STATE);
    let agents = ["claude", "codex", "gemini", "qwen", "copilot", "opencode", "cursor", "vscode"];
    let run = |word: &str| sandbox.brief([word].into_iter().chain(agents).chain(["--yes"])).success();
    let first = run("install");
    assert!(first.stderr().contains("after you approve it"), "{first}");
    let second = run("install");
    // Gemini and Qwen have both parts in one file, VS Code has one part.
    assert_eq!(second.stdout().matches("already installed").count(), 2 * agents.len() - 3, "{second}");
    let _ = run("uninstall");
    assert_eq!(std::fs::read_to_string(sandbox.home().join(".claude/settings.json")).unwrap(), SETTINGS);
    assert_eq!(std::fs::read_to_string(sandbox.home().join(".cursor/hooks.json")).unwrap(), "{\"version\":1}");
    assert_eq!(std::fs::read_to_string(sandbox.home().join(".codex/config.toml")).unwrap(), CONFIG);
    assert_eq!(std::fs::read_to_string(sandbox.home().join(".claude.json")).unwrap(), STATE);
    for gone in [
        ".codex/hooks.json",
        ".gemini/settings.json",
        ".copilot/hooks/brief.json",
        ".copilot/mcp-config.json",
        ".config/opencode/plugins/brief.js",
        ".config/opencode/opencode.json",
        ".cursor/mcp.json",
        ".config/Code/User/mcp.json",
    ] {
        assert!(!sandbox.home().join(gone).exists(), "{gone}");
    }
}

#[cfg(unix)]
#[test]
fn links_and_modes_are_kept_and_others_changes_survive() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new().file("~/dotfiles/claude.json", SETTINGS);
    let (real, link) = (sandbox.home().join("dotfiles/claude.json"), sandbox.home().join(".claude/settings.json"));
    std::fs::create_dir(sandbox.home().join(".claude")).unwrap();
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o600)).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    let _ = sandbox.brief(["install", "claude", "--yes"]).success();
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert_eq!(real.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let theirs = std::fs::read_to_string(&real).unwrap().replace("\"x\"", "\"y\"");
    std::fs::write(&real, theirs).unwrap();
    let _ = sandbox.brief(["uninstall", "claude", "--yes"]).success();
    assert_eq!(std::fs::read_to_string(&real).unwrap(), SETTINGS.replace("\"x\"", "\"y\""));
}

#[cfg(unix)]
#[test]
fn a_link_to_nothing_yet_is_the_users_and_stays() {
    let sandbox = Sandbox::new();
    let (real, link) = (sandbox.home().join("dotfiles/claude.json"), sandbox.home().join(".claude/settings.json"));
    for directory in ["dotfiles", ".claude"] {
        std::fs::create_dir(sandbox.home().join(directory)).unwrap();
    }
    // Through a second link, too.
    std::os::unix::fs::symlink("../dotfiles/link.json", &link).unwrap();
    std::os::unix::fs::symlink("claude.json", sandbox.home().join("dotfiles/link.json")).unwrap();
    let _ = sandbox.brief(["install", "claude", "--yes"]).success();
    assert!(std::fs::read_to_string(&real).unwrap().contains("brief hook claude"));
    let _ = sandbox.brief(["uninstall", "claude", "--yes"]).success();
    assert!(link.symlink_metadata().unwrap().is_symlink() && !real.exists());
    assert!(sandbox.home().join("dotfiles/link.json").symlink_metadata().unwrap().is_symlink());
}

#[cfg(unix)]
#[test]
fn our_own_path_may_have_any_letters() {
    let agents = ["claude", "codex", "gemini", "qwen", "copilot", "opencode", "cursor"];
    let files = 2 * agents.len() - 2;
    let sandbox = Sandbox::new();
    for (directory, name) in [("it's here", "brief"), ("a \"b\" $c", "brief-0.1.0")] {
        let program = sandbox.home().join(directory).join(name);
        std::fs::create_dir(program.parent().unwrap()).unwrap();
        // A link would be followed to the real name.
        std::fs::hard_link(briefing_testkit::binary(), &program)
            .or_else(|_| std::fs::copy(briefing_testkit::binary(), &program).map(|_| ()))
            .unwrap();
        let run = |words: &[&str]| {
            let output = sandbox.command(&program).args(words).output().unwrap();
            let told = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
            (output.status.code(), told)
        };
        let all = |word: &'static str| [&[word][..], &agents, &["--yes"]].concat();
        assert_eq!(run(&all("install")).0, Some(0));
        let again = run(&all("install")).1;
        assert_eq!(again.matches("already installed").count(), files, "{again}");
        let told = run(&["doctor"]).1;
        assert_eq!(told.matches("ok     entry: intact").count(), agents.len(), "{told}");
        assert!(!told.contains("BROKEN answers") && told.contains("ok     answers chat.message"), "{told}");
        assert_eq!(told.matches("ok     mcp: intact").count(), agents.len(), "{told}");
        assert_eq!(told.matches("ok     mcp answers ").count(), 2 * agents.len(), "{told}");
        let gone = run(&all("uninstall")).1;
        assert_eq!(gone.matches(" removed\n").count(), files, "{gone}");
        assert!(!sandbox.home().join(".claude/settings.json").exists());
    }
}

#[cfg(unix)]
#[test]
fn a_name_that_could_not_be_recognised_is_refused() {
    let sandbox = Sandbox::new();
    let program = sandbox.home().join("debrief");
    std::fs::hard_link(briefing_testkit::binary(), &program)
        .or_else(|_| std::fs::copy(briefing_testkit::binary(), &program).map(|_| ()))
        .unwrap();
    let output = sandbox.command(&program).args(["install", "claude", "--yes"]).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(1) && told.contains("rename this program to `brief`"), "{told}");
}

#[test]
fn a_broken_file_is_refused_with_line_and_column() {
    let sandbox = Sandbox::new().file("~/.claude/settings.json", "{\n  \"a\": tru\n}");
    let refused = sandbox.brief(["install", "claude", "--yes"]).code(1);
    assert!(refused.stderr().contains("line 2, column 8"), "{refused}");
    assert_eq!(std::fs::read_to_string(sandbox.home().join(".claude/settings.json")).unwrap(), "{\n  \"a\": tru\n}");
}

#[test]
fn the_project_has_its_own_file_and_unknown_agents_are_guessed() {
    let sandbox = Sandbox::new();
    let _ = sandbox.brief(["install", "claude", "--project", "--yes"]).success();
    assert!(sandbox.path(".claude/settings.json").exists());
    assert!(sandbox.brief(["install", "cluade"]).code(2).stderr().contains("did you mean `claude`?"));
    assert!(sandbox.brief(["install", "generic"]).code(2).stderr().contains("brief hook generic"));
}

#[test]
fn doctor_runs_the_configured_command_and_says_how_to_fix_it() {
    let sandbox = Sandbox::new().file("~/.claude/settings.json", "{}");
    let before = sandbox.brief(["doctor"]).success();
    assert!(before.stdout().contains("fix: brief install claude"), "{before}");
    let _ = sandbox.brief(["install", "claude", "--yes"]).success();
    let after = sandbox.brief(["doctor"]).success();
    assert!(after.stdout().contains("ok     entry: intact") && after.stdout().contains("ok     answers PostToolBatch"), "{after}");
    assert!(after.stdout().contains("never, according to the log"), "the probe leaves no trace: {after}");
    let file = sandbox.home().join(".claude/settings.json");
    let damaged = std::fs::read_to_string(&file)
        .unwrap()
        .replace("\"brief hook claude SessionStart 2>", "\"/nowhere/brief hook claude SessionStart 2>");
    std::fs::write(&file, damaged).unwrap();
    let broken = sandbox.brief(["doctor"]).code(1);
    assert!(broken.stdout().contains("BROKEN answers SessionStart") && broken.stdout().contains("BROKEN entry"), "{broken}");
    let _ = sandbox.brief(["doctor", "--fix"]).success();
    let fixed = sandbox.brief(["doctor", "--json"]).success();
    assert!(fixed.stdout().contains("\"broken\": 0"), "{fixed}");
}

#[cfg(unix)]
#[test]
fn a_claude_too_old_for_an_event_is_given_another_one() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    let bin = sandbox.home().join("bin");
    let brief = briefing_testkit::binary().parent().unwrap().to_owned();
    let path = std::env::join_paths([bin.clone(), brief, "/usr/bin".into(), "/bin".into()]).unwrap();
    let sandbox = sandbox.env("PATH", path);
    let is_version = |version: &str| {
        sandbox.write("~/bin/claude", format!("#!/bin/sh\necho '{version} (Claude Code)'\n"));
        std::fs::set_permissions(bin.join("claude"), std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    let settings = || std::fs::read_to_string(sandbox.home().join(".claude/settings.json")).unwrap();

    is_version("2.1.117");
    let installed = sandbox.brief(["install", "claude", "--yes"]).success();
    assert!(installed.stderr().contains("Claude Code 2.1.117 does not know the event"), "{installed}");
    assert!(!settings().contains("PostToolBatch"), "an older one refuses the whole file: {}", settings());
    assert_eq!(settings().matches("brief hook claude PreToolUse 2>").count(), 1, "{}", settings());
    let healthy = sandbox.brief(["doctor"]).success();
    assert!(healthy.stdout().contains("ok     answers PreToolUse"), "{healthy}");

    is_version("2.1.118");
    let updated = sandbox.brief(["doctor"]).code(1);
    assert!(updated.stdout().contains("BROKEN entry") && updated.stdout().contains("brief install claude"), "{updated}");
    let again = sandbox.brief(["install", "claude", "--yes"]).success();
    assert!(!again.stderr().contains("does not know"), "{again}");
    assert!(settings().contains("PostToolBatch") && !settings().contains("PreToolUse"), "{}", settings());
    let _ = sandbox.brief(["doctor"]).success();
}

#[test]
fn a_file_without_an_object_is_named() {
    let sandbox = Sandbox::new().file("~/.claude/settings.json", "[]");
    let outcome = sandbox.brief(["install", "claude", "--yes"]).code(1);
    assert!(
        outcome.stderr().contains("`[HOME]/.claude/settings.json` was not changed\n  caused by: its content is not a JSON object\n"),
        "{outcome}"
    );
}
