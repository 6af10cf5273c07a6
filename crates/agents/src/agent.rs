//! The type of a table row: every property that differs between agents.

use briefing_core::Moment;
use briefing_core::measure::Unit;
use briefing_core::sources::instructions::{Loaded, Loading};

use crate::transcripts::format::Transcript;

/// A hook event of an agent.
#[derive(Debug, Clone, Copy)]
pub struct Event {
    pub name: &'static str,
    pub moment: Moment,
    /// Whether context printed at this event reaches the model.
    pub carries: bool,
    /// The number of handlers that the installer registers.
    pub lanes: u8,
}

/// Which part of our context is still in the window when a session is resumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeps {
    /// All of it: context becomes part of the conversation.
    History,
    /// Only what came with a message. The rest must be delivered again (`keeps: system` in the design).
    Messages,
}

/// The JSON object that carries context on stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// `{"hookSpecificOutput":{"hookEventName":…,"additionalContext":…}}`, and `systemMessage` where the agent shows the user
    /// such a line.
    Nested { has_message: bool },
    /// `{"additionalContext":…}`
    Flat,
    /// `{"additional_context":…}`
    FlatSnake,
    /// `{"context":…}`
    Plain,
}

/// The unit of a timeout in the agent's configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeoutUnit {
    Seconds,
    Milliseconds,
    /// The agent has no such setting.
    None,
}

/// The names of the payload fields on stdin. An empty name means that the agent does not send the field.
#[derive(Debug, Clone, Copy)]
pub struct Fields {
    pub session: &'static str,
    pub cwd: &'static str,
    /// Whether `cwd` is a list, of which the first element counts.
    pub cwd_is_list: bool,
    pub message: &'static str,
    pub source: &'static str,
    /// The file with the session's history. It is read to find a fork's origin and to see what the window has lost.
    pub transcript: &'static str,
    pub sub_agent: &'static str,
    pub turn: &'static str,
    pub tool_use: &'static str,
    /// A field of the message event. Without it, the agent forgets at a resume what this event carried. Empty: there is none.
    pub kept: &'static str,
    /// What the tool was called with.
    pub tool_input: &'static str,
}

/// How hooks are registered in the agent's configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recipe {
    /// `hooks.<Event>[] = {"hooks":[{"type":"command",…}]}` in a file that other programs edit too.
    Groups,
    /// `hooks.<event>[] = {"command":…}` in a file that other programs edit too.
    FlatEntries,
    /// `hooks.<event>[] = {"type":"command","bash":…}` in a file of our own.
    OwnFile,
    /// A plugin file of our own, with `"@PROGRAM@"` as the placeholder for the path of `brief`.
    Plugin(&'static str),
    /// Nothing to install: the program calls `brief hook` itself.
    None,
}

/// What a handler's entry contains besides its command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handler {
    Plain,
    /// A name, by which the user can disable it.
    Named,
    /// A setting that lifts the agent's own size limit. The command then ends in `whole`.
    Unlimited,
}

