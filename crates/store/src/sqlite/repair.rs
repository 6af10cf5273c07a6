//! Damage: how it is told from trouble, and how a ledger is rebuilt from what can be read of it.
//!
//! A full disk, a failing read, missing permissions or a lock are trouble: the file stays as it is. Everything else that
//! SQLite complains about is a suspicion, and only an inspection of the whole file makes it damage. The damaged file is
//! renamed, never deleted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, ErrorCode, params_from_iter};

use super::open::{self, Fresh};
use super::schema;
use crate::error::StoreError;

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::Error as Problem;
        let told = error.to_string();
        match (error.sqlite_error_code(), error) {
            (Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked), _) => Self::Busy,
            (
                Some(
                    ErrorCode::SystemIoFailure
                    | ErrorCode::DiskFull
                    | ErrorCode::CannotOpen
                    | ErrorCode::ReadOnly
                    | ErrorCode::PermissionDenied
                    | ErrorCode::AuthorizationForStatementDenied
                    | ErrorCode::OutOfMemory
                    | ErrorCode::OperationInterrupted
                    | ErrorCode::OperationAborted
                    | ErrorCode::FileLockingProtocolFailed
                    | ErrorCode::NoLargeFileSupport,
                ),
                _,
            ) => Self::Unusable(told),
            // The statements are fixed: one that does not fit the file, or a value that does not fit its column, is a
            // problem of the file.
            (Some(_), _)
            | (
                None,
                Problem::FromSqlConversionFailure(..)
                | Problem::IntegralValueOutOfRange(..)
                | Problem::Utf8Error(..)
                | Problem::InvalidColumnType(..)
                | Problem::QueryReturnedNoRows
                | Problem::SqlInputError { .. },
            ) => Self::Corrupt(told),
            (None, _) => Self::Unusable(told),
        }
    }
}

/// Inspects the whole file. Returns a description of the damage, or `None` if there is none.
pub(super) fn damage(connection: &Connection) -> Result<Option<String>, StoreError> {
    match inspect(connection) {
        Err(StoreError::Corrupt(problem)) => Ok(Some(problem)),
        inspected => inspected,
    }
}

fn inspect(connection: &Connection) -> Result<Option<String>, StoreError> {
    if let Some(problem) = schema::difference(connection)? {
        return Ok(Some(problem));
    }
    let answer: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if answer != "ok" {
        return Ok(Some(answer));
    }
    for (name, columns) in schema::tables(connection)? {
        let mut bad = None;
        let is_complete = read(connection, &name, &columns, "", |_| Ok(true), &mut |column| bad = Some(column.to_owned()))?;
        if !is_complete {
            return Ok(Some(format!("a value of `{name}.{}` cannot be read", bad.unwrap_or_default())));
        }
    }
    Ok(None)
}

/// Rebuilds the ledger in `directory` if it is damaged. Returns the new name of the damaged file.
pub(crate) fn repair(directory: &Path, until: Instant) -> Result<Option<PathBuf>, StoreError> {
    let _lock = open::lock(directory, until)?;
    repair_locked(directory)
}

/// Does the same for a caller that holds the lock.
pub(super) fn repair_locked(directory: &Path) -> Result<Option<PathBuf>, StoreError> {
    let path = open::file_in(directory);
    if !path.exists() {
        return Ok(None);
    }
    let connection = open::connect(&path)?;
    if damage(&connection)?.is_none() {
        open::fill_last_page(&path)?;
        return Ok(None);
    }
    // One unreadable line of the schema does not hide the tables that the others describe.
    connection.execute_batch("PRAGMA writable_schema = ON")?;
    let fresh = Fresh::make(directory)?;
    copy_all(&connection, fresh.connection())?;
    drop(connection);
    let aside = open::move_aside(&path)?;
    fresh.put_in_place(&path)?;
    Ok(Some(aside))
}

