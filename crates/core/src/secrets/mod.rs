//! The guard against secrets: replaces text that is clearly a secret by `[redacted: kind]` before anything shows it.
//!
//! There are no regular expressions. Tokens that begin with a prefix of their own are long runs of letters and digits: `runs`
//! finds the runs and compares only their beginnings with a table. Everything else (the name of a secret, a header, a block, a
//! URL) has a needle that is searched for, and a function that examines the text around it. The guard is meant for accidents. It
//! is precise rather than complete: a rule that redacts ordinary text would do more harm than good.

mod assigned;
mod escape;
mod named;
mod needles;
mod private_key;
mod rules;
mod runs;
mod structured;
mod table;
mod token;
mod url;

use crate::note::{Note, NoteKind};
use std::borrow::Cow;

/// The kind of secret that was found, and its line (from 1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    pub kind: &'static str,
    pub line: usize,
}

impl Secret {
    /// Returns the note about this redaction.
    pub fn note(&self, path: &str) -> Note {
        Note::warning(path, NoteKind::Redacted, format!("{} on line {} was redacted", self.kind, self.line))
    }
}

/// Text without secrets, and the secrets that were redacted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted<'a> {
    pub text: Cow<'a, str>,
    pub secrets: Vec<Secret>,
}

/// A range to replace. Both ends are at character boundaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Found {
    start: usize,
    end: usize,
    kind: &'static str,
    /// The secret says itself what it is; its name does not.
    is_certain: bool,
}

/// Redacts every secret in a text that is passed on by itself, such as a title.
pub fn redacted(text: String) -> String {
    match redact(&text).text {
        Cow::Borrowed(_) => text,
        Cow::Owned(redacted) => redacted,
    }
}

/// Returns `text` without its secrets, for text whose words are searched for.
pub fn removed(text: &str) -> Cow<'_, str> {
    replace(text, &find(text), |_, output| output.push(' '))
}

/// Redacts every secret in `text`. Returns the text borrowed if there is none.
pub fn redact(text: &str) -> Redacted<'_> {
    let found = find(text);
    let bytes = text.as_bytes();
    let lines = |start: usize, end: usize| memchr::memchr_iter(b'\n', &bytes[start..end]).count();
    let mut secrets = Vec::with_capacity(found.len());
    let (mut counted, mut line) = (0, 1);
    let text = replace(text, &found, |Found { start, end, kind, .. }, output| {
        line += lines(counted, *start);
        counted = *start;
        secrets.push(Secret { kind, line });
        output.extend(["[redacted: ", kind, "]"]);
        // Keep the number of lines, so that the following lines have the same numbers as in the file.
        output.extend(std::iter::repeat_n('\n', lines(*start, *end)));
    });
    Redacted { text, secrets }
}

/// Returns the secrets in `text`, in order. Of two that overlap, the first counts; of two at the same place, the one that says
/// itself what it is.
fn find(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    runs::find(text.as_bytes(), &mut found);
    token::azure(text.as_bytes(), &mut found);
    needles::find(text, &mut found);
    found.sort_by_key(|found| (found.start, !found.is_certain, usize::MAX - found.end));
    let mut end = 0;
    found.retain(|found| {
        let is_next = found.start >= end;
        if is_next {
            end = found.end;
        }
        is_next
    });
    found
}

/// Copies `text` and lets `write` write something else for each secret.
fn replace<'a>(text: &'a str, found: &[Found], mut write: impl FnMut(&Found, &mut String)) -> Cow<'a, str> {
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut output = String::with_capacity(text.len());
    let mut copied = 0;
    for secret in found {
        output.push_str(&text[copied..secret.start]);
        write(secret, &mut output);
        copied = secret.end;
    }
    output.push_str(&text[copied..]);
    Cow::Owned(output)
}

#[cfg(test)]
mod tests;
