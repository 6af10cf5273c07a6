//! Qwen Code.

use briefing_core::Moment;
use briefing_core::sources::instructions::Loading;

use super::{BASE, FIELDS, LOADS, MCP, event, loads, mute};
use crate::agent::{Agent, Effect, Fields, Handler, Keeps, Mcp, Naming, Shape, Switch, TimeoutUnit};
use crate::transcripts::format::{Entered, Fill, Load, Place, Rewrite, Shown, Storage, Talk, Transcript};

pub(super) const ROW: Agent = Agent {
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
    // Whether it shows a message was not measured.
    shape: Shape::Nested { has_message: false },
    // Missing in the event of a message that was typed while the model worked.
    fields: Fields { kept: "submitted_prompt", ..FIELDS },
    keeps: Keeps::Messages,
    gate_at_message: true,
    timeout: TimeoutUnit::Milliseconds,
    handler: Handler::Named,
    program: "qwen",
    home: ".qwen",
    home_variable: "QWEN_HOME",
    project_file: ".qwen/settings.json",
    switch: Some(Switch {
        project: &[".qwen/settings.json"],
        user: "settings.json",
        key: "/disableAllHooks",
        off: true,
        list: None,
        managed: None,
    }),
    transcript: Some(&TRANSCRIPT),
    mcp: Some(Mcp {
        client: "qwen",
        directory_variable: "QWEN_CODE_PROJECT_DIR",
        session_variable: "QWEN_CODE_SESSION_ID",
        user_file: "settings.json",
        project_file: ".qwen/settings.json",
        without_program: "sees one line at the start that the server failed",
        ..MCP
    }),
    loads: Loading { files: &[loads("AGENTS.md"), loads("QWEN.md")], user: &["QWEN.md", "AGENTS.md"], has_imports: true, ..LOADS },
    naming: &[Naming { project: &[".qwen/settings.json"], user: "settings.json", key: "/context/fileName", effect: Effect::Replaces }],
    ..BASE
};

/// The text of a session's start becomes part of the system prompt, which is not recorded.
const TRANSCRIPT: Transcript = Transcript {
    place: Place::Named,
    sub_agents: None,
    storage: Storage::Lines,
    recorded: &[Moment::Message],
    shown: &[Shown { name: "user record", is: &[("type", "user")], texts: &["message.parts.*.text"], is_context: true }],
    inputs: &[&[("type", "user")], &[("type", "tool_result")]],
    answers: &[&[("type", "assistant")]],
    is_escaped: true,
    rewrite: Some(Rewrite { mark: r#""subtype":"chat_compression""#, keeps: Some(Moment::Session) }),
    rewind: None,
    talk: Talk {
        texts: &["message.parts.*.text"],
        calls: &["message.parts.*.functionCall.args"],
        loaded: &[
            Entered { kind: Load::Message, is: &[("type", "user")], texts: &["message.parts.*.text"] },
            Entered { kind: Load::Tool, is: &[("type", "tool_result")], texts: &["message.parts.*.functionResponse.response"] },
        ],
        fill: Some(Fill { is: &[("type", "assistant")], used: &["usageMetadata.promptTokenCount"], size: "" }),
    },
};
