//! The tables, and how they grow.
//!
//! `user_version` is `1000 × major + minor`. A minor step only adds (tables, columns with defaults), so an older
//! binary goes on working with a newer file of the same major number; with a newer major number it works without the
//! ledger.

use std::collections::BTreeMap;

use rusqlite::Connection;

use crate::error::StoreError;

/// The schema this version writes.
const SCHEMA: i64 = 1005;

/// One script per step. A new step is appended; old ones never change.
const STEPS: &[(i64, &str)] = &[(1000, FIRST), (1001, CARRIED), (1002, WINDOW), (1003, RECEIPTS), (1004, SCANNED), (1005, VIEWS)];

const FIRST: &str = "
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    agent TEXT NOT NULL,
    native TEXT NOT NULL,
    sub_agent TEXT NOT NULL DEFAULT '',
    epoch INTEGER NOT NULL DEFAULT 1,
    done INTEGER NOT NULL DEFAULT 0,
    owed INTEGER NOT NULL DEFAULT 0,
    message TEXT NOT NULL DEFAULT '',
    cwd TEXT NOT NULL DEFAULT '',
    context_paths TEXT NOT NULL DEFAULT '',
    last_slot INTEGER NOT NULL DEFAULT 0,
    series INTEGER NOT NULL DEFAULT 1,
    first_seen INTEGER NOT NULL,
    last_seen INTEGER NOT NULL,
    UNIQUE (agent, native, sub_agent)
);
CREATE TABLE resets (
    session INTEGER NOT NULL,
    lane INTEGER NOT NULL,
    seen INTEGER NOT NULL,
    PRIMARY KEY (session, lane)
) WITHOUT ROWID;
CREATE TABLE plans (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    key TEXT NOT NULL,
    at INTEGER NOT NULL,
    holder TEXT NOT NULL,
    base INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX plans_by_session ON plans (session, key);
CREATE TABLE deliveries (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    piece TEXT NOT NULL,
    hash TEXT NOT NULL,
    part INTEGER NOT NULL,
    parts INTEGER NOT NULL,
    path TEXT NOT NULL,
    reason TEXT NOT NULL DEFAULT '',
    moment TEXT NOT NULL DEFAULT '',
    rank INTEGER NOT NULL,
    transient INTEGER NOT NULL DEFAULT 0,
    size INTEGER NOT NULL,
    tokens INTEGER NOT NULL DEFAULT 0,
    text TEXT,
    state INTEGER NOT NULL,
    slot INTEGER NOT NULL,
    holder TEXT NOT NULL DEFAULT '',
    reaped_as INTEGER NOT NULL DEFAULT 0,
    at INTEGER NOT NULL
);
CREATE INDEX deliveries_by_piece ON deliveries (session, epoch, piece);
CREATE INDEX deliveries_open ON deliveries (session, state) WHERE state < 2;
CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    session INTEGER NOT NULL,
    agent TEXT NOT NULL,
    event TEXT NOT NULL,
    lane INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    micros INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    size INTEGER NOT NULL DEFAULT 0,
    queued INTEGER NOT NULL DEFAULT 0,
    notes TEXT NOT NULL DEFAULT '[]'
);
";

/// What brought a delivery, which event carried it, and what its text was.
///
/// Version 1000 kept the source as the first word of the reason: `gate: core file, verbatim`.
const CARRIED: &str = "
ALTER TABLE deliveries ADD COLUMN file TEXT NOT NULL DEFAULT '';
ALTER TABLE deliveries ADD COLUMN source TEXT NOT NULL DEFAULT '';
ALTER TABLE deliveries ADD COLUMN event TEXT NOT NULL DEFAULT '';
ALTER TABLE deliveries ADD COLUMN rendered_hash TEXT;
ALTER TABLE deliveries ADD COLUMN rendered_length INTEGER;
ALTER TABLE events ADD COLUMN problem TEXT NOT NULL DEFAULT '';
ALTER TABLE plans ADD COLUMN lanes INTEGER NOT NULL DEFAULT 0;
UPDATE deliveries SET source = substr(reason, 1, instr(reason, ': ') - 1)
    WHERE substr(reason, 1, instr(reason, ': ') - 1) IN ('domains', 'gate', 'docs');
