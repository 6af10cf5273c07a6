//! One file per command: its arguments, and the few lines that turn them into a request to the engine.

pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod gather;
pub(crate) mod man;
pub(crate) mod pack;
pub(crate) mod read;
