//! Why the ledger could not be used. The caller injects without it and says so.

use std::path::PathBuf;

/// One variant per situation the caller treats differently.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process held the lock until our time was up: it is delivering.
    #[error("the ledger was locked by another process until the deadline")]
    Busy,
    #[error("the ledger is damaged: {0}")]
    Corrupt(String),
    #[error("the ledger was written by a newer version (schema {found}, this version knows {known})")]
    Newer { found: i64, known: i64 },
    #[error("`{path}`: {problem}", path = path.display())]
    Place { path: PathBuf, problem: String },
    #[error("the ledger cannot be used: {0}")]
    Unusable(String),
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Corrupt(error.to_string()),
            _ => Self::Unusable(error.to_string()),
        }
    }
}
