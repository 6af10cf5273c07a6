//! Opening the file: fast when it is there, safe when many processes start without one.
//!
//! A new file is written under another name, complete and already in WAL mode, and renamed while a lock file is held.
//! So no process sees half a schema, and none switches the journal mode while others use the file, which is the one step
//! that SQLite answers with BUSY at once.

use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use briefing_core::fs::{FileProblem, NotOurs, private};
use rusqlite::{Connection, OpenFlags};

use super::{SqliteLedger, be_patient, repair, schema};
use crate::error::StoreError;

/// Every page has a multiple of these bytes.
const SMALLEST_PAGE: u64 = 512;
/// The page size of the files that we make.
const PAGE: u64 = 4096;
const LEDGER_FILE: &str = "ledger.db";
const LOCK_FILE: &str = "ledger.lock";
const DAMAGED: &str = "ledger.damaged-";

pub(crate) fn file_in(directory: &Path) -> PathBuf {
    directory.join(LEDGER_FILE)
}

/// Opens the ledger in `directory`; creates, migrates or rebuilds it where needed. Returns the new name of a damaged one.
pub(crate) fn open(directory: &Path, patience: Duration) -> Result<(SqliteLedger, Option<PathBuf>), StoreError> {
    let until = Instant::now() + patience;
    be_patient(patience);
    match try_open(directory) {
        Ok(Some(ledger)) => return Ok((ledger, None)),
        Ok(None) | Err(StoreError::Corrupt(_)) => {}
        Err(error) => return Err(error),
    }
    let _lock = lock(directory, until)?;
    // Another process may have created or rebuilt it while we waited for the lock.
    match try_open(directory) {
        Ok(Some(ledger)) => return Ok((ledger, None)),
        Ok(None) => match create_or_migrate(directory) {
            Err(StoreError::Corrupt(_)) => {}
            done => return done.map(|ledger| (ledger, None)),
        },
        Err(StoreError::Corrupt(_)) => {}
        Err(error) => return Err(error),
    }
    let set_aside = repair::repair_locked(directory)?;
    create_or_migrate(directory).map(|ledger| (ledger, set_aside))
}

/// Opens the ledger in `directory` if there is one. An older one is migrated: it remembers resets and deliveries that
/// nothing else does.
pub(crate) fn open_existing(directory: &Path, patience: Duration) -> Result<Option<SqliteLedger>, StoreError> {
    let until = Instant::now() + patience;
    let path = file_in(directory);
    if !path.exists() {
        return Ok(None);
    }
    be_patient(patience);
    if let Some(ledger) = try_open(directory)? {
        return Ok(Some(ledger));
    }
    let _lock = lock(directory, until)?;
    if path.exists() { create_or_migrate(directory).map(Some) } else { Ok(None) }
}

/// Returns the ledger, or `None` where the file is missing, empty, or must be migrated.
fn try_open(directory: &Path) -> Result<Option<SqliteLedger>, StoreError> {
    let path = file_in(directory);
    let connection = match connect(&path) {
        Ok(connection) => connection,
        Err(StoreError::Unusable(_)) if !path.exists() => return Ok(None),
        // It may have been created between the two checks; what is really unusable fails again.
        Err(StoreError::Unusable(_)) => connect(&path)?,
        Err(error) => return Err(error),
    };
    if is_torn(&path) {
        return Err(StoreError::Corrupt("the file ends in the middle of a page".into()));
    }
    let found = schema::version(&connection)?;
    Ok(schema::is_current(found)?.then(|| SqliteLedger::new(directory, connection)))
}

/// Tells whether a file has lost its end. SQLite reads zeros where its last page is too short.
fn is_torn(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| is_torn_at(file.len()))
}

/// A file without its first page has no header, and SQLite itself says so.
fn is_torn_at(length: u64) -> bool {
    length > PAGE && !length.is_multiple_of(SMALLEST_PAGE)
}

/// Gives a file whose last page is too short, but otherwise sound, the zeros that SQLite reads instead.
pub(super) fn fill_last_page(path: &Path) -> Result<(), StoreError> {
    let fill = || -> std::io::Result<()> {
        let file = private(OpenOptions::new().write(true)).open(path)?;
        let length = file.metadata()?.len();
        if is_torn_at(length) { file.set_len(length.next_multiple_of(PAGE)) } else { Ok(()) }
    };
    fill().map_err(|error| StoreError::at(path, error))
}

