//! What people ask the ledger.

use rusqlite::{Connection, Row};

use super::{DELIVERED, PENDING};
use crate::error::StoreError;
use crate::key::SessionKey;
use crate::ledger::{DeliveryRow, EventRow, SessionRow, State};

/// Returns the short name of the session in columns `at`, `at + 1` and `at + 2`.
fn short(row: &Row<'_>, at: usize) -> rusqlite::Result<String> {
    Ok(SessionKey { agent: row.get(at)?, native: row.get(at + 1)?, sub_agent: row.get(at + 2)? }.short())
}

/// A session is asked for by its native id, or by any beginning of its short name or hash.
const WANTED: &str =
    "(?1 IS NULL OR native = ?2 OR substr(native, 1, length(?1)) = ?1 OR substr(sessions.agent || ':' || native, 1, length(?1)) = ?1)";

fn parameters(session: Option<&str>) -> (Option<String>, String) {
    let plain = session.map(|text| text.split('/').next().unwrap_or(text).to_owned());
    (plain, session.map(|id| SessionKey::new("", id, None).native).unwrap_or_default())
}

pub(super) fn events(connection: &Connection, session: Option<&str>) -> Result<Vec<EventRow>, StoreError> {
    let mut statement = connection.prepare(&format!(
        "SELECT events.at, sessions.agent, native, sub_agent, event, lane, events.epoch, micros, outcome, size, queued, notes
         FROM events JOIN sessions ON sessions.id = session WHERE {WANTED} ORDER BY events.id"
    ))?;
    let rows = statement.query_map(parameters(session), |row| {
        let notes: String = row.get(11)?;
        Ok(EventRow {
            at: row.get(0)?,
            agent: row.get(1)?,
            session: short(row, 1)?,
            event: row.get(4)?,
            lane: row.get(5)?,
            epoch: row.get(6)?,
            micros: row.get(7)?,
            outcome: row.get(8)?,
            size: row.get(9)?,
            queued: row.get(10)?,
            notes: serde_json::from_str(&notes).unwrap_or_default(),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn deliveries(connection: &Connection, session: Option<&str>) -> Result<Vec<DeliveryRow>, StoreError> {
    let mut statement = connection.prepare(&format!(
        "SELECT agent, native, sub_agent, deliveries.epoch, path, piece, reason, moment, part, parts, tokens, state, deliveries.at
         FROM deliveries JOIN sessions ON sessions.id = session WHERE {WANTED} ORDER BY sessions.last_seen, sessions.id, deliveries.id"
    ))?;
    let rows = statement.query_map(parameters(session), |row| {
        Ok(DeliveryRow {
            session: short(row, 0)?,
            epoch: row.get(3)?,
            path: row.get(4)?,
            piece: row.get(5)?,
            reason: row.get(6)?,
            moment: row.get(7)?,
            part: row.get(8)?,
            parts: row.get(9)?,
            tokens: row.get(10)?,
            state: match row.get::<_, i64>(11)? {
                DELIVERED => State::Delivered,
                PENDING => State::Pending,
                _ => State::Queued,
            },
            at: row.get(12)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn sessions(connection: &Connection) -> Result<Vec<SessionRow>, StoreError> {
    let mut statement = connection.prepare(
        "SELECT agent, native, sub_agent, epoch, cwd, context_paths, first_seen, last_seen FROM sessions ORDER BY last_seen, id",
    )?;
    let rows = statement.query_map([], |row| {
        let paths: String = row.get(5)?;
        Ok(SessionRow {
            session: short(row, 0)?,
            agent: row.get(0)?,
            native: row.get(1)?,
            epoch: row.get(3)?,
            cwd: row.get(4)?,
            context_paths: paths.lines().map(str::to_owned).collect(),
            first_seen: row.get(6)?,
            last_seen: row.get(7)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
