//! Source 3: the documents that fit a message.
//!
//! An **index** names documents and what they are about: [`Index`] reads every generation there is, [`make`] makes one
//! by following references from document to document, [`find`] tells where the user's and the project's are. [`select`]
//! chooses documents for a message, or lets a model choose from what it found; [`bring`] is the source itself: message
//! in, pieces out. Both search a `Corpus`, the documents of some indexes in a prepared form, which [`prepare`] makes
//! before anybody waits for it.

mod bring;
mod cache;
mod changes;
mod choose;
mod corpus;
mod crawl;
mod entries;
mod excerpt;
mod find;
mod index;
mod list;
mod make;
mod markdown;
mod prepare;
mod read;
mod reference;
mod root;
mod roots;
mod stamp;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_bring;

pub use bring::bring;
pub use choose::{Choice, Model, SelectRequest, asks_a_model, select};
pub use crawl::{DeadReference, MAX_DOCUMENT_BYTES};
pub use find::{INDEX_VARIABLES, IndexFiles, find, may_be_here};
pub use index::{Index, IndexedDocument};
pub use make::{Made, Plan, make};
pub use prepare::prepare;
pub use root::way;
