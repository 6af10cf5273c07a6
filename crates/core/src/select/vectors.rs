//! The meaning of a text as a short vector, from a table of word pieces.
//!
//! The table has one vector per word piece; a text's vector is the mean of its pieces' vectors. It was distilled from
//! a sentence model (`scripts/train-vectors`), so words with similar meanings have similar vectors. It is embedded in
//! the program and used in place: nothing is decoded or copied at startup.
//!
//! Pieces are found as by the model's own tokenizer: text in lower case without accents, split at spaces and
//! punctuation, each word split greedily into the longest known pieces.

use std::collections::HashMap;

/// The number of dimensions of a vector.
pub(super) const DIMENSIONS: usize = 128;
/// Longer words are ignored.
const LONGEST_WORD: usize = 64;
/// Pieces beyond this many would hardly change the mean.
const MOST_PIECES: usize = 1_024;

/// Layout: `BVEC`, number of pieces, bytes of names (u32 each); then per piece its end in the names (u32); the names,
/// sorted; per piece a scale (f32) and `DIMENSIONS` signed bytes.
static TABLE: &[u8] = include_bytes!("vectors/table.bin");

/// The parts of the table.
struct Table {
    ends: &'static [u8],
    names: &'static [u8],
    rows: &'static [u8],
}

const ROW: usize = DIMENSIONS + 4;

impl Table {
    /// Returns the table's parts, or `None` if the file is malformed, which a test rules out.
    fn new() -> Option<Self> {
        let rest = TABLE.strip_prefix(b"BVEC")?;
        let (pieces, rest) = rest.split_first_chunk::<4>()?;
        let (bytes, rest) = rest.split_first_chunk::<4>()?;
        let pieces = u32::from_le_bytes(*pieces) as usize;
        let (ends, rest) = rest.split_at_checked(pieces * 4)?;
        let (names, rows) = rest.split_at_checked(u32::from_le_bytes(*bytes) as usize)?;
        (rows.len() == pieces * ROW).then_some(Self { ends, names, rows })
    }

    fn len(&self) -> usize {
        self.ends.len() / 4
    }

    fn end(&self, at: usize) -> usize {
        let bytes = &self.ends[at * 4..at * 4 + 4];
        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize
    }

    fn name(&self, at: usize) -> &'static [u8] {
        let start = if at == 0 { 0 } else { self.end(at - 1) };
        &self.names[start..self.end(at)]
    }

    /// Finds the row of a piece. Pieces inside a word are stored with the prefix `##`.
    fn find(&self, piece: &[u8], inside: bool) -> Option<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            let name = self.name(middle);
            let order = if inside { name.iter().cmp(b"##".iter().chain(piece)) } else { name.cmp(piece) };
            match order {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(middle),
            }
        }
        None
    }

    /// Splits a word into its pieces. A word with an unknown piece has none.
    fn pieces(&self, word: &[u8]) -> Vec<usize> {
        let mut rows = Vec::new();
        let mut start = 0;
        while start < word.len() && word.len() <= LONGEST_WORD {
            let longest = (start + 1..=word.len()).rev().find_map(|end| Some((self.find(&word[start..end], start > 0)?, end)));
            let Some((row, end)) = longest else { return Vec::new() };
            rows.push(row);
            start = end;
        }
        rows
    }

    fn add(&self, at: usize, sum: &mut [f32; DIMENSIONS]) {
        let row = &self.rows[at * ROW..(at + 1) * ROW];
        let scale = f32::from_le_bytes([row[0], row[1], row[2], row[3]]);
        for (total, byte) in sum.iter_mut().zip(&row[4..]) {
            *total += scale * f32::from(byte.cast_signed());
        }
    }
}

/// A vector as stored in the search file; only its direction matters.
pub(super) type Packed = [i8; DIMENSIONS];

/// Computes vectors of texts, and caches the pieces of words because documents repeat their words.
pub(super) struct Embedder {
    table: Option<Table>,
    seen: HashMap<String, Vec<usize>>,
}

impl Default for Embedder {
    fn default() -> Self {
        Self { table: Table::new(), seen: HashMap::new() }
    }
}

