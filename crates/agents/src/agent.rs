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
    /// A plugin file of our own.
    Plugin,
    /// Nothing to install: somebody calls us by hand.
    None,
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
}

impl Agent {
    pub fn event(&self, name: &str) -> Option<&'static Event> {
        self.events.iter().find(|event| event.name == name)
    }

    /// Returns how many outputs one event has.
    pub fn lanes(&self) -> u8 {
        self.events.iter().map(|event| event.lanes).max().unwrap_or(1).max(1)
    }
}
