//! Source 5: files that a model requests, behind guards, as assignments.
//!
//! [`read()`] reads a model's requests and the user's includes into one insertion-ordered [`ReadFiles`]. A file that
//! cannot be read is an entry that says so, because the model has to know. [`build_context_assign_string`] and
//! [`render`] turn them into text. Nothing here depends on how requests arrive or talks to a model.

mod assign;
mod listing;
mod local;
mod matcher;
mod named;
mod names;
mod read;
mod read_files;
mod render;
mod request;
mod token;

pub use assign::{build_context_assign_string, quoted};
pub use listing::Listing;
pub use local::choose;
pub use matcher::build_matcher;
pub use named::{Asked, Named, named};
pub use names::{Names, build_safe_base_name};
pub use read::{MAX_BYTES, Options, read_include_files, read_requested_files};
pub use read_files::{Content, ReadFile, ReadFiles};
pub use render::{Format, render};
pub use request::{ReadRequest, Requested, read};
pub use token::build_here_doc_token;
