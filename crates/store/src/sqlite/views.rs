//! The views, and how columns become facts again.

use briefing_core::{Moment, Reason};
use rusqlite::{Connection, Row};

use super::{DELIVERED, LOST, PENDING, SOURCE, source_of};
use crate::error::StoreError;
use crate::key::SessionKey;
use crate::outcome::Outcome;
use crate::reader::{DeliveryRow, EventRow, Filter, SessionRow, State};
use crate::receipt::{ReceiptRow, Verdict};

/// Returns the short name of the session in columns `at`, `at + 1` and `at + 2`.
fn short(row: &Row<'_>, at: usize) -> rusqlite::Result<String> {
    Ok(SessionKey { agent: row.get(at)?, native: row.get(at + 1)?, sub_agent: row.get(at + 2)? }.short())
}

/// A session is asked for by its native id, or by any beginning of its short name or hash.
const WANTED: &str = "(?1 IS NULL OR substr(native, 1, 32) = ?2 OR substr(native, 1, length(?1)) = ?1 OR substr(sessions.agent || ':' || native, 1, length(?1)) = ?1)";

fn parameters(session: Option<&str>) -> (Option<String>, String) {
    let plain = session.map(|text| text.split('/').next().unwrap_or(text).to_owned());
    (plain, session.map(|id| SessionKey::new("", id, None).native).unwrap_or_default())
}

pub(super) fn events(connection: &Connection, session: Option<&str>) -> Result<Vec<EventRow>, StoreError> {
    let mut statement = connection.prepare(&format!(
        "SELECT events.at, sessions.agent, native, sub_agent, event, lane, events.epoch, micros, outcome, problem, size, queued, notes
         FROM events JOIN sessions ON sessions.id = session WHERE {WANTED} ORDER BY events.id"
    ))?;
    let rows = statement.query_map(parameters(session), |row| {
        let (word, problem, notes): (String, String, String) = (row.get(8)?, row.get(9)?, row.get(12)?);
        Ok(EventRow {
            at: row.get(0)?,
            agent: row.get(1)?,
            session: short(row, 1)?,
            event: row.get(4)?,
            lane: row.get(5)?,
            epoch: row.get(6)?,
            micros: row.get(7)?,
            outcome: Outcome::read(&word, &problem),
            size: row.get(10)?,
            queued: row.get(11)?,
            notes: serde_json::from_str(&notes).unwrap_or_default(),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn deliveries(connection: &Connection, filter: Filter<'_>) -> Result<Vec<DeliveryRow>, StoreError> {
    let mut statement = connection.prepare(&format!(
        "SELECT agent, native, sub_agent, deliveries.epoch, {SOURCE}, path, piece, reason, moment, event, part, parts, tokens, hash,
         rendered_hash, rendered_length, state, deliveries.at, verdict
         FROM deliveries JOIN sessions ON sessions.id = session
         WHERE {WANTED} AND (?3 IS NULL OR path = ?3 OR piece = ?3 OR substr(piece, 1, length(?3) + 1) = ?3 || '#')
         ORDER BY sessions.last_seen, sessions.id, deliveries.id"
    ))?;
    let (session, native) = parameters(filter.session);
    let rows = statement.query_map((session, native, filter.path), |row| {
        let (source, reason, moment): (String, String, String) = (row.get(4)?, row.get(7)?, row.get(8)?);
        Ok(DeliveryRow {
            session: short(row, 0)?,
            epoch: row.get(3)?,
            source: source_of(&source),
            path: row.get(5)?,
            piece: row.get(6)?,
            reason: reason_of(&reason),
            moment: Moment::from_word(&moment),
            event: row.get(9)?,
            part: row.get(10)?,
            parts: row.get(11)?,
            tokens: row.get(12)?,
            hash: row.get(13)?,
            rendered_hash: row.get(14)?,
            rendered_length: row.get(15)?,
            state: match row.get::<_, i64>(16)? {
                DELIVERED => State::Delivered,
                PENDING => State::Pending,
                LOST => State::Lost,
                _ => State::Queued,
            },
            at: row.get(17)?,
            verdict: Verdict::from_word(&row.get::<_, String>(18)?),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Reads a reason. Version 1000 wrote words, with the source before them.
fn reason_of(text: &str) -> Reason {
    match (source_of(text), text.split_once(": ")) {
        (Some(_), Some((_, words))) => Reason::Earlier { text: words.to_owned() },
        _ => Reason::from_ledger(text),
    }
}

pub(super) fn sessions(connection: &Connection) -> Result<Vec<SessionRow>, StoreError> {
    let mut statement = connection.prepare(
        "SELECT agent, native, sub_agent, epoch, cwd, context_paths, first_seen, last_seen, id, transcript FROM sessions ORDER BY last_seen, id",
    )?;
    let rows = statement.query_map([], |row| {
        let paths: String = row.get(5)?;
        Ok(SessionRow {
            id: row.get(8)?,
            key: SessionKey { agent: row.get(0)?, native: row.get(1)?, sub_agent: row.get(2)? },
            transcript: Some(row.get::<_, String>(9)?).filter(|path| !path.is_empty()),
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

/// Every delivery, and then what was made due again: its delivery is gone.
pub(super) fn receipts(connection: &Connection, session: Option<&str>) -> Result<Vec<ReceiptRow>, StoreError> {
    let columns = "agent, native, sub_agent, sessions.last_seen AS seen, sessions.id AS number";
    let mut statement = connection.prepare(&format!(
        "SELECT {columns}, deliveries.epoch, piece, path, part, parts, moment, event, verdict, proof, deliveries.at, 0 AS again, deliveries.id AS row
         FROM deliveries JOIN sessions ON sessions.id = session WHERE state = 2 AND {WANTED}
         UNION ALL SELECT {columns}, losses.epoch, piece, path, part, parts, moment, event, verdict, proof, losses.at, 1, losses.id
         FROM losses JOIN sessions ON sessions.id = session WHERE {WANTED}
         ORDER BY seen, number, again, row"
    ))?;
    let rows = statement.query_map(parameters(session), |row| {
        Ok(ReceiptRow {
            session: short(row, 0)?,
            agent: row.get(0)?,
            epoch: row.get(5)?,
            piece: row.get(6)?,
            path: row.get(7)?,
            part: row.get(8)?,
            parts: row.get(9)?,
            moment: Moment::from_word(&row.get::<_, String>(10)?),
            event: row.get(11)?,
            verdict: Verdict::from_word(&row.get::<_, String>(12)?),
            proof: row.get(13)?,
            at: row.get(14)?,
            is_due_again: row.get(15)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
