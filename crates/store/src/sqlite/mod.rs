//! The ledger in one SQLite file.

mod admit;
mod arrive;
mod history;
mod open;
mod receipts;
mod repair;
mod schema;
mod views;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use briefing_core::{Moment, Source};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use crate::error::StoreError;
use crate::holder::{Holder, Life};
use crate::key::SessionKey;
use crate::ledger::{
    Admission, Arrival, Arrived, Claim, Earlier, Forgetting, Given, Known, Ledger, LogEntry, PlanId, PlanState, Printer, Seen,
};
use crate::reader::{DeliveryRow, EventRow, Filter, Reader, SessionName, SessionRow, UsageRow, WindowRow};
use crate::receipt::{Judgement, OpenReceipts, ReceiptRow};

pub(crate) use open::{damaged, file_in, open, open_existing};
pub(crate) use repair::repair;

// A delivery is queued (state 0), then pending, then delivered, and lost if the window no longer has it. Statements write the states as numbers: the index of
// open deliveries is partial, and SQLite prepares a statement a second time when its state comes as a parameter.
const PENDING: i64 = 1;
const DELIVERED: i64 = 2;
const LOST: i64 = 3;

/// A claim or a plan belongs to its holder for this long, as long as the holder runs.
const LEASE_MILLIS: i64 = 5000;
/// The journal is moved into the file when it has grown beyond this.
const JOURNAL_BYTES: u64 = 256 * 1024;

/// How long to wait for the right to rebuild a damaged ledger while an agent waits.
const REPAIR_PATIENCE: Duration = Duration::from_millis(500);

/// A ledger with one connection to its file.
#[derive(Debug)]
pub(crate) struct SqliteLedger {
    directory: PathBuf,
    connection: Connection,
    /// The connection is set up for writing.
    can_write: bool,
}

impl SqliteLedger {
    fn new(directory: &Path, connection: Connection) -> Self {
        Self { directory: directory.to_path_buf(), connection, can_write: false }
    }

    fn reconnect(&mut self) -> Result<(), StoreError> {
        self.connection = open::connect(&file_in(&self.directory))?;
        self.can_write = false;
        Ok(())
    }

    /// Runs `work` in a transaction, see [`SqliteLedger::twice`].
    fn write<T>(&mut self, mut work: impl FnMut(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.twice(|ledger| {
            // Most hooks only look and do not need this.
            if !ledger.can_write {
                // WAL and NORMAL: no fsync at a commit. A checkpoint happens after printing, not at a commit or when closing.
                ledger.connection.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0;")?;
                // Most events would not notice that a table is missing until they need it.
                schema::check_tables(&ledger.connection)?;
                ledger.can_write = true;
            }
            let transaction = ledger.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = work(&transaction)?;
            transaction.commit()?;
            Ok(done)
        })
    }

    /// Runs `work`, and once more on a new connection if it fails: a read that failed once seldom fails again, and a
    /// damaged file is rebuilt before the second time. Nothing of a transaction that failed is kept.
    fn twice<T>(&mut self, mut work: impl FnMut(&mut Self) -> Result<T, StoreError>) -> Result<T, StoreError> {
        match work(self) {
            Err(StoreError::Unusable(_)) => {}
            Err(StoreError::Corrupt(_)) => {
                repair(&self.directory, Instant::now() + REPAIR_PATIENCE)?;
            }
            done => return done,
        }
        self.reconnect()?;
        match work(self) {
            // The file was inspected.
            Err(StoreError::Corrupt(problem)) => Err(StoreError::Unusable(problem)),
            done => done,
        }
    }
}

/// How often a confirmation tries a lock before it reconnects: 50 ms.
const CONFIRM_TRIES: u64 = 100;

/// How often a lock is tried again; one process has one deadline, so one number serves all connections.
static TRIES: AtomicU64 = AtomicU64::new(2000);
const PAUSE: Duration = Duration::from_micros(500);

/// Bounds every wait for a lock from now on.
fn be_patient(patience: Duration) {
    TRIES.store((patience.as_micros() / PAUSE.as_micros()) as u64, Ordering::Relaxed);
}

/// Makes a connection wait for locks, in short steps: SQLite's own handler soon sleeps for 100 ms at a time, which is
/// too long for a hook.
fn wait_for_locks(connection: &mut Connection) -> Result<(), StoreError> {
    connection.busy_handler(Some(|tries| {
        std::thread::sleep(PAUSE);
        u64::try_from(tries).is_ok_and(|tries| tries < TRIES.load(Ordering::Relaxed))
    }))?;
    Ok(())
}

/// The text that names a delivery's source, see [`source_of`]. Version 1000 goes on writing it into the reason only.
const SOURCE: &str = "iif(source = '', reason, source)";

/// Returns the source that a text names with its first word: `gate`, or `gate: core file, verbatim`.
fn source_of(text: &str) -> Option<Source> {
    Source::named(text.split_once(": ").map_or(text, |(name, _)| name))
}

/// Tells whether the holder of something may still be at work.
fn is_held(holder: &str, since: i64, now: i64) -> bool {
    now - since < LEASE_MILLIS && Holder::life_of(holder) != Life::Gone
}

/// Everything known of a session, in one statement: a look costs little more than its preparation.
const LOOK: &str = "SELECT id, epoch, done, owed, message, (SELECT count(*) FROM deliveries WHERE session = sessions.id AND state < 2),
    watched, client, unproven, scanned, title <> '', last_seen FROM sessions WHERE agent = ?1 AND native = ?2 AND sub_agent = ?3";

fn look(connection: &Connection, key: &SessionKey) -> Result<Option<Known>, StoreError> {
    let mut statement = connection.prepare_cached(LOOK)?;
    let found = statement.query_row([&key.agent, &key.native, &key.sub_agent], |row| {
        Ok(Known {
            session: row.get(0)?,
            epoch: row.get(1)?,
            done: row.get(2)?,
            owed: row.get(3)?,
            message: row.get(4)?,
            open: row.get(5)?,
            watched: row.get(6)?,
            client: row.get(7)?,
            is_unproven: row.get(8)?,
            scanned: row.get(9)?,
            is_named: row.get(10)?,
            last_seen: row.get(11)?,
        })
    });
    Ok(found.optional()?)
}

fn find(connection: &Connection, key: &SessionKey) -> Result<Option<i64>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT id FROM sessions WHERE agent = ?1 AND native = ?2 AND sub_agent = ?3")?;
    Ok(statement.query_row([&key.agent, &key.native, &key.sub_agent], |row| row.get(0)).optional()?)
}

