//! Escapes in strings, URLs and terminal output, which put letters and digits directly next to a secret.

/// Returns the length of the escape at the beginning of `bytes` (`%3D`, `\u0022`, `\x22`, `\042`, `\n`), or zero.
pub(super) fn length(bytes: &[u8]) -> usize {
    let all_hex = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
    match bytes {
        [b'%', digits @ ..] if digits.len() >= 2 && all_hex(&digits[..2]) => 3,
        [b'\\', b'u', digits @ ..] if digits.len() >= 4 && all_hex(&digits[..4]) => 6,
        [b'\\', b'x', digits @ ..] if digits.len() >= 2 && all_hex(&digits[..2]) => 4,
        [b'\\', b'0'..=b'3', b'0'..=b'7', b'0'..=b'7', ..] => 4,
        [b'\\', letter, ..] if b"nrtbfv0\"'\\/".contains(letter) => 2,
        _ => 0,
    }
}

/// Returns whether `bytes` end in an escape or in a terminal colour: `ESC[32m`.
pub(super) fn ends(bytes: &[u8]) -> bool {
    let is_escape = |long: usize| bytes.len() >= long && length(&bytes[bytes.len() - long..]) == long;
    [2, 3, 4, 6].into_iter().any(is_escape) || ends_in_colour(bytes)
}

/// Returns where the text after an escape begins, if the escape began just before `start` and the text goes on until `end`.
pub(super) fn end(bytes: &[u8], start: usize, end: usize) -> Option<usize> {
    let length = length(&bytes[start - 1..]);
    if length > 0 {
        return Some(start - 1 + length);
    }
    // A colour: `[32m`, `;31m`.
    let digits = bytes[start..end].iter().take_while(|byte| byte.is_ascii_digit()).count();
    bytes[start + digits..end].first().filter(|byte| b"mK".contains(byte)).map(|_| start + digits + 1)
}

fn ends_in_colour(bytes: &[u8]) -> bool {
    let Some((b'm' | b'K', rest)) = bytes.split_last() else { return false };
    let digits = rest.iter().rev().take(24).take_while(|byte| byte.is_ascii_digit() || **byte == b';').count();
    rest[..rest.len() - digits].ends_with(b"[")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_distinguished_from_letters() {
        for text in ["%3D", "a\\u0022", "\\x22", "\\033", "x\\n", "\u{1b}[32m", "\\033[1;31m", "\u{1b}[K"] {
            assert!(ends(text.as_bytes()), "{text}");
        }
        for text in ["", "a", "%3", "3D", "u0022", "\\q", "m", "32m", "a[i]m"] {
            assert!(!ends(text.as_bytes()), "{text}");
        }
    }
}
