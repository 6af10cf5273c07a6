//! Merges search files into one, document by document, without analysing any document again.
//!
//! Every part is read once, front to back, in chunks of bounded size: memory grows by a few bytes per document and
//! term, not with the size of the text.

use std::io::Write;
use std::ops::Range;

use super::SearchFileError;
use super::document::FIELDS;
use super::file::SearchFile;
use super::layout::{
    DOCUMENT_BYTES, DOCUMENT_RECORD_BYTES, ENTRY_BYTES, Fingerprint, KEY_BYTES, PASSAGE_LENGTH_BYTES, PASSAGE_RECORD_BYTES, Part,
};
use super::vectors::DIMENSIONS;
use super::write::FileWriter;
use crate::packed::codec::{Cursor, put_varint};

/// The number of bytes read at once.
const PIECE: u64 = 256 * 1024;
/// The bits of all fields in a posting's mask.
const ALL_FIELDS: u8 = (1 << FIELDS) - 1;

/// The position of a document in the old files: which file, and its number there.
pub(super) type Origin = (usize, u32);

/// A run of consecutive documents in one file.
struct Run {
    file: usize,
    documents: Range<u32>,
    passages: Range<u32>,
}

/// Writes the documents in `origins`, in that order. Within each file the numbers must be ascending.
pub(super) fn merge<W: Write>(files: &[SearchFile], origins: &[Origin], out: W, fingerprint: Fingerprint) -> Result<W, SearchFileError> {
    let mut file = FileWriter::new(out, fingerprint);
    let runs = runs(files, origins)?;
    put_lengths(&mut file, files, &runs)?;
    file.begin(Part::PassageLengths);
    for run in &runs {
        for_pieces(&files[run.file], Part::PassageLengths, &run.passages, PASSAGE_LENGTH_BYTES, |piece| {
            let lengths = piece.chunks_exact(2).map(|pair| u64::from(u16::from_le_bytes([pair[0], pair[1]])));
            file.header.passage_length += lengths.sum::<u64>();
            file.put(piece)
        })?;
    }
    put_names(&mut file, files, &runs)?;
    for (part, of_documents, size) in
        [(Part::DocumentVectors, true, DIMENSIONS as u64), (Part::PassageVectors, false, DIMENSIONS as u64), (Part::Keys, true, KEY_BYTES)]
    {
        file.begin(part);
        for run in &runs {
            let range = if of_documents { &run.documents } else { &run.passages };
            for_pieces(&files[run.file], part, range, size, |piece| file.put(piece))?;
        }
    }
    put_postings(&mut file, files, origins)?;
    file.finish()
}

fn runs(files: &[SearchFile], origins: &[Origin]) -> Result<Vec<Run>, SearchFileError> {
    let mut runs: Vec<Run> = Vec::new();
    for (file, number) in origins {
        match runs.last_mut() {
            Some(run) if run.file == *file && run.documents.end == *number => run.documents.end += 1,
            _ => runs.push(Run { file: *file, documents: *number..number + 1, passages: 0..0 }),
        }
    }
    for run in &mut runs {
        let file = &files[run.file];
        run.passages = file.first_passage(run.documents.start)?..file.first_passage(run.documents.end)?;
        if run.passages.end < run.passages.start {
            return Err(SearchFileError::Corrupt("passages are out of order"));
        }
    }
    Ok(runs)
}

/// Reads records of a part in chunks.
fn for_pieces(
    file: &SearchFile,
    part: Part,
    range: &Range<u32>,
    size: u64,
    mut visit: impl FnMut(&[u8]) -> Result<(), SearchFileError>,
) -> Result<(), SearchFileError> {
    let (mut at, end) = (u64::from(range.start), u64::from(range.end));
    while at < end {
        let count = (PIECE / size).min(end - at);
        visit(&file.records(part, at, count, size)?)?;
        at += count;
    }
    Ok(())
}

