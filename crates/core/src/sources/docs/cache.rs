//! The cache of prepared documents: the search file and its list, named after the indexes they were made from.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::corpus::Corpora;
use super::list::{List, ListFile};
use crate::fs::{Replacement, make_private};
use crate::select::{Fingerprint, SearchIndex};

/// Prepared files that have not been rebuilt for this long are removed.
const KEPT: Duration = Duration::from_secs(60 * 24 * 60 * 60);

/// The location of a corpus's prepared files. Without a directory there are none.
#[derive(Debug, Clone)]
pub(super) struct Cache {
    directory: Option<PathBuf>,
    name: String,
}

impl Cache {
    pub(super) fn of(corpora: &Corpora<'_>) -> Self {
        let mut hasher = blake3::Hasher::new();
        for index in corpora.indexes {
            hasher.update(format!("{index:?}").as_bytes());
        }
        // Entries of one file are added and removed together; another directory has other files.
        let mut files: Vec<&str> = corpora.entries.iter().map(|entry| entry.shown.as_str()).collect();
        files.dedup();
        for file in files {
            hasher.update(&[1]).update(file.as_bytes());
        }
        let name = hasher.finalize().to_hex()[..32].to_owned();
        Self { directory: corpora.cache.map(|cache| cache.join("brief").join("search")), name }
    }

    pub(super) fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    fn file(&self, extension: &str) -> Option<PathBuf> {
        self.directory.as_ref().map(|directory| directory.join(format!("{}.{extension}", self.name)))
    }

    pub(super) fn list(&self) -> Option<ListFile> {
        ListFile::open(&self.file("list")?).ok()
    }

    /// Opens the search file if it was built from these documents.
    pub(super) fn search(&self, fingerprint: &Fingerprint) -> Option<SearchIndex> {
        SearchIndex::open(&self.file("search")?, fingerprint).ok()
    }

    /// Opens the search file whatever it was built from, in order to reuse parts of it.
    pub(super) fn older(&self) -> Option<SearchIndex> {
        SearchIndex::open_any(&self.file("search")?).ok()
    }

    /// Returns the size of the existing search file.
    pub(super) fn size(&self) -> u64 {
        self.file("search").and_then(|file| fs::metadata(file).ok()).map_or(0, |metadata| metadata.len())
    }

    /// Returns a file that will replace the search file. A cache that cannot be written only costs time; it also need
    /// not survive a power failure, so nothing waits for the disk.
    pub(super) fn replacement(&self) -> Option<Replacement> {
        let directory = self.directory.as_ref()?;
        make_private(directory).ok()?;
        remove_old(directory);
        Replacement::beside(&self.file("search")?).ok()
    }

    pub(super) fn write_list(&self, list: &List, search: Fingerprint, entries: [u8; 32]) {
        let Some(mut replacement) = self.file("list").and_then(|file| Replacement::beside(&file).ok()) else { return };
        if list.write(replacement.file(), search, entries).is_some() {
            let _ = replacement.commit();
        }
    }

    /// Removes both files because they are damaged.
    pub(super) fn discard(&self) {
        for file in ["search", "list"].into_iter().filter_map(|extension| self.file(extension)) {
            let _ = fs::remove_file(file);
        }
    }
}

fn remove_old(directory: &Path) {
    let edge = SystemTime::now().checked_sub(KEPT);
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let modified = entry.metadata().and_then(|metadata| metadata.modified()).ok();
        if modified.is_some_and(|modified| Some(modified) < edge) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
