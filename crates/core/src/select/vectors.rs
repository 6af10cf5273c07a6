//! Meaning of a text as a short vector, from a table of word pieces.
//!
//! The table holds one vector per word piece; a text's vector is the mean of its pieces' vectors. It was distilled from
//! a sentence model (`scripts/train-vectors`), so words that people use for the same thing lie near each other. It is
//! part of the program and used where it lies: nothing is decoded or copied at the start.
//!
//! The pieces are found as the model's own tokenizer finds them: text in lower case without accents, split at spaces
//! and punctuation, each word cut greedily into the longest known pieces.

/// Numbers per vector.
pub(super) const DIMENSIONS: usize = 128;
/// Longer words have no meaning here.
const LONGEST_WORD: usize = 64;
/// Pieces beyond this many add nothing to the mean.
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
    /// Returns the table's parts; `None` if the file was built wrongly, which a test rules out.
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

    /// Finds the row of a piece; one inside a word is named with `##` in front.
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

    fn add(&self, at: usize, sum: &mut [f32; DIMENSIONS]) {
        let row = &self.rows[at * ROW..(at + 1) * ROW];
        let scale = f32::from_le_bytes([row[0], row[1], row[2], row[3]]);
        for (total, byte) in sum.iter_mut().zip(&row[4..]) {
            *total += scale * f32::from(byte.cast_signed());
        }
    }
}

/// Returns the vector of a text; `None` if no piece of it is known.
pub(super) fn embed(text: &str) -> Option<[f32; DIMENSIONS]> {
    let table = Table::new()?;
    let mut sum = [0f32; DIMENSIONS];
    let mut pieces = 0;
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase().filter_map(unaccented));
            continue;
        }
        if !word.is_empty() {
            pieces += add_word(&table, word.as_bytes(), &mut sum);
            word.clear();
        }
        if pieces >= MOST_PIECES {
            break;
        }
    }
    (pieces > 0).then_some(sum)
}

/// Adds the pieces of a word and returns how many there are; a word with an unknown piece has none.
fn add_word(table: &Table, word: &[u8], sum: &mut [f32; DIMENSIONS]) -> usize {
    if word.len() > LONGEST_WORD {
        return 0;
    }
    let mut rows = [0usize; LONGEST_WORD];
    let (mut count, mut start) = (0, 0);
    while start < word.len() {
        let longest = (start + 1..=word.len()).rev().find_map(|end| Some((table.find(&word[start..end], start > 0)?, end)));
        let Some((row, end)) = longest else { return 0 };
        rows[count] = row;
        count += 1;
        start = end;
    }
    for row in &rows[..count] {
        table.add(*row, sum);
    }
    count
}

/// Strips the accent of a Latin letter, as far as the table's pieces go; drops combining marks.
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

/// Packs a vector into bytes; only its direction is kept.
pub(super) fn pack(vector: Option<&[f32; DIMENSIONS]>) -> [i8; DIMENSIONS] {
    let mut packed = [0; DIMENSIONS];
    let Some(vector) = vector else { return packed };
    let largest = vector.iter().fold(0f32, |largest, x| largest.max(x.abs()));
    if largest > 0.0 {
        for (byte, x) in packed.iter_mut().zip(vector) {
            *byte = (x / largest * 127.0).round() as i8;
        }
    }
    packed
}

/// Returns the cosine between a vector and a packed one; 0 where either says nothing.
pub(super) fn cosine(vector: &[f32; DIMENSIONS], packed: &[u8]) -> f32 {
    let (mut dot, mut own, mut other) = (0f32, 0f32, 0f32);
    for (x, byte) in vector.iter().zip(packed) {
        let y = f32::from(byte.cast_signed());
        dot += x * y;
        own += x * x;
        other += y * y;
    }
    let norm = (own * other).sqrt();
    if norm > 0.0 { dot / norm } else { 0.0 }
}
