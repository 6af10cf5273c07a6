//! One file per command: its arguments, and the few lines that turn them into a request to the engine.

pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod context;
pub(crate) mod doctor;
pub(crate) mod gather;
pub(crate) mod goals;
pub(crate) mod hook;
pub(crate) mod index;
pub(crate) mod init;
pub(crate) mod install;
pub(crate) mod learn;
pub(crate) mod log;
pub(crate) mod maintain;
pub(crate) mod man;
pub(crate) mod pack;
pub(crate) mod preview;
pub(crate) mod read;
pub(crate) mod run;
pub(crate) mod select;
pub(crate) mod state;
pub(crate) mod tmux;
pub(crate) mod trust;
