//! Chooses the documents that fit a message, or none.
//!
//! Goes in: documents ([`Document`]) and a message. Comes out: a [`Selection`] with ranks, scores and reasons. Pure and
//! synchronous: no environment, no network, no clock; the same documents and message give the same answer.
//!
//! The way of a message: [`user_words`] keeps what the user said → [`terms`] splits it → `rank` scores documents by
//! words and meaning → `abstain` decides whether any of them is meant → [`SearchIndex::query`] cuts the list.
//!
//! Documents are prepared once into a **search file** (`build`, `layout`, `file`), which a query reads by ranges; `update`
//! takes over what an older file has, and `merge` makes one of both.
//! Documents of several indexes (global and project) go into **one** search file: rareness of terms and average
//! lengths are then shared, so scores compare without any merging, and one file is opened per message. The price is
//! that the global documents are prepared once per project, which a hash check makes rare.

mod abstain;
mod build;
mod document;
mod file;
mod index;
mod layout;
mod merge;
mod message;
mod rank;
pub mod sections;
mod sound;
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
pub use index::{Abstention, Match, Ranked, RankedSection, SearchIndex, Selection, Verdict};
pub use layout::Fingerprint;
pub use message::user_words;
pub use sound::direction;
pub use update::Wanted;
pub use weights::Weights;
pub use words::{Term, TermKind, terms};
