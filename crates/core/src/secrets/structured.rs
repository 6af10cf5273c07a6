//! Secrets recognised by the structure around them: headers, logins on command lines, web tokens, password hashes, and the
//! secrets of Kubernetes and Docker.

use memchr::memmem;

use super::rules::Alphabet;
use super::token::{is_random, is_uuid};
use super::{Found, assigned, url};
use crate::text::beginning;

const MAX_VALUE: usize = 4096;
/// How far before a login the command may be.
const MAX_LINE: usize = 256;
/// Where the web token that most manuals show says that its subject is 1234567890.
const EXAMPLE: &[u8] = b"eyJzdWIiOiIxMjM0NTY3ODkwI";
/// How far `data:` may be from `kind: Secret`, and how long the block may be.
const MAX_MANIFEST: usize = 64 * 1024;

fn run(bytes: &[u8], alphabet: Alphabet) -> usize {
    bytes.iter().take(MAX_VALUE).take_while(|byte| alphabet.has(**byte)).count()
}

/// Returns the range of a JSON web token: `eyJ…`, a dot, more base64, and usually a signature.
pub(super) fn jwt(bytes: &[u8], start: usize) -> Option<(usize, usize)> {
    if bytes[..start].last().is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(byte)) {
        return None;
    }
    let head = run(&bytes[start..], Alphabet::Dashed);
    let mut end = start + head;
    let mut parts = 1;
    while bytes.get(end) == Some(&b'.') && parts < 5 {
        let length = run(&bytes[end + 1..], Alphabet::Dashed);
        if length < 10 {
            break;
        }
        (end, parts) = (end + 1 + length, parts + 1);
    }
    // A head alone is any JSON in base64; a long one with an identity of its own is a key, such as Grafana's.
    let is_token = head >= 17 && parts >= 2 || head >= 70 && bytes[start..].starts_with(b"eyJrIjoi");
    let is_example = memmem::find(&bytes[start..end], EXAMPLE).is_some();
    (is_token && !is_example && is_random(&bytes[start..end], false)).then_some((start, end))
}

/// Returns the range of the credentials after a scheme of HTTP authorization.
pub(super) fn scheme(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let value = &bytes[end..end + run(&bytes[end..], Alphabet::Encoded)];
    if text[start..end].eq_ignore_ascii_case("asic ") {
        return assigned::is_user_and_password(value).then_some((end, end + value.len()));
    }
    let value = value.strip_suffix(b".").unwrap_or(value);
    let has = |class: fn(&u8) -> bool| value.iter().any(class);
    if memmem::find(value, EXAMPLE).is_some() {
        return None;
    }
    let is_token = value.len() >= 20 && is_random(value, true) && has(u8::is_ascii_alphabetic) && mixes(value);
    (is_token || is_uuid(value)).then_some((end, end + value.len()))
}

/// Returns whether letters and digits alternate too often for words.
fn mixes(value: &[u8]) -> bool {
    let class = |byte: u8| (byte.is_ascii_uppercase(), byte.is_ascii_lowercase(), byte.is_ascii_digit());
    let changes = value.windows(2).filter(|pair| class(pair[0]) != class(pair[1])).count();
    changes * 4 >= value.len()
}

/// Returns the range of the password of `curl -u user:password`.
pub(super) fn command_user(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let before = &text.as_bytes()[start.saturating_sub(MAX_LINE)..start];
    let line = &before[memchr::memrchr(b'\n', before).map_or(0, |at| at + 1)..];
    if !["curl", "http", "wget"].iter().any(|word| memmem::find(line, word.as_bytes()).is_some()) {
        return None;
    }
    let value = text[end..].trim_start_matches([' ', '=', '"', '\'']);
    let start = text.len() - value.len();
    let length = value.find(|c: char| c.is_whitespace() || "\"'`".contains(c)).unwrap_or(value.len());
    let (user, password) = value[..length].split_once(':')?;
    let is_word = ["password", "pass", "passwd", "secret", "pwd", "token", "apikey", "api_key", "changeme"]
        .iter()
        .any(|word| password.eq_ignore_ascii_case(word));
    let is_password =
        password.len() >= 6 && !url::is_placeholder(password) && !is_word && password.bytes().any(|byte| byte.is_ascii_digit());
    let start = start + user.len() + 1;
    (is_password && !password.contains("//")).then_some((start, start + password.len()))
}

