//! The shape of a row: everything that is peculiar to one agent.

use briefing_core::Moment;
use briefing_core::measure::Unit;

/// One event of an agent.
#[derive(Debug, Clone, Copy)]
pub struct Event {
    pub name: &'static str,
    pub moment: Moment,
    /// Whether context printed here reaches the model.
    pub carries: bool,
    /// How many handlers the installer registers; 0: none.
    pub lanes: u8,
}

/// What of our context is still in the window when a session is resumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeps {
    /// All of it is in the conversation: delivered once is there to stay.
    History,
    /// Only what came with a message; the rest must be given again (`keeps: system` in the design).
    Messages,
}

/// The object that carries context on stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// `{"hookSpecificOutput":{"hookEventName":…,"additionalContext":…}}`
    Nested,
    /// `{"additionalContext":…}`
    Flat,
    /// `{"additional_context":…}`
    FlatSnake,
    /// `{"context":…}`
    Plain,
}

/// The unit of a time-out in the agent's configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeoutUnit {
    Seconds,
    Milliseconds,
    /// The agent has no such setting.
    None,
}

/// The names of the fields on stdin. Empty: the agent does not send it.
#[derive(Debug, Clone, Copy)]
pub struct Fields {
    pub session: &'static str,
    pub cwd: &'static str,
    /// It is a list, and its first element is meant.
    pub cwd_is_list: bool,
    pub message: &'static str,
    pub source: &'static str,
    /// The file with the session's history; read to find a fork's origin, nothing else.
    pub transcript: &'static str,
    pub sub_agent: &'static str,
    pub turn: &'static str,
    pub tool_use: &'static str,
}

/// How the agent's configuration is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recipe {
    /// `hooks.<Event>[] = {"hooks":[{"type":"command",…}]}` in a file shared with others.
    Groups,
    /// `hooks.<event>[] = {"command":…}` in a file shared with others.
    FlatEntries,
    /// `hooks.<event>[] = {"type":"command","bash":…}` in a file of our own.
    OwnFile,
    /// A plugin file of our own, with `"@PROGRAM@"` where our program's path goes.
    Plugin(&'static str),
    /// Nothing to install: somebody calls us by hand.
    None,
}

/// What a handler's entry says beside its command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handler {
    Plain,
    /// It has a name, by which the user can switch it off.
    Named,
    /// The agent's own limit is switched off for it, and its command says so (`whole`).
    Unlimited,
}

/// The numbers of a program's version.
pub type Version = [u32; 3];

/// What we register instead, for versions that do not know all of the row's events.
#[derive(Debug, Clone, Copy)]
pub struct Older {
    /// The first version that knows them all.
    pub before: Version,
    pub events: &'static [Event],
}

/// Where the agent can be told to run no hook at all. The nearest file that says anything decides.
#[derive(Debug, Clone, Copy)]
pub struct Switch {
    /// Files below the project, nearest first.
    pub project: &'static [&'static str],
    /// The file below the agent's home.
    pub user: &'static str,
    /// The key, as a JSON pointer.
    pub key: &'static str,
    /// The value that switches hooks off.
    pub off: bool,
    /// The key of a list with the names of single handlers that are off, which counts in every file.
    pub list: Option<&'static str>,
}

/// What the agent asks of the user before it runs an installed hook. `brief doctor` knows how to look for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    None,
    /// The hash of every entry in `config.toml`, and a project that is trusted there.
    CodexHashes,
    /// A trusted folder, for the user's hooks too (`trustedFolders.json`).
    GeminiFolders,
    /// A trusted folder, for the hooks of a project (`config.json`).
    CopilotFolders,
}

/// Stands for the prompt among the words of [`Prompting`].
pub const PROMPT: &str = "{{prompt}}";

/// How the agent's program is given a prompt on its command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prompting {
    /// At a terminal: a session that starts with the prompt, and goes on with the person.
    pub talking: &'static [&'static str],
    /// Elsewhere: the prompt on standard input, the answer on standard output.
    pub piped: &'static [&'static str],
}

/// One agent.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Agent {
    /// The word on the command line.
    pub name: &'static str,
    /// The name people know it by.
    pub title: &'static str,
    /// The version whose behaviour the row describes; empty where it was read, not run.
    pub measured: &'static str,
    pub events: &'static [Event],
    pub fields: Fields,
    pub shape: Shape,
    pub cap: u64,
    /// The cap that holds without the setting that the installer writes.
    pub cautious_cap: u64,
    pub unit: Unit,
    pub keeps: Keeps,
    /// The core files come with the first message, because tool events carry nothing.
    pub gate_at_message: bool,
    /// Its transcript is its window, written anew when the client has shortened it, and no event tells (Gemini).
    pub transcript_is_window: bool,
    /// A session that is cleared keeps its id; with all others a new one begins.
    pub keeps_id_at_clear: bool,
    /// Events inside a sub-agent carry its own id as their session, its start the parent's.
    pub sub_agent_is_session: bool,
    pub timeout: TimeoutUnit,
    /// Variables that reveal that another agent runs our entry for this one.
    pub foreign: &'static [&'static str],
    /// A variable that holds the agent's own process id.
    pub process_variable: &'static str,
    /// A variable that proves the agent itself when it equals the payload's session.
    pub proof: &'static str,
    pub recipe: Recipe,
    pub handler: Handler,
    /// The program whose presence on PATH shows that the agent is installed.
    pub program: &'static str,
    /// Its directory below the home.
    pub home: &'static str,
    /// A variable that names that directory instead.
    pub home_variable: &'static str,
    /// The file we write, below its directory.
    pub user_file: &'static str,
    /// The file we write with `--project`, below the project.
    pub project_file: &'static str,
    /// Whether it tells sub-agents apart, and how we know.
    pub sub_agents: &'static str,
    /// What a fork is told, and how we know its origin.
    pub forks: &'static str,
    /// What is registered for an older version; asking for the version costs a process, so only where there is one.
    pub older: Option<Older>,
    pub switch: Option<Switch>,
    pub trust: Trust,
    /// What the user must do after an installation; empty: nothing.
    pub approval: &'static str,
    /// How it receives the prompt of a goal; `None`: it does not.
    pub prompting: Option<Prompting>,
}

impl Agent {
    pub fn event(&self, name: &str) -> Option<&'static Event> {
        self.events.iter().find(|event| event.name == name)
    }

    /// Returns the row to install by, for a version of the agent. An unknown one counts as the newest.
    #[must_use]
    pub fn as_of(&self, version: Option<Version>) -> Self {
        let older = self.older.filter(|older| version.is_some_and(|version| version < older.before));
        older.map_or(*self, |older| Self { events: older.events, ..*self })
    }

    /// Returns how many outputs one event has.
    pub fn lanes(&self) -> u8 {
        self.events.iter().map(|event| event.lanes).max().unwrap_or(1).max(1)
    }
}
