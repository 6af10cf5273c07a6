//! Source 4: files and directories that the user names.
//!
//! [`pack`] is the whole pipeline: `gather` walks the arguments into [`Candidate`](crate::Candidate)s, `load` reads,
//! guards and renders them in parallel into a `Spool`, `fit` applies the limits that depend on all files, and
//! [`Packed::write`] combines header, tree and sections. The order is by path and never depends on the number of
//! threads.

mod document;
mod error_mode;
mod explain;
mod fit;
mod gather;
mod load;
mod lock_files;
mod order;
mod pack;
mod priority;
mod rules;
mod spool;
mod tree;

pub use document::Packed;
pub use error_mode::Decision;
pub use fit::{Fitted, Left, SortBy};
pub use gather::{Found, Gathered, WalkedRoot, gather};
pub use load::{LoadedFile, Progress, Section};
pub use pack::{PackRequest, Tokens, pack};
pub use priority::Priority;
pub use rules::{Patterns, Purpose, Rules, ShownLimits};
