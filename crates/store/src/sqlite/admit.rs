//! Pieces enter the queue, a process claims its output, and confirms what it has printed.

use briefing_core::fit::{Due, Part, Standing, Waiting};
use briefing_core::text::beginning;
use briefing_core::{Moment, Note, Source};
use rusqlite::{Connection, OptionalExtension, params};

use super::arrive::{forget_unwritten, free_the_dead};
use super::{SOURCE, history, receipts, source_of};
use crate::error::StoreError;
use crate::ledger::{Admission, Claim, Claimed, LogEntry, Offer, PlanId, Printer};
use crate::receipt::{printed, rendered_hash};

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
        due.extend(due_of(connection, session, epoch, offer)?.map(|due| Due { piece: place, ..due }));
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
         tokens, rendered_hash, rendered_length, text, slot, at, part_start, part_stop, part_total, opening, plain_hash, plain_length, state)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26,
         ?27, 0)",
    )?;
    let own_slot = u32::from(admission.printer.lane) - 1;
    let is_held_back = is_held_back(connection, session, epoch, &admission.printer, admission.now)?;
    for segment in briefing.segments {
        let part = segment.part;
        // What was lost of it is sent again now, in the same parts or as a whole.
        let resent = "DELETE FROM deliveries WHERE session = ?1 AND epoch = ?2 AND piece = ?3 AND state = 3";
        connection.execute(resent, params![session, epoch, segment.piece])?;
        let is_written = segment.slot != own_slot || part.is_some() || is_held_back;
        let printed = printed(&segment.text);
        let plain = receipts::plain(printed);
        insert.execute(params![
            session,
            epoch,
            segment.piece,
            segment.hash,
            part.map_or(1, |part| part.number),
            part.map_or(1, |part| part.of),
            segment.path,
            segment.file,
            segment.source.map_or("", Source::name),
            segment.reason.to_json(),
            admission.printer.moment.word(),
            admission.printer.event,
            segment.order.number(),
            segment.is_transient,
            segment.size,
            segment.tokens,
            rendered_hash(printed),
            printed.len(),
            is_written.then_some(&segment.text),
            base + i64::from(segment.slot),
            admission.now,
            part.map(|part| part.start),
            part.map(|part| part.stop),
            part.map(|part| part.total),
            receipts::opening(printed),
            plain.as_ref().map(|(hash, _)| hash),
            plain.as_ref().map(|(_, length)| length),
        ])?;
        if !is_written {
            unwritten.push((connection.last_insert_rowid(), segment.text));
        }
    }
    connection.execute(
        "UPDATE sessions SET done = done | ?2, owed = (owed & ~?2) | ?3, watched = ?4 WHERE id = ?1",
        params![session, admission.done, admission.owe, admission.watched],
    )?;
    Ok(unwritten)
}

/// How long tool calls that run in parallel may be apart.
const PARALLEL_MILLIS: i64 = 700;

