//! Installs and uninstalls hooks and the MCP server in settings files of many shapes.

use briefing_agents::agent::{Recipe, Registration};
use briefing_agents::install::record::Record;
use briefing_agents::install::{self, Change, EditProblem, Part, hooks, server};
use briefing_agents::{AGENTS, Agent, find};

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

fn install(agent: &Agent, program: &str, before: Option<&[u8]>) -> Result<Change, EditProblem> {
    install::install(agent, &[Part::Hooks], program, before)
}

fn uninstall(agent: &Agent, before: Option<&[u8]>, record: Option<&Record>) -> Result<Change, EditProblem> {
    install::uninstall(agent, &[Part::Hooks], before, record)
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
            let commands = hooks::own_commands(agent, &second);
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
            assert_eq!(hooks::own_commands(agent, after.as_bytes()), [""; 0], "{what}");
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

const SERVER: &[Part] = &[Part::Server];

/// Shapes of files with servers. `KEY` becomes the key of the agent's table of servers.
fn servers(registration: Registration) -> (&'static str, Vec<String>) {
    let other = r#"{ "command": "npx", "args": ["-y", "other"], "env": {"TOKEN": "x"} }"#;
    let json = |key| {
        let own = vec![
            format!("{{\n  \"KEY\": {{\n    \"other\": {other}\n  }}\n}}\n"),
            format!("{{\"KEY\":{{\"other\":{other}}}}}"),
            "{\n  \"KEY\": {},\n  \"z\": 1\n}".to_owned(),
            format!("{{\n  // mine\n  \"KEY\": {{\n    // none yet\n    \"other\": {other}, // last\n  }},\n}}\n"),
        ];
        (key, corpus().into_iter().map(|(_, text)| text).chain(own).collect())
    };
    match registration {
        Registration::Json { key, .. } | Registration::Local { key } => json(key),
        Registration::Toml { key, .. } => (
            key,
            [
                "",
                "\n",
                "# only a comment",
                "model = \"x\" # mine\n\n[features]\nhooks = true\n",
                "model = \"x\"",
                "[KEY.other]\ncommand = \"npx\"\nargs = [\"-y\", \"other\"]\n\n[KEY.other.env]\nTOKEN = \"x\"\n\n# the end\n",
                "[KEY]\nother = { command = \"npx\" }\n\n\n[z]\na = [\n  1, # one\n  2,\n]\n",
                "[[list]]\na = 1\n\n[[list]]\na = 2\n\n\n",
                "[projects.\"/a b\"]\r\ntrust_level = \"trusted\"\r\n",
                "a = 1\r\nb = 2\n# mixed\r\n",
                "\u{FEFF}a = 1\n",
                "a = \"\"\"\n[KEY.brief]\n\"\"\"\n",
            ]
            .map(str::to_owned)
            .to_vec(),
        ),
    }
}

/// With or without a record of what was there before, in a file that others may have written to since.
#[test]
fn a_server_comes_and_goes_and_leaves_every_byte() {
    let state = tempfile::tempdir().unwrap();
    for agent in AGENTS.iter().filter(|agent| agent.mcp.is_some()) {
        let mcp = agent.mcp.as_ref().unwrap();
        let (key, shapes) = servers(mcp.registration);
        for text in shapes {
            let text = text.replace("KEY", key).replace("EVENT", "Stop");
            let what = format!("{} on {text:?}", agent.name);
            let path = state.path().join("settings");
            let put = |program: &str, before: &[u8]| written(install::install(agent, SERVER, program, Some(before)).expect(&what));
            let first = put("/opt/a \"b\"/brief", text.as_bytes());
            Record::new(&path, Some(text.clone().into_bytes()), &first).write(state.path(), &path).unwrap();
            let second = put("brief", &first);
            Record::new(&path, Some(first.clone()), &second).write(state.path(), &path).unwrap();
            assert_eq!(install::install(agent, SERVER, "brief", Some(&second)).unwrap(), Change::Nothing, "twice is once: {what}");
            let entries = server::entries(mcp, &second);
            assert_eq!((entries.len(), entries[0].name.as_str(), entries[0].program.as_str()), (1, "brief", "brief"), "{what}");
            assert_eq!(server::entries(mcp, &first)[0].program, "/opt/a \"b\"/brief", "{what}");
            let record = Record::read(state.path(), &path).unwrap();
            assert_eq!(written(install::uninstall(agent, SERVER, Some(&second), Some(&record)).unwrap()), text.as_bytes(), "{what}");
            // Without a record, every byte of others is left; a table that was empty before may be gone.
            let bare = String::from_utf8(written(install::uninstall(agent, SERVER, Some(&second), None).unwrap())).unwrap();
            assert!(server::entries(mcp, bare.as_bytes()).is_empty(), "{what}");
            for line in
                text.lines().filter(|line| line.contains("other") || line.contains("//") || line.contains('#') || line.contains("TOKEN"))
            {
                // An object on one line may have become one on several.
                let squeezed = |text: &str| text.split_whitespace().collect::<String>();
                assert!(squeezed(&bare).contains(&squeezed(line)), "{line:?} of {what} is not in {bare:?}");
            }
            if matches!(mcp.registration, Registration::Toml { .. }) {
                assert_eq!(bare.trim_end(), text.trim_end(), "{what}");
            }
            Record::forget(state.path(), &path);
        }
    }
}

/// What the agent or its user has added to our entry is theirs to keep, and goes with it.
#[test]
fn other_fields_of_our_entry_are_the_users() {
    let codex = find("codex").unwrap();
    let own = "model = \"x\"\n\n# asks first\n[mcp_servers.briefing]\ncommand = '/old/brief' # here\nenabled = false\nargs = [\"mcp\"]\n\n\
               [mcp_servers.briefing.tools.read]\napproval_mode = \"approve\"\n\n[z]\na = 1\n";
    let updated = String::from_utf8(written(install::install(codex, SERVER, "brief", Some(own.as_bytes())).unwrap())).unwrap();
    assert_eq!(updated, own.replace("'/old/brief'", "\"brief\""));
    assert!(!server::entries(codex.mcp.as_ref().unwrap(), own.as_bytes())[0].is_enabled);
    let gone = String::from_utf8(written(install::uninstall(codex, SERVER, Some(updated.as_bytes()), None).unwrap())).unwrap();
    assert_eq!(gone, "model = \"x\"\n\n# asks first\n\n[z]\na = 1\n");
    let opencode = find("opencode").unwrap();
    let own = "{\n  \"mcp\": {\n    \"b\": { \"type\": \"local\", \"command\": [\"/old/brief\", \"mcp\"], \"enabled\": false, \"timeout\": 9 }\n  }\n}\n";
    let updated = String::from_utf8(written(install::install(opencode, SERVER, "brief", Some(own.as_bytes())).unwrap())).unwrap();
    assert_eq!(updated, own.replace("/old/brief", "brief"));
    let dotted = "mcp_servers.brief.command = \"brief\"\nmcp_servers.brief.args = [\"mcp\"]\nmcp_servers.x.command = \"x\"\n";
    let gone = written(install::uninstall(codex, SERVER, Some(dotted.as_bytes()), None).unwrap());
    assert_eq!(String::from_utf8(gone).unwrap(), "mcp_servers.x.command = \"x\"\n");
}

#[test]
fn another_program_of_our_name_is_left_alone() {
    for (agent, text) in [
        ("claude", "{\"mcpServers\": {\"brief\": {\"command\": \"npx\", \"args\": [\"brief\", \"mcp\"]}}}"),
        ("vscode", "{\"servers\": {\"brief\": {\"type\": \"http\", \"url\": \"http://x\"}}}"),
        ("codex", "[mcp_servers.brief]\ncommand = \"npx\"\n"),
    ] {
        let agent = find(agent).unwrap();
        let problem = install::install(agent, SERVER, "brief", Some(text.as_bytes())).unwrap_err();
        assert!(matches!(&problem, EditProblem::Taken { place } if place.contains(".brief")), "{problem}");
        assert_eq!(install::uninstall(agent, SERVER, Some(text.as_bytes()), None).unwrap(), Change::Nothing);
    }
    let codex = find("codex").unwrap();
    for (text, words) in [
        ("mcp_servers = { x = { command = \"x\" } }\n", "`mcp_servers` is not a table with a header of its own"),
        ("mcp_servers = 1\n", "`mcp_servers` is not a table"),
        ("a = 1\nb = \n", "line 2, column 5: "),
    ] {
        let problem = install::install(codex, SERVER, "brief", Some(text.as_bytes())).unwrap_err().to_string();
        assert!(problem.starts_with(words), "{problem}");
    }
}

/// Gemini has both parts in one file: each can go alone, and the last one restores every byte.
#[test]
fn parts_of_one_file_come_and_go_one_by_one() {
    let state = tempfile::tempdir().unwrap();
    let path = state.path().join("settings");
    let gemini = find("gemini").unwrap();
    let text = b"{\n  \"a\" :  1\n}".to_vec();
    for order in [Part::USUAL, [Part::Server, Part::Hooks]] {
        let mut now = text.clone();
        for part in order {
            let after = written(install::install(gemini, &[part], "brief", Some(&now)).unwrap());
            Record::new(&path, Some(now), &after).write(state.path(), &path).unwrap();
            now = after;
        }
        let record = Record::read(state.path(), &path).unwrap();
        assert_eq!(written(install::uninstall(gemini, &Part::USUAL, Some(&now), Some(&record)).unwrap()), text);
        let one = written(install::uninstall(gemini, &[order[0]], Some(&now), Some(&record)).unwrap());
        assert!(!install::is_in(order[0], gemini, &one) && install::is_in(order[1], gemini, &one));
        Record::new(&path, Some(now), &one).write(state.path(), &path).unwrap();
        let record = Record::read(state.path(), &path).unwrap();
        assert_eq!(written(install::uninstall(gemini, &[order[1]], Some(&one), Some(&record)).unwrap()), text);
        Record::forget(state.path(), &path);
    }
}
