//! `state.md`: the hand-off from one session to the next. It expires.

use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::chain::as_text;
use super::front_matter::{FrontMatter, without_front_matter};
use super::load::{self, Reading, STATE};
use super::moment;
use crate::load::guard;
use crate::note::Note;
use crate::shown::path_text;
use crate::tokens::estimate_utf16;

/// The age above which a state has expired; at exactly this age it is still active.
pub const ACTIVE: SignedDuration = SignedDuration::from_hours(48);

/// A hand-off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct State {
    pub content: String,
    pub status: String,
    /// The date as written in the file.
    pub updated: String,
    /// The tokens of the content, without front matter.
    pub tokens: u64,
    #[serde(serialize_with = "as_text")]
    pub path: PathBuf,
}

/// The state of a domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StateFound {
    None,
    Active(State),
    /// The state, with the reason why it is no longer active.
    Expired(State, String),
}

/// Reads the state of a `.megg` directory.
pub fn read_state(megg: &Path, now: Timestamp, reading: Reading<'_>, notes: &mut Vec<Note>) -> StateFound {
    let path = megg.join(STATE);
    let Some(text) = load::read(&path, reading, notes) else { return StateFound::None };
    let front = FrontMatter::find(&text);
    let value = |key| front.and_then(|front| front.value(key)).unwrap_or_default().to_owned();
    let (status, updated) = (value("status"), value("updated"));
    let moment = moment::parse(&updated);
    let content = guard(&path_text(&path), without_front_matter(&text).to_owned(), reading.redacts, notes);
    let tokens = estimate_utf16(&content);
    let age = moment.map_or(SignedDuration::MAX, |moment| now.duration_since(moment));
    // Other words are allowed as a status; only `done` ends a state.
    let is_done = status.eq_ignore_ascii_case("done");
    let status = if is_done { "done".to_owned() } else { "active".to_owned() };
    let state = State { content, status, updated, tokens, path };
    match moment {
        _ if is_done => StateFound::Expired(state, "it is marked as done".into()),
        None if state.updated.is_empty() => StateFound::Expired(state, "it does not say when it was updated".into()),
        None => {
            let reason = format!("its date `{}` is not valid", state.updated);
            StateFound::Expired(state, reason)
        }
        Some(_) if age > ACTIVE => {
            // A date, not an age, so that the same file gives the same text tomorrow.
            let reason = format!("it was updated {} and holds for {} hours", state.updated, ACTIVE.as_hours());
            StateFound::Expired(state, reason)
        }
        Some(_) => StateFound::Active(state),
    }
}
