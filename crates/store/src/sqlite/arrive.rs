//! An event arrives: its session, its epoch, what dead processes held, and who plans it.

use briefing_core::Moment;
use briefing_core::text::beginning;
use rusqlite::{Connection, OptionalExtension, params};

use super::admit::remember_paths;
use super::{LEASE_MILLIS, find, history, is_held, look};
use crate::error::StoreError;
use crate::holder::{Holder, Life};
use crate::ledger::{Arrival, Arrived, Parent, PlanId, PlanState};

/// How many bytes of a message are kept; selection looks at no more.
const MAX_MESSAGE: usize = 16 * 1024;
/// How many new sessions there are between two searches for old ones.
const PRUNE_EVERY: i64 = 16;

pub(super) fn arrive(connection: &Connection, arrival: &Arrival<'_>) -> Result<Arrived, StoreError> {
    let session = match find(connection, arrival.key)? {
        Some(session) => session,
        None => insert(connection, arrival)?,
    };
    if arrival.is_reset {
        reset(connection, session, arrival)?;
    }
    if let Some(moment) = arrival.forget_all_but {
        lose_all_but(connection, session, moment)?;
        connection.execute(
            "UPDATE sessions SET owed = owed | (done & ?2), done = done & ~?2 WHERE id = ?1",
            params![session, arrival.forget_sources],
        )?;
    }
    connection.execute(
        "UPDATE sessions SET last_seen = ?2, owed = owed | ?3, cwd = ?4, message = coalesce(?5, message),
         client = iif(?6 = '', client, ?6), transcript = coalesce(?7, transcript), title = iif(title = '', ?8, title) WHERE id = ?1",
        params![
            session,
            arrival.now,
            arrival.owe,
            arrival.cwd,
            arrival.message.map(|message| beginning(message, MAX_MESSAGE)),
            arrival.client,
            arrival.transcript,
            arrival.title.unwrap_or_default()
        ],
    )?;
    free_the_dead(connection, session, arrival.now)?;
    let known = look(connection, arrival.key)?.ok_or_else(|| StoreError::Unusable("the session was not written".into()))?;
    let (plan, state) = plan(connection, session, known.epoch, arrival)?;
    Ok(Arrived { known, plan, state })
}

fn insert(connection: &Connection, arrival: &Arrival<'_>) -> Result<i64, StoreError> {
    let key = arrival.key;
    connection.execute(
        "INSERT INTO sessions (agent, native, sub_agent, cwd, started_in, first_seen, last_seen) VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?5)",
        params![key.agent, key.native, key.sub_agent, arrival.cwd, arrival.now],
    )?;
    let session = connection.last_insert_rowid();
    if let Some(parent) = &arrival.parent {
        inherit(connection, session, parent)?;
    }
    // Not at every session: searching all of them costs more than the rest of a start.
    if session % PRUNE_EVERY == 2 {
        history::forget_sessions(connection, arrival.now)?;
    }
    Ok(session)
}

/// Marks what events of other moments carried as lost, and what waits behind a lost part: no part arrives without those
/// before it. A piece of which nothing is left is forgotten, and so it is due as a whole.
fn lose_all_but(connection: &Connection, session: i64, moment: Moment) -> Result<(), StoreError> {
    let epoch: i64 = connection.query_row("SELECT epoch FROM sessions WHERE id = ?1", [session], |row| row.get(0))?;
    connection.execute(
        "UPDATE deliveries SET state = 3 WHERE session = ?1 AND epoch = ?2 AND state = 2 AND moment <> ?3",
        params![session, epoch, moment.word()],
    )?;
    lose_what_waits_behind(connection, session, epoch)?;
    remember_paths(connection, session, epoch)
}

