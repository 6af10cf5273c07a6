//! What a source brings: text that was loaded and guarded, ready to be fitted into a window.

use crate::note::Note;
use crate::secrets;
use crate::tokens::estimate_bytes;

/// The order in which pieces go into a window when not all fit at once: first in, first out within each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Order {
    /// Hard rules.
    Constitution,
    /// Documents chosen for the running message. They are fitted, never queued.
    Document,
    /// The identity of every domain from the root down to here.
    Chain,
    /// The hand-off of the session before.
    State,
    /// A domain's knowledge.
    Knowledge,
    /// The other core files of the project.
    Gate,
}

/// One piece of knowledge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Its identity in the ledger: the absolute path of its file, with `#heading` for a section of it.
    pub id: String,
    /// The path as shown to the model.
    pub path: String,
    /// Why it is here: a clause such as `domain knowledge` or `matches: retry, backoff`.
    pub reason: String,
    pub order: Order,
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
    pub fn new(id: impl Into<String>, path: impl Into<String>, reason: impl Into<String>, order: Order, text: String) -> Self {
        let hash = blake3::hash(text.as_bytes());
        let tokens = estimate_bytes(text.len());
        Self { id: id.into(), path: path.into(), reason: reason.into(), order, text, hash, whole: None, tokens }
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
}

/// Takes secrets out of `text` and leaves a note for each.
pub fn guard(path: &str, text: String, notes: &mut Vec<Note>) -> String {
    let redacted = secrets::redact(&text);
    if redacted.secrets.is_empty() {
        return text;
    }
    notes.extend(redacted.secrets.iter().map(|secret| secret.note(path)));
    redacted.text.into_owned()
}
