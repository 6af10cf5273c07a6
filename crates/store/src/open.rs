//! Opening the ledger of a [`Place`]: the only code that knows which engine belongs to which place.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::error::StoreError;
use crate::ledger::Ledger;
use crate::place::Place;
use crate::reader::Reader;
use crate::sqlite;

/// A usable ledger, and the damaged one that was renamed to make room for it.
#[derive(Debug)]
pub struct Opened {
    pub ledger: Box<dyn Ledger>,
    pub set_aside: Option<PathBuf>,
}

/// Opens the ledger; creates, migrates or rebuilds it where needed. `patience` bounds every wait for a lock.
///
/// A process that is about to end may keep the ledger in a [`std::mem::ManuallyDrop`]: closing it writes nothing that
/// the next process could not write.
pub fn open(place: &Place, patience: Duration) -> Result<Opened, StoreError> {
    let Place::Directory(directory) = place;
    let (ledger, set_aside) = twice(|| {
        place.make()?;
        sqlite::open(directory, patience)
    })?;
    Ok(Opened { ledger: Box::new(ledger), set_aside })
}

/// Opens the ledger if there is one, and migrates it if it is older than this version.
pub fn open_existing(place: &Place, patience: Duration) -> Result<Option<Box<dyn Ledger>>, StoreError> {
    let Place::Directory(directory) = place;
    let ledger = twice(|| if place.check()? { sqlite::open_existing(directory, patience) } else { Ok(None) })?;
    Ok(ledger.map(|ledger| Box::new(ledger) as Box<dyn Ledger>))
}

/// Opens the ledger for views if there is one, and migrates it if it is older than this version.
pub fn reader(place: &Place, patience: Duration) -> Result<Option<Box<dyn Reader>>, StoreError> {
    let Place::Directory(directory) = place;
    let ledger = twice(|| if place.check()? { sqlite::open_existing(directory, patience) } else { Ok(None) })?;
    Ok(ledger.map(|ledger| Box::new(ledger) as Box<dyn Reader>))
}

/// Rebuilds the ledger from what can be read of it, if it is damaged. Returns the new name of the damaged one.
pub fn repair(place: &Place, patience: Duration) -> Result<Option<PathBuf>, StoreError> {
    let Place::Directory(directory) = place;
    if !place.check()? {
        return Ok(None);
    }
    sqlite::repair(directory, Instant::now() + patience)
}

/// Returns the damaged ledgers that were renamed.
pub fn damaged(place: &Place) -> Vec<PathBuf> {
    let Place::Directory(directory) = place;
    sqlite::damaged(directory)
}

/// Tries a second time what failed: a call that failed once seldom fails again, and working without the ledger delivers
/// twice.
fn twice<T>(work: impl Fn() -> Result<T, StoreError>) -> Result<T, StoreError> {
    match work() {
        Err(StoreError::Unusable(_) | StoreError::Place { .. }) => work(),
        done => done,
    }
}
