//! The entries that we write into an agent's configuration.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::agent::{Agent, Event, Handler, Recipe, TimeoutUnit};

/// The timeout we ask the agent for. The hook's own deadline is much shorter.
const TIMEOUT_SECONDS: u64 = 5;

/// The end of every command for a POSIX shell: without `brief`, a handler exits with 0 and prints nothing.
///
/// A colleague may not have `brief`, and Copilot denies a tool whose hook fails. The user's and the project's entries are
/// equal, because agents merge equal commands and would run different ones twice. It comes last, so that a command still
/// begins with the program.
const SILENCE: &str = " 2>/dev/null || true";

/// Returns the command of a handler. It must not change between versions: Codex trusts a command by its hash.
pub fn command(agent: &Agent, program: &str, event: &Event, lane: u8) -> String {
    let silence = if cfg!(windows) { "" } else { SILENCE };
    format!("{} {}{silence}", quoted(program), arguments(agent, event, lane))
}

/// Returns a command of ours without the part that hides its failure.
pub fn audible(command: &str) -> &str {
    command.strip_suffix(SILENCE).unwrap_or(command)
}

fn arguments(agent: &Agent, event: &Event, lane: u8) -> String {
    let mut arguments = format!("hook {} {}", agent.name, event.name);
    if agent.handler == Handler::Unlimited {
        arguments.push_str(" whole");
    } else if lane > 1 {
        let _ = write!(arguments, " {lane}");
    }
    arguments
}

/// Returns the command of a handler for PowerShell, as silent as the other one.
fn powershell(agent: &Agent, program: &str, event: &Event) -> String {
    let program = format!("'{}'", program.replace('\'', "''"));
    format!("if (Get-Command {program} -ErrorAction SilentlyContinue) {{ & {program} {} }}", arguments(agent, event, 1))
}

/// Quotes a program's path for `sh` if necessary.
pub fn quoted(program: &str) -> String {
    let is_plain = program.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-+:\\".contains(&byte));
    if is_plain { program.to_owned() } else { format!("'{}'", program.replace('\'', r"'\''")) }
}

/// Returns the events that we register, in order.
pub fn registered(agent: &Agent) -> impl Iterator<Item = &'static Event> {
    agent.events.iter().filter(|event| event.lanes > 0)
}

/// Returns the value to add to the list of an event.
pub fn entry(agent: &Agent, program: &str, event: &Event) -> Value {
    let handlers = (1..=event.lanes).map(|lane| handler(agent, program, event, lane));
    match agent.recipe {
        Recipe::Groups => json!({ "hooks": handlers.collect::<Vec<_>>() }),
        _ => handlers.into_iter().next().unwrap_or_default(),
    }
}

/// Returns the name of a handler, for agents whose handlers have names.
pub fn handler_name(event: &Event) -> String {
    format!("brief-{}", event.name)
}

fn handler(agent: &Agent, program: &str, event: &Event, lane: u8) -> Value {
    let command = command(agent, program, event, lane);
    let timeout = match agent.timeout {
        TimeoutUnit::Milliseconds => TIMEOUT_SECONDS * 1000,
        _ => TIMEOUT_SECONDS,
    };
    match (agent.recipe, agent.handler) {
        (Recipe::OwnFile, _) => {
            json!({ "type": "command", "bash": command, "powershell": powershell(agent, program, event), "timeoutSec": timeout })
        }
        (Recipe::FlatEntries, _) => json!({ "command": command, "timeout": timeout }),
        (_, Handler::Plain) => json!({ "type": "command", "command": command, "timeout": timeout }),
        (_, Handler::Named) => json!({ "name": handler_name(event), "type": "command", "command": command, "timeout": timeout }),
        (_, Handler::Unlimited) => json!({ "type": "command", "command": command, "timeout": timeout, "additionalContextLimit": 0 }),
    }
}

/// Returns the content of a file that has nothing but our entries: the agent's own kind of it, or a plugin's.
pub fn own_file(agent: &Agent, program: &str) -> Value {
    let hooks: serde_json::Map<String, Value> =
        registered(agent).map(|event| (event.name.to_owned(), json!([entry(agent, program, event)]))).collect();
    match agent.recipe {
        Recipe::Groups => json!({ "hooks": hooks }),
        _ => json!({ "version": 1, "hooks": hooks }),
    }
}

/// Returns the plugin's source with the program that it calls.
pub fn plugin(source: &str, program: &str) -> String {
    source.replace("\"@PROGRAM@\"", &Value::from(program).to_string())
}

/// Returns the program that our plugin calls.
pub fn program_of_plugin(plugin: &str) -> Option<String> {
    let line = plugin.lines().find_map(|line| line.strip_prefix("const PROGRAM = "))?;
    serde_json::from_str(line.trim_end_matches(';')).ok().filter(|program: &String| !program.is_empty())
}

/// Returns whether a command is ours: a program named `brief` in any directory, followed by `hook <agent>`.
pub fn is_own(agent: &Agent, command: &str) -> bool {
    own_words(agent, command).is_some()
}

/// Returns the words after `brief hook <agent>` in one of our commands: the event and the lane.
pub fn own_words<'a>(agent: &Agent, command: &'a str) -> Option<Vec<&'a str>> {
    let (_, words) = call(command)?;
    words.strip_prefix(&["hook", agent.name]).map(<[&str]>::to_vec)
}

/// Splits a command that calls a program named `brief` into that program and its arguments.
pub fn call(command: &str) -> Option<(String, Vec<&str>)> {
    let (program, rest) = first_word(audible(command).trim_start());
    is_own_program(&program).then(|| (program, rest.split_whitespace().collect()))
}

/// Returns whether a program's path ends in one of our names: `brief`, `brief.exe`, `brief-0.1`.
pub fn is_own_program(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    name.strip_prefix("brief").is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-', '_']))
}

/// Splits a command line after its first word, and removes the quotes from that word.
fn first_word(command: &str) -> (String, &str) {
    let mut word = String::new();
    let mut quote = None;
    let mut rest = command.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let escapes = rest.peek().is_some_and(|(_, next)| matches!(next, '\'' | '"' | ' '));
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            ('\'' | '"', None) => quote = Some(c),
            // Any other backslash is part of a Windows path.
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
    fn every_command_we_write_is_recognised() {
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
        let heard = |agent: &Agent, program: &str, event, lane| audible(&command(agent, program, event, lane)).to_owned();
        assert_eq!(heard(claude, "brief", event, 1), "brief hook claude SessionStart");
        assert_eq!(heard(claude, "/a b/it's/brief", event, 2), "'/a b/it'\\''s/brief' hook claude SessionStart 2");
        let codex = find("codex").unwrap();
        assert_eq!(heard(codex, "brief", codex.event("PreToolUse").unwrap(), 1), "brief hook codex PreToolUse whole");
    }
}
