//! Secrets recognised only by the name before them: AWS secret keys and npm logins.

use super::escape;
use super::rules::Alphabet;
use super::token::{is_random, is_uuid};

/// The maximum number of bytes between the name and the value of an AWS key.
const MAX_GAP: usize = 64;
const AWS_LENGTH: usize = 40;

/// Returns the range of an AWS secret after its name.
pub(super) fn aws(bytes: &[u8], end: usize) -> Option<(usize, usize)> {
    let start = end + gap(&bytes[end..]);
    let (value, length) = base64_value(&bytes[start..]);
    let has = |class: fn(&u8) -> bool| value.iter().any(class);
    let is_mixed = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit);
    let is_secret =
        start > end && value.len() == AWS_LENGTH && is_mixed && !value.iter().all(u8::is_ascii_hexdigit) && is_random(&value, true);
    is_secret.then_some((start, start + length))
}

/// Returns the number of bytes that lead up to a value: blanks, quotes, brackets, assignment signs, the word `value`.
fn gap(bytes: &[u8]) -> usize {
    let mut at = 0;
    while at < MAX_GAP {
        let rest = &bytes[at..];
        let step = match rest.first() {
            Some(byte) if b" \t\r\n\"'`[](){}<>=:,-".contains(byte) => 1,
            Some(b'\\') => escape::length(rest).max(1),
            Some(b'%') => escape::length(rest),
            _ if begins_with_value(rest) => "value".len(),
            _ => 0,
        };
        if step == 0 {
            break;
        }
        at += step;
    }
    at
}

fn begins_with_value(bytes: &[u8]) -> bool {
    let is_word = bytes.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"value"));
    is_word && bytes.get(5).is_none_or(|byte| !byte.is_ascii_alphanumeric())
}

/// Returns the base64 text at the beginning, at most one character more than a secret has, and the number of bytes it
/// takes. PHP writes `\/`; URLs write `%2F` and `%2B`.
fn base64_value(bytes: &[u8]) -> (Vec<u8>, usize) {
    let (mut value, mut at) = (Vec::new(), 0);
    while value.len() <= AWS_LENGTH {
        let (byte, step) = match bytes[at..] {
            [b'\\', b'/', ..] | [b'%', b'2', b'F' | b'f', ..] => (b'/', if bytes[at] == b'%' { 3 } else { 2 }),
            [b'%', b'2', b'B' | b'b', ..] => (b'+', 3),
            [byte, ..] if byte.is_ascii_alphanumeric() || b"+/".contains(&byte) => (byte, 1),
            _ => break,
        };
        value.push(byte);
        at += step;
    }
    (value, at)
}

/// Returns the range of the value of `_authToken` or `_auth` in an `.npmrc`.
///
/// After `:` it is the setting of a registry. Elsewhere the name may belong to any program, and only a value that is
/// clearly a login counts.
pub(super) fn npm(bytes: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
    let before = bytes[..start].last();
    if before.is_some_and(|byte| !b": \t\r\n\"'".contains(byte)) {
        return None;
    }
    let is_scoped = before == Some(&b':');
    let is_token = bytes[end..].starts_with(b"Token");
    let name_end = if is_token { end + "Token".len() } else { end };
    let start = name_end + separator(&bytes[name_end..], is_scoped)?;
    let has = |byte: &u8| Alphabet::Base64.has(*byte) || b"-_.~".contains(byte);
    let value: &[u8] = &bytes[start..];
    let value = &value[..value.iter().take_while(|byte| has(byte)).count()];
    let is_login = is_scoped && value.len() >= 16 && is_random(value, true) || is_uuid(value) || !is_token && is_user_and_password(value);
    is_login.then_some((start, start + value.len()))
}

/// Returns the length of `=` with blanks and a quote. For a registry's setting, a blank is enough.
fn separator(bytes: &[u8], is_scoped: bool) -> Option<usize> {
    let signs = bytes.iter().take(16).take_while(|byte| b" \t=".contains(byte)).count();
    let is_assignment = memchr::memchr_iter(b'=', &bytes[..signs]).count() == 1 || is_scoped && signs > 0;
    let quote = bytes[signs..].first().filter(|byte| b"\"'".contains(byte)).into_iter().count();
    is_assignment.then_some(signs + quote)
}

/// Returns whether a value is the base64 of `user:password`.
pub(super) fn is_user_and_password(value: &[u8]) -> bool {
    let (mut held, mut bits) = (0_u32, 0);
    let mut decoded = Vec::new();
    for byte in value.iter().take_while(|byte| **byte != b'=') {
        let Some(six) = sextet(*byte) else { return false };
        held = (held << 6 | u32::from(six)) & 0xFFFF;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            decoded.push(held >> bits & 0xFF);
        }
    }
    let is_text = decoded.iter().all(|byte| (0x20..0x7F).contains(byte) || *byte >= 0x80);
    let colon = decoded.iter().position(|byte| *byte == u32::from(b':'));
    is_text && colon.is_some_and(|colon| colon > 0 && colon + 1 < decoded.len())
}

fn sextet(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}