/// How the agent registers an MCP server in its configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Registration {
    /// `<key>.brief = {…,"command":"brief","args":["mcp"]}` in JSON. `also` is a JSON object with the other fields.
    Json { key: &'static str, also: &'static str },
    /// `<key>.brief = {"type":"local","command":["brief","mcp"],"enabled":true}` in JSON.
    Local { key: &'static str },
    /// `[<key>.brief]` in TOML. The agent passes only a few variables to a server unless `variables` names more.
    Toml { key: &'static str, variables: &'static [&'static str] },
}

/// The agent as a client of the MCP server.
#[derive(Debug, Clone, Copy)]
pub struct Mcp {
    /// The beginning of the name by which it introduces itself; empty if that is not known.
    pub client: &'static str,
    /// How many characters of a result reach the model whole.
    pub cap: u64,
    /// The environment variable that names the project to a server; empty if there is none.
    pub directory_variable: &'static str,
    /// The environment variable that tells a server in which session it was started; empty if there is none.
    pub session_variable: &'static str,
    pub registration: Registration,
    /// The file for the user, relative to its configuration directory.
    pub user_file: &'static str,
    /// Whether the user's file is in the home directory instead, as long as no variable moves the configuration directory.
    pub is_in_home: bool,
    /// The file for a project, relative to it; empty if there is none.
    pub project_file: &'static str,
    /// What a colleague without `brief` sees of the project's entry.
    pub without_program: &'static str,
}

/// The numbers of a program's version.
pub type Version = [u32; 3];

/// The events to register for versions of the agent that do not support all events of the row.
#[derive(Debug, Clone, Copy)]
pub struct Older {
    /// The first version that supports them all.
    pub before: Version,
    pub events: &'static [Event],
}

/// Where the user can disable all hooks of the agent. The nearest file that sets the key decides.
#[derive(Debug, Clone, Copy)]
pub struct Switch {
    /// Files in the project, nearest first.
    pub project: &'static [&'static str],
    /// The file in the agent's home directory.
    pub user: &'static str,
    /// The key, as a JSON pointer.
    pub key: &'static str,
    /// The value that disables hooks.
    pub off: bool,
    /// The key of a list with the names of disabled handlers. Unlike `key`, it counts in every file.
    pub list: Option<&'static str>,
    pub managed: Option<Managed>,
}

/// Settings that an administrator makes for all users of a machine. They decide before those of the user.
#[derive(Debug, Clone, Copy)]
pub struct Managed {
    /// Their directory on this operating system.
    pub directory: &'static str,
    /// The environment variable that names another directory.
    pub variable: &'static str,
    pub file: &'static str,
    /// The directory, inside of the other one, with more files. The last one by name decides.
    pub parts: &'static str,
    /// The file in the agent's home with the settings that the organisation's server has sent.
    pub received: &'static str,
    /// The key, as a JSON pointer, that disables all hooks except those in managed settings.
    pub only: &'static str,
}

/// Where the agent keeps plugins, which may register hooks too, and how our own plugin is laid out.
#[derive(Debug, Clone, Copy)]
pub struct Plugins {
    /// The directory in the agent's home.
    pub directory: &'static str,
    pub kept: Kept,
    /// The key, as a JSON pointer, of the table that enables plugins in the files of [`Switch`]. Empty if all are enabled.
    pub enabled: &'static str,
    pub layout: Layout,
}

/// Where a plugin is inside of the directory of plugins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// In `NAME`.
    ByName,
    /// In `MARKETPLACE/NAME/VERSION`; it is called `NAME@MARKETPLACE`.
    ByVersion,
    /// In `MARKETPLACE/NAME`, called the same. A plugin of a local marketplace stays where it is; `marketplaces` is the key, as a
    /// JSON pointer, of the table with their paths.
    InPlace { marketplaces: &'static str },
}

/// The files of our plugin, as the agent expects them. `brief system plugins` writes them.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    pub manifest: &'static str,
    /// What the manifest says besides name, version and description, as a JSON object.
    pub also: &'static str,
    /// The file with the MCP server; empty if that is in the manifest.
    pub servers: &'static str,
    /// The field with the command for Windows in a handler; empty if there is none.
    pub windows: &'static str,
    /// The list from which the agent installs plugins. `None` if it takes the plugin's directory.
    pub market: Option<Market>,
    /// The commands with which a user installs it, with `DIR` as the directory that has all plugins.
    pub install: &'static [&'static str],
    /// What the user must know besides, in one sentence; empty if nothing.
    pub needs: &'static str,
}

/// The file that lists our plugin.
#[derive(Debug, Clone, Copy)]
pub struct Market {
    pub file: &'static str,
    /// What it says besides its name and its plugins, as a JSON object.
    pub also: &'static str,
    /// What the plugin's entry says besides its name and its source, as a JSON object.
    pub entry: &'static str,
    /// Whether the source is an object that says that it is local, and not just the path.
    pub has_kinds: bool,
}

/// What the user must approve before the agent runs an installed hook. `brief doctor` checks each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    None,
    /// The hash of every entry, and a trusted project, both in `config.toml`.
    CodexHashes,
    /// A trusted folder (`trustedFolders.json`), also for hooks in the user's settings.
    GeminiFolders,
    /// A trusted folder (`config.json`), only for hooks of a project.
    CopilotFolders,
}

/// The placeholder for the prompt among the arguments of [`Prompting`].
pub const PROMPT: &str = "{{prompt}}";

/// The arguments with which the agent's program takes a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prompting {
    /// At a terminal: the prompt starts an interactive session.
    pub talking: &'static [&'static str],
    /// Without a terminal: the prompt on standard input, the answer on standard output.
    pub piped: &'static [&'static str],
}

