//! The tables, and how they grow.
//!
//! `user_version` is `1000 × major + minor`. A minor step only adds (tables, columns with defaults), so an older
//! binary goes on working with a newer file of the same major number; with a newer major number it works without the
//! ledger.

use rusqlite::Connection;

use crate::error::StoreError;

/// The schema this version writes.
const SCHEMA: i64 = 1001;

/// One script per step. A new step is appended; old ones never change.
const STEPS: &[(i64, &str)] = &[(1000, FIRST), (1001, CARRIED)];

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

/// Tells whether a file of this version can be used as it is (`true`) or must be migrated first (`false`).
pub(super) fn is_current(found: i64) -> Result<bool, StoreError> {
    if found / 1000 > SCHEMA / 1000 {
        return Err(StoreError::Newer { found, known: SCHEMA });
    }
    Ok(found >= SCHEMA)
}

/// Brings a file up to date in one transaction. The caller holds the lock for it.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let found: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if !is_current(found)? {
        for (version, script) in STEPS.iter().filter(|(version, _)| *version > found) {
            transaction.execute_batch(script)?;
            transaction.execute_batch(&format!("PRAGMA user_version = {version}"))?;
        }
    }
    transaction.commit()?;
    Ok(())
}
