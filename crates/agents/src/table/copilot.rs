//! GitHub Copilot CLI.

use briefing_core::Moment;
use briefing_core::sources::instructions::Loading;

use super::{BASE, LOADS, MCP, event, loads, loads_nested, mute};
use crate::agent::{Agent, Fields, Keeps, Kept, Layout, Market, Mcp, Plugins, Recipe, Registration, Shape, Switch, Trust};
use crate::transcripts::format::{Entered, Fill, Load, Place, Shown, Storage, Talk, Transcript};

pub(super) const ROW: Agent = Agent {
    name: "copilot",
    title: "GitHub Copilot CLI",
    measured: "1.0.102",
    events: &[
        event("sessionStart", Moment::Session, 1),
        event("userPromptSubmitted", Moment::Message, 1),
        event("preToolUse", Moment::Tool, 1),
        event("subagentStart", Moment::SubAgent, 1),
        mute("preCompact", Moment::Reset, 1),
        // The client cuts it at about 10 KB, together with the tool's result.
        mute("postToolUse", Moment::Tool, 0),
        mute("agentStop", Moment::Nothing, 0),
        mute("sessionEnd", Moment::Nothing, 0),
    ],
    fields: Fields {
        session: "sessionId",
        cwd: "cwd",
        cwd_is_list: false,
        message: "prompt",
        source: "source",
        transcript: "",
        sub_agent: "agentId",
        turn: "",
        tool_use: "",
        kept: "",
        tool_input: "toolArgs",
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
    sub_agents: "identified by `agentId`, which is also their session (measured)",
    // Named in the client's list of settings; not measured.
    switch: Some(Switch { project: &[], user: "settings.json", key: "/disableAllHooks", off: true, list: None, managed: None }),
    plugins: Some(Plugins {
        directory: "installed-plugins",
        kept: Kept::InPlace { marketplaces: "/extraKnownMarketplaces" },
        enabled: "/enabledPlugins",
        layout: LAYOUT,
    }),
    trust: Trust::CopilotFolders,
    transcript: Some(&TRANSCRIPT),
    mcp: Some(Mcp {
        client: "copilot",
        // Of 20 KB and more it passes on the name of a file and the beginning.
        cap: 19_000,
        session_variable: "COPILOT_AGENT_SESSION_ID",
        registration: Registration::Json { key: "mcpServers", also: r#"{"type":"local","tools":["*"]}"# },
        user_file: "mcp-config.json",
        project_file: ".github/mcp.json",
        without_program: "sees a failed server in `/mcp`",
        ..MCP
    }),
    loads: Loading {
        files: &[loads_nested("AGENTS.md"), loads("CLAUDE.md"), loads("GEMINI.md"), loads(".github/copilot-instructions.md")],
        rules: &[".github/instructions"],
        ..LOADS
    },
    ..BASE
};

/// It takes the plugin of Claude Code too, but ignored what hooks of that form printed from its settings. Its own manifest and its
/// own list come first.
const LAYOUT: Layout = Layout {
    manifest: ".github/plugin/plugin.json",
    also: r#"{"author":{"name":"Briefing maintainers"},"license":"MIT OR Apache-2.0","hooks":"hooks/hooks.json","mcpServers":".mcp.json","skills":"skills/"}"#,
    servers: ".mcp.json",
    windows: "",
    market: Some(Market {
        file: ".github/plugin/marketplace.json",
        also: r#"{"owner":{"name":"Briefing maintainers"}}"#,
        entry: "{}",
        has_kinds: false,
    }),
    install: &["copilot plugin marketplace add DIR", "copilot plugin install brief@briefing"],
    needs: "Name DIR with its whole path: Copilot takes a relative one for a repository on GitHub.",
};

/// Of other events than messages, only what our hook printed is recorded, which proves nothing.
const TRANSCRIPT: Transcript = Transcript {
    place: Place::PerSession { directory: "session-state", file: "events.jsonl" },
    sub_agents: None,
    storage: Storage::Lines,
    recorded: &[Moment::Message],
    shown: &[Shown { name: "user.message", is: &[("type", "user.message")], texts: &["data.transformedContent"], is_context: true }],
    inputs: &[&[("type", "user.message")], &[("type", "tool.execution_complete")]],
    answers: &[&[("type", "assistant.message")]],
    is_escaped: false,
    rewrite: None,
    rewind: None,
    talk: Talk {
        texts: &["data.content"],
        calls: &["data.toolRequests.*.arguments"],
        loaded: &[
            Entered { kind: Load::Message, is: &[("type", "user.message")], texts: &["data.content"] },
            Entered { kind: Load::Tool, is: &[("type", "tool.execution_complete")], texts: &["data.result.content"] },
            Entered { kind: Load::Instructions, is: &[("type", "system.message")], texts: &["data.content"] },
        ],
        fill: Some(Fill { is: &[("type", "session.usage_record")], used: &["data.usage.inputTokens"], size: "data.usage.maxPromptTokens" }),
    },
};
