//! Source 1: knowledge domains. A directory with `.megg/` in it is a domain; what is told here holds below it.
//!
//! [`context()`] gathers the chain of a path from the root down (`chain`), the knowledge of its deepest domain as far
//! as its size allows (`knowledge`, `summary`), the hand-off of the session before (`state`) and what lies around
//! (`navigation`). `render` makes text or hook output of it, `bring` the pieces that go into a window.
//!
//! Writing is done by [`learn()`], [`write_state`], [`init_domain`] and [`maintain`]: under a lock, in one step, byte-preserving.
//!
//! Goes in: a path and the present moment. Comes out: owned values with notes. Nothing here reads the clock.

mod bring;
mod chain;
mod change;
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

pub use bring::{bring, entries, is_here};
pub(super) use chain::nearest_above;
pub use chain::{Chain, Level, STALE_INFO_DAYS};
pub use change::Change;
pub use context::{BLOCKED_ABOVE, Context, ContextRequest, LoadedKnowledge, Mode, SUMMARY_FROM, context};
pub use entry::{Entry, KINDS, parse_topics};
pub use handoff::{MAX_STATE_TOKENS, WrittenState, find_state, finish_state, write_state};
pub use init::{InitializedDomain, init_domain};
pub use knowledge::{Block, BlockKind, Knowledge};
pub use learn::{Learned, NewEntry, learn, plan_learn};
pub use load::DIRECTORY;
pub use navigation::{Around, ListedFile, Neighbour};
pub use render::{loaded_text, text};
pub use state::{ACTIVE, State, StateFound, read_state};
pub use summary::summarize;

#[cfg(test)]
mod tests;
