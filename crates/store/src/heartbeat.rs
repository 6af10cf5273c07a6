//! The log of hooks that changed nothing: one line each in a plain file.
//!
//! A hook with nothing to deliver must be fast, but `brief doctor` must be able to distinguish "it ran and printed
//! nothing" from "it never ran". Appending a line takes no lock and a few microseconds; opening the database would double
//! the lifetime of such a process. The log has two files: at 1 MB the current file replaces the old one.
//!
//! Where our directory cannot be used, the log is in a directory of its own below the system's temporary one. It is the
//! only memory of what was delivered without a ledger.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use briefing_core::fs::private;
use briefing_core::{Note, NoteKind};
use serde::{Deserialize, Serialize};

use crate::outcome::Outcome;
use crate::place::Place;

const FILE: &str = "heartbeat.jsonl";
const OLD_FILE: &str = "heartbeat.old.jsonl";
const RING_BYTES: u64 = 1024 * 1024;
/// A line must fit into one atomic append.
const MAX_LINE: usize = 2000;

/// One hook that changed nothing in the ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Beat {
    /// Milliseconds since 1970.
    pub at: i64,
    pub agent: String,
    pub event: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// The directory of the event.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub directory: String,
    #[serde(default)]
    pub lane: u8,
    /// How long the process took, in microseconds.
    pub micros: u64,
    #[serde(flatten)]
    pub outcome: Outcome,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
}

/// Appends a line, and creates the directory where it is missing.
pub fn beat(place: &Place, beat: &Beat) -> io::Result<()> {
    let beat_in = |place: &Place| {
        prepare(place)?;
        append(place.directory(), beat)
    };
    beat_in(place).or_else(|_| beat_in(&place.spare()))
}

/// Returns whether a line could be appended now.
pub fn can_beat(place: &Place) -> bool {
    let can_beat_in = |place: &Place| prepare(place).and_then(|()| open(&place.directory().join(FILE))).is_ok();
    can_beat_in(place) || can_beat_in(&place.spare())
}

fn prepare(place: &Place) -> io::Result<()> {
    if !place.check().map_err(io::Error::other)? {
        place.make().map_err(io::Error::other)?;
    }
    Ok(())
}

fn open(path: &Path) -> io::Result<File> {
    private(OpenOptions::new().append(true).create(true)).open(path)
}

fn append(directory: &Path, beat: &Beat) -> io::Result<()> {
    let path = directory.join(FILE);
    let mut file = open(&path)?;
    let mut line = serde_json::to_string(beat)?;
    if line.len() > MAX_LINE {
        let notes = vec![Note::info("", NoteKind::Other, "the notes were too long to keep")];
        line = serde_json::to_string(&Beat { notes, ..beat.clone() })?;
    }
    line.push('\n');
    file.write_all(line.as_bytes())?;
    if file.metadata()?.len() > RING_BYTES {
        // If two processes do this at once, the ring loses its older half early.
        fs::rename(&path, directory.join(OLD_FILE))?;
    }
    Ok(())
}

/// Reads all lines, oldest first. Lines that cannot be read are skipped.
pub fn beats(place: &Place) -> Vec<Beat> {
    let mut beats = newest_beats(place, usize::MAX, |_| Some(true));
    beats.reverse();
    beats
}

/// Reads the newest lines that are wanted, newest first. `is_wanted` ends the search with `None`; lines that cannot be read
/// are skipped.
pub(crate) fn newest_beats(place: &Place, count: usize, is_wanted: impl Fn(&Beat) -> Option<bool>) -> Vec<Beat> {
    let mut all = Vec::new();
    for place in [place, &place.spare()].into_iter().filter(|place| place.check().is_ok()) {
        let mut found = Vec::new();
        'files: for name in [FILE, OLD_FILE] {
            let text = fs::read(place.directory().join(name)).unwrap_or_default();
            for beat in text.rsplit(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<Beat>(line).ok()) {
                match is_wanted(&beat) {
                    Some(true) => found.push(beat),
                    Some(false) => {}
                    None => break 'files,
                }
                if found.len() == count {
                    break 'files;
                }
            }
        }
        all.append(&mut found);
    }
    // Processes that run at the same time may write in another order than they looked at the clock.
    all.sort_by_key(|beat| std::cmp::Reverse(beat.at));
    all.truncate(count);
    all
}

#[cfg(test)]
mod tests {
    use briefing_core::Silence;

    use super::*;

    fn line(at: i64) -> Beat {
        Beat {
            at,
            agent: "claude".into(),
            event: "PostToolBatch".into(),
            session: "s".into(),
            directory: "/p".into(),
            lane: 1,
            micros: 900,
            outcome: Outcome::Silent(Silence::NothingDue),
            notes: Vec::new(),
        }
    }

    #[test]
    fn the_ring_stays_small_and_keeps_the_newest() {
        let directory = tempfile::tempdir().unwrap();
        let place = Place::Directory(directory.path().into());
        for at in 0..30_000 {
            beat(&place, &line(at)).unwrap();
        }
        let kept = beats(&place);
        assert_eq!(kept.last().unwrap().at, 29_999);
        assert!(kept.len() > 1000);
        let bytes: u64 = fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len()).sum();
        assert!(bytes <= 2 * RING_BYTES + 4096, "{bytes}");
    }

    #[test]
    fn outcome_and_notes_stay_typed_and_the_directory_is_made() {
        let state = tempfile::tempdir().unwrap();
        let place = Place::below(&state.path().join("deep"));
        let bad = Beat {
            outcome: Outcome::BadInput { problem: "the input is not a JSON object".into() },
            notes: vec![Note::warning("brief.toml", NoteKind::Config, "is unreadable")],
            ..line(1)
        };
        let long = Beat { notes: vec![Note::info("", NoteKind::Io, "x".repeat(MAX_LINE))], ..line(2) };
        beat(&place, &bad).unwrap();
        beat(&place, &long).unwrap();
        let kept = beats(&place);
        assert_eq!(kept[0], bad);
        assert_eq!(kept[1].notes[0].reason, "the notes were too long to keep");
    }
}
