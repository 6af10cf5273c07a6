//! Makes the bytes of a search file from documents.
//!
//! Documents are put in order of their ids first, and every list is written in that order, so the same documents
//! give the same bytes however they were gathered.

use std::collections::{BTreeMap, HashMap};

use super::codec::{put_text, put_varint};
use super::document::{Document, Field};
use super::layout::{Fingerprint, Header, term_hash};
use super::sections;
use super::vectors::{DIMENSIONS, Embedder};
use super::words::terms;

/// A bucket of the dictionary holds about this many entries.
const ENTRIES_PER_BUCKET: u32 = 8;
/// Longer trails of headings are cut.
pub(super) const TRAIL_CHARS: usize = 300;

/// How often a term occurs in one document.
#[derive(Default)]
struct Counts {
    fields: [u32; 6],
    /// Passage within the document, times; in order.
    passages: Vec<(u32, u32)>,
}

/// The postings of one term while they grow.
#[derive(Default)]
struct Postings {
    documents: u32,
    passages: u32,
    next: u32,
    bytes: Vec<u8>,
}

/// The parts of the file while they grow.
#[derive(Default)]
struct Parts {
    documents: Vec<u8>,
    passage_lengths: Vec<u8>,
    document_records: Vec<u8>,
    passage_records: Vec<u8>,
    names: Vec<u8>,
    document_vectors: Vec<u8>,
    passage_vectors: Vec<u8>,
}

/// Returns the bytes of a search file. Of documents with equal ids the first by content hash is kept.
pub(super) fn build(documents: &[Document]) -> Vec<u8> {
    let mut sorted: Vec<&Document> = documents.iter().collect();
    sorted.sort_by(|a, b| (&a.id, &a.hash).cmp(&(&b.id, &b.hash)));
    let fingerprint = Fingerprint::of(sorted.iter().map(|d| (d.id.as_str(), d.hash.as_str())));
    sorted.dedup_by(|later, earlier| later.id == earlier.id);

    let mut parts = Parts::default();
    let mut embedder = Embedder::new();
    let mut postings: HashMap<u64, Postings> = HashMap::new();
    let mut header = Header {
        fingerprint,
        documents: sorted.len() as u32,
        passages: 0,
        terms: 0,
        bucket_bits: 0,
        field_lengths: [0; 6],
        passage_length: 0,
        offsets: [0; 11],
    };
    for (number, document) in sorted.iter().enumerate() {
        let counts = add_document(document, &mut embedder, &mut header, &mut parts);
        for (hash, counts) in counts {
            append(postings.entry(hash).or_default(), number as u32, &counts);
        }
    }
    assemble(header, &parts, postings)
}

/// Writes everything of a document but its postings, which it returns.
fn add_document(document: &Document, embedder: &mut Embedder, header: &mut Header, parts: &mut Parts) -> BTreeMap<u64, Counts> {
    let mut counts: BTreeMap<u64, Counts> = BTreeMap::new();
    let mut lengths = [0u32; 6];
    let short = document.short_fields();
    for (field, text) in short.iter().enumerate() {
        for term in terms(text) {
            counts.entry(term_hash(&term.text)).or_default().fields[field] += 1;
            lengths[field] += 1;
        }
    }
    let first_passage = header.passages;
    let title_text = format!("{}\n{}\n{}", short[0], short[4], short[2]);
    parts.document_vectors.extend(embedder.embed(&title_text).map(i8::cast_unsigned));

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
        header.passages += 1;
        header.passage_length += u64::from(passage_length);
        parts.passage_lengths.extend(passage_length.to_le_bytes());
        parts.passage_records.extend((section.range.start as u32).to_le_bytes());
        parts.passage_records.extend((section.range.end as u32).to_le_bytes());
        parts.passage_records.extend((parts.names.len() as u64).to_le_bytes());
        put_text(&mut parts.names, &shortened(&section.trail.join(" › ")));
        let vector = embedder.embed(&format!("{}\n{text}", section.trail.join("\n")));
        parts.passage_vectors.extend(vector.map(i8::cast_unsigned));
    }

    parts.document_records.extend((parts.names.len() as u64).to_le_bytes());
    let start = parts.names.len();
    for name in [&document.id, &document.path, &short[0]] {
        put_text(&mut parts.names, name);
    }
    parts.document_records.extend(((parts.names.len() - start) as u32).to_le_bytes());
    for length in &lengths[..5] {
        parts.documents.extend((*length).min(u32::from(u16::MAX)).to_le_bytes()[..2].iter());
    }
    parts.documents.extend(0u16.to_le_bytes());
    parts.documents.extend(lengths[5].to_le_bytes());
    parts.documents.extend(first_passage.to_le_bytes());
    for (total, length) in header.field_lengths.iter_mut().zip(lengths) {
        *total += u64::from(length);
    }
    counts
}

/// Cuts a trail of headings so that it can be read back in one small range.
fn shortened(trail: &str) -> String {
    trail.chars().take(TRAIL_CHARS).collect()
}

fn count_passage(counts: &mut Counts, number: u32) {
    match counts.passages.last_mut() {
        Some((last, times)) if *last == number => *times += 1,
        _ => counts.passages.push((number, 1)),
    }
}

/// Appends one document to a term's postings: distance to the one before, fields, counts, passages.
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

fn assemble(mut header: Header, parts: &Parts, postings: HashMap<u64, Postings>) -> Vec<u8> {
    let mut sorted: Vec<(u64, Postings)> = postings.into_iter().collect();
    sorted.sort_unstable_by_key(|(hash, _)| *hash);
    header.terms = sorted.len() as u32;
    header.bucket_bits = (header.terms / ENTRIES_PER_BUCKET).max(1).ilog2();

    let (mut buckets, mut dictionary, mut lists) = (Vec::new(), Vec::new(), Vec::new());
    for bucket in 0..=(1u64 << header.bucket_bits) {
        let first = sorted.partition_point(|(hash, _)| bucket_of(*hash, header.bucket_bits) < bucket);
        buckets.extend((first as u32).to_le_bytes());
    }
    for (hash, postings) in &sorted {
        dictionary.extend(hash.to_le_bytes());
        dictionary.extend((lists.len() as u64).to_le_bytes());
        dictionary.extend((postings.bytes.len() as u32).to_le_bytes());
        dictionary.extend(postings.documents.to_le_bytes());
        dictionary.extend(postings.passages.to_le_bytes());
        lists.extend_from_slice(&postings.bytes);
    }
    let sections: [&[u8]; 10] = [
        &parts.documents,
        &parts.passage_lengths,
        &parts.document_records,
        &parts.passage_records,
        &buckets,
        &dictionary,
        &lists,
        &parts.names,
        &parts.document_vectors,
        &parts.passage_vectors,
    ];
    header.place(sections.map(|section| section.len() as u64));
    debug_assert_eq!(parts.document_vectors.len(), header.documents as usize * DIMENSIONS);
    let mut out = header.encode();
    for section in sections {
        out.extend_from_slice(section);
    }
    out
}

/// Returns the bucket of a term: the first bits of its hash.
pub(super) fn bucket_of(hash: u64, bits: u32) -> u64 {
    if bits == 0 { 0 } else { hash >> (64 - bits) }
}
