//! The files read so far, in the order in which they were requested.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use serde::Serialize;

use crate::fs::FileProblem;
use crate::note::Note;
use crate::shown::path_text;

/// The result of one request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "status", rename_all = "lowercase")]
pub enum Content {
    /// The text of the file, with secrets redacted.
    Read { content: String },
    /// The file is larger than the limit and was not read.
    Skipped { size: u64, limit: u64 },
    /// The file could not be read; the message has the format of Node's.
    Error {
        message: String,
        #[serde(skip)]
        problem: FileProblem,
    },
}

impl Content {
    /// Returns the text for the output: the file's own, or a sentence that says why there is none.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Read { content } => Cow::Borrowed(content),
            Self::Skipped { size, limit } => Cow::Owned(format!("[Skipped: file size {size} bytes exceeds maxFileSize {limit}]")),
            Self::Error { message, .. } => Cow::Owned(format!("[Error reading file: {message}]")),
        }
    }
}

/// One request and its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadFile {
    /// The absolute path, without `.` and `..`.
    pub path: PathBuf,
    pub content: Content,
}

impl ReadFile {
    /// Returns the path as shown to models and users: relative to `here`, with `../` if it is elsewhere.
    pub fn label(&self, here: &Path) -> String {
        relative(&self.path, here)
    }
}

/// An insertion-ordered map from path to content, with notes.
///
/// The original tool used the path as typed as the key, so that `a.md` and `./a.md` were two files, and a file in
/// another directory was labelled as if it were in the current one. Here, the key is the full path.
#[derive(Debug, Clone, Default)]
pub struct ReadFiles {
    files: Vec<ReadFile>,
    index: HashMap<PathBuf, usize>,
    pub notes: Vec<Note>,
}

impl ReadFiles {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn len(&self) -> usize {
        self.files.len()
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns whether this path (absolute, normalised) was requested before.
    pub fn contains(&self, path: &Path) -> bool {
        self.index.contains_key(path)
    }

    pub fn get(&self, path: &Path) -> Option<&Content> {
        self.index.get(path).map(|at| &self.files[*at].content)
    }

    /// Adds a file at the end. An existing path keeps its place and its content.
    pub fn insert(&mut self, path: PathBuf, content: Content) {
        if !self.index.contains_key(&path) {
            self.index.insert(path.clone(), self.files.len());
            self.files.push(ReadFile { path, content });
        }
    }

    pub fn iter(&self) -> std::slice::Iter<'_, ReadFile> {
        self.files.iter()
    }

    /// Returns the files from an index on: those that a round has added.
    pub fn since(&self, place: usize) -> &[ReadFile] {
        self.files.get(place..).unwrap_or_default()
    }
}

impl<'a> IntoIterator for &'a ReadFiles {
    type Item = &'a ReadFile;
    type IntoIter = std::slice::Iter<'a, ReadFile>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Returns `path` relative to `base` by name only (both absolute and normalised), with `/` as separator.
pub(super) fn relative(path: &Path, base: &Path) -> String {
    let shared = path.components().zip(base.components()).take_while(|(a, b)| a == b).count();
    if shared == 0 {
        return path_text(path);
    }
    let up = base.components().skip(shared).map(|_| Component::ParentDir);
    let result: PathBuf = up.chain(path.components().skip(shared)).collect();
    path_text(&result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_relative_to_the_current_directory() {
        for (path, base, expected) in [
            ("/w/p/a.md", "/w/p", "a.md"),
            ("/w/p/sub/a.md", "/w/p", "sub/a.md"),
            ("/w/other/a.md", "/w/p/deep", "../../other/a.md"),
            ("/etc/passwd", "/w", "../etc/passwd"),
            ("/w/p", "/w/p", "."),
        ] {
            assert_eq!(relative(Path::new(path), Path::new(base)), expected);
        }
    }

    #[test]
    fn insertion_order_stays_and_the_first_content_wins() {
        let mut files = ReadFiles::new();
        let read = |text: &str| Content::Read { content: text.into() };
        files.insert("/b".into(), read("1"));
        files.insert("/a".into(), read("2"));
        files.insert("/b".into(), read("3"));
        let seen: Vec<_> = files.iter().map(|file| (file.path.to_str().unwrap(), file.content.text())).collect();
        assert_eq!(seen, [("/b", "1".into()), ("/a", "2".into())]);
        assert_eq!(files.since(1).len(), 1);
        assert!(files.since(9).is_empty());
    }

    #[test]
    fn skips_and_errors_have_their_literal_sentences() {
        assert_eq!(Content::Skipped { size: 9, limit: 5 }.text(), "[Skipped: file size 9 bytes exceeds maxFileSize 5]");
        assert_eq!(Content::Error { message: "why".into(), problem: FileProblem::Binary }.text(), "[Error reading file: why]");
    }
}
