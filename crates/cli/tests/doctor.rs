//! `brief doctor` with every kind of problem: files, switches, our own directory.

use briefing_testkit::{Outcome, Sandbox};
use serde_json::{Value, json};

/// Returns the broken checks of an agent, or of `store`.
fn broken(sandbox: &Sandbox, about: &str) -> Vec<Value> {
    let told = sandbox.brief(["doctor", "--json"]);
    let told: Value = serde_json::from_slice(&told.stdout).unwrap_or_else(|error| panic!("{error}: {told}"));
    let checks = told["checks"].as_array().unwrap().iter();
    checks.filter(|check| check["about"] == about && check["verdict"] == "broken").cloned().collect()
}

fn doctor(sandbox: &Sandbox) -> Outcome {
    sandbox.brief(["doctor"])
}

fn installed(agents: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new();
    let _ = sandbox.brief(["install"].iter().chain(agents).chain(&["--yes"])).success();
    sandbox
}

#[test]
fn a_settings_file_that_cannot_be_parsed_is_broken_with_line_and_column() {
    let sandbox = installed(&["claude", "cursor"]);
    let file = sandbox.home().join(".claude/settings.json");
    let whole = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, whole.replacen("\"hooks\": {", "\"hooks\": {,", 1)).unwrap();
    let told = doctor(&sandbox).code(1);
    assert!(told.stdout().contains("BROKEN entry: ~/.claude/settings.json: line 2, column 13: "), "{told}");
    assert!(told.stdout().contains("fix: correct the file by hand, then run `brief install claude`"), "{told}");
    assert!(told.stdout().contains("cursor\n  ok     entry: intact"), "the others are looked at all the same: {told}");
    assert_eq!(broken(&sandbox, "claude").len(), 1);
    sandbox.write("~/.claude/settings.json", "{\"hooks\": []}");
    assert!(broken(&sandbox, "claude")[0]["detail"].as_str().unwrap().contains("`hooks` is not an object"));
}

#[cfg(unix)]
#[test]
fn a_settings_file_that_cannot_be_read_is_broken() {
    let sandbox = installed(&["cursor"]);
    let file = sandbox.home().join(".claude/settings.json");
    std::fs::create_dir_all(&file).unwrap();
    let reasons = |sandbox: &Sandbox| {
        let told = doctor(sandbox).code(1);
        assert!(told.stdout().contains("cursor\n  ok     entry: intact"), "{told}");
        broken(sandbox, "claude").iter().map(|check| check["detail"].as_str().unwrap().to_owned()).collect::<Vec<_>>().concat()
    };
    assert!(reasons(&sandbox).ends_with(".claude/settings.json: not a regular file but a directory"), "{}", reasons(&sandbox));
    std::fs::remove_dir(&file).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success());
    assert!(reasons(&sandbox).ends_with("not a regular file but a FIFO"), "{}", reasons(&sandbox));
    std::fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("settings.json", &file).unwrap();
    assert!(reasons(&sandbox).ends_with("symbolic link in a loop"), "{}", reasons(&sandbox));
}

#[test]
fn what_was_fixed_is_checked_again() {
    let sandbox = installed(&["claude", "opencode"]);
    let file = sandbox.home().join(".claude/settings.json");
    let whole = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, whole.replace("\"brief hook", "\"/nowhere/brief hook")).unwrap();
    sandbox.write("~/.config/opencode/plugins/brief.js", "const PROGRAM = \"/nowhere/brief\"\n");
    assert_eq!(doctor(&sandbox).code(1).stdout().matches("BROKEN entry").count(), 2);
    let fixed = sandbox.brief(["doctor", "--fix"]).success();
    assert_eq!(fixed.stdout().matches("ok     entry: rewritten").count(), 2, "{fixed}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), whole);
    let _ = sandbox.brief(["uninstall", "claude", "opencode", "--yes"]).success();
    let left = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(!left.contains("hook claude"), "what was broken does not come back: {left}");
}

