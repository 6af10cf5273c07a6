//! The agents, one row each. `docs/agents.md` says where every fact comes from.

use crate::agent::{Agent, Event, Fields, Keeps, Recipe, Shape, TimeoutUnit};
use briefing_core::Moment;
use briefing_core::measure::Unit;

const fn event(name: &'static str, moment: Moment, lanes: u8) -> Event {
    Event { name, moment, carries: true, lanes }
}

/// An event at which context does not reach the model.
const fn mute(name: &'static str, moment: Moment, lanes: u8) -> Event {
    Event { name, moment, carries: false, lanes }
}

const CLAUDE_FIELDS: Fields = Fields {
    session: "session_id",
    cwd: "cwd",
    message: "prompt",
    source: "source",
    transcript: "transcript_path",
    sub_agent: "agent_id",
    turn: "prompt_id",
    tool_use: "tool_use_id",
};

/// What all rows share unless they say otherwise.
const BASE: Agent = Agent {
    name: "",
    title: "",
    measured: "",
    events: &[],
    fields: CLAUDE_FIELDS,
    shape: Shape::Nested,
    cap: 40_000,
    cautious_cap: 40_000,
    unit: Unit::Characters,
    keeps: Keeps::History,
    transcript_is_window: false,
    keeps_id_at_clear: false,
    sub_agent_is_session: false,
    gate_at_message: false,
    timeout: TimeoutUnit::Seconds,
    foreign: &[],
    process_variable: "",
    proof: "",
    recipe: Recipe::Groups,
    program: "",
    home: "",
    home_variable: "",
    user_file: "settings.json",
    project_file: "",
    sub_agents: "not told apart",
    forks: "counts as new",
};

const CLAUDE: Agent = Agent {
    name: "claude",
    title: "Claude Code",
    measured: "2.1.325",
    events: &[
        event("SessionStart", Moment::Session, 4),
        event("UserPromptSubmit", Moment::Message, 4),
        event("PostToolBatch", Moment::Tool, 4),
        event("SubagentStart", Moment::SubAgent, 4),
        event("PreToolUse", Moment::Tool, 0),
        event("PostToolUse", Moment::Tool, 0),
        // Context at Stop makes Claude go on with the turn.
        mute("Stop", Moment::Nothing, 0),
        mute("SubagentStop", Moment::Nothing, 0),
        mute("PreCompact", Moment::Nothing, 0),
        mute("PostCompact", Moment::Nothing, 0),
        mute("SessionEnd", Moment::Nothing, 0),
    ],
    cap: 9_500,
    cautious_cap: 9_500,
    unit: Unit::Utf16,
    foreign: &["COPILOT_CLI", "CURSOR_VERSION"],
    process_variable: "CLAUDE_PID",
    proof: "CLAUDE_CODE_SESSION_ID",
    program: "claude",
    home: ".claude",
    home_variable: "CLAUDE_CONFIG_DIR",
    project_file: ".claude/settings.json",
    sub_agents: "told apart by `agent_id` (measured)",
    forks: "only what changed: `/branch` names its origin in the transcript, `--fork-session` on the command line (measured)",
    ..BASE
};

/// The first version of Claude Code that knows `PostToolBatch`; before 2.1.101 an unknown event makes it refuse the
/// whole file.
const POST_TOOL_BATCH: Version = [2, 1, 118];

/// How we are installed for a Claude Code without it. The hook itself answers every event of either row.
static OLD_CLAUDE: Agent = Agent {
    events: &[
        event("SessionStart", Moment::Session, 4),
        event("UserPromptSubmit", Moment::Message, 4),
        event("PreToolUse", Moment::Tool, 1),
        event("SubagentStart", Moment::SubAgent, 4),
    ],
    ..CLAUDE
};

