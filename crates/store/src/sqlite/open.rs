//! Opening the file: fast when it is there, safe when many processes start without one.
//!
//! A new file is written under another name, complete and already in WAL mode, and renamed while a lock file is held.
//! So no process sees half a schema, and none switches the journal mode while others use the file, which is the one step
//! that SQLite answers with BUSY at once. A damaged file is renamed, never deleted.

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};

use super::{SqliteLedger, be_patient, schema};
use crate::error::StoreError;

const LEDGER_FILE: &str = "ledger.db";
const LOCK_FILE: &str = "ledger.lock";
const DAMAGED: &str = "ledger.damaged-";

pub(crate) fn file_in(directory: &Path) -> PathBuf {
    directory.join(LEDGER_FILE)
}

/// Opens the ledger in `directory`; creates, migrates or replaces it where needed. Returns the new name of a damaged one.
pub(crate) fn open(directory: &Path, patience: Duration) -> Result<(SqliteLedger, Option<PathBuf>), StoreError> {
    let until = Instant::now() + patience;
    let path = file_in(directory);
    match try_open(&path, patience) {
        Ok(Some(ledger)) => return Ok((ledger, None)),
        Ok(None) | Err(StoreError::Corrupt(_)) => {}
        Err(error) => return Err(error),
    }
    let _lock = lock(&directory.join(LOCK_FILE), until)?;
    let mut set_aside = None;
    // Another process may have created or replaced it while we waited for the lock.
    match try_open(&path, patience) {
        Ok(Some(ledger)) => return Ok((ledger, None)),
        Ok(None) => {}
        Err(StoreError::Corrupt(_)) => set_aside = Some(move_aside(&path)?),
        Err(error) => return Err(error),
    }
    if !path.exists() {
        create(directory, &path)?;
    }
    migrated(&path, patience).map(|ledger| (ledger, set_aside))
}

/// Opens the ledger in `directory` if there is one. An older one is migrated: it remembers resets and deliveries that
/// nothing else does.
pub(crate) fn open_existing(directory: &Path, patience: Duration) -> Result<Option<SqliteLedger>, StoreError> {
    let until = Instant::now() + patience;
    let path = file_in(directory);
    if !path.exists() {
        return Ok(None);
    }
    if let Some(ledger) = try_open(&path, patience)? {
        return Ok(Some(ledger));
    }
    let _lock = lock(&directory.join(LOCK_FILE), until)?;
    if path.exists() { migrated(&path, patience).map(Some) } else { Ok(None) }
}

/// Opens a file that is there and brings its schema up to date. The caller holds the lock.
fn migrated(path: &Path, patience: Duration) -> Result<SqliteLedger, StoreError> {
    let mut connection = connect(path, patience)?;
    schema::migrate(&mut connection)?;
    Ok(SqliteLedger::new(connection))
}

/// Returns the ledger, or `None` where the file is missing or must be migrated.
fn try_open(path: &Path, patience: Duration) -> Result<Option<SqliteLedger>, StoreError> {
    let connection = match connect(path, patience) {
        Ok(connection) => connection,
        Err(StoreError::Unusable(_)) if !path.exists() => return Ok(None),
        // It may have been created between the two checks; what is really unusable fails again.
        Err(StoreError::Unusable(_)) => connect(path, patience)?,
        Err(error) => return Err(error),
    };
    let found: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    Ok(schema::is_current(found)?.then(|| SqliteLedger::new(connection)))
}

fn connect(path: &Path, patience: Duration) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    be_patient(&mut connection, patience)?;
    // A process that only looks does not write when it closes either.
    connection.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(connection)
}

fn create(directory: &Path, path: &Path) -> Result<(), StoreError> {
    let fresh = directory.join(format!("{LEDGER_FILE}.new"));
    remove_all(&fresh);
    private_file(&fresh).map_err(|error| StoreError::at(&fresh, &error))?;
    let mut connection = Connection::open(&fresh)?;
    connection.execute_batch("PRAGMA synchronous = OFF;")?;
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    schema::migrate(&mut connection)?;
    // Closing the last connection moves everything into the one file.
    connection.close().map_err(|(_, error)| StoreError::from(error))?;
    fs::rename(&fresh, path).map_err(|error| StoreError::at(path, &error))?;
    remove_all(&fresh);
    Ok(())
}

/// Renames a ledger that turned out to be damaged after it was opened.
pub(crate) fn set_aside(directory: &Path) -> Result<PathBuf, StoreError> {
    let _lock = lock(&directory.join(LOCK_FILE), Instant::now() + Duration::from_millis(200))?;
    move_aside(&file_in(directory))
}

/// Returns the damaged ledgers in `directory`, without their journals.
pub(crate) fn damaged(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok);
    let is_damaged = |name: &str| name.strip_prefix(DAMAGED).and_then(|rest| rest.strip_suffix(".db")).is_some();
    let mut found: Vec<PathBuf> =
        entries.filter(|entry| is_damaged(&entry.file_name().to_string_lossy())).map(|entry| entry.path()).collect();
    found.sort();
    found
}

/// Renames a damaged ledger, with its journal, to a name that says when.
fn move_aside(path: &Path) -> Result<PathBuf, StoreError> {
    let stamp = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_millis());
    let aside = path.with_file_name(format!("{DAMAGED}{stamp}.db"));
    fs::rename(path, &aside).map_err(|error| StoreError::at(path, &error))?;
    for suffix in ["-wal", "-shm"] {
        let _ = fs::rename(with_suffix(path, suffix), with_suffix(&aside, suffix));
    }
    Ok(aside)
}

fn lock(path: &Path, until: Instant) -> Result<File, StoreError> {
    let file = private_file(path).map_err(|error| StoreError::at(path, &error))?;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(fs::TryLockError::WouldBlock) if Instant::now() < until => std::thread::sleep(Duration::from_millis(1)),
            Err(fs::TryLockError::WouldBlock) => return Err(StoreError::Busy),
            Err(fs::TryLockError::Error(error)) => return Err(StoreError::at(path, &error)),
        }
    }
}

fn private_file(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

fn remove_all(path: &Path) {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let _ = fs::remove_file(with_suffix(path, suffix));
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
