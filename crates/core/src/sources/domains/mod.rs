//! Source 1: knowledge domains. A directory that contains `.megg/` is a domain; its knowledge applies to everything
//! below it.
//!
//! [`context()`] collects the chain of a path from the root down (`chain`), the knowledge of its deepest domain as far
//! as its size allows (`knowledge`, `summary`), the state handed over by the previous session (`state`) and nearby
//! domains (`navigation`). `render` turns it into text or hook output, `bring` into the pieces that go into a window.
//!
//! [`learn()`], [`write_state`], [`init_domain`] and [`maintain`] write: under a lock, atomically, and preserving
//! other bytes.
//!
//! Input is a path and the current time; the result is owned values with notes. Nothing here reads the clock.

mod bring;
mod chain;
mod context;
mod entry;
mod front_matter;
mod handoff;
mod init;
mod knowledge;
mod learn;
mod load;
pub mod maintain;
mod moment;
mod navigation;
mod render;
mod state;
mod summary;

pub use super::Change;
pub use bring::{bring, entries, is_here};
pub(super) use chain::nearest_above;
pub use chain::nearest_above as nearest;
pub use chain::{Chain, Level, STALE_INFO_DAYS};
pub use context::{BLOCKED_ABOVE, Context, ContextRequest, LoadedKnowledge, Mode, SUMMARY_FROM, context};
pub use entry::{Entry, KINDS, parse_topics};
pub use handoff::{MAX_STATE_TOKENS, WrittenState, find_state, finish_state, write_state};
pub use init::{InitializedDomain, draft, info_of, init_domain, is_draft};
pub use knowledge::{Block, BlockKind, Knowledge};
pub(in crate::sources) use learn::refuse_secrets;
pub use learn::{Learned, NewEntry, learn, plan_learn};
pub use load::{DIRECTORY, Reading};
pub use navigation::{Around, ListedFile, Neighbour};
pub use render::{Reader, loaded_text, text};
pub use state::{ACTIVE, State, StateFound, read_state};
pub use summary::summarize;

#[cfg(test)]
mod tests;
