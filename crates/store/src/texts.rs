//! The texts that were delivered, for `brief inspect`: on this machine only, for as long as the user wants.
//!
//! The ledger keeps hashes and sizes of all deliveries, wherever it is; the texts themselves are in a file beside the
//! heartbeat, so that a ledger which is shared never has them. A text is stored once, under the hash of what was printed.
//! Losing this file loses nothing but the view: an error while writing is ignored, and a damaged file is replaced.

use std::fs::OpenOptions;
use std::path::Path;
use std::time::Duration;

use briefing_core::fs::private;
use rusqlite::{Connection, OpenFlags, OptionalExtension, TransactionBehavior, params};

use crate::error::StoreError;
use crate::place::Place;

const FILE: &str = "texts.db";
const VERSION: i64 = 1;
const SCHEMA: &str = "
CREATE TABLE texts (hash TEXT PRIMARY KEY, at INTEGER NOT NULL, bytes INTEGER NOT NULL, text TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX texts_by_time ON texts (at, bytes);
PRAGMA user_version = 1;
";
/// A hook does not wait longer for another one that writes.
const PATIENCE: Duration = Duration::from_millis(50);
const DAY: i64 = 24 * 3600 * 1000;

/// How many texts are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextLimits {
    /// A text that was last delivered longer ago is deleted.
    pub days: u64,
    /// The oldest texts are deleted beyond this many bytes.
    pub bytes: u64,
}

impl TextLimits {
    /// Returns whether nothing is kept at all.
    pub fn are_nothing(&self) -> bool {
        self.days == 0 || self.bytes == 0
    }
}

/// Keeps delivered texts, each with the hash of what was printed, and deletes those beyond the limits.
///
/// `now` is in milliseconds since 1970. The texts must not contain secrets.
pub fn keep_texts<'a>(
    place: &Place,
    texts: impl Iterator<Item = (&'a str, &'a str)>,
    now: i64,
    limits: TextLimits,
) -> Result<(), StoreError> {
    let path = place.directory().join(FILE);
    if limits.are_nothing() {
        return forget_all(&path);
    }
    let texts: Vec<_> = texts.collect();
    match write(&path, &texts, now, limits) {
        Err(StoreError::Corrupt(_)) => {
            forget_all(&path)?;
            write(&path, &texts, now, limits)
        }
        done => done,
    }
}

/// Returns the text that was printed with this hash, if it is still there.
pub fn kept_text(place: &Place, hash: &str) -> Result<Option<String>, StoreError> {
    let path = place.directory().join(FILE);
    if !place.check()? || !path.exists() {
        return Ok(None);
    }
    let connection = connect(&path)?;
    Ok(connection.query_row("SELECT text FROM texts WHERE hash = ?1", [hash], |row| row.get(0)).optional()?)
}

fn forget_all(path: &Path) -> Result<(), StoreError> {
    for suffix in ["", "-journal"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        match std::fs::remove_file(&name) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(StoreError::at(path, error)),
            _ => {}
        }
    }
    Ok(())
}

fn write(path: &Path, texts: &[(&str, &str)], now: i64, limits: TextLimits) -> Result<(), StoreError> {
    let mut connection = connect(path)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    {
        let mut seen = transaction.prepare("UPDATE texts SET at = ?2 WHERE hash = ?1")?;
        let mut insert = transaction.prepare("INSERT INTO texts (hash, at, bytes, text) VALUES (?1, ?2, ?3, ?4)")?;
        for (hash, text) in texts.iter().filter(|(_, text)| text.len() as u64 <= limits.bytes) {
            if seen.execute(params![hash, now])? == 0 {
                insert.execute(params![hash, now, text.len(), text])?;
            }
        }
        let days = i64::try_from(limits.days).unwrap_or(i64::MAX / DAY).min(i64::MAX / DAY / 2);
        transaction.execute("DELETE FROM texts WHERE at < ?1", [now - days * DAY])?;
        shorten(&transaction, limits.bytes)?;
    }
    transaction.commit()?;
    Ok(())
}

/// Deletes the oldest texts until the others have at most so many bytes.
fn shorten(connection: &Connection, bytes: u64) -> Result<(), StoreError> {
    // The file is never much larger than its texts, so most of the time it says that there is nothing to do.
    let pages = |pragma: &str| connection.query_row(&format!("PRAGMA {pragma}"), [], |row| row.get::<_, u64>(0));
    if (pages("page_count")? - pages("freelist_count")?) * pages("page_size")? <= bytes {
        return Ok(());
    }
    let mut statement = connection.prepare("SELECT hash, bytes FROM texts ORDER BY at DESC, hash")?;
    let mut rows = statement.query([])?;
    let (mut sum, mut old) = (0u64, Vec::new());
    // A tenth more than needed, so that the next events find room.
    let most = bytes - bytes / 10;
    while let Some(row) = rows.next()? {
        sum += row.get::<_, u64>(1)?;
        if sum > most {
            old.push(row.get::<_, String>(0)?);
        }
    }
    let mut delete = connection.prepare("DELETE FROM texts WHERE hash = ?1")?;
    for hash in old {
        delete.execute([hash])?;
    }
    Ok(())
}

fn connect(path: &Path) -> Result<Connection, StoreError> {
    // SQLite would make it for everybody; a link in its place is refused.
    private(OpenOptions::new().read(true).write(true).create(true).truncate(false))
        .open(path)
        .map_err(|error| StoreError::at(path, error))?;
    let mut connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(PATIENCE)?;
    // What a power cut destroys can be spared; what was deleted must be gone.
    connection.execute_batch("PRAGMA synchronous = OFF; PRAGMA secure_delete = ON;")?;
    if version(&connection)? != VERSION {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Another process may have made it in the meantime.
        if version(&transaction)? != VERSION {
            transaction.execute_batch(SCHEMA)?;
        }
        transaction.commit()?;
    }
    Ok(connection)
}

fn version(connection: &Connection) -> Result<i64, StoreError> {
    Ok(connection.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}
