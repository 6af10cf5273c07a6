//! The receipt of a request.

use std::path::Path;
use std::rc::Rc;

use briefing_core::Note;
use briefing_core::fit::Sent;
use briefing_core::settings::{Places, Settings};
use briefing_core::sources::Notice;
use briefing_store::Outcome;

/// The outcome of a request, with all notes.
#[derive(Debug)]
pub struct Receipt {
    pub outcome: Outcome,
    /// The session's short name, for the log.
    pub session: String,
    /// The agent's own id of the session.
    pub native: String,
    /// The size of what was delivered, in the agent's unit.
    pub size: u64,
    pub notes: Vec<Note>,
    /// What this process has delivered or queued, per source.
    pub sent: Vec<Sent>,
    /// Whether the outcome is in the ledger's log.
    pub is_logged: bool,
    pub(super) places: Places,
    /// `None` if nothing could be due, because the settings are then not resolved.
    pub(super) settings: Option<Rc<Settings>>,
}

impl Receipt {
    /// Returns whether this process has delivered anything into the window.
    pub fn has_brought(&self) -> bool {
        !self.sent.is_empty()
    }

    /// Returns the directory of the request.
    pub fn directory(&self) -> &Path {
        &self.places.here
    }

    /// Returns the notices for the user's webhook. They contain amounts, never content.
    pub fn notices(&self) -> Vec<Notice> {
        let Some(settings) = self.settings.as_ref().filter(|_| !matches!(self.outcome, Outcome::NotPrinted { .. })) else {
            return Vec::new();
        };
        self.sent.iter().filter_map(|sent| sent.source.notice(&self.places, settings, *sent)).collect()
    }
}
