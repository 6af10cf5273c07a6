//! What the test and the inside of a cell say to each other: one JSON object per line, over stdin and stdout.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::model_api::{ModelRequest, Script};

/// The mock listens here; nobody else can, the network belongs to the cell.
pub(super) const PORT: u16 = 8099;

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Command {
    Script(Script),
    Run(Run),
}

/// A program to run in the cell, with this environment and no other.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Run {
    pub(super) id: usize,
    pub(super) argv: Vec<String>,
    pub(super) env: Vec<(String, String)>,
    pub(super) directory: PathBuf,
    /// Given to the program as a file; empty input where there is none.
    pub(super) stdin: Option<PathBuf>,
    /// Files rather than pipes: a child left behind must not keep us waiting for the end of a pipe.
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
