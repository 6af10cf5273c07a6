//! Source 2: the core files of `.context/`, injected rather than requested.
//!
//! Each file has a [`Strategy`]: verbatim, index, mention or skip. [`load`] finds the directory, reads the files and
//! generates the index tables; the pieces of the resulting [`Gate`], concatenated, are exactly the spec's message.
//! [`entries`] offers the entries behind an index to the selector for each message; [`add_record`] and [`add_task`]
//! write entries in the format of these directories. Nothing here depends on agents, caps or sessions.

mod edit;
mod entry;
mod find;
mod frame;
mod index;
mod message;
mod plan;
mod read;
mod record;
mod scaffold;
mod task;
#[cfg(test)]
mod tests;

pub use crate::frames::BANNER_START;
pub use entry::entries;
pub use find::{CONTEXT, find_directory, is_here, may_have_entries};
pub use frame::banner;
pub use message::{Gate, Section, WARN_TOKENS, bring, load, notice};
pub use plan::{CORE, Planned, Strategy, plan};
pub use record::{Record, RecordKind, add_record};
pub use scaffold::{Scaffolded, scaffold};
pub use task::{NewTask, add_task, finish_task};
