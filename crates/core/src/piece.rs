//! Pieces: text from a source, loaded and guarded, ready to be fitted into a window.

use crate::note::{Level, Note};
use crate::reason::Reason;
use crate::silence::Silence;
use crate::sources::Source;
use crate::tokens::estimate_bytes;
use crate::watch::Watched;

/// The order in which pieces go into a window when not all fit at once. Pieces of equal order keep theirs.
///
/// The ledger stores these numbers: a new kind gets a new number, and numbers are never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Order {
    /// Hard rules.
    Constitution = 0,
    /// Documents chosen for the current message. They are fitted or left out, never queued.
    Document = 1,
    /// The identity of every domain from the root down to the current directory.
    Chain = 2,
    /// The state handed over by the previous session.
    State = 3,
    /// A domain's knowledge.
    Knowledge = 4,
    /// The other core files of the project.
    Gate = 5,
    /// Files with instructions that the agent does not load by itself.
    Instructions = 6,
    /// The list of what did not fit: always last.
    LeftOut = 255,
}

impl Order {
    /// Returns the number that the ledger stores.
    pub const fn number(self) -> u8 {
        self as u8
    }
}

/// The role of a piece among those of its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Role {
    #[default]
    Body,
    /// It ends the source's output, below a line that counts what was sent.
    Closing,
    /// It stands by itself: no head goes above it, and it is not counted.
    Alone,
}

/// One piece of knowledge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    pub source: Source,
    /// Its identity in the ledger: the absolute path of its file, with `#heading` for a section.
    pub id: String,
    /// The path as shown to the model.
    pub path: String,
    /// The path of its file as shown; differs from `path` for a section, and is empty for text about several files.
    pub file: String,
    pub reason: Reason,
    pub order: Order,
    pub role: Role,
    pub text: String,
    /// The BLAKE3 hash of the text; for a whole file, of its content without the frame.
    pub hash: blake3::Hash,
    /// The texts that contain this one: its file, and the sections around it. A window that has one of them does not need this.
    pub within: Vec<Whole>,
    /// Estimated from bytes; exact counts are made elsewhere.
    pub tokens: u64,
}

/// The identity and the hash of a text that contains others: a whole file, or one of its sections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Whole {
    pub id: String,
    pub hash: blake3::Hash,
}

/// Returns the hash of a file's trimmed content. It is the same for all sources, whatever they show of the file.
pub fn content_hash(text: &str) -> blake3::Hash {
    blake3::hash(text.trim().as_bytes())
}

impl Piece {
    /// Makes a piece of text that has already been guarded.
    pub fn new(source: Source, id: impl Into<String>, path: impl Into<String>, reason: Reason, order: Order, text: String) -> Self {
        let hash = blake3::hash(text.as_bytes());
        let tokens = estimate_bytes(text.len());
        let path = path.into();
        Self { source, id: id.into(), file: path.clone(), path, reason, order, role: Role::Body, text, hash, within: Vec::new(), tokens }
    }

    /// Sets the file that a section belongs to, as shown.
    #[must_use]
    pub fn in_file(self, file: impl Into<String>) -> Self {
        Self { file: file.into(), ..self }
    }

    /// Sets the role among the pieces of its source.
    #[must_use]
    pub fn with_role(self, role: Role) -> Self {
        Self { role, ..self }
    }

    /// Sets the estimate to that of the content alone, without the frame.
    #[must_use]
    pub fn counted_as(self, tokens: u64) -> Self {
        Self { tokens, ..self }
    }

    /// Marks this as a whole file with that content (see [`content_hash`]), whatever frame its text has.
    #[must_use]
    pub fn of_content(self, hash: blake3::Hash) -> Self {
        Self { hash, ..self }
    }

    /// Marks this as a part of a file or a section. It may be part of several.
    #[must_use]
    pub fn part_of(mut self, whole: &Whole) -> Self {
        self.within.push(whole.clone());
        self
    }

    /// Returns whether a window that has `other` also has this.
    pub fn is_within(&self, other: &Self) -> bool {
        self.id == other.id || self.within.iter().any(|whole| whole.id == other.id && whole.hash == other.hash)
    }
}

/// What a source found at a moment: its pieces, and notes about what happened.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Brought {
    pub pieces: Vec<Piece>,
    pub notes: Vec<Note>,
    /// The files that the pieces depend on, missing ones included, as they were before they were read.
    pub watched: Vec<Watched>,
    /// The documents must be prepared for search before the next message, because there was no time for it now.
    pub is_behind: bool,
    /// Why there are no pieces, if the source knows it better than "there is nothing".
    pub silence: Option<Silence>,
    /// The version of the documents that were searched, empty if none were.
    pub documents: String,
}

impl Brought {
    /// Returns whether something could not be read for a reason that may pass, such as an I/O error.
    pub fn is_incomplete(&self) -> bool {
        self.notes.iter().any(|note| note.level > Level::Info && note.kind.may_pass())
    }
}
