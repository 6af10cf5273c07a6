//! Values that are assigned to the name of a secret: `DB_PASSWORD=…`, `"api_key": "…"`, `setToken('…')`.
//!
//! A name alone is no reason to redact: most of what is assigned to `token` in source code is code, and most of what is
//! assigned to `password` in documentation is a word. The value must be random.

use super::rules::Name;
use super::table::SERVICES;
use super::token::{is_random, is_uuid};
use super::{Found, assigned, escape, url};

const MAX_NAME: usize = 64;
const MAX_GAP: usize = 24;
const MAX_VALUE: usize = 512;
/// The fewest characters of a password, and of a key.
const PASSWORD: usize = 10;
const KEY: usize = 16;

/// Words before `key` that make it the name of a secret.
const KEY_WORDS: &[&str] = &[
    "api",
    "app",
    "access",
    "auth",
    "account",
    "master",
    "private",
    "preshared",
    "secret",
    "encrypt",
    "signing",
    "licen",
    "service",
    "client",
    "server",
    "write",
    "admin",
    "integration",
    "ingest",
    "deploy",
    "session",
    "security",
];
/// Words in a name that say that its value is public.
const PUBLIC_WORDS: &[&str] = &[
    "public",
    "page",
    "next",
    "continu",
    "cursor",
    "csrf",
    "etag",
    "fingerprint",
    "hash",
    "digest",
    "checksum",
    "sha",
    "commit",
    "image",
    "sort",
    "cache",
    "primary",
    "foreign",
    "tokeniz",
    "resource",
    "request",
    "trace",
    "example",
    "idempot",
    "publishable",
    "siteke",
    "nonce",
    "partition",
];

/// Returns the secret that is assigned to the name around `at..end`.
pub(super) fn value(text: &str, at: usize, end: usize, kind: &'static str, name: Name) -> Option<Found> {
    let bytes = text.as_bytes();
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let left = bytes[..at].iter().rev().take(MAX_NAME).take_while(is_part).count();
    let right = bytes[end..].iter().take(MAX_NAME).take_while(is_part).count();
    let name_end = end + right;
    let written = &bytes[at - left..name_end];
    if ["ecret_access_key", "ecretAccessKey", "ecret-access-key"].iter().any(|end| ends_with(written, end.as_bytes())) {
        let (start, end) = assigned::aws(bytes, name_end)?;
        return Some(Found { start, end, kind: "AWS secret key", is_certain: true });
    }
    let start = name_end + gap(&bytes[name_end..], written.starts_with(b"--"))?;
    // Most names are followed by code. Everything above is cheaper than what follows.
    let whole = text.get(at - left..name_end)?.to_ascii_lowercase();
    let service = SERVICES.iter().find(|(word, _)| whole.contains(word));
    let is_public = PUBLIC_WORDS.iter().any(|word| whole.contains(word));
    let is_plain_key = kind == "key" && service.is_none() && !KEY_WORDS.iter().any(|word| whole.contains(word));
    if is_public || is_plain_key {
        return None;
    }
    let (start, end) = literal(text, start)?;
    let value = &text[start..end];
    if url::is_placeholder(value) || !(is_secret(value, name) || service.is_some() && is_uuid(value.as_bytes())) {
        return None;
    }
    Some(Found { start, end, kind: service.map_or(kind, |(_, kind)| *kind), is_certain: false })
}

fn ends_with(name: &[u8], end: &[u8]) -> bool {
    name.len() >= end.len() && name[name.len() - end.len()..].eq_ignore_ascii_case(end)
}

/// Returns the length of what leads from a name to its value: quotes, blanks, and exactly one assignment. The value of an
/// option (`--token …`) needs only a blank.
fn gap(bytes: &[u8], is_option: bool) -> Option<usize> {
    let (mut at, mut signs, mut is_after_colon) = (0, 0, false);
    while at < MAX_GAP {
        let rest = &bytes[at..];
        let step = match rest {
            [b' ' | b'\t' | b'"' | b'\'' | b'`' | b']' | b'[' | b'*', ..] => 1,
            [b'\\', ..] => escape::length(rest).max(1),
            // The type of a variable: `token: &str = "…"`.
            [b'&' | b'a'..=b'z' | b'A'..=b'Z', ..] if is_after_colon => match type_length(rest) {
                Some(length) => length,
                None => break,
            },
            _ => {
                let length = match rest {
                    [b':' | b'?', b'=', ..] | [b'=', b'>', ..] => 2,
                    [b'=' | b':' | b',' | b'(' | b'>', ..] => 1,
                    [b'%', b'3', b'D' | b'd', ..] => 3,
                    _ => break,
                };
                is_after_colon = rest[0] == b':';
                signs += 1;
                length
            }
        };
        at += step;
    }
    let is_assigned = (1..=3).contains(&signs) || is_option && at > 0;
    (is_assigned && at > 0).then_some(at)
}

