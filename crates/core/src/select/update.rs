//! Builds a search file from documents, reusing what an older file has.
//!
//! Only new or changed documents are loaded, one at a time, and analysed. They go into batches of bounded size;
//! finally the older file and the batches are merged. The cost depends on what changed, and memory does not grow with
//! the total size of the text.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{Seek, Write};
use std::path::Path;

use super::SearchFileError;
use super::build::Batch;
use super::document::Document;
use super::file::SearchFile;
use super::layout::{Fingerprint, Key};
use super::merge::{Origin, merge};

/// A batch is closed when it contains this much text.
const BATCH_BYTES: usize = 24 * 1024 * 1024;

/// The documents that a search file should contain.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// In the order of their ids, without duplicates: the key, and the index in the caller's order.
    documents: Vec<(Key, usize)>,
}

impl Wanted {
    /// Takes ids with content hashes, in any order; documents without a hash are left out. Of equal ids, the first by
    /// hash is kept.
    pub fn new<'a>(documents: impl IntoIterator<Item = (&'a str, Option<&'a str>)>) -> Self {
        let placed = documents.into_iter().enumerate().filter_map(|(place, (id, hash))| Some((id, hash?, place)));
        let mut sorted: Vec<(&str, &str, usize)> = placed.collect();
        sorted.sort_unstable();
        sorted.dedup_by_key(|(id, _, _)| *id);
        Self { documents: sorted.into_iter().map(|(id, hash, place)| (Key::of(id, hash), place)).collect() }
    }

    /// Returns the fingerprint of a file with exactly these documents.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of_keys(self.documents.iter().map(|(key, _)| *key))
    }
}

/// Loads a document by its index.
pub(super) type Load<'a> = dyn FnMut(usize) -> Cow<'a, Document> + 'a;

/// Writes a search file for the wanted documents. Batches are kept in unnamed files in `spool`, or in memory if there
/// is none.
pub(super) fn update<W: Write>(
    wanted: &Wanted,
    old: Option<SearchFile>,
    load: &mut Load<'_>,
    spool: Option<&Path>,
    out: W,
) -> Result<W, SearchFileError> {
    update_by(BATCH_BYTES, wanted, old, load, spool, out)
}

fn update_by<W: Write>(
    batch_bytes: usize,
    wanted: &Wanted,
    old: Option<SearchFile>,
    load: &mut Load<'_>,
    spool: Option<&Path>,
    out: W,
) -> Result<W, SearchFileError> {
    let known: HashMap<Key, u32> = match &old {
        Some(old) => old.keys()?.into_iter().zip(0..).collect(),
        None => HashMap::new(),
    };
    let mut files: Vec<SearchFile> = old.into_iter().collect();
    let mut origins: Vec<Origin> = Vec::with_capacity(wanted.documents.len());
    let mut batch = Batch::default();
    for (key, place) in &wanted.documents {
        if let Some(number) = known.get(key) {
            origins.push((0, *number));
            continue;
        }
        if batch.text_bytes >= batch_bytes {
            files.push(closed(std::mem::take(&mut batch), spool)?);
        }
        origins.push((files.len(), batch.len()));
        batch.add(&load(*place), *key);
    }
    let fingerprint = wanted.fingerprint();
    if origins.iter().all(|(file, _)| *file == files.len()) {
        return batch.write(out, fingerprint);
    }
    if batch.len() > 0 {
        files.push(closed(batch, spool)?);
    }
    merge(&files, &origins, out, fingerprint)
}

fn closed(batch: Batch, spool: Option<&Path>) -> Result<SearchFile, SearchFileError> {
    let fingerprint = Fingerprint::of_keys([]);
    let Some(spool) = spool else { return SearchFile::from_bytes(batch.write(Vec::new(), fingerprint)?) };
    let mut file = batch.write(tempfile::tempfile_in(spool).map_err(SearchFileError::Range)?, fingerprint)?;
    file.rewind().map_err(SearchFileError::Range)?;
    SearchFile::from_file(file)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::select::SearchIndex;

    /// Returns a document whose content is one of a few texts.
    fn page((name, text): (u8, u8)) -> Document {
        let texts = [
            "# Top\n\nThe canary is drained.\n\n## Inner\n\nRoll back the release.\n",
            "plain words about migrations and tables, and `deploy.yaml`\n",
            "",
            "# 設定\n\n設定ファイルは起動時に読み込まれます。\n",
        ];
        let text = texts[usize::from(text) % texts.len()].repeat(1 + usize::from(text) * 7);
        let id = format!("docs/{}{name}.md", ["a", "b/", "ü"][usize::from(name) % 3]);
        Document { path: id.clone(), id, hash: text.len().to_string(), text, ..Document::default() }
    }

    fn pages(names: &[(u8, u8)]) -> Vec<Document> {
        let mut pages: Vec<Document> = names.iter().copied().map(page).collect();
        pages.sort_by(|a, b| a.id.cmp(&b.id));
        pages.dedup_by(|a, b| a.id == b.id);
        pages
    }

    fn wanted(pages: &[Document]) -> Wanted {
        Wanted::new(pages.iter().map(|page| (page.id.as_str(), Some(page.hash.as_str()))))
    }

    #[test]
    fn only_what_changed_is_loaded() {
        let before = pages(&[(1, 0), (2, 1), (3, 2), (4, 3)]);
        let after = pages(&[(1, 0), (2, 3), (4, 3), (5, 1)]);
        let old = SearchFile::from_bytes(SearchIndex::build(&before)).unwrap();
        let mut loaded = Vec::new();
        let mut load = |place: usize| {
            loaded.push(after[place].id.clone());
            Cow::Borrowed(&after[place])
        };
        let made = update(&wanted(&after), Some(old), &mut load, None, Vec::new()).unwrap();
        assert_eq!(loaded, [page((2, 0)).id, page((5, 0)).id]);
        assert!(made == SearchIndex::build(&after), "the same bytes as from nothing");
    }

    #[test]
    fn damage_in_the_older_file_is_an_error() {
        let before = pages(&[(1, 0), (2, 1), (3, 1)]);
        let bytes = SearchIndex::build(&before);
        let after = pages(&[(1, 0), (2, 1), (3, 1), (4, 0)]);
        let expected = SearchIndex::build(&after);
        for at in (0..bytes.len()).step_by(41) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 4;
            let made = SearchFile::from_bytes(damaged)
                .and_then(|old| update(&wanted(&after), Some(old), &mut |place| Cow::Borrowed(&after[place]), None, Vec::new()));
            assert!(made.is_err() || made.is_ok_and(|made| made == expected), "{at}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// Whatever documents are added and removed, and however small the batches are, the result has the same bytes
        /// as a newly built file.
        #[test]
        fn an_update_gives_the_same_bytes_as_a_new_file(
            before in proptest::collection::vec((0u8..12, 0u8..6), 0..10),
            after in proptest::collection::vec((0u8..12, 0u8..6), 0..10),
            batch_bytes in 1usize..2_000,
            is_spooled: bool,
        ) {
            let (before, after) = (pages(&before), pages(&after));
            let old = SearchFile::from_bytes(SearchIndex::build(&before)).unwrap();
            let directory = tempfile::tempdir().unwrap();
            let spool = is_spooled.then(|| directory.path());
            let mut load = |place: usize| Cow::Borrowed(&after[place]);
            let made = update_by(batch_bytes, &wanted(&after), Some(old), &mut load, spool, Vec::new()).unwrap();
            prop_assert!(made == SearchIndex::build(&after));
        }
    }
}
