//! Claude Code.

use briefing_core::Moment;
use briefing_core::measure::Unit;
use briefing_core::sources::instructions::{Loaded, Loading};

use super::{BASE, LOADS, event, loads_nested, loads_unless, mute};
use crate::agent::{Agent, Effect, Kept, Layout, Managed, Market, Mcp, Naming, Older, PROMPT, Plugins, Prompting, Registration, Switch};
use crate::transcripts::format::{Entered, Fill, Load, Place, Rewind, Shown, Storage, SubAgents, Talk, Transcript};

pub(super) const ROW: Agent = Agent {
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
        // Context printed at Stop makes Claude continue the turn.
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
    sub_agents: "identified by `agent_id` (measured)",
    forks: "only what changed: `/branch` names its origin in the transcript, `--fork-session` on the command line (measured)",
    switch: Some(Switch {
        project: &[".claude/settings.local.json", ".claude/settings.json"],
        user: "settings.json",
        key: "/disableAllHooks",
        off: true,
        list: None,
        managed: Some(Managed {
            directory: if cfg!(target_os = "macos") {
                "/Library/Application Support/ClaudeCode"
            } else if cfg!(windows) {
                r"C:\Program Files\ClaudeCode"
            } else {
                "/etc/claude-code"
            },
            variable: "CLAUDE_CODE_MANAGED_SETTINGS_PATH",
            file: "managed-settings.json",
            parts: "managed-settings.d",
            received: "remote-settings.json",
            only: "/allowManagedHooksOnly",
        }),
    }),
    plugins: Some(Plugins { directory: "plugins/cache", kept: Kept::ByVersion, enabled: "/enabledPlugins", layout: LAYOUT }),
    prompting: Some(Prompting { talking: &[PROMPT], piped: &["-p"] }),
    // `PostToolBatch` exists since 2.1.118. Before 2.1.101, Claude Code rejects the whole file if it names an unknown event.
    older: Some(Older {
        before: [2, 1, 118],
        events: &[
            event("SessionStart", Moment::Session, 4),
            event("UserPromptSubmit", Moment::Message, 4),
            event("PreToolUse", Moment::Tool, 1),
            event("SubagentStart", Moment::SubAgent, 4),
        ],
    }),
    transcript: Some(&TRANSCRIPT),
    status_line: "statusLine",
    mcp: Some(Mcp {
        client: "claude-code",
        // With the tool's `maxResultSizeChars`, see `docs/mcp.md`.
        cap: 100_000,
        directory_variable: "CLAUDE_PROJECT_DIR",
        session_variable: "CLAUDE_CODE_SESSION_ID",
        registration: Registration::Json { key: "mcpServers", also: r#"{"type":"stdio"}"# },
        user_file: ".claude.json",
        is_in_home: true,
        project_file: ".mcp.json",
        without_program: "is asked once whether to use the server, which then fails to start: `/mcp` says so",
    }),
    status_bar: "Claude Code can show in its status bar what its window holds: `brief status --help` has the line for it.",
    loads: Loading {
        files: &[loads_nested(OWN), loads_nested("CLAUDE.local.md"), loads_nested(".claude/CLAUDE.md"), loads_unless("AGENTS.md", OWN)],
        rules: &[".claude/rules"],
        user: &[OWN],
        has_imports: true,
        ..LOADS
    },
    // Measured with 2.1.325; settings of the project are not read for this.
    naming: &[
        Naming { key: "/pluginConfigs/cc-plugin-agents-md/options/instructionFiles", ..MODE },
        Naming { key: "/pluginConfigs/cc-plugin-agents-md@builtin/options/instructionFiles", ..MODE },
    ],
    ..BASE
};

const OWN: &str = "CLAUDE.md";

const MODE: Naming = Naming { project: &[], user: "settings.json", key: "", effect: Effect::Selects(MODES) };

/// What each mode loads. The directory itself is always there, so that a file is not loaded "unless" it is: the user chose
/// to do without that file, which is a reason to wait for `instructions.beside`.
const MODES: &[(&str, &[Loaded])] = &[
    ("claude-md", &[loads_nested(OWN), loads_nested("CLAUDE.local.md"), loads_nested(".claude/CLAUDE.md"), loads_unless("AGENTS.md", ".")]),
    (
        "claude-md-and-agents-md",
        &[loads_nested(OWN), loads_nested("CLAUDE.local.md"), loads_nested(".claude/CLAUDE.md"), loads_nested("AGENTS.md")],
    ),
    ("managed-only", &[loads_unless(OWN, "."), loads_unless("AGENTS.md", ".")]),
];

const LAYOUT: Layout = Layout {
    manifest: ".claude-plugin/plugin.json",
    also: r#"{"author":{"name":"Briefing maintainers"},"license":"MIT OR Apache-2.0"}"#,
    servers: ".mcp.json",
    windows: "",
    market: Some(Market {
        file: ".claude-plugin/marketplace.json",
        also: r#"{"description":"Project context for AI coding agents","owner":{"name":"Briefing maintainers"}}"#,
        entry: "{}",
        has_kinds: false,
    }),
    install: &["claude plugin marketplace add DIR", "claude plugin install brief@briefing"],
    needs: "It needs Claude Code 2.1.118 or newer.",
};

/// A reminder has its own record as soon as it is part of the conversation; the message as it was sent follows with the request.
const TRANSCRIPT: Transcript = Transcript {
    place: Place::Named,
    sub_agents: Some(SubAgents { directory: "subagents", around: ("agent-", ".jsonl") }),
    storage: Storage::Lines,
    recorded: &[Moment::Session, Moment::Message, Moment::Tool, Moment::SubAgent],
    shown: &[
        // Undocumented, so it may disappear; the best proof while it is there.
        Shown {
            name: "api-request-blob",
            is: &[("type", "api-request-blob"), ("message.role", "user")],
            texts: &["message.content", "message.content.*.text", "message.content.*.content", "message.content.*.content.*.text"],
            is_context: false,
        },
        Shown {
            name: "hook_additional_context",
            is: &[("type", "attachment"), ("attachment.type", "hook_additional_context")],
            texts: &["attachment.content", "attachment.content.*"],
            is_context: true,
        },
    ],
    inputs: &[&[("type", "user")], &[("type", "api-request")]],
    answers: &[&[("type", "assistant")]],
    is_escaped: false,
    rewrite: None,
    // The message that cuts off others is recorded after its hooks, so the next message notices it.
    rewind: Some(Rewind { prompt: &[("type", "user"), ("origin.kind", "human")], id: "uuid", parent: "parentUuid" }),
    talk: Talk {
        texts: &["message.content.*.text", "message.content.*.thinking"],
        calls: &["message.content.*.input"],
        loaded: &[
            Entered { kind: Load::Message, is: &[("type", "user")], texts: &["message.content", "message.content.*.text"] },
            Entered { kind: Load::Tool, is: &[("type", "user")], texts: &["message.content.*.content"] },
            Entered {
                kind: Load::Instructions,
                is: &[("type", "attachment"), ("attachment.type", "nested_memory")],
                texts: &["attachment.content.content"],
            },
            Entered { kind: Load::Instructions, is: &[("type", "attachment"), ("renderedRole", "system")], texts: &["rendered.*.content"] },
        ],
        fill: Some(Fill {
            is: &[("type", "assistant")],
            used: &["message.usage.input_tokens", "message.usage.cache_creation_input_tokens", "message.usage.cache_read_input_tokens"],
            size: "",
        }),
    },
};
