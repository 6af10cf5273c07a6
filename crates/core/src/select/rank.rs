//! Scores the documents of a search file for the terms of a message.
//!
//! BM25F over the fields (each field's counts are diluted by its length and weighed before they saturate together),
//! plus the BM25 of the best passage, plus the likeness of the vectors. Sums run in the order of the message's terms,
//! so they are the same on every run.

use std::cmp::Ordering;

use super::document::Field;
use super::file::{Lengths, Postings, SearchFile, SearchFileError};
use super::vectors::{DIMENSIONS, Embedder, Sought};
use super::weights::Weights;
use super::words::{LONGEST_RUN, Term, TermKind, name, runs, terms_of};

/// Documents whose passages' vectors are compared, by rank of words and of document vectors.
const CANDIDATES: usize = 128;
/// With more documents than this, vectors only look at what the words found: reading them all would take too long.
const SCANNED_DOCUMENTS: u32 = 20_000;
/// A smaller collection counts as this large: in one of three documents no term would be rare, and nothing evidence.
const FEW_DOCUMENTS: u32 = 40;
/// The same for passages.
const FEW_PASSAGES: u32 = 240;
/// Longer messages are pasted logs; the first terms decide.
const MOST_TERMS: usize = 256;
/// A name that more documents bear than this names none of them (`README.md`, `index.md`).
const MOST_NAMESAKES: u32 = 3;
/// An identifier is rare if at most one document in this many has it, or just one.
const RARE_SHARE: u32 = 50;
/// Shorter identifiers (`v2`, `es6`) point at nothing.
const IDENTIFIER_LENGTH: usize = 5;

/// A distinct term of a message.
#[derive(Debug, Clone)]
pub(super) struct QueryTerm {
    pub(super) text: String,
    pub(super) surface: String,
    pub(super) kind: TermKind,
    /// Rareness in this collection; of a term that occurs nowhere, the highest.
    pub(super) idf: f32,
    /// Where it occurs, if anywhere.
    pub(super) postings: Option<Postings>,
    /// In how many passages.
    passages: u32,
    /// In how many documents.
    documents: u32,
    /// It has the form of an identifier, which ordinary words never have.
    is_identifier: bool,
}

/// What is known of one document after scoring.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Scored {
    pub(super) document: u32,
    /// BM25F of the document plus its best passage.
    pub(super) words: f32,
    pub(super) fields_score: f32,
    pub(super) passage_score: f32,
    /// The likeness of meaning, -1 to 1.
    pub(super) meaning: f32,
    pub(super) score: f32,
    /// How many topical terms were found in it.
    pub(super) topical: u32,
    /// Whether the message calls it by its file name.
    pub(super) is_named: bool,
    /// Whether it is one of the few that hold an identifier of the message.
    pub(super) is_pointed_at: bool,
}

impl Scored {
    /// Whether the message calls it by its name or points at it.
    pub(super) fn is_meant(&self) -> bool {
        self.is_named || self.is_pointed_at
    }
}

/// The scores of all documents that have anything to do with a message.
#[derive(Debug)]
pub(super) struct Ranking {
    pub(super) terms: Vec<QueryTerm>,
    /// Best first; equal scores in the order of ids.
    pub(super) scored: Vec<Scored>,
    /// Documents in which any term occurs.
    pub(super) matching: usize,
    pub(super) lengths: Vec<Lengths>,
    /// Score of each passage by words, for all passages of the file.
    pub(super) passages: Vec<f32>,
    /// What a document would score that had every term everywhere.
    pub(super) ideal: f32,
    pub(super) sought: Sought,
}

impl Ranking {
    /// Returns the numbers of a document's passages.
    pub(super) fn passages_of(&self, document: u32) -> std::ops::Range<u32> {
        let next = self.lengths.get(document as usize + 1).map_or(self.passages.len() as u32, |next| next.first_passage);
        let first = self.lengths[document as usize].first_passage;
        first..next.max(first)
    }
}

/// Splits a message into its distinct terms.
pub(super) fn query_terms(message: &str, file: &SearchFile) -> Result<Vec<QueryTerm>, SearchFileError> {
    let mut found: Vec<QueryTerm> = Vec::new();
    for run in runs(message) {
        let is_identifier = is_identifier(run);
        let terms = match named(run, message, file)? {
            Some(name) => vec![name],
            None => terms_of(run),
        };
        for term in terms {
            if found.len() == MOST_TERMS {
                return Ok(found);
            }
            if !found.iter().any(|known| known.text == term.text) {
                found.push(query_term(term, is_identifier, file)?);
            }
        }
    }
    Ok(found)
}

