//! What became of a request.

use briefing_core::Note;
use briefing_core::settings::{Places, Settings};
use briefing_core::sources::{Notice, Source, Sources};

/// How an event ended. Only [`Outcome::Delivered`] changed the ledger's deliveries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing to say.
    Silent,
    Delivered {
        size: u64,
    },
    /// Delivered, but nothing remembers it.
    Stateless {
        size: u64,
    },
    /// The window was emptied; what is due comes with the next event.
    Emptied,
    /// Another process held the ledger until our time was up.
    Busy,
    /// Another agent ran this entry.
    Foreign,
    /// The agent's row does not know this event.
    Unknown,
    BadInput(String),
    NotPrinted(String),
}

impl Outcome {
    /// Returns the outcome in words, as the log has it.
    pub fn words(&self) -> String {
        match self {
            Self::Silent => "silent".into(),
            Self::Delivered { .. } => "delivered".into(),
            Self::Stateless { .. } => "delivered without the ledger".into(),
            Self::Emptied => "the window was emptied".into(),
            Self::Busy => "silent: another process held the ledger".into(),
            Self::Foreign => "silent: called by another agent".into(),
            Self::Unknown => "silent: unknown event".into(),
            Self::BadInput(problem) => format!("silent: {problem}"),
            Self::NotPrinted(problem) => format!("not printed: {problem}"),
        }
    }
}

/// What became of a request, with everything that happened on the way.
#[derive(Debug)]
pub struct Receipt {
    pub outcome: Outcome,
    /// The session's short name, for the log.
    pub session: String,
    /// The agent's own id of the session.
    pub native: String,
    pub notes: Vec<Note>,
    /// The sources of which this process has brought something into the window.
    pub(super) brought: Sources,
    pub(super) places: Places,
    /// Decided only where something could be due.
    pub(super) settings: Option<Settings>,
}

impl Receipt {
    /// Returns whether this process has brought anything into the window.
    pub fn has_brought(&self) -> bool {
        self.brought != 0
    }

    /// Returns what the user's webhook is told: how much went in, nothing of what.
    pub fn notices(&self) -> Vec<Notice> {
        let Some(settings) = self.settings.as_ref().filter(|_| !matches!(self.outcome, Outcome::NotPrinted(_))) else { return Vec::new() };
        Source::of(self.brought).filter_map(|source| source.notice(&self.places, settings)).collect()
    }
}
