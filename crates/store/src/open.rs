//! Opening the ledger: fast when it is there, safe when many processes start on none.
//!
//! A fresh file is made beside its place, complete and already in WAL mode, and renamed into it while a lock file is
//! held. Nobody ever sees half a schema, and nobody switches the journal mode under anybody's feet, which is the one
//! step SQLite answers with BUSY at once. A damaged file is renamed aside, never deleted.

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};

use crate::error::StoreError;
use crate::schema;
use crate::sqlite::{self, SqliteLedger};

pub const LEDGER_FILE: &str = "ledger.db";
const LOCK_FILE: &str = "ledger.lock";

/// A usable ledger, and the damaged one that was moved aside to get it.
#[derive(Debug)]
pub struct Opened {
    pub ledger: SqliteLedger,
    pub set_aside: Option<PathBuf>,
}

/// Returns our directory below the user's state directory, made and kept for this user only.
pub fn directory(state: &Path) -> Result<PathBuf, StoreError> {
    let path = state.join("brief");
    if path.is_dir() {
        // Somebody else's directory stays as it is.
        let _ = tighten(&path);
    } else {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::DirBuilderExt;
            builder.mode(0o700);
        }
        builder.create(&path).map_err(|error| place(&path, &error))?;
    }
    Ok(path)
}

/// Takes everybody else's rights from a directory of ours.
pub fn tighten(directory: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(directory)?.permissions().mode();
        if mode & 0o077 != 0 {
            fs::set_permissions(directory, fs::Permissions::from_mode(mode & 0o700))?;
        }
    }
    #[cfg(not(unix))]
    let _ = directory;
    Ok(())
}

/// Opens the ledger in `directory`, making or mending it where needed. `patience` bounds every wait for a lock.
pub fn open(directory: &Path, patience: Duration) -> Result<Opened, StoreError> {
    let until = Instant::now() + patience;
    let path = directory.join(LEDGER_FILE);
    match try_open(&path, patience) {
        Ok(Some(ledger)) => return Ok(Opened { ledger, set_aside: None }),
        Ok(None) | Err(StoreError::Corrupt(_)) => {}
        Err(error) => return Err(error),
    }
    let _lock = lock(&directory.join(LOCK_FILE), until)?;
    let mut set_aside = None;
    // Somebody may have made or mended it while we waited for the lock.
    match try_open(&path, patience) {
        Ok(Some(ledger)) => return Ok(Opened { ledger, set_aside: None }),
        Ok(None) => {}
        Err(StoreError::Corrupt(_)) => set_aside = Some(move_aside(&path)?),
        Err(error) => return Err(error),
    }
    if path.exists() {
        let mut connection = connect(&path, patience)?;
        schema::migrate(&mut connection)?;
    } else {
        create(directory, &path)?;
    }
    match try_open(&path, patience)? {
        Some(ledger) => Ok(Opened { ledger, set_aside }),
        None => Err(StoreError::Unusable("the schema was not written".into())),
    }
}

/// Opens the ledger for people who only look. `None` where there is none yet.
pub fn open_existing(directory: &Path, patience: Duration) -> Result<Option<SqliteLedger>, StoreError> {
    let path = directory.join(LEDGER_FILE);
    if path.exists() { try_open(&path, patience) } else { Ok(None) }
}

/// Returns the ledger, or `None` where the file is missing or must be migrated.
fn try_open(path: &Path, patience: Duration) -> Result<Option<SqliteLedger>, StoreError> {
    let connection = match connect(path, patience) {
        Ok(connection) => connection,
        Err(StoreError::Unusable(_)) if !path.exists() => return Ok(None),
        // Somebody made it between the two looks; what is really unusable says so again.
        Err(StoreError::Unusable(_)) => connect(path, patience)?,
        Err(error) => return Err(error),
    };
    let found: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    Ok(schema::is_current(found)?.then(|| SqliteLedger::new(connection)))
}

fn connect(path: &Path, patience: Duration) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    sqlite::be_patient(&mut connection, patience)?;
    // Whoever only looks writes nothing at closing either.
    connection.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(connection)
}

fn create(directory: &Path, path: &Path) -> Result<(), StoreError> {
    let fresh = directory.join(format!("{LEDGER_FILE}.new"));
    remove_all(&fresh);
    private_file(&fresh).map_err(|error| place(&fresh, &error))?;
    let mut connection = Connection::open(&fresh)?;
    connection.execute_batch("PRAGMA synchronous = OFF;")?;
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    schema::migrate(&mut connection)?;
    // Closing the last connection moves everything into the one file.
    connection.close().map_err(|(_, error)| StoreError::from(error))?;
    fs::rename(&fresh, path).map_err(|error| place(path, &error))?;
    remove_all(&fresh);
    Ok(())
}

/// Renames a ledger aside that turned out to be damaged after it was opened.
pub fn set_aside(directory: &Path) -> Result<PathBuf, StoreError> {
    let _lock = lock(&directory.join(LOCK_FILE), Instant::now() + Duration::from_millis(200))?;
    move_aside(&directory.join(LEDGER_FILE))
}

/// Renames a damaged ledger, with its journal, to a name that says when.
fn move_aside(path: &Path) -> Result<PathBuf, StoreError> {
    let stamp = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_millis());
    let aside = path.with_file_name(format!("ledger.damaged-{stamp}.db"));
    fs::rename(path, &aside).map_err(|error| place(path, &error))?;
    for suffix in ["-wal", "-shm"] {
        let _ = fs::rename(with_suffix(path, suffix), with_suffix(&aside, suffix));
    }
    Ok(aside)
}

fn lock(path: &Path, until: Instant) -> Result<File, StoreError> {
    let file = private_file(path).map_err(|error| place(path, &error))?;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(fs::TryLockError::WouldBlock) if Instant::now() < until => std::thread::sleep(Duration::from_millis(1)),
            Err(fs::TryLockError::WouldBlock) => return Err(StoreError::Busy),
            Err(fs::TryLockError::Error(error)) => return Err(place(path, &error)),
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

fn place(path: &Path, error: &std::io::Error) -> StoreError {
    StoreError::Place { path: path.to_path_buf(), problem: error.to_string() }
}
