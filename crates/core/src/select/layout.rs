//! The search file's trailer, and the map of the parts before it.
//!
//! ```text
//! documents    field lengths and first passage of each document                              20 bytes each
//! passages     length in terms                                                                2 bytes each
//! records      position of a document's names; positions of a passage's text and heading      12 / 16 bytes each
//! names        headings of a document's passages, then its id, path and title                 variable
//! vectors      one per document, then one per passage                                        DIMENSIONS bytes each
//! keys         key of each document: hash of its id and content                               16 bytes each
//! postings     per term: documents, counts per field, counts per passage                     variable
//! buckets      first dictionary entry of each bucket of term hashes                           4 bytes each
//! dictionary   term hash, postings offset and length, numbers of documents and passages       28 bytes each
//! trailer      magic, version, fingerprint, counts, lengths, where each part starts            fixed size
//! ```
//!
//! Documents are stored in the order of their ids, so that files can be merged in one pass. Everything is stored in
//! blocks with checksums (`packed::blocks`).
//!
//! A query reads the trailer, both length tables, two small ranges per term, and the names and vectors of the
//! documents it considers. Terms are looked up by hash, without comparing strings. Two terms with the same 64-bit hash
//! would be counted as one, which could only change the ranking.

use super::SearchFileError;
use super::document::FIELDS;
use super::vectors::DIMENSIONS;
use crate::packed::blocks::short_hash;
use crate::packed::codec::Cursor;

const MAGIC: &[u8; 8] = b"BRIEFSRC";
/// Increased whenever the format or the analysis changes: older files are rebuilt, not converted.
const VERSION: u32 = 4;
/// The number of parts whose offsets are in the trailer.
pub(super) const PARTS: usize = 11;

/// Identifies the content of a document when it was read: sixteen bytes of a hash over its id and content hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key(pub(super) [u8; 16]);

impl Key {
    pub(super) fn of(id: &str, hash: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&(id.len() as u64).to_le_bytes()).update(id.as_bytes()).update(hash.as_bytes());
        let mut first = [0; 16];
        first.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        Self(first)
    }
}

/// Identifies a set of documents. A search file is valid for exactly one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    pub(super) fn of_keys(keys: impl IntoIterator<Item = Key>) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&VERSION.to_le_bytes());
        for key in keys {
            hasher.update(&key.0);
        }
        Self(*hasher.finalize().as_bytes())
    }

    /// Returns its bytes, to be stored next to the file.
    pub fn to_bytes(self) -> [u8; 32] {
        self.0
    }

    /// Restores a fingerprint from [`Fingerprint::to_bytes`].
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

/// Hashes a term for the dictionary.
pub(super) fn term_hash(term: &str) -> u64 {
    short_hash(term.as_bytes())
}

/// The parts of the file before the trailer.
#[derive(Debug, Clone, Copy)]
#[repr(usize)]
pub(super) enum Part {
    Documents,
    PassageLengths,
    DocumentRecords,
    PassageRecords,
    Names,
    DocumentVectors,
    PassageVectors,
    Keys,
    Postings,
    Buckets,
    Dictionary,
}

pub(super) const DOCUMENT_BYTES: u64 = 20;
pub(super) const PASSAGE_LENGTH_BYTES: u64 = 2;
pub(super) const DOCUMENT_RECORD_BYTES: u64 = 12;
pub(super) const PASSAGE_RECORD_BYTES: u64 = 16;
pub(super) const BUCKET_BYTES: u64 = 4;
pub(super) const ENTRY_BYTES: u64 = 28;
pub(super) const KEY_BYTES: u64 = 16;

/// The decoded trailer.
#[derive(Debug, Clone)]
pub(super) struct Header {
    pub(super) fingerprint: Fingerprint,
    pub(super) documents: u32,
    pub(super) passages: u32,
    pub(super) terms: u32,
    pub(super) bucket_bits: u32,
    /// The sum of each field's lengths over all documents.
    pub(super) field_lengths: [u64; FIELDS],
    /// The sum of the passages' lengths.
    pub(super) passage_length: u64,
    /// Where each part starts, and where the last one ends.
    pub(super) offsets: [u64; PARTS + 1],
}

impl Header {
    pub(super) fn new(fingerprint: Fingerprint) -> Self {
        Self {
            fingerprint,
            documents: 0,
            passages: 0,
            terms: 0,
            bucket_bits: 0,
            field_lengths: [0; FIELDS],
            passage_length: 0,
            offsets: [0; PARTS + 1],
        }
    }

    pub(super) fn start(&self, part: Part) -> u64 {
        self.offsets[part as usize]
    }

    pub(super) fn size(&self, part: Part) -> u64 {
        self.offsets[part as usize + 1] - self.offsets[part as usize]
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&self.fingerprint.0);
        for count in [self.documents, self.passages, self.terms, self.bucket_bits] {
            out.extend_from_slice(&count.to_le_bytes());
        }
        for number in self.field_lengths.iter().chain([&self.passage_length]).chain(&self.offsets) {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out
    }

    /// Decodes a trailer and checks that it describes a file of `len` bytes.
    pub(super) fn decode(bytes: &[u8], len: u64) -> Result<Self, SearchFileError> {
        let mut cursor = Cursor::new(bytes.strip_prefix(MAGIC).ok_or(SearchFileError::Foreign)?);
        let version = cursor.u32()?;
        if version != VERSION {
            return Err(SearchFileError::Version { found: version, known: VERSION });
        }
        let mut fingerprint = [0; 32];
        fingerprint.copy_from_slice(cursor.take(32)?);
        let mut header = Self::new(Fingerprint(fingerprint));
        [header.documents, header.passages, header.terms, header.bucket_bits] =
            [cursor.u32()?, cursor.u32()?, cursor.u32()?, cursor.u32()?];
        for length in &mut header.field_lengths {
            *length = cursor.u64()?;
        }
        header.passage_length = cursor.u64()?;
        for offset in &mut header.offsets {
            *offset = cursor.u64()?;
        }
        header.check(len)?;
        Ok(header)
    }

    fn check(&self, len: u64) -> Result<(), SearchFileError> {
        let ordered = self.offsets.windows(2).all(|pair| pair[0] <= pair[1]);
        if !ordered || self.offsets[0] != 0 || self.offsets[PARTS] > len || self.bucket_bits > 31 {
            return Err(SearchFileError::Corrupt("the parts are larger than the file"));
        }
        let (documents, passages) = (u64::from(self.documents), u64::from(self.passages));
        let expected = [
            (Part::Documents, documents * DOCUMENT_BYTES),
            (Part::PassageLengths, passages * PASSAGE_LENGTH_BYTES),
            (Part::DocumentRecords, documents * DOCUMENT_RECORD_BYTES),
            (Part::PassageRecords, passages * PASSAGE_RECORD_BYTES),
            (Part::DocumentVectors, documents * DIMENSIONS as u64),
            (Part::PassageVectors, passages * DIMENSIONS as u64),
            (Part::Keys, documents * KEY_BYTES),
            (Part::Buckets, ((1 << self.bucket_bits) + 1) * BUCKET_BYTES),
            (Part::Dictionary, u64::from(self.terms) * ENTRY_BYTES),
        ];
        if expected.iter().any(|(part, size)| self.size(*part) != *size) {
            return Err(SearchFileError::Corrupt("a part has the wrong size"));
        }
        Ok(())
    }
}
