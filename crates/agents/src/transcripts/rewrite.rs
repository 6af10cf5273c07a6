//! Finds out what a window has lost without an event: a record of the transcript replaces the messages before it.
//!
//! Only what was added since the last look is read, and only where there was such a record is anything compared.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use briefing_core::render::window::MARK;
use briefing_core::sources::Framing;
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
    /// The pieces that are no longer in the window.
    pub(crate) lost: Vec<String>,
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

/// Returns the pieces that are not in a window.
fn missing(given: &[Given], window: &str) -> Vec<String> {
    let is_lost = |one: &&Given| {
        // Sections of a file are labelled with the same path, so they can only be counted together.
        let wanted = given.iter().filter(|other| other.path == one.path).map(|other| other.times as usize).sum();
        let wanted = if own_sign(one).is_some() { 1 } else { wanted };
        !one.path.is_empty() && window.matches(&sign(one)).count() < wanted
    };
    given.iter().filter(is_lost).map(|given| given.piece.clone()).collect()
}

/// Returns the heading of a piece's source, if the piece is framed by that instead of a label of its own.
fn own_sign(given: &Given) -> Option<&'static str> {
    match given.source?.row().framing {
        Framing::Own { sign, .. } if !given.is_split => Some(sign),
        _ => None,
    }
}

/// Returns the text that identifies a piece in the transcript, as the client writes it: with angle brackets escaped,
/// as part of a JSON string.
fn sign(given: &Given) -> String {
    if let Some(sign) = own_sign(given) {
        return sign.to_owned();
    }
    let label = format!("{MARK}{} (", given.path).replace('<', "&lt;").replace('>', "&gt;");
    let quoted = serde_json::Value::from(label).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

#[cfg(test)]
mod tests {
    use briefing_core::Source;

    use super::*;
    use crate::table::find;

    fn given(path: &str, times: u32, source: Source) -> Given {
        Given { piece: format!("id of {path}"), path: path.into(), source: Some(source), order: 0, is_split: false, times }
    }

    fn lost_in(transcript: &str) -> Vec<String> {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("t.jsonl");
        std::fs::write(&file, transcript).unwrap();
        let all =
            [given("/p/a \"b\" <c>.md", 1, Source::Docs), given("/p/d.md", 2, Source::Docs), given("/p/.context/X.md", 1, Source::Gate)];
        let rewrite = find("gemini").unwrap().transcript.unwrap().rewrite.unwrap();
        look(&rewrite, &file, "", || all.to_vec()).map(|found| found.lost).unwrap_or_default()
    }

    #[test]
    fn pieces_missing_from_a_rewritten_transcript_are_lost() {
        let one = r#"{"text":"<hook_context>=== brief: /p/a \"b\" &lt;c&gt;.md (why) ===\nx"}"#;
        let two = r#"{"text":"=== brief: /p/d.md (why) ===\n=== brief: /p/d.md (why; changed) ==="}"#;
        let gate = r#"{"text":"PROJECT CONTEXT (auto-loaded by system hook — already"}"#;
        let rewrite = "\n{\"$set\":{\"messages\":[]}}\n";
        assert_eq!(lost_in(&format!("{{}}\n{one}\n")), [""; 0], "never rewritten: nothing was cut");
        assert_eq!(lost_in(&format!("{{}}{rewrite}{one}\n{two}\n{gate}\n")), [""; 0]);
        assert_eq!(lost_in(&format!("{{}}{rewrite}{gate}{two}{rewrite}{one}\n")), ["id of /p/d.md", "id of /p/.context/X.md"]);
        assert_eq!(
            lost_in(&format!("{{}}{rewrite}{gate}{one}=== brief: /p/d.md (\n")),
            ["id of /p/d.md"],
            "one of two parts is not enough"
        );
        assert_eq!(lost_in(&format!("{{}}{rewrite}{{\"half\"")), [""; 0], "the last record is not complete");
        assert_eq!(lost_in("").len(), 0);
    }
}