impl Ledger for SqliteLedger {
    fn set_patience(&mut self, patience: Duration) {
        be_patient(patience);
    }

    fn look(&mut self, key: &SessionKey) -> Result<Option<Known>, StoreError> {
        self.twice(|ledger| look(&ledger.connection, key))
    }

    fn sessions_of(&mut self, agent: &str, client: &str) -> Result<Vec<Seen>, StoreError> {
        self.twice(|ledger| {
            let mut statement = ledger
                .connection
                .prepare("SELECT native, sub_agent, cwd FROM sessions WHERE agent = ?1 AND client = ?2 ORDER BY last_seen DESC, id DESC")?;
            let seen = statement.query_map([agent, client], |row| {
                let key = SessionKey { agent: agent.to_owned(), native: row.get(0)?, sub_agent: row.get(1)? };
                Ok(Seen { key, cwd: row.get(2)? })
            })?;
            Ok(seen.collect::<Result<_, _>>()?)
        })
    }

    fn arrive(&mut self, arrival: &Arrival<'_>) -> Result<Arrived, StoreError> {
        self.write(|connection| arrive::arrive(connection, arrival))
    }

    fn plan_state(&mut self, plan: PlanId) -> Result<PlanState, StoreError> {
        let found: Option<(i64, String)> = self.twice(|ledger| {
            let mut statement = ledger.connection.prepare("SELECT base, holder FROM plans WHERE id = ?1")?;
            Ok(statement.query_row([plan], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
        })?;
        Ok(match found {
            None => PlanState::Lost,
            Some((base, _)) if base > 0 => PlanState::Ready,
            Some((_, holder)) if Holder::life_of(&holder) == Life::Gone => PlanState::Lost,
            Some(_) => PlanState::Others,
        })
    }

    fn admit(&mut self, admission: &mut Admission<'_>) -> Result<Claim, StoreError> {
        self.write(|connection| {
            let unwritten = admit::admit(connection, admission)?;
            let mut claim = admit::claim(connection, admission.plan, admission.printer, admission.now)?;
            for (id, text) in unwritten {
                if let Some(row) = claim.rows.iter_mut().find(|row| row.id == id) {
                    row.text = text;
                }
            }
            Ok(claim)
        })
    }

    fn claim(&mut self, plan: PlanId, printer: Printer<'_>, now: i64) -> Result<Claim, StoreError> {
        self.write(|connection| admit::claim(connection, plan, printer, now))
    }

    fn take_turn(&mut self, claim: Claim, printer: Printer<'_>, now: i64) -> Result<Claim, StoreError> {
        self.write(|connection| admit::take_turn(connection, &claim, printer, now))
    }

    fn printer_of(&mut self, session: i64, slot: i64) -> Result<Option<u32>, StoreError> {
        let mut statement = self
            .connection
            .prepare("SELECT reaped_as FROM deliveries WHERE session = ?1 AND slot = ?2 AND state > 0 AND reaped_as > 0 LIMIT 1")?;
        Ok(statement.query_row([session, slot], |row| row.get(0)).optional()?)
    }

    fn name(&mut self, session: i64, title: &str) -> Result<(), StoreError> {
        self.write(|connection| {
            connection.execute("UPDATE sessions SET title = ?2 WHERE id = ?1 AND title = ''", params![session, title])?;
            Ok(())
        })
    }

    fn confirm(&mut self, claim: &Claim, entry: &LogEntry<'_>) -> Result<(), StoreError> {
        // A lock that this process failed to release looks like another one's. A new connection holds none, so the first
        // attempt does not wait to the end.
        let tries = TRIES.swap(CONFIRM_TRIES, Ordering::Relaxed);
        let first = self.write(|connection| admit::confirm(connection, claim, entry));
        TRIES.store(tries, Ordering::Relaxed);
        if !matches!(first, Err(StoreError::Busy)) {
            return first;
        }
        self.reconnect()?;
        self.write(|connection| admit::confirm(connection, claim, entry))
    }

    fn release(&mut self, claim: &Claim) -> Result<(), StoreError> {
        self.write(|connection| admit::release(connection, claim))
    }

    fn given(&mut self, session: i64, but: Option<Moment>) -> Result<Vec<Given>, StoreError> {
        self.twice(|ledger| {
            let mut statement = ledger.connection.prepare(
                "SELECT id, opening FROM deliveries WHERE session = ?1 AND state = 2 AND moment <> ?2 AND path <> ''
                 AND epoch = (SELECT epoch FROM sessions WHERE id = ?1) ORDER BY id",
            )?;
            let rows = statement
                .query_map(params![session, but.map_or("", Moment::word)], |row| Ok(Given { id: row.get(0)?, opening: row.get(1)? }))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    fn earlier(&mut self, key: &SessionKey, piece: &str) -> Result<Option<Earlier>, StoreError> {
        self.twice(|ledger| {
            // An older session than these has nothing to compare with that anybody remembers.
            let mut statement = ledger.connection.prepare(
                "SELECT id, last_seen FROM (SELECT id, last_seen FROM sessions WHERE agent = ?1 AND sub_agent = '' AND native <> ?2
                 ORDER BY last_seen DESC LIMIT 64) AS recent
                 WHERE EXISTS (SELECT 1 FROM deliveries WHERE session = recent.id AND piece = ?3 AND state = 2) ORDER BY last_seen DESC LIMIT 1",
            )?;
            let found = statement.query_row([key.agent.as_str(), &key.native, piece], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
            let Some((session, last_seen)): Option<(i64, i64)> = found else { return Ok(None) };
            let mut statement =
                ledger.connection.prepare("SELECT piece, hash FROM deliveries WHERE session = ?1 AND state = 2 ORDER BY id")?;
            let pieces = statement.query_map([session], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
            Ok(Some(Earlier { last_seen, pieces }))
        })
    }

    fn forget(&mut self, forgetting: &Forgetting<'_>, lost: &[i64]) -> Result<(), StoreError> {
        self.write(|connection| receipts::forget(connection, forgetting, lost))
    }

    fn open_receipts(&mut self, session: i64) -> Result<OpenReceipts, StoreError> {
        receipts::unproven(&self.connection, session)
    }

    fn judge(&mut self, judgement: &Judgement<'_>) -> Result<Option<Vec<String>>, StoreError> {
        self.write(|connection| receipts::judge(connection, judgement))
    }

    fn tidy(&mut self) -> Result<(), StoreError> {
        let name = self.connection.path().unwrap_or_default().to_owned();
        let journal = std::fs::metadata(format!("{name}-wal")).map_or(0, |journal| journal.len());
        if journal > JOURNAL_BYTES {
            // The next process to open the file would read the whole journal, so it is emptied here, unless another
            // process is at work.
            self.connection.busy_timeout(Duration::ZERO)?;
            self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        }
        Ok(())
    }
}

impl Reader for SqliteLedger {
    fn sessions(&mut self, filter: &Filter<'_>) -> Result<Vec<SessionRow>, StoreError> {
        views::sessions(&self.connection, filter)
    }

    fn window(&mut self, key: &SessionKey) -> Result<Option<WindowRow>, StoreError> {
        views::window(&self.connection, key)
    }

    fn names(&mut self) -> Result<Vec<SessionName>, StoreError> {
        views::names(&self.connection)
    }

    fn events(&mut self, filter: &Filter<'_>) -> Result<Vec<EventRow>, StoreError> {
        views::events(&self.connection, filter)
    }

    fn deliveries(&mut self, filter: &Filter<'_>) -> Result<Vec<DeliveryRow>, StoreError> {
        views::deliveries(&self.connection, filter)
    }

    fn carried(&mut self, events: &[i64]) -> Result<Vec<DeliveryRow>, StoreError> {
        views::carried(&self.connection, events)
    }

    fn usage(&mut self, filter: &Filter<'_>) -> Result<Vec<UsageRow>, StoreError> {
        views::usage(&self.connection, filter)
    }

    fn receipts(&mut self, session: Option<&str>) -> Result<Vec<ReceiptRow>, StoreError> {
        views::receipts(&self.connection, session)
    }

    fn damage(&mut self) -> Result<Option<String>, StoreError> {
        repair::damage(&self.connection)
    }
}
