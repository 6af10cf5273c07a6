//! What `brief doctor` finds beside our own entries: managed settings, plugins, trust, other programs called `brief`, and
//! the command of spec 2.

use std::path::PathBuf;

use briefing_testkit::Sandbox;
use serde_json::{Value, json};

fn checks(sandbox: &Sandbox) -> Vec<Value> {
    let told = sandbox.brief(["doctor", "--json"]);
    let told: Value = serde_json::from_slice(&told.stdout).unwrap_or_else(|error| panic!("{error}: {told}"));
    told["checks"].as_array().unwrap().clone()
}

/// Returns the checks of an agent about one thing, each as `verdict: detail (fix)`.
#[track_caller]
fn told(sandbox: &Sandbox, about: &str, what: &str) -> Vec<String> {
    let home = sandbox.home().display().to_string();
    let line = |check: &Value| {
        let text = |name: &str| check[name].as_str().unwrap_or_default().replace(&home, "~");
        format!("{}: {} ({})", text("verdict"), text("detail"), text("fix"))
    };
    checks(sandbox).iter().filter(|check| check["about"] == about && check["what"] == what).map(line).collect()
}

fn installed(agent: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let _ = sandbox.brief(["install", agent, "--yes"]).success();
    sandbox
}

/// Returns a Claude Code with our hooks and a directory of managed settings.
fn managed(file: &str, settings: &Value) -> Sandbox {
    let sandbox = installed("claude").file(format!("~/policy/{file}"), settings.to_string());
    let policy = sandbox.home().join("policy");
    sandbox.env("CLAUDE_CODE_MANAGED_SETTINGS_PATH", policy)
}

#[test]
fn managed_settings_that_disable_hooks_are_seen() {
    for file in ["managed-settings.json", "managed-settings.d/50-hooks.json"] {
        for (key, what) in [
            ("disableAllHooks", "all hooks are disabled by `disableAllHooks = true`"),
            ("allowManagedHooksOnly", "only hooks of the administrator run, because of `allowManagedHooksOnly = true`"),
        ] {
            let sandbox = managed(file, &json!({ key: true }));
            // Nothing that the user writes overrides an administrator.
            sandbox.write(".claude/settings.local.json", "{\"disableAllHooks\": false}");
            let expected = format!("broken: {what} in ~/policy/{file} (ask the administrator of this machine to change ~/policy/{file})");
            assert_eq!(told(&sandbox, "claude", "switch"), [expected]);
            let _ = sandbox.brief(["doctor"]).code(1);
        }
    }
}

#[test]
fn settings_that_came_from_the_organisations_server_count_too() {
    let sandbox = installed("claude").file("~/.claude/remote-settings.json", "{\"allowManagedHooksOnly\": true}");
    assert!(told(&sandbox, "claude", "switch")[0].contains("~/.claude/remote-settings.json"), "{:?}", told(&sandbox, "claude", "switch"));
}

#[test]
fn managed_settings_that_leave_hooks_alone_are_fine() {
    let sandbox = managed("managed-settings.json", &json!({ "allowManagedHooksOnly": false, "disableAllHooks": false, "model": "x" }));
    assert_eq!(told(&sandbox, "claude", "switch"), [""; 0]);
    let entry = json!([{ "hooks": [{ "type": "command", "command": "brief hook claude SessionStart" }] }]);
    let ours = managed("managed-settings.json", &json!({ "allowManagedHooksOnly": true, "hooks": { "SessionStart": entry } }));
    assert_eq!(told(&ours, "claude", "switch"), [""; 0], "an administrator may register us");
    assert!(told(&ours, "claude", "entry").iter().any(|line| line.contains("good: in the managed settings ~/policy")));
}

fn event_of(agent: &str) -> &str {
    match agent {
        "gemini" => "BeforeAgent",
        "copilot" => "sessionStart",
        _ => "SessionStart",
    }
}

