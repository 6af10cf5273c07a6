//! An index of documents as it was read, and how version 1 is written.

use std::path::PathBuf;

use serde::Serialize;

use crate::note::Note;

/// The version that is written.
pub(super) const VERSION: u64 = 1;

/// An index: a list of documents and what they are about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    /// The path of the index file.
    pub file: PathBuf,
    /// The directory outside of which nothing is read; canonical.
    pub root: PathBuf,
    /// The root that the file names, before links are resolved.
    pub(super) named_root: Option<PathBuf>,
    /// Whether the directory that paths are relative to is certain. It is not if none of the documents could be found.
    pub(super) is_settled: bool,
    pub documents: Vec<IndexedDocument>,
    pub notes: Vec<Note>,
}

impl Index {
    /// Returns an index without documents, in place of one that cannot be read.
    pub(super) fn empty(file: PathBuf) -> Self {
        Self { file, root: PathBuf::new(), named_root: None, is_settled: true, documents: Vec::new(), notes: Vec::new() }
    }
}

/// One document of an index.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct IndexedDocument {
    /// The path as written in the index.
    pub path: String,
    /// Its name in an index that names documents; empty in others.
    #[serde(skip)]
    pub id: String,
    pub title: String,
    pub description: String,
    pub tags: Vec<String>,
    pub headings: Vec<String>,
    /// Where it applies, as globs relative to the root of the index; empty if it does not say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub applies_to: Vec<String>,
    /// The exact number of tokens, if the index has it.
    pub tokens: u64,
    /// The BLAKE3 hash of the file's bytes when it was indexed; empty if the index has none.
    pub hash: String,
    /// Where the file should be; inside the root by name. Its existence is checked only when it is read.
    #[serde(skip)]
    pub file: PathBuf,
    /// The documents that must be read with it, by their path in the index.
    #[serde(skip)]
    pub requires: Vec<String>,
}

/// Returns the text of an index of version 1: one document per line, so that diffs are small.
pub(super) fn to_text(root: &str, documents: &[IndexedDocument]) -> String {
    let mut text = format!("{{\"version\":{VERSION},\"root\":{},\"docs\":[", json(&root));
    for (number, document) in documents.iter().enumerate() {
        text.push_str(if number == 0 { "\n" } else { ",\n" });
        text.push_str(&json(document));
    }
    text.push_str("\n]}\n");
    text
}

/// Returns whether a text is an index written by `brief`, of any version and layout, judging by its beginning.
pub(super) fn is_own(text: &str) -> bool {
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).take(40).collect();
    let version = compact.strip_prefix("{\"version\":");
    version.is_some_and(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(",\"root\":"))
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("strings and numbers can always be serialised")
}
