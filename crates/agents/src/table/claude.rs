//! Claude Code.

use briefing_core::Moment;
use briefing_core::measure::Unit;

use super::{BASE, event, mute};
use crate::agent::{Agent, Managed, Older, PROMPT, Plugins, Prompting, Switch};

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
    plugins: Some(Plugins { directory: "plugins/cache", has_marketplaces: true, enabled: "/enabledPlugins" }),
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
    ..BASE
};
