//! An open search file: looks up terms, lengths, names and vectors.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::build::TRAIL_CHARS;
use super::document::{FIELDS, Field};
use super::layout::{
    BUCKET_BYTES, DOCUMENT_BYTES, DOCUMENT_RECORD_BYTES, ENTRY_BYTES, Fingerprint, Header, KEY_BYTES, Key, PASSAGE_LENGTH_BYTES,
    PASSAGE_RECORD_BYTES, Part, term_hash,
};
use super::vectors::DIMENSIONS;
use super::write::bucket_of;
use crate::packed::Damage;
use crate::packed::blocks::Blocks;
use crate::packed::codec::Cursor;

/// Why a search file cannot be used. The fix is always to rebuild it.
#[derive(Debug, thiserror::Error)]
pub enum SearchFileError {
    /// It cannot be opened.
    #[error("cannot read the search file `{path}`")]
    Read {
        /// The path of the file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A range of it cannot be read or written.
    #[error("cannot read or write a range of the search file")]
    Range(#[source] std::io::Error),
    /// It is not a search file.
    #[error("this is not a search file")]
    Foreign,
    /// It was written by another version.
    #[error("the search file has version {found}, this program reads {known}")]
    Version {
        /// The file's version.
        found: u32,
        /// The version that this program reads.
        known: u32,
    },
    /// It was built from other documents.
    #[error("the search file was built from other documents")]
    Stale,
    /// Its content is inconsistent.
    #[error("the search file is corrupt: {0}")]
    Corrupt(&'static str),
}

impl From<Damage> for SearchFileError {
    fn from(damage: Damage) -> Self {
        match damage {
            Damage::Io(error) => Self::Range(error),
            Damage::Corrupt(why) => Self::Corrupt(why),
        }
    }
}

/// The lengths of a document's fields, in terms, and its first passage.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Lengths {
    pub(super) fields: [u32; FIELDS],
    pub(super) first_passage: u32,
}

/// The position of a term's postings.
#[derive(Debug, Clone, Copy)]
pub(super) struct TermPlace {
    offset: u64,
    len: u32,
    pub(super) documents: u32,
    pub(super) passages: u32,
}

/// One document of a term's postings.
#[derive(Debug, Default)]
pub(super) struct Posting {
    pub(super) document: u32,
    pub(super) mask: u8,
    pub(super) fields: [u32; FIELDS],
    pub(super) passages: Vec<(u32, u32)>,
}

/// The postings of one term, as stored in the file.
#[derive(Debug, Clone)]
pub(super) struct Postings {
    bytes: Vec<u8>,
    count: u32,
    /// The number of documents in the file.
    documents: u32,
}

impl Postings {
    /// Calls `visit` for each document.
    pub(super) fn each(&self, mut visit: impl FnMut(&Posting)) -> Result<(), SearchFileError> {
        let mut cursor = Cursor::new(&self.bytes);
        let mut posting = Posting::default();
        let mut next = 0u32;
        for _ in 0..self.count {
            posting.document = next.saturating_add(cursor.varint_u32()?);
            if posting.document >= self.documents {
                return Err(SearchFileError::Corrupt("postings refer to a document that does not exist"));
            }
            next = posting.document + 1;
            posting.mask = cursor.byte()?;
            posting.fields = [0; FIELDS];
            for field in Field::ALL {
                if posting.mask & field.bit() != 0 {
                    posting.fields[field as usize] = cursor.varint_u32()?;
                }
            }
            posting.passages.clear();
            let mut passage = 0u32;
            for _ in 0..cursor.varint()? {
                let number = passage.saturating_add(cursor.varint_u32()?);
                posting.passages.push((number, cursor.varint_u32()?));
                passage = number.saturating_add(1);
            }
            visit(&posting);
        }
        Ok(())
    }
}

/// The names of a document.
#[derive(Debug, Clone)]
pub(super) struct Names {
    pub(super) id: String,
    pub(super) path: String,
    pub(super) title: String,
}

/// A search file that was opened and checked.
#[derive(Debug)]
pub(super) struct SearchFile {
    blocks: Blocks,
    pub(super) header: Header,
}

impl SearchFile {
    pub(super) fn open(path: &Path) -> Result<Self, SearchFileError> {
        let failed = |source| SearchFileError::Read { path: path.to_owned(), source };
        Self::from_file(File::open(path).map_err(failed)?)
    }

    pub(super) fn from_file(file: File) -> Result<Self, SearchFileError> {
        Self::from_blocks(Blocks::of_file(file)?)
    }

    pub(super) fn from_bytes(bytes: Vec<u8>) -> Result<Self, SearchFileError> {
        Self::from_blocks(Blocks::of_bytes(bytes))
    }

    fn from_blocks(blocks: Blocks) -> Result<Self, SearchFileError> {
        let header = Header::decode(&blocks.trailer()?, blocks.len())?;
        Ok(Self { blocks, header })
    }

    pub(super) fn require(&self, fingerprint: &Fingerprint) -> Result<(), SearchFileError> {
        if self.header.fingerprint == *fingerprint { Ok(()) } else { Err(SearchFileError::Stale) }
    }

    /// Returns `count` records of `size` bytes, starting with record `first`.
    pub(super) fn records(&self, part: Part, first: u64, count: u64, size: u64) -> Result<Vec<u8>, SearchFileError> {
        self.part_bytes(part, first.saturating_mul(size), count.saturating_mul(size))
    }

    /// Returns `len` bytes of a part.
    pub(super) fn part_bytes(&self, part: Part, offset: u64, len: u64) -> Result<Vec<u8>, SearchFileError> {
        if offset.saturating_add(len) > self.header.size(part) {
            return Err(SearchFileError::Corrupt("a number points past the end of its part"));
        }
        Ok(self.blocks.read(self.header.start(part) + offset, len)?)
    }

    pub(super) fn lengths(cursor: &mut Cursor<'_>) -> Result<Lengths, SearchFileError> {
        let mut fields = [0; FIELDS];
        for field in &mut fields[..FIELDS - 1] {
            *field = u32::from(cursor.u16()?);
        }
        fields[Field::Body as usize] = cursor.u32()?;
        Ok(Lengths { fields, first_passage: cursor.u32()? })
    }

    pub(super) fn document_lengths(&self) -> Result<Vec<Lengths>, SearchFileError> {
        let count = self.header.documents;
        let bytes = self.records(Part::Documents, 0, u64::from(count), DOCUMENT_BYTES)?;
        let mut cursor = Cursor::new(&bytes);
        let mut lengths = Vec::with_capacity(count as usize);
        for _ in 0..count {
            let next = Self::lengths(&mut cursor)?;
            if next.first_passage > self.header.passages {
                return Err(SearchFileError::Corrupt("a document's passages do not exist"));
            }
            lengths.push(next);
        }
        Ok(lengths)
    }

    /// Returns the first passage of a document; for the document number after the last, the number of all passages.
    pub(super) fn first_passage(&self, document: u32) -> Result<u32, SearchFileError> {
        if document >= self.header.documents {
            return Ok(self.header.passages);
        }
        Ok(Self::lengths(&mut Cursor::new(&self.records(Part::Documents, u64::from(document), 1, DOCUMENT_BYTES)?))?.first_passage)
    }

    /// Returns where the names of the preceding documents end.
    pub(super) fn names_end(&self, document: u32) -> Result<u64, SearchFileError> {
        let Some(before) = document.checked_sub(1) else { return Ok(0) };
        let record = self.records(Part::DocumentRecords, u64::from(before), 1, DOCUMENT_RECORD_BYTES)?;
        let mut cursor = Cursor::new(&record);
        Ok(cursor.u64()?.saturating_add(u64::from(cursor.u32()?)))
    }

    /// Returns the key of each document: its id and content when it was read.
    pub(super) fn keys(&self) -> Result<Vec<Key>, SearchFileError> {
        let bytes = self.records(Part::Keys, 0, u64::from(self.header.documents), KEY_BYTES)?;
        Ok(bytes.chunks_exact(16).map(|key| Key(key.try_into().expect("a chunk of sixteen bytes"))).collect())
    }

    pub(super) fn passage_lengths(&self) -> Result<Vec<u16>, SearchFileError> {
        let count = u64::from(self.header.passages);
        let bytes = self.records(Part::PassageLengths, 0, count, PASSAGE_LENGTH_BYTES)?;
        Ok(bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect())
    }

    /// Finds a term in the dictionary.
    pub(super) fn find_term(&self, term: &str) -> Result<Option<TermPlace>, SearchFileError> {
        let hash = term_hash(term);
        let bucket = bucket_of(hash, self.header.bucket_bits);
        let bytes = self.records(Part::Buckets, bucket, 2, BUCKET_BYTES)?;
        let mut cursor = Cursor::new(&bytes);
        let (first, last) = (u64::from(cursor.u32()?), u64::from(cursor.u32()?));
        if last < first {
            return Err(SearchFileError::Corrupt("a bucket ends before it starts"));
        }
        let bytes = self.records(Part::Dictionary, first, last - first, ENTRY_BYTES)?;
        let mut cursor = Cursor::new(&bytes);
        while !cursor.is_empty() {
            let found = cursor.u64()?;
            let place = TermPlace { offset: cursor.u64()?, len: cursor.u32()?, documents: cursor.u32()?, passages: cursor.u32()? };
            if found == hash {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    /// Reads the postings of a term.
    pub(super) fn postings(&self, place: TermPlace) -> Result<Postings, SearchFileError> {
        let bytes = self.part_bytes(Part::Postings, place.offset, u64::from(place.len))?;
        Ok(Postings { bytes, count: place.documents, documents: self.header.documents })
    }

    pub(super) fn names(&self, document: u32) -> Result<Names, SearchFileError> {
        let record = self.records(Part::DocumentRecords, u64::from(document), 1, DOCUMENT_RECORD_BYTES)?;
        let mut cursor = Cursor::new(&record);
        let bytes = self.names_at(cursor.u64()?, u64::from(cursor.u32()?))?;
        let mut cursor = Cursor::new(&bytes);
        let [id, path, title] = [cursor.text()?, cursor.text()?, cursor.text()?].map(str::to_owned);
        Ok(Names { id, path, title })
    }

    /// Returns a passage's byte range in its document, and its headings.
    pub(super) fn passage(&self, passage: u32) -> Result<(std::ops::Range<usize>, String), SearchFileError> {
        let record = self.records(Part::PassageRecords, u64::from(passage), 1, PASSAGE_RECORD_BYTES)?;
        let mut cursor = Cursor::new(&record);
        let range = cursor.u32()? as usize..cursor.u32()? as usize;
        let bytes = self.names_at(cursor.u64()?, (TRAIL_CHARS * 4 + 10) as u64)?;
        let trail = Cursor::new(&bytes).text()?.to_owned();
        Ok((range, trail))
    }

    /// Returns up to `most` bytes of the names, starting at an offset.
    fn names_at(&self, offset: u64, most: u64) -> Result<Vec<u8>, SearchFileError> {
        let left = self.header.size(Part::Names).saturating_sub(offset);
        self.part_bytes(Part::Names, offset, left.min(most))
    }

    pub(super) fn document_vectors(&self, first: u32, count: u32) -> Result<Vec<u8>, SearchFileError> {
        self.records(Part::DocumentVectors, u64::from(first), u64::from(count), DIMENSIONS as u64)
    }

    pub(super) fn passage_vectors(&self, first: u32, count: u32) -> Result<Vec<u8>, SearchFileError> {
        self.records(Part::PassageVectors, u64::from(first), u64::from(count), DIMENSIONS as u64)
    }
}
