//! Tokens recognised by their prefix.

use memchr::memmem;

use super::rules::{ANY, Alphabet, Form};
use super::table::MARKS;
use super::{Found, escape};

/// Returns the range of a token whose prefix is at `start..end`.
pub(super) fn plain(bytes: &[u8], start: usize, end: usize, form: &Form) -> Option<(usize, usize)> {
    if !begins_word(bytes, start) {
        return None;
    }
    let length = bytes[end..].iter().take(form.most + 1).take_while(|byte| form.alphabet.has(**byte)).count();
    if length < form.least || length > form.most {
        return None;
    }
    let dots = bytes[end..end + length].iter().rev().take_while(|byte| **byte == b'.').count();
    let body = &bytes[end..end + length - dots];
    (body.len() >= form.least && is_random(body, form.needs_digit)).then_some((start, end + body.len()))
}

/// Returns the range of a token that ends with a UUID.
pub(super) fn uuid(bytes: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
    let value = bytes.get(end..end + 36)?;
    let goes_on = bytes.get(end + 36).is_some_and(u8::is_ascii_alphanumeric);
    (begins_word(bytes, start) && is_uuid(value) && !goes_on).then_some((start, end + 36))
}

/// Returns whether a value is a UUID.
pub(super) fn is_uuid(value: &[u8]) -> bool {
    let is_right = |(at, byte): (usize, &u8)| if matches!(at, 8 | 13 | 18 | 23) { *byte == b'-' } else { byte.is_ascii_hexdigit() };
    value.len() == 36 && value.iter().enumerate().all(is_right) && is_random(value, true)
}

/// Returns the range of a token around `at..end`, with at least so many characters before and after.
pub(super) fn around(bytes: &[u8], at: usize, end: usize, alphabet: Alphabet, before: usize, after: usize) -> Option<(usize, usize)> {
    let left = bytes[..at].iter().rev().take(ANY).take_while(|byte| alphabet.has(**byte)).count();
    let right = bytes[end..].iter().take(ANY).take_while(|byte| alphabet.has(**byte)).count();
    let dots = bytes[end..end + right].iter().rev().take_while(|byte| **byte == b'.').count();
    let range = (at - left, end + right - dots);
    (left >= before && right - dots >= after && is_random(&bytes[range.0..range.1], true)).then_some(range)
}

/// Returns the secret in a run of letters and digits that has a mark of its own inside, at its end or before it.
pub(super) fn marked(bytes: &[u8], start: usize, end: usize) -> Option<Found> {
    let run = &bytes[start..end];
    let found = |kind, start| Some(Found { start, end, kind, is_certain: true });
    if run.starts_with(b"AA") && run.len() == 35 && bytes[..start].ends_with(b":") {
        let digits = bytes[..start - 1].iter().rev().take(12).take_while(|byte| byte.is_ascii_digit()).count();
        return if (8..=10).contains(&digits) { found("Telegram bot token", start - 1 - digits) } else { None };
    }
    let is_base64 = |byte: Option<&u8>| byte.is_some_and(|byte| b"+/=".contains(byte));
    let is_inside = is_base64(bytes[..start].last()) && is_base64(bytes.get(end)) || run.len() > 400;
    if run.len() < 36 || is_inside || !is_random(run, true) {
        return None;
    }
    let number = run.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    if let Some(hex) = run[..run.len() - number].strip_suffix(b"-us").filter(|_| (1..=2).contains(&number)) {
        return if hex.len() == 32 && hex.iter().all(u8::is_ascii_hexdigit) { found("Mailchimp key", start) } else { None };
    }
    let has = |mark: &str, before: usize, after: usize| {
        let at = memmem::find(run, mark.as_bytes())?;
        let rest = run.len() - at - mark.len();
        // A mark at the end of a token has nothing after it.
        (at >= before && rest >= after && (after > 0 || rest == 0 && at == before)).then_some(())
    };
    MARKS.iter().find(|(mark, _, before, after)| has(mark, *before, *after).is_some()).and_then(|(_, kind, ..)| found(kind, start))
}

/// Adds the client secrets of Azure to `found`: in the middle of their characters is a digit and `Q~`.
pub(super) fn azure(bytes: &[u8], found: &mut Vec<Found>) {
    for at in memchr::memchr_iter(b'~', bytes) {
        let is_mark = at >= 5 && bytes[at - 1] == b'Q' && bytes[at - 2].is_ascii_digit();
        let has = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.~-".contains(byte);
        if is_mark && bytes[at - 5..at].iter().all(|byte| has(&byte)) {
            let after = bytes[at + 1..].iter().take(35).take_while(has).count();
            let before = at.checked_sub(6).is_some_and(|at| bytes[at].is_ascii_alphanumeric());
            if (31..=34).contains(&after) && !before {
                found.push(Found { start: at - 5, end: at + 1 + after, kind: "Azure client secret", is_certain: true });
            }
        }
    }
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
