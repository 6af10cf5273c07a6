//! Why the ledger could not be used. The hook then works without it and says so.

use std::io;
use std::path::{Path, PathBuf};

use briefing_core::fs::FileProblem;

/// One variant per situation that callers treat differently.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process, which is delivering, held the lock until our deadline.
    #[error("the ledger was locked by another process until the deadline")]
    Busy,
    #[error("the ledger is damaged: {0}")]
    Corrupt(String),
    #[error("the ledger was written by a newer version (schema {found}, this version knows {known})")]
    Newer { found: i64, known: i64 },
    #[error("`{path}`: {problem}", path = path.display())]
    Place { path: PathBuf, problem: FileProblem },
    #[error("the ledger cannot be used: {0}")]
    Unusable(String),
}

impl StoreError {
    /// Returns the error for one of our files or directories that cannot be used.
    pub(crate) fn at(path: &Path, error: io::Error) -> Self {
        Self::Place { path: path.to_path_buf(), problem: error.into() }
    }
}