/// Copies everything that can be read, and makes due again what may have been lost.
fn copy_all(from: &Connection, to: &Connection) -> Result<(), StoreError> {
    let found = match schema::tables(from) {
        // Nothing can be read at all.
        Err(StoreError::Corrupt(_)) => BTreeMap::new(),
        found => found?,
    };
    let mut lost = Vec::new();
    to.execute_batch("BEGIN")?;
    for (name, columns) in schema::tables(to)? {
        let shared: BTreeMap<String, schema::Kind> =
            columns.into_iter().filter(|(column, _)| found.get(&name).is_some_and(|there| there.contains_key(column))).collect();
        if shared.is_empty() || !copy(from, to, &name, &shared)? {
            lost.push(name);
        }
    }
    // A session that is gone leaves nothing behind that a later one with its number could inherit.
    for table in ["deliveries", "plans", "resets", "events", "looks", "losses"] {
        to.execute(&format!("DELETE FROM {table} WHERE session NOT IN (SELECT id FROM sessions)"), [])?;
    }
    // Asking a source once more is better than never: what the window has is not delivered again.
    if lost.iter().any(|table| table == "deliveries") {
        to.execute("UPDATE sessions SET done = 0", [])?;
    }
    // A reset counts only if its lane has seen as many as the epoch says.
    to.execute(
        "INSERT INTO resets (session, lane, seen) SELECT sessions.id, lanes.lane, epoch - 1 FROM sessions,
         (SELECT 1 AS lane UNION SELECT 2 UNION SELECT 3 UNION SELECT 4) AS lanes WHERE epoch > 1
         ON CONFLICT DO UPDATE SET seen = max(seen, excluded.seen)",
        [],
    )?;
    to.execute_batch("COMMIT")?;
    Ok(())
}

/// Copies the rows of a table. Returns whether all could be read.
fn copy(from: &Connection, to: &Connection, table: &str, columns: &BTreeMap<String, schema::Kind>) -> Result<bool, StoreError> {
    let names: Vec<&str> = columns.keys().map(String::as_str).collect();
    let places = vec!["?"; names.len()].join(", ");
    let mut insert = to.prepare(&format!("INSERT OR IGNORE INTO {table} ({}) VALUES ({places})", names.join(", ")))?;
    let mut put = |values: Vec<Value>| -> Result<bool, StoreError> { Ok(insert.execute(params_from_iter(values))? == 1) };
    if read(from, table, columns, "", &mut put, &mut |_| ())? {
        return Ok(true);
    }
    // What is behind the damage is reached from the other end.
    if columns.contains_key("id") {
        read(from, table, columns, "ORDER BY id DESC", &mut put, &mut |_| ())?;
    }
    Ok(false)
}

/// Reads the rows of a table, each with the values of `columns` in their order, as far as they can be read. Returns whether
/// all rows and all their values could be read and `put` took them.
fn read(
    connection: &Connection,
    table: &str,
    columns: &BTreeMap<String, schema::Kind>,
    order: &str,
    mut put: impl FnMut(Vec<Value>) -> Result<bool, StoreError>,
    bad: &mut dyn FnMut(&str),
) -> Result<bool, StoreError> {
    let names: Vec<&str> = columns.keys().map(String::as_str).collect();
    let mut is_complete = true;
    let mut go = || -> Result<(), StoreError> {
        let mut statement = connection.prepare(&format!("SELECT {} FROM {table} {order}", names.join(", ")))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let mut values = Vec::with_capacity(names.len());
            for (at, (name, kind)) in columns.iter().enumerate() {
                match value(row.get_ref(at)?, *kind, name) {
                    Some(value) => values.push(value),
                    None => bad(name),
                }
            }
            is_complete &= values.len() == names.len() && put(values)?;
        }
        Ok(())
    };
    match go() {
        Err(StoreError::Corrupt(_)) => Ok(false),
        Err(error) => Err(error),
        Ok(()) => Ok(is_complete),
    }
}

/// Returns a value if it is what its column holds.
fn value(found: ValueRef<'_>, kind: schema::Kind, column: &str) -> Option<Value> {
    match (found, kind) {
        (ValueRef::Null, schema::Kind { is_required: false, .. }) => Some(Value::Null),
        (ValueRef::Integer(number), schema::Kind { is_number: true, .. }) => {
            (0..=schema::largest(column)).contains(&number).then_some(Value::Integer(number))
        }
        (ValueRef::Text(bytes), schema::Kind { is_number: false, .. }) => {
            str::from_utf8(bytes).ok().map(|text| Value::Text(text.to_owned()))
        }
        _ => None,
    }
}
