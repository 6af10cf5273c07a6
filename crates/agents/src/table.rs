//! The table of agents, with one row per agent. `docs/agents.md` gives the source of every fact.

mod claude;
mod codex;
mod copilot;
mod cursor;
mod gemini;
mod generic;
mod opencode;
mod qwen;
mod vscode;

use std::borrow::Cow;

use briefing_core::Moment;
use briefing_core::measure::Unit;
use briefing_core::sources::instructions::{Loaded, Loading};

use crate::agent::{Agent, Event, Fields, Handler, Keeps, Mcp, Recipe, Registration, Shape, TimeoutUnit, Trust};

/// All agents, in the order in which they are listed to users.
pub const AGENTS: &[Agent] =
    &[claude::ROW, codex::ROW, gemini::ROW, qwen::ROW, copilot::ROW, opencode::ROW, cursor::ROW, vscode::ROW, generic::ROW];

/// The default agent. The commands of specs 2 and 4 are written for it.
pub const USUAL: &Agent = &AGENTS[0];

/// The event of [`USUAL`] that the command of spec 2 answers, sent before a tool runs.
pub const GATE_EVENT: &str = "PreToolUse";

/// Returns the row of the agent with this name.
pub fn find(name: &str) -> Option<&'static Agent> {
    AGENTS.iter().find(|agent| agent.name == name)
}

const fn event(name: &'static str, moment: Moment, lanes: u8) -> Event {
    Event { name, moment, carries: true, lanes }
}

/// An event at which context does not reach the model.
const fn mute(name: &'static str, moment: Moment, lanes: u8) -> Event {
    Event { name, moment, carries: false, lanes }
}

/// The field names that most agents use.
const FIELDS: Fields = Fields {
    session: "session_id",
    cwd: "cwd",
    cwd_is_list: false,
    message: "prompt",
    source: "source",
    transcript: "transcript_path",
    sub_agent: "agent_id",
    turn: "prompt_id",
    tool_use: "tool_use_id",
    kept: "",
    tool_input: "tool_input",
};

/// The defaults of a row.
const BASE: Agent = Agent {
    name: "",
    title: "",
    measured: "",
    events: &[],
    fields: FIELDS,
    shape: Shape::Nested { has_message: true },
    cap: 40_000,
    cautious_cap: 40_000,
    unit: Unit::Characters,
    keeps: Keeps::History,
    keeps_id_at_clear: false,
    sub_agent_is_session: false,
    gate_at_message: false,
    timeout: TimeoutUnit::Seconds,
    foreign: &[],
    process_variable: "",
    proof: "",
    recipe: Recipe::Groups,
    handler: Handler::Plain,
    program: "",
    home: "",
    home_variable: "",
    home_below: "",
    user_file: "settings.json",
    project_file: "",
    sub_agents: "not distinguished",
    forks: "treated as a new session",
    older: None,
    switch: None,
    plugins: None,
    trust: Trust::None,
    approval: "",
    status_bar: "",
    transcript: None,
    prompting: None,
    status_line: "",
    mcp: None,
    loads: Loading::UNKNOWN,
    naming: &[],
};

/// A file that an agent loads by itself from the project's root down to the current directory.
const fn loads(name: &'static str) -> Loaded {
    Loaded { name: Cow::Borrowed(name), unless: Cow::Borrowed(""), is_nested: false }
}

/// A file that it also loads from deeper directories, when it reads a file there.
const fn loads_nested(name: &'static str) -> Loaded {
    Loaded { name: Cow::Borrowed(name), unless: Cow::Borrowed(""), is_nested: true }
}

/// A file that it does not load, in whatever directory, where the other one is in the project's root.
const fn loads_unless(name: &'static str, unless: &'static str) -> Loaded {
    Loaded { name: Cow::Borrowed(name), unless: Cow::Borrowed(unless), is_nested: true }
}

/// What is measured or documented of most agents.
const LOADS: Loading = Loading { is_known: true, ..Loading::UNKNOWN };

/// What most clients of the MCP server have in common.
const MCP: Mcp = Mcp {
    client: "",
    // As far as anybody knows.
    cap: 38_000,
    directory_variable: "",
    session_variable: "",
    registration: Registration::Json { key: "mcpServers", also: "{}" },
    user_file: "",
    is_in_home: false,
    project_file: "",
    without_program: "",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_events_that_an_old_client_supports_are_registered() {
        let claude = find("claude").unwrap();
        for (version, expected) in [(None, true), (Some([2, 1, 118]), true), (Some([3, 0, 0]), true), (Some([2, 1, 117]), false)] {
            let row = claude.as_of(version);
            assert_eq!(row.event("PostToolBatch").is_some_and(|event| event.lanes > 0), expected, "{version:?}");
            assert!(row.events.iter().any(|event| event.moment == Moment::Tool && event.lanes > 0), "{version:?}");
        }
    }

    #[test]
    fn the_hook_answers_every_event_that_an_older_row_registers() {
        for agent in AGENTS {
            for event in agent.older.iter().flat_map(|older| older.events) {
                assert!(agent.event(event.name).is_some(), "{} {}", agent.name, event.name);
            }
        }
        assert!(USUAL.event(GATE_EVENT).is_some_and(|event| event.moment == Moment::Tool));
    }
}