#[test]
fn hooks_that_are_switched_off_are_seen_with_file_and_key() {
    for (agent, name, content, key) in [
        ("claude", "~/.claude/settings.json", "\"disableAllHooks\": true", "disableAllHooks = true"),
        ("claude", ".claude/settings.json", "{\"disableAllHooks\": true}", "disableAllHooks = true"),
        ("claude", ".claude/settings.local.json", "{\"disableAllHooks\": true}", "disableAllHooks = true"),
        ("qwen", "~/.qwen/settings.json", "\"disableAllHooks\": true", "disableAllHooks = true"),
        ("gemini", ".gemini/settings.json", "{\"hooksConfig\": {\"enabled\": false}}", "hooksConfig.enabled = false"),
        ("gemini", "~/.gemini/settings.json", "\"hooksConfig\": {\"disabled\": [\"brief-BeforeAgent\"]}", "lists brief-BeforeAgent"),
        ("codex", "~/.codex/config.toml", "[features]\nhooks = false\n", "features.hooks = false"),
    ] {
        let sandbox = installed(&[agent]).env("GEMINI_CLI_TRUST_WORKSPACE", "true");
        let is_off = |sandbox: &Sandbox| broken(sandbox, agent).into_iter().find(|check| check["what"] == "switch");
        assert_eq!(is_off(&sandbox), None, "{agent}");
        let below_home = name.strip_prefix("~/").map(|name| sandbox.home().join(name)).filter(|file| file.exists());
        match below_home {
            // Into the file that has our entries, too.
            Some(file) => {
                let whole = std::fs::read_to_string(&file).unwrap();
                let is_toml = file.extension().is_some_and(|end| end == "toml");
                let changed = if is_toml { format!("{whole}\n{content}") } else { whole.replacen('{', &format!("{{ {content},"), 1) };
                std::fs::write(&file, changed).unwrap();
            }
            None => sandbox.write(name, content),
        }
        let check = is_off(&sandbox).unwrap_or_else(|| panic!("{agent} {name}: {}", doctor(&sandbox)));
        let detail = check["detail"].as_str().unwrap();
        assert!(detail.contains(key) && detail.ends_with(name.trim_start_matches("~/")), "{detail}");
        assert_eq!(doctor(&sandbox).status, Some(1));
    }
}

#[test]
fn the_nearest_switch_decides() {
    let sandbox = installed(&["claude"]);
    let file = sandbox.home().join(".claude/settings.json");
    let whole = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, whole.replacen('{', "{ \"disableAllHooks\": true,", 1)).unwrap();
    sandbox.write(".claude/settings.local.json", "{\"disableAllHooks\": false}");
    let _ = doctor(&sandbox).success();
}

#[test]
fn entries_of_an_agent_that_is_not_here_are_seen_too() {
    let sandbox = Sandbox::new();
    let _ = sandbox.brief(["install", "cursor", "opencode", "--project", "--yes"]).success();
    let told = doctor(&sandbox).success();
    assert!(told.stdout().contains("cursor\n  ok     entry: intact in .cursor/hooks.json"), "{told}");
    assert!(told.stdout().contains("opencode\n  ok     entry: intact in .opencode/plugins/brief.js"), "{told}");
    let gone = sandbox.brief(["uninstall", "--all", "--project", "--yes"]).success();
    assert!(gone.stderr().contains("Cursor: hooks removed") && gone.stderr().contains("OpenCode: MCP server removed"), "{gone}");
    assert!(!sandbox.path(".cursor/hooks.json").exists() && !sandbox.path(".opencode/plugins/brief.js").exists());
    let none = sandbox.brief(["uninstall", "--all", "--project", "--yes"]);
    assert!(!none.stderr().contains("removed"), "{none}");
}

#[test]
fn every_command_names_a_state_directory_that_cannot_be_used() {
    for place in ["~/.local/state/brief", "~/.local/state"] {
        let sandbox = Sandbox::new().file("~/.claude/settings.json", "{}").file(place, "a file");
        let shown = place.replace('~', "[HOME]");
        let told = doctor(&sandbox).code(1);
        let unfilled = told.stdout().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(unfilled.contains(&format!("BROKEN place: the state directory cannot be used: `{place}`: not a directory")), "{told}");
        let refused = sandbox.brief(["install", "claude", "--yes"]).code(1);
        assert!(refused.stderr().contains("cannot keep a copy of `[HOME]/.claude/settings.json`"), "{refused}");
        assert!(refused.stderr().contains(&shown) && refused.stderr().contains("`brief doctor`"), "{refused}");
        assert_eq!(std::fs::read_to_string(sandbox.home().join(".claude/settings.json")).unwrap(), "{}");
        let log = sandbox.brief(["log"]).code(1);
        assert!(log.stderr().contains(&shown) && !log.stdout().contains("Nothing yet"), "{log}");
    }
}

