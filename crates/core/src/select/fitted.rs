//! The fitted numbers of abstention, in a small file that is embedded in the program.
//!
//! `examples/select_tune` writes it (`docs/selection.md` has the command). Layout, little-endian: `BABS`; number of
//! words and of trees (u32 each); per word its hash (u32) and a weight per kind (i16, in 1/4096); per kind a constant
//! and the weights of the vector (f32); the needed confidence and the constant of the trees (f32); per tree its splits
//! (feature u8, bound f32 each) and its leaves (f32 each).

use super::abstain::FEATURES;
use super::kinds::KINDS;
use super::vectors::DIMENSIONS;

static FILE: &[u8] = include_bytes!("fitted.bin");

/// The splits of a tree: one, then two, then four.
pub const SPLITS: usize = 7;
/// The parts of one in which the weights of words are stored.
const PARTS: f32 = 4096.0;

/// What abstention was fitted to.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// The weight of words and pairs of words for each kind, sorted by hash.
    pub words: Vec<(u32, [f32; KINDS])>,
    /// The constant of each kind.
    pub constants: [f32; KINDS],
    /// The weights of the message's vector for each kind.
    pub vector: [[f32; DIMENSIONS]; KINDS],
    /// The confidence that is needed to choose anything.
    pub needed: f32,
    /// The constant of the trees' sum.
    pub base: f32,
    /// The trees, whose sum is the logarithm of the odds that a document is wanted.
    pub trees: Vec<Tree>,
}

/// A decision tree of three levels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tree {
    /// A feature and its bound; what is above goes to the right. Node `n` has the children `2n + 1` and `2n + 2`.
    pub splits: [(u8, f32); SPLITS],
    /// The values of the leaves.
    pub leaves: [f32; SPLITS + 1],
}

impl Tree {
    /// Returns the value for some features.
    pub fn value(&self, features: &[f32]) -> f32 {
        let mut node = 0;
        while node < SPLITS {
            let (feature, bound) = self.splits[node];
            node = 2 * node + 1 + usize::from(features[usize::from(feature)] > bound);
        }
        self.leaves[node - SPLITS]
    }
}

impl Default for Fitted {
    fn default() -> Self {
        Self::decode(FILE).unwrap_or_else(Self::silent)
    }
}

impl Fitted {
    /// Returns numbers with which nothing is ever chosen.
    fn silent() -> Self {
        Self { words: Vec::new(), constants: [0.0; KINDS], vector: [[0.0; DIMENSIONS]; KINDS], needed: 1.0, base: -20.0, trees: Vec::new() }
    }

    /// Returns the sum of the trees.
    pub fn log_odds(&self, features: &[f32]) -> f32 {
        self.trees.iter().fold(self.base, |sum, tree| sum + tree.value(features))
    }

    /// Returns the bytes of the file.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = b"BABS".to_vec();
        bytes.extend((self.words.len() as u32).to_le_bytes());
        bytes.extend((self.trees.len() as u32).to_le_bytes());
        for (hash, weights) in &self.words {
            bytes.extend(hash.to_le_bytes());
            bytes.extend(weights.iter().flat_map(|weight| ((weight * PARTS).round() as i16).to_le_bytes()));
        }
        for (constant, vector) in self.constants.iter().zip(&self.vector) {
            bytes.extend(std::iter::once(constant).chain(vector).flat_map(|x| x.to_le_bytes()));
        }
        bytes.extend([self.needed, self.base].iter().flat_map(|x| x.to_le_bytes()));
        for tree in &self.trees {
            bytes.extend(tree.splits.iter().flat_map(|(feature, bound)| std::iter::once(*feature).chain(bound.to_le_bytes())));
            bytes.extend(tree.leaves.iter().flat_map(|x| x.to_le_bytes()));
        }
        bytes
    }

    /// Reads the bytes of the file; `None` if they are malformed.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut rest = Rest(bytes.strip_prefix(b"BABS")?);
        let (words, trees) = (u32::from_le_bytes(rest.next()?), u32::from_le_bytes(rest.next()?));
        let mut fitted = Self::silent();
        for _ in 0..words {
            let hash = u32::from_le_bytes(rest.next()?);
            let mut weights = [0.0; KINDS];
            for weight in &mut weights {
                *weight = f32::from(i16::from_le_bytes(rest.next()?)) / PARTS;
            }
            fitted.words.push((hash, weights));
        }
        for (constant, vector) in fitted.constants.iter_mut().zip(&mut fitted.vector) {
            *constant = rest.number()?;
            for x in vector {
                *x = rest.number()?;
            }
        }
        (fitted.needed, fitted.base) = (rest.number()?, rest.number()?);
        for _ in 0..trees {
            let mut tree = Tree { splits: [(0, 0.0); SPLITS], leaves: [0.0; SPLITS + 1] };
            for split in &mut tree.splits {
                let [feature] = rest.next::<1>()?;
                if usize::from(feature) >= FEATURES.len() {
                    return None;
                }
                *split = (feature, rest.number()?);
            }
            for leaf in &mut tree.leaves {
                *leaf = rest.number()?;
            }
            fitted.trees.push(tree);
        }
        rest.0.is_empty().then_some(fitted)
    }
}

struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    fn next<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*first)
    }

    fn number(&mut self) -> Option<f32> {
        self.next().map(f32::from_le_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::{FILE, Fitted};

    #[test]
    fn the_file_is_whole_and_sorted() {
        let fitted = Fitted::decode(FILE).unwrap();
        assert!(fitted.words.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(!fitted.trees.is_empty() && (0.0..1.0).contains(&fitted.needed));
        assert_eq!(fitted.encode(), FILE);
    }

    #[test]
    fn a_damaged_file_is_refused() {
        assert!(Fitted::decode(b"").is_none() && Fitted::decode(&FILE[..FILE.len() - 1]).is_none());
        assert!(Fitted::decode(&[FILE, b"x"].concat()).is_none());
    }
}
