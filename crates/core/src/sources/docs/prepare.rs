//! Prepares documents for search before a message needs them.

use std::fs::{OpenOptions, TryLockError, create_dir_all};

use super::choose::Documents;
use super::corpus::{Corpora, Corpus};
use crate::settings::{Places, Settings};

/// Prepares the documents of a directory. Does nothing if there are none, or no cache to store them in.
pub fn prepare(places: &Places, settings: &Settings) {
    let documents = Documents::here(places, settings);
    let Some(cache) = places.cache.as_deref().filter(|_| !documents.is_empty()) else { return };
    // One process at a time is enough: others use its result.
    let lock = cache.join("brief").join("prepare.lock");
    let _ = lock.parent().map(create_dir_all);
    let lock = OpenOptions::new().create(true).truncate(false).write(true).open(lock);
    if lock.as_ref().is_ok_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock))) {
        return;
    }
    let Documents { indexes, entries, .. } = documents;
    let _ = Corpus::open(&Corpora { indexes: &indexes, entries, home: places.home.as_deref(), cache: Some(cache), deadline: None });
}