/// Tells whether a tool event must leave its output to a later one, because another tool event has just printed.
///
/// An agent that runs tools in parallel orders their contexts by tool, not by time: two outputs would change places. An
/// event with several lanes is sent once for all tools of a response.
fn is_held_back(connection: &Connection, session: i64, epoch: i64, printer: &Printer<'_>, now: i64) -> Result<bool, StoreError> {
    if !printer.is_parallel {
        return Ok(false);
    }
    let mut statement = connection.prepare(
        "SELECT 1 FROM deliveries WHERE session = ?1 AND epoch = ?2 AND state IN (1, 2) AND moment = 'tool' AND abs(at - ?3) < ?4 LIMIT 1",
    )?;
    // The other one may have looked at the clock later, and still have been faster.
    Ok(statement.exists(params![session, epoch, now, PARALLEL_MILLIS])?)
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

/// Returns what the window lacks of a piece, or `None` if it has all of it or waits for it.
fn due_of(connection: &Connection, session: i64, epoch: i64, offer: &Offer<'_>) -> Result<Option<Due>, StoreError> {
    // The newest counts: a file that was changed and changed back is an update twice.
    let mut statement = connection
        .prepare_cached("SELECT id, hash FROM deliveries WHERE session = ?1 AND epoch = ?2 AND piece = ?3 ORDER BY id DESC LIMIT 1")?;
    let mut newest_of = |piece: &str| -> Result<Option<(i64, String)>, StoreError> {
        Ok(statement.query_row(params![session, epoch, piece], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
    };
    let own = newest_of(offer.piece)?;
    for (whole, hash) in &offer.within {
        if let Some((id, newest)) = newest_of(whole)?
            && newest == *hash
            && own.as_ref().is_none_or(|(own, _)| *own < id)
        {
            return Ok(None);
        }
    }
    let Some((_, hash)) = own else { return Ok(Some(Due::default())) };
    if hash == offer.hash {
        return lost_of(connection, session, epoch, offer);
    }
    // An older version that still waits never leaves; if it was the only one, this is what the window has.
    connection.execute("DELETE FROM deliveries WHERE session = ?1 AND piece = ?2 AND state = 0", params![session, offer.piece])?;
    if newest_of(offer.piece)?.is_some_and(|(_, hash)| hash == offer.hash) {
        return lost_of(connection, session, epoch, offer);
    }
    let mut versions = connection.prepare_cached(
        "SELECT count(*), coalesce(sum(epoch = ?2 AND state < 3), 0) FROM deliveries WHERE session = ?1 AND piece = ?3 AND part = 1 AND state > 0",
    )?;
    let (all, here): (u32, u32) = versions.query_row(params![session, epoch, offer.piece], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let seen = seen_of(connection, session, epoch, offer)?;
    Ok(Some(Due { versions: if here > 0 { all } else { 0 }, seen, ..Due::default() }))
}

/// Returns the hash of the version of a piece that the window has, if it has every part of it. Of the version that is offered, it
/// may have parts too.
fn seen_of(connection: &Connection, session: i64, epoch: i64, offer: &Offer<'_>) -> Result<Option<String>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT hash FROM deliveries AS seen WHERE session = ?1 AND epoch = ?2 AND piece = ?3 AND hash <> ?4 AND state IN (1, 2) AND parts =
         (SELECT count(DISTINCT part) FROM deliveries WHERE session = ?1 AND epoch = ?2 AND piece = ?3 AND hash = seen.hash AND state IN (1, 2))
         AND NOT EXISTS (SELECT 1 FROM deliveries WHERE session = ?1 AND epoch = ?2 AND piece = ?3 AND hash <> ?4
         AND (state = 3 OR (id > seen.id AND hash <> seen.hash)))
         ORDER BY id DESC LIMIT 1",
    )?;
    Ok(statement.query_row(params![session, epoch, offer.piece, offer.hash], |row| row.get(0)).optional()?)
}

/// Returns the parts that the window has lost of a piece whose content it has otherwise.
fn lost_of(connection: &Connection, session: i64, epoch: i64, offer: &Offer<'_>) -> Result<Option<Due>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT part, parts, part_start, part_stop, part_total FROM deliveries
         WHERE session = ?1 AND epoch = ?2 AND piece = ?3 AND hash = ?4 AND state = 3 ORDER BY part",
    )?;
    let rows = statement.query_map(params![session, epoch, offer.piece, offer.hash], |row| {
        let (number, of) = (row.get(0)?, row.get(1)?);
        // Earlier versions did not note where they cut: a total of 0 fits no text, so the whole piece is sent.
        let at = |column| Ok::<_, rusqlite::Error>(row.get::<_, Option<usize>>(column)?.unwrap_or(0));
        Ok(Part { number, of, start: at(2)?, stop: at(3)?, total: at(4)? })
    })?;
    let lost: Vec<Part> = rows.collect::<Result<_, _>>()?;
    if lost.is_empty() {
        return Ok(None);
    }
    let mut others = connection.prepare_cached(
        "SELECT count(*), coalesce(sum(epoch = ?2 AND state < 3), 0) FROM deliveries
         WHERE session = ?1 AND piece = ?3 AND hash <> ?4 AND part = 1 AND state > 0",
    )?;
    let (all, here): (u32, u32) =
        others.query_row(params![session, epoch, offer.piece, offer.hash], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let seen = seen_of(connection, session, epoch, offer)?;
    Ok(Some(Due { lost, versions: if here > 0 { all } else { 0 }, seen, ..Due::default() }))
}

/// A planned event, as its lanes see it.
struct Planned {
    session: i64,
    epoch: i64,
    series: i64,
    base: i64,
}

fn planned(connection: &Connection, plan: PlanId) -> Result<Option<Planned>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT sessions.id, epoch, series, base FROM plans JOIN sessions ON sessions.id = plans.session WHERE plans.id = ?1 AND base > 0",
    )?;
    let row =
        statement.query_row([plan], |row| Ok(Planned { session: row.get(0)?, epoch: row.get(1)?, series: row.get(2)?, base: row.get(3)? }));
    Ok(row.optional()?)
}

pub(super) fn claim(connection: &Connection, plan: PlanId, printer: Printer<'_>, now: i64) -> Result<Claim, StoreError> {
    let Some(planned) = planned(connection, plan)? else { return Ok(Claim::default()) };
    if is_held_back(connection, planned.session, planned.epoch, &printer, now)? {
        return Ok(Claim { session: planned.session, epoch: planned.epoch, plan, is_held_back: true, ..Claim::default() });
    }
    let own = planned.base + i64::from(printer.lane) - 1;
    // A lane that is late may find that the next one has taken its output.
    let is_taken = connection
        .prepare_cached("SELECT 1 FROM deliveries WHERE session = ?1 AND epoch = ?2 AND slot = ?3 AND state > 0 AND lane <> ?4")?
        .exists(params![planned.session, planned.epoch, own, printer.lane])?;
    let end = planned.base + i64::from(printer.lanes);
    let slot = if is_taken { first_waiting(connection, &planned, end)?.unwrap_or(own) } else { own };
    claim_slot(connection, plan, &planned, slot, printer, now)
}

/// Returns the first output of an event before `end` that nobody has claimed.
fn first_waiting(connection: &Connection, planned: &Planned, end: i64) -> Result<Option<i64>, StoreError> {
    let mut statement = connection
        .prepare_cached("SELECT min(slot) FROM deliveries WHERE session = ?1 AND epoch = ?2 AND state = 0 AND slot >= ?3 AND slot < ?4")?;
    Ok(statement.query_row([planned.session, planned.epoch, planned.base, end], |row| row.get(0))?)
}

fn claim_slot(
    connection: &Connection,
    plan: PlanId,
    planned: &Planned,
    slot: i64,
    printer: Printer<'_>,
    now: i64,
) -> Result<Claim, StoreError> {
    let Planned { session, epoch, series, base } = *planned;
    let mut statement = connection.prepare_cached(
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
            "UPDATE deliveries SET state = 1, holder = ?4, reaped_as = ?5, at = ?6, event = ?7, moment = ?8, lane = ?9
             WHERE session = ?1 AND epoch = ?2 AND state = 0 AND slot = ?3",
            params![
                session,
                epoch,
                slot,
                printer.holder.text(),
                printer.reaped_as,
                now,
                printer.event,
                printer.moment.word(),
                printer.lane
            ],
        )?;
        connection.execute("UPDATE sessions SET last_slot = max(last_slot, ?2), unproven = 1 WHERE id = ?1", [session, slot])?;
    }
    let end = base + i64::from(printer.lanes);
    let (of, left): (u32, u32) = connection.query_row(
        "SELECT (SELECT count(DISTINCT slot) FROM deliveries WHERE session = ?1 AND epoch = ?2 AND slot >= ?3 AND slot < ?4),
         (SELECT count(*) FROM deliveries WHERE session = ?1 AND state = 0 AND slot >= ?4)",
        [session, epoch, base, end],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let (files, tokens) = if slot == base { contents(connection, planned, end)? } else { (Vec::new(), 0) };
    Ok(Claim {
        session,
        epoch,
        plan,
        files,
        tokens,
        rows,
        number: u32::try_from(slot - base + 1).unwrap_or(1),
        of,
        is_continued: base > series,
        slot,
        follows: slot > base,
        left,
        is_held_back: false,
    })
}

/// Returns the files in the outputs of an event, and their tokens.
fn contents(connection: &Connection, planned: &Planned, end: i64) -> Result<(Vec<String>, u64), StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT file, sum(tokens) FROM deliveries WHERE session = ?1 AND epoch = ?2 AND slot >= ?3 AND slot < ?4 AND file <> ''
         GROUP BY file ORDER BY min(rank), min(id)",
    )?;
    let rows = statement
        .query_map([planned.session, planned.epoch, planned.base, end], |row| Ok((row.get::<_, String>(0)?, row.get::<_, u64>(1)?)))?
        .collect::<Result<Vec<_>, _>>()?;
    let tokens = rows.iter().map(|(_, tokens)| tokens).sum();
    Ok((rows.into_iter().map(|(file, _)| file).collect(), tokens))
}

