//! Reads the records of a session from an agent's SQLite database.

use std::path::Path;
use std::time::{Duration, Instant};

use briefing_store::SessionKey;
use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};

use super::file;
use super::{Silence, Visitor};

/// A database that needs longer is given up, whatever it makes SQLite do.
const PATIENCE: Duration = Duration::from_secs(2);
/// How many of SQLite's own steps lie between two looks at the clock.
const STEPS: i32 = 10_000;

/// Gives every new record of the session to the visitor. Returns whether the end was reached.
pub(super) fn read(path: &Path, sessions: &str, records: &str, key: &SessionKey, visitor: &mut dyn Visitor) -> Result<bool, Silence> {
    let (_, metadata) = file::open(path)?;
    let start = visitor.begin(&file::identity(&metadata), u64::MAX);
    let unreadable = |error: rusqlite::Error| Silence::Unreadable(error.to_string());
    let connection = open(path).map_err(unreadable)?;
    let session = find(&connection, sessions, key).map_err(unreadable)?.ok_or(Silence::NotFound)?;
    rows(&connection, records, &session, start, visitor).map_err(unreadable)?;
    Ok(true)
}

/// Returns what the last compaction of a session has left of its window.
pub(super) fn left(path: &Path, sessions: &str, left: &str, key: &SessionKey) -> Result<Vec<String>, Silence> {
    file::open(path)?;
    let unreadable = |error: rusqlite::Error| Silence::Unreadable(error.to_string());
    let connection = open(path).map_err(unreadable)?;
    let session = find(&connection, sessions, key).map_err(unreadable)?.ok_or(Silence::NotFound)?;
    let mut statement = connection.prepare(left).map_err(unreadable)?;
    let rows = statement.query_map([session], |row| row.get(0)).map_err(unreadable)?;
    rows.collect::<Result<_, _>>().map_err(unreadable)
}

fn open(path: &Path) -> rusqlite::Result<Connection> {
    let mut connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    let deadline = Instant::now() + PATIENCE;
    connection.busy_timeout(PATIENCE)?;
    connection.progress_handler(STEPS, Some(move || Instant::now() > deadline))?;
    Ok(connection)
}

/// Returns the agent's own id of a session, of which the ledger has only the hash.
fn find(connection: &Connection, sessions: &str, key: &SessionKey) -> rusqlite::Result<Option<String>> {
    let mut statement = connection.prepare(sessions)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let id: String = row.get(0)?;
        if key.is_of(&id) {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

fn rows(connection: &Connection, records: &str, session: &str, start: u64, visitor: &mut dyn Visitor) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(records)?;
    let mut rows = statement.query((session, i64::try_from(start).unwrap_or(i64::MAX)))?;
    while let Some(row) = rows.next()? {
        let (number, time): (i64, i64) = (row.get(0)?, row.get(1)?);
        let object = |column: usize| -> rusqlite::Result<Value> {
            let text: String = row.get(column)?;
            Ok(serde_json::from_str(&text).unwrap_or_default())
        };
        let record = json!({ "timestamp": time, "message": object(2)?, "part": object(3)? });
        let number = u64::try_from(number).unwrap_or_default();
        visitor.record(&record, number, number);
    }
    Ok(())
}
