//! Analyses documents into terms, passages, names and vectors, in the form in which a search file stores them.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::io::Write;

use super::SearchFileError;
use super::document::{Document, FIELDS, Field};
use super::layout::{Fingerprint, Key, Part, term_hash};
use super::sections;
use super::vectors::Embedder;
use super::words::{names, terms};
use super::write::FileWriter;
use crate::packed::codec::{put_text, put_varint};
use crate::secrets::redacted;

/// Longer trails of headings are truncated.
pub(super) const TRAIL_CHARS: usize = 300;

/// Keys are hashes already, so they are not hashed again.
type ByTerm<T> = HashMap<u64, T, BuildHasherDefault<AsItIs>>;

#[derive(Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// How often a term occurs in one document.
#[derive(Default)]
struct Counts {
    fields: [u32; FIELDS],
    /// Passage within the document and number of occurrences, in order.
    passages: Vec<(u32, u32)>,
}

/// The postings of one term while they are collected.
#[derive(Default)]
struct Postings {
    documents: u32,
    passages: u32,
    next: u32,
    bytes: Vec<u8>,
}

/// Some analysed documents. They are added in the order of their ids.
#[derive(Default)]
pub(super) struct Batch {
    embedder: Embedder,
    postings: ByTerm<Postings>,
    count: u32,
    passages: u32,
    passage_length: u64,
    field_lengths: [u64; FIELDS],
    lengths: Vec<u8>,
    passage_lengths: Vec<u8>,
    document_records: Vec<u8>,
    passage_records: Vec<u8>,
    names: Vec<u8>,
    document_vectors: Vec<u8>,
    passage_vectors: Vec<u8>,
    keys: Vec<u8>,
    /// The number of bytes of text added.
    pub(super) text_bytes: usize,
}

impl Batch {
    /// Returns the number of documents.
    pub(super) fn len(&self) -> u32 {
        self.count
    }

    pub(super) fn add(&mut self, document: &Document, key: Key) {
        let mut counts: ByTerm<Counts> = ByTerm::default();
        let mut lengths = [0u32; FIELDS];
        let short = document.short_fields();
        for (field, text) in short.iter().enumerate() {
            for term in terms(text) {
                counts.entry(term_hash(&term.text)).or_default().fields[field] += 1;
                lengths[field] += 1;
            }
        }
        for name in names(&document.path) {
            counts.entry(term_hash(&name)).or_default().fields[Field::Path as usize] += 1;
        }
        let first_passage = self.passages;
        let title_text = format!("{}\n{}\n{}", short[0], short[4], short[2]);
        self.document_vectors.extend(self.embedder.embed(&title_text).map(i8::cast_unsigned));
        for (number, section) in sections::split(&document.text).iter().enumerate() {
            let text = &document.text[section.range.clone()];
            let own = terms(text);
            let above = terms(&section.trail.join("\n"));
            lengths[Field::Body as usize] += own.len() as u32;
            let passage_length = (own.len() + above.len()).min(usize::from(u16::MAX)) as u16;
            for term in &own {
                let counts = counts.entry(term_hash(&term.text)).or_default();
                counts.fields[Field::Body as usize] += 1;
                count_passage(counts, number as u32);
            }
            for term in &above {
                count_passage(counts.entry(term_hash(&term.text)).or_default(), number as u32);
            }
            self.passages += 1;
            self.passage_length += u64::from(passage_length);
            self.passage_lengths.extend(passage_length.to_le_bytes());
            self.passage_records.extend((section.range.start as u32).to_le_bytes());
            self.passage_records.extend((section.range.end as u32).to_le_bytes());
            self.passage_records.extend((self.names.len() as u64).to_le_bytes());
            put_text(&mut self.names, &redacted(shortened(&section.trail.join(" › "))));
            let vector = self.embedder.embed(&format!("{}\n{text}", section.trail.join("\n")));
            self.passage_vectors.extend(vector.map(i8::cast_unsigned));
        }
        self.document_records.extend((self.names.len() as u64).to_le_bytes());
        let start = self.names.len();
        for name in [&document.id, &document.path, &redacted(short[0].clone())] {
            put_text(&mut self.names, name);
        }
        self.document_records.extend(((self.names.len() - start) as u32).to_le_bytes());
        for length in &lengths[..FIELDS - 1] {
            self.lengths.extend((*length).min(u32::from(u16::MAX)).to_le_bytes()[..2].iter());
        }
        self.lengths.extend(lengths[Field::Body as usize].to_le_bytes());
        self.lengths.extend(first_passage.to_le_bytes());
        for (total, length) in self.field_lengths.iter_mut().zip(lengths) {
            *total += u64::from(length);
        }
        self.keys.extend(key.0);
        for (hash, counts) in counts {
            append(self.postings.entry(hash).or_default(), self.count, &counts);
        }
        self.count += 1;
        self.text_bytes += document.text.len();
    }

    /// Writes a search file of these documents.
    pub(super) fn write<W: Write>(self, out: W, fingerprint: Fingerprint) -> Result<W, SearchFileError> {
        let mut file = FileWriter::new(out, fingerprint);
        (file.header.documents, file.header.passages) = (self.count, self.passages);
        (file.header.field_lengths, file.header.passage_length) = (self.field_lengths, self.passage_length);
        for (part, bytes) in [
            (Part::Documents, &self.lengths),
            (Part::PassageLengths, &self.passage_lengths),
            (Part::DocumentRecords, &self.document_records),
            (Part::PassageRecords, &self.passage_records),
            (Part::Names, &self.names),
            (Part::DocumentVectors, &self.document_vectors),
            (Part::PassageVectors, &self.passage_vectors),
            (Part::Keys, &self.keys),
        ] {
            file.part(part, bytes)?;
        }
        let mut sorted: Vec<(u64, Postings)> = self.postings.into_iter().collect();
        sorted.sort_unstable_by_key(|(hash, _)| *hash);
        file.begin(Part::Postings);
        for (hash, postings) in &sorted {
            file.term(*hash, postings.documents, postings.passages, &postings.bytes)?;
        }
        file.finish()
    }
}

/// Truncates a trail of headings so that it can be read back in one small range.
fn shortened(trail: &str) -> String {
    trail.chars().take(TRAIL_CHARS).collect()
}

fn count_passage(counts: &mut Counts, number: u32) {
    match counts.passages.last_mut() {
        Some((last, times)) if *last == number => *times += 1,
        _ => counts.passages.push((number, 1)),
    }
}

/// Appends one document to a term's postings: distance to the previous one, fields, counts, passages.
fn append(postings: &mut Postings, document: u32, counts: &Counts) {
    let out = &mut postings.bytes;
    put_varint(out, u64::from(document - postings.next));
    postings.next = document + 1;
    postings.documents += 1;
    postings.passages += counts.passages.len() as u32;
    let mask = Field::ALL.iter().filter(|field| counts.fields[**field as usize] > 0).fold(0, |mask, f| mask | f.bit());
    out.push(mask);
    for times in counts.fields.iter().filter(|times| **times > 0) {
        put_varint(out, u64::from(*times));
    }
    put_varint(out, counts.passages.len() as u64);
    let mut next = 0;
    for (number, times) in &counts.passages {
        put_varint(out, u64::from(number - next));
        put_varint(out, u64::from(*times));
        next = number + 1;
    }
}