pub(super) fn take_turn(connection: &Connection, claim: &Claim, printer: Printer<'_>, now: i64) -> Result<Claim, StoreError> {
    let Some(planned) = planned(connection, claim.plan)?.filter(|planned| planned.epoch == claim.epoch) else { return Ok(claim.clone()) };
    let is_gone = free_the_dead(connection, planned.session, now)?;
    let first = first_waiting(connection, &planned, claim.slot)?;
    match first {
        Some(slot) => {
            release(connection, claim)?;
            claim_slot(connection, claim.plan, &planned, slot, printer, now)
        }
        None if is_gone => {
            release(connection, claim)?;
            Ok(Claim { session: claim.session, epoch: claim.epoch, plan: claim.plan, ..Claim::default() })
        }
        None => Ok(claim.clone()),
    }
}

/// Puts a claim back into the queue.
pub(super) fn release(connection: &Connection, claim: &Claim) -> Result<(), StoreError> {
    for row in &claim.rows {
        connection.execute("UPDATE deliveries SET state = 0, holder = '' WHERE id = ?1 AND state = 1", [row.id])?;
    }
    forget_unwritten(connection, claim.session)?;
    Ok(())
}

pub(super) fn confirm(connection: &Connection, claim: &Claim, entry: &LogEntry<'_>) -> Result<(), StoreError> {
    let Some(event) = log(connection, claim, entry)? else { return Ok(()) };
    if !claim.rows.is_empty() {
        let mut sources = 0;
        let mut delivered = connection.prepare(&format!(
            "UPDATE deliveries SET state = 2, text = NULL, holder = '', at = ?2, carrier = ?3 WHERE id = ?1 RETURNING {SOURCE}"
        ))?;
        for row in &claim.rows {
            let source: Option<String> = delivered.query_row([row.id, entry.now, event], |row| row.get(0)).optional()?;
            sources |= source.and_then(|source| source_of(&source)).map_or(0, Source::bit);
        }
        connection.execute("UPDATE events SET sources = sources | ?2 WHERE id = ?1", params![event, sources])?;
        remember_paths(connection, claim.session, claim.epoch)?;
    }
    if event % history::EVERY == 0 {
        history::bound(connection, event)?;
    }
    Ok(())
}

