//! Cold starts, damage, strangers' versions, rights.

use std::fs;
use std::time::Duration;

use briefing_store::{LEDGER_FILE, Ledger, StoreError, open};

use crate::Fixture;

const PATIENCE: Duration = Duration::from_secs(5);

#[test]
fn many_can_open_a_cold_store_at_once() {
    for _ in 0..5 {
        let directory = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..32 {
                scope.spawn(|| {
                    let mut opened = open(directory.path(), PATIENCE).unwrap();
                    assert!(opened.set_aside.is_none());
                    assert_eq!(opened.ledger.sessions().unwrap(), []);
                });
            }
        });
    }
}

#[test]
fn a_damaged_file_is_renamed_aside_never_deleted() {
    let fixture = Fixture::new();
    let path = fixture.directory.path().join(LEDGER_FILE);
    drop(fixture.ledger);
    for suffix in ["-wal", "-shm"] {
        let _ = fs::remove_file(fixture.directory.path().join(format!("{LEDGER_FILE}{suffix}")));
    }
    fs::write(&path, b"this is no database, but it was somebody's file").unwrap();
    let mut opened = open(fixture.directory.path(), PATIENCE).unwrap();
    let aside = opened.set_aside.expect("the damaged file was moved");
    assert_eq!(fs::read(aside).unwrap(), b"this is no database, but it was somebody's file");
    assert_eq!(opened.ledger.damage().unwrap(), None);
}

#[test]
fn a_newer_minor_version_is_used_and_a_newer_major_one_left_alone() {
    let fixture = Fixture::new();
    let path = fixture.directory.path().join(LEDGER_FILE);
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch("ALTER TABLE sessions ADD COLUMN novelty TEXT NOT NULL DEFAULT 'x'; PRAGMA user_version = 1007").unwrap();
    let mut older = open(fixture.directory.path(), PATIENCE).unwrap().ledger;
    assert_eq!(older.sessions().unwrap(), []);
    connection.execute_batch("PRAGMA user_version = 2000").unwrap();
    assert!(matches!(open(fixture.directory.path(), PATIENCE), Err(StoreError::Newer { found: 2000, .. })));
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    assert_eq!(version, 2000);
}

#[test]
fn an_empty_file_is_given_its_tables() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join(LEDGER_FILE), b"").unwrap();
    let mut opened = open(directory.path(), PATIENCE).unwrap();
    assert_eq!(opened.ledger.sessions().unwrap(), []);
}

#[cfg(unix)]
#[test]
fn nobody_else_may_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let state = tempfile::tempdir().unwrap();
    let directory = briefing_store::directory(&state.path().join("deep/state")).unwrap();
    let mut opened = open(&directory, PATIENCE).unwrap();
    opened.ledger.sessions().unwrap();
    assert_eq!(fs::metadata(&directory).unwrap().permissions().mode() & 0o777, 0o700);
    for entry in fs::read_dir(&directory).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{:?}", entry.file_name());
    }
}

#[cfg(unix)]
#[test]
fn a_place_that_cannot_be_written_is_an_error_with_its_path() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("brief");
    fs::write(&file, "a file where the directory should be").unwrap();
    let error = open(&file, PATIENCE).unwrap_err();
    assert!(matches!(error, StoreError::Place { .. } | StoreError::Unusable(_)), "{error}");
}