/// All agents, in the order in which they are listed to people.
pub const AGENTS: &[Agent] = &[
    CLAUDE,
    Agent {
        name: "codex",
        title: "Codex CLI",
        measured: "0.166.0",
        events: &[
            event("SessionStart", Moment::Session, 1),
            event("UserPromptSubmit", Moment::Message, 1),
            event("PreToolUse", Moment::Tool, 1),
            event("SubagentStart", Moment::SubAgent, 1),
            event("PostToolUse", Moment::Tool, 0),
            mute("Stop", Moment::Nothing, 0),
            mute("SubagentStop", Moment::Nothing, 0),
            mute("PreCompact", Moment::Nothing, 0),
            mute("PostCompact", Moment::Nothing, 0),
            mute("SessionEnd", Moment::Nothing, 0),
        ],
        fields: Fields { turn: "turn_id", ..CLAUDE_FIELDS },
        cautious_cap: 9_500,
        unit: Unit::Bytes,
        program: "codex",
        home: ".codex",
        home_variable: "CODEX_HOME",
        user_file: "hooks.json",
        project_file: ".codex/hooks.json",
        sub_agents: "told apart by `agent_id` (measured)",
        forks: "only what changed: its transcript names its origin (measured)",
        ..BASE
    },
    Agent {
        name: "gemini",
        title: "Gemini CLI",
        measured: "0.61.0",
        events: &[
            event("BeforeAgent", Moment::Message, 1),
            // On resume the client leaves out messages that begin with context of the session's start, without a
            // terminal the user's first prompt with it. After `clear` it drops that context anyway.
            mute("SessionStart", Moment::Session, 0),
            mute("PreCompress", Moment::ManualReset, 1),
            mute("BeforeTool", Moment::Tool, 0),
            // It shares the cut of the tool's output, so it cannot be relied upon.
            mute("AfterTool", Moment::Tool, 0),
            mute("AfterAgent", Moment::Nothing, 0),
            mute("SessionEnd", Moment::Nothing, 0),
        ],
        gate_at_message: true,
        transcript_is_window: true,
        timeout: TimeoutUnit::Milliseconds,
        program: "gemini",
        home: ".gemini",
        project_file: ".gemini/settings.json",
        ..BASE
    },
    Agent {
        name: "qwen",
        title: "Qwen Code",
        measured: "0.24.4",
        events: &[
            event("SessionStart", Moment::Session, 1),
            event("UserPromptSubmit", Moment::Message, 1),
            mute("PreCompact", Moment::ManualReset, 1),
            mute("PreToolUse", Moment::Tool, 0),
            mute("PostToolUse", Moment::Tool, 0),
            mute("Stop", Moment::Nothing, 0),
            mute("SessionEnd", Moment::Nothing, 0),
        ],
        keeps: Keeps::Messages,
        gate_at_message: true,
        timeout: TimeoutUnit::Milliseconds,
        program: "qwen",
        home: ".qwen",
        project_file: ".qwen/settings.json",
        ..BASE
    },
    Agent {
        name: "copilot",
        title: "GitHub Copilot CLI",
        measured: "1.0.102",
        events: &[
            event("sessionStart", Moment::Session, 1),
            event("userPromptSubmitted", Moment::Message, 1),
            event("preToolUse", Moment::Tool, 1),
            event("subagentStart", Moment::SubAgent, 1),
            mute("preCompact", Moment::Reset, 1),
            // Cut with the tool's result at about 10 KB.
            mute("postToolUse", Moment::Tool, 0),
            mute("agentStop", Moment::Nothing, 0),
            mute("sessionEnd", Moment::Nothing, 0),
        ],
        fields: Fields {
            session: "sessionId",
            cwd: "cwd",
            message: "prompt",
            source: "source",
            transcript: "",
            sub_agent: "agentId",
            turn: "",
            tool_use: "",
        },
        shape: Shape::Flat,
        keeps: Keeps::Messages,
        sub_agent_is_session: true,
        recipe: Recipe::OwnFile,
        program: "copilot",
        home: ".copilot",
        home_variable: "COPILOT_HOME",
        user_file: "hooks/brief.json",
        project_file: ".github/hooks/brief.json",
        sub_agents: "told apart by `agentId`, which is also their session (measured)",
        ..BASE
    },
    Agent {
        name: "opencode",
        title: "OpenCode",
        measured: "1.18.33",
        events: &[event("chat.message", Moment::Message, 1), mute("session.compacted", Moment::Reset, 1)],
        // The plugin is ours, and so are these names.
        fields: Fields {
            session: "session",
            cwd: "cwd",
            message: "message",
            source: "",
            transcript: "",
            sub_agent: "",
            turn: "",
            tool_use: "",
        },
        shape: Shape::Plain,
        gate_at_message: true,
        timeout: TimeoutUnit::None,
        recipe: Recipe::Plugin,
        program: "opencode",
        home: ".config/opencode",
        user_file: "plugins/brief.js",
        project_file: ".opencode/plugins/brief.js",
        ..BASE
    },
    Agent {
        name: "cursor",
        title: "Cursor",
        events: &[
            event("sessionStart", Moment::Session, 1),
            event("postToolUse", Moment::Tool, 1),
            mute("beforeSubmitPrompt", Moment::Message, 1),
            mute("preCompact", Moment::Reset, 1),
            mute("preToolUse", Moment::Tool, 0),
            mute("stop", Moment::Nothing, 0),
            mute("sessionEnd", Moment::Nothing, 0),
        ],
        fields: Fields {
            session: "conversation_id",
            cwd: "workspace_roots",
            message: "prompt",
            source: "",
            transcript: "",
            sub_agent: "",
            turn: "generation_id",
            tool_use: "tool_use_id",
        },
        shape: Shape::FlatSnake,
        cap: 9_500,
        cautious_cap: 9_500,
        recipe: Recipe::FlatEntries,
        program: "cursor",
        home: ".cursor",
        user_file: "hooks.json",
        project_file: ".cursor/hooks.json",
        ..BASE
    },
    Agent {
        name: "generic",
        title: "any other program",
        events: &[
            event("session-start", Moment::Session, 0),
            event("message", Moment::Message, 0),
            event("tool", Moment::Tool, 0),
            event("sub-agent-start", Moment::SubAgent, 0),
            mute("compact", Moment::Reset, 0),
            mute("session-end", Moment::Nothing, 0),
        ],
        fields: Fields {
            session: "session",
            cwd: "cwd",
            message: "message",
            source: "source",
            transcript: "",
            sub_agent: "agent",
            turn: "turn",
            tool_use: "tool_use",
        },
        shape: Shape::Plain,
        keeps_id_at_clear: true,
        timeout: TimeoutUnit::None,
        recipe: Recipe::None,
        user_file: "",
        sub_agents: "told apart by `agent`, where the caller says so",
        ..BASE
    },
];

