//! Installs and uninstalls hooks in settings files of many shapes.

use briefing_agents::agent::Recipe;
use briefing_agents::install::record::Record;
use briefing_agents::install::{Change, EditProblem, edit, install, uninstall};
use briefing_agents::{AGENTS, find};

const FOREIGN: &str = r#"{"type":"command","command":"echo someone else's"}"#;

/// Shapes of settings files. `EVENT` becomes an event that we register.
fn corpus() -> Vec<(&'static str, String)> {
    let mut all = vec![
        ("empty file", String::new()),
        ("only a line break", "\n".to_owned()),
        ("empty object", "{}".to_owned()),
        ("empty object and line break", "{}\n".to_owned()),
        ("spread object", "{\n}\n".to_owned()),
        ("one line", r#"{"model":"x","hooks":{}}"#.to_owned()),
        ("other settings", "{\n  \"model\": \"x\",\n  \"permissions\": { \"allow\": [\"Bash(ls)\"] }\n}\n".to_owned()),
        ("tabs", "{\n\t\"model\": \"x\",\n\t\"hooks\": {\n\t}\n}\n".to_owned()),
        ("four spaces", "{\n    \"model\": \"x\"\n}".to_owned()),
        ("comments", "// head\n{\n  // about the model\n  \"model\": \"x\", /* why */\n  \"hooks\": {\n    // nothing yet\n  }\n  // tail\n}\n// end\n".to_owned()),
        ("trailing commas", "{\n  \"model\": \"x\",\n  \"hooks\": {\n    \"EVENT\": [],\n  },\n}\n".to_owned()),
        ("foreign hook", format!("{{\n  \"hooks\": {{\n    \"EVENT\": [\n      {{ \"matcher\": \"*\", \"hooks\": [ {FOREIGN} ] }}\n    ]\n  }}\n}}\n")),
        ("foreign hook on one line", format!(r#"{{"hooks":{{"EVENT":[{{"hooks":[{FOREIGN}]}}]}}}}"#)),
        ("foreign event", format!("{{\n  \"hooks\": {{\n    \"Other\": [{{\"hooks\":[{FOREIGN}]}}]\n  }},\n  \"z\": [1,  2,3]\n}}\n")),
        ("odd spacing", "{ \"a\" :1 ,\n\n\n   \"b\":   [ ]   }   \n\n".to_owned()),
        ("unicode and escapes", "{\n  \"na\\u006De\": \"€ \\\"q\\\" \\\\\",\n  \"k\": null\n}\n".to_owned()),
    ];
    let windows: Vec<_> = all.iter().map(|(name, text)| (*name, text.replace('\n', "\r\n"))).collect();
    let marked: Vec<_> = all.iter().filter(|(_, text)| !text.is_empty()).map(|(name, text)| (*name, format!("\u{FEFF}{text}"))).collect();
    all.extend(windows);
    all.extend(marked);
    all
}

fn written(change: Change) -> Vec<u8> {
    match change {
        Change::Write(bytes) => bytes,
        other => panic!("{other:?}"),
    }
}

#[test]
fn uninstall_restores_every_byte() {
    let state = tempfile::tempdir().unwrap();
    for agent in AGENTS.iter().filter(|agent| matches!(agent.recipe, Recipe::Groups | Recipe::FlatEntries)) {
        for (name, text) in corpus() {
            let text = text.replace("EVENT", agent.events[0].name);
            let what = format!("{} on {name}: {text:?}", agent.name);
            let path = state.path().join("settings.json");
            let first =
                written(install(agent, "/opt/old/brief", Some(text.as_bytes())).unwrap_or_else(|problem| panic!("{what}: {problem}")));
            Record::new(&path, Some(text.clone().into_bytes()), &first).write(state.path(), &path).unwrap();
            // Install again, from another directory: the old entries are replaced, not duplicated.
            let second = written(install(agent, "brief", Some(&first)).unwrap());
            Record::new(&path, Some(first), &second).write(state.path(), &path).unwrap();
            assert_eq!(install(agent, "brief", Some(&second)).unwrap(), Change::Nothing, "twice is once: {what}");
            let commands = edit::own_commands(agent, &second);
            let expected: usize = agent.events.iter().map(|event| usize::from(event.lanes)).sum();
            assert_eq!(commands.len(), expected, "{what}");
            assert!(commands.iter().all(|command| command.starts_with("brief hook ")), "{commands:?}");
            if text.contains('\r') {
                let after = String::from_utf8(second.clone()).unwrap();
                assert_eq!(after.matches('\n').count(), after.matches("\r\n").count(), "line endings stay the same: {what}");
            }
            let record = Record::read(state.path(), &path).unwrap();
            assert_eq!(written(uninstall(agent, Some(&second), Some(&record)).unwrap()), text.into_bytes(), "{what}");
            Record::forget(state.path(), &path);
        }
    }
}

/// If the file has changed since the installation, only our entries are removed.
#[test]
fn uninstall_without_a_record_leaves_everything_else() {
    for agent in AGENTS.iter().filter(|agent| matches!(agent.recipe, Recipe::Groups | Recipe::FlatEntries)) {
        for (name, text) in corpus() {
            let text = text.replace("EVENT", agent.events[0].name);
            let what = format!("{} on {name}: {text:?}", agent.name);
            let installed = written(install(agent, "brief", Some(text.as_bytes())).unwrap());
            let after = match uninstall(agent, Some(&installed), None).unwrap() {
                Change::Write(bytes) => String::from_utf8(bytes).unwrap(),
                other => panic!("{other:?}"),
            };
            assert_eq!(edit::own_commands(agent, after.as_bytes()), [""; 0], "{what}");
            for fragment in
                ["// head", "// about the model", "/* why */", "// nothing yet", "// tail", "someone else's", "\"model\"", "[1,  2,3]"]
            {
                assert_eq!(after.contains(fragment), text.contains(fragment), "`{fragment}`: {what} became {after}");
            }
        }
    }
}

#[test]
fn broken_files_are_refused_with_their_place() {
    let claude = find("claude").unwrap();
    let problem = install(claude, "brief", Some(b"{\n  \"a\": 1,\n  oops\n}")).unwrap_err();
    assert!(matches!(problem, EditProblem::NotJson { line: 3, column: 3, .. }), "{problem}");
    assert_eq!(install(claude, "brief", Some(b"[]")).unwrap_err().to_string(), "its content is not a JSON object");
    for (text, place) in [("{\"hooks\": 1}", "hooks"), ("{\"hooks\": {\"SessionStart\": {}}}", "hooks.SessionStart")] {
        let problem = install(claude, "brief", Some(text.as_bytes())).unwrap_err();
        assert!(problem.to_string().starts_with(&format!("`{place}`")), "{problem}");
    }
    assert_eq!(install(claude, "brief", Some(b"\xFF\xFE")).unwrap_err(), EditProblem::NotUtf8);
}

/// Codex trusts an entry by its hash. If it changes, every user must approve it again.
#[test]
fn the_entry_of_codex_stays_the_same() {
    let codex = find("codex").unwrap();
    let text = String::from_utf8(written(install(codex, "brief", None).unwrap())).unwrap();
    insta::assert_snapshot!(text);
}

#[test]
fn own_files_and_plugins_are_written_and_deleted_as_a_whole() {
    for name in ["copilot", "opencode"] {
        let agent = find(name).unwrap();
        let text = String::from_utf8(written(install(agent, "/opt/a b/brief", None).unwrap())).unwrap();
        assert!(text.contains("/opt/a b/brief"), "{text}");
        assert_eq!(uninstall(agent, Some(text.as_bytes()), None).unwrap(), Change::Delete);
    }
}