/// The layouts in which the real clients install a plugin, each with the setting that enables it.
fn plugin(agent: &str, is_enabled: bool) -> Sandbox {
    let sandbox = Sandbox::new();
    let event = event_of(agent);
    let root = match agent {
        "gemini" => "~/.gemini/extensions/brief".to_owned(),
        "copilot" => "~/.copilot/market/brief".to_owned(),
        _ => format!("~/.{agent}/plugins/cache/brief-local/brief/0.1.0"),
    };
    let command = format!("\"${{CLAUDE_PLUGIN_ROOT}}/bin/brief\" hook {agent} {event}");
    let hooks = json!({ "hooks": { event: [{ "hooks": [{ "type": "command", "command": command }] }] } });
    sandbox.write(format!("{root}/hooks/hooks.json"), hooks.to_string());
    let bin = sandbox.home().join(&root[2..]).join("bin");
    std::fs::create_dir(&bin).unwrap();
    std::fs::copy(briefing_testkit::binary(), bin.join("brief")).unwrap();
    match agent {
        "claude" => {
            sandbox.write("~/.claude/settings.json", json!({ "enabledPlugins": { "brief@brief-local": is_enabled } }).to_string());
        }
        "codex" => sandbox.write("~/.codex/config.toml", format!("[plugins.\"brief@brief-local\"]\nenabled = {is_enabled}\n")),
        "copilot" => {
            // It uses the plugin where its marketplace is.
            let list = json!({ "plugins": [{ "name": "brief", "source": "./brief" }] });
            sandbox.write("~/.copilot/market/.github/plugin/marketplace.json", list.to_string());
            let market = sandbox.home().join(".copilot/market");
            let known = json!({ "brief-local": { "source": { "source": "directory", "path": market } } });
            let enabled = json!({ "brief@brief-local": is_enabled });
            sandbox.write("~/.copilot/settings.json", json!({ "extraKnownMarketplaces": known, "enabledPlugins": enabled }).to_string());
        }
        _ => {}
    }
    sandbox.env("GEMINI_CLI_TRUST_WORKSPACE", "true")
}

#[cfg(unix)]
#[test]
fn a_plugin_that_carries_our_command_counts_as_installed() {
    for agent in ["claude", "codex", "gemini", "copilot"] {
        let sandbox = plugin(agent, true);
        let entry = told(&sandbox, agent, "entry");
        let name = if agent == "gemini" { "brief" } else { "brief@brief-local" };
        assert!(entry.len() == 1 && entry[0].starts_with(&format!("good: in the plugin `{name}`, ~/.{agent}/")), "{entry:?}");
        let event = event_of(agent);
        assert!(told(&sandbox, agent, &format!("answers {event}"))[0].starts_with("good: in "), "its own program is asked");
    }
}

#[cfg(unix)]
#[test]
fn a_plugin_beside_an_installed_entry_is_named_once_per_event() {
    let sandbox = plugin("claude", true);
    let _ = sandbox.brief(["install", "claude", "--yes"]).success();
    let twice = told(&sandbox, "claude", "twice");
    let expected = "info: ~/.claude/settings.json and the plugin `brief@brief-local` both call us: two processes answer each event, and \
                    the context arrives once (brief uninstall claude)";
    assert_eq!(twice, [expected]);
}

#[cfg(unix)]
#[test]
fn a_plugin_that_is_disabled_is_not_an_installation() {
    for agent in ["claude", "codex", "copilot"] {
        let sandbox = plugin(agent, false);
        let entry = told(&sandbox, agent, "entry");
        assert!(entry.len() == 1 && entry[0].contains("the plugin `brief@brief-local` is disabled"), "{entry:?}");
        assert!(entry[0].ends_with(&format!("or run `brief install {agent}`)")), "{entry:?}");
    }
}

#[test]
fn plugins_of_others_are_nobodys_business() {
    let sandbox = Sandbox::new()
        .file("~/.claude/settings.json", "{\"enabledPlugins\": {\"a@b\": true}}")
        .file("~/.claude/plugins/cache/b/a/1/hooks/hooks.json", "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": \"echo brief\"}]}]}}");
    assert!(told(&sandbox, "claude", "entry")[0].starts_with("info: not installed"));
}

