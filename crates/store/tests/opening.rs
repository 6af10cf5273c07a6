//! Cold starts, damaged files, other versions, and permissions.

use std::fs;

use briefing_store::{Place, StoreError, damaged, open, open_existing, reader};

use crate::PATIENCE;

/// A ledger in a directory that goes with the test.
fn made() -> (tempfile::TempDir, Place) {
    let state = tempfile::tempdir().unwrap();
    let place = Place::below(state.path());
    open(&place, PATIENCE).unwrap();
    (state, place)
}

fn sessions(place: &Place) -> usize {
    reader(place, PATIENCE).unwrap().unwrap().sessions().unwrap().len()
}

#[test]
fn many_can_open_a_cold_store_at_once() {
    for _ in 0..5 {
        let state = tempfile::tempdir().unwrap();
        let place = Place::below(state.path());
        std::thread::scope(|scope| {
            for _ in 0..32 {
                scope.spawn(|| {
                    let opened = open(&place, PATIENCE).unwrap();
                    assert!(opened.set_aside.is_none());
                    assert_eq!(sessions(&place), 0);
                });
            }
        });
    }
}

#[test]
fn without_a_ledger_there_is_nothing_to_open_and_nothing_is_made() {
    let state = tempfile::tempdir().unwrap();
    let place = Place::below(state.path());
    assert!(open_existing(&place, PATIENCE).unwrap().is_none());
    assert!(reader(&place, PATIENCE).unwrap().is_none());
    assert_eq!(fs::read_dir(state.path()).unwrap().count(), 0);
}

#[test]
fn a_damaged_file_is_renamed_never_deleted() {
    let (_state, place) = made();
    let path = place.file().unwrap();
    for suffix in ["-wal", "-shm"] {
        let _ = fs::remove_file(format!("{}{suffix}", path.display()));
    }
    let bytes = b"this is no database, but it was somebody's file";
    fs::write(&path, bytes).unwrap();
    assert!(matches!(reader(&place, PATIENCE), Err(StoreError::Corrupt(_))), "a view leaves it alone");
    let aside = open(&place, PATIENCE).unwrap().set_aside.expect("the damaged file was moved");
    assert_eq!(damaged(&place), std::slice::from_ref(&aside));
    assert_eq!(fs::read(aside).unwrap(), bytes);
    assert_eq!(reader(&place, PATIENCE).unwrap().unwrap().damage().unwrap(), None);
}

#[test]
fn a_newer_minor_version_is_used_and_a_newer_major_one_left_alone() {
    let (_state, place) = made();
    let connection = rusqlite::Connection::open(place.file().unwrap()).unwrap();
    connection.execute_batch("ALTER TABLE sessions ADD COLUMN novelty TEXT NOT NULL DEFAULT 'x'; PRAGMA user_version = 1007").unwrap();
    open(&place, PATIENCE).unwrap();
    assert_eq!(sessions(&place), 0);
    connection.execute_batch("PRAGMA user_version = 2000").unwrap();
    assert!(matches!(open(&place, PATIENCE), Err(StoreError::Newer { found: 2000, .. })));
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    assert_eq!(version, 2000);
}

#[test]
fn an_empty_file_is_given_its_tables() {
    let state = tempfile::tempdir().unwrap();
    let place = Place::below(state.path());
    fs::create_dir(place.directory()).unwrap();
    fs::write(place.file().unwrap(), b"").unwrap();
    open(&place, PATIENCE).unwrap();
    assert_eq!(sessions(&place), 0);
}

#[cfg(unix)]
#[test]
fn nobody_else_may_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let state = tempfile::tempdir().unwrap();
    let place = Place::below(&state.path().join("deep/state"));
    let _ledger = open(&place, PATIENCE).unwrap();
    assert_eq!(sessions(&place), 0);
    let directory = place.directory();
    let mode = || fs::metadata(directory).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(), 0o700);
    fs::set_permissions(directory, fs::Permissions::from_mode(0o755)).unwrap();
    open(&place, PATIENCE).unwrap();
    assert_eq!(mode(), 0o700, "older versions made it readable for everyone");
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{:?}", entry.file_name());
    }
}

#[cfg(unix)]
#[test]
fn a_place_that_cannot_be_written_is_an_error_with_its_path() {
    let state = tempfile::tempdir().unwrap();
    let place = Place::below(state.path());
    fs::write(place.directory(), "a file where the directory should be").unwrap();
    let error = open(&place, PATIENCE).unwrap_err();
    assert!(matches!(error, StoreError::Place { .. } | StoreError::Unusable(_)), "{error}");
}
