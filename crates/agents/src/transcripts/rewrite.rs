//! Finds out what a window has lost without an event: a record of the transcript replaces the messages before it.
//!
//! Only what was added since the last look is read, and only where there was such a record is anything compared.

use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use briefing_core::render::window::plain;
use briefing_store::Given;

use super::file;
use super::format::Rewrite;

/// How much of a transcript is read at most; of a longer one, the end.
const MAX_BYTES: u64 = 64 << 20;
/// How much may be read again at the next message. Writing down where reading stopped costs more than that.
const READ_AGAIN: u64 = 64 << 10;

/// What a look has found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// The deliveries that are no longer in the window.
    pub(crate) lost: Vec<i64>,
    /// Where the next look begins: the identity of the file, and how much of it was read.
    pub(crate) scanned: String,
}

/// Looks at what was added to a transcript since `scanned`. Returns `None` if nothing needs to be written down.
pub(crate) fn look(rewrite: &Rewrite, path: &Path, scanned: &str, given: impl FnOnce() -> Vec<Given>) -> Option<Found> {
    let (mut file, metadata) = file::open(path).ok()?;
    let (identity, end) = (file::identity(&metadata), metadata.len());
    let place = scanned.split_once(' ').filter(|(file, _)| *file == identity).and_then(|(_, offset)| offset.parse().ok());
    let start = place.filter(|start| *start <= end).unwrap_or(0).max(end.saturating_sub(MAX_BYTES));
    let mut added = Vec::new();
    file.seek(SeekFrom::Start(start)).ok()?;
    file.take(end - start).read_to_end(&mut added).ok()?;
    // The client is still writing the last record, which may be the one.
    added.ends_with(b"\n").then_some(())?;
    let mark = memchr::memmem::rfind(&added, rewrite.mark.as_bytes());
    if mark.is_none() && end - start < READ_AGAIN {
        return None;
    }
    let lost = mark.map(|mark| {
        let line = memchr::memrchr(b'\n', &added[..mark]).map_or(0, |before| before + 1);
        missing(&given(), &String::from_utf8_lossy(&added[line..]))
    });
    Some(Found { lost: lost.unwrap_or_default(), scanned: format!("{identity} {end}") })
}

/// Returns the deliveries that are not in a window. Of several that begin alike, the newest are the ones that are left.
pub(super) fn missing(given: &[Given], window: &str) -> Vec<i64> {
    let window = plain(window);
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    let mut lost = Vec::new();
    for Given { id, opening } in given.iter().rev() {
        let count = || if opening.is_empty() { 0 } else { window.matches(&quoted(opening)).count() };
        let left = left.entry(opening).or_insert_with(count);
        match left.checked_sub(1) {
            Some(rest) => *left = rest,
            None => lost.push(*id),
        }
    }
    lost
}

/// Returns a text as part of a JSON string, without escaped angle brackets.
pub(super) fn quoted(text: &str) -> String {
    let quoted = serde_json::Value::from(plain(text)).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::find;

    /// Returns what is lost of four deliveries, the last two of which begin alike.
    fn lost_in(transcript: &str) -> Vec<i64> {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("t.jsonl");
        std::fs::write(&file, transcript).unwrap();
        let openings = ["=== brief: /p/a \"b\" <c>.md (why) ===\nx", "PROJECT CONTEXT", "=== brief: /p/d.md (", "=== brief: /p/d.md ("];
        let given = || openings.iter().zip(1..).map(|(opening, id)| Given { id, opening: (*opening).into() }).collect();
        let rewrite = find("gemini").unwrap().transcript.unwrap().rewrite.unwrap();
        look(&rewrite, &file, "", given).map(|found| found.lost).unwrap_or_default()
    }

    #[test]
    fn texts_missing_from_a_rewritten_transcript_are_lost() {
        let one = r#"{"text":"<hook_context>=== brief: /p/a \"b\" &lt;c&gt;.md (why) ===\nxyz"}"#;
        let two = r#"{"text":"=== brief: /p/d.md (why) ===\n=== brief: /p/d.md (why; changed) ==="}"#;
        let gate = r#"{"text":"PROJECT CONTEXT (auto-loaded by system hook — already"}"#;
        let rewrite = "\n{\"$set\":{\"messages\":[]}}\n";
        assert_eq!(lost_in(&format!("{{}}\n{one}\n")), [0; 0], "never rewritten: nothing was cut");
        assert_eq!(lost_in(&format!("{{}}{rewrite}{one}\n{two}\n{gate}\n")), [0; 0]);
        assert_eq!(lost_in(&format!("{{}}{rewrite}{gate}{two}{rewrite}{one}\n")), [4, 3, 2]);
        assert_eq!(lost_in(&format!("{{}}{rewrite}{gate}{one}=== brief: /p/d.md (\n")), [3], "the older one of two");
        assert_eq!(lost_in(&format!("{{}}{rewrite}{{\"half\"")), [0; 0], "the last record is not complete");
        assert_eq!(lost_in("").len(), 0);
    }
}