#[test]
fn looking_leaves_no_files() {
    let sandbox = Sandbox::new();
    let _ = doctor(&sandbox).success();
    let _ = sandbox.brief(["log"]).success();
    assert_eq!(std::fs::read_dir(sandbox.home()).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn our_directory_is_private_whichever_command_creates_it() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |sandbox: &Sandbox| std::fs::metadata(sandbox.home().join(".local/state/brief")).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&installed(&["claude"])), 0o700);
    let hooked = Sandbox::new().file(".megg/info.md", "# Shop\n");
    hooked.hook(["claude", "SessionStart"], &json!({}));
    assert_eq!(mode(&hooked), 0o700);

    let sandbox = Sandbox::new().file("~/.local/state/brief/trust.json", "{}");
    std::fs::set_permissions(sandbox.home().join(".local/state/brief"), std::fs::Permissions::from_mode(0o755)).unwrap();
    assert!(doctor(&sandbox).success().stdout().contains("other users can read ~/.local/state/brief"));
    let _ = sandbox.brief(["doctor", "--fix"]).success();
    assert_eq!(mode(&sandbox), 0o700);
}

#[test]
fn an_unknown_session_is_an_error() {
    let sandbox = Sandbox::new().file(".megg/info.md", "# Shop\n");
    sandbox.hook(["claude", "SessionStart"], &json!({ "session_id": "s_1" }));
    for id in ["nosuch", "%", "_"] {
        let unknown = sandbox.brief(["log", "--session", id]).code(1);
        assert!(unknown.stderr().contains(&format!("unknown session `{id}`")), "{unknown}");
    }
    let empty = sandbox.brief(["log", "--session", "nosuch", "--json"]).success();
    assert!(empty.stdout().contains("\"events\": []"), "{empty}");
    for id in ["s_1", "claude:"] {
        assert!(sandbox.brief(["log", "--session", id]).success().stdout().contains("SessionStart: "), "{id}");
    }
}

#[test]
fn a_ledger_without_a_table_is_broken_and_doctor_rebuilds_it() {
    let sandbox = Sandbox::new().file(".megg/info.md", "# Shop\n");
    assert!(sandbox.hook(["claude", "SessionStart"], &json!({})).contains("Shop"));
    let file = sandbox.home().join(".local/state/brief/ledger.db");
    let renamed = rename_a_table(&file);
    assert!(renamed > 0, "the schema names the table");
    let check = broken(&sandbox, "store").remove(0);
    assert_eq!((&check["what"], &check["fix"]), (&json!("ledger"), &json!("brief doctor --fix")), "{check}");
    let told = sandbox.brief(["log"]).code(1);
    assert!(told.stderr().contains("the ledger is damaged") && told.stderr().contains("brief doctor"), "{told}");
    let told = sandbox.brief(["doctor", "--fix"]);
    assert!(told.stdout().contains("rebuilt"), "{told}");
    assert_eq!(broken(&sandbox, "store"), [Value::Null; 0]);
    assert_eq!(sandbox.log()["sessions"].as_array().unwrap().len(), 1, "what could be read is still there");
    assert_eq!(sandbox.hook(["claude", "SessionStart"], &json!({ "source": "resume" })), "", "and nothing comes twice");
}

/// Renames the table `events` in the schema, as a flipped bit would. Returns how often it was named.
fn rename_a_table(file: &std::path::Path) -> usize {
    // Nothing may be in the journal: what is written there wins.
    let journal = file.with_file_name("ledger.db-wal");
    let mut count = 0;
    for path in [file, &journal] {
        let mut bytes = std::fs::read(path).unwrap();
        let places: Vec<usize> = (0..bytes.len().saturating_sub(13)).filter(|at| &bytes[*at..at + 13] == b"TABLE events ").collect();
        for at in &places {
            bytes[at + 6..at + 12].copy_from_slice(b"evenfs");
        }
        count += places.len();
        std::fs::write(path, bytes).unwrap();
    }
    count
}

