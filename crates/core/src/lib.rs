//! The engine of Briefing. A project's knowledge is in files; an agent is about to work; some of those files must be in
//! its window, within limits, exactly once.
//!
//! Everything flows one way: request → settings → gather → select → load + guard → fit → render → deliver. This crate
//! is synchronous and touches no terminal, environment or network; callers hand those in.
//!
//! A document is a [`Candidate`] before it is read, a [`Piece`] after that, and a [`Segment`] once it has its place in a
//! window. What happens to it on the way is a [`Note`].
//!
//! | to … | call | example |
//! |---|---|---|
//! | put files into one document | [`sources::files::pack`] | `examples/pack.rs` |
//! | choose documents for a message | [`sources::docs::select`] | `examples/select.rs` |
//! | get the knowledge about a directory | [`sources::domains::context()`] | `examples/context.rs` |
//! | load the core files of a project | [`sources::gate::load`] | `examples/gate.rs` |
//! | read what a model asks for | [`sources::requests::read()`] | `examples/read.rs` |
//! | see what a project says about itself | [`survey::survey`] | |
//! | bring what is due into a window | [`sources::bring`], then [`fit::fit`] | `due.rs` of `briefing-agents` |

pub mod candidate;
pub mod failure;
pub mod fit;
pub mod frames;
pub mod fs;
pub mod health;
mod lines;
pub mod load;
mod lock;
pub mod measure;
pub mod moment;
pub mod note;
mod packed;
pub mod piece;
pub mod project;
pub mod reason;
pub mod render;
pub mod secrets;
pub mod select;
pub mod settings;
pub mod shown;
pub mod silence;
pub mod sources;
pub mod survey;
pub mod text;
pub mod tokens;
pub mod update;
pub mod watch;
pub mod yaml;

pub use candidate::Candidate;
pub use failure::Failure;
pub use fit::{Briefing, Segment};
pub use moment::Moment;
pub use note::{Level, Note, NoteKind, Numbers};
pub use piece::{Brought, Order, Piece};
pub use reason::Reason;
pub use render::window::Rendered;
pub use silence::Silence;
pub use sources::Source;

/// Returns the BLAKE3 hash of bytes: the identity of content everywhere in the engine.
pub fn hash(bytes: &[u8]) -> blake3::Hash {
    blake3::hash(bytes)
}
