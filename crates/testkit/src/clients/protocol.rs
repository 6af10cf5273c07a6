//! The protocol between a test and the inside of a cell: one JSON object per line, over stdin and stdout.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::model_api::{ModelRequest, Script};

/// The port of the mock. It is always free, because the cell has its own network.
pub(super) const PORT: u16 = 8099;

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Command {
    Script(Script),
    Run(Run),
}

/// A program to run in the cell, with exactly this environment.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Run {
    pub(super) id: usize,
    pub(super) argv: Vec<String>,
    pub(super) env: Vec<(String, String)>,
    pub(super) directory: PathBuf,
    /// A file to use as stdin. `None` for empty input.
    pub(super) stdin: Option<PathBuf>,
    /// A file instead of a pipe, because a child process that keeps running would keep a pipe open.
    pub(super) stdout: PathBuf,
    pub(super) stderr: PathBuf,
    pub(super) limit_millis: u64,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Event {
    Ready,
    Request(Box<ModelRequest>),
    Exited { id: usize, end: End },
}

/// How a program ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum End {
    Code(Option<i32>),
    TimedOut,
    NotStarted(String),
}
