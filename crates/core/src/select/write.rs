//! Writes a search file, part by part, in the order of its parts.

use std::io::Write;

use super::SearchFileError;
use super::layout::{Fingerprint, Header, PARTS, Part};
use crate::packed::blocks::BlockWriter;

/// The approximate number of entries in a bucket of the dictionary.
const ENTRIES_PER_BUCKET: u32 = 8;

/// A search file that is being written.
pub(super) struct FileWriter<W> {
    blocks: BlockWriter<W>,
    pub(super) header: Header,
    /// The hashes of the terms, and the dictionary's bytes.
    hashes: Vec<u64>,
    dictionary: Vec<u8>,
}

impl<W: Write> FileWriter<W> {
    pub(super) fn new(out: W, fingerprint: Fingerprint) -> Self {
        Self { blocks: BlockWriter::new(out), header: Header::new(fingerprint), hashes: Vec::new(), dictionary: Vec::new() }
    }

    /// Begins a part and thereby ends the previous one.
    pub(super) fn begin(&mut self, part: Part) {
        self.header.offsets[part as usize] = self.blocks.position();
    }

    pub(super) fn put(&mut self, bytes: &[u8]) -> Result<(), SearchFileError> {
        Ok(self.blocks.put(bytes)?)
    }

    /// Writes a whole part.
    pub(super) fn part(&mut self, part: Part, bytes: &[u8]) -> Result<(), SearchFileError> {
        self.begin(part);
        self.put(bytes)
    }

    /// Adds a term while the postings are written. Terms must be added in the order of their hashes.
    pub(super) fn term(&mut self, hash: u64, documents: u32, passages: u32, postings: &[u8]) -> Result<(), SearchFileError> {
        let offset = self.blocks.position() - self.header.start(Part::Postings);
        self.hashes.push(hash);
        self.dictionary.extend(hash.to_le_bytes());
        self.dictionary.extend(offset.to_le_bytes());
        self.dictionary.extend((postings.len() as u32).to_le_bytes());
        self.dictionary.extend(documents.to_le_bytes());
        self.dictionary.extend(passages.to_le_bytes());
        self.put(postings)
    }

    /// Writes the parts that are known only at the end, and returns the writer.
    pub(super) fn finish(mut self) -> Result<W, SearchFileError> {
        self.header.terms = self.hashes.len() as u32;
        self.header.bucket_bits = (self.header.terms / ENTRIES_PER_BUCKET).max(1).ilog2();
        self.begin(Part::Buckets);
        for bucket in 0..=(1u64 << self.header.bucket_bits) {
            let first = self.hashes.partition_point(|hash| bucket_of(*hash, self.header.bucket_bits) < bucket);
            self.blocks.put(&(first as u32).to_le_bytes())?;
        }
        self.begin(Part::Dictionary);
        self.blocks.put(&self.dictionary)?;
        self.header.offsets[PARTS] = self.blocks.position();
        Ok(self.blocks.finish(&self.header.encode())?)
    }
}

/// Returns the bucket of a term: the first bits of its hash.
pub(super) fn bucket_of(hash: u64, bits: u32) -> u64 {
    if bits == 0 { 0 } else { hash >> (64 - bits) }
}
