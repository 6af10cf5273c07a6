//! Token counts: cheap estimates, and the trait for an exact counter.
//!
//! Loading an exact vocabulary takes tens of milliseconds, so the core never does it. The estimates differ on purpose:
//! each spec defines its own.

/// Counts tokens exactly. Implemented outside the core, in the crate that has the vocabulary.
pub trait TokenCounter: Sync {
    /// Returns the number of tokens in `text`, whose BLAKE3 hash is `hash` (a key for caches).
    fn count(&self, text: &str, hash: &blake3::Hash) -> u64;

    /// Returns the name of the encoding, as shown to users.
    fn encoding(&self) -> &str;
}

/// Estimates tokens from bytes, where no exact number is needed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Estimate;

impl TokenCounter for Estimate {
    fn count(&self, text: &str, _: &blake3::Hash) -> u64 {
        estimate_bytes(text.len())
    }

    fn encoding(&self) -> &'static str {
        "bytes"
    }
}

/// Estimates tokens as UTF-16 units / 4, rounded up (spec 1).
pub fn estimate_utf16(text: &str) -> u64 {
    let units = if text.is_ascii() { text.len() } else { text.encode_utf16().count() };
    (units as u64).div_ceil(4)
}

/// Estimates tokens as bytes / 4, rounded up (spec 2 and everywhere else).
pub fn estimate_bytes(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_round_up_and_count_their_own_unit() {
        assert_eq!(estimate_utf16(""), 0);
        assert_eq!(estimate_utf16("abcde"), 2);
        assert_eq!(estimate_utf16("😀😀"), 1, "two surrogate pairs are four units");
        assert_eq!(estimate_bytes("😀😀".len()), 2);
    }
}
