//! Views of the ledger for users and programs: sessions, deliveries, the log.

use std::fmt;

use briefing_core::{Moment, Note, Reason, Source};
use serde::Serialize;

use crate::error::StoreError;
use crate::key::SessionKey;
use crate::outcome::Outcome;
use crate::receipt::{ReceiptRow, Verdict};

/// The state of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Waits for an event that can carry it.
    Queued,
    /// A process is printing it.
    Pending,
    Delivered,
    /// Was delivered, but the window no longer has it: due again.
    Lost,
}

/// The name of a session for people: its agent, where it works, and how its first message begins.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SessionName {
    pub agent: String,
    /// The short form of its key, see [`SessionKey::short`]. Empty if an event has no session.
    pub session: String,
    /// The directory in which it began.
    pub directory: String,
    /// The first words of its first message, without secrets. Empty until there is one.
    pub title: String,
}

/// A line of the log: one event, whatever its number of lanes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EventRow {
    /// The number of the line in the ledger. 0: the event did not reach the ledger.
    pub id: i64,
    /// Milliseconds since 1970.
    pub at: i64,
    #[serde(flatten)]
    pub name: SessionName,
    pub event: String,
    /// `None`: a command, or an event that this version does not know.
    pub moment: Option<Moment>,
    pub epoch: i64,
    /// How long the slowest of its processes took, in microseconds.
    pub micros: u64,
    #[serde(flatten)]
    pub outcome: Outcome,
    /// In the agent's unit.
    pub size: u64,
    /// How many texts were printed, each by a lane.
    pub outputs: u32,
    /// The sources of what was delivered.
    pub sources: Vec<Source>,
    pub queued: u32,
    pub notes: Vec<Note>,
    /// The user's words, without secrets, shortened to 4 KB.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// The version of the documents that were searched.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub documents: String,
    /// The hash of the settings.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub settings: String,
}

/// A delivery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeliveryRow {
    pub session: String,
    pub epoch: i64,
    /// The number of the event that carried it, see [`EventRow::id`]. 0: none has, or it is no longer in the log.
    pub carrier: i64,
    /// The place of the output that it is in, among all outputs of its session. Within an output, deliveries are in the
    /// order of their rows.
    pub slot: i64,
    /// What brought it; the list of what was left out has no source.
    pub source: Option<Source>,
    pub path: String,
    /// The path of its file; differs from `path` for a section. Empty for text about several files.
    pub file: String,
    pub piece: String,
    pub reason: Reason,
    /// The moment that carried it; while it waits, the one at which it was planned. `None`: one that this version does
    /// not know.
    pub moment: Option<Moment>,
    /// The agent's event that carried it; while it waits, the one that planned it. Empty where an earlier version
    /// delivered it.
    pub event: String,
    pub part: u32,
    pub parts: u32,
    pub tokens: u64,
    /// The hash of the whole piece's content.
    pub hash: String,
    /// The BLAKE3 hash of the text that was printed of it, without what stood around it in the output and without white space
    /// at its end. `None` where an earlier version planned it.
    pub rendered_hash: Option<String>,
    /// The length of that text in bytes.
    pub rendered_length: Option<u64>,
    /// What the agent's transcript says about it, if it was looked for.
    pub verdict: Option<Verdict>,
    pub state: State,
    /// Milliseconds since 1970.
    pub at: i64,
}

/// A session and what its window holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionRow {
    /// The number of the session in the ledger.
    #[serde(skip)]
    pub id: i64,
    /// Its hashed key, for finding its transcript.
    #[serde(skip)]
    pub key: SessionKey,
    /// The file with the agent's history of it, if an event has named it.
    pub transcript: Option<String>,
    #[serde(flatten)]
    pub name: SessionName,
    pub native: String,
    pub epoch: i64,
    /// The directory of its last event.
    pub cwd: String,
    pub context_paths: Vec<String>,
    pub first_seen: i64,
    pub last_seen: i64,
}

/// How much of a file went into windows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UsageRow {
    pub agent: String,
    pub source: Option<Source>,
    /// Empty for text about several files.
    pub file: String,
    pub sessions: u64,
    pub deliveries: u64,
    pub tokens: u64,
    /// What the transcripts say about these deliveries.
    pub seen: u64,
    pub cut: u64,
    pub missing: u64,
    pub unknowable: u64,
    /// Milliseconds since 1970.
    pub last: i64,
}

/// What a session's window holds now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WindowRow {
    #[serde(flatten)]
    pub name: SessionName,
    pub epoch: i64,
    pub files: u64,
    pub tokens: u64,
    /// How many deliveries wait.
    pub queued: u64,
    /// How many did not reach the model as a whole, according to the agent's transcript.
    pub lost: u64,
    /// The files that came last, together.
    pub latest: Vec<String>,
    /// Milliseconds since 1970.
    pub last_seen: i64,
}

/// What to return; the default is everything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Filter<'a> {
    /// A session's native id, or any beginning of its short name or hash. It includes its sub-agents.
    pub session: Option<&'a str>,
    pub agent: Option<&'a str>,
    /// A directory (absolute): sessions that began or work in it or below it.
    pub project: Option<&'a str>,
    /// Deliveries of this source, and events that carried some.
    pub source: Option<Source>,
    /// A path as shown, or the identity of a piece, with all its sections. Only for deliveries.
    pub path: Option<&'a str>,
    /// Milliseconds since 1970: from this moment on.
    pub since: Option<i64>,
    /// Before this moment.
    pub until: Option<i64>,
    /// At most so many, the newest.
    pub newest: Option<usize>,
}

/// The views. They change nothing.
pub trait Reader: fmt::Debug {
    /// Returns sessions, the last one seen last. The times of the filter are those in which a session was at work.
    fn sessions(&mut self, filter: &Filter<'_>) -> Result<Vec<SessionRow>, StoreError>;

    /// Returns what a session's window holds now, quickly.
    fn window(&mut self, key: &SessionKey) -> Result<Option<WindowRow>, StoreError>;

    /// Returns the names of all sessions.
    fn names(&mut self) -> Result<Vec<SessionName>, StoreError>;

    /// Returns the log, oldest first. [`crate::timeline`] has the events that did not reach the ledger, too.
    fn events(&mut self, filter: &Filter<'_>) -> Result<Vec<EventRow>, StoreError>;

    /// Returns deliveries of every epoch and state, grouped by session in the order of [`Reader::sessions`].
    fn deliveries(&mut self, filter: &Filter<'_>) -> Result<Vec<DeliveryRow>, StoreError>;

    /// Returns what these events carried, in the order in which it was printed.
    fn carried(&mut self, events: &[i64]) -> Result<Vec<DeliveryRow>, StoreError>;

    /// Returns the sums of what was delivered, by agent, source and file, largest first.
    fn usage(&mut self, filter: &Filter<'_>) -> Result<Vec<UsageRow>, StoreError>;

    /// Returns the receipts of one session ([`Filter::session`]) or of all, in the order of [`Reader::deliveries`]; those
    /// that were made due again come last.
    fn receipts(&mut self, session: Option<&str>) -> Result<Vec<ReceiptRow>, StoreError>;

    /// Checks the ledger. Returns the engine's description of a problem, or `None`.
    fn damage(&mut self) -> Result<Option<String>, StoreError>;
}