";

/// What tells how the window stands: the files it depends on, the process that owns it, and where parts were cut.
///
/// A delivery that the window has lost is in state 3 until it is sent again.
const WINDOW: &str = "
ALTER TABLE sessions ADD COLUMN watched TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN client TEXT NOT NULL DEFAULT '';
ALTER TABLE deliveries ADD COLUMN lane INTEGER NOT NULL DEFAULT 0;
ALTER TABLE deliveries ADD COLUMN part_start INTEGER;
ALTER TABLE deliveries ADD COLUMN part_stop INTEGER;
ALTER TABLE deliveries ADD COLUMN part_total INTEGER;
";

/// What the agents' transcripts say about deliveries: where each transcript is and how far it was read, one verdict per
/// delivery, and what was made due again.
const RECEIPTS: &str = "
ALTER TABLE sessions ADD COLUMN transcript TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN unproven INTEGER NOT NULL DEFAULT 0;
ALTER TABLE deliveries ADD COLUMN opening TEXT NOT NULL DEFAULT '';
ALTER TABLE deliveries ADD COLUMN plain_hash TEXT;
ALTER TABLE deliveries ADD COLUMN plain_length INTEGER;
ALTER TABLE deliveries ADD COLUMN verdict TEXT NOT NULL DEFAULT '';
ALTER TABLE deliveries ADD COLUMN proof TEXT NOT NULL DEFAULT '';
CREATE TABLE looks (
    session INTEGER PRIMARY KEY,
    file TEXT NOT NULL,
    offset INTEGER NOT NULL,
    last INTEGER NOT NULL,
    asked INTEGER NOT NULL,
    answered INTEGER NOT NULL,
    damaged INTEGER NOT NULL
);
CREATE TABLE losses (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    piece TEXT NOT NULL,
    path TEXT NOT NULL,
    part INTEGER NOT NULL,
    parts INTEGER NOT NULL,
    moment TEXT NOT NULL,
    event TEXT NOT NULL,
    verdict TEXT NOT NULL,
    proof TEXT NOT NULL,
    at INTEGER NOT NULL
);
CREATE INDEX losses_by_piece ON losses (session, epoch, piece);
";

/// How far a transcript was searched for a window that was shortened.
const SCANNED: &str = "
ALTER TABLE sessions ADD COLUMN scanned TEXT NOT NULL DEFAULT '';
";

/// What views ask for: the names of sessions, one line of the log per event with what it depended on, and the event that
/// carried each delivery.
///
/// Before, a line and its deliveries had the same time.
const VIEWS: &str = "
ALTER TABLE sessions ADD COLUMN title TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN started_in TEXT NOT NULL DEFAULT '';
ALTER TABLE plans ADD COLUMN event INTEGER NOT NULL DEFAULT 0;
ALTER TABLE deliveries ADD COLUMN carrier INTEGER NOT NULL DEFAULT 0;
ALTER TABLE events ADD COLUMN moment TEXT NOT NULL DEFAULT '';
ALTER TABLE events ADD COLUMN outputs INTEGER NOT NULL DEFAULT 1;
ALTER TABLE events ADD COLUMN sources INTEGER NOT NULL DEFAULT 0;
ALTER TABLE events ADD COLUMN why TEXT NOT NULL DEFAULT '';
ALTER TABLE events ADD COLUMN message TEXT NOT NULL DEFAULT '';
ALTER TABLE events ADD COLUMN documents TEXT NOT NULL DEFAULT '';
ALTER TABLE events ADD COLUMN settings TEXT NOT NULL DEFAULT '';
CREATE INDEX events_by_time ON events (at);
CREATE INDEX events_by_session ON events (session, at);
UPDATE sessions SET started_in = cwd;
UPDATE deliveries SET carrier = coalesce((SELECT max(id) FROM events WHERE events.session = deliveries.session AND events.at = deliveries.at), 0)
    WHERE state = 2;
UPDATE events SET sources = (SELECT coalesce(sum(DISTINCT CASE source WHEN 'domains' THEN 1 WHEN 'gate' THEN 2 WHEN 'docs' THEN 4 ELSE 0 END), 0)
    FROM deliveries WHERE deliveries.session = events.session AND deliveries.epoch = events.epoch AND carrier = events.id);
