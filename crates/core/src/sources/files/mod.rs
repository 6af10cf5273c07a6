//! Source 4: files and directories that a person names.
//!
//! [`gather`] walks the arguments into [`Candidate`]s, [`load`] reads, guards and renders them in parallel into a
//! [`Spool`], [`fit`] applies the limits that need the whole picture, and [`Pack::write`] puts header, tree and
//! sections together. Order is by path and never depends on the number of threads.

mod explain;
mod fit;
mod gather;
mod load;
mod order;
mod pack;
mod rules;
mod spool;
mod tree;

pub use explain::explain;
pub use fit::{Fitted, Left, SortBy, fit, fit_budget};
pub use gather::{Candidate, Gathered, gather};
pub use load::{Job, Loaded, LoadedFile, Progress, Section, load};
pub use pack::Pack;
pub use rules::{Patterns, Rules, ShownLimits};
pub use spool::{Home, Spool};
pub use tree::tree;
