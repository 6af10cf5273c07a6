//! An index of documents as it was read, and version 1 as it is written.

use std::path::PathBuf;

use serde::Serialize;

use crate::note::Note;

/// The version that is written.
pub(super) const VERSION: u64 = 1;

/// An index: which documents there are, and what they are about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    /// Where it stands.
    pub file: PathBuf,
    /// Nothing outside of this directory is read; canonical.
    pub root: PathBuf,
    pub documents: Vec<IndexedDocument>,
    pub notes: Vec<Note>,
}

/// One document of an index.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct IndexedDocument {
    /// The path as it stands in the index.
    pub path: String,
    pub title: String,
    pub description: String,
    pub tags: Vec<String>,
    pub headings: Vec<String>,
    /// Exact tokens, where the index has them.
    pub tokens: u64,
    /// The BLAKE3 hash of the file's bytes when it was indexed; empty where the index has none.
    pub hash: String,
    /// Where the file should be; inside the root by name. Whether it is there is found out when it is read.
    #[serde(skip)]
    pub file: PathBuf,
    /// Documents that have to be read with it, by their path in the index.
    #[serde(skip)]
    pub requires: Vec<String>,
}

/// Returns the text of an index of version 1: one document a line, so that a change touches one line.
pub(super) fn to_text(root: &str, documents: &[IndexedDocument]) -> String {
    let mut text = format!("{{\"version\":{VERSION},\"root\":{},\"docs\":[", json(&root));
    for (number, document) in documents.iter().enumerate() {
        text.push_str(if number == 0 { "\n" } else { ",\n" });
        text.push_str(&json(document));
    }
    text.push_str("\n]}\n");
    text
}

/// Tells by its first words whether a text is an index that we wrote, of whatever version and however it was laid out.
pub(super) fn is_own(text: &str) -> bool {
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).take(40).collect();
    let version = compact.strip_prefix("{\"version\":");
    version.is_some_and(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(",\"root\":"))
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("texts and numbers can always be written")
}
