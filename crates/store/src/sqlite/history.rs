//! How much of the past is kept. What decides about windows stays for 30 days; what only views show is bounded by rows
//! and by bytes.

use rusqlite::Connection;

use crate::error::StoreError;

/// The bounds are checked at every event whose number this divides.
pub(super) const EVERY: i64 = 64;
/// How many lines of the log are kept.
const EVENTS: i64 = 20_000;
/// How many deliveries of windows that have been emptied since are kept.
const PAST: i64 = 20_000;
/// How large the ledger may become before the past is shortened.
const BYTES: i64 = 12 * 1024 * 1024;
/// How much is deleted at once. It is more than the events between two checks can add.
const PAST_AT_ONCE: i64 = 16 * EVERY;
const EVENTS_AT_ONCE: i64 = 4 * EVERY;

const DAY: i64 = 24 * 3600 * 1000;
/// Sessions that were silent for longer are deleted.
const KEEP_MILLIS: i64 = 30 * DAY;
/// In a ledger that is too large, sessions that were silent for longer may go, too.
const KEEP_AT_LEAST: i64 = 7 * DAY;
/// How many of them go at once.
const SESSIONS_AT_ONCE: i64 = 64;

/// Shortens the past where it has grown beyond its bounds. `event` is the number of the last line of the log.
pub(super) fn bound(connection: &Connection, event: i64) -> Result<(), StoreError> {
    connection.execute("DELETE FROM events WHERE id <= ?1", [event - EVENTS])?;
    let is_large = is_large(connection)?;
    if is_large {
        connection.execute("DELETE FROM events WHERE id IN (SELECT id FROM events ORDER BY id LIMIT ?1)", [EVENTS_AT_ONCE])?;
    }
    let past: i64 = connection.query_row("SELECT count(*) FROM deliveries", [], |row| row.get(0))?;
    if is_large || past > PAST {
        // The oldest first: rowids are in the order in which deliveries were planned.
        connection.execute(
            "DELETE FROM deliveries WHERE id IN (SELECT deliveries.id FROM deliveries JOIN sessions ON sessions.id = session
             WHERE deliveries.epoch < sessions.epoch AND state > 1 ORDER BY deliveries.id LIMIT ?1)",
            [PAST_AT_ONCE],
        )?;
        connection.execute(
            "DELETE FROM losses WHERE id IN (SELECT losses.id FROM losses JOIN sessions ON sessions.id = session
             WHERE losses.epoch < sessions.epoch ORDER BY losses.id LIMIT ?1)",
            [EVENTS_AT_ONCE],
        )?;
    }
    Ok(())
}

/// Tells whether the ledger uses more bytes than it should. Pages that are free are reused and do not count.
fn is_large(connection: &Connection) -> Result<bool, StoreError> {
    let number = |pragma: &str| connection.query_row(&format!("PRAGMA {pragma}"), [], |row| row.get::<_, i64>(0));
    Ok((number("page_count")? - number("freelist_count")?) * number("page_size")? > BYTES)
}

/// Deletes what only receipts need from the deliveries of windows before the last one: nothing proves them any more.
pub(super) fn close_epoch(connection: &Connection, session: i64, epoch: i64) -> Result<(), StoreError> {
    connection.execute(
        "UPDATE deliveries SET opening = '', plain_hash = NULL, plain_length = NULL
         WHERE session = ?1 AND epoch = ?2 AND opening <> ''",
        [session, epoch - 2],
    )?;
    Ok(())
}

/// Deletes sessions that were last seen long ago, with everything that belongs to them.
pub(super) fn forget_sessions(connection: &Connection, now: i64) -> Result<(), StoreError> {
    let mut before = now - KEEP_MILLIS;
    if is_large(connection)? {
        // The oldest ones, but never one that somebody may resume this week.
        let oldest: Option<i64> = connection.query_row(
            "SELECT max(last_seen) + 1 FROM (SELECT last_seen FROM sessions WHERE last_seen < ?1 ORDER BY last_seen LIMIT ?2)",
            [now - KEEP_AT_LEAST, SESSIONS_AT_ONCE],
            |row| row.get(0),
        )?;
        before = before.max(oldest.unwrap_or(before));
    }
    let old = "(SELECT id FROM sessions WHERE last_seen < ?1)";
    for table in ["deliveries", "plans", "resets", "events", "looks", "losses"] {
        connection.execute(&format!("DELETE FROM {table} WHERE session IN {old}"), [before])?;
    }
    connection.execute("DELETE FROM sessions WHERE last_seen < ?1", [before])?;
    Ok(())
}
