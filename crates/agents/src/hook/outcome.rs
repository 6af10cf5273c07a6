//! How a hook ended, and the line it leaves.

use briefing_store::Beat;

use super::{Hook, wall_clock};

/// How a hook ended. Only [`Outcome::Delivered`] changed the ledger's deliveries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing to say.
    Silent,
    Delivered {
        size: u64,
    },
    /// Printed, but nothing remembers it.
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

impl Hook<'_> {
    /// Leaves the heartbeat of everything that the ledger itself has not logged.
    pub(super) fn finish(&self, outcome: &Outcome) {
        let host = self.call.host;
        let micros = u64::try_from(self.call.started.elapsed().as_micros()).unwrap_or(u64::MAX);
        (host.log)(&format_args!("{} {}: {} ({micros} µs)", self.call.agent.name, self.call.event, outcome.words()));
        for note in &self.notes {
            (host.log)(note);
        }
        if matches!(outcome, Outcome::Delivered { .. }) {
            return;
        }
        let beat = Beat {
            at: wall_clock(),
            agent: self.call.agent.name.to_owned(),
            event: self.call.event.chars().take(80).collect(),
            session: self.session.clone(),
            lane: self.call.lane.number,
            micros,
            outcome: outcome.words(),
            notes: self.notes.clone(),
        };
        // Input that names no session has no place of its own either: the directory of this process decides.
        let state = self.state.clone().or_else(|| {
            let here = std::env::current_dir().unwrap_or_default();
            Some((host.places_at)(here).state?.join("brief"))
        });
        let Some(directory) = state else { return };
        if briefing_store::beat(&directory, &beat).is_err()
            && let Some(parent) = directory.parent()
            && briefing_store::directory(parent).is_ok()
        {
            // Nobody is left to tell when even this fails.
            let _ = briefing_store::beat(&directory, &beat);
        }
    }
}
