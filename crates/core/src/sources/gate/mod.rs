//! Source 2: the core files of `.context/`, injected rather than requested.
//!
//! Each file has a [`Strategy`]: verbatim, index, mention or skip. [`load`] finds the directory, reads the files and
//! makes the index tables; [`Gate`] is the result, whose pieces concatenated are the spec's message to the letter.
//! [`entries`] offers what an index only names to the selector of each message, [`add_record`] and [`add_task`] write
//! entries the way these directories have them. Nothing here knows agents, caps or sessions.

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

pub use entry::entries;
pub use find::{CONTEXT, find_directory, is_here, may_have_entries};
pub use frame::{BANNER_START, banner};
pub use message::{Gate, Section, WARN_TOKENS, bring, load, notice};
pub use plan::{CORE, Planned, Strategy, plan};
pub use record::{Record, RecordKind, add_record};
pub use scaffold::{Scaffolded, scaffold};
pub use task::{NewTask, add_task, finish_task};