/// Takes parts out of the queue whose piece has lost one, and forgets the pieces of which nothing is left. The changed sections
/// of a piece (an excerpt) are worth nothing without what they change, so they are lost with it.
pub(super) fn lose_what_waits_behind(connection: &Connection, session: i64, epoch: i64) -> Result<(), StoreError> {
    connection.execute(
        "UPDATE deliveries SET state = 3, text = NULL WHERE session = ?1 AND epoch = ?2 AND state IN (0, 2) AND part_stop = 0 AND EXISTS
         (SELECT 1 FROM deliveries AS lost WHERE lost.session = ?1 AND lost.epoch = ?2 AND lost.piece = deliveries.piece AND lost.state = 3
         AND lost.id < deliveries.id)",
        [session, epoch],
    )?;
    connection.execute(
        "UPDATE deliveries SET state = 3, text = NULL WHERE session = ?1 AND epoch = ?2 AND state = 0 AND EXISTS
         (SELECT 1 FROM deliveries AS lost WHERE lost.session = ?1 AND lost.epoch = ?2 AND lost.piece = deliveries.piece AND lost.state = 3)",
        [session, epoch],
    )?;
    connection.execute(
        "DELETE FROM deliveries WHERE session = ?1 AND epoch = ?2 AND state = 3 AND NOT EXISTS
         (SELECT 1 FROM deliveries AS kept WHERE kept.session = ?1 AND kept.epoch = ?2 AND kept.piece = deliveries.piece AND kept.state < 3)",
        [session, epoch],
    )?;
    Ok(())
}

/// Gives a fork what its parent's window had: what was delivered, and what still waits.
///
/// Sources are asked again, so what has changed since comes as an update. A piece of which the fork's window may lack
/// a part is not inherited at all: delivering it twice is better than never.
fn inherit(connection: &Connection, session: i64, parent: &Parent<'_>) -> Result<(), StoreError> {
    let Some(from) = find(connection, parent.key)? else { return Ok(()) };
    connection.execute(
        "UPDATE sessions SET (message, title, last_slot, series) = (SELECT message, title, last_slot, series FROM sessions WHERE id = ?2)
         WHERE id = ?1",
        [session, from],
    )?;
    // What is being printed has a text only where it had to wait; without it the piece is due again.
    connection.execute(
        "INSERT INTO deliveries (session, epoch, piece, hash, part, parts, path, file, source, reason, moment, event, rank, transient, size,
         tokens, rendered_hash, rendered_length, text, slot, at, part_start, part_stop, part_total, opening, plain_hash, plain_length,
         verdict, proof, state)
         SELECT ?1, 1, piece, hash, part, parts, path, file, source, reason, moment, event, rank, transient, size,
         tokens, rendered_hash, rendered_length, text, slot, at, part_start, part_stop, part_total, opening, plain_hash, plain_length,
         verdict, proof, CASE state WHEN 2 THEN 2 ELSE 0 END FROM deliveries AS given
         WHERE session = ?2 AND epoch = (SELECT epoch FROM sessions WHERE id = ?2) AND (state = 2 OR text IS NOT NULL)
         AND NOT EXISTS (SELECT 1 FROM deliveries WHERE session = ?2 AND epoch = given.epoch AND piece = given.piece
         AND (state = 3 OR (state = 2 AND at > ?3)))
         ORDER BY id",
        params![session, from, parent.until],
    )?;
    remember_paths(connection, session, 1)
}

/// Counts a reset for this lane, and empties the window when this lane is the first to see it.
///
/// Every lane of the event comes here once. The epoch is one more than the highest count, so the lanes that follow
/// catch up with the first without emptying the window again.
fn reset(connection: &Connection, session: i64, arrival: &Arrival<'_>) -> Result<(), StoreError> {
    let seen: i64 = connection.query_row(
        "INSERT INTO resets (session, lane, seen) VALUES (?1, ?2, 1) ON CONFLICT DO UPDATE SET seen = seen + 1 RETURNING seen",
        params![session, arrival.lane],
        |row| row.get(0),
    )?;
    let epoch: i64 = connection.query_row("SELECT epoch FROM sessions WHERE id = ?1", [session], |row| row.get(0))?;
    if seen + 1 > epoch {
        connection.execute(
            "UPDATE sessions SET epoch = ?2, done = 0, owed = ?3, context_paths = '' WHERE id = ?1",
            params![session, seen + 1, arrival.owed_after_reset],
        )?;
        connection.execute("DELETE FROM deliveries WHERE session = ?1 AND state = 0", [session])?;
        history::close_epoch(connection, session, seen + 1)?;
    }
    Ok(())
}

