//! Delivered texts on this machine: once each, within the user's limits, for nobody else.

use std::fs;

use briefing_store::{Place, TextLimits, keep_texts, kept_text};

const DAY: i64 = 24 * 3600 * 1000;
const NOW: i64 = 1_000_000_000_000;
const LIMITS: TextLimits = TextLimits { days: 7, bytes: 1024 * 1024 };

fn made() -> (tempfile::TempDir, Place) {
    let state = tempfile::tempdir().unwrap();
    let place = Place::below(state.path());
    drop(briefing_store::open(&place, crate::PATIENCE).unwrap());
    (state, place)
}

fn keep(place: &Place, hash: &str, text: &str, now: i64, limits: TextLimits) {
    keep_texts(place, [(hash, text)].into_iter(), now, limits).unwrap();
}

fn size(place: &Place) -> u64 {
    fs::metadata(place.directory().join("texts.db")).map_or(0, |file| file.len())
}

#[test]
fn a_text_is_kept_for_its_days_since_it_was_last_delivered() {
    let (_state, place) = made();
    assert_eq!(kept_text(&place, "a").unwrap(), None, "nothing is made by looking");
    assert_eq!(size(&place), 0);
    keep(&place, "a", "alpha", NOW, LIMITS);
    keep(&place, "b", "beta", NOW, LIMITS);
    keep(&place, "a", "alpha", NOW + 5 * DAY, LIMITS);
    assert_eq!(kept_text(&place, "b").unwrap().as_deref(), Some("beta"));
    keep(&place, "c", "gamma", NOW + 8 * DAY, LIMITS);
    assert_eq!(kept_text(&place, "a").unwrap().as_deref(), Some("alpha"));
    assert_eq!(kept_text(&place, "b").unwrap(), None);
    let bytes = fs::read(place.directory().join("texts.db")).unwrap();
    assert!(!bytes.windows(4).any(|window| window == b"beta"), "what is deleted is gone from the file");
}

#[test]
fn the_oldest_go_when_there_are_too_many_bytes() {
    let (_state, place) = made();
    let text = "x".repeat(10_000);
    for number in 0..500 {
        keep(&place, &format!("{number}"), &text, NOW + number, LIMITS);
        assert!(size(&place) < LIMITS.bytes + 200_000, "{} after {number}", size(&place));
    }
    assert_eq!(kept_text(&place, "0").unwrap(), None);
    assert!(kept_text(&place, "499").unwrap().is_some());
    assert!((0..500).filter(|number| kept_text(&place, &number.to_string()).unwrap().is_some()).count() > 80);
}

#[test]
fn whoever_wants_none_has_none() {
    let (_state, place) = made();
    keep(&place, "a", "alpha", NOW, LIMITS);
    keep(&place, "b", "beta", NOW, TextLimits { days: 0, ..LIMITS });
    assert!(!place.directory().join("texts.db").exists());
    keep(&place, "b", "beta", NOW, TextLimits { bytes: 0, ..LIMITS });
    assert!(!place.directory().join("texts.db").exists());
}

#[test]
fn a_damaged_file_is_replaced() {
    let (_state, place) = made();
    fs::write(place.directory().join("texts.db"), "this is no database, whatever its name says").unwrap();
    keep(&place, "a", "alpha", NOW, LIMITS);
    assert_eq!(kept_text(&place, "a").unwrap().as_deref(), Some("alpha"));
}

#[test]
fn many_processes_may_write_at_once() {
    let (_state, place) = made();
    std::thread::scope(|scope| {
        for number in 0..16 {
            let place = &place;
            scope.spawn(move || {
                // One that had to wait too long has lost its text, and nothing else.
                let _ = keep_texts(place, [(number.to_string().as_str(), "text")].into_iter(), NOW, LIMITS);
            });
        }
    });
    keep(&place, "last", "text", NOW, LIMITS);
    assert!(kept_text(&place, "last").unwrap().is_some());
}

#[cfg(unix)]
#[test]
fn nobody_else_may_read_them_and_no_link_is_followed() {
    use std::os::unix::fs::PermissionsExt;
    let (state, place) = made();
    keep(&place, "a", "alpha", NOW, LIMITS);
    let file = place.directory().join("texts.db");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    fs::remove_file(&file).unwrap();
    let victim = state.path().join("victim");
    fs::write(&victim, "").unwrap();
    std::os::unix::fs::symlink(&victim, &file).unwrap();
    assert!(keep_texts(&place, [("a", "alpha")].into_iter(), NOW, LIMITS).is_err());
    assert_eq!(fs::metadata(&victim).unwrap().len(), 0);
}