#[cfg(unix)]
#[test]
fn a_state_directory_that_others_can_write_is_not_used() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new().file(".megg/info.md", "# Shop\n").file("~/.local/state/brief/kept", "").file("~/tmp/kept", "");
    let sandbox = sandbox.clone().env("TMPDIR", sandbox.home().join("tmp"));
    let directory = sandbox.home().join(".local/state/brief");
    std::fs::set_permissions(&directory, std::fs::Permissions::from_mode(0o777)).unwrap();
    let check = broken(&sandbox, "store").remove(0);
    assert!(check["detail"].as_str().unwrap().ends_with("is not used: it can be written by other users"), "{check}");
    assert!(check["fix"].as_str().unwrap().contains("chmod 700"), "{check}");
    assert!(sandbox.hook(["claude", "SessionStart"], &json!({})).contains("Shop"), "context arrives all the same");
    assert!(sandbox.brief(["log"]).code(1).stderr().contains("can be written by other users"));
    assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 1, "nothing was written");
}

/// Returns what the doctor says, without its exit code.
fn checkup(sandbox: &Sandbox) -> String {
    sandbox.brief(["doctor"]).stdout()
}

#[test]
fn the_project_is_looked_at_and_every_finding_has_its_fix() {
    let sandbox = Sandbox::new()
        .directory(".git")
        .file("README.md", "# Shop\n\nSells things.\n")
        .file(
            ".context/CONVENTIONS.md",
            "# Conventions\n\n<!-- Draft by `brief init`, from x.\nRead it. -->\n\n- Be kind to `src/gone.rs`.\n",
        )
        .file(".context/CONSTITUTION.md", "# Constitution\n\n- [a rule]\n");
    let told = checkup(&sandbox);
    for expected in [
        "documents\n  --     index: there are documents, but no index, so no message brings one\n         fix: brief index\n",
        "draft: .context/CONVENTIONS.md is a draft that nobody has confirmed\n",
        "template: .context/CONSTITUTION.md is not filled in yet",
        "path: .context/CONVENTIONS.md:6: `src/gone.rs` does not exist\n",
    ] {
        assert!(told.contains(expected), "{expected}\n{told}");
    }
    let _ = sandbox.brief(["index"]).success();
    assert!(checkup(&sandbox).contains("ok     index: 1 of 1 documents reachable in .context/index.json\n"));
    sandbox.write("README.md", "# Shop\n\nSells other things.\n");
    let told = checkup(&sandbox);
    assert!(told.contains("index: 1 document has changed since .context/index.json was made\n         fix: brief index\n"), "{told}");
    let _ = sandbox.brief(["index"]).success();
    assert!(!checkup(&sandbox).contains("has changed since"));
    for line in told.lines() {
        assert!(line.chars().count() <= 80 || !line.trim().contains(' '), "{line}");
    }
}

#[test]
fn a_problem_in_a_settings_file_has_a_fix_that_fixes_exactly_that() {
    for (text, verdict, fix) in [
        ("hidden = [\n", "BROKEN", "correct line 1 of"),
        ("\nhidden = 3\n", "BROKEN", "correct line 2 of"),
        ("hiden = true\n", "--", "write `hidden` in line 1 of"),
        ("redact = false\n", "--", "move it to"),
        ("frobnicate = 1\n", "--", "delete line 1 of"),
    ] {
        let sandbox = Sandbox::new().file("brief.toml", text);
        let told = checkup(&sandbox);
        let unfilled = told.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            told.contains(&format!("settings\n  {verdict:<6} file: brief.toml")) && unfilled.contains(&format!("fix: {fix}")),
            "{told}"
        );
    }
    let told = checkup(&Sandbox::new().env("BRIEF_HIDDEN", "perhaps"));
    assert!(told.contains("fix: unset BRIEF_HIDDEN"), "{told}");
    let told =
        checkup(&Sandbox::new().file("brief.toml", "hidden = true\n").file("~/.config/brief/brief.toml", "[hook]\nannounce = \"never\"\n"));
    assert!(told.contains("ok     file: brief.toml\n") && told.contains("ok     file: ~/.config/brief/brief.toml\n"), "{told}");
}

#[test]
fn times_are_local_and_say_so() {
    let sandbox = Sandbox::new().env("TZ", "UTC-3").file(".megg/info.md", "# A\n");
    let _ = sandbox.hook(["claude", "SessionStart"], &serde_json::json!({"source": "startup"}));
    let log = sandbox.brief(["log"]).success().stdout();
    let first = log.lines().next().unwrap();
    assert!(first.contains("UTC+03:00"), "{first}");
}
