//! What belongs into an agent's configuration.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::agent::{Agent, Event, Handler, Recipe, TimeoutUnit};

/// A handler gets this long; we end ourselves much earlier.
const TIMEOUT_SECONDS: u64 = 5;

/// Returns the command of one handler. It must stay the same across versions: an agent may trust it by its hash.
pub fn command(agent: &Agent, program: &str, event: &Event, lane: u8) -> String {
    let mut command = format!("{} hook {} {}", quoted(program), agent.name, event.name);
    if agent.handler == Handler::Unlimited {
        command.push_str(" whole");
    } else if lane > 1 {
        let _ = write!(command, " {lane}");
    }
    command
}

/// Quotes a program for `sh` where its path needs it.
pub fn quoted(program: &str) -> String {
    let is_plain = program.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-+:\\".contains(&byte));
    if is_plain { program.to_owned() } else { format!("'{}'", program.replace('\'', r"'\''")) }
}

/// Returns the events that we register, in order.
pub fn registered(agent: &Agent) -> impl Iterator<Item = &'static Event> {
    agent.events.iter().filter(|event| event.lanes > 0)
}

/// Returns the value that we add to the list of an event.
pub fn entry(agent: &Agent, program: &str, event: &Event) -> Value {
    let handlers = (1..=event.lanes).map(|lane| handler(agent, &command(agent, program, event, lane), event));
    match agent.recipe {
        Recipe::Groups => json!({ "hooks": handlers.collect::<Vec<_>>() }),
        _ => handlers.into_iter().next().unwrap_or_default(),
    }
}

/// Returns the name of a handler, where the agent gives them names.
pub fn handler_name(event: &Event) -> String {
    format!("brief-{}", event.name)
}

fn handler(agent: &Agent, command: &str, event: &Event) -> Value {
    let timeout = match agent.timeout {
        TimeoutUnit::Milliseconds => TIMEOUT_SECONDS * 1000,
        _ => TIMEOUT_SECONDS,
    };
    match (agent.recipe, agent.handler) {
        (Recipe::OwnFile, _) => json!({ "type": "command", "bash": command, "powershell": command, "timeoutSec": timeout }),
        (Recipe::FlatEntries, _) => json!({ "command": command, "timeout": timeout }),
        (_, Handler::Plain) => json!({ "type": "command", "command": command, "timeout": timeout }),
        (_, Handler::Named) => json!({ "name": handler_name(event), "type": "command", "command": command, "timeout": timeout }),
        (_, Handler::Unlimited) => json!({ "type": "command", "command": command, "timeout": timeout, "additionalContextLimit": 0 }),
    }
}

/// Returns the whole of a file that is ours alone.
pub fn own_file(agent: &Agent, program: &str) -> String {
    let hooks: serde_json::Map<String, Value> =
        registered(agent).map(|event| (event.name.to_owned(), json!([entry(agent, program, event)]))).collect();
    format!("{:#}\n", json!({ "version": 1, "hooks": hooks }))
}

/// Returns the plugin that calls a program.
pub fn plugin(source: &str, program: &str) -> String {
    source.replace("\"@PROGRAM@\"", &Value::from(program).to_string())
}

/// Returns the program that a plugin of ours calls.
pub fn program_of_plugin(plugin: &str) -> Option<String> {
    let line = plugin.lines().find_map(|line| line.strip_prefix("const PROGRAM = "))?;
    serde_json::from_str(line.trim_end_matches(';')).ok().filter(|program: &String| !program.is_empty())
}

/// Tells whether a command is ours: the program is called `brief`, whatever its directory, then `hook <agent>`.
pub fn is_own(agent: &Agent, command: &str) -> bool {
    own_words(agent, command).is_some()
}

/// Returns what follows `brief hook <agent>` in a command of ours: the event, and which handler of it.
pub fn own_words<'a>(agent: &Agent, command: &'a str) -> Option<Vec<&'a str>> {
    let (program, rest) = first_word(command.trim_start());
    let mut words = rest.split_whitespace();
    let is_own = is_own_program(&program) && words.next() == Some("hook") && words.next() == Some(agent.name);
    is_own.then(|| words.collect())
}

/// Tells whether a program's path ends in a name by which we know ourselves: `brief`, `brief.exe`, `brief-0.1`.
pub fn is_own_program(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    name.strip_prefix("brief").is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-', '_']))
}

/// Splits a command line behind its first word, and takes the quotes off that.
fn first_word(command: &str) -> (String, &str) {
    let mut word = String::new();
    let mut quote = None;
    let mut rest = command.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let escapes = rest.peek().is_some_and(|(_, next)| matches!(next, '\'' | '"' | ' '));
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            ('\'' | '"', None) => quote = Some(c),
            // Any other backslash belongs to a path of Windows.
            ('\\', None) if escapes => word.extend(rest.next().map(|(_, c)| c)),
            (c, None) if c.is_whitespace() => return (word, &command[at..]),
            _ => word.push(c),
        }
    }
    (word, "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::find;

    #[test]
    fn own_commands_are_recognised_whatever_their_path() {
        let claude = find("claude").unwrap();
        for own in [
            "brief hook claude Stop",
            "/opt/my tools/brief hook claude X",
            "'/opt/my tools/brief' hook claude X 2",
            "\"C:\\Program Files\\brief.exe\" hook claude X",
            "brief  hook   claude",
        ] {
            let expected = !own.starts_with("/opt/my tools");
            assert_eq!(is_own(claude, own), expected, "{own}");
        }
        for foreign in ["brief hook codex X", "debrief hook claude X", "brief pack", "echo brief hook claude X", ""] {
            assert!(!is_own(claude, foreign), "{foreign}");
        }
    }

    #[test]
    fn what_we_write_we_recognise() {
        let claude = find("claude").unwrap();
        let event = claude.event("SessionStart").unwrap();
        for directory in [
            "",
            "/opt/",
            "/a b/",
            "/it's/",
            "/''/",
            "/\"/",
            "/a\\ b/",
            "/\\'/",
            "/$x `y`/",
            "/hook claude/",
            "/é\n/",
            "C:\\x y\\",
            "C:\\x\\",
        ] {
            for name in ["brief", "brief.exe", "brief-0.1.0", "brief_dev"] {
                let command = command(claude, &format!("{directory}{name}"), event, 2);
                assert_eq!(own_words(claude, &command), Some(vec!["SessionStart", "2"]), "{command}");
            }
        }
    }

    #[test]
    fn commands_differ_by_lane_and_survive_odd_paths() {
        let claude = find("claude").unwrap();
        let event = claude.event("SessionStart").unwrap();
        assert_eq!(command(claude, "brief", event, 1), "brief hook claude SessionStart");
        assert_eq!(command(claude, "/a b/it's/brief", event, 2), "'/a b/it'\\''s/brief' hook claude SessionStart 2");
        let codex = find("codex").unwrap();
        assert_eq!(command(codex, "brief", codex.event("PreToolUse").unwrap(), 1), "brief hook codex PreToolUse whole");
    }
}
