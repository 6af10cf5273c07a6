//! The operations of a hook on the ledger while its agent waits, independent of the engine.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use briefing_core::fit::{Briefing, Standing};
use briefing_core::{Moment, Note};

use crate::error::StoreError;
use crate::holder::Holder;
use crate::key::SessionKey;
use crate::outcome::Outcome;
use crate::receipt::{Judgement, OpenReceipts};

/// A session in which an agent's process was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    pub key: SessionKey,
    /// The directory of its last event.
    pub cwd: String,
}

/// What an event reports to the ledger about its session.
#[derive(Debug, Clone)]
pub struct Arrival<'a> {
    pub key: &'a SessionKey,
    /// Equal for all lanes of one event, different for different events. `None`: the event has one lane only.
    pub plan: Option<&'a str>,
    pub lane: u8,
    pub cwd: &'a str,
    /// Milliseconds since 1970.
    pub now: i64,
    pub holder: &'a Holder,
    /// The agent's own process, see [`Holder::text`]. Empty: not known.
    pub client: &'a str,
    /// Whether the event empties the window.
    pub is_reset: bool,
    /// Sources (bits) that become due with a reset.
    pub owed_after_reset: u32,
    /// What other moments carried is due again although the epoch stays: the agent kept only what this one carried.
    pub forget_all_but: Option<Moment>,
    /// Sources (bits) that `forget_all_but` makes due again, at once if they were done.
    pub forget_sources: u32,
    /// Sources (bits) that this event would open but whose context its agent drops: due at the next event.
    pub owe: u32,
    /// The user's words, kept for a reset in the middle of the turn.
    pub message: Option<&'a str>,
    /// The first words of the message: they name a session that has no name yet.
    pub title: Option<&'a str>,
    /// The session whose window this one began with; only looked at when this one is new.
    pub parent: Option<Parent<'a>>,
    /// The file with the session's history, if the event names it.
    pub transcript: Option<&'a str>,
}

/// The session that another one was forked from.
#[derive(Debug, Clone, Copy)]
pub struct Parent<'a> {
    pub key: &'a SessionKey,
    /// Milliseconds since 1970. What it received later is not in the fork's window.
    pub until: i64,
}

/// What the ledger knows of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    pub session: i64,
    pub epoch: i64,
    /// Sources (bits) already brought in this epoch.
    pub done: u32,
    /// Sources (bits) that are due at the next event that can carry them.
    pub owed: u32,
    /// How many deliveries wait or are being printed.
    pub open: u32,
    /// Whether something was delivered that has no verdict yet, see [`Ledger::open_receipts`].
    pub is_unproven: bool,
    /// The user's last words.
    pub message: String,
    /// The files that the window depends on, see [`briefing_core::watch`].
    pub watched: String,
    /// How far the transcript was searched for a window that was shortened, in the caller's words.
    pub scanned: String,
    /// The agent's process that owns the window, see [`Holder::text`]. Empty: not known.
    pub client: String,
    /// Whether a message has named the session.
    pub is_named: bool,
    /// When it was last written to, in milliseconds since 1970.
    pub last_seen: i64,
}

pub type PlanId = i64;

/// The state of an event's plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanState {
    /// This process plans the event.
    Mine,
    /// Another lane plans it.
    Others,
    /// It is planned: claim.
    Ready,
    /// Its planner died: arrive again.
    Lost,
}

/// The answer to an arrival.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrived {
    pub known: Known,
    pub plan: PlanId,
    pub state: PlanState,
}

/// A piece that a source brought: its identity and the hash of its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer<'a> {
    pub piece: &'a str,
    pub hash: &'a str,
    /// Identity and hash of each text that contains it.
    pub within: Vec<(&'a str, &'a str)>,
}

/// The process that wants to print.
#[derive(Debug, Clone, Copy)]
pub struct Printer<'a> {
    /// From 1.
    pub lane: u8,
    /// How many lanes the event has.
    pub lanes: u8,
    pub holder: &'a Holder,
    /// The process that the agent itself waits for: this one, or the shell around it.
    pub reaped_as: u32,
    /// Whether others of its events may run at the same time, which the agent orders in its own way.
    pub is_parallel: bool,
    /// The agent's name of the event that carries what is printed.
    pub event: &'a str,
    pub moment: Moment,
}

/// A planner's pieces on their way into the ledger.
pub struct Admission<'a> {
    pub printer: Printer<'a>,
    pub session: i64,
    /// The epoch in which they were brought; when the session has moved on, nothing is admitted.
    pub epoch: i64,
    pub plan: PlanId,
    pub now: i64,
    pub offers: &'a [Offer<'a>],
    /// Sources (bits) that brought them.
    pub done: u32,
    /// Sources (bits) that could not read everything: due at the next event.
    pub owe: u32,
    /// The files that the window depends on from now on, see [`briefing_core::watch`].
    pub watched: &'a str,
    /// Decides in which outputs everything leaves. Called inside the transaction: it must be quick and pure.
    pub arrange: &'a mut dyn FnMut(&Standing) -> Briefing,
}

/// One claimed delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claimed {
    pub id: i64,
    pub text: String,
    pub path: String,
    pub tokens: u64,
}

/// What one lane prints.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claim {
    pub session: i64,
    pub epoch: i64,
    pub plan: PlanId,
    pub rows: Vec<Claimed>,
    /// The output's place among those of its event: `part 2 of 4`.
    pub number: u32,
    pub of: u32,
    /// Whether an earlier event printed the beginning of what leaves now.
    pub is_continued: bool,
    pub slot: i64,
    /// Whether another lane of the same event prints the slot before this one.
    pub follows: bool,
    /// Deliveries that wait for a later event.
    pub left: u32,
    /// Whether a tool that runs at the same time has just printed, so that everything waits.
    pub is_held_back: bool,
    /// In the first output of an event: the files in all of its outputs, and their estimated tokens.
    pub files: Vec<String>,
    pub tokens: u64,
}

