//! Source 2: the core files of `.context/`, injected rather than requested.
//!
//! Each file has a [`Strategy`]: verbatim, index, mention or skip. [`load`] finds the directory, reads the files and
//! generates the index tables; the pieces of the resulting [`Gate`], concatenated, are exactly the spec's message.
//! [`entries`] offers the entries behind an index to the selector for each message; [`add_record`], [`add_convention`] and
//! [`add_task`] write in the form that a file already has. [`dead_paths`] finds what no longer exists. Nothing here depends
//! on agents, caps or sessions.

mod archive;
mod candidates;
mod changes;
mod check;
mod convention;
mod draft;
mod edit;
mod entry;
mod filled;
mod find;
mod frame;
mod index;
mod label;
mod message;
mod plan;
mod read;
mod record;
mod scaffold;
mod table;
mod task;
#[cfg(test)]
mod tests;

pub use crate::frames::BANNER_START;
pub use archive::{Archived, archive_tasks};
pub use candidates::entries;
pub use changes::changes;
pub use check::{DeadPath, dead_paths};
pub use convention::{NewConvention, add_convention};
pub use draft::{Draft, draft, is_draft};
pub use find::{CONTEXT, DIRECTORY_VARIABLES, OPENS_VARIABLE, find_directory, is_here, may_have_entries, may_open_early};
pub use frame::{banner, footer};
pub use message::{Gate, Section, UNFILLED, WARN_TOKENS, bring, load, notice};
pub use plan::{CORE, Planned, Strategy, plan};
pub use record::{Record, RecordKind, add_record, plan_record};
pub use scaffold::{Scaffolded, scaffold};
pub use task::{NewTask, add_task, finish_task};
