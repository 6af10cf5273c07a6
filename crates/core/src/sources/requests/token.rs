//! Here-doc tokens that the content cannot close.

use std::fmt::Write as _;

/// Returns `base`, or `base-1`, `base-2`, … for the first whose markers do not occur in `content`.
pub fn build_here_doc_token(content: &str, base: &str) -> String {
    let occurs = |token: &str| content.contains(&format!("--begin-{token}--")) || content.contains(&format!("--end-{token}--"));
    let mut token = base.to_owned();
    let mut number = 0;
    while occurs(&token) {
        number += 1;
        token = format!("{base}-{number}");
    }
    token
}

/// Returns `context-` and a UUID derived from the content: the same file gives the same bytes in every run.
///
/// It has version 8, which is reserved for custom formats.
pub(super) fn content_base(content: &str) -> String {
    let hash = blake3::hash(content.as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.as_bytes()[..16]);
    bytes[6] = 0x80 | (bytes[6] & 0x0F);
    bytes[8] = 0x80 | (bytes[8] & 0x3F);
    let mut base = String::from("context-");
    for (at, byte) in bytes.iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            base.push('-');
        }
        let _ = write!(base, "{byte:02x}");
    }
    base
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_count_up_from_the_same_base_while_they_collide() {
        assert_eq!(build_here_doc_token("nothing", "t"), "t");
        assert_eq!(build_here_doc_token("x --end-t-- y", "t"), "t-1");
        assert_eq!(build_here_doc_token("--begin-t--\n--end-t-1--\n--begin-t-2--", "t"), "t-3");
    }

    #[test]
    fn the_base_is_a_uuid_of_the_content() {
        let base = content_base("hello");
        assert_eq!(base, content_base("hello"));
        assert_ne!(base, content_base("hello "));
        let parts: Vec<_> = base.strip_prefix("context-").unwrap().split('-').map(str::len).collect();
        assert_eq!(parts, [8, 4, 4, 4, 12]);
        assert_eq!(&base[22..23], "8");
    }
}
