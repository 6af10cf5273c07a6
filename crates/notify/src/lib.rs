//! Notifies a webhook that context was injected. A notification contains amounts, never content.
//!
//! [`Receiver`] is a checked address, [`mod@file`] stores it for the user, and [`send`] posts one [`Event`] within a
//! second. The caller runs this in a separate process, so that it never delays an agent.

mod address;
pub mod file;
mod receiver;
mod send;

pub use receiver::{Receiver, ReceiverProblem};
pub use send::{Event, LIMIT, SendProblem, send};
