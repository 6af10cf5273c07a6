//! Source 3: the documents that fit a message.
//!
//! An **index** names documents and what they are about: [`Index`] reads every generation there is, [`make`] makes one
//! by following references from document to document, [`find`] tells where the user's and the project's are. A
//! [`Corpus`] is the documents of some indexes, prepared for search; [`choose`] asks it, or a model that is shown what
//! it found. [`bring`] is the source itself: message in, pieces out.

mod bring;
mod cache;
mod choose;
mod corpus;
mod crawl;
mod entries;
mod excerpt;
mod find;
mod index;
mod list;
mod looks;
mod make;
mod markdown;
mod read;
mod reference;
mod root;
mod stamp;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_bring;

pub use bring::{Ask, bring};
pub use choose::{Candidate, Choice, Model, Question, SHOWN, Selector, asks_a_model, choose, open_and_choose};
pub use corpus::{Corpora, Corpus, Member, Offered};
pub use crawl::{DeadReference, MAX_DOCUMENT_BYTES};
pub use entries::entries;
pub use find::{Found, INDEX_VARIABLES, find, may_be_here};
pub use index::{Entry, Index};
pub use list::Listed;
pub use make::{Made, Plan, make};
pub use root::{MARKERS, project_of, way};
