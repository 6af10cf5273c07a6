//! What a source brings: text that was loaded and guarded, ready to be fitted into a window.

use crate::note::Note;
use crate::reason::Reason;
use crate::sources::Source;
use crate::tokens::estimate_bytes;

/// The order in which pieces go into a window when not all fit at once: first in, first out within each.
///
/// The ledger keeps these numbers: a new kind gets a number of its own, none is ever given to another kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Order {
    /// Hard rules.
    Constitution = 0,
    /// Documents chosen for the running message. They are fitted, never queued.
    Document = 1,
    /// The identity of every domain from the root down to here.
    Chain = 2,
    /// The hand-off of the session before.
    State = 3,
    /// A domain's knowledge.
    Knowledge = 4,
    /// The other core files of the project.
    Gate = 5,
    /// The list of what had no room: always last.
    LeftOut = 255,
}

impl Order {
    /// Returns the number under which the ledger keeps it.
    pub const fn number(self) -> u8 {
        self as u8
    }
}

/// The place of a piece among those of its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Role {
    #[default]
    Body,
    /// It begins with its source's head, the lines above everything the source says.
    Head,
    /// It closes what the source says: no head is put above it.
    Closing,
}

/// One piece of knowledge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    pub source: Source,
    /// Its identity in the ledger: the absolute path of its file, with `#heading` for a section of it.
    pub id: String,
    /// The path as shown to the model.
    pub path: String,
    pub reason: Reason,
    pub order: Order,
    pub role: Role,
    pub text: String,
    /// The BLAKE3 hash of the text; of a whole file, that of its content, however it is framed here.
    pub hash: blake3::Hash,
    /// The file that this is a part of: who has the whole needs no part.
    pub whole: Option<Whole>,
    /// Estimated from bytes; exact counts are made elsewhere.
    pub tokens: u64,
}

/// The identity and the hash of a whole file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Whole {
    pub id: String,
    pub hash: blake3::Hash,
}

/// Returns the hash of a file's content, without the space around it: all sources see the same, whatever they show of it.
pub fn content_hash(text: &str) -> blake3::Hash {
    blake3::hash(text.trim().as_bytes())
}

impl Piece {
    /// Makes a piece of text that was already guarded.
    pub fn new(source: Source, id: impl Into<String>, path: impl Into<String>, reason: Reason, order: Order, text: String) -> Self {
        let hash = blake3::hash(text.as_bytes());
        let tokens = estimate_bytes(text.len());
        Self { source, id: id.into(), path: path.into(), reason, order, role: Role::Body, text, hash, whole: None, tokens }
    }

    /// Says which place it has among the pieces of its source.
    #[must_use]
    pub fn with_role(self, role: Role) -> Self {
        Self { role, ..self }
    }

    /// Says that this is the whole of a file with that content (see [`content_hash`]), whatever frame its text has.
    #[must_use]
    pub fn of_content(self, hash: blake3::Hash) -> Self {
        Self { hash, ..self }
    }

    /// Says that this is a part of a file.
    #[must_use]
    pub fn part_of(self, whole: &Whole) -> Self {
        Self { whole: Some(whole.clone()), ..self }
    }

    /// Tells whether somebody who has the other has this too.
    pub fn is_within(&self, other: &Self) -> bool {
        self.id == other.id || self.whole.as_ref().is_some_and(|whole| whole.id == other.id && whole.hash == other.hash)
    }
}

/// What a source found at a moment: its pieces, and what happened on the way.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Brought {
    pub pieces: Vec<Piece>,
    pub notes: Vec<Note>,
    /// The documents have to be prepared for search before the next message: there was no time to do it now.
    pub is_behind: bool,
}
