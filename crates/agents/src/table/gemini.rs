//! Gemini CLI.

use briefing_core::Moment;
use briefing_core::sources::instructions::Loading;

use super::{BASE, LOADS, MCP, event, loads_nested, mute};
use crate::agent::{Agent, Effect, Handler, Kept, Layout, Mcp, Naming, PROMPT, Plugins, Prompting, Switch, TimeoutUnit, Trust};
use crate::transcripts::format::{Entered, Fill, Load, Place, Rewrite, Shown, Storage, Talk, Transcript};

pub(super) const ROW: Agent = Agent {
    name: "gemini",
    title: "Gemini CLI",
    measured: "0.61.0",
    events: &[
        event("BeforeAgent", Moment::Message, 1),
        // On resume, the client drops messages that begin with context from the session's start; without a terminal,
        // it drops the user's first prompt too. After `clear`, it always drops that context.
        mute("SessionStart", Moment::Session, 0),
        mute("PreCompress", Moment::ManualReset, 1),
        mute("BeforeTool", Moment::Tool, 0),
        // The client cuts it together with the tool's output, so context may get lost.
        mute("AfterTool", Moment::Tool, 0),
        mute("AfterAgent", Moment::Nothing, 0),
        mute("SessionEnd", Moment::Nothing, 0),
    ],
    gate_at_message: true,
    timeout: TimeoutUnit::Milliseconds,
    handler: Handler::Named,
    program: "gemini",
    home: ".gemini",
    home_variable: "GEMINI_CLI_HOME",
    home_below: ".gemini",
    project_file: ".gemini/settings.json",
    switch: Some(Switch {
        project: &[".gemini/settings.json"],
        user: "settings.json",
        key: "/hooksConfig/enabled",
        off: false,
        list: Some("/hooksConfig/disabled"),
        managed: None,
    }),
    plugins: Some(Plugins { directory: "extensions", kept: Kept::ByName, enabled: "", layout: LAYOUT }),
    trust: Trust::GeminiFolders,
    prompting: Some(Prompting { talking: &["-i", PROMPT], piped: &[] }),
    transcript: Some(&TRANSCRIPT),
    mcp: Some(Mcp {
        client: "gemini-cli-mcp-client",
        user_file: "settings.json",
        project_file: ".gemini/settings.json",
        without_program: "sees one line at the start that points to `/mcp list`",
        ..MCP
    }),
    loads: Loading { files: &[loads_nested("GEMINI.md")], user: &["GEMINI.md"], has_imports: true, ..LOADS },
    naming: &[Naming { project: &[".gemini/settings.json"], user: "settings.json", key: "/context/fileName", effect: Effect::Replaces }],
    ..BASE
};

const LAYOUT: Layout = Layout {
    manifest: "gemini-extension.json",
    also: "{}",
    servers: "",
    windows: "",
    market: None,
    install: &["gemini extensions install DIR/gemini"],
    needs: "Its hooks are commands for a POSIX shell: on Windows, use `brief install gemini` instead.",
};

const TRANSCRIPT: Transcript = Transcript {
    place: Place::Named,
    sub_agents: None,
    storage: Storage::Lines,
    recorded: &[Moment::Message],
    shown: &[Shown { name: "user record", is: &[("type", "user")], texts: &["content", "content.*.text"], is_context: true }],
    inputs: &[&[("type", "user")]],
    answers: &[&[("type", "gemini")]],
    is_escaped: true,
    // After `/compress`, when it is full, and when a turn is cancelled.
    rewrite: Some(Rewrite { mark: r#"{"$set":{"messages":"#, keeps: None }),
    rewind: None,
    talk: Talk {
        texts: &["content"],
        calls: &["toolCalls.*.args"],
        loaded: &[
            Entered { kind: Load::Message, is: &[("type", "user")], texts: &["content", "content.*.text"] },
            Entered { kind: Load::Tool, is: &[("type", "gemini")], texts: &["toolCalls.*.result"] },
        ],
        fill: Some(Fill { is: &[("type", "gemini")], used: &["tokens.input"], size: "" }),
    },
};
