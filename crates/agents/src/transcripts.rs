//! Transcripts: the files in which agents keep their sessions, read to find out what reached the model.
//!
//! A delivery's receipt is its whole text in a record of what the model received, compared by hash. What an agent's own hook
//! log says does not count: Claude Code writes down everything that a hook printed and shows the model 2 KB of it. How each
//! agent records what is data in its row ([`format::Transcript`]); unknown records are ignored.
//!
//! Nothing in a transcript is trusted. It must be a regular file of this user and no link; lines, comparisons and the time
//! for a database are bounded, and every look goes on where the one before stopped.

mod compare;
pub mod conversation;
mod database;
mod file;
pub mod format;
mod place;
pub(crate) mod rewind;
pub(crate) mod rewrite;

use std::fmt;
use std::path::Path;

use briefing_core::fs::FileProblem;
use briefing_store::{Given, Judged, Judgement, Ledger, Look, OpenReceipts, SessionKey, StoreError, Unproven};
use serde_json::Value;

use crate::agent::Agent;
use crate::host::Host;
use compare::Comparison;
use format::{Storage, Transcript};

/// How much one look may read and compare.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// Bytes of the transcript. The rest is left for the next look.
    pub bytes: u64,
    /// A longer line is skipped; what it may have held is unknowable.
    pub line: usize,
}

impl Budget {
    /// For a hook, while its agent waits.
    pub const HOOK: Self = Self { bytes: 2 << 20, line: 4 << 20 };
    /// For a command that a user waits for.
    pub const COMMAND: Self = Self { bytes: 1 << 40, line: 64 << 20 };
}

/// Why a transcript says nothing at this time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Silence {
    /// There is none, or none yet.
    NotFound,
    /// The agent has compressed it.
    Compressed,
    /// It is a link, or not a file of this user.
    NotTrusted(FileProblem),
    Unreadable(String),
}

impl fmt::Display for Silence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound => f.write_str("the transcript was not found"),
            Self::Compressed => f.write_str("the transcript has been compressed"),
            Self::NotTrusted(problem) => write!(f, "the transcript is not used: {problem}"),
            Self::Unreadable(problem) => write!(f, "the transcript cannot be read: {problem}"),
        }
    }
}

/// What reads the records of a transcript, one after the other.
trait Visitor {
    /// Returns where to begin in a file of this identity and length.
    fn begin(&mut self, file: &str, length: u64) -> u64;

    /// Goes past a line that is no record.
    fn pass(&mut self, end: u64);

    /// Goes past a record that cannot be read: it may have held anything.
    fn damage(&mut self, end: u64);

    fn record(&mut self, record: &Value, at: u64, end: u64);
}

/// What a look into a transcript found out.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Found {
    look: Look,
    judged: Vec<Judged>,
}

/// What a look has changed in the ledger.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settled {
    /// The paths of what is due again, because it was lost.
    pub again: Vec<String>,
    /// Why the transcript said nothing.
    pub silence: Option<Silence>,
}

/// How often a piece may be made due again in one epoch. A client that hides a text must not get it with every message.
pub const MAX_REPAIRS: u32 = 2;

/// Looks into a session's transcript and writes the verdicts into the ledger. `repairs` says how often a piece may be made due
/// again; it is only asked if something was lost.
pub fn settle(
    ledger: &mut dyn Ledger,
    session: i64,
    agent: &Agent,
    key: &SessionKey,
    host: &dyn Host,
    budget: Budget,
    repairs: impl FnOnce() -> u32,
) -> Result<Settled, StoreError> {
    let open = ledger.open_receipts(session)?;
    if open.deliveries.is_empty() {
        return Ok(Settled::default());
    }
    let Found { look, judged } = match look(agent, key, host, &open, budget) {
        Ok(found) => found,
        Err(silence) => return Ok(Settled { silence: Some(silence), again: Vec::new() }),
    };
    if look == open.look && judged.is_empty() {
        return Ok(Settled::default());
    }
    let repairs = if judged.iter().any(|judged| judged.verdict.is_lost()) { repairs() } else { 0 };
    let again = ledger.judge(&Judgement { session, before: &open.look, after: &look, judged: &judged, repairs })?;
    Ok(Settled { again: again.unwrap_or_default(), silence: None })
}

/// Returns whether there is a transcript that can be used.
pub(crate) fn is_readable(path: &Path) -> bool {
    file::open(path).is_ok()
}

/// Returns which deliveries a compaction that is done has removed from a window, where the transcript tells.
pub(crate) fn removed(agent: &Agent, key: &SessionKey, host: &dyn Host, given: &[Given]) -> Option<Vec<i64>> {
    let transcript = agent.transcript?;
    let Storage::Database { sessions, left, .. } = transcript.storage else { return None };
    let path = place::find(agent, transcript, key, host, None).ok()?;
    let left = database::left(&path, sessions, left, key).ok().filter(|left| !left.is_empty())?;
    Some(rewrite::missing(given, &left.join("\n")))
}

/// Looks for open receipts in what was added to a session's transcript since the last look.
fn look(agent: &Agent, key: &SessionKey, host: &dyn Host, open: &OpenReceipts, budget: Budget) -> Result<Found, Silence> {
    let Some(transcript) = agent.transcript else {
        let unknown = |delivery: &Unproven| Judged::unknowable(delivery.id, "brief cannot read the transcripts of this agent");
        return Ok(Found { look: open.look.clone(), judged: open.deliveries.iter().map(unknown).collect() });
    };
    let mut comparison = Comparison::new(agent, transcript, open);
    if comparison.is_done() {
        return Ok(comparison.finish(true));
    }
    let is_complete = visit(agent, transcript, key, host, open.transcript.as_deref(), budget, &mut comparison)?;
    Ok(comparison.finish(is_complete))
}

/// Gives the records of a session's transcript to a visitor. Returns whether the end was reached.
fn visit(
    agent: &Agent,
    transcript: &Transcript,
    key: &SessionKey,
    host: &dyn Host,
    named: Option<&str>,
    budget: Budget,
    visitor: &mut dyn Visitor,
) -> Result<bool, Silence> {
    let path = place::find(agent, transcript, key, host, named)?;
    match transcript.storage {
        Storage::Lines => file::read(&path, budget, visitor),
        Storage::Database { sessions, records, .. } => database::read(&path, sessions, records, key, visitor),
    }
}