/// Writes the lengths of the documents, and counts documents, passages and lengths.
fn put_lengths<W: Write>(file: &mut FileWriter<W>, files: &[SearchFile], runs: &[Run]) -> Result<(), SearchFileError> {
    file.begin(Part::Documents);
    for run in runs {
        let moved = file.header.passages.wrapping_sub(run.passages.start);
        for_pieces(&files[run.file], Part::Documents, &run.documents, DOCUMENT_BYTES, |piece| {
            for record in piece.chunks_exact(DOCUMENT_BYTES as usize) {
                let lengths = SearchFile::lengths(&mut Cursor::new(record))?;
                for (total, length) in file.header.field_lengths.iter_mut().zip(lengths.fields) {
                    *total += u64::from(length);
                }
                file.put(&record[..16])?;
                file.put(&lengths.first_passage.wrapping_add(moved).to_le_bytes())?;
            }
            Ok(())
        })?;
        file.header.documents += run.documents.end - run.documents.start;
        file.header.passages += run.passages.end - run.passages.start;
    }
    Ok(())
}

/// Writes the names and the records that point to them.
fn put_names<W: Write>(file: &mut FileWriter<W>, files: &[SearchFile], runs: &[Run]) -> Result<(), SearchFileError> {
    // The names of a run begin where those of the preceding document end.
    let mut ranges: Vec<Range<u64>> = Vec::with_capacity(runs.len());
    for run in runs {
        let from = &files[run.file];
        ranges.push(from.names_end(run.documents.start)?..from.names_end(run.documents.end)?);
    }
    if ranges.iter().any(|range| range.end < range.start) {
        return Err(SearchFileError::Corrupt("names are out of order"));
    }
    for (part, size) in [(Part::DocumentRecords, DOCUMENT_RECORD_BYTES), (Part::PassageRecords, PASSAGE_RECORD_BYTES)] {
        file.begin(part);
        let mut start = 0u64;
        for (run, names) in runs.iter().zip(&ranges) {
            let moved = start.wrapping_sub(names.start);
            let is_document = matches!(part, Part::DocumentRecords);
            let range = if is_document { &run.documents } else { &run.passages };
            // A document's record begins with the position of its names; a passage's record ends with it.
            let at = if is_document { 0..8 } else { 8..16 };
            for_pieces(&files[run.file], part, range, size, |piece| {
                let mut piece = piece.to_vec();
                for record in piece.chunks_exact_mut(size as usize) {
                    let place = Cursor::new(&record[at.clone()]).u64()?.wrapping_add(moved);
                    record[at.clone()].copy_from_slice(&place.to_le_bytes());
                }
                file.put(&piece)
            })?;
            start += names.end - names.start;
        }
    }
    file.begin(Part::Names);
    for (run, names) in runs.iter().zip(ranges) {
        let mut at = names.start;
        while at < names.end {
            let size = PIECE.min(names.end - at);
            file.put(&files[run.file].part_bytes(Part::Names, at, size)?)?;
            at += size;
        }
    }
    Ok(())
}

/// Writes the postings of all terms, with the documents' new numbers.
fn put_postings<W: Write>(file: &mut FileWriter<W>, files: &[SearchFile], origins: &[Origin]) -> Result<(), SearchFileError> {
    file.begin(Part::Postings);
    let mut feeds: Vec<Feed> = files.iter().map(Feed::new).collect();
    for (number, (from, old)) in origins.iter().enumerate() {
        let numbers = &mut feeds[*from].numbers;
        *numbers.get_mut(*old as usize).ok_or(SearchFileError::Corrupt("a document does not exist"))? = number as u32;
    }
    let mut gathered = TermPostings::default();
    loop {
        let mut hash = None;
        for feed in &mut feeds {
            hash = [hash, feed.peek()?].into_iter().flatten().min();
        }
        let Some(hash) = hash else { return Ok(()) };
        gathered.clear();
        for feed in &mut feeds {
            if feed.peek()? == Some(hash) {
                feed.gather(&mut gathered)?;
            }
        }
        if !gathered.found.is_empty() {
            let documents = gathered.found.len() as u32;
            let passages = gathered.found.iter().map(|found| found.passages).sum();
            file.term(hash, documents, passages, gathered.encode())?;
        }
    }
}

