//! Cold starts, damaged files, other versions, and permissions.

use std::fs;

use briefing_core::Silence;
use briefing_store::{Beat, Filter, Outcome, Place, StoreError, beat, damaged, open, open_existing, reader};

use crate::PATIENCE;

/// A ledger in a directory that goes with the test.
fn made() -> (tempfile::TempDir, Place) {
    let state = tempfile::tempdir().unwrap();
    let place = Place::below(state.path());
    open(&place, PATIENCE).unwrap();
    (state, place)
}

fn sessions(place: &Place) -> usize {
    reader(place, PATIENCE).unwrap().unwrap().sessions(&Filter::default()).unwrap().len()
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

/// Directories that somebody else could have prepared, each with what is wrong with it.
#[cfg(unix)]
fn foreign_directories() -> Vec<(&'static str, tempfile::TempDir, Place)> {
    use std::os::unix::fs::{PermissionsExt, chown, symlink};
    let mut cases = Vec::new();
    for (kind, mode) in [("for everybody", 0o777), ("for the group", 0o770), ("for everybody, with the sticky bit", 0o1777)] {
        let state = tempfile::tempdir().unwrap();
        let place = Place::below(state.path());
        fs::create_dir(place.directory()).unwrap();
        fs::set_permissions(place.directory(), fs::Permissions::from_mode(mode)).unwrap();
        cases.push((kind, state, place));
    }
    let state = tempfile::tempdir().unwrap();
    let place = Place::below(state.path());
    fs::create_dir(state.path().join("elsewhere")).unwrap();
    symlink("elsewhere", place.directory()).unwrap();
    cases.push(("a link", state, place));
    let state = tempfile::tempdir().unwrap();
    let place = Place::below(state.path());
    fs::create_dir(place.directory()).unwrap();
    // Only root can give a directory away.
    if chown(place.directory(), Some(12_345), None).is_ok() {
        cases.push(("of another user", state, place));
    }
    cases
}

#[cfg(unix)]
#[test]
fn a_directory_that_others_control_is_refused() {
    for (kind, _state, place) in foreign_directories() {
        let before = fs::metadata(place.directory()).unwrap().permissions();
        let error = open(&place, PATIENCE).unwrap_err();
        assert!(matches!(error, StoreError::Place { .. }), "{kind}: {error}");
        assert!(matches!(open_existing(&place, PATIENCE), Err(StoreError::Place { .. })), "{kind}");
        assert!(matches!(reader(&place, PATIENCE), Err(StoreError::Place { .. })), "{kind}");
        assert_eq!(fs::read_dir(place.directory()).unwrap().count(), 0, "nothing is written there: {kind}");
        assert_eq!(fs::metadata(place.directory()).unwrap().permissions(), before, "{kind}");
    }
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_planted_link() {
    for name in ["heartbeat.jsonl", "ledger.db", "ledger.lock", "ledger.db.new"] {
        let state = tempfile::tempdir().unwrap();
        let place = Place::below(state.path());
        fs::create_dir(place.directory()).unwrap();
        let victim = state.path().join("victim");
        fs::write(&victim, "").unwrap();
        std::os::unix::fs::symlink(&victim, place.directory().join(name)).unwrap();
        let _ = beat(&place, &a_beat());
        if let Ok(opened) = open(&place, PATIENCE) {
            drop(opened);
        }
        assert_eq!(fs::metadata(&victim).unwrap().len(), 0, "{name}");
    }
}

#[cfg(unix)]
fn a_beat() -> Beat {
    let (agent, event, session, directory) = ("claude".into(), "Stop".into(), "s".into(), "/p".into());
    Beat { at: 1, agent, event, session, directory, lane: 1, micros: 1, outcome: Outcome::Silent(Silence::Untold), notes: Vec::new() }
}
