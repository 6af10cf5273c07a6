//! Tells a webhook that context was injected: how much, never what.
//!
//! [`Receiver`] is an address that may be used, [`mod@file`] keeps it for the user, [`send`] posts one [`Event`] within a
//! second. Nothing here blocks an agent: the caller does this in a process of its own.

mod address;
pub mod file;
mod receiver;
mod send;

pub use receiver::{Receiver, ReceiverProblem};
pub use send::{Event, LIMIT, SendProblem, send};
