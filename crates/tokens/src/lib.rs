//! Counts tokens exactly, with a cache by content hash.
//!
//! Loading a vocabulary takes tens of milliseconds, so it happens only for the first text that is not in the cache.
//! Counting takes linear time for every input; a long run of one character is slow (a few MB/s).

mod cache;

use std::path::PathBuf;
use std::sync::OnceLock;

use briefing_core::Failure;
use briefing_core::tokens::TokenCounter;
use tiktoken::CoreBpe;

use cache::Cache;

/// The supported encodings. The first is the default.
pub const ENCODINGS: [&str; 2] = ["o200k_base", "cl100k_base"];

/// Counts tokens exactly and caches counts between runs. Threads can share it.
pub struct ExactCounter {
    encoding: &'static str,
    vocabulary: OnceLock<&'static CoreBpe>,
    cache: Cache,
}

impl ExactCounter {
    /// Makes a counter for one of [`ENCODINGS`]. Counts are stored in `cache_directory`, or only in memory if it is `None`.
    pub fn new(encoding: &str, cache_directory: Option<PathBuf>) -> Result<Self, Failure> {
        let Some(encoding) = ENCODINGS.into_iter().find(|known| *known == encoding) else {
            return Err(Failure::usage(format!("unknown encoding `{encoding}`")).hint(format!("use {}", ENCODINGS.join(" or "))));
        };
        let file = cache_directory.map(|directory| directory.join("brief").join(format!("tokens-{encoding}")));
        Ok(Self { encoding, vocabulary: OnceLock::new(), cache: Cache::open(file) })
    }

    /// Writes the new counts to the cache. Errors are ignored: without a cache, counting only takes longer.
    pub fn save(&self) {
        self.cache.save();
    }
}

impl std::fmt::Debug for ExactCounter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ExactCounter").field("encoding", &self.encoding).finish_non_exhaustive()
    }
}

impl TokenCounter for ExactCounter {
    fn count(&self, text: &str, hash: &blake3::Hash) -> u64 {
        self.cache.get_or_count(hash, || {
            let vocabulary = self.vocabulary.get_or_init(|| tiktoken::get_encoding(self.encoding).expect("its feature is enabled"));
            vocabulary.count(text) as u64
        })
    }

    fn encoding(&self) -> &str {
        self.encoding
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(counter: &ExactCounter, text: &str) -> u64 {
        counter.count(text, &blake3::hash(text.as_bytes()))
    }

    #[test]
    fn counts_do_not_drift() {
        let o200k = ExactCounter::new("o200k_base", None).unwrap();
        let cl100k = ExactCounter::new("cl100k_base", None).unwrap();
        // Fixed values: if they change, the vocabulary or the splitting has changed.
        assert_eq!(count(&o200k, "hello world"), 2);
        assert_eq!(count(&cl100k, "hello world"), 2);
        assert_eq!(count(&o200k, "antidisestablishmentarianism"), 6);
        assert_eq!(count(&cl100k, "antidisestablishmentarianism"), 6);
        assert_eq!(count(&o200k, ""), 0);
    }

    #[test]
    fn counts_survive_the_process_and_a_damaged_cache() {
        let directory = tempfile::tempdir().unwrap();
        let open = || ExactCounter::new("o200k_base", Some(directory.path().to_path_buf())).unwrap();
        let first = open();
        assert_eq!(count(&first, "hello world"), 2);
        first.save();
        let second = open();
        assert_eq!(count(&second, "hello world"), 2);
        assert!(second.vocabulary.get().is_none(), "a cached count needs no vocabulary");

        let file = directory.path().join("brief/tokens-o200k_base");
        let mut bytes = std::fs::read(&file).unwrap();
        bytes.truncate(bytes.len() - 3);
        std::fs::write(&file, &bytes).unwrap();
        let third = open();
        assert_eq!(count(&third, "hello world"), 2);
        third.save();
        let fourth = open();
        assert_eq!(count(&fourth, "hello world"), 2);
        assert!(fourth.vocabulary.get().is_none(), "the damaged end was cut off and written again");
    }

    #[test]
    fn an_unknown_encoding_is_wrong_usage() {
        assert!(ExactCounter::new("p50k", None).unwrap_err().is_usage());
    }
}
