//! The engine of Briefing: somebody has knowledge in files, an agent is about to work, a few of those files must be
//! in its window, within limits, exactly once.
//!
//! Everything flows one way: request → settings → gather → select → load + guard → fit → render → deliver. This crate
//! is synchronous and touches no terminal, environment or network; callers hand those in.

pub mod candidate;
pub mod failure;
pub mod fit;
pub mod fs;
mod lines;
pub mod load;
mod lock;
pub mod measure;
pub mod moment;
pub mod note;
mod packed;
pub mod piece;
pub mod reason;
pub mod render;
pub mod secrets;
pub mod select;
pub mod settings;
pub mod shown;
pub mod sources;
pub mod text;
pub mod tokens;

pub use candidate::Candidate;
pub use failure::Failure;
pub use fit::{Briefing, Segment};
pub use moment::Moment;
pub use note::{Level, Note, NoteKind};
pub use piece::{Brought, Order, Piece};
pub use reason::Reason;
pub use render::window::Rendered;
pub use sources::Source;

/// Returns the BLAKE3 hash of bytes: the identity of content everywhere in the engine.
pub fn hash(bytes: &[u8]) -> blake3::Hash {
    blake3::hash(bytes)
}
