//! What became of a request.

use briefing_core::Note;
use briefing_core::settings::{Places, Settings};
use briefing_core::sources::{Notice, Source, Sources};
use briefing_store::Outcome;

/// What became of a request, with everything that happened on the way.
#[derive(Debug)]
pub struct Receipt {
    pub outcome: Outcome,
    /// The session's short name, for the log.
    pub session: String,
    /// The agent's own id of the session.
    pub native: String,
    /// What was delivered, in the agent's unit.
    pub size: u64,
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
        let Some(settings) = self.settings.as_ref().filter(|_| !matches!(self.outcome, Outcome::NotPrinted { .. })) else {
            return Vec::new();
        };
        Source::of(self.brought).filter_map(|source| source.notice(&self.places, settings)).collect()
    }
}