/// Returns the row of an agent.
pub fn find(name: &str) -> Option<&'static Agent> {
    AGENTS.iter().find(|agent| agent.name == name)
}

/// The numbers of a program's version.
pub type Version = [u32; 3];

/// Returns the row to install by, for a version of the agent. An unknown one counts as the newest.
pub fn as_of(agent: &'static Agent, version: Option<Version>) -> &'static Agent {
    let is_old = agent.name == CLAUDE.name && version.is_some_and(|version| version < POST_TOOL_BATCH);
    if is_old { &OLD_CLAUDE } else { agent }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_client_is_given_only_events_that_it_knows() {
        let claude = find("claude").unwrap();
        for (version, expected) in [(None, true), (Some([2, 1, 118]), true), (Some([3, 0, 0]), true), (Some([2, 1, 117]), false)] {
            let row = as_of(claude, version);
            assert_eq!(row.event("PostToolBatch").is_some_and(|event| event.lanes > 0), expected, "{version:?}");
            assert!(row.events.iter().any(|event| event.moment == Moment::Tool && event.lanes > 0), "{version:?}");
        }
        let events = OLD_CLAUDE.events.iter().map(|event| event.name);
        assert!(events.into_iter().all(|name| claude.event(name).is_some()), "the hook answers each of them");
    }
}
