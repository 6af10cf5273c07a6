//! The search file's header, and the map of what follows it.
//!
//! ```text
//! header       magic, versions, fingerprint, counts, lengths, section offsets, checksum      fixed size
//! documents    field lengths and first passage of each document                              20 bytes each
//! passages     length in terms                                                                2 bytes each
//! records      where a document's names stand; where a passage's text and heading stand       12 / 16 bytes each
//! buckets      first dictionary entry of each bucket of term hashes                           4 bytes each
//! dictionary   term hash, postings offset and length, numbers of documents and passages       28 bytes each
//! postings     per term: documents, counts per field, counts per passage                     variable
//! names        ids, paths, titles, headings                                                  variable
//! vectors      one per document, then one per passage                                        DIMENSIONS bytes each
//! ```
//!
//! A query reads the header, both length tables, two small ranges per term, and the names and vectors of the
//! documents it considers. Terms are found by hash, so no lookup walks strings; two terms of equal 64-bit hash would
//! be counted as one, which costs a wrong rank and nothing else.

use super::SearchFileError;
use super::codec::Cursor;

const MAGIC: &[u8; 8] = b"BRIEFSRC";
/// Counted up whenever bytes or analysis change: older files are rebuilt, not converted.
const VERSION: u32 = 1;
/// Number of sections whose offsets the header holds.
const SECTIONS: usize = 10;

/// Identifies a set of documents: a search file is valid for exactly one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// Computes the fingerprint of documents given by id and content hash, in any order.
    pub fn of<'a>(documents: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut pairs: Vec<(&str, &str)> = documents.into_iter().collect();
        pairs.sort_unstable();
        let mut hasher = blake3::Hasher::new();
        hasher.update(&VERSION.to_le_bytes());
        for (id, hash) in pairs {
            for text in [id, hash] {
                hasher.update(&(text.len() as u64).to_le_bytes());
                hasher.update(text.as_bytes());
            }
        }
        Self(*hasher.finalize().as_bytes())
    }
}

/// Hashes a term for the dictionary.
pub(super) fn term_hash(term: &str) -> u64 {
    let digest = blake3::hash(term.as_bytes());
    let mut first = [0; 8];
    first.copy_from_slice(&digest.as_bytes()[..8]);
    u64::from_le_bytes(first)
}

/// The parts of the file behind the header.
#[derive(Debug, Clone, Copy)]
#[repr(usize)]
pub(super) enum Part {
    Documents,
    PassageLengths,
    DocumentRecords,
    PassageRecords,
    Buckets,
    Dictionary,
    Postings,
    Names,
    DocumentVectors,
    PassageVectors,
}

pub(super) const DOCUMENT_BYTES: u64 = 20;
pub(super) const PASSAGE_LENGTH_BYTES: u64 = 2;
pub(super) const DOCUMENT_RECORD_BYTES: u64 = 12;
pub(super) const PASSAGE_RECORD_BYTES: u64 = 16;
pub(super) const BUCKET_BYTES: u64 = 4;
pub(super) const ENTRY_BYTES: u64 = 28;
/// Magic, version, fingerprint, four counts, seven lengths, offsets with the end, checksum.
pub(super) const HEADER_BYTES: usize = 8 + 4 + 32 + 4 * 4 + 7 * 8 + (SECTIONS + 1) * 8 + 8;

/// The decoded header.
#[derive(Debug, Clone)]
pub(super) struct Header {
    pub(super) fingerprint: Fingerprint,
    pub(super) documents: u32,
    pub(super) passages: u32,
    pub(super) terms: u32,
    pub(super) bucket_bits: u32,
    /// Sum of each field's length over all documents.
    pub(super) field_lengths: [u64; 6],
    /// Sum of the passages' lengths.
    pub(super) passage_length: u64,
    /// Where each part starts, and where the last one ends.
    pub(super) offsets: [u64; SECTIONS + 1],
}