fn query_term(term: Term, is_identifier: bool, file: &SearchFile) -> Result<QueryTerm, SearchFileError> {
    let place = file.find_term(&term.text)?;
    let (documents, passages) = place.map_or((0, 0), |place| (place.documents, place.passages));
    let idf = rareness(file.header.documents.max(FEW_DOCUMENTS), documents);
    let postings = place.map(|place| file.postings(place)).transpose()?;
    let is_identifier = is_identifier && term.kind == TermKind::Exact;
    Ok(QueryTerm { text: term.text, surface: term.surface, kind: term.kind, idf, postings, passages, documents, is_identifier })
}

/// Tells an identifier, a setting or an error code from words that people join (`double-check`, `and/or`): a digit, an
/// underscore, a hump or a dot between letters makes it one.
fn is_identifier(run: &str) -> bool {
    let pairs = || run.chars().zip(run.chars().skip(1));
    run.len() >= IDENTIFIER_LENGTH
        && (run.contains(|c: char| c.is_ascii_digit() || c == '_' || c == '.')
            || pairs().any(|(a, b)| a.is_lowercase() && b.is_uppercase()))
}

/// Finds the documents that a path in a message names: `/home/me/shop/docs/auth.md:12:5` is `docs/auth.md` here. Of a path
/// more than the file's name must be known, and an address names nothing of ours.
fn named(run: &str, message: &str, file: &SearchFile) -> Result<Option<Term>, SearchFileError> {
    let before = &message[..run.as_ptr() as usize - message.as_ptr() as usize];
    if !run.contains('.') || run.len() > LONGEST_RUN || before.ends_with("://") {
        return Ok(None);
    }
    let surface = run.replace('\\', "/").to_lowercase();
    let mut rest = surface.as_str();
    while let Some((path, number)) = rest.rsplit_once(':')
        && number.bytes().all(|byte| byte.is_ascii_digit())
    {
        rest = path;
    }
    let is_path = rest.contains('/');
    loop {
        let text = name(rest);
        if let Some(place) = file.find_term(&text)? {
            let surface = rest.to_owned();
            return Ok((place.documents <= MOST_NAMESAKES).then_some(Term { text, surface, kind: TermKind::Name }));
        }
        match rest.split_once('/') {
            Some((_, below)) if below.contains('/') || !is_path => rest = below,
            _ => return Ok(None),
        }
    }
}

/// Ranks the documents of a file for a message.
pub(super) fn rank(message: &str, file: &SearchFile, weights: &Weights) -> Result<Ranking, SearchFileError> {
    let terms = query_terms(message, file)?;
    let lengths = file.document_lengths()?;
    let passage_lengths = file.passage_lengths()?;
    let documents = file.header.documents.max(1) as f32;
    let average = file.header.field_lengths.map(|total| (total as f32 / documents).max(1.0));
    let average_passage = (file.header.passage_length as f32 / file.header.passages.max(1) as f32).max(1.0);
    let mut passages = vec![0f32; passage_lengths.len()];
    let mut all: Vec<Scored> = (0..file.header.documents).map(|n| Scored { document: n, ..Scored::default() }).collect();
    let mut ideal = 0.0;
    let few = (file.header.documents / RARE_SHARE).max(1);
    for postings in terms.iter().filter(|term| term.kind == TermKind::Name).filter_map(|term| term.postings.as_ref()) {
        postings.each(|posting| all[posting.document as usize].is_named = true)?;
    }
    for term in terms.iter().filter(|term| term.kind != TermKind::Name) {
        let importance = kind_weight(term.kind, weights);
        let weight = term.idf * importance;
        // Collections are small: a term in every document may still be rare among passages.
        let passage_weight = importance * rareness(file.header.passages.max(FEW_PASSAGES), term.passages);
        ideal += weight * (weights.k1 + 1.0);
        ideal += weights.passage * passage_weight * (weights.passage_k1 + 1.0);
        let Some(postings) = &term.postings else { continue };
        postings.each(|posting| {
            let length = lengths[posting.document as usize];
            let mut frequency = 0.0;
            for field in Field::ALL {
                let at = field as usize;
                if posting.fields[at] > 0 {
                    let b = if field == Field::Body { weights.b_body } else { weights.b_short };
                    let dilution = 1.0 - b + b * length.fields[at] as f32 / average[at];
                    frequency += weights.fields[at] * posting.fields[at] as f32 / dilution;
                }
            }
            let scored = &mut all[posting.document as usize];
            scored.fields_score += weight * (weights.k1 + 1.0) * frequency / (frequency + weights.k1);
            scored.topical += u32::from(matches!(term.kind, TermKind::Word | TermKind::Exact | TermKind::Pair));
            scored.is_pointed_at |= term.is_identifier && term.documents <= few;
            for &(number, times) in &posting.passages {
                let at = (length.first_passage as usize).saturating_add(number as usize);
                if let Some(score) = passages.get_mut(at) {
                    let long = f32::from(passage_lengths[at]) / average_passage;
                    let dilution = weights.passage_k1 * (1.0 - weights.passage_b + weights.passage_b * long);
                    *score += passage_weight * (weights.passage_k1 + 1.0) * times as f32 / (times as f32 + dilution);
                }
            }
        })?;
    }
    let sought = Sought::new(Embedder::default().embed(message));
    let mut ranking = Ranking { terms, scored: all, matching: 0, lengths, passages, ideal, sought };
    add_passages(&mut ranking, weights);
    ranking.matching = ranking.scored.iter().filter(|scored| scored.words > 0.0).count();
    add_meaning(&mut ranking, file, weights)?;
    ranking.scored.sort_unstable_by(by_score);
    Ok(ranking)
}