/// Returns the length of a type before `=`.
fn type_length(bytes: &[u8]) -> Option<usize> {
    let length = bytes.iter().take(16).take_while(|byte| byte.is_ascii_alphabetic() || b"&'<>?".contains(byte)).count();
    let blanks = bytes[length..].iter().take_while(|byte| **byte == b' ').count();
    (bytes.get(length + blanks) == Some(&b'=')).then_some(length)
}

/// Returns the range of the value at `start`: up to the closing quote, or to the end of a word.
fn literal(text: &str, start: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let quote = bytes[..start].last().copied().filter(|byte| b"\"'`".contains(byte));
    let ends = |byte: &u8| match quote {
        Some(quote) => *byte == quote || b"\r\n\\".contains(byte),
        None => byte.is_ascii_whitespace() || byte.is_ascii_control() || b",;\"'`<>()[]{}&|\\".contains(byte),
    };
    let length = bytes[start..].iter().take(MAX_VALUE).position(ends).unwrap_or_else(|| (bytes.len() - start).min(MAX_VALUE));
    let end = start + length;
    // What is called, indexed or continued is code; what ends in a full stop is a sentence.
    let is_code = quote.is_none() && bytes.get(end).is_some_and(|byte| b"([".contains(byte));
    let end = start + text.get(start..end)?.trim_end_matches(['.', ':']).len();
    (!is_code && end > start).then_some((start, end))
}

/// Returns whether a value was made by a generator rather than by a person who wrote an example.
fn is_secret(value: &str, name: Name) -> bool {
    let bytes = value.as_bytes();
    let least = if name == Name::Password { PASSWORD } else { KEY };
    let has = |class: fn(&u8) -> bool| bytes.iter().any(class);
    let has_blank = bytes.iter().any(|byte| *byte == b' ' || !byte.is_ascii());
    if bytes.len() < least || has_blank || !is_random(bytes, true) || !mixes(bytes) || !has(u8::is_ascii_alphabetic) || is_uuid(bytes) {
        return false;
    }
    let is_expression = ["://", "${", "{{", "$(", "<%", "%(", "()", "::", "->", "=="].iter().any(|sign| value.contains(sign));
    let looks_like_path = value.starts_with(['/', '.', '~', '@']) || memchr::memchr_iter(b'/', bytes).count() > bytes.len() / 8 + 1;
    if is_expression || looks_like_path || has_words(value) {
        return false;
    }
    let classes = [has(u8::is_ascii_uppercase), has(u8::is_ascii_lowercase), has(u8::is_ascii_digit), has(u8::is_ascii_punctuation)];
    let classes = classes.iter().filter(|class| **class).count();
    bytes.len() >= KEY || classes >= 3
}

/// Returns whether the kinds of characters alternate as often as in random text. In words, and in words with a number at their
/// end, they do not.
fn mixes(bytes: &[u8]) -> bool {
    let class = |byte: u8| (byte.is_ascii_uppercase(), byte.is_ascii_lowercase(), byte.is_ascii_digit());
    let is_pair = |pair: &&[u8]| pair.iter().all(u8::is_ascii_alphanumeric);
    let pairs = bytes.windows(2).filter(is_pair).count();
    let changes = bytes.windows(2).filter(is_pair).filter(|pair| class(pair[0]) != class(pair[1])).count();
    let longest_word = bytes.split(|byte| !byte.is_ascii_lowercase()).map(<[u8]>::len).max().unwrap_or(0);
    pairs >= 6 && changes * 4 >= pairs && longest_word < 9
}

/// Returns whether a value contains a word that people write in examples, also with digits for letters.
fn has_words(value: &str) -> bool {
    const WORDS: &[&str] = &[
        "password",
        "passwd",
        "secret",
        "changeme",
        "example",
        "sample",
        "dummy",
        "placeholder",
        "your",
        "admin",
        "qwert",
        "letmein",
        "default",
        "token",
        "insert",
        "replace",
        "redacted",
        "xxxx",
        "1234",
        "abcd",
        "test",
        "fake",
        "mysql",
        "postgres",
        "hunter",
        "correct",
        "value",
        "key",
        "string",
        "todo",
        "0000",
        "aaaa",
        "user",
        "demo",
        "here",
        "name",
    ];
    let plain: String = value
        .chars()
        .map(|c| match c.to_ascii_lowercase() {
            '@' => 'a',
            '$' => 's',
            c => c,
        })
        .collect();
    let letters: String = plain
        .chars()
        .map(|c| match c {
            '0' => 'o',
            '1' => 'i',
            '3' => 'e',
            '4' => 'a',
            '5' => 's',
            c => c,
        })
        .collect();
    // In long random text, a short word may occur by chance.
    let counts = |word: &&&str| word.len() > 4 || value.len() < 24;
    WORDS.iter().filter(counts).any(|word| plain.contains(word) || letters.contains(word))
}
