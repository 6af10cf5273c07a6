//! Chooses the documents that match a message, or none.
//!
//! Input is documents ([`Document`]) and a message; the result is a [`Selection`] with ranks, scores and reasons. Pure
//! and synchronous: no environment, no network, no clock. The same documents and message always give the same result.
//!
//! The steps for a message: [`user_words`] keeps what the user wrote → [`terms`] splits it → `rank` scores documents
//! by words and meaning → `abstain` decides whether the message is about any of them → [`SearchIndex::query`] cuts the
//! list.
//!
//! Documents are prepared once in a **search file** (`build`, `layout`, `file`), which a query reads by ranges.
//! `update` reuses what an older file has, and `merge` combines both. Documents of several indexes (global and
//! project) go into **one** search file: they share term frequencies and average lengths, so scores are comparable
//! without merging, and only one file is opened per message. The price is that the global documents are prepared once
//! per project, which a hash check makes rare.

mod abstain;
mod build;
mod document;
mod file;
mod fitted;
mod index;
mod kinds;
mod layout;
mod merge;
mod message;
mod phrasing;
mod rank;
mod secondary;
pub mod sections;
mod stem;
mod stop;
#[cfg(test)]
mod tests;
mod update;
mod vectors;
mod weights;
mod words;
mod write;

pub use abstain::{Evidence, FEATURES};
pub use document::{Document, Field};
pub use file::SearchFileError;
pub use fitted::{Fitted, SPLITS, Tree};
pub use index::{Abstention, Match, Ranked, RankedSection, SearchIndex, Selection, Verdict};
pub use kinds::{Features, KINDS};
pub use layout::Fingerprint;
pub use message::user_words;
pub use rank::PARTS;
pub use update::Wanted;
pub use weights::Weights;
pub use words::{Term, TermKind, terms};
