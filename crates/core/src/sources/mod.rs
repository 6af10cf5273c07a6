//! Where knowledge comes from: one module per source.
//!
//! `domains`, `gate` and `docs` open by themselves at their moments; `files` and `requests` are asked on command.

pub mod docs;
pub mod domains;
pub mod files;
pub mod gate;
pub mod requests;