impl Embedder {
    /// Returns the vector of a text; all zeros if none of its pieces is known.
    pub(super) fn embed(&mut self, text: &str) -> Packed {
        let mut sum = [0f32; DIMENSIONS];
        let Some(table) = &self.table else { return pack(&sum) };
        let mut pieces = 0;
        let mut word = String::new();
        for c in text.chars().chain([' ']) {
            if c.is_alphanumeric() {
                word.extend(c.to_lowercase().filter_map(unaccented));
                continue;
            }
            if !word.is_empty() {
                if !self.seen.contains_key(&word) {
                    self.seen.insert(word.clone(), table.pieces(word.as_bytes()));
                }
                for row in &self.seen[&word] {
                    table.add(*row, &mut sum);
                    pieces += 1;
                }
                word.clear();
            }
            if pieces >= MOST_PIECES {
                break;
            }
        }
        pack(&sum)
    }
}

/// Strips the accent of a Latin letter, as far as the table needs it; drops combining marks.
fn unaccented(c: char) -> Option<char> {
    Some(match c {
        'à'..='å' => 'a',
        'ç' => 'c',
        'è'..='ë' => 'e',
        'ì'..='ï' => 'i',
        'ñ' => 'n',
        'ò'..='ö' => 'o',
        'ù'..='ü' => 'u',
        'ý' | 'ÿ' => 'y',
        '\u{300}'..='\u{36f}' => return None,
        other => other,
    })
}

fn pack(vector: &[f32; DIMENSIONS]) -> Packed {
    let mut packed = [0; DIMENSIONS];
    let largest = vector.iter().fold(0f32, |largest, x| largest.max(x.abs()));
    if largest > 0.0 {
        for (byte, x) in packed.iter_mut().zip(vector) {
            *byte = (x / largest * 127.0).round() as i8;
        }
    }
    packed
}

/// A vector to compare others with.
#[derive(Debug, Clone)]
pub(super) struct Sought {
    vector: Packed,
    square: i32,
}

impl Sought {
    pub(super) fn new(vector: Packed) -> Self {
        Self { square: vector.iter().map(|x| i32::from(*x) * i32::from(*x)).sum(), vector }
    }

    /// Returns the vector with length one; all zeros if it has no direction.
    pub(super) fn direction(&self) -> [f32; DIMENSIONS] {
        let length = (self.square as f32).sqrt().max(1.0);
        self.vector.map(|x| f32::from(x) / length)
    }

    /// Returns whether it has no direction.
    pub(super) fn is_nothing(&self) -> bool {
        self.square == 0
    }

    /// Returns the cosine to the bytes of another vector; 0 if either has no direction.
    ///
    /// Sums of integers do not depend on the order, so this is fast and gives the same result on every machine.
    pub(super) fn likeness(&self, other: &[u8]) -> f32 {
        let (mut dot, mut square) = (0i32, 0i32);
        for (x, y) in self.vector.iter().zip(other) {
            let (x, y) = (i16::from(*x), i16::from(y.cast_signed()));
            dot += i32::from(x * y);
            square += i32::from(y * y);
        }
        let norm = (self.square as f32 * square as f32).sqrt();
        if norm > 0.0 { dot as f32 / norm } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::{Embedder, Sought, Table};

    fn likeness(a: &str, b: &str) -> f32 {
        let mut embedder = Embedder::default();
        Sought::new(embedder.embed(a)).likeness(&embedder.embed(b).map(i8::cast_unsigned))
    }

    #[test]
    fn the_table_is_whole_and_sorted() {
        let table = Table::new().unwrap();
        assert!((1..table.len()).all(|at| table.name(at - 1) < table.name(at)));
        assert_eq!(table.end(table.len() - 1), table.names.len());
    }

    #[test]
    fn words_with_similar_meaning_have_similar_vectors() {
        assert!(likeness("fake the clock", "mock timers") > likeness("fake the clock", "database schema"));
        assert!(likeness("remove a user", "delete an account") > likeness("remove a user", "network latency"));
        assert!(likeness("résumé", "resume") > 0.99);
    }

    #[test]
    fn a_text_without_known_pieces_matches_nothing() {
        assert!(likeness("", "database").abs() < f32::EPSILON);
        assert!(likeness("設定", "…!").abs() < f32::EPSILON);
    }
}
