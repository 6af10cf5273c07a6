//! Scores the documents of a search file for the terms of a message.
//!
//! The score is BM25F over the fields (counts are normalised by field length and weighted before they saturate
//! together), plus BM25 of the best passage, plus the similarity of the vectors. Sums are added in the order of the
//! message's terms, so that results are identical on every run.

use std::cmp::Ordering;

use super::document::Field;
use super::file::{Lengths, Postings, SearchFile, SearchFileError};
use super::secondary::{is_secondary, not_asked_for};
use super::vectors::{DIMENSIONS, Embedder, Sought};
use super::weights::Weights;
use super::words::{LONGEST_RUN, Term, TermKind, name, runs, terms_of};

/// The number of documents whose passage vectors are compared, by rank of words and of document vectors.
const CANDIDATES: usize = 128;
/// With more documents than this, vectors are compared only for documents that matched by words: reading all would
/// take too long.
const SCANNED_DOCUMENTS: u32 = 20_000;
/// A smaller collection is treated as this large: among three documents no term would be rare, and no match would be
/// evidence.
const FEW_DOCUMENTS: u32 = 40;
/// The same for passages.
const FEW_PASSAGES: u32 = 240;
/// Longer messages are pasted logs; only their first terms count.
const MOST_TERMS: usize = 256;
/// A file name shared by more documents than this identifies none of them (`README.md`, `index.md`).
const MOST_NAMESAKES: u32 = 3;
/// An identifier is rare if at most one document in this many contains it, or just one.
const RARE_SHARE: u32 = 50;
/// The number of best documents whose kind is looked at.
const LOWERED: usize = 40;
/// Shorter identifiers (`v2`, `es6`) do not point to a document.
const IDENTIFIER_LENGTH: usize = 5;

/// What a document's score is the weighted sum of.
pub const PARTS: [&str; 7] = [
    "words, relative to the best document's",
    "similarity of its vector",
    "similarity of its best passage",
    "how far the message names its title",
    "how far the message names its file",
    "the share of the message that it has",
    "is a change log, a licence or the like",
];

/// A distinct term of a message.
#[derive(Debug, Clone)]
pub(super) struct QueryTerm {
    pub(super) text: String,
    pub(super) surface: String,
    pub(super) kind: TermKind,
    /// Rareness in this collection; the maximum for a term that does not occur.
    pub(super) idf: f32,
    /// Where it occurs, if anywhere.
    pub(super) postings: Option<Postings>,
    /// The number of passages with it.
    passages: u32,
    /// The number of documents with it.
    documents: u32,
    /// Whether it looks like an identifier, which ordinary words never do.
    is_identifier: bool,
}

/// The result of scoring one document.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Scored {
    pub(super) document: u32,
    /// BM25F of the document plus its best passage.
    pub(super) words: f32,
    pub(super) fields_score: f32,
    pub(super) passage_score: f32,
    /// How many words of its title and of its name the message has.
    title_hits: f32,
    name_hits: f32,
    /// The weight of the message's terms that its title or name has, and of those that it has anywhere.
    in_subject: f32,
    in_any: f32,
    /// The similarity of its own vector, and of its best passage.
    pub(super) own_meaning: f32,
    pub(super) passage_meaning: f32,
    /// The values of [`PARTS`].
    pub(super) parts: [f32; PARTS.len()],
    /// The similarity of meaning, -1 to 1.
    pub(super) meaning: f32,
    pub(super) score: f32,
    /// The chance that it is meant, if any document is.
    pub(super) chance: f32,
    /// The number of topical terms found in it.
    pub(super) topical: u32,
    /// Whether the message mentions its file name.
    pub(super) is_named: bool,
    /// Whether it is one of the few documents with an identifier from the message.
    pub(super) is_pointed_at: bool,
}

impl Scored {
    /// Returns whether the message mentions its name or an identifier that points to it.
    pub(super) fn is_meant(&self) -> bool {
        self.is_named || self.is_pointed_at
    }
}