";

/// No release will ever have this version: a file that claims it is damaged.
const IMPOSSIBLE: i64 = 20_000;

/// Tells whether a file of this version can be used as it is (`true`) or must be migrated first (`false`).
pub(super) fn is_current(found: i64) -> Result<bool, StoreError> {
    if !(0..IMPOSSIBLE).contains(&found) {
        return Err(StoreError::Corrupt(format!("there is no schema {found}")));
    }
    if found / 1000 > SCHEMA / 1000 {
        return Err(StoreError::Newer { found, known: SCHEMA });
    }
    Ok(found >= SCHEMA)
}

pub(super) fn version(connection: &Connection) -> Result<i64, StoreError> {
    Ok(connection.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

/// Brings a file up to date in one transaction. The caller holds the lock for it.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let found = version(&transaction)?;
    if !is_current(found)? {
        grow(&transaction, found, SCHEMA)?;
    }
    transaction.commit()?;
    Ok(())
}

/// Takes the steps after version `from` up to version `to`.
fn grow(connection: &Connection, from: i64, to: i64) -> Result<(), StoreError> {
    for (version, script) in STEPS.iter().filter(|(version, _)| (from + 1..=to).contains(version)) {
        connection.execute_batch(script)?;
        connection.execute_batch(&format!("PRAGMA user_version = {version}"))?;
    }
    Ok(())
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kind {
    pub(super) is_number: bool,
    /// It cannot be NULL.
    pub(super) is_required: bool,
}

/// Tables with their columns.
pub(super) type Tables = BTreeMap<String, BTreeMap<String, Kind>>;

/// Returns the tables of a file.
pub(super) fn tables(connection: &Connection) -> Result<Tables, StoreError> {
    let mut statement = connection.prepare(
        "SELECT tables.name, columns.name, columns.type, columns.\"notnull\" OR columns.pk > 0
         FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns
         WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )?;
    let mut rows = statement.query([])?;
    let mut tables = Tables::new();
    while let Some(row) = rows.next()? {
        let (table, column, kind): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let kind = Kind { is_number: kind == "INTEGER", is_required: row.get(3)? };
        tables.entry(table).or_default().insert(column, kind);
    }
    Ok(tables)
}

/// Checks that all tables are there, in a few microseconds.
pub(super) fn check_tables(connection: &Connection) -> Result<(), StoreError> {
    let there: i64 = connection.query_row(
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('sessions', 'resets', 'plans', 'deliveries', 'events')",
        [],
        |row| row.get(0),
    )?;
    if there == 5 { Ok(()) } else { Err(StoreError::Corrupt("a table is missing".into())) }
}

/// Tells how the tables of a file differ from those of its version, if they do. One of a later version may have more.
pub(super) fn difference(connection: &Connection) -> Result<Option<String>, StoreError> {
    let version = version(connection)?;
    let is_current = is_current(version)?;
    let model = Connection::open_in_memory()?;
    grow(&model, 0, version.min(SCHEMA))?;
    let (expected, mut found) = (tables(&model)?, tables(connection)?);
    for (table, columns) in expected {
        let Some(mut there) = found.remove(&table) else { return Ok(Some(format!("the table `{table}` is missing"))) };
        if let Some((column, _)) = columns.iter().find(|(column, kind)| there.remove(*column) != Some(**kind)) {
            return Ok(Some(format!("the column `{table}.{column}` is missing")));
        }
        if let Some(column) = there.keys().next().filter(|_| !is_current) {
            return Ok(Some(format!("schema {version} has no column `{table}.{column}`")));
        }
    }
    Ok(found.keys().next().filter(|_| !is_current).map(|table| format!("schema {version} has no table `{table}`")))
}

/// Returns the largest number that a column can hold; the smallest is 0.
pub(super) fn largest(column: &str) -> i64 {
    match column {
        "lane" | "rank" => u8::MAX.into(),
        "done" | "owed" | "part" | "parts" | "queued" | "reaped_as" | "outputs" | "sources" => u32::MAX.into(),
        "state" => 3,
        "transient" => 1,
        _ => i64::MAX,
    }
}
