//! The views, and how columns become facts again.

use std::collections::{BTreeSet, HashSet};

use briefing_core::{Moment, Reason, Silence, Source};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params_from_iter};

use super::{DELIVERED, LOST, PENDING, source_of};
use crate::error::StoreError;
use crate::key::SessionKey;
use crate::outcome::Outcome;
use crate::reader::{DeliveryRow, EventRow, Filter, SessionName, SessionRow, State, UsageRow, WindowRow};
use crate::receipt::{ReceiptRow, Verdict};

/// Returns the short name of the session in columns `at`, `at + 1` and `at + 2`.
fn short(row: &Row<'_>, at: usize) -> rusqlite::Result<String> {
    Ok(SessionKey { agent: row.get(at)?, native: row.get(at + 1)?, sub_agent: row.get(at + 2)? }.short())
}

/// The directory in which a session began. An older version that shares the file does not write it.
const DIRECTORY: &str = "iif(started_in = '', cwd, started_in)";

/// The conditions of a statement, and their values.
struct Conditions {
    text: String,
    values: Vec<Value>,
}

impl Conditions {
    /// Returns the conditions of a filter that concern sessions.
    fn of_sessions(filter: &Filter<'_>) -> Self {
        let mut all = Self { text: "1".into(), values: Vec::new() };
        // A session is asked for by its native id, or by any beginning of its short name or hash.
        if let Some(session) = filter.session {
            let plain = session.split('/').next().unwrap_or(session);
            let (native, plain) = (all.value(SessionKey::new("", session, None).native), all.value(plain.to_owned()));
            let beginning = |column: &str| format!("substr({column}, 1, length({plain})) = {plain}");
            all.and(&format!(
                "(substr(native, 1, 32) = {native} OR {} OR {})",
                beginning("native"),
                beginning("sessions.agent || ':' || native")
            ));
        }
        if let Some(agent) = filter.agent {
            let agent = all.value(agent.to_owned());
            all.and(&format!("sessions.agent = {agent}"));
        }
        if let Some(project) = filter.project {
            let project = all.value(project.trim_end_matches('/').to_owned());
            let is_in = |path: &str| format!("{path} = {project} OR substr({path}, 1, length({project}) + 1) = {project} || '/'");
            all.and(&format!("({} OR {})", is_in(DIRECTORY), is_in("cwd")));
        }
        all
    }

    /// Returns the conditions for rows of a table that belong to sessions and have a time.
    fn of_rows(filter: &Filter<'_>, table: &str) -> Self {
        let mut all = Self::of_sessions(filter);
        if all.values.is_empty() {
            all.text = "1".into();
        } else {
            all.text = format!("{table}.session IN (SELECT id FROM sessions WHERE {})", all.text);
        }
        all.and_time(filter, &format!("{table}.at"), &format!("{table}.at"));
        all
    }

    fn and_time(&mut self, filter: &Filter<'_>, last: &str, first: &str) {
        if let Some(since) = filter.since {
            let since = self.value(since);
            self.and(&format!("{last} >= {since}"));
        }
        if let Some(until) = filter.until {
            let until = self.value(until);
            self.and(&format!("{first} < {until}"));
        }
    }

    fn and(&mut self, condition: &str) {
        self.text.push_str(" AND ");
        self.text.push_str(condition);
    }

    /// Adds a value and returns its place in the statement.
    fn value(&mut self, value: impl Into<Value>) -> String {
        self.values.push(value.into());
        format!("?{}", self.values.len())
    }

