//! Files that are read by ranges and never believed: the search file and its list.
//!
//! [`blocks`] cuts a file into blocks with a checksum each, checked whenever one is read; the last block is the
//! **trailer**, which says where everything is. [`codec`] reads and writes the numbers and texts inside.

pub(crate) mod blocks;
pub(crate) mod codec;

/// Why packed bytes cannot be used. The remedy is always to make them anew.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Damage {
    /// The system cannot read or write them.
    #[error("cannot read or write a packed file")]
    Io(#[from] std::io::Error),
    /// They contradict each other.
    #[error("damaged: {0}")]
    Corrupt(&'static str),
}