#[test]
fn a_folder_that_gemini_does_not_know_comes_with_the_fix() {
    let sandbox = installed("gemini");
    let trust = told(&sandbox, "gemini", "trust");
    assert!(trust[0].starts_with("info: this folder is not known as trusted; Gemini runs no hooks here until it is"), "{trust:?}");
    assert!(trust[0].contains("start `gemini` here and answer its question") && trust[0].contains("GEMINI_CLI_TRUST_WORKSPACE=true"));
}

/// Returns a sandbox in which PATH leads to another program called `brief` first.
#[cfg(unix)]
fn with_another(sandbox: Sandbox) -> (Sandbox, PathBuf) {
    use std::os::unix::fs::PermissionsExt;
    sandbox.write("~/other/brief", "#!/bin/sh\necho I write newsletters\n");
    let other = sandbox.home().join("other");
    std::fs::set_permissions(other.join("brief"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let own = briefing_testkit::binary().parent().unwrap().to_owned();
    let path = std::env::join_paths([other.clone(), own, "/usr/bin".into(), "/bin".into()]).unwrap();
    (sandbox.env("PATH", path), other.join("brief"))
}

#[cfg(unix)]
#[test]
fn another_brief_that_comes_first_is_named() {
    let (sandbox, _) = with_another(installed("claude"));
    let own = briefing_testkit::binary().canonicalize().unwrap();
    let program = told(&sandbox, "program", "path");
    assert_eq!(program.len(), 1);
    assert!(program[0].starts_with(&format!("info: `brief` on PATH is ~/other/brief, not this program, {}", own.display())), "{program:?}");
    let entry = told(&sandbox, "claude", "program");
    let expected = format!("broken: the entry calls `brief`, and PATH leads to ~/other/brief first ({} install claude)", own.display());
    assert_eq!(entry, [expected]);
    // What the fix does: the entry names this program by its path.
    let _ = sandbox.brief(["install", "claude", "--yes"]).success();
    assert_eq!(told(&sandbox, "claude", "program"), [""; 0]);
    assert!(told(&sandbox, "claude", "answers SessionStart")[0].starts_with("good"));
}

#[test]
fn the_program_on_path_is_named_when_it_is_this_one() {
    let program = told(&Sandbox::new(), "program", "path");
    assert!(program.len() == 1 && program[0].starts_with("good: "), "{program:?}");
}

const SPEC_2: &str =
    r#"{"hooks":{"PreToolUse":[{"matcher":".*","hooks":[{"type":"command","command":"brief system context-load-gate"}]}]}}"#;

#[test]
fn the_command_of_spec_2_is_recognised_and_explained() {
    for file in ["~/.claude/settings.json", ".claude/settings.json", ".claude/settings.local.json"] {
        let sandbox = Sandbox::new().file("~/.claude/settings.json", "{}").file(file, SPEC_2);
        let gate = told(&sandbox, "claude", "gate");
        assert_eq!(gate.len(), 1, "{file}");
        assert!(gate[0].starts_with("info: `brief system context-load-gate` in ") && gate[0].contains("9500"), "{gate:?}");
        assert!(gate[0].ends_with("(brief install claude, then remove that entry)"), "{gate:?}");
    }
    assert_eq!(told(&installed("claude"), "claude", "gate"), [""; 0]);
}

#[test]
fn over_the_agents_cap_the_gate_tells_the_user() {
    let answer = |size: usize| -> Value {
        let sandbox = Sandbox::new().file(".context/CONSTITUTION.md", format!("# Rules\n\n{}\n", "- Never guess.\n".repeat(size / 15)));
        let told = sandbox.brief_with_input(["system", "context-load-gate"], sandbox.payload(&json!({})).to_string()).success();
        assert_eq!(told.stderr(), "");
        serde_json::from_slice(&told.stdout).unwrap()
    };
    let small = answer(2_000);
    assert_eq!(small.get("systemMessage"), None, "{small}");
    let large = answer(30_000);
    let message = large["systemMessage"].as_str().unwrap_or_else(|| panic!("{large}"));
    assert!(message.contains("Claude Code shows the model only the beginning") && message.contains("`brief install claude`"), "{message}");
    let context = large["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(context.len() > 30_000, "the whole message is printed all the same");
    assert!(message.contains(&format!("{} characters", context.encode_utf16().count())), "{message}");
}
