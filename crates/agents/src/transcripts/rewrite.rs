//! Finds out what a window has lost, where a client shortens its window without an event but rewrites its transcript.

use std::io::Read;
use std::path::Path;

use briefing_core::render::window::MARK;
use briefing_core::sources::Framing;
use briefing_store::Given;

use super::file;
use super::format::Transcript;

/// A larger transcript is ignored.
const MAX_TRANSCRIPT: u64 = 64 * 1024 * 1024;

/// Returns the pieces that are missing from a transcript, if the client has rewritten it.
pub(crate) fn lost(transcript: &Transcript, given: &[Given], path: &Path) -> Vec<String> {
    let Some(rewrite) = transcript.rewrite.filter(|_| !given.is_empty()) else { return Vec::new() };
    let Ok((file, metadata)) = file::open(path) else { return Vec::new() };
    let mut bytes = Vec::new();
    if metadata.len() > MAX_TRANSCRIPT || file.take(MAX_TRANSCRIPT).read_to_end(&mut bytes).is_err() {
        return Vec::new();
    }
    let Some(at) = memchr::memmem::rfind(&bytes, rewrite.as_bytes()) else { return Vec::new() };
    let window = String::from_utf8_lossy(&bytes[at..]);
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
        lost(find("gemini").unwrap().transcript.unwrap(), &all, &file)
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
        assert_eq!(lost_in(&format!("{{}}{rewrite}{gate}{one}=== brief: /p/d.md (")), ["id of /p/d.md"], "one of two parts is not enough");
        assert_eq!(lost_in("").len(), 0);
    }
}
