//! Talking to a model: a small blocking client for OpenAI-compatible chat endpoints, and tolerant reading of answers.
//!
//! This is the only crate on the ordinary path that opens a connection, and it does so only when it is asked to. It
//! reads no environment and no settings: the caller hands in the [`Endpoint`].

pub mod answer;
