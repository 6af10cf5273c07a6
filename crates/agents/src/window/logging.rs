//! What the log says about an event: its words, why it was silent, what its decisions depended on; and the texts that were
//! delivered.

use briefing_core::secrets::redact;
use briefing_core::settings::Settings;
use briefing_core::sources::{Gathered, Sources};
use briefing_core::{Silence, shown};
use briefing_store::{Basis, Claim, Ledger, LogEntry, Place, TextLimits, keep_texts, rendered_hash};

use super::{Outcome, Window, wall_clock};

/// The longest title of a session, in characters.
const TITLE: usize = 60;

/// What the sources found for an event.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Whether any source was asked.
    has_asked: bool,
    pieces: u32,
    /// Whether the window lacks any of the pieces.
    pub(super) is_any_due: bool,
    /// Why there are none, if a source knows it.
    pub(super) silence: Option<Silence>,
    /// The version of the documents that were searched, empty if none were.
    documents: String,
}

impl Found {
    pub(super) fn of(gathered: &mut Gathered, asked: Sources) -> Self {
        Self {
            has_asked: asked != 0,
            pieces: u32::try_from(gathered.pieces.len()).unwrap_or(u32::MAX),
            is_any_due: false,
            silence: gathered.silence,
            documents: std::mem::take(&mut gathered.documents),
        }
    }
}

impl Window<'_> {
    /// Returns the first words of the user's message, without secrets. A sub-agent's messages are not the user's.
    pub(super) fn title(&mut self) -> Option<String> {
        let is_users = self.request.sub_agent.is_none() && self.request.message.is_some();
        is_users.then(|| self.words().map(|words| shown::first_words(words, TITLE))).flatten().filter(|title| !title.is_empty())
    }

    /// Returns why a claim is empty. `epoch` is that of the event's arrival.
    pub(super) fn why_silent(&self, claim: &Claim, epoch: i64) -> Silence {
        let found = &self.found;
        match found.silence {
            _ if claim.is_held_back => Silence::HeldBack,
            _ if claim.epoch > epoch => Silence::Overtaken,
            Some(why) => why,
            None if found.is_any_due => Silence::LeftOut,
            None if found.pieces > 0 => Silence::InWindow { pieces: found.pieces },
            None if found.has_asked => Silence::Empty,
            None => Silence::NothingDue,
        }
    }

    /// Confirms what was printed, logs the event, and tidies the ledger up.
    pub(super) fn log(&mut self, ledger: &mut dyn Ledger, settings: &Settings, claim: &Claim, outcome: &Outcome, size: u64) {
        let request = self.request;
        let entry = LogEntry {
            now: wall_clock(),
            event: request.event.name,
            moment: Some(request.carrying_moment()),
            micros: u64::try_from(request.started.elapsed().as_micros()).unwrap_or(u64::MAX),
            outcome,
            size,
            notes: &self.notes,
            basis: Basis { message: self.words.as_deref(), documents: &self.found.documents, settings: &settings.fingerprint() },
        };
        self.is_logged = ledger.confirm(claim, &entry).is_ok();
        // Also after an event that delivered nothing: it has written its line, and many of them may follow each other.
        let _ = ledger.tidy();
    }

    /// Keeps the delivered texts on this machine, if the user wants that.
    pub(super) fn keep_texts(&self, settings: &Settings, claim: &Claim) {
        if let Some(place) = &self.place {
            keep(place, settings, claim);
        }
    }
}

/// Keeps the texts of a claim, each under the hash that its delivery has in the ledger.
pub(super) fn keep(place: &Place, settings: &Settings, claim: &Claim) {
    let texts: Vec<(String, String)> = claim
        .rows
        .iter()
        .map(|row| {
            let hash = rendered_hash(&row.text);
            // What was loaded without the guard must not be kept without it.
            let text = if settings.guards.redact.value { row.text.clone() } else { redact(&row.text).text.into_owned() };
            (hash, text)
        })
        .collect();
    let pairs = texts.iter().map(|(hash, text)| (hash.as_str(), text.as_str()));
    // Losing a text loses a view, never a delivery.
    let _ = keep_texts(place, pairs, wall_clock(), text_limits(settings));
}

/// Returns how many texts the user wants to keep.
pub(super) fn text_limits(settings: &Settings) -> TextLimits {
    TextLimits { days: settings.log.text_days.value, bytes: settings.log.text_mb.value.saturating_mul(1024 * 1024) }
}
