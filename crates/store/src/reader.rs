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

/// A line of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EventRow {
    /// Milliseconds since 1970.
    pub at: i64,
    pub agent: String,
    pub session: String,
    pub event: String,
    pub lane: u8,
    pub epoch: i64,
    pub micros: u64,
    #[serde(flatten)]
    pub outcome: Outcome,
    /// In the agent's unit.
    pub size: u64,
    pub queued: u32,
    pub notes: Vec<Note>,
}

/// A delivery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeliveryRow {
    pub session: String,
    pub epoch: i64,
    /// What brought it; the list of what was left out has no source.
    pub source: Option<Source>,
    pub path: String,
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
    /// The BLAKE3 hash of the text that was printed of it, without what stood around it in the output. `None` where an
    /// earlier version planned it.
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
    pub session: String,
    pub agent: String,
    pub native: String,
    pub epoch: i64,
    pub cwd: String,
    pub context_paths: Vec<String>,
    pub first_seen: i64,
    pub last_seen: i64,
}

/// Which deliveries to return; the default is all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Filter<'a> {
    /// A session's native id, or any beginning of its short name or hash.
    pub session: Option<&'a str>,
    /// A path as shown, or the identity of a piece, with all its sections.
    pub path: Option<&'a str>,
}

/// The views. They change nothing.
pub trait Reader: fmt::Debug {
    /// Returns all sessions, the last one seen last.
    fn sessions(&mut self) -> Result<Vec<SessionRow>, StoreError>;

    /// Returns deliveries of every epoch and state, grouped by session in the order of [`Reader::sessions`].
    fn deliveries(&mut self, filter: Filter<'_>) -> Result<Vec<DeliveryRow>, StoreError>;

    /// Returns the log, of one session ([`Filter::session`]) or of all, oldest first.
    fn events(&mut self, session: Option<&str>) -> Result<Vec<EventRow>, StoreError>;

    /// Returns the receipts of one session ([`Filter::session`]) or of all, in the order of [`Reader::deliveries`]; those
    /// that were made due again come last.
    fn receipts(&mut self, session: Option<&str>) -> Result<Vec<ReceiptRow>, StoreError>;

    /// Checks the ledger. Returns the engine's description of a problem, or `None`.
    fn damage(&mut self) -> Result<Option<String>, StoreError>;
}
