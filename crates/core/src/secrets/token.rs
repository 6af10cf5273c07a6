//! Tokens recognised by their prefix.

use super::escape;
use super::rules::{ANY, Alphabet, Form};

/// Returns the range of a token whose prefix is at `start..end`.
pub(super) fn plain(bytes: &[u8], start: usize, end: usize, form: &Form) -> Option<(usize, usize)> {
    if !begins_word(bytes, start) {
        return None;
    }
    let length = bytes[end..].iter().take(form.most + 1).take_while(|byte| form.alphabet.has(**byte)).count();
    if length < form.least || length > form.most {
        return None;
    }
    let body = &bytes[end..end + length];
    is_random(body, form.needs_digit).then_some((start, end + length))
}

/// Returns the range of a Slack token: `xoxb-…`, `xoxe.xoxp-…`, or `xoxd-…`, which is a percent-encoded cookie.
pub(super) fn slack(bytes: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
    let [letter, mark, ..] = bytes[end..] else { return None };
    let alphabet = match (letter, mark) {
        (b'd' | b'e', b'-') | (b'e', b'.') => Alphabet::Encoded,
        (b'a' | b'b' | b'c' | b'o' | b'p' | b'r' | b's', b'-') => Alphabet::Dashed,
        _ => return None,
    };
    let form = Form { alphabet, least: 20, most: ANY, needs_digit: true };
    let (start, end) = plain(bytes, start, end + 2, &form)?;
    let dots = bytes[..end].iter().rev().take_while(|byte| **byte == b'.').count();
    Some((start, end - dots))
}

/// Returns whether `start` is not in the middle of a word.
fn begins_word(bytes: &[u8], start: usize) -> bool {
    let before = &bytes[..start];
    before.last().is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_') || escape::ends(before)
}

/// Returns whether a body is not a placeholder such as `xxxx…`.
pub(super) fn is_random(body: &[u8], needs_digit: bool) -> bool {
    let mut seen = [false; 256];
    for byte in body {
        seen[usize::from(*byte)] = true;
    }
    let distinct = seen.iter().filter(|seen| **seen).count();
    distinct >= 6 && (!needs_digit || body.iter().any(u8::is_ascii_digit))
}
