//! Talking to a model: a small blocking client for OpenAI-compatible chat endpoints, and tolerant reading of answers.
//!
//! [`Endpoint`] says where and who, [`Client`] asks once or streams, [`answer`] finds the list in what comes back,
//! [`gather`] is the loop that lets a model choose files, [`choose`] lets it choose documents for a message. Nothing
//! here reads the environment; the caller hands it in.

pub mod answer;
pub mod choose;
mod client;
mod endpoint;
pub mod gather;
mod problem;
mod stream;

pub use client::{Client, Limits, Message, Role};
pub use endpoint::{Endpoint, Key};