/// One agent.
#[derive(Debug, Clone, Copy)]
pub struct Agent {
    /// The name on the command line.
    pub name: &'static str,
    /// The product name.
    pub title: &'static str,
    /// The version with which the row was tested. Empty if the row is based on documentation only.
    pub measured: &'static str,
    pub events: &'static [Event],
    pub fields: Fields,
    pub shape: Shape,
    pub cap: u64,
    /// The cap without the setting that the installer writes.
    pub cautious_cap: u64,
    pub unit: Unit,
    pub keeps: Keeps,
    /// Whether core files come with the first message, because tool events carry no context.
    pub gate_at_message: bool,
    /// Whether a session keeps its id when it is cleared. With all other agents a new session begins.
    pub keeps_id_at_clear: bool,
    /// Whether events inside a sub-agent carry the sub-agent's id as their session, and its start event the parent's.
    pub sub_agent_is_session: bool,
    pub timeout: TimeoutUnit,
    /// Environment variables that show that another agent runs the hook that was installed for this one.
    pub foreign: &'static [&'static str],
    /// The environment variable with the agent's own process id.
    pub process_variable: &'static str,
    /// The environment variable that proves that this agent is the caller if it equals the payload's session.
    pub proof: &'static str,
    pub recipe: Recipe,
    pub handler: Handler,
    /// The program on PATH that shows that the agent is installed.
    pub program: &'static str,
    /// Its configuration directory, relative to the user's home.
    pub home: &'static str,
    /// The environment variable that overrides `home`.
    pub home_variable: &'static str,
    /// The configuration directory inside of the directory that `home_variable` names; empty if it is that directory.
    pub home_below: &'static str,
    /// The file we write, relative to its configuration directory.
    pub user_file: &'static str,
    /// The file we write with `--project`, relative to the project.
    pub project_file: &'static str,
    /// How its events identify sub-agents, for `docs/agents.md`.
    pub sub_agents: &'static str,
    /// What a fork receives and how its origin is found, for `docs/agents.md`.
    pub forks: &'static str,
    /// What to register for an older version. The installer runs `PROGRAM --version` only if this is set.
    pub older: Option<Older>,
    pub switch: Option<Switch>,
    pub plugins: Option<Plugins>,
    pub trust: Trust,
    /// What the user must do after an installation, if anything.
    pub approval: &'static str,
    /// What a user is told who may want `brief status` in its status bar. Empty if it has none.
    pub status_bar: &'static str,
    /// How it records its sessions. `None` if we cannot read that.
    pub transcript: Option<&'static Transcript>,
    /// How it takes the prompt of a goal. `None` if it cannot.
    pub prompting: Option<Prompting>,
    /// The key of its settings that has the command of its status line; empty if there is none.
    pub status_line: &'static str,
    /// How it uses an MCP server. `None` if it cannot.
    pub mcp: Option<Mcp>,
    /// The files with instructions that it loads by itself.
    pub loads: Loading,
    /// Where its own settings say that it loads others.
    pub naming: &'static [Naming],
}

/// A setting of the agent about the files that it loads. The nearest file that has the key decides.
#[derive(Debug, Clone, Copy)]
pub struct Naming {
    /// Files in the project, nearest first.
    pub project: &'static [&'static str],
    /// The file in the agent's home directory.
    pub user: &'static str,
    /// The key, as a JSON pointer.
    pub key: &'static str,
    pub effect: Effect,
}

/// What the names under a key do.
#[derive(Debug, Clone, Copy)]
pub enum Effect {
    /// They are loaded instead of those in the row.
    Replaces,
    /// They are loaded too.
    Adds,
    /// The value is one of these words; each stands for the files that are loaded.
    Selects(&'static [(&'static str, &'static [Loaded])]),
}

impl Agent {
    /// Returns whether it has events that call us. Otherwise it can only ask.
    pub fn has_hooks(&self) -> bool {
        !self.events.is_empty()
    }

    pub fn event(&self, name: &str) -> Option<&'static Event> {
        self.events.iter().find(|event| event.name == name)
    }

    /// Returns the row to use for installing into a version of the agent. An unknown version counts as the newest.
    #[must_use]
    pub fn as_of(&self, version: Option<Version>) -> Self {
        let older = self.older.filter(|older| version.is_some_and(|version| version < older.before));
        older.map_or(*self, |older| Self { events: older.events, ..*self })
    }

    /// Returns the largest number of handlers that an event has.
    pub fn lanes(&self) -> u8 {
        self.events.iter().map(|event| event.lanes).max().unwrap_or(1).max(1)
    }
}
