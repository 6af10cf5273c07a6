//! Recognises what kind of message it is, independent of the project: talk, a question about something else, an order
//! about the code at hand, or one for which documents are useful.
//!
//! "Rename this variable" and "what's for dinner" share words with some document in any project, but do not ask for
//! one. A linear function over the message's words, pairs of words and vector recognises most of them. It is fitted on
//! messages of many projects and on some of our own (`examples/select_tune`).

use super::fitted::Fitted;
use super::phrasing::tokens;
use super::vectors::{DIMENSIONS, Embedder, Sought};

/// The kinds of messages that need no document: talk, something else, an order about the code at hand.
pub const KINDS: usize = 3;
/// What one dimension of the vector weighs, relative to a word.
const VECTOR: f32 = 4.0;

/// What is looked at in order to tell the kind of a message.
#[derive(Debug, Clone, PartialEq)]
pub struct Features {
    /// The hashes of its words and pairs of words, sorted, each once.
    pub words: Vec<u32>,
    /// The direction of its vector, scaled.
    pub vector: [f32; DIMENSIONS],
}

impl Features {
    /// Returns the features of a message.
    pub fn of(message: &str) -> Self {
        Self::new(&tokens(message), &Sought::new(Embedder::default().embed(message)))
    }

    pub(super) fn new(tokens: &[String], sought: &Sought) -> Self {
        let pairs = tokens.windows(2).map(|pair| hash(&[&pair[0], &pair[1]]));
        let mut words: Vec<u32> = tokens.iter().map(|token| hash(&[token])).chain(pairs).collect();
        words.sort_unstable();
        words.dedup();
        Self { words, vector: sought.direction().map(|x| x * VECTOR) }
    }

    /// Returns how much the message looks like each kind that needs no document, relative to one that needs some.
    pub fn kinds(&self, fitted: &Fitted) -> [f32; KINDS] {
        let mut sums = fitted.constants;
        for word in &self.words {
            if let Ok(at) = fitted.words.binary_search_by_key(word, |(hash, _)| *hash) {
                for (sum, weight) in sums.iter_mut().zip(fitted.words[at].1) {
                    *sum += weight;
                }
            }
        }
        for (sum, weights) in sums.iter_mut().zip(&fitted.vector) {
            *sum += self.vector.iter().zip(weights).map(|(x, weight)| x * weight).sum::<f32>();
        }
        sums
    }
}

/// FNV-1a over the words, with a space between them.
fn hash(words: &[&str]) -> u32 {
    let bytes = words.iter().flat_map(|word| word.bytes().chain([b' ']));
    bytes.fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