/// Returns how rare something is that occurs in `found` of `all` places.
fn rareness(all: u32, found: u32) -> f32 {
    (1.0 + (all as f32 - found as f32 + 0.5).max(0.0) / (found as f32 + 0.5)).ln()
}

fn kind_weight(kind: TermKind, weights: &Weights) -> f32 {
    match kind {
        TermKind::Word | TermKind::Pair | TermKind::Name => 1.0,
        TermKind::Chatter => weights.chatter,
        TermKind::Exact => weights.exact,
    }
}

/// Adds each document's best passage, and makes scores relative to the best document's: the vectors are then weighed
/// alike for a message of three words and one of thirty.
fn add_passages(ranking: &mut Ranking, weights: &Weights) {
    let mut top = f32::MIN_POSITIVE;
    for at in 0..ranking.scored.len() {
        let range = ranking.passages_of(at as u32);
        let best = range.map(|number| ranking.passages[number as usize]).fold(0f32, f32::max);
        let scored = &mut ranking.scored[at];
        scored.passage_score = best;
        scored.words = scored.fields_score + weights.passage * best;
        top = top.max(scored.words);
    }
    for scored in &mut ranking.scored {
        scored.score = scored.words / top;
    }
}

/// Adds the likeness of the vectors to the candidates' scores, and forgets the documents that are none.
fn add_meaning(ranking: &mut Ranking, file: &SearchFile, weights: &Weights) -> Result<(), SearchFileError> {
    if weights.meaning <= 0.0 || ranking.sought.is_nothing() {
        ranking.scored.retain(|scored| scored.score > 0.0 || scored.is_meant());
        return Ok(());
    }
    let sought = &ranking.sought;
    let scans = file.header.documents <= SCANNED_DOCUMENTS;
    if scans {
        let bytes = file.document_vectors(0, file.header.documents)?;
        for (scored, packed) in ranking.scored.iter_mut().zip(bytes.chunks_exact(DIMENSIONS)) {
            scored.meaning = sought.likeness(packed);
        }
    }
    let mut scored = std::mem::take(&mut ranking.scored);
    let mut others = keep_first(&mut scored, CANDIDATES, by_what_is_meant);
    if scans {
        keep_first(&mut others, CANDIDATES / 2, |a, b| b.meaning.total_cmp(&a.meaning).then(a.document.cmp(&b.document)));
        scored.append(&mut others);
    }
    for scored in &mut scored {
        let own = if scans { scored.meaning } else { sought.likeness(&file.document_vectors(scored.document, 1)?) };
        let range = ranking.passages_of(scored.document);
        let bytes = file.passage_vectors(range.start, range.end - range.start)?;
        let best = bytes.chunks_exact(DIMENSIONS).map(|packed| sought.likeness(packed)).fold(own.min(0.0), f32::max);
        scored.meaning = weights.meaning_passage * best + (1.0 - weights.meaning_passage) * own;
        scored.score += weights.meaning * scored.meaning.max(0.0);
    }
    ranking.scored = scored;
    Ok(())
}

/// Keeps the first `count` in an order, and returns the others.
fn keep_first(scored: &mut Vec<Scored>, count: usize, order: fn(&Scored, &Scored) -> Ordering) -> Vec<Scored> {
    if scored.len() <= count {
        return Vec::new();
    }
    scored.select_nth_unstable_by(count, order);
    scored.split_off(count)
}

/// Best first; documents are numbered in the order of their ids, which breaks ties.
fn by_score(a: &Scored, b: &Scored) -> Ordering {
    b.score.total_cmp(&a.score).then(a.document.cmp(&b.document))
}

/// What the message means comes first, then the best.
fn by_what_is_meant(a: &Scored, b: &Scored) -> Ordering {
    b.is_meant().cmp(&a.is_meant()).then_with(|| by_score(a, b))
}
