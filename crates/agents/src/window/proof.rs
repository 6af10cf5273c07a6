//! Receipts in a hook: looks for what was delivered earlier in the agent's transcript, and makes due again what was lost.
//!
//! Only the user's next message and a resume look, only if something has no verdict yet, and only into what was added to the
//! transcript since; all other events cost nothing. Every lane looks, and the first one to write wins.

use briefing_core::{Moment, Note, NoteKind};
use briefing_store::{Known, Ledger};

use super::Window;
use crate::request::Start;
use crate::transcripts::{self, Budget, MAX_REPAIRS};

impl Window<'_> {
    /// Judges what was delivered before this event, and returns whether that may have changed what is due. On any error,
    /// nothing is decided.
    pub(super) fn has_lost(&mut self, ledger: &mut dyn Ledger, known: &Known) -> bool {
        let request = self.request;
        let is_resumed = request.event.moment == Moment::Session && request.start == Start::Resume;
        let is_time = is_resumed || request.event.moment == Moment::Message;
        if !known.is_unproven || !is_time || request.agent.transcript.is_none() {
            return false;
        }
        let (key, host) = (self.key.clone(), self.host);
        // Settings take time to read, and only a loss needs them.
        let repairs = || if self.decide_settings().receipts.repair.value { MAX_REPAIRS } else { 0 };
        let settled = transcripts::settle(ledger, known.session, request.agent, &key, host, Budget::HOOK, repairs);
        for path in settled.unwrap_or_default().again {
            let reason = "did not reach the model, according to the agent's transcript; it is due again";
            self.notes.push(Note::warning(path, NoteKind::Missing, reason));
        }
        true
    }
}
