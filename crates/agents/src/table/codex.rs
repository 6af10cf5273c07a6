//! Codex CLI.

use briefing_core::Moment;
use briefing_core::measure::Unit;
use briefing_core::sources::instructions::Loading;

use super::{BASE, FIELDS, LOADS, MCP, event, loads, mute};
use crate::agent::{
    Agent, Effect, Fields, Handler, Kept, Layout, Market, Mcp, Naming, PROMPT, Plugins, Prompting, Registration, Switch, Trust,
};
use crate::transcripts::format::{Entered, Fill, Load, Place, Shown, Storage, Talk, Transcript};

pub(super) const ROW: Agent = Agent {
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
    fields: Fields { turn: "turn_id", ..FIELDS },
    cautious_cap: 9_500,
    unit: Unit::Bytes,
    handler: Handler::Unlimited,
    program: "codex",
    home: ".codex",
    home_variable: "CODEX_HOME",
    user_file: "hooks.json",
    project_file: ".codex/hooks.json",
    sub_agents: "identified by `agent_id` (measured)",
    forks: "only what changed: its transcript names its origin (measured)",
    switch: Some(Switch {
        project: &[".codex/config.toml"],
        user: "config.toml",
        key: "/features/hooks",
        off: false,
        list: None,
        managed: None,
    }),
    plugins: Some(Plugins { directory: "plugins/cache", kept: Kept::ByVersion, enabled: "/plugins", layout: LAYOUT }),
    trust: Trust::CodexHashes,
    approval: "Codex runs a hook only after you approve it: start `codex` and answer its question, or type /hooks.",
    // Outside a repository, Codex would ask a question, and without a terminal the user cannot answer it.
    prompting: Some(Prompting { talking: &[PROMPT], piped: &["exec", "--skip-git-repo-check", "-"] }),
    transcript: Some(&TRANSCRIPT),
    mcp: Some(Mcp {
        client: "codex-mcp-client",
        // Of about 12,000 bytes and more it passes on the beginning and the end.
        cap: 10_000,
        registration: Registration::Toml {
            key: "mcp_servers",
            // Without them, the server would use another ledger and other settings than the hooks.
            variables: &["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "CTX_DIR", "BRIEF_LOG"],
        },
        user_file: "config.toml",
        project_file: ".codex/config.toml",
        without_program: "sees a warning in the terminal that the server failed to start; `codex exec` prints nothing",
        ..MCP
    }),
    loads: Loading { files: &[loads("AGENTS.md"), loads("AGENTS.override.md")], user: &["AGENTS.md", "AGENTS.override.md"], ..LOADS },
    naming: &[Naming {
        project: &[".codex/config.toml"],
        user: "config.toml",
        key: "/project_doc_fallback_filenames",
        effect: Effect::Adds,
    }],
    ..BASE
};

const LAYOUT: Layout = Layout {
    manifest: ".codex-plugin/plugin.json",
    also: r#"{"license":"MIT OR Apache-2.0","hooks":"./hooks/hooks.json","mcpServers":"./.mcp.json","skills":"./skills/"}"#,
    servers: ".mcp.json",
    windows: "commandWindows",
    market: Some(Market {
        file: ".agents/plugins/marketplace.json",
        also: r#"{"interface":{"displayName":"Briefing"}}"#,
        entry: r#"{"policy":{"installation":"AVAILABLE","authentication":"ON_INSTALL"},"category":"Productivity"}"#,
        has_kinds: true,
    }),
    install: &["codex plugin marketplace add DIR", "codex plugin add brief@briefing"],
    needs: "Codex runs its hooks only after you approve them: start `codex` and answer its question, or type /hooks.",
};

const TRANSCRIPT: Transcript = Transcript {
    place: Place::Named,
    sub_agents: None,
    storage: Storage::Lines,
    recorded: &[Moment::Session, Moment::Message, Moment::Tool, Moment::SubAgent],
    shown: &[Shown {
        name: "developer message",
        is: &[("type", "response_item"), ("payload.role", "developer")],
        texts: &["payload.content.*.text"],
        is_context: true,
    }],
    inputs: &[
        &[("type", "response_item"), ("payload.role", "user")],
        &[("type", "response_item"), ("payload.type", "function_call_output")],
        &[("type", "response_item"), ("payload.type", "custom_tool_call_output")],
    ],
    answers: &[
        &[("type", "response_item"), ("payload.role", "assistant")],
        &[("type", "response_item"), ("payload.type", "function_call")],
        &[("type", "response_item"), ("payload.type", "custom_tool_call")],
    ],
    is_escaped: false,
    rewrite: None,
    rewind: None,
    talk: Talk {
        texts: &["payload.content.*.text"],
        calls: &["payload.arguments", "payload.input"],
        loaded: &[
            Entered { kind: Load::Message, is: &[("type", "response_item"), ("payload.role", "user")], texts: &["payload.content.*.text"] },
            Entered {
                kind: Load::Tool,
                is: &[("type", "response_item"), ("payload.type", "function_call_output")],
                texts: &["payload.output"],
            },
            Entered {
                kind: Load::Tool,
                is: &[("type", "response_item"), ("payload.type", "custom_tool_call_output")],
                texts: &["payload.output"],
            },
        ],
        fill: Some(Fill {
            is: &[("type", "event_msg"), ("payload.type", "token_count")],
            used: &["payload.info.last_token_usage.input_tokens"],
            size: "payload.info.model_context_window",
        }),
    },
};
