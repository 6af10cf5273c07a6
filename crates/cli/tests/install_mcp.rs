//! The MCP server in the agents' settings: `brief install`, `brief uninstall` and `brief doctor` as a user runs them.

use std::path::Path;

use briefing_testkit::Sandbox;
use serde_json::{Value, json};

/// Every agent with the user's file, the project's file and the key of its servers.
const FILES: [(&str, &str, &str, &str); 8] = [
    ("claude", ".claude.json", ".mcp.json", "mcpServers"),
    ("codex", ".codex/config.toml", ".codex/config.toml", "mcp_servers"),
    ("gemini", ".gemini/settings.json", ".gemini/settings.json", "mcpServers"),
    ("qwen", ".qwen/settings.json", ".qwen/settings.json", "mcpServers"),
    ("copilot", ".copilot/mcp-config.json", ".github/mcp.json", "mcpServers"),
    ("opencode", ".config/opencode/opencode.json", "opencode.json", "mcp"),
    ("cursor", ".cursor/mcp.json", ".cursor/mcp.json", "mcpServers"),
    ("vscode", ".config/Code/User/mcp.json", ".vscode/mcp.json", "servers"),
];

/// Returns our entry in a file.
fn entry(file: &Path, key: &str) -> Value {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let content: Value = match file.extension().unwrap().to_str() {
        Some("toml") => serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap(),
        _ => serde_json::from_str(&text).unwrap(),
    };
    content[key]["brief"].clone()
}

#[test]
fn every_agent_has_its_place_and_shape() {
    let sandbox = Sandbox::new();
    for (agent, user, project, key) in FILES {
        let _ = sandbox.brief(["install", agent, "--only", "mcp", "--yes"]).success();
        let told = sandbox.brief(["install", agent, "--only", "mcp", "--project", "--yes"]).success();
        assert!(told.stderr().contains("MCP server installed\nA colleague without `brief` "), "{told}");
        let (user, project) = (entry(&sandbox.home().join(user), key), entry(&sandbox.path(project), key));
        assert_eq!(user, project, "one server, whichever file names it: {agent}");
        let expected = match agent {
            "claude" | "vscode" => json!({ "type": "stdio", "command": "brief", "args": ["mcp"] }),
            "copilot" => json!({ "type": "local", "tools": ["*"], "command": "brief", "args": ["mcp"] }),
            "opencode" => json!({ "type": "local", "command": ["brief", "mcp"], "enabled": true }),
            "codex" => json!({ "command": "brief", "args": ["mcp"],
                "env_vars": ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "CTX_DIR", "BRIEF_LOG"] }),
            _ => json!({ "command": "brief", "args": ["mcp"] }),
        };
        assert_eq!(user, expected, "{agent}");
        assert!(!sandbox.home().join(".claude/settings.json").exists(), "the hooks were not asked for");
        let _ = sandbox.brief(["uninstall", agent, "--only", "mcp", "--yes"]).success();
        let _ = sandbox.brief(["uninstall", agent, "--project", "--yes"]).success();
    }
    assert_eq!(std::fs::read_dir(sandbox.home()).unwrap().count() + std::fs::read_dir(sandbox.root()).unwrap().count(), 0);
}

#[test]
fn the_parts_can_be_chosen() {
    let sandbox = Sandbox::new();
    let has = |file: &str| sandbox.home().join(file).exists();
    let _ = sandbox.brief(["install", "claude", "--no-mcp", "--yes"]).success();
    assert!(has(".claude/settings.json") && !has(".claude.json"));
    let _ = sandbox.brief(["install", "claude", "--yes"]).success();
    assert!(has(".claude.json"));
    let _ = sandbox.brief(["uninstall", "claude", "--no-mcp", "--yes"]).success();
    assert!(!has(".claude/settings.json") && has(".claude.json"));
    let _ = sandbox.brief(["uninstall", "claude", "--yes"]).success();
    assert!(!has(".claude.json"));
    assert!(sandbox.brief(["install", "vscode", "--only", "hooks"]).code(2).stderr().contains("Visual Studio Code has no hooks"));
    assert!(sandbox.brief(["install", "claude", "--only", "mcp", "--no-mcp"]).code(2).stderr().contains("cannot be used with"));
    assert!(sandbox.brief(["preview", "--agent", "vscode"]).code(2).stderr().contains("has no hooks"));
}

/// Claude Code keeps its servers in the home, unless its directory was moved.
#[test]
fn a_moved_directory_moves_the_file_too() {
    let sandbox = Sandbox::new();
    let moved = sandbox.home().join("moved");
    let sandbox = sandbox.env("CLAUDE_CONFIG_DIR", &moved);
    let _ = sandbox.brief(["install", "claude", "--only", "mcp", "--yes"]).success();
    assert_eq!(entry(&moved.join(".claude.json"), "mcpServers")["command"], "brief");
    assert!(!sandbox.home().join(".claude.json").exists());
}

/// Claude Code writes to its file all the time. What it has written between the question and the answer is kept.
#[test]
fn uninstalling_keeps_what_the_agent_has_written_since() {
    let before = "{\n  \"numStartups\": 1,\n  \"mcpServers\": {},\n  \"history\": [\"brief hook claude Stop\"]\n}";
    let sandbox = Sandbox::new().file("~/.claude.json", before);
    let _ = sandbox.brief(["install", "claude", "--yes"]).success();
    let file = sandbox.home().join(".claude.json");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("\"numStartups\": 1", "\"numStartups\": 2")).unwrap();
    let _ = sandbox.brief(["uninstall", "claude", "--yes"]).success();
    let after: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(after, json!({ "numStartups": 2, "mcpServers": {}, "history": ["brief hook claude Stop"] }));
}