/// Opens the file after it was created or brought up to date. The caller holds the lock.
fn create_or_migrate(directory: &Path) -> Result<SqliteLedger, StoreError> {
    let path = file_in(directory);
    // A file without a byte holds nothing, and lacks the journal mode that the others have.
    if fs::metadata(&path).map_or(true, |file| file.len() == 0) {
        Fresh::make(directory).and_then(|fresh| fresh.put_in_place(&path)).map_err(|error| match error {
            // Nobody else uses a file that is not in its place yet.
            StoreError::Busy => StoreError::Unusable("a new file could not be locked".into()),
            error => error,
        })?;
    }
    let mut connection = connect(&path)?;
    schema::migrate(&mut connection)?;
    Ok(SqliteLedger::new(directory, connection))
}

pub(super) fn connect(path: &Path) -> Result<Connection, StoreError> {
    if fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) {
        return Err(StoreError::Place { path: path.to_path_buf(), problem: FileProblem::NotOurs(NotOurs::Link) });
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    super::wait_for_locks(&mut connection)?;
    // A process that only looks does not write when it closes either.
    connection.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(connection)
}

/// A complete ledger that is not in its place yet. What is left of one that could not be finished is removed.
pub(super) struct Fresh {
    path: PathBuf,
    connection: Option<Connection>,
}

impl Fresh {
    /// Makes an empty ledger beside the place of the real one. The caller holds the lock.
    pub(super) fn make(directory: &Path) -> Result<Self, StoreError> {
        let path = directory.join(format!("{LEDGER_FILE}.new"));
        remove_all(&path);
        let mut fresh = Self { path, connection: None };
        private_file(&fresh.path).map_err(|error| StoreError::at(&fresh.path, error))?;
        let mut connection = Connection::open(&fresh.path)?;
        // Every write goes to the file itself, so that a full disk is noticed here and not when closing.
        connection.execute_batch("PRAGMA synchronous = OFF;")?;
        connection.query_row("PRAGMA journal_mode = MEMORY", [], |_| Ok(()))?;
        schema::migrate(&mut connection)?;
        fresh.connection = Some(connection);
        Ok(fresh)
    }

    pub(super) fn connection(&self) -> &Connection {
        self.connection.as_ref().expect("it is open until it is put in place")
    }

    pub(super) fn put_in_place(mut self, path: &Path) -> Result<(), StoreError> {
        let mode: String = self.connection().query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
        if mode != "wal" {
            return Err(StoreError::Unusable("the journal mode could not be set".into()));
        }
        // Nothing is in the journal: closing writes nothing.
        self.connection.take().map_or(Ok(()), Connection::close).map_err(|(_, error)| StoreError::from(error))?;
        fs::rename(&self.path, path).map_err(|error| StoreError::at(path, error))
    }
}

impl Drop for Fresh {
    fn drop(&mut self) {
        drop(self.connection.take());
        remove_all(&self.path);
    }
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
pub(super) fn move_aside(path: &Path) -> Result<PathBuf, StoreError> {
    let stamp = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_millis());
    let aside = path.with_file_name(format!("{DAMAGED}{stamp}.db"));
    fs::rename(path, &aside).map_err(|error| StoreError::at(path, error))?;
    for suffix in ["-wal", "-shm"] {
        let _ = fs::rename(with_suffix(path, suffix), with_suffix(&aside, suffix));
    }
    Ok(aside)
}

/// Waits for the right to create, migrate or rebuild the ledger of `directory`.
pub(super) fn lock(directory: &Path, until: Instant) -> Result<File, StoreError> {
    let path = directory.join(LOCK_FILE);
    let file = private_file(&path).map_err(|error| StoreError::at(&path, error))?;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(fs::TryLockError::WouldBlock) if Instant::now() < until => std::thread::sleep(Duration::from_millis(1)),
            Err(fs::TryLockError::WouldBlock) => return Err(StoreError::Busy),
            Err(fs::TryLockError::Error(error)) if error.kind() == ErrorKind::Interrupted => {}
            Err(fs::TryLockError::Error(error)) => return Err(StoreError::at(&path, error)),
        }
    }
}

fn private_file(path: &Path) -> std::io::Result<File> {
    private(OpenOptions::new().read(true).write(true).create(true).truncate(false)).open(path)
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
