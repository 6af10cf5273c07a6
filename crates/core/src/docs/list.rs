//! The list beside a search file: which documents it was made from, and how each file looked then.
//!
//! With it a query needs a `stat` per document instead of reading indexes and documents. Whatever cannot be read is
//! made anew, so the format has no versions to convert: another one is simply no list.

use std::path::{Path, PathBuf};

use super::stamp::Stamp;

const MAGIC: &[u8; 8] = b"BRIEFLS1";

/// An index that documents came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) file: PathBuf,
    pub(super) root: PathBuf,
    pub(super) stamp: Stamp,
}

/// A document of an index, as it was when it was last read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The number of its index.
    pub source: usize,
    /// The path as it stands in the index.
    pub path: String,
    pub file: PathBuf,
    /// The tags that its index gives it.
    pub tags: Vec<String>,
    /// Documents that its index wants read with it.
    pub requires: Vec<String>,
    pub(super) stamp: Stamp,
    /// The hash of what its index says about it.
    pub(super) about: [u8; 32],
    /// The hash of its bytes; none if it could not be read.
    pub(super) content: Option<[u8; 32]>,
}

impl Listed {
    /// Returns its name in the search file: unique, and the same on every run.
    pub(super) fn id(&self) -> String {
        self.file.to_string_lossy().into_owned()
    }

    /// Returns what the search file is valid for.
    pub(super) fn key(&self) -> Option<String> {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.content?).update(&self.about).update(self.path.as_bytes());
        Some(hasher.finalize().to_hex().to_string())
    }
}

/// The whole list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct List {
    pub(super) sources: Vec<Source>,
    pub(super) documents: Vec<Listed>,
}

impl List {
    pub(super) fn encode(&self) -> Option<Vec<u8>> {
        let mut out = MAGIC.to_vec();
        put_number(&mut out, self.sources.len() as u64);
        for source in &self.sources {
            put_path(&mut out, &source.file)?;
            put_path(&mut out, &source.root)?;
            put_stamp(&mut out, source.stamp);
        }
        put_number(&mut out, self.documents.len() as u64);
        for document in &self.documents {
            put_number(&mut out, document.source as u64);
            put_text(&mut out, &document.path);
            put_path(&mut out, &document.file)?;
            for texts in [&document.tags, &document.requires] {
                put_number(&mut out, texts.len() as u64);
                for text in texts {
                    put_text(&mut out, text);
                }
            }
            put_stamp(&mut out, document.stamp);
            out.extend_from_slice(&document.about);
            out.push(u8::from(document.content.is_some()));
            out.extend_from_slice(&document.content.unwrap_or_default());
        }
        Some(out)
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut input = Input(bytes.strip_prefix(MAGIC)?);
        let mut list = Self::default();
        for _ in 0..input.number()? {
            list.sources.push(Source { file: input.path()?, root: input.path()?, stamp: input.stamp()? });
        }
        for _ in 0..input.number()? {
            let source = usize::try_from(input.number()?).ok().filter(|source| *source < list.sources.len())?;
            let (path, file) = (input.text()?.to_owned(), input.path()?);
            let (tags, requires) = (input.texts()?, input.texts()?);
            let (stamp, about) = (input.stamp()?, input.hash()?);
            let is_read = input.take(1)?[0] == 1;
            let content = Some(input.hash()?).filter(|_| is_read);
            list.documents.push(Listed { source, path, file, tags, requires, stamp, about, content });
        }
        input.0.is_empty().then_some(list)
    }
}

fn put_number(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(&(number as u32).to_le_bytes());
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put_number(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// A path that is not UTF-8 cannot be kept: then there is no list, which costs time and nothing else.
fn put_path(out: &mut Vec<u8>, path: &Path) -> Option<()> {
    put_text(out, path.to_str()?);
    Some(())
}

fn put_stamp(out: &mut Vec<u8>, stamp: Stamp) {
    for number in stamp.0 {
        out.extend_from_slice(&number.to_le_bytes());
    }
}

struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u64> {
        Some(u64::from(u32::from_le_bytes(self.take(4)?.try_into().ok()?)))
    }

    fn text(&mut self) -> Option<&'a str> {
        let length = self.number()? as usize;
        std::str::from_utf8(self.take(length)?).ok()
    }

    fn texts(&mut self) -> Option<Vec<String>> {
        (0..self.number()?).map(|_| self.text().map(str::to_owned)).collect()
    }

    fn path(&mut self) -> Option<PathBuf> {
        self.text().map(PathBuf::from)
    }

    fn stamp(&mut self) -> Option<Stamp> {
        let mut stamp = [0; 4];
        for number in &mut stamp {
            *number = u64::from_le_bytes(self.take(8)?.try_into().ok()?);
        }
        Some(Stamp(stamp))
    }

    fn hash(&mut self) -> Option<[u8; 32]> {
        self.take(32)?.try_into().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_survives_the_disk_and_damage_is_noticed() {
        let list = List {
            sources: vec![Source { file: "/p/index.json".into(), root: "/p".into(), stamp: Stamp([1, 2, 3, 4]) }],
            documents: vec![
                Listed {
                    source: 0,
                    path: "a.md".into(),
                    file: "/p/a.md".into(),
                    tags: vec!["x".into(), String::new()],
                    requires: vec!["b.md".into()],
                    stamp: Stamp::MISSING,
                    about: [7; 32],
                    content: None,
                },
                Listed {
                    source: 0,
                    path: "é.md".into(),
                    file: "/p/é.md".into(),
                    tags: Vec::new(),
                    requires: Vec::new(),
                    stamp: Stamp([9, 8, 7, 6]),
                    about: [1; 32],
                    content: Some([2; 32]),
                },
            ],
        };
        let bytes = list.encode().unwrap();
        assert_eq!(List::decode(&bytes), Some(list));
        for end in 0..bytes.len() {
            assert_eq!(List::decode(&bytes[..end]), None, "{end}");
        }
    }
}
