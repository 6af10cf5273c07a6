//! An open search file: looks up terms, lengths, names and vectors.

use std::path::{Path, PathBuf};

use super::build::{TRAIL_CHARS, bucket_of};
use super::codec::Cursor;
use super::document::Field;
use super::layout::{
    BUCKET_BYTES, DOCUMENT_BYTES, DOCUMENT_RECORD_BYTES, ENTRY_BYTES, Fingerprint, HEADER_BYTES, Header, PASSAGE_LENGTH_BYTES,
    PASSAGE_RECORD_BYTES, Part, term_hash,
};
use super::source::Source;
use super::vectors::DIMENSIONS;

/// Why a search file cannot be used. The remedy is always to build it anew.
#[derive(Debug, thiserror::Error)]
pub enum SearchFileError {
    /// It cannot be opened.
    #[error("cannot read the search file `{path}`")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A range of it cannot be read.
    #[error("cannot read a range of the search file")]
    Range(#[source] std::io::Error),
    /// It is some other file.
    #[error("this is not a search file")]
    Foreign,
    /// It was written by another version.
    #[error("the search file has version {found}, this program reads {known}")]
    Version {
        /// The file's version.
        found: u32,
        /// The version that is read here.
        known: u32,
    },
    /// It was made from other documents.
    #[error("the search file was made from other documents")]
    Stale,
    /// Its bytes contradict each other.
    #[error("the search file is corrupt: {0}")]
    Corrupt(&'static str),
}

/// The lengths of a document's fields, in terms, and where its passages start.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Lengths {
    pub(super) fields: [u32; 6],
    pub(super) first_passage: u32,
}

/// Where a term's postings stand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
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
    pub(super) fields: [u32; 6],
    pub(super) passages: Vec<(u32, u32)>,
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
    source: Source,
    pub(super) header: Header,
}

impl SearchFile {
    pub(super) fn open(path: &Path) -> Result<Self, SearchFileError> {
        Self::from_source(Source::open(path)?)
    }

    pub(super) fn from_bytes(bytes: Vec<u8>) -> Result<Self, SearchFileError> {
        Self::from_source(Source::Memory(bytes))
    }

    fn from_source(source: Source) -> Result<Self, SearchFileError> {
        if source.len() < HEADER_BYTES as u64 {
            return Err(SearchFileError::Foreign);
        }
        let header = Header::decode(&source.read(0, HEADER_BYTES as u64)?, source.len())?;
        let vectors = u64::from(header.documents) * DIMENSIONS as u64;
        let more = u64::from(header.passages) * DIMENSIONS as u64;
        if header.size(Part::DocumentVectors) != vectors || header.size(Part::PassageVectors) != more {
            return Err(SearchFileError::Corrupt("a part has the wrong size"));
        }
        Ok(Self { source, header })
    }

    pub(super) fn require(&self, fingerprint: &Fingerprint) -> Result<(), SearchFileError> {
        if self.header.fingerprint == *fingerprint { Ok(()) } else { Err(SearchFileError::Stale) }
    }

    /// Returns `count` records of `size` bytes from the `first` on.
    fn records(&self, part: Part, first: u64, count: u64, size: u64) -> Result<Vec<u8>, SearchFileError> {
        let end = (first + count) * size;
        if end > self.header.size(part) {
            return Err(SearchFileError::Corrupt("a number points behind its part"));
        }
        Ok(self.source.read(self.header.start(part) + first * size, count * size)?.into_owned())
    }

    pub(super) fn document_lengths(&self) -> Result<Vec<Lengths>, SearchFileError> {
        let count = self.header.documents;
        let bytes = self.records(Part::Documents, 0, u64::from(count), DOCUMENT_BYTES)?;
        let mut cursor = Cursor::new(&bytes);
        let mut lengths = Vec::with_capacity(count as usize);
        for _ in 0..count {
            let mut fields = [0; 6];
            for field in &mut fields[..5] {
                *field = u32::from(cursor.u16()?);
            }
            cursor.u16()?;
            fields[5] = cursor.u32()?;
            let first_passage = cursor.u32()?;
            if first_passage > self.header.passages {
                return Err(SearchFileError::Corrupt("a document's passages do not exist"));
            }
            lengths.push(Lengths { fields, first_passage });
        }
        Ok(lengths)
    }

    pub(super) fn passage_lengths(&self) -> Result<Vec<u16>, SearchFileError> {
        let count = u64::from(self.header.passages);
        let bytes = self.records(Part::PassageLengths, 0, count, PASSAGE_LENGTH_BYTES)?;
        Ok(bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect())
    }

    /// Finds a term in the dictionary.
    pub(super) fn entry(&self, term: &str) -> Result<Option<Entry>, SearchFileError> {
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
            let entry = Entry { offset: cursor.u64()?, len: cursor.u32()?, documents: cursor.u32()?, passages: cursor.u32()? };
            if found == hash {
                return Ok(Some(entry));
            }
        }
        Ok(None)
    }

    /// Calls `visit` for each document of a term.
    pub(super) fn postings(&self, entry: Entry, mut visit: impl FnMut(&Posting)) -> Result<(), SearchFileError> {
        if entry.offset.saturating_add(u64::from(entry.len)) > self.header.size(Part::Postings) {
            return Err(SearchFileError::Corrupt("postings end behind their part"));
        }
        let bytes = self.source.read(self.header.start(Part::Postings) + entry.offset, u64::from(entry.len))?;
        let mut cursor = Cursor::new(&bytes);
        let mut posting = Posting::default();
        let mut next = 0u32;
        for _ in 0..entry.documents {
            posting.document = next.saturating_add(cursor.varint_u32()?);
            if posting.document >= self.header.documents {
                return Err(SearchFileError::Corrupt("postings name a document that does not exist"));
            }
            next = posting.document + 1;
            posting.mask = cursor.byte()?;
            posting.fields = [0; 6];
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

    /// Returns up to `most` bytes of the names from an offset on.
    fn names_at(&self, offset: u64, most: u64) -> Result<Vec<u8>, SearchFileError> {
        let size = self.header.size(Part::Names);
        let left = size.checked_sub(offset).ok_or(SearchFileError::Corrupt("a name stands behind its part"))?;
        Ok(self.source.read(self.header.start(Part::Names) + offset, left.min(most))?.into_owned())
    }

    pub(super) fn document_vectors(&self, first: u32, count: u32) -> Result<Vec<u8>, SearchFileError> {
        self.records(Part::DocumentVectors, u64::from(first), u64::from(count), DIMENSIONS as u64)
    }

    pub(super) fn passage_vectors(&self, first: u32, count: u32) -> Result<Vec<u8>, SearchFileError> {
        self.records(Part::PassageVectors, u64::from(first), u64::from(count), DIMENSIONS as u64)
    }
}
