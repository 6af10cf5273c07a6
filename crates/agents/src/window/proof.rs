//! What the transcript says in a hook: what was delivered and did not reach the model is due again, and so is what the window
//! has lost since.
//!
//! Only the user's next message and a resume look. Receipts are looked for only if something has no verdict yet, and only in
//! what was added to the transcript since; all other events cost nothing. Every lane looks, and the first one to write wins.

use briefing_core::{Moment, Note, NoteKind};
use briefing_store::{Forgetting, Known, Ledger};

use super::Window;
use crate::request::Start;
use crate::transcripts::{self, Budget, MAX_REPAIRS, rewind, rewrite};

impl Window<'_> {
    /// Looks into the transcript, and returns whether that may have changed what is due. On any error, nothing is decided.
    pub(super) fn has_lost(&mut self, ledger: &mut dyn Ledger, known: &Known) -> bool {
        let request = self.request;
        let is_resumed = request.event.moment == Moment::Session && request.start == Start::Resume;
        let is_time = is_resumed || request.event.moment == Moment::Message;
        is_time && (self.is_shortened(ledger, known) | self.is_judged(ledger, known))
    }

    /// Makes the ledger forget what a compaction has removed, if the transcript says what that is. The rest stays known.
    pub(super) fn is_partly_emptied(&mut self, ledger: &mut dyn Ledger) -> bool {
        let (request, key) = (self.request, self.key.clone());
        let Some(known) = ledger.look(&key).ok().flatten().filter(|_| request.is_reset) else { return false };
        let Ok(given) = ledger.given(known.session, None) else { return false };
        let Some(lost) = transcripts::removed(request.agent, &key, self.host, &given) else { return false };
        ledger.forget(&Forgetting { session: known.session, before: &known.scanned, after: &known.scanned }, &lost).is_ok()
    }

    /// Judges what was delivered before this event.
    fn is_judged(&mut self, ledger: &mut dyn Ledger, known: &Known) -> bool {
        let agent = self.request.agent;
        if !known.is_unproven || agent.transcript.is_none() {
            return false;
        }
        let (key, host) = (self.key.clone(), self.host);
        // Settings take time to read, and only a loss needs them.
        let repairs = || if self.decide_settings().receipts.repair.value { MAX_REPAIRS } else { 0 };
        let settled = transcripts::settle(ledger, known.session, agent, &key, host, Budget::HOOK, repairs);
        for path in settled.unwrap_or_default().again {
            let reason = "did not reach the model, according to the agent's transcript; it is due again";
            self.notes.push(Note::warning(path, NoteKind::Missing, reason));
        }
        true
    }

    /// Makes the ledger forget what the window no longer has, because the client has shortened it or its user went back.
    fn is_shortened(&mut self, ledger: &mut dyn Ledger, known: &Known) -> bool {
        let (Some(transcript), Some(path)) = (self.request.agent.transcript, self.request.transcript.as_deref()) else { return false };
        let kept = transcript.rewrite.and_then(|rewrite| rewrite.keeps);
        let given = || ledger.given(known.session, kept).unwrap_or_default();
        let found = match (transcript.rewrite, transcript.rewind) {
            (Some(rewrite), _) => rewrite::look(&rewrite, path, &known.scanned, given),
            (None, Some(rewind)) => rewind::look(&rewind, path, &known.scanned, given),
            (None, None) => None,
        };
        let Some(found) = found else { return false };
        let forgetting = Forgetting { session: known.session, before: &known.scanned, after: &found.scanned };
        let is_forgotten = ledger.forget(&forgetting, &found.lost).is_ok() && !found.lost.is_empty();
        if is_forgotten {
            let reason = format!("{} texts are no longer in the window", found.lost.len());
            self.notes.push(Note::info("window", NoteKind::Missing, reason));
        }
        is_forgotten
    }
}
