//! Decoding bytes: what counts as text, and in which encoding.

use std::borrow::Cow;

/// Why bytes could not be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undecodable {
    Binary,
    NotUtf8 { offset: usize },
}

/// Decodes UTF-8 (a byte order mark is dropped) or UTF-16 with a byte order mark.
///
/// A NUL byte means binary. Other encodings are not guessed: a wrong guess would silently show wrong text to a model.
pub fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, Undecodable> {
    match bytes {
        [0xFF, 0xFE, 0, 0, ..] => Err(Undecodable::Binary),
        [0xFF, 0xFE, rest @ ..] => decode_utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => decode_utf16(rest, u16::from_be_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => decode_utf8(rest),
        _ => decode_utf8(bytes),
    }
}

fn decode_utf8(bytes: &[u8]) -> Result<Cow<'_, str>, Undecodable> {
    if memchr::memchr(0, bytes).is_some() {
        return Err(Undecodable::Binary);
    }
    match simdutf8::compat::from_utf8(bytes) {
        Ok(text) => Ok(Cow::Borrowed(text)),
        Err(error) => Err(Undecodable::NotUtf8 { offset: error.valid_up_to() }),
    }
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<Cow<'_, str>, Undecodable> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(Undecodable::NotUtf8 { offset: bytes.len() + 1 });
    }
    let mut text = String::with_capacity(bytes.len() / 2);
    let mut offset = 2;
    for decoded in char::decode_utf16(pairs.iter().map(|pair| unit(*pair))) {
        match decoded {
            Ok('\0') => return Err(Undecodable::Binary),
            Ok(c) => {
                offset += 2 * c.len_utf16();
                text.push(c);
            }
            Err(_) => return Err(Undecodable::NotUtf8 { offset }),
        }
    }
    Ok(Cow::Owned(text))
}

/// Returns the length of the longest run of `byte` in `bytes`. Used to choose delimiters that the content cannot
/// close.
pub fn longest_run(bytes: &[u8], byte: u8) -> usize {
    let mut longest = 0;
    let mut at = 0;
    while let Some(start) = memchr::memchr(byte, &bytes[at..]) {
        let start = at + start;
        let end = bytes[start..].iter().position(|b| *b != byte).map_or(bytes.len(), |length| start + length);
        longest = longest.max(end - start);
        at = end;
    }
    longest
}

/// Returns the longest prefix of `text` that has at most `bytes` bytes.
pub fn beginning(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf8_and_utf16_decode_without_their_mark() {
        assert_eq!(decode(b"plain").unwrap(), "plain");
        assert_eq!(decode(b"\xEF\xBB\xBFmarked").unwrap(), "marked");
        assert_eq!(decode(b"\xFF\xFEh\0i\0").unwrap(), "hi");
        assert_eq!(decode(b"\xFE\xFF\0h\0i").unwrap(), "hi");
        assert_eq!(decode("a literal \u{FFFD} stays".as_bytes()).unwrap(), "a literal \u{FFFD} stays");
    }

    #[test]
    fn binary_and_foreign_encodings_are_told_apart() {
        assert_eq!(decode(b"\x7FELF\0"), Err(Undecodable::Binary));
        assert_eq!(decode(b"caf\xe9"), Err(Undecodable::NotUtf8 { offset: 3 }));
        assert_eq!(decode(b"\xFF\xFE\x00\xD8"), Err(Undecodable::NotUtf8 { offset: 2 }));
        assert_eq!(decode(b"\xFF\xFEh"), Err(Undecodable::NotUtf8 { offset: 2 }));
    }

    #[test]
    fn a_beginning_never_ends_within_a_character() {
        assert_eq!(beginning("aäb", 2), "a");
        assert_eq!(beginning("aäb", 3), "aä");
        assert_eq!(beginning("aäb", 99), "aäb");
    }

    #[test]
    fn runs_are_measured_anywhere() {
        assert_eq!(longest_run(b"``a````", b'`'), 4);
        assert_eq!(longest_run(b"none", b'`'), 0);
    }
}
