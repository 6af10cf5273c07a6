//! One file per command: its arguments, and the few lines that turn them into a request to the engine.

pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod context;
pub(crate) mod gather;
pub(crate) mod init;
pub(crate) mod learn;
pub(crate) mod maintain;
pub(crate) mod man;
pub(crate) mod pack;
pub(crate) mod read;
pub(crate) mod state;
