//! Talking to a model: a small blocking client for OpenAI-compatible chat endpoints, and tolerant reading of answers.
//!
//! [`Endpoint`] says where and who, [`Client`] asks once or streams, [`answer`] finds the list in what comes back and
//! [`requests`] the files it asks for. [`gather`] lets a model, or the words of a task, choose files; [`choose`] lets a
//! model choose documents for a message. Nothing here reads the environment; the caller hands it in.

pub mod answer;
pub mod choose;
mod client;
mod endpoint;
pub mod gather;
mod problem;
pub mod requests;
mod stream;

pub use client::{Client, Limits, Message, Role};
pub use endpoint::{Endpoint, Key};