/// Puts back into the queue what was held by processes that are gone or whose lease has ended. Tells whether some of it is
/// gone with them.
pub(super) fn free_the_dead(connection: &Connection, session: i64, now: i64) -> Result<bool, StoreError> {
    let mut statement = connection.prepare("SELECT DISTINCT holder, at FROM deliveries WHERE session = ?1 AND state = 1")?;
    let held: Vec<(String, i64)> = statement.query_map([session], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
    for (holder, at) in held.iter().filter(|(holder, at)| !is_held(holder, *at, now)) {
        // The window that it was printed into has been emptied since.
        connection.execute(
            "DELETE FROM deliveries WHERE session = ?1 AND state = 1 AND holder = ?2 AND at = ?3
             AND epoch <> (SELECT epoch FROM sessions WHERE id = ?1)",
            params![session, holder, at],
        )?;
        connection.execute(
            "UPDATE deliveries SET state = 0, holder = '', reaped_as = 0 WHERE session = ?1 AND state = 1 AND holder = ?2 AND at = ?3",
            params![session, holder, at],
        )?;
    }
    if held.is_empty() { Ok(false) } else { forget_unwritten(connection, session) }
}

/// Deletes waiting pieces whose text only their dead holder had, and makes all sources due again. Tells whether there were any.
pub(super) fn forget_unwritten(connection: &Connection, session: i64) -> Result<bool, StoreError> {
    let forgotten = connection.execute("DELETE FROM deliveries WHERE session = ?1 AND state = 0 AND text IS NULL", [session])?;
    if forgotten > 0 {
        connection.execute("UPDATE sessions SET done = 0 WHERE id = ?1", [session])?;
    }
    Ok(forgotten > 0)
}

fn plan(connection: &Connection, session: i64, epoch: i64, arrival: &Arrival<'_>) -> Result<(PlanId, PlanState), StoreError> {
    connection.execute("DELETE FROM plans WHERE session = ?1 AND at < ?2", params![session, arrival.now - LEASE_MILLIS])?;
    let holder = arrival.holder.text();
    // The same prompt can be compacted twice within the lease: the epoch tells the events apart.
    let key = arrival.plan.map(|plan| format!("{plan} {epoch}")).unwrap_or_default();
    // A lane takes part in an event once. The same event for the same lane is another one as soon as something else has
    // happened in between: the user has sent the same words again.
    let lane = 1_i64 << arrival.lane.min(62);
    if arrival.plan.is_some() {
        let mut statement = connection.prepare(
            "SELECT id, base, holder FROM plans WHERE session = ?1 AND key = ?2 AND NOT (lanes & ?3 AND EXISTS
             (SELECT 1 FROM plans AS later WHERE later.session = ?1 AND later.id > plans.id AND later.key <> ?2)) ORDER BY id DESC LIMIT 1",
        )?;
        let found: Option<(i64, i64, String)> =
            statement.query_row(params![session, key, lane], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()?;
        if let Some((id, ..)) = &found {
            connection.execute("UPDATE plans SET lanes = lanes | ?2 WHERE id = ?1", params![id, lane])?;
        }
        match found {
            Some((id, base, _)) if base > 0 => return Ok((id, PlanState::Ready)),
            Some((id, _, other)) if Holder::life_of(&other) != Life::Gone => return Ok((id, PlanState::Others)),
            Some((id, ..)) => {
                connection.execute("UPDATE plans SET holder = ?2, at = ?3 WHERE id = ?1", params![id, holder, arrival.now])?;
                return Ok((id, PlanState::Mine));
            }
            None => {}
        }
    }
    connection.execute(
        "INSERT INTO plans (session, key, at, holder, lanes) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![session, key, arrival.now, holder, lane],
    )?;
    Ok((connection.last_insert_rowid(), PlanState::Mine))
}
