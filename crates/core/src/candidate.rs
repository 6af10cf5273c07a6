//! Candidates: what may go into a window or a document, before it is read.

use std::path::{Path, PathBuf};

use crate::select::Ranked;
use crate::shown::path_text;

/// A file, or an entry of one, that may go into a window or a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate<A = About> {
    /// The file to open.
    pub path: PathBuf,
    /// The path as shown to people and models.
    pub shown: String,
    /// What its source knows about it: how a selector ranked a document, how a walk found a file.
    pub about: A,
}

/// What a selector knows about a document or an entry.
#[derive(Debug, Clone, PartialEq)]
pub struct About {
    /// Its name in the index; for an entry, its identity.
    pub name: String,
    /// What an index with names calls it; empty in others.
    pub called: String,
    pub description: String,
    pub tags: Vec<String>,
    pub body: Body,
    /// Its identity, title, score and matches. All scores are zero until a message has been searched for.
    pub ranked: Ranked,
    /// Its rank among the chosen ones, from 0, best first.
    pub chosen: Option<usize>,
}

impl About {
    /// Returns the text of an entry. A document's text is read when it is needed.
    pub fn text(&self) -> &str {
        match &self.body {
            Body::Entry { text } => text,
            Body::File { .. } => "",
        }
    }
}

/// Where the text of a document is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// In a file below the root of the index with this number, read when it is needed.
    File { index: usize, root: PathBuf },
    /// Here: an entry is read together with its file, and secrets are redacted.
    Entry { text: String },
}

impl Candidate {
    /// Makes a candidate from an entry of a file that is not loaded whole. `name` is unique within the file.
    pub fn entry(path: &Path, name: &str, title: &str, tags: Vec<String>, text: &str) -> Self {
        let shown = path_text(path);
        let id = format!("{shown}#{name}");
        let ranked = Ranked { id: id.clone(), title: title.to_owned(), ..Ranked::default() };
        let (called, description) = (String::new(), String::new());
        let about = About { name: id, called, description, tags, body: Body::Entry { text: text.to_owned() }, ranked, chosen: None };
        Self { path: path.to_path_buf(), shown, about }
    }

    /// Returns its identity in search and in the ledger: the full path of its file, with `#name` for an entry.
    pub fn id(&self) -> &str {
        &self.about.ranked.id
    }

    pub fn title(&self) -> &str {
        &self.about.ranked.title
    }

    /// Returns whether it was chosen.
    pub fn is_chosen(&self) -> bool {
        self.about.chosen.is_some()
    }
}
