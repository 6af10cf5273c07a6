//! Is what we gave still there? Gemini shortens its window by itself, when it is full or a turn is broken off, and no event
//! tells; but it writes its transcript anew then. What is missing from it is due again.

use std::path::Path;

use briefing_core::Order;
use briefing_core::fs::read_bytes;
use briefing_core::sources::gate::BANNER_START;
use briefing_store::{Given, Ledger, SessionKey};

use super::Hook;
use crate::agent::When;
use crate::render::MARK;
use crate::request::Request;

/// A larger transcript is not looked at.
const MAX_TRANSCRIPT: u64 = 64 * 1024 * 1024;
/// How a line begins that replaces all messages before it.
const ANEW: &[u8] = b"\n{\"$set\":{\"messages\":";

impl Hook<'_> {
    /// Makes the ledger forget what the client's window has lost. Whatever hinders that, nothing is forgotten.
    pub(super) fn look_through(&mut self, request: &Request, key: &SessionKey, ledger: &mut dyn Ledger) {
        if !request.agent.transcript_is_window || request.event.when != When::Message {
            return;
        }
        let Some(transcript) = request.transcript.as_deref() else { return };
        let Ok(Some(look)) = ledger.look(key) else { return };
        let Ok(given) = ledger.given(look.session) else { return };
        let lost = lost(&given, transcript);
        if !lost.is_empty() && ledger.forget(look.session, &lost).is_ok() {
            self.notes.push(format!("{} pieces are no longer in the window", lost.len()));
        }
    }
}

/// Returns the pieces that are not in a transcript that was written anew.
fn lost(given: &[Given], transcript: &Path) -> Vec<String> {
    if given.is_empty() {
        return Vec::new();
    }
    let Ok(bytes) = read_bytes(transcript, MAX_TRANSCRIPT) else { return Vec::new() };
    let Some(at) = memchr::memmem::rfind(&bytes, ANEW) else { return Vec::new() };
    let window = String::from_utf8_lossy(&bytes[at..]);
    let is_lost = |one: &&Given| {
        // Sections of one file stand under the same path: none of them can be told from another.
        let wanted = given.iter().filter(|other| other.path == one.path).map(|other| other.times as usize).sum();
        let wanted = if is_plain(one) { 1 } else { wanted };
        !one.path.is_empty() && window.matches(&sign(one)).count() < wanted
    };
    given.iter().filter(is_lost).map(|given| given.piece.clone()).collect()
}

/// Whether a piece stands under the banner of the gate instead of a line of its own.
fn is_plain(given: &Given) -> bool {
    (given.rank == Order::Constitution as u8 || given.rank == Order::Gate as u8) && !given.is_split
}

/// Returns what a piece is known by in the transcript, as the client writes it: angle brackets escaped, inside of JSON.
fn sign(given: &Given) -> String {
    if is_plain(given) {
        return BANNER_START.to_owned();
    }
    let label = format!("{MARK}{} (", given.path).replace('<', "&lt;").replace('>', "&gt;");
    let quoted = serde_json::Value::from(label).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(path: &str, times: u32, rank: Order) -> Given {
        Given { piece: format!("id of {path}"), path: path.into(), rank: rank as u8, is_split: false, times }
    }

    fn lost_in(transcript: &str) -> Vec<String> {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("t.jsonl");
        std::fs::write(&file, transcript).unwrap();
        let all = [
            given("/p/a \"b\" <c>.md", 1, Order::Document),
            given("/p/d.md", 2, Order::Document),
            given("/p/.context/X.md", 1, Order::Gate),
        ];
        lost(&all, &file)
    }

    #[test]
    fn what_the_new_transcript_lacks_is_lost() {
        let one = r#"{"text":"<hook_context>=== brief: /p/a \"b\" &lt;c&gt;.md (why) ===\nx"}"#;
        let two = r#"{"text":"=== brief: /p/d.md (why) ===\n=== brief: /p/d.md (why; changed) ==="}"#;
        let gate = r#"{"text":"PROJECT CONTEXT (auto-loaded by system hook — already"}"#;
        let anew = "\n{\"$set\":{\"messages\":[]}}\n";
        assert_eq!(lost_in(&format!("{{}}\n{one}\n")), [""; 0], "never written anew: nothing was cut");
        assert_eq!(lost_in(&format!("{{}}{anew}{one}\n{two}\n{gate}\n")), [""; 0]);
        assert_eq!(lost_in(&format!("{{}}{anew}{gate}{two}{anew}{one}\n")), ["id of /p/d.md", "id of /p/.context/X.md"]);
        assert_eq!(lost_in(&format!("{{}}{anew}{gate}{one}=== brief: /p/d.md (")), ["id of /p/d.md"], "one of two parts is not enough");
        assert_eq!(lost_in("").len(), 0);
    }
}
