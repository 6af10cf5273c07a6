//! Writes and finishes the state of a domain.

use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::front_matter::FrontMatter;
use super::learn::{nearest_domain, read_exactly, refuse_secrets};
use super::load::{Reading, STATE};
use super::moment;
use super::state::{StateFound, read_state};
use crate::Failure;
use crate::lock::Lock;
use crate::note::Note;
use crate::sources::Change;
use crate::tokens::estimate_utf16;

/// The maximum size of a hand-off. It is short because the next session reads all of it.
pub const MAX_STATE_TOKENS: u64 = 2_000;

/// The result of writing a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenState {
    pub path: PathBuf,
    /// The tokens of the text that was written.
    pub tokens: u64,
    /// The number of tokens that were cut off, if any.
    pub cut: u64,
}

/// Reads the state of the nearest domain.
pub fn find_state(path: &Path, now: Timestamp, reading: Reading<'_>, notes: &mut Vec<Note>) -> Result<StateFound, Failure> {
    Ok(read_state(&nearest_domain(path)?, now, reading, notes))
}

/// Replaces the state of the nearest domain.
pub fn write_state(
    path: &Path,
    body: &str,
    allows_secrets: bool,
    now: Timestamp,
    state_home: Option<&Path>,
) -> Result<WrittenState, Failure> {
    if !allows_secrets {
        refuse_secrets(body)?;
    }
    let body = body.trim_matches(['\r', '\n']).trim_end();
    if body.is_empty() {
        return Err(Failure::usage("the state is empty").hint("pass some text, or `brief state --done` to finish the current state"));
    }
    let kept = fitting(body);
    let megg = nearest_domain(path)?;
    let _lock = Lock::of(&megg, state_home)?;
    let path = megg.join(STATE);
    let before = read_exactly(&path)?;
    let text = format!("---\nupdated: {}\nstatus: active\n---\n\n{kept}\n", moment::written(now));
    let all = 0..before.as_ref().map_or(0, String::len);
    Change::new(path.clone(), before, vec![(all, text)]).write()?;
    let tokens = estimate_utf16(kept);
    Ok(WrittenState { path, tokens, cut: estimate_utf16(body).saturating_sub(tokens) })
}

/// Returns as many whole lines as are allowed, or the beginning of the first line if it is too long.
fn fitting(body: &str) -> &str {
    if estimate_utf16(body) <= MAX_STATE_TOKENS {
        return body;
    }
    let limit = MAX_STATE_TOKENS as usize * 4;
    let (mut units, mut hard, mut line, mut word) = (0, 0, 0, 0);
    for (at, c) in body.char_indices() {
        units += c.len_utf16();
        if units > limit {
            break;
        }
        hard = at + c.len_utf8();
        match c {
            '\n' => line = at,
            c if c.is_whitespace() => word = at,
            _ => {}
        }
    }
    let end = [line, word].into_iter().find(|end| *end > hard / 2).unwrap_or(hard);
    body[..end].trim_end()
}

/// Marks the state of the nearest domain as done and returns its path. Does nothing if there is no state.
///
/// The text is kept until the next state replaces it, so that it can still be read.
pub fn finish_state(path: &Path, now: Timestamp, state_home: Option<&Path>) -> Result<Option<PathBuf>, Failure> {
    let megg = nearest_domain(path)?;
    let _lock = Lock::of(&megg, state_home)?;
    let path = megg.join(STATE);
    let Some(before) = read_exactly(&path)? else { return Ok(None) };
    let edit = if let Some(front) = FrontMatter::find(&before) {
        match front.value_range("status") {
            Some(range) => (range, " done".to_owned()),
            None => (front.start..front.start, "status: done\n".to_owned()),
        }
    } else {
        let start = before.len() - before.trim_start_matches('\u{FEFF}').len();
        (start..start, format!("---\nupdated: {}\nstatus: done\n---\n\n", moment::written(now)))
    };
    Change::new(path.clone(), Some(before), vec![edit]).write()?;
    Ok(Some(path))
}
