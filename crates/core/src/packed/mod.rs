//! Files that are read by ranges and never trusted: the search file and its list.
//!
//! [`blocks`] divides a file into blocks with a checksum each, verified on every read; the last block is the
//! **trailer**, which has the positions of all parts. [`codec`] reads and writes the numbers and texts inside.

pub(crate) mod blocks;
pub(crate) mod codec;

/// Why packed bytes cannot be used. The fix is always to rebuild them.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Damage {
    /// The system could not read or write them.
    #[error("cannot read or write a packed file")]
    Io(#[from] std::io::Error),
    /// They are inconsistent.
    #[error("damaged: {0}")]
    Corrupt(&'static str),
}
