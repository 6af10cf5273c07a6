//! Pieces enter the queue, a process claims its output, and confirms what it has printed.

use briefing_core::Source;
use briefing_core::fit::{Due, Standing, Waiting};
use rusqlite::{Connection, OptionalExtension, params};

use super::{LOG_LINES, SOURCE, source_of};
use crate::error::StoreError;
use crate::ledger::{Admission, Claim, Claimed, LogEntry, Offer, PlanId, Printer};

/// Returns the texts of the planner's own output that were not written down.
///
/// A whole piece that this very process is about to print needs no copy in the ledger: should the process die, the
/// piece is forgotten and its source is asked again. That halves what a session's start writes.
pub(super) fn admit(connection: &Connection, admission: &mut Admission<'_>) -> Result<Vec<(i64, String)>, StoreError> {
    let mut unwritten = Vec::new();
    let session = admission.session;
    let (epoch, last_slot, done): (i64, i64, u32) =
        connection.query_row("SELECT epoch, last_slot, done FROM sessions WHERE id = ?1", [session], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })?;
    let base = last_slot + 1;
    connection.execute("UPDATE plans SET base = ?2 WHERE id = ?1", params![admission.plan, base])?;
    if epoch != admission.epoch {
        return Ok(unwritten);
    }
    connection.execute("DELETE FROM deliveries WHERE session = ?1 AND state = 0 AND transient = 1", [session])?;
    let mut due = Vec::new();
    for (place, offer) in admission.offers.iter().enumerate() {
        if let Some(is_update) = is_due(connection, session, epoch, offer)? {
            due.push(Due { piece: place, is_update });
        }
    }
    let queued = queued(connection, session)?;
    if queued.is_empty() {
        connection.execute("UPDATE sessions SET series = ?2 WHERE id = ?1", [session, base])?;
    }
    let briefing = (admission.arrange)(&Standing { due, queued, done });
    for (id, slot) in briefing.placed {
        connection.execute("UPDATE deliveries SET slot = ?2 WHERE id = ?1", [id, base + i64::from(slot)])?;
    }
    let mut insert = connection.prepare(
        "INSERT INTO deliveries (session, epoch, piece, hash, part, parts, path, file, source, reason, moment, event, rank, transient, size,
         tokens, rendered_hash, rendered_length, text, slot, at, state)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, 0)",
    )?;
    let own_slot = u32::from(admission.printer.lane) - 1;
    for part in briefing.segments {
        let is_written = part.slot != own_slot || part.parts > 1;
        insert.execute(params![
            session,
            epoch,
            part.piece,
            part.hash,
            part.part,
            part.parts,
            part.path,
            part.file,
            part.source.map_or("", Source::name),
            part.reason.to_json(),
            admission.printer.moment.word(),
            admission.printer.event,
            part.order.number(),
            part.is_transient,
            part.size,
            part.tokens,
            blake3::hash(part.text.as_bytes()).to_hex().as_str(),
            part.text.len(),
            is_written.then_some(&part.text),
            base + i64::from(part.slot),
            admission.now,
        ])?;
        if !is_written {
            unwritten.push((connection.last_insert_rowid(), part.text));
        }
    }
    connection.execute("UPDATE sessions SET done = done | ?2, owed = owed & ~?2 WHERE id = ?1", params![session, admission.done])?;
    Ok(unwritten)
}

