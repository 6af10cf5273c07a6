//! Receipts: what has no verdict yet, and what a verdict changes.

use briefing_core::render::window;
use briefing_core::{Moment, Source};
use rusqlite::{Connection, OptionalExtension, params};

use super::admit::remember_paths;
use super::arrive::lose_what_waits_behind;
use super::{SOURCE, source_of};
use crate::error::StoreError;
use crate::ledger::Forgetting;
use crate::receipt::{Judgement, Look, OpenReceipts, Unproven};

/// How much of a text is kept to find it again: the label that names the file, or a source's frame with its first words. A
/// frame alone is a line of up to 80 equal characters.
const OPENING: usize = 120;

/// Returns the first bytes of a text, up to a character's end.
pub(super) fn opening(text: &str) -> &str {
    let end = (0..=OPENING.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}

/// Returns hash and length of a text without its character entities, if it has any.
pub(super) fn plain(text: &str) -> Option<(String, u64)> {
    let plain = window::plain(text);
    (plain.len() < text.len()).then(|| (blake3::hash(plain.as_bytes()).to_hex().to_string(), plain.len() as u64))
}

pub(super) fn unproven(connection: &Connection, session: i64) -> Result<OpenReceipts, StoreError> {
    let transcript: String = connection.query_row("SELECT transcript FROM sessions WHERE id = ?1", [session], |row| row.get(0))?;
    let mut statement = connection.prepare(
        "SELECT deliveries.id, moment, deliveries.at, deliveries.at < first_seen, opening, rendered_hash, rendered_length, plain_hash,
         plain_length, event FROM deliveries JOIN sessions ON sessions.id = session
         WHERE session = ?1 AND state = 2 AND verdict = '' ORDER BY deliveries.id",
    )?;
    let rows = statement.query_map([session], |row| {
        let moment: String = row.get(1)?;
        let plain: Option<String> = row.get(7)?;
        Ok(Unproven {
            id: row.get(0)?,
            event: row.get(9)?,
            moment: Moment::from_word(&moment),
            at: row.get(2)?,
            is_inherited: row.get(3)?,
            opening: row.get(4)?,
            whole: (row.get::<_, Option<String>>(5)?.unwrap_or_default(), row.get::<_, Option<u64>>(6)?.unwrap_or_default()),
            plain: plain.zip(row.get(8)?),
        })
    })?;
    Ok(OpenReceipts {
        look: look(connection, session)?,
        transcript: Some(transcript).filter(|path| !path.is_empty()),
        deliveries: rows.collect::<Result<_, _>>()?,
    })
}

fn look(connection: &Connection, session: i64) -> Result<Look, StoreError> {
    let mut statement = connection.prepare("SELECT file, offset, last, asked, answered, damaged FROM looks WHERE session = ?1")?;
    let found = statement.query_row([session], |row| {
        Ok(Look {
            file: row.get(0)?,
            offset: row.get(1)?,
            last: row.get(2)?,
            asked: row.get(3)?,
            answered: row.get(4)?,
            damaged: row.get(5)?,
        })
    });
    Ok(found.optional()?.unwrap_or_default())
}

pub(super) fn judge(connection: &Connection, judgement: &Judgement<'_>) -> Result<Option<Vec<String>>, StoreError> {
    let session = judgement.session;
    if look(connection, session)? != *judgement.before {
        return Ok(None);
    }
    let after = judgement.after;
    connection.execute(
        "INSERT OR REPLACE INTO looks (session, file, offset, last, asked, answered, damaged) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![session, after.file, after.offset, after.last, after.asked, after.answered, after.damaged],
    )?;
    let mut statement = connection
        .prepare("UPDATE deliveries SET verdict = ?3, proof = ?4 WHERE id = ?1 AND session = ?2 AND state = 2 AND verdict = ''")?;
    for judged in judgement.judged {
        statement.execute(params![judged.id, session, judged.verdict.word(), judged.proof])?;
    }
    let mut again = Vec::new();
    for judged in judgement.judged.iter().filter(|judged| judged.verdict.is_lost()) {
        again.extend(repair(connection, session, judged.id, judgement.repairs)?);
    }
    connection.execute(
        "UPDATE sessions SET unproven = EXISTS (SELECT 1 FROM deliveries WHERE session = ?1 AND (state = 1 OR state = 2 AND verdict = ''))
         WHERE id = ?1",
        [session],
    )?;
    if !again.is_empty() {
        let epoch: i64 = connection.query_row("SELECT epoch FROM sessions WHERE id = ?1", [session], |row| row.get(0))?;
        lose_what_waits_behind(connection, session, epoch)?;
        remember_paths(connection, session, epoch)?;
    }
    Ok(Some(again))
}

pub(super) fn forget(connection: &Connection, forgetting: &Forgetting<'_>, lost: &[i64]) -> Result<(), StoreError> {
    let Forgetting { session, before, after } = *forgetting;
    let is_first =
        connection.execute("UPDATE sessions SET scanned = ?3 WHERE id = ?1 AND scanned = ?2", params![session, before, after])? > 0;
    if !is_first || lost.is_empty() {
        return Ok(());
    }
    let epoch: i64 = connection.query_row("SELECT epoch FROM sessions WHERE id = ?1", [session], |row| row.get(0))?;
    for id in lost {
        connection.execute(
            "UPDATE deliveries SET state = 3 WHERE id = ?1 AND session = ?2 AND epoch = ?3 AND state = 2",
            [*id, session, epoch],
        )?;
    }
    lose_what_waits_behind(connection, session, epoch)?;
    connection.execute("UPDATE sessions SET done = 0 WHERE id = ?1", [session])?;
    remember_paths(connection, session, epoch)
}

/// Marks a delivery as lost, so that it is due again, and returns its path. A window that has been emptied since needs no
/// repair, and what was lost too often stays as it is: its client hides it.
fn repair(connection: &Connection, session: i64, delivery: i64, limit: u32) -> Result<Option<String>, StoreError> {
    let mut statement = connection.prepare(&format!(
        "SELECT path, {SOURCE}, (SELECT count(*) FROM losses WHERE session = ?2 AND epoch = lost.epoch AND piece = lost.piece AND part = lost.part)
         FROM deliveries AS lost WHERE id = ?1 AND epoch = (SELECT epoch FROM sessions WHERE id = ?2)"
    ))?;
    let found: Option<(String, String, u32)> =
        statement.query_row([delivery, session], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()?;
    let Some((path, source, _)) = found.filter(|(_, _, times)| *times < limit) else { return Ok(None) };
    // Its row disappears when it is sent again.
    connection.execute(
        "INSERT INTO losses (session, epoch, piece, path, part, parts, moment, event, verdict, proof, at)
         SELECT session, epoch, piece, path, part, parts, moment, event, verdict, proof, at FROM deliveries WHERE id = ?1",
        [delivery],
    )?;
    connection.execute("UPDATE deliveries SET state = 3 WHERE id = ?1", [delivery])?;
    let source = source_of(&source).map_or(0, Source::bit);
    connection.execute("UPDATE sessions SET done = done & ~?2, owed = owed | ?2 WHERE id = ?1", params![session, source])?;
    Ok(Some(path))
}