/// How many bytes of a message the log keeps: enough to decide once more.
const LOGGED_MESSAGE: usize = 4096;

/// Writes the event's line of the log, or adds to the one that another lane has written. Returns its number; `None` if the
/// session is gone.
fn log(connection: &Connection, claim: &Claim, entry: &LogEntry<'_>) -> Result<Option<i64>, StoreError> {
    let known: Option<(i64, String)> = connection
        .prepare_cached(
            "SELECT events.id, notes FROM plans JOIN events ON events.id = plans.event WHERE plans.id = ?1 AND plans.session = ?2",
        )?
        .query_row([claim.plan, claim.session], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    if let Some((event, notes)) = known {
        let mut all: Vec<Note> = serde_json::from_str(&notes).unwrap_or_default();
        all.extend(entry.notes.iter().filter(|note| !all.contains(note)).cloned().collect::<Vec<_>>());
        connection.execute(
            "UPDATE events SET micros = max(micros, ?2), notes = ?3, size = size + ?4, outputs = outputs + ?5 WHERE id = ?1",
            params![event, entry.micros, json(&all), entry.size, i64::from(!claim.rows.is_empty())],
        )?;
        // A lane that printed nothing does not undo what another one has delivered.
        if !claim.rows.is_empty() {
            connection.execute(
                "UPDATE events SET outcome = ?2, problem = '', why = '', queued = ?3 WHERE id = ?1",
                params![event, entry.outcome.word(), claim.left],
            )?;
        }
        return Ok(Some(event));
    }
    let message = entry.basis.message.map(|message| beginning(message, LOGGED_MESSAGE)).unwrap_or_default();
    let written = connection.execute(
        "INSERT INTO events (at, session, agent, event, lane, epoch, micros, outcome, problem, size, queued, notes, moment, outputs, why, message,
         documents, settings)
         SELECT ?1, id, agent, ?3, 1, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16 FROM sessions WHERE id = ?2",
        params![
            entry.now,
            claim.session,
            entry.event,
            claim.epoch,
            entry.micros,
            entry.outcome.word(),
            entry.outcome.problem(),
            entry.size,
            claim.left,
            json(entry.notes),
            entry.moment.map_or("", Moment::word),
            i64::from(!claim.rows.is_empty()),
            entry.outcome.silence().unwrap_or_default().to_json(),
            message,
            entry.basis.documents,
            entry.basis.settings,
        ],
    )?;
    if written == 0 {
        return Ok(None);
    }
    let event = connection.last_insert_rowid();
    connection.execute("UPDATE plans SET event = ?2 WHERE id = ?1", [claim.plan, event])?;
    Ok(Some(event))
}

fn json(notes: &[Note]) -> String {
    serde_json::to_string(notes).expect("notes are plain data")
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
