//! Receipts: whether a delivery reached the model, according to the agent's own transcript.
//!
//! This crate stores what was found out; reading transcripts is the caller's business.

use briefing_core::Moment;
use serde::Serialize;

/// Returns a text as receipts look for it: agents remove white space from its end.
pub(crate) fn printed(text: &str) -> &str {
    text.trim_end()
}

/// Returns the hash under which a text that was printed is known: to receipts, and to the store of kept texts.
pub fn rendered_hash(text: &str) -> String {
    blake3::hash(printed(text).as_bytes()).to_hex().to_string()
}

/// What a transcript says about a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The whole text is there.
    Seen,
    /// Its beginning is there, the whole is not.
    Cut,
    /// It is not there, although the model was asked afterwards.
    Missing,
    /// The transcript cannot tell.
    Unknowable,
}

impl Verdict {
    pub const ALL: [Self; 4] = [Self::Seen, Self::Cut, Self::Missing, Self::Unknowable];

    /// Returns the word that the ledger stores. It never changes.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Seen => "seen",
            Self::Cut => "cut",
            Self::Missing => "missing",
            Self::Unknowable => "unknowable",
        }
    }

    /// Returns `None` for an empty word: there is no verdict yet. A later version's word is nothing that this one can tell.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        if word.is_empty() {
            return None;
        }
        Some(Self::ALL.into_iter().find(|verdict| verdict.word() == word).unwrap_or(Self::Unknowable))
    }

    /// Returns whether the window lacks the text.
    pub const fn is_lost(self) -> bool {
        matches!(self, Self::Cut | Self::Missing)
    }
}

/// A delivery without a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unproven {
    pub id: i64,
    /// The event and the moment that carried it.
    pub event: String,
    pub moment: Option<Moment>,
    /// When it was delivered, in milliseconds since 1970.
    pub at: i64,
    /// Whether it was delivered to the session from which this one was forked.
    pub is_inherited: bool,
    /// The first characters of its text. Empty where an earlier version delivered it.
    pub opening: String,
    /// BLAKE3 hash and length of the text.
    pub whole: (String, u64),
    /// The same of the text without character entities, where it has any, see [`briefing_core::render::window::plain`].
    pub plain: Option<(String, u64)>,
}

/// How far a transcript was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Look {
    /// The identity of the file, in the caller's words. A transcript may be replaced.
    pub file: String,
    /// Where the next look begins.
    pub offset: u64,
    /// The time of the last record, in milliseconds since 1970.
    pub last: i64,
    /// The time of the last input to the model.
    pub asked: i64,
    /// The time of the last input that the model has answered.
    pub answered: i64,
    /// The time of the first record after the last one that could not be read; `i64::MAX` while there is none yet.
    pub damaged: i64,
}

/// What a session's transcript has not proven yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenReceipts {
    /// How far the transcript was read.
    pub look: Look,
    /// Where the transcript is, if an event has named it.
    pub transcript: Option<String>,
    /// Deliveries without a verdict, oldest first.
    pub deliveries: Vec<Unproven>,
}

/// The verdict on one delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    pub id: i64,
    pub verdict: Verdict,
    /// The record that proves it, or why nothing does.
    pub proof: String,
}

impl Judged {
    pub fn unknowable(id: i64, reason: impl Into<String>) -> Self {
        Self { id, verdict: Verdict::Unknowable, proof: reason.into() }
    }
}

/// What a look into a transcript found out.
#[derive(Debug, Clone, Copy)]
pub struct Judgement<'a> {
    pub session: i64,
    /// How far the transcript had been read before.
    pub before: &'a Look,
    pub after: &'a Look,
    pub judged: &'a [Judged],
    /// How often a piece may be made due again in one epoch because it was lost. 0: never.
    pub repairs: u32,
}

/// A delivery and its verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReceiptRow {
    pub session: String,
    pub agent: String,
    pub epoch: i64,
    pub piece: String,
    /// Empty for the list of what was left out.
    pub path: String,
    pub part: u32,
    pub parts: u32,
    /// The moment that carried it.
    pub moment: Option<Moment>,
    pub event: String,
    /// `None`: nothing can be said yet.
    pub verdict: Option<Verdict>,
    pub proof: String,
    /// When it was delivered, in milliseconds since 1970.
    pub at: i64,
    /// Whether its piece was made due again because of the verdict.
    pub is_due_again: bool,
}