/// Returns what waits, in the order in which it leaves.
fn queued(connection: &Connection, session: i64) -> Result<Vec<Waiting>, StoreError> {
    let mut statement = connection
        .prepare(&format!("SELECT id, {SOURCE}, rank, size FROM deliveries WHERE session = ?1 AND state = 0 ORDER BY rank, id"))?;
    let rows = statement.query_map([session], |row| {
        let source: String = row.get(1)?;
        Ok(Waiting { id: row.get(0)?, source: source_of(&source), order: row.get(2)?, size: row.get(3)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Tells whether the window lacks this content of a piece: `None` when it has it, else whether it has an older one.
fn is_due(connection: &Connection, session: i64, epoch: i64, offer: &Offer<'_>) -> Result<Option<bool>, StoreError> {
    // The newest counts: a file that was changed and changed back is an update twice.
    let mut statement = connection
        .prepare_cached("SELECT id, hash FROM deliveries WHERE session = ?1 AND epoch = ?2 AND piece = ?3 ORDER BY id DESC LIMIT 1")?;
    let mut newest_of = |piece: &str| -> Result<Option<(i64, String)>, StoreError> {
        Ok(statement.query_row(params![session, epoch, piece], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
    };
    let own = newest_of(offer.piece)?;
    if let Some((whole, hash)) = offer.whole
        && let Some((id, newest)) = newest_of(whole)?
        && newest == hash
        && own.as_ref().is_none_or(|(own, _)| *own < id)
    {
        return Ok(None);
    }
    match own {
        None => Ok(Some(false)),
        Some((_, hash)) if hash == offer.hash => Ok(None),
        Some(_) => {
            connection.execute("DELETE FROM deliveries WHERE session = ?1 AND piece = ?2 AND state = 0", params![session, offer.piece])?;
            Ok(Some(true))
        }
    }
}

pub(super) fn claim(connection: &Connection, plan: PlanId, printer: Printer<'_>, now: i64) -> Result<Claim, StoreError> {
    let mut statement = connection.prepare(
        "SELECT sessions.id, epoch, series, base FROM plans JOIN sessions ON sessions.id = plans.session WHERE plans.id = ?1 AND base > 0",
    )?;
    let found: Option<(i64, i64, i64, i64)> =
        statement.query_row([plan], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))).optional()?;
    let Some((session, epoch, series, base)) = found else { return Ok(Claim::default()) };
    let slot = base + i64::from(printer.lane) - 1;
    let mut statement = connection.prepare(
        "SELECT id, text, path, tokens FROM deliveries WHERE session = ?1 AND epoch = ?2 AND state = 0 AND slot = ?3 ORDER BY rank, id",
    )?;
    let rows: Vec<Claimed> = statement
        .query_map([session, epoch, slot], |row| {
            Ok(Claimed {
                id: row.get(0)?,
                text: row.get::<_, Option<String>>(1)?.unwrap_or_default(),
                path: row.get(2)?,
                tokens: row.get(3)?,
            })
        })?
        .collect::<Result<_, _>>()?;
    if !rows.is_empty() {
        connection.execute(
            "UPDATE deliveries SET state = 1, holder = ?4, reaped_as = ?5, at = ?6, event = ?7, moment = ?8
             WHERE session = ?1 AND epoch = ?2 AND state = 0 AND slot = ?3",
            params![session, epoch, slot, printer.holder.text(), printer.reaped_as, now, printer.event, printer.moment.word()],
        )?;
        connection.execute("UPDATE sessions SET last_slot = max(last_slot, ?2) WHERE id = ?1", [session, slot])?;
    }
    let (last, left): (i64, u32) = connection.query_row(
        "SELECT (SELECT coalesce(max(slot), ?3) FROM deliveries WHERE session = ?1 AND epoch = ?2 AND slot >= ?3),
         (SELECT count(*) FROM deliveries WHERE session = ?1 AND state = 0 AND slot >= ?4)",
        [session, epoch, series, base + i64::from(printer.lanes)],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    Ok(Claim {
        session,
        epoch,
        rows,
        number: u32::try_from(slot - series + 1).unwrap_or(1),
        of: u32::try_from(last - series + 1).unwrap_or(1),
        slot,
        follows: printer.lane > 1,
        left,
    })
}

pub(super) fn confirm(connection: &Connection, claim: &Claim, entry: &LogEntry<'_>) -> Result<(), StoreError> {
    let mut delivered = connection.prepare("UPDATE deliveries SET state = 2, text = NULL, at = ?2 WHERE id = ?1")?;
    for row in &claim.rows {
        delivered.execute([row.id, entry.now])?;
    }
    remember_paths(connection, claim.session, claim.epoch)?;
    connection.execute(
        "INSERT INTO events (at, session, agent, event, lane, epoch, micros, outcome, problem, size, queued, notes)
         SELECT ?1, id, agent, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11 FROM sessions WHERE id = ?2",
        params![
            entry.now,
            claim.session,
            entry.event,
            entry.lane,
            claim.epoch,
            entry.micros,
            entry.outcome.word(),
            entry.outcome.problem(),
            entry.size,
            claim.left,
            serde_json::to_string(entry.notes).expect("notes are plain data"),
        ],
    )?;
    let id = connection.last_insert_rowid();
    if id % 64 == 0 {
        connection.execute("DELETE FROM events WHERE id <= ?1", [id - LOG_LINES])?;
    }
    Ok(())
}

/// Writes the paths in the window of the current epoch into `sessions.context_paths`: one per line, each once.
pub(super) fn remember_paths(connection: &Connection, session: i64, epoch: i64) -> Result<(), StoreError> {
    let mut statement = connection.prepare(
        // Rows of version 0.1 have no file.
        "SELECT iif(file = '', path, file) AS shown FROM deliveries WHERE session = ?1 AND epoch = ?2 AND state = 2 AND path <> ''
         GROUP BY shown ORDER BY min(id)",
    )?;
    let paths: Vec<String> = statement.query_map([session, epoch], |row| row.get(0))?.collect::<Result<_, _>>()?;
    connection.execute("UPDATE sessions SET context_paths = ?2 WHERE id = ?1 AND epoch = ?3", params![session, paths.join("\n"), epoch])?;
    Ok(())
}