/// The outcome of an event, for the log.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogEntry<'a> {
    pub now: i64,
    pub event: &'a str,
    /// `None`: a person or a model asked, not an event of the agent.
    pub moment: Option<Moment>,
    pub micros: u64,
    pub outcome: &'a Outcome,
    /// In the agent's unit.
    pub size: u64,
    pub notes: &'a [Note],
    /// What decided: a view can decide once more with it.
    pub basis: Basis<'a>,
}

/// What the decisions of an event depended on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Basis<'a> {
    /// The user's words, without secrets. The log keeps the first 4 KB.
    pub message: Option<&'a str>,
    /// The version of the documents that were searched. Empty: none were.
    pub documents: &'a str,
    /// The hash of the settings.
    pub settings: &'a str,
}

/// A text that a session's window received in this epoch: a piece or a part of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    /// Identifies the delivery.
    pub id: i64,
    /// The first bytes of the text, by which it is found. Empty: delivered by a version that did not write them down.
    pub opening: String,
}

/// A look into a transcript that found a shortened window.
#[derive(Debug, Clone, Copy)]
pub struct Forgetting<'a> {
    pub session: i64,
    /// [`Known::scanned`] before and after the look.
    pub before: &'a str,
    pub after: &'a str,
}

/// What an earlier session's window received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Earlier {
    /// Milliseconds since 1970.
    pub last_seen: i64,
    /// The identity and the hash of each piece; of one that changed, the last.
    pub pieces: BTreeMap<String, String>,
}

/// Sessions, deliveries and the log. Each method is one transaction.
pub trait Ledger: fmt::Debug {
    /// Bounds every wait for a lock from now on.
    fn set_patience(&mut self, patience: Duration);

    /// Looks up a session without writing anything.
    fn look(&mut self, key: &SessionKey) -> Result<Option<Known>, StoreError>;

    /// Returns the sessions in which an agent's process (see [`Holder::text`]) was seen, the last one first.
    fn sessions_of(&mut self, agent: &str, client: &str) -> Result<Vec<Seen>, StoreError>;

    /// Registers an event: creates the session, counts a reset, frees what dead processes held, and decides who plans.
    fn arrive(&mut self, arrival: &Arrival<'_>) -> Result<Arrived, StoreError>;

    /// Returns the state of an event's plan.
    fn plan_state(&mut self, plan: PlanId) -> Result<PlanState, StoreError>;

    /// Admits what the planner's sources brought, closes the plan and claims the planner's own output, see [`Ledger::claim`].
    fn admit(&mut self, admission: &mut Admission<'_>) -> Result<Claim, StoreError>;

    /// Claims the output of a lane of a planned event. From now on its deliveries name the printer's event and moment: what
    /// an agent keeps depends on the event that carried it, not on the one that planned it.
    fn claim(&mut self, plan: PlanId, printer: Printer<'_>, now: i64) -> Result<Claim, StoreError>;

    /// Confirms that it is this lane's turn, after the wait for the lane before it. If that lane has died, its output is
    /// claimed instead, so that nothing overtakes it; if its text died with it, the claim returned is empty and everything
    /// waits for the next event.
    fn take_turn(&mut self, claim: Claim, printer: Printer<'_>, now: i64) -> Result<Claim, StoreError>;

    /// Returns the process that prints a slot, as soon as there is one.
    fn printer_of(&mut self, session: i64, slot: i64) -> Result<Option<u32>, StoreError>;

    /// Names a session that has no name yet.
    fn name(&mut self, session: i64, title: &str) -> Result<(), StoreError>;

    /// Marks a printed claim as delivered and logs the event; one that printed nothing is only logged. The lanes of an event
    /// share one line of the log.
    fn confirm(&mut self, claim: &Claim, entry: &LogEntry<'_>) -> Result<(), StoreError>;

    /// Releases a claim that could not be printed.
    fn release(&mut self, claim: &Claim) -> Result<(), StoreError>;

    /// Returns what a session's window received of all sources in this epoch, in order, except for what one moment carried.
    fn given(&mut self, session: i64, but: Option<Moment>) -> Result<Vec<Given>, StoreError>;

    /// Returns what the agent's last session but this one received, of those that received `piece`.
    fn earlier(&mut self, key: &SessionKey, piece: &str) -> Result<Option<Earlier>, StoreError>;

    /// Marks deliveries (see [`Given::id`]) as lost that are no longer in the window, takes the parts that wait behind them out
    /// of the queue, and lets all sources open again. Does nothing if another process has looked in the meantime.
    fn forget(&mut self, forgetting: &Forgetting<'_>, lost: &[i64]) -> Result<(), StoreError>;

    /// Returns what the session's transcript has not proven yet, and how far it was read.
    fn open_receipts(&mut self, session: i64) -> Result<OpenReceipts, StoreError>;

    /// Writes down verdicts and how far the transcript was read; what they make due again is due from now on.
    ///
    /// Returns what that is, or `None` if another process has read on in the meantime: then nothing is written.
    fn judge(&mut self, judgement: &Judgement<'_>) -> Result<Option<Vec<String>>, StoreError>;

    /// Does what can wait until everything is printed: moves the journal into the file when it has grown.
    fn tidy(&mut self) -> Result<(), StoreError>;
}