/// The postings of one term from all files.
#[derive(Default)]
struct TermPostings {
    found: Vec<TermDocument>,
    bytes: Vec<u8>,
    encoded: Vec<u8>,
}

/// One document that contains a term.
struct TermDocument {
    number: u32,
    passages: u32,
    /// The position of its counts.
    counts: Range<usize>,
}

impl TermPostings {
    fn clear(&mut self) {
        self.found.clear();
        self.bytes.clear();
        self.encoded.clear();
    }

    fn encode(&mut self) -> &[u8] {
        self.found.sort_unstable_by_key(|found| found.number);
        let mut next = 0;
        for found in &self.found {
            put_varint(&mut self.encoded, u64::from(found.number - next));
            self.encoded.extend_from_slice(&self.bytes[found.counts.clone()]);
            next = found.number + 1;
        }
        &self.encoded
    }
}

/// A file whose terms are read in the order of their hashes.
struct Feed<'a> {
    file: &'a SearchFile,
    /// The new number of each document; `u32::MAX` if it is left out.
    numbers: Vec<u32>,
    /// The dictionary entries in memory, and how many of all were read.
    entries: Vec<u8>,
    at: usize,
    read: u64,
    /// The postings in memory, and their position.
    postings: Vec<u8>,
    start: u64,
}

impl<'a> Feed<'a> {
    fn new(file: &'a SearchFile) -> Self {
        let numbers = vec![u32::MAX; file.header.documents as usize];
        Self { file, numbers, entries: Vec::new(), at: 0, read: 0, postings: Vec::new(), start: 0 }
    }

    /// Returns the next term, if there is one.
    fn peek(&mut self) -> Result<Option<u64>, SearchFileError> {
        if self.at == self.entries.len() {
            let count = (PIECE / ENTRY_BYTES).min(u64::from(self.file.header.terms) - self.read);
            self.entries = self.file.records(Part::Dictionary, self.read, count, ENTRY_BYTES)?;
            (self.at, self.read) = (0, self.read + count);
        }
        if self.entries.is_empty() { Ok(None) } else { Ok(Some(Cursor::new(&self.entries[self.at..]).u64()?)) }
    }

    /// Adds the postings of the next term and advances.
    fn gather(&mut self, gathered: &mut TermPostings) -> Result<(), SearchFileError> {
        let mut cursor = Cursor::new(&self.entries[self.at..]);
        cursor.u64()?;
        let (offset, len, documents) = (cursor.u64()?, u64::from(cursor.u32()?), cursor.u32()?);
        self.at += ENTRY_BYTES as usize;
        let end = offset.checked_add(len).ok_or(SearchFileError::Corrupt("postings end outside their part"))?;
        if offset < self.start || end > self.start + self.postings.len() as u64 {
            let left = self.file.header.size(Part::Postings).saturating_sub(offset);
            self.postings = self.file.part_bytes(Part::Postings, offset, left.min(PIECE.max(len)))?;
            self.start = offset;
        }
        let from = (offset - self.start) as usize;
        let bytes = self.postings.get(from..from + len as usize).ok_or(SearchFileError::Corrupt("postings end outside their part"))?;
        let mut cursor = Cursor::new(bytes);
        let mut next = 0u32;
        for _ in 0..documents {
            let old = next.saturating_add(cursor.varint_u32()?);
            let number =
                *self.numbers.get(old as usize).ok_or(SearchFileError::Corrupt("postings refer to a document that does not exist"))?;
            next = old + 1;
            let before = cursor.rest();
            let fields = (cursor.byte()? & ALL_FIELDS).count_ones();
            for _ in 0..fields {
                cursor.varint()?;
            }
            let passages = cursor.varint_u32()?;
            for _ in 0..u64::from(passages) * 2 {
                cursor.varint()?;
            }
            if number != u32::MAX {
                let counts = &before[..before.len() - cursor.rest().len()];
                let start = gathered.bytes.len();
                gathered.bytes.extend_from_slice(counts);
                gathered.found.push(TermDocument { number, passages, counts: start..gathered.bytes.len() });
            }
        }
        Ok(())
    }
}