#[test]
fn another_server_of_our_name_is_left_alone_and_the_hooks_can_be_had() {
    let other = r#"{"mcpServers":{"brief":{"command":"npx","args":["brief"]}}}"#;
    let sandbox = Sandbox::new().file("~/.claude.json", other);
    let refused = sandbox.brief(["install", "claude", "--yes"]).code(1);
    assert!(refused.stderr().contains("caused by: `mcpServers.brief` is another program"), "{refused}");
    assert!(refused.stderr().contains("`brief install claude --no-mcp`"), "{refused}");
    assert!(!sandbox.home().join(".claude/settings.json").exists(), "nothing was changed");
    let _ = sandbox.brief(["install", "claude", "--no-mcp", "--yes"]).success();
    let doctor = sandbox.brief(["doctor"]).success();
    assert!(doctor.stdout().contains("--     mcp: not registered"), "{doctor}");
    let _ = sandbox.brief(["uninstall", "claude", "--yes"]).success();
    assert_eq!(std::fs::read_to_string(sandbox.home().join(".claude.json")).unwrap(), other);
}

/// The lines around ours may hold the keys of others.
#[test]
fn the_change_is_shown_without_secrets() {
    let secret = "ghp_aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789";
    let before =
        format!("{{\n  \"mcpServers\": {{\n    \"github\": {{\"command\": \"x\", \"env\": {{\"TOKEN\": \"{secret}\"}}}}\n  }}\n}}\n");
    let sandbox = Sandbox::new().file("~/.claude.json", &before);
    let shown = sandbox.brief(["install", "claude", "--only", "mcp", "--dry-run"]).success();
    assert!(shown.stdout().contains("+    \"brief\": {") && !shown.stdout().contains(secret), "{shown}");
    let _ = sandbox.brief(["install", "claude", "--only", "mcp", "--yes"]).success();
    assert!(std::fs::read_to_string(sandbox.home().join(".claude.json")).unwrap().contains(secret));
    let _ = sandbox.brief(["uninstall", "claude", "--only", "mcp", "--yes"]).success();
    assert_eq!(std::fs::read_to_string(sandbox.home().join(".claude.json")).unwrap(), before);
}

#[cfg(unix)]
#[test]
fn files_that_are_not_ours_to_write_stay() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new().file("~/.codex/config.toml", "model = \"x\"\n");
    let file = sandbox.home().join(".codex/config.toml");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o444)).unwrap();
    let refused = sandbox.brief(["install", "codex", "--yes"]).code(1);
    assert!(refused.stderr().contains("`[HOME]/.codex/config.toml` was not changed\n  caused by: it is read-only"), "{refused}");
    assert!(!sandbox.home().join(".codex/hooks.json").exists(), "nothing was changed");
    let outside = Sandbox::new().file("~/theirs.json", "{}");
    let target = outside.home().join("theirs.json");
    let outside = outside.link(".mcp.json", target);
    let refused = outside.brief(["install", "claude", "--project", "--only", "mcp", "--yes"]).code(1);
    assert!(refused.stderr().contains("it leads out of the project"), "{refused}");
    assert_eq!(std::fs::read_to_string(outside.home().join("theirs.json")).unwrap(), "{}");
}

#[test]
fn doctor_starts_the_server_in_both_eras() {
    let sandbox = Sandbox::new();
    let _ = sandbox.brief(["install", "codex", "vscode", "--only", "mcp", "--yes"]).success();
    let healthy = sandbox.brief(["doctor"]).success();
    for what in
        ["ok     mcp: intact in ~/.codex/config.toml", "ok     mcp answers initialize: in", "ok     mcp answers server/discover: in"]
    {
        assert!(healthy.stdout().contains(what), "{healthy}");
    }
    assert!(healthy.stdout().contains("vscode\n  ok     mcp: intact in ~/.config/Code/User/mcp.json"), "{healthy}");
    // Nothing was counted, and nothing was left.
    assert!(!sandbox.home().join(".local/state/brief/ledger.db").exists());
    let file = sandbox.home().join(".codex/config.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("\"brief\"", "\"/nowhere/brief\"")).unwrap();
    let broken = sandbox.brief(["doctor"]).code(1);
    assert!(broken.stdout().contains("BROKEN mcp: differs") && broken.stdout().contains("fix: brief install codex --only mcp"), "{broken}");
    assert!(broken.stdout().contains("BROKEN mcp answers initialize: `/nowhere/brief mcp`: "), "{broken}");
    let _ = sandbox.brief(["doctor", "--fix"]).success();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    std::fs::write(&file, format!("{text}enabled = false\n")).unwrap();
    let off = sandbox.brief(["doctor"]).success();
    assert!(off.stdout().contains("--     mcp: `brief` is disabled there"), "{off}");
    std::fs::write(&file, "a = \n").unwrap();
    let broken = sandbox.brief(["doctor"]).code(1);
    assert!(broken.stdout().contains("BROKEN mcp: ~/.codex/config.toml: line 1, column 5"), "{broken}");
}
