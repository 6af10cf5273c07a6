//! Cursor.

use briefing_core::Moment;
use briefing_core::sources::instructions::Loading;

use super::{BASE, LOADS, MCP, event, loads_nested, mute};
use crate::agent::{Agent, Fields, Mcp, Recipe, Shape};

pub(super) const ROW: Agent = Agent {
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
        cwd_is_list: true,
        message: "prompt",
        source: "",
        transcript: "",
        sub_agent: "",
        turn: "generation_id",
        tool_use: "tool_use_id",
        kept: "",
        tool_input: "tool_input",
    },
    shape: Shape::FlatSnake,
    cap: 9_500,
    cautious_cap: 9_500,
    recipe: Recipe::FlatEntries,
    program: "cursor",
    home: ".cursor",
    user_file: "hooks.json",
    project_file: ".cursor/hooks.json",
    mcp: Some(Mcp {
        client: "cursor",
        // Servers of the user's file start in the home directory.
        directory_variable: "WORKSPACE_FOLDER_PATHS",
        user_file: "mcp.json",
        project_file: ".cursor/mcp.json",
        without_program: "sees a failed server in the settings",
        ..MCP
    }),
    // As documented; not measured.
    loads: Loading { files: &[loads_nested("AGENTS.md")], rules: &[".cursor/rules"], ..LOADS },
    ..BASE
};