/// The scores of all documents that match a message.
#[derive(Debug)]
pub(super) struct Ranking {
    pub(super) terms: Vec<QueryTerm>,
    /// Best first; documents with equal scores in the order of ids.
    pub(super) scored: Vec<Scored>,
    /// The number of documents that contain any term.
    pub(super) matching: usize,
    pub(super) lengths: Vec<Lengths>,
    /// The score by words of every passage in the file.
    pub(super) passages: Vec<f32>,
    /// The score of an ideal document that has every term in every field.
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
            // The words of an address are not the user's; only a document with the address itself is meant.
            None if is_address(run, message) || is_elsewhere(run, file)? => {
                terms_of(run).into_iter().filter(|term| term.text.eq_ignore_ascii_case(run)).collect()
            }
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

/// Distinguishes identifiers, settings and error codes from words that people join (`double-check`, `and/or`): it
/// needs a digit, an underscore, a camel-case hump or a dot between letters.
fn is_identifier(run: &str) -> bool {
    let pairs = || run.chars().zip(run.chars().skip(1));
    run.len() >= IDENTIFIER_LENGTH
        && (run.contains(|c: char| c.is_ascii_digit() || c == '_' || c == '.')
            || pairs().any(|(a, b)| a.is_lowercase() && b.is_uppercase()))
}

/// Returns whether a run is what follows the scheme of a URL.
fn is_address(run: &str, message: &str) -> bool {
    message[..run.as_ptr() as usize - message.as_ptr() as usize].ends_with("://")
}

/// Returns whether a path, which names no document, ends like the path of one: it is another file of the same name.
fn is_elsewhere(run: &str, file: &SearchFile) -> Result<bool, SearchFileError> {
    let lower = run.replace('\\', "/").to_lowercase();
    let Some((_, last)) = lower.rsplit_once('/').filter(|_| run.len() <= LONGEST_RUN) else { return Ok(false) };
    let last = last.split_once(':').map_or(last, |(name, _)| name);
    Ok(last.contains('.') && file.find_term(&name(last))?.is_some())
}

/// Finds the documents that a path in a message refers to: `/home/me/shop/docs/auth.md:12:5` is `docs/auth.md` here.
/// For a path, more than the file name must match; URLs never refer to a document.
fn named(run: &str, message: &str, file: &SearchFile) -> Result<Option<Term>, SearchFileError> {
    if !run.contains('.') || run.len() > LONGEST_RUN || is_address(run, message) {
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
    let (mut ideal, mut total) = (0.0, 0.0);
    let few = (file.header.documents / RARE_SHARE).max(1);
    for postings in terms.iter().filter(|term| term.kind == TermKind::Name).filter_map(|term| term.postings.as_ref()) {
        postings.each(|posting| all[posting.document as usize].is_named = true)?;
    }
    for term in terms.iter().filter(|term| term.kind != TermKind::Name) {
        let importance = kind_weight(term.kind, weights);
        let weight = term.idf * importance;
        total += weight;
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
            scored.title_hits += posting.fields[Field::Title as usize] as f32;
            scored.name_hits += posting.fields[Field::Name as usize] as f32;
            let subject = Field::Title.bit() | Field::Name.bit();
            scored.in_any += weight;
            if posting.mask & subject != 0 {
                scored.in_subject += weight;
            }
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
    weigh(&mut ranking, total, weights);
    ranking.scored.sort_unstable_by(by_score);
    put_secondary_last(message, &mut ranking, file, weights)?;
    add_chances(&mut ranking.scored);
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

/// Adds each document's best passage, and makes scores relative to the best document's. The vectors then have the same
/// weight for a message of three words and one of thirty.
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

/// Adds the similarity of the vectors to the candidates' scores, and drops all other documents.
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
        scored.own_meaning = own;
        scored.passage_meaning = best;
        scored.meaning = weights.meaning_passage * best + (1.0 - weights.meaning_passage) * own;
    }
    ranking.scored = scored;
    Ok(())
}

/// Computes the parts of the scores except the last one, and the scores. `total` is the weight of all terms of the message.
fn weigh(ranking: &mut Ranking, total: f32, weights: &Weights) {
    let total = total.max(f32::MIN_POSITIVE);
    for scored in &mut ranking.scored {
        let lengths = ranking.lengths[scored.document as usize].fields;
        let share = |hits: f32, field: Field| (hits / lengths[field as usize].max(1) as f32).min(1.0);
        let subject = scored.in_subject / total;
        scored.parts = [
            scored.score,
            scored.own_meaning.max(0.0),
            scored.passage_meaning.max(0.0),
            share(scored.title_hits, Field::Title) * subject,
            share(scored.name_hits, Field::Name) * subject,
            scored.in_any / total,
            0.0,
        ];
        scored.score = scored.parts.iter().zip(weights.parts).map(|(part, weight)| part * weight).sum();
    }
}

/// Lowers documents about other things than the subject itself (change logs, licences), unless the message asks for them.
fn put_secondary_last(message: &str, ranking: &mut Ranking, file: &SearchFile, weights: &Weights) -> Result<(), SearchFileError> {
    let rules = not_asked_for(message, &weights.secondary);
    if rules.is_empty() {
        return Ok(());
    }
    for scored in ranking.scored.iter_mut().take(LOWERED) {
        let names = file.names(scored.document)?;
        if !scored.is_meant() && is_secondary(&names.path, &names.title, &rules) {
            scored.parts[PARTS.len() - 1] = 1.0;
            scored.score += weights.parts[PARTS.len() - 1];
        }
    }
    ranking.scored.sort_unstable_by(by_score);
    Ok(())
}

/// Turns scores into chances that add up to one. What the message names is certain.
fn add_chances(scored: &mut [Scored]) {
    let best = scored.first().map_or(0.0, |best| best.score);
    let sum: f32 = scored.iter().map(|one| (one.score - best).exp()).sum();
    for one in scored {
        one.chance = if one.is_named { 1.0 } else { (one.score - best).exp() / sum };
    }
}

/// Keeps the first `count` items in the given order, and returns the others.
fn keep_first(scored: &mut Vec<Scored>, count: usize, order: fn(&Scored, &Scored) -> Ordering) -> Vec<Scored> {
    if scored.len() <= count {
        return Vec::new();
    }
    scored.select_nth_unstable_by(count, order);
    scored.split_off(count)
}

/// Orders by score, best first. Documents are numbered in the order of their ids, which breaks ties.
fn by_score(a: &Scored, b: &Scored) -> Ordering {
    b.score.total_cmp(&a.score).then(a.document.cmp(&b.document))
}

/// Orders documents that the message refers to first, then by score.
fn by_what_is_meant(a: &Scored, b: &Scored) -> Ordering {
    b.is_meant().cmp(&a.is_meant()).then_with(|| by_score(a, b))
}
