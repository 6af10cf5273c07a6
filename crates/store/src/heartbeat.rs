//! The pulse of hooks that changed nothing: one line each in a plain file.
//!
//! A hook with nothing to say must be cheap, yet `brief doctor` must be able to tell "it fired and was silent" from
//! "it never fired". Appending a line takes no lock and a few microseconds; opening the database would double the
//! life of such a process. The file is a ring of two: at 256 KB it becomes the old one and a new one begins.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

pub const HEARTBEAT_FILE: &str = "heartbeat.jsonl";
const OLD_FILE: &str = "heartbeat.old.jsonl";
const RING_BYTES: u64 = 256 * 1024;
/// A line must fit into one atomic append.
const MAX_LINE: usize = 2000;

/// One hook that changed nothing in the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beat {
    /// Milliseconds since 1970.
    pub at: i64,
    pub agent: String,
    pub event: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub session: String,
    #[serde(default)]
    pub lane: u8,
    /// How long the process took, in microseconds.
    pub micros: u64,
    /// `silent`, or why nothing was said.
    pub outcome: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Appends a line. The directory must exist.
pub fn beat(directory: &Path, beat: &Beat) -> io::Result<()> {
    let path = directory.join(HEARTBEAT_FILE);
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    let mut file = options.open(&path)?;
    let mut line = serde_json::to_string(beat)?;
    if line.len() > MAX_LINE {
        line = serde_json::to_string(&Beat { notes: vec!["(too long to keep)".into()], ..beat.clone() })?;
    }
    line.push('\n');
    file.write_all(line.as_bytes())?;
    if file.metadata()?.len() > RING_BYTES {
        // Two processes may do this at once; then the ring loses its older half early, which is what rings do.
        fs::rename(&path, directory.join(OLD_FILE))?;
    }
    Ok(())
}

/// Reads all lines there are, oldest first. Lines that cannot be read are left out.
pub fn beats(directory: &Path) -> Vec<Beat> {
    let mut beats = Vec::new();
    for name in [OLD_FILE, HEARTBEAT_FILE] {
        let text = fs::read(directory.join(name)).unwrap_or_default();
        beats.extend(text.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<Beat>(line).ok()));
    }
    beats
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ring_stays_small_and_keeps_the_newest() {
        let directory = tempfile::tempdir().unwrap();
        for at in 0..8000 {
            let line = Beat {
                at,
                agent: "claude".into(),
                event: "PostToolBatch".into(),
                session: "s".into(),
                lane: 1,
                micros: 900,
                outcome: "silent".into(),
                notes: Vec::new(),
            };
            beat(directory.path(), &line).unwrap();
        }
        let kept = beats(directory.path());
        assert_eq!(kept.last().unwrap().at, 7999);
        assert!(kept.len() > 1000);
        let bytes: u64 = fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len()).sum();
        assert!(bytes <= 2 * RING_BYTES + 4096, "{bytes}");
    }
}
