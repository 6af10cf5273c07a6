//! Source 3: the documents that match a message.
//!
//! An **index** lists documents and what they are about: [`Index`] reads every version of the format, [`make`] creates
//! one by following references from document to document, and [`find`] locates the user's and the project's.
//! [`select`] chooses documents for a message, or lets a model choose from the candidates; [`bring`] returns their
//! pieces. Both search a `Corpus`, the documents of some indexes in prepared form, which [`prepare`] can build before
//! a message needs it.

mod bring;
mod cache;
mod catalogue;
mod changes;
mod choose;
mod corpus;
mod crawl;
mod entries;
mod excerpt;
mod explain;
#[cfg(test)]
mod failing;
mod find;
mod index;
mod list;
mod make;
mod markdown;
mod parse;
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
mod unlisted;

pub use bring::{bring, reason_of};
pub use catalogue::{Catalogue, Catalogued, Fetched, catalogue, everything};
pub use choose::{Choice, Examined, Model, SelectRequest, Withhold, asks_a_model, examine, select};
pub use corpus::IndexState;
pub use crawl::{DeadReference, MAX_DOCUMENT_BYTES};
pub(in crate::sources) use excerpt::section_of;
pub use explain::{Decision, Explained, Explanation, Found, Shown, Test, TestKind, explain, explain_choice};
pub use find::{INDEX_VARIABLES, IndexFile, IndexFiles, Reach, find, may_be_here, named_from, usual_files};
pub use index::{Index, IndexedDocument};
pub use make::{Made, Plan, make};
pub(in crate::sources) use markdown::imports;
pub use prepare::prepare;
pub use root::way;
pub use unlisted::{Unlisted, unlisted};
