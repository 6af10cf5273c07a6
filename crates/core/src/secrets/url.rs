//! Passwords in URLs. Only the password is replaced, so that the rest still shows what is connected to what.

use super::escape;
use super::token::is_random;

/// The maximum length of an authority, and of the way back to the beginning of a URL.
const MAX_AUTHORITY: usize = 4096;
const MAX_BACK: usize = 512;
/// The maximum length of a password in a query.
const MAX_VALUE: usize = 256;

/// Returns the range of the password in `://user:password@`.
pub(super) fn password(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let is_quoted = opening(&text.as_bytes()[..start]) == Some(b'\'');
    let ends = |c: char| ends_address(c) || "/?#\\".contains(c) || is_quoted && c == '\'';
    let length: usize = text[end..].chars().take(MAX_AUTHORITY).take_while(|c| !ends(*c)).map(char::len_utf8).sum();
    let authority = &text[end..end + length];
    let at = authority.rfind('@')?;
    let colon = colon_outside_braces(&authority[..at])?;
    let (user, password, host) = (&authority[..colon], &authority[colon + 1..at], &authority[at + 1..]);
    let is_password = !user.contains(is_delimiter) && !begins_with_port(password) && !is_digest(host) && !is_placeholder(password);
    let is_password =
        is_password && !["password", "passwd", "pass", "pwd", "secret"].iter().any(|word| password.eq_ignore_ascii_case(word));
    is_password.then_some((end + colon + 1, end + at))
}

/// Returns the range of a password in the query of a URL, `?user=bob&password=…`, after a part of its name.
pub(super) fn query_password(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    if !text[end..].starts_with('=') {
        return None;
    }
    let start = start - text[..start].bytes().rev().take(MAX_BACK).take_while(u8::is_ascii_alphabetic).count();
    let end = end + 1;
    let before = &text.as_bytes()[..start];
    if !before.last().is_some_and(|byte| b"?&;".contains(byte)) && !escape::ends(before) || text[end..].starts_with('/') {
        return None;
    }
    let back = text[..start].chars().rev().take(MAX_BACK).take_while(|c| !ends_address(*c)).map(char::len_utf8).sum::<usize>();
    let address = &text[start - back..start];
    if !address.contains("://") && !address.contains(":\\/\\/") {
        return None;
    }
    let ends = |c: char| ends_address(c) || "&;#\\'".contains(c);
    let length: usize = text[end..].chars().take(MAX_VALUE).take_while(|c| !ends(*c)).map(char::len_utf8).sum();
    let value = &text[end..end + length];
    let lower = value.to_ascii_lowercase();
    let names_itself = ["passw", "secret", "changeme", "your", "example", "token", "xxxx"].iter().any(|word| lower.contains(word))
        || ["pwd", "pass", "null", "true"].contains(&lower.as_str())
        || value.contains(['(', '[']);
    let password = value.trim_end_matches([')', ']', '}', ',', '.']);
    let is_password = !is_placeholder(value) && !password.is_empty() && !names_itself;
    is_password.then_some((end, end + password.len()))
}

/// Returns the range of the path of a webhook, which is all that is needed to post.
pub(super) fn webhook_path(bytes: &[u8], end: usize) -> Option<(usize, usize)> {
    let (first, mut start) = segment(bytes, end)?;
    if !matches!(first, b"services" | b"workflows" | b"triggers") {
        start = end;
    }
    let (mut at, mut is_secret) = (start, false);
    while let Some((name, next)) = segment(bytes, at).filter(|(name, _)| !name.is_empty()) {
        is_secret |= name.len() >= 16 && is_random(name, false)
            || name.len() >= 6 && at > start && name.iter().all(u8::is_ascii_alphanumeric) && is_random(name, true);
        at = next;
    }
    let slash = if bytes[start..].starts_with(b"\\") { 2 } else { 1 };
    is_secret.then_some((start + slash, at))
}

/// Returns the path segment after the slash at `at`, and where it ends.
fn segment(bytes: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let slash = match bytes[at..] {
        [b'/', ..] => 1,
        [b'\\', b'/', ..] => 2,
        _ => return None,
    };
    let length = bytes[at + slash..].iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"-_@".contains(byte)).count();
    Some((&bytes[at + slash..at + slash + length], at + slash + length))
}

/// Returns whether a URL always ends at this character, even inside a password.
fn ends_address(c: char) -> bool {
    c.is_whitespace() || c.is_control() || "\"`<>“”„‘’«»「」、。，；：（）".contains(c)
}

/// Returns the character before the scheme.
fn opening(before: &[u8]) -> Option<u8> {
    before.iter().rev().take(32).find(|byte| !byte.is_ascii_alphanumeric() && !b"+-.:".contains(byte)).copied()
}

fn is_delimiter(c: char) -> bool {
    ",;()'[]".contains(c)
}

/// Returns the position of the colon before the password, and skips the one in `${USER:-bob}`.
fn colon_outside_braces(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let colon = text.bytes().position(|byte| {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        byte == b':' && depth == 0
    });
    colon.or_else(|| text.find(':'))
}

/// Returns whether a port is here and something else follows it: `http://a:80,b@c`.
fn begins_with_port(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < text.len() && rest.starts_with(|c| is_delimiter(c) || "}|".contains(c))
}

/// Returns whether this is a pinned image whose tag looks like a password: `alpine:3.18@sha256:…`.
fn is_digest(host: &str) -> bool {
    ["sha256:", "sha384:", "sha512:"].iter().any(|name| host.starts_with(name))
}

/// Returns whether a text names a secret instead of being one.
pub(super) fn is_placeholder(text: &str) -> bool {
    let mut chars = text.chars();
    match chars.next() {
        None => true,
        Some('$') => is_variable(chars.as_str()),
        Some('{') => text.contains('}') || text.starts_with("{{"),
        Some('%') => is_format(text),
        Some('[') => text.starts_with("[redacted"),
        Some(_) => text.starts_with("**") || text.chars().all(|c| "*xX.…•".contains(c)),
    }
}

/// Returns whether this is the rest of a variable after its `$`: `${…}`, `$(…)`, `$NAME`, `$name`. Digits among
/// lower-case letters mean that it is a password with a dollar sign.
fn is_variable(rest: &str) -> bool {
    if rest.starts_with(['{', '(']) {
        return true;
    }
    let name = &rest[..rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())];
    let has = |class: fn(&char) -> bool| name.chars().any(|c| class(&c));
    let goes_on = rest.len() > name.len() && !rest[name.len()..].starts_with(['[', '$', ':', '-', '.']);
    let is_name = !has(char::is_ascii_digit) || !has(char::is_ascii_lowercase);
    is_name && !name.is_empty() && !goes_on
}

/// Returns whether this is `%NAME%` or a format placeholder (`%s`, `%(name)s`) rather than a percent-encoded
/// character.
fn is_format(text: &str) -> bool {
    let name = text.strip_prefix('%').and_then(|rest| rest.strip_suffix('%'));
    let is_name =
        |name: &str| name.starts_with(|c: char| !c.is_ascii_digit()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    name.is_some_and(is_name) || escape::length(text.as_bytes()) == 0
}
