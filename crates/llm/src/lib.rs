//! A small blocking client for OpenAI-compatible chat endpoints, and a tolerant parser for answers.
//!
//! [`Endpoint`] holds address, model and key; [`Client`] sends a request or streams the answer; [`answer`] finds the
//! list in an answer, and [`requests`] the files that a text asks for. [`gather`] chooses files for a task, with a model
//! or by the words of the task; [`choose`] lets a model choose documents for a message. Nothing here reads environment
//! variables; the caller passes them in.

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
