//! Decides once more for the messages of a past session, and says what has changed since.

use briefing_core::select::Abstention;
use briefing_core::sources::Ask;
use briefing_core::sources::docs::{Decision, asks_a_model};
use briefing_core::{Note, Silence};
use briefing_store::{DeliveryRow, EventRow, Filter, Outcome, Reader, SessionRow, StoreError};
use serde::Serialize;

use super::{Subject, decide, is_same_settings};

/// The newest messages of a session are decided for, at most so many.
const MESSAGES: usize = 40;

/// What differs between now and the time of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// Documents were added, changed or removed.
    Documents,
    Settings,
    /// The log has only the beginning of the message.
    Shortened,
    /// A model chose then; now the words decide.
    Model,
}

/// A message of the session, and what it makes of the file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Replay {
    /// The number of the event in the ledger, see [`EventRow::id`].
    pub id: i64,
    /// Milliseconds since 1970.
    pub at: i64,
    pub event: String,
    pub message: String,
    /// What came of the event then.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// What the log says about the file.
    pub notes: Vec<Note>,
    /// What differs from then. Empty: this is the decision that was made.
    pub changes: Vec<Change>,
    /// `None`: there are no documents to choose from now.
    pub decision: Option<Decision>,
}

impl Replay {
    /// Returns how near the file came: delivered first, then by its score relative to what was needed.
    fn distance(&self) -> f32 {
        let Some(decision) = &self.decision else { return f32::MAX };
        if !decision.pieces.is_empty() {
            return -1.0;
        }
        let Some(candidate) = &decision.candidate else { return f32::MAX / 2.0 };
        let worst = candidate.tests.iter().filter(|test| !test.is_passed).map(super::text::relative_miss).fold(0.0, f32::max);
        worst + if decision.abstained == Some(Abstention::NoTopic) { 100.0 } else { 0.0 }
    }
}

/// Decides for the messages of a session. The ones that delivered it come first, then the closest.
pub(super) fn replays(
    subject: &Subject,
    session: &SessionRow,
    delivered: &[DeliveryRow],
    ask: &Ask<'_>,
    reader: &mut dyn Reader,
) -> Result<Vec<Replay>, StoreError> {
    let filter = Filter { session: Some(&session.key.native), ..Filter::default() };
    let mut events = reader.events(&filter)?;
    // Only what was decided by a message can be decided once more.
    events.retain(|event| event.name.session == session.name.session && !event.message.is_empty() && asked_documents(event));
    events.drain(..events.len().saturating_sub(MESSAGES));
    let mut replays: Vec<Replay> = events.into_iter().map(|event| replay(subject, event, ask)).collect();
    let has_carried = |replay: &Replay| delivered.iter().any(|row| row.carrier == replay.id);
    replays.sort_by(|a, b| {
        let order = has_carried(b).cmp(&has_carried(a));
        order.then(a.distance().total_cmp(&b.distance())).then(b.at.cmp(&a.at))
    });
    Ok(replays)
}

/// Tells whether an event looked for documents.
fn asked_documents(event: &EventRow) -> bool {
    !event.documents.is_empty() || matches!(event.outcome.silence(), Some(Silence::NoDocuments | Silence::NoneAllowed | Silence::Preparing))
}

fn replay(subject: &Subject, event: EventRow, ask: &Ask<'_>) -> Replay {
    let decision = decide(subject, &event.message, ask, false);
    let mut changes = Vec::new();
    if decision.as_ref().is_some_and(|decision| decision.version != event.documents) {
        changes.push(Change::Documents);
    }
    if !is_same_settings(&event.settings, ask.settings) {
        changes.push(Change::Settings);
    }
    // The log cuts at 4 KB.
    if event.message.len() + 4 > 4096 {
        changes.push(Change::Shortened);
    }
    if asks_a_model(ask.settings) {
        changes.push(Change::Model);
    }
    let is_about = |path: &str| path == subject.shown || subject.path.as_deref().is_some_and(|file| file.to_str() == Some(path));
    let notes = event.notes.into_iter().filter(|note| is_about(&note.path)).collect();
    Replay { id: event.id, at: event.at, event: event.event, message: event.message, outcome: event.outcome, notes, changes, decision }
}
