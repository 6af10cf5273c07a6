//! Where `brief install` writes, what it refuses to write, and what it leaves behind.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use briefing_testkit::Sandbox;
use serde_json::Value;

const ALL: [&str; 8] = ["claude", "codex", "gemini", "qwen", "copilot", "opencode", "cursor", "vscode"];

/// Returns every command that a settings file gives to a POSIX shell.
fn commands(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().flat_map(commands).collect(),
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(name, field)| match field.as_str() {
                Some(command) if name == "command" || name == "bash" => vec![command.to_owned()],
                _ => commands(field),
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn read_commands(file: &Path) -> Vec<String> {
    commands(&serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap())
}

/// Returns all files and directories below a directory, without it.
fn below(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            found.extend(below(&path));
        }
        found.push(path);
    }
    found.sort();
    found
}

#[cfg(unix)]
#[test]
fn an_entry_is_silent_where_there_is_no_brief() {
    let sandbox = Sandbox::new();
    let shells = ["claude", "codex", "gemini", "qwen", "copilot", "cursor"];
    let _ = sandbox.brief(["install", "--project", "--no-mcp", "--yes"].iter().chain(&shells)).success();
    let files = [
        ".claude/settings.json",
        ".codex/hooks.json",
        ".gemini/settings.json",
        ".qwen/settings.json",
        ".github/hooks/brief.json",
        ".cursor/hooks.json",
    ];
    let mut run = 0;
    for file in files {
        for command in read_commands(&sandbox.path(file)) {
            let mut shell = Command::new("/bin/sh");
            shell.args(["-c", &command]).env_clear().env("PATH", "/nowhere").current_dir(sandbox.root()).stdin(Stdio::null());
            let output = shell.output().unwrap();
            let told = [output.stdout, output.stderr].concat();
            assert_eq!((output.status.code(), String::from_utf8_lossy(&told).as_ref()), (Some(0), ""), "{command}");
            run += 1;
        }
    }
    assert!(run > 25, "{run}");
}

/// Agents merge equal commands of the user and of the project; different ones would run twice.
#[test]
fn the_entry_of_a_project_is_the_same_as_the_users() {
    let sandbox = Sandbox::new();
    for flags in [&["--yes"][..], &["--yes", "--project"]] {
        let _ = sandbox.brief(["install", "claude", "gemini", "--only", "hooks"].iter().chain(flags)).success();
    }
    for file in [".claude/settings.json", ".gemini/settings.json"] {
        let (user, project) = (read_commands(&sandbox.home().join(file)), read_commands(&sandbox.path(file)));
        assert_eq!(user, project);
        assert!(user.iter().all(|command| command.starts_with("brief hook ")), "{user:?}");
    }
}

#[test]
fn the_directories_that_the_agents_own_variables_name_are_used() {
    for (agent, variable, directory, file) in [
        ("claude", "CLAUDE_CONFIG_DIR", "~/moved", "moved/settings.json"),
        ("codex", "CODEX_HOME", "~/moved", "moved/hooks.json"),
        ("copilot", "COPILOT_HOME", "~/moved", "moved/hooks/brief.json"),
        ("opencode", "OPENCODE_CONFIG_DIR", "~/moved", "moved/plugins/brief.js"),
        ("opencode", "XDG_CONFIG_HOME", "~/moved", "moved/opencode/plugins/brief.js"),
        // Gemini CLI makes its usual directory inside.
        ("gemini", "GEMINI_CLI_HOME", "~/moved", "moved/.gemini/settings.json"),
        ("qwen", "QWEN_HOME", "~/moved", "moved/settings.json"),
        // Qwen Code expands the tilde itself.
        ("qwen", "QWEN_HOME", "literally ~/moved", "moved/settings.json"),
    ] {
        let sandbox = Sandbox::new();
        let value = match directory.strip_prefix("literally ") {
            Some(literal) => literal.to_owned(),
            None => directory.replace('~', sandbox.home().to_str().unwrap()),
        };
        let sandbox = sandbox.env(variable, value);
        let told = sandbox.brief(["install", agent, "--yes"]).success();
        assert!(sandbox.home().join(file).exists(), "{variable}: {told}");
        let doctor = sandbox.brief(["doctor"]);
        assert!(doctor.stdout().contains(&format!("entry: intact in ~/{file}")), "{variable}: {doctor}");
        let _ = sandbox.brief(["uninstall", agent, "--yes"]).success();
        assert!(!sandbox.home().join(file).exists(), "{variable}");
    }
}

#[test]
fn the_agent_is_found_in_the_directory_that_its_variable_names() {
    let sandbox = Sandbox::new().file("~/moved/.gemini/settings.json", "{}");
    let moved = sandbox.home().join("moved");
    let sandbox = sandbox.env("GEMINI_CLI_HOME", moved).env("PATH", briefing_testkit::binary().parent().unwrap());
    let told = sandbox.brief(["install", "--all", "--dry-run"]).success();
    assert!(told.stdout().contains("[HOME]/moved/.gemini/settings.json"), "{told}");
}

#[test]
fn uninstalling_leaves_no_directories_of_ours() {
    for flags in [&["--yes"][..], &["--yes", "--project"]] {
        let sandbox = Sandbox::new();
        let run = |word: &str, agents: &[&str]| sandbox.brief([word].iter().chain(agents).chain(flags)).success();
        let _ = run("install", &ALL);
        let _ = run("install", &ALL);
        // In two steps, so that the first cannot clear away what the second still needs.
        let _ = run("uninstall", &ALL[..3]);
        let _ = run("uninstall", &ALL[3..]);
        assert_eq!((below(&sandbox.home()), below(&sandbox.root())), (vec![], vec![]), "{flags:?}");
    }
}