    /// Runs a statement that ends with the conditions, and with what follows them.
    fn query<T>(
        mut self,
        connection: &Connection,
        statement: &str,
        order: &str,
        newest: Option<usize>,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let limit = self.value(newest.map_or(-1, |newest| i64::try_from(newest).unwrap_or(i64::MAX)));
        let mut statement = connection.prepare(&format!("{statement} WHERE {} {order} LIMIT {limit}", self.text))?;
        let rows = statement.query_map(params_from_iter(self.values), read)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// Returns rows that were read newest first in the order of time.
fn oldest_first<T>(mut rows: Vec<T>) -> Vec<T> {
    rows.reverse();
    rows
}

/// Returns the name of the session whose agent, native id, sub-agent, directory and title begin at column `at`.
fn name(row: &Row<'_>, at: usize) -> rusqlite::Result<SessionName> {
    Ok(SessionName { agent: row.get(at)?, session: short(row, at)?, directory: row.get(at + 3)?, title: row.get(at + 4)? })
}

pub(super) fn window(connection: &Connection, key: &SessionKey) -> Result<Option<WindowRow>, StoreError> {
    let mut statement = connection.prepare(&format!(
        "SELECT agent, native, sub_agent, {DIRECTORY}, title, id, epoch, last_seen FROM sessions WHERE agent = ?1 AND native = ?2 AND sub_agent = ?3"
    ))?;
    let found = statement
        .query_row([&key.agent, &key.native, &key.sub_agent], |row| Ok((name(row, 0)?, row.get::<_, i64>(5)?, row.get(6)?, row.get(7)?)));
    let Some((name, session, epoch, last_seen)) = found.optional()? else { return Ok(None) };
    let (files, tokens, queued, lost) = connection.query_row(
        "SELECT count(DISTINCT iif(state = 2 AND file <> '', file, NULL)), coalesce(sum(iif(state = 2, tokens, 0)), 0),
         coalesce(sum(state < 2), 0), coalesce(sum(verdict IN ('cut', 'missing')), 0) FROM deliveries WHERE session = ?1 AND epoch = ?2",
        [session, epoch],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
    )?;
    let mut statement = connection.prepare(
        "SELECT file FROM deliveries WHERE session = ?1 AND epoch = ?2 AND state = 2 AND file <> '' AND carrier =
         (SELECT max(carrier) FROM deliveries WHERE session = ?1 AND epoch = ?2 AND state = 2) GROUP BY file ORDER BY min(id)",
    )?;
    let latest = statement.query_map([session, epoch], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(Some(WindowRow { name, epoch, files, tokens, queued, lost, latest, last_seen }))
}

pub(super) fn names(connection: &Connection) -> Result<Vec<SessionName>, StoreError> {
    let mut statement = connection.prepare(&format!("SELECT agent, native, sub_agent, {DIRECTORY}, title FROM sessions"))?;
    let rows = statement.query_map([], |row| name(row, 0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(super) fn events(connection: &Connection, filter: &Filter<'_>) -> Result<Vec<EventRow>, StoreError> {
    let mut conditions = Conditions::of_rows(filter, "events");
    if let Some(source) = filter.source {
        let bit = conditions.value(i64::from(source.bit()));
        conditions.and(&format!("sources & {bit}"));
    }
    let statement = format!(
        "SELECT sessions.agent, native, sub_agent, {DIRECTORY}, title, events.id, events.at, event, moment, events.epoch, micros, outcome,
         problem, why, size, outputs, queued, notes, events.message, documents, settings, sources
         FROM events JOIN sessions ON sessions.id = events.session"
    );
    let rows = conditions.query(connection, &statement, "ORDER BY events.at DESC, events.id DESC", filter.newest, |row| {
        let (word, problem, why): (String, String, String) = (row.get(11)?, row.get(12)?, row.get(13)?);
        let (moment, notes): (String, String) = (row.get(8)?, row.get(17)?);
        Ok(EventRow {
            id: row.get(5)?,
            at: row.get(6)?,
            name: name(row, 0)?,
            event: row.get(7)?,
            moment: Moment::from_word(&moment),
            epoch: row.get(9)?,
            micros: row.get(10)?,
            outcome: Outcome::read(&word, &problem, Silence::from_ledger(&why)),
            size: row.get(14)?,
            outputs: row.get(15)?,
            sources: Source::of(row.get(21)?).collect(),
            queued: row.get(16)?,
            notes: serde_json::from_str(&notes).unwrap_or_default(),
            message: row.get(18)?,
            documents: row.get(19)?,
            settings: row.get(20)?,
        })
    })?;
    Ok(oldest_first(rows))
}

const DELIVERIES: &str =
    "SELECT sessions.agent, native, sub_agent, deliveries.epoch, iif(source = '', reason, source), path, file, piece, reason, moment,
    event, part, parts, tokens, hash, rendered_hash, rendered_length, state, deliveries.at, verdict, carrier, slot
    FROM deliveries JOIN sessions ON sessions.id = deliveries.session";

fn delivery(row: &Row<'_>) -> rusqlite::Result<DeliveryRow> {
    let (source, reason, moment): (String, String, String) = (row.get(4)?, row.get(8)?, row.get(9)?);
    Ok(DeliveryRow {
        session: short(row, 0)?,
        epoch: row.get(3)?,
        carrier: row.get(20)?,
        slot: row.get(21)?,
        source: source_of(&source),
        path: row.get(5)?,
        file: row.get(6)?,
        piece: row.get(7)?,
        reason: reason_of(&reason),
        moment: Moment::from_word(&moment),
        event: row.get(10)?,
        part: row.get(11)?,
        parts: row.get(12)?,
        tokens: row.get(13)?,
        hash: row.get(14)?,
        rendered_hash: row.get(15)?,
        rendered_length: row.get(16)?,
        state: match row.get::<_, i64>(17)? {
            DELIVERED => State::Delivered,
            PENDING => State::Pending,
            LOST => State::Lost,
            _ => State::Queued,
        },
        at: row.get(18)?,
        verdict: Verdict::from_word(&row.get::<_, String>(19)?),
    })
}

/// Adds the conditions of a filter that concern deliveries.
fn of_deliveries(filter: &Filter<'_>) -> Conditions {
    let mut conditions = Conditions::of_rows(filter, "deliveries");
    if let Some(source) = filter.source {
        let source = conditions.value(source.name().to_owned());
        conditions.and(&format!("source = {source}"));
    }
    if let Some(path) = filter.path {
        let path = conditions.value(path.to_owned());
        conditions
            .and(&format!("(path = {path} OR file = {path} OR piece = {path} OR substr(piece, 1, length({path}) + 1) = {path} || '#')"));
    }
    conditions
}

pub(super) fn deliveries(connection: &Connection, filter: &Filter<'_>) -> Result<Vec<DeliveryRow>, StoreError> {
    let order = "ORDER BY sessions.last_seen DESC, sessions.id DESC, deliveries.id DESC";
    Ok(oldest_first(of_deliveries(filter).query(connection, DELIVERIES, order, filter.newest, delivery)?))
}

pub(super) fn carried(connection: &Connection, events: &[i64]) -> Result<Vec<DeliveryRow>, StoreError> {
    let wanted: HashSet<i64> = events.iter().copied().filter(|event| *event > 0).collect();
    let mut windows = BTreeSet::new();
    let mut statement = connection.prepare("SELECT session, epoch FROM events WHERE id = ?1")?;
    for event in &wanted {
        windows.extend(statement.query_row([event], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))).optional()?);
    }
    // One statement per window, whatever the number of its events: deliveries have an index by window.
    let mut rows = Vec::new();
    let mut statement = connection.prepare(&format!(
        "{DELIVERIES} WHERE deliveries.session = ?1 AND deliveries.epoch = ?2 AND carrier > 0 AND state > 1
         ORDER BY carrier, slot, rank, deliveries.id"
    ))?;
    for (session, epoch) in windows {
        for row in statement.query_map([session, epoch], delivery)? {
            rows.extend(Some(row?).filter(|row| wanted.contains(&row.carrier)));
        }
    }
    Ok(rows)
}

pub(super) fn usage(connection: &Connection, filter: &Filter<'_>) -> Result<Vec<UsageRow>, StoreError> {
    let mut conditions = of_deliveries(filter);
    conditions.and("state > 1");
    let counted = |verdict: Verdict| format!("sum(verdict = '{}')", verdict.word());
    let [seen, cut, missing, unknowable] = Verdict::ALL.map(counted);
    let statement = format!(
        "SELECT sessions.agent, iif(source = '', reason, source) AS origin, iif(file = '', path, file) AS shown, count(DISTINCT deliveries.session),
         count(*), sum(tokens) AS total, {seen}, {cut}, {missing}, {unknowable}, max(deliveries.at)
         FROM deliveries JOIN sessions ON sessions.id = deliveries.session"
    );
    let order = "GROUP BY sessions.agent, origin, shown ORDER BY total DESC, sessions.agent, origin, shown";
    conditions.query(connection, &statement, order, filter.newest, |row| {
        let source: String = row.get(1)?;
        Ok(UsageRow {
            agent: row.get(0)?,
            source: source_of(&source),
            file: row.get(2)?,
            sessions: row.get(3)?,
            deliveries: row.get(4)?,
            tokens: row.get(5)?,
            seen: row.get(6)?,
            cut: row.get(7)?,
            missing: row.get(8)?,
            unknowable: row.get(9)?,
            last: row.get(10)?,
        })
    })
}

/// Reads a reason. Version 1000 wrote words, with the source before them.
fn reason_of(text: &str) -> Reason {
    match (source_of(text), text.split_once(": ")) {
        (Some(_), Some((_, words))) => Reason::Earlier { text: words.to_owned() },
        _ => Reason::from_ledger(text),
    }
}

pub(super) fn sessions(connection: &Connection, filter: &Filter<'_>) -> Result<Vec<SessionRow>, StoreError> {
    let mut conditions = Conditions::of_sessions(filter);
    conditions.and_time(filter, "last_seen", "first_seen");
    if let Some(source) = filter.source {
        let source = conditions.value(source.name().to_owned());
        conditions.and(&format!("EXISTS (SELECT 1 FROM deliveries WHERE session = sessions.id AND source = {source})"));
    }
    let statement = format!(
        "SELECT agent, native, sub_agent, {DIRECTORY}, title, epoch, cwd, context_paths, first_seen, last_seen, id, transcript FROM sessions"
    );
    let rows = conditions.query(connection, &statement, "ORDER BY last_seen DESC, id DESC", filter.newest, |row| {
        let paths: String = row.get(7)?;
        Ok(SessionRow {
            id: row.get(10)?,
            key: SessionKey { agent: row.get(0)?, native: row.get(1)?, sub_agent: row.get(2)? },
            transcript: Some(row.get::<_, String>(11)?).filter(|path| !path.is_empty()),
            name: name(row, 0)?,
            native: row.get(1)?,
            epoch: row.get(5)?,
            cwd: row.get(6)?,
            context_paths: paths.lines().map(str::to_owned).collect(),
            first_seen: row.get(8)?,
            last_seen: row.get(9)?,
        })
    })?;
    Ok(oldest_first(rows))
}

/// Every delivery, and then what was made due again: its delivery is gone.
pub(super) fn receipts(connection: &Connection, session: Option<&str>) -> Result<Vec<ReceiptRow>, StoreError> {
    let columns = "agent, native, sub_agent, sessions.last_seen AS seen, sessions.id AS number";
    let Conditions { text, values } = Conditions::of_sessions(&Filter { session, ..Filter::default() });
    let mut statement = connection.prepare(&format!(
        "SELECT {columns}, deliveries.epoch, piece, path, part, parts, moment, event, verdict, proof, deliveries.at, 0 AS again, deliveries.id AS row
         FROM deliveries JOIN sessions ON sessions.id = session WHERE state = 2 AND {text}
         UNION ALL SELECT {columns}, losses.epoch, piece, path, part, parts, moment, event, verdict, proof, losses.at, 1, losses.id
         FROM losses JOIN sessions ON sessions.id = session WHERE {text}
         ORDER BY seen, number, again, row"
    ))?;
    let rows = statement.query_map(params_from_iter(values), |row| {
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
