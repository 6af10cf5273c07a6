//! OpenCode. Our plugin calls `brief`.

use briefing_core::Moment;
use briefing_core::sources::instructions::Loading;

use super::{BASE, LOADS, MCP, event, loads_nested, loads_unless, mute};
use crate::agent::{Agent, Effect, Fields, Mcp, Naming, Recipe, Registration, Shape, TimeoutUnit};
use crate::transcripts::format::{Entered, Fill, Load, Place, Shown, Storage, Talk, Transcript};

pub(super) const ROW: Agent = Agent {
    name: "opencode",
    title: "OpenCode",
    measured: "1.18.33",
    events: &[event("chat.message", Moment::Message, 1), mute("session.compacted", Moment::Reset, 1)],
    // Our plugin defines these names.
    fields: Fields {
        session: "session",
        cwd: "cwd",
        cwd_is_list: false,
        message: "message",
        source: "",
        transcript: "",
        sub_agent: "",
        turn: "",
        tool_use: "",
        kept: "",
        tool_input: "",
    },
    shape: Shape::Plain,
    gate_at_message: true,
    timeout: TimeoutUnit::None,
    recipe: Recipe::Plugin(include_str!("opencode.js")),
    program: "opencode",
    home: ".config/opencode",
    home_variable: "OPENCODE_CONFIG_DIR",
    user_file: "plugins/brief.js",
    project_file: ".opencode/plugins/brief.js",
    transcript: Some(&TRANSCRIPT),
    mcp: Some(Mcp {
        client: "opencode",
        registration: Registration::Local { key: "mcp" },
        user_file: "opencode.json",
        project_file: "opencode.json",
        without_program: "sees a failed server in the list of servers",
        ..MCP
    }),
    // It loads the second one only where the first one is missing.
    loads: Loading { files: &[loads_nested("AGENTS.md"), loads_unless("CLAUDE.md", "AGENTS.md")], user: &["AGENTS.md"], ..LOADS },
    naming: &[Naming { project: &["opencode.json"], user: "opencode.json", key: "/instructions", effect: Effect::Adds }],
    ..BASE
};

const TRANSCRIPT: Transcript = Transcript {
    place: Place::One { variable: "XDG_DATA_HOME", directory: ".local/share", file: "opencode/opencode.db" },
    sub_agents: None,
    storage: Storage::Database {
        sessions: "SELECT id FROM session",
        records: "SELECT part.rowid, part.time_created, message.data, part.data FROM part JOIN message ON message.id = message_id
            WHERE part.session_id = ?1 AND part.rowid > ?2 AND octet_length(part.data) < 16000000 ORDER BY part.rowid",
        // The end of the conversation is left as it is, from a message on that the compaction names.
        left: "WITH last AS (SELECT rowid AS place, json_extract(data, '$.tail_start_id') AS first FROM part
            WHERE session_id = ?1 AND data LIKE '%\"type\":\"compaction\"%' AND json_extract(data, '$.type') = 'compaction'
            ORDER BY rowid DESC LIMIT 1)
            SELECT data FROM part, last WHERE session_id = ?1 AND (part.rowid >= last.place OR message_id >= last.first)
            AND octet_length(data) < 16000000",
    },
    recorded: &[Moment::Message],
    shown: &[Shown { name: "part", is: &[("message.role", "user"), ("part.type", "text")], texts: &["part.text"], is_context: true }],
    inputs: &[&[("message.role", "user")]],
    answers: &[&[("message.role", "assistant")]],
    is_escaped: false,
    rewrite: None,
    rewind: None,
    talk: Talk {
        texts: &["part.text"],
        calls: &["part.state.input"],
        loaded: &[
            Entered { kind: Load::Message, is: &[("message.role", "user"), ("part.type", "text")], texts: &["part.text"] },
            Entered { kind: Load::Tool, is: &[("message.role", "assistant"), ("part.type", "tool")], texts: &["part.state.output"] },
        ],
        fill: Some(Fill {
            is: &[("message.role", "assistant"), ("part.type", "step-finish")],
            used: &["part.tokens.input", "part.tokens.cache.read", "part.tokens.cache.write"],
            size: "",
        }),
    },
};