impl Header {
    /// Places parts of the given sizes one after the other behind the header.
    pub(super) fn place(&mut self, sizes: [u64; SECTIONS]) {
        let mut at = HEADER_BYTES as u64;
        for (offset, size) in self.offsets.iter_mut().zip(sizes) {
            *offset = at;
            at += size;
        }
        self.offsets[SECTIONS] = at;
    }

    pub(super) fn start(&self, part: Part) -> u64 {
        self.offsets[part as usize]
    }

    pub(super) fn size(&self, part: Part) -> u64 {
        self.offsets[part as usize + 1] - self.offsets[part as usize]
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(HEADER_BYTES);
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&self.fingerprint.0);
        for count in [self.documents, self.passages, self.terms, self.bucket_bits] {
            out.extend_from_slice(&count.to_le_bytes());
        }
        for number in self.field_lengths.iter().chain([&self.passage_length]).chain(&self.offsets) {
            out.extend_from_slice(&number.to_le_bytes());
        }
        let checksum = checksum(&out);
        out.extend_from_slice(&checksum);
        out
    }

    /// Reads a header and checks that it describes a file of `len` bytes.
    pub(super) fn decode(bytes: &[u8], len: u64) -> Result<Self, SearchFileError> {
        if !bytes.starts_with(MAGIC) {
            return Err(SearchFileError::Foreign);
        }
        let mut cursor = Cursor::new(&bytes[MAGIC.len()..]);
        let version = cursor.u32()?;
        if version != VERSION {
            return Err(SearchFileError::Version { found: version, known: VERSION });
        }
        let mut fingerprint = [0; 32];
        fingerprint.copy_from_slice(cursor.take(32)?);
        let [documents, passages, terms, bucket_bits] = [cursor.u32()?, cursor.u32()?, cursor.u32()?, cursor.u32()?];
        let mut field_lengths = [0; 6];
        for length in &mut field_lengths {
            *length = cursor.u64()?;
        }
        let passage_length = cursor.u64()?;
        let mut offsets = [0; SECTIONS + 1];
        for offset in &mut offsets {
            *offset = cursor.u64()?;
        }
        let body = bytes.len() - 8;
        if cursor.take(8)? != checksum(&bytes[..body]) {
            return Err(SearchFileError::Corrupt("the header's checksum differs"));
        }
        let header =
            Self { fingerprint: Fingerprint(fingerprint), documents, passages, terms, bucket_bits, field_lengths, passage_length, offsets };
        header.check(len)?;
        Ok(header)
    }

    fn check(&self, len: u64) -> Result<(), SearchFileError> {
        let ordered = self.offsets.windows(2).all(|pair| pair[0] <= pair[1]);
        if !ordered || self.offsets[0] != HEADER_BYTES as u64 || self.offsets[SECTIONS] != len || self.bucket_bits > 31 {
            return Err(SearchFileError::Corrupt("the parts do not fill the file"));
        }
        let expected = [
            (Part::Documents, u64::from(self.documents) * DOCUMENT_BYTES),
            (Part::PassageLengths, u64::from(self.passages) * PASSAGE_LENGTH_BYTES),
            (Part::DocumentRecords, u64::from(self.documents) * DOCUMENT_RECORD_BYTES),
            (Part::PassageRecords, u64::from(self.passages) * PASSAGE_RECORD_BYTES),
            (Part::Buckets, ((1 << self.bucket_bits) + 1) * BUCKET_BYTES),
            (Part::Dictionary, u64::from(self.terms) * ENTRY_BYTES),
        ];
        if expected.iter().any(|(part, size)| self.size(*part) != *size) {
            return Err(SearchFileError::Corrupt("a part has the wrong size"));
        }
        Ok(())
    }
}

fn checksum(bytes: &[u8]) -> [u8; 8] {
    let mut first = [0; 8];
    first.copy_from_slice(&blake3::hash(bytes).as_bytes()[..8]);
    first
}