#[test]
fn directories_and_files_of_others_stay() {
    let sandbox = Sandbox::new().file("~/.claude/notes.md", "mine");
    std::fs::create_dir_all(sandbox.home().join(".copilot/hooks")).unwrap();
    let agents = ["claude", "copilot", "opencode"];
    let _ = sandbox.brief(["install", "--yes"].iter().chain(&agents)).success();
    sandbox.write("~/.config/opencode/plugins/theirs.js", "x");
    let _ = sandbox.brief(["uninstall", "--yes"].iter().chain(&agents)).success();
    for kept in [".claude/notes.md", ".copilot/hooks", ".config/opencode/plugins/theirs.js"] {
        assert!(sandbox.home().join(kept).exists(), "{kept}");
    }
    for gone in [".claude/settings.json", ".copilot/hooks/brief.json", ".config/opencode/plugins/brief.js"] {
        assert!(!sandbox.home().join(gone).exists(), "{gone}");
    }
}

/// Claude Code writes to the same file; what it leaves may be an empty object again.
#[test]
fn a_file_that_we_made_goes_when_nothing_of_others_is_in_it() {
    let sandbox = Sandbox::new();
    let _ = sandbox.brief(["install", "claude", "cursor", "--yes"]).success();
    for file in [".claude/settings.json", ".cursor/hooks.json"] {
        let file = sandbox.home().join(file);
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, format!("{}\n\n", text.trim_end())).unwrap();
    }
    let _ = sandbox.brief(["uninstall", "claude", "cursor", "--yes"]).success();
    assert_eq!(below(&sandbox.home()), Vec::<PathBuf>::new());
}

#[cfg(unix)]
#[test]
fn a_read_only_file_is_not_rewritten() {
    use std::os::unix::fs::PermissionsExt;
    for word in ["install", "uninstall"] {
        let sandbox = Sandbox::new().file("~/.claude/settings.json", "{ \"a\": 1 }");
        if word == "uninstall" {
            let _ = sandbox.brief(["install", "claude", "--yes"]).success();
        }
        let file = sandbox.home().join(".claude/settings.json");
        let before = std::fs::read(&file).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o444)).unwrap();
        let refused = sandbox.brief([word, "claude", "--yes"]).code(1);
        assert!(refused.stderr().contains("`[HOME]/.claude/settings.json` was not changed"), "{refused}");
        assert!(refused.stderr().contains("caused by: it is read-only"), "{refused}");
        assert!(refused.stderr().contains("hint: `chmod u+w [HOME]/.claude/settings.json`"), "{refused}");
        assert_eq!(std::fs::read(&file).unwrap(), before);
        assert!(sandbox.brief([word, "claude", "--dry-run"]).success().stdout().contains("hook claude"), "it still shows the change");
    }
}

#[cfg(unix)]
#[test]
fn doctor_does_not_rewrite_a_read_only_file() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    let _ = sandbox.brief(["install", "claude", "--yes"]).success();
    let file = sandbox.home().join(".claude/settings.json");
    let text = std::fs::read_to_string(&file).unwrap().replace("\"timeout\": 5", "\"timeout\": 6");
    std::fs::write(&file, &text).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o444)).unwrap();
    let told = sandbox.brief(["doctor", "--fix"]).code(1);
    assert!(told.stdout().contains("it is read-only"), "{told}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
}

/// Only the superuser can give a file away.
#[cfg(unix)]
#[test]
fn a_file_of_another_user_is_not_rewritten() {
    let sandbox = Sandbox::new().file("~/.claude/settings.json", "{}");
    let file = sandbox.home().join(".claude/settings.json");
    if std::os::unix::fs::chown(&file, Some(65534), None).is_err() {
        return;
    }
    let refused = sandbox.brief(["install", "claude", "--yes"]).code(1);
    assert!(refused.stderr().contains("caused by: it belongs to another user"), "{refused}");
    assert!(refused.stderr().contains("--dry-run"), "{refused}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "{}");
}

#[cfg(unix)]
#[test]
fn nothing_outside_the_project_is_written_through_a_link() {
    for link in [".claude", ".claude/settings.json"] {
        let sandbox = Sandbox::new().file("~/.claude/settings.json", "{}");
        let target = sandbox.home().join(link);
        std::fs::create_dir_all(sandbox.path(link).parent().unwrap()).unwrap();
        let sandbox = sandbox.link(link, target);
        for word in ["install", "uninstall"] {
            let before = std::fs::read_to_string(sandbox.home().join(".claude/settings.json")).unwrap();
            let refused = sandbox.brief([word, "claude", "--project", "--yes"]).code(1);
            assert!(refused.stderr().contains("`[ROOT]/.claude/settings.json` was not changed"), "{refused}");
            assert!(refused.stderr().contains("it leads out of the project, to `[HOME]/.claude/settings.json`"), "{refused}");
            assert!(refused.stderr().contains(&format!("`brief {word} claude`")), "{refused}");
            assert_eq!(std::fs::read_to_string(sandbox.home().join(".claude/settings.json")).unwrap(), before);
            let _ = sandbox.brief(["install", "claude", "--yes"]).success();
        }
    }
    // To nothing yet.
    let sandbox = Sandbox::new().link(".claude", "../elsewhere");
    let _ = sandbox.brief(["install", "claude", "--project", "--yes"]).code(1);
    assert!(!sandbox.root().with_file_name("elsewhere").exists());
    // Inside the project, a link is as good as a directory.
    let inside = Sandbox::new().directory("config").link(".claude", "config");
    let _ = inside.brief(["install", "claude", "--project", "--yes"]).success();
    assert!(inside.path("config/settings.json").exists());
}