/// Returns the range of the login after `"auth"` in the settings of Docker.
pub(super) fn docker(bytes: &[u8], end: usize) -> Option<(usize, usize)> {
    let gap = bytes[end..].iter().take(8).take_while(|byte| b" \t:\"".contains(byte)).count();
    let start = end + gap;
    let length = run(&bytes[start..], Alphabet::Base64);
    let is_login = length >= 12 && bytes[..start].ends_with(b"\"") && assigned::is_user_and_password(&bytes[start..start + length]);
    is_login.then_some((start, start + length))
}

/// Returns the range of the hash of a password, without the parameters before it.
pub(super) fn crypt(bytes: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
    let start = start + usize::from(bytes[start] != b'$');
    let has = |byte: &&u8| byte.is_ascii_alphanumeric() || b"./$=,+-".contains(byte);
    let length = bytes[end..].iter().take(256).take_while(has).count();
    let whole = &bytes[start..end + length];
    let hash = whole.rsplit(|byte| *byte == b'$').next()?;
    let parts = memchr::memchr_iter(b'$', whole).count();
    let is_hash = match &whole[1..2] {
        b"2" => hash.len() == 53 && parts == 3,
        b"5" => hash.len() == 43,
        b"6" => hash.len() == 86,
        _ => hash.len() >= 22 && parts >= 3,
    };
    (is_hash && is_random(hash, false)).then_some((start, end + length))
}

/// Adds every value of the Kubernetes secret whose kind is at `end`.
pub(super) fn kubernetes(text: &str, end: usize, found: &mut Vec<Found>) {
    let rest = beginning(&text[end..], MAX_MANIFEST);
    let mut at = end;
    let mut is_inside = false;
    for line in rest.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let trimmed = line.trim();
        if trimmed == "---" || trimmed.starts_with("kind:") {
            break;
        }
        let is_indented = line.starts_with([' ', '\t']);
        if trimmed == "data:" || trimmed == "stringData:" {
            is_inside = true;
        } else if is_inside && is_indented {
            let Some((name, value)) = line.split_once(": ") else { continue };
            let quoted = value.trim();
            let plain = quoted.trim_matches(['"', '\'']);
            let begin = start
                + name.len()
                + 2
                + (value.len() - value.trim_start().len())
                + (quoted.len() - quoted.trim_start_matches(['"', '\'']).len());
            let is_value =
                plain.len() >= 4 && !plain.starts_with(['|', '>', '&', '*', '#']) && !url::is_placeholder(plain) && !plain.contains("{{");
            if is_value && is_base64_or_secret(plain) {
                found.push(Found { start: begin, end: begin + plain.len(), kind: "Kubernetes secret", is_certain: false });
            }
        } else if !trimmed.is_empty() && !trimmed.starts_with('#') {
            is_inside = false;
        }
    }
}

/// Returns whether a value is base64 of some length, or plain text that is no example.
fn is_base64_or_secret(value: &str) -> bool {
    let bytes = value.as_bytes();
    let is_base64 = bytes.len().is_multiple_of(4) && bytes.iter().all(|byte| Alphabet::Base64.has(*byte));
    let lower = value.to_ascii_lowercase();
    let is_example = ["secret", "password", "replace", "example", "your", "..."].iter().any(|word| lower.contains(word));
    let least = if is_base64 { 12 } else { 10 };
    bytes.len() >= least && is_random(bytes, !is_base64) && !is_example && !value.contains([' ', '`'])
}
