//! The entry point of selection: builds, opens and queries a search index.

use std::borrow::Cow;
use std::fs::File;
use std::io::Write;
use std::ops::Range;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::abstain::{Evidence, confidence, evidence};
use super::document::{Document, Field};
use super::file::{Postings, SearchFile, SearchFileError};
use super::layout::Fingerprint;
use super::message::user_words;
use super::rank::{PARTS, QueryTerm, Ranking, Scored, rank};
use super::update::{Load, Wanted, update};
use super::vectors::DIMENSIONS;
use super::weights::Weights;
use super::words::TermKind;

/// The number of best sections reported per document.
const SECTIONS: usize = 8;

/// The documents chosen for a message, and the numbers behind the decision.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection<C = Ranked> {
    /// The documents with a score, best first: the chosen ones, then some of the others, each with its verdict.
    pub candidates: Vec<C>,
    /// Why nothing was chosen, if so.
    pub abstained: Option<Abstention>,
    /// The confidence, 0 to 1, that the message is about a document.
    pub confidence: f32,
    /// The required confidence.
    pub threshold: f32,
    /// The score that a document needed, relative to the best one's.
    pub cut: f32,
    /// The values that the confidence was computed from, in the order of `FEATURES`.
    pub evidence: Evidence,
    /// The words of the message that were searched for.
    pub words: Vec<String>,
    /// The number of documents in the index.
    pub documents: usize,
    /// The number of documents that contain any of the words.
    pub matching: usize,
}

impl Selection {
    /// Returns the chosen documents, best first.
    pub fn chosen(&self) -> impl Iterator<Item = &Ranked> {
        self.candidates.iter().filter(|ranked| ranked.is_chosen())
    }

    /// Converts each candidate.
    pub fn try_map<C, E>(self, map: impl FnMut(Ranked) -> Result<C, E>) -> Result<Selection<C>, E> {
        let Self { candidates, abstained, confidence, threshold, cut, evidence, words, documents, matching } = self;
        let candidates = candidates.into_iter().map(map).collect::<Result<_, E>>()?;
        Ok(Selection { candidates, abstained, confidence, threshold, cut, evidence, words, documents, matching })
    }
}

/// Why nothing was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Abstention {
    /// The prompt contains no words from the user.
    NotTheUser,
    /// The message contains no word that could name a topic.
    NoTopic,
    /// No document matches the message.
    NoMatch,
    /// Documents share words with the message, but too few to be its topic.
    NotAbout,
}

impl std::fmt::Display for Abstention {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NotTheUser => "the prompt contains no words from the user",
            Self::NoTopic => "the message names no topic",
            Self::NoMatch => "no document matches the message",
            Self::NotAbout => "no document is close enough to the message",
        })
    }
}

/// The decision about a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verdict {
    /// It was chosen.
    Chosen,
    /// Its score was too low compared to the best one.
    BelowCut,
    /// The message refers to other documents by name, and is not about this one.
    NotMeant,
    /// The limit was reached with better documents.
    OverLimit,
    /// Nothing was chosen for this message.
    #[default]
    Abstained,
}

/// A document with a score.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ranked {
    /// The document's id.
    pub id: String,
    /// Its number among all documents, in the order of their ids.
    pub number: usize,
    /// Its path.
    pub path: String,
    /// Its title.
    pub title: String,
    /// The chance, 0 to 1, that it is what the message is about, provided that one of the documents is.
    pub score: f32,
    /// The part of the score that comes from words, as a share of the ideal.
    pub words: f32,
    /// The similarity of meaning, -1 to 1.
    pub meaning: f32,
    /// What its score was computed from, in the order of `PARTS`.
    pub parts: [f32; PARTS.len()],
    /// The words that matched, with their fields, rarest first.
    pub matches: Vec<Match>,
    /// The sections that match the message best, best first.
    pub sections: Vec<RankedSection>,
    /// The decision about it.
    pub verdict: Verdict,
}

impl Ranked {
    /// Returns whether the words of the message chose it.
    pub fn is_chosen(&self) -> bool {
        self.verdict == Verdict::Chosen
    }
}

/// A word of the message found in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// The word as in the message, in lower case.
    pub word: String,
    /// The fields it was found in.
    pub fields: Vec<Field>,
}

/// A section of a document that matches the message.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedSection {
    /// The number of its passage in the search file.
    pub number: u32,
    /// Its headings, outermost first, joined by ` › `.
    pub trail: String,
    /// Its byte range in the document's text.
    pub range: Range<usize>,
    /// Its score, comparable within the document.
    pub score: f32,
    /// The words of the message that it has, rarest first.
    pub words: Vec<String>,
}

/// A search index: finds the documents that match a message.
#[derive(Debug)]
pub struct SearchIndex {
    file: SearchFile,
}

impl SearchIndex {
    /// Returns the bytes of a search file for the given documents. The same documents in any order result in the same
    /// bytes.
    pub fn build(documents: &[Document]) -> Vec<u8> {
        let wanted = Wanted::new(documents.iter().map(|document| (document.id.as_str(), Some(document.hash.as_str()))));
        let mut load = |place: usize| Cow::Borrowed(&documents[place]);
        update(&wanted, None, &mut load, None, Vec::new()).expect("memory can be written and read back")
    }

    /// Writes a search file for the wanted documents. Reuses what the old file has; the other documents are loaded one
    /// at a time by index. Memory is bounded if there is a directory to spool to.
    pub fn update<W: Write>(
        wanted: &Wanted,
        old: Option<Self>,
        load: &mut Load<'_>,
        spool: Option<&Path>,
        out: W,
    ) -> Result<W, SearchFileError> {
        update(wanted, old.map(|old| old.file), load, spool, out)
    }

    /// Opens a file that was just written.
    pub fn of_file(file: File) -> Result<Self, SearchFileError> {
        Ok(Self { file: SearchFile::from_file(file)? })
    }

    /// Opens a search file whatever documents it was built from, in order to reuse parts of it.
    pub fn open_any(path: &Path) -> Result<Self, SearchFileError> {
        Ok(Self { file: SearchFile::open(path)? })
    }

    /// Opens a search file if it was built from exactly these documents.
    pub fn open(path: &Path, documents: &Fingerprint) -> Result<Self, SearchFileError> {
        let file = SearchFile::open(path)?;
        file.require(documents)?;
        Ok(Self { file })
    }

    /// Opens a search file in memory.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, SearchFileError> {
        Ok(Self { file: SearchFile::from_bytes(bytes)? })
    }

    /// Returns what identifies the documents and their contents.
    pub fn fingerprint(&self) -> &Fingerprint {
        &self.file.header.fingerprint
    }

    /// Returns the number of documents in the index.
    pub fn documents(&self) -> usize {
        self.file.header.documents as usize
    }

    /// Chooses at most `limit` documents for a prompt.
    pub fn query(&self, prompt: &str, limit: usize) -> Result<Selection, SearchFileError> {
        self.query_with(prompt, limit, 0, &Weights::default())
    }

    /// Chooses with custom weights, and describes up to `explained` documents that were not chosen.
    pub fn query_with(&self, prompt: &str, limit: usize, explained: usize, weights: &Weights) -> Result<Selection, SearchFileError> {
        let mut selection = Selection {
            candidates: Vec::new(),
            abstained: None,
            confidence: 0.0,
            threshold: weights.fitted.needed,
            cut: 0.0,
            evidence: Evidence::default(),
            words: Vec::new(),
            documents: self.documents(),
            matching: 0,
        };
        let Some(message) = user_words(prompt) else {
            selection.abstained = Some(Abstention::NotTheUser);
            return Ok(selection);
        };
        let mut ranking = rank(&message, &self.file, weights)?;
        selection.words = ranking.terms.iter().map(|term| term.surface.clone()).collect();
        selection.matching = ranking.matching;
        selection.evidence = evidence(&message, &ranking, &weights.fitted);
        selection.confidence = confidence(&selection.evidence, &weights.fitted);
        selection.cut = ranking.scored.first().map_or(0.0, |best| best.chance * weights.cut);
        // Documents that the message names come first, and they are chosen whatever else it says. The others must
        // match.
        let only_meant = selection.confidence < selection.threshold && ranking.scored.iter().any(Scored::is_meant);
        ranking.scored.sort_by_key(|scored| (!scored.is_named, only_meant && !scored.is_meant()));
        if only_meant {
            selection.confidence = 1.0;
        }
        selection.abstained = abstain(&ranking, selection.confidence, selection.threshold);
        let described = if selection.abstained.is_some() { explained } else { limit.saturating_add(explained) };
        for (at, scored) in ranking.scored.iter().take(described).enumerate() {
            let verdict = if selection.abstained.is_some() {
                Verdict::Abstained
            } else if only_meant && !scored.is_meant() {
                Verdict::NotMeant
            } else if scored.chance < selection.cut && !scored.is_meant() {
                Verdict::BelowCut
            } else if at >= limit {
                Verdict::OverLimit
            } else {
                Verdict::Chosen
            };
            selection.candidates.push(self.describe(scored, &ranking, weights, verdict)?);
        }
        add_matches(&mut selection.candidates, &ranking)?;
        Ok(selection)
    }

    fn describe(&self, scored: &Scored, ranking: &Ranking, weights: &Weights, verdict: Verdict) -> Result<Ranked, SearchFileError> {
        let names = self.file.names(scored.document)?;
        let sections = if verdict == Verdict::Chosen { self.sections(scored, ranking, weights)? } else { Vec::new() };
        Ok(Ranked {
            id: names.id,
            number: scored.document as usize,
            path: names.path,
            title: names.title,
            score: scored.chance,
            words: if ranking.ideal > 0.0 { scored.words / ranking.ideal } else { 0.0 },
            meaning: scored.meaning,
            parts: scored.parts,
            matches: Vec::new(),
            sections,
            verdict,
        })
    }

    fn sections(&self, scored: &Scored, ranking: &Ranking, weights: &Weights) -> Result<Vec<RankedSection>, SearchFileError> {
        let numbers = ranking.passages_of(scored.document);
        let packed = self.file.passage_vectors(numbers.start, numbers.end - numbers.start)?;
        let mut order: Vec<(f32, u32)> = Vec::new();
        for (number, packed) in numbers.zip(packed.chunks_exact(DIMENSIONS)) {
            let words = ranking.passages[number as usize] / ranking.ideal.max(f32::MIN_POSITIVE);
            let meaning = ranking.sought.likeness(packed);
            order.push((words + weights.meaning * meaning.max(0.0), number));
        }
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        order
            .into_iter()
            .take(SECTIONS)
            .map(|(score, number)| {
                let (range, trail) = self.file.passage(number)?;
                Ok(RankedSection { number, trail, range, score, words: Vec::new() })
            })
            .collect()
    }
}

/// Adds to each candidate which words were found in which fields, and to its sections which of them they have.
fn add_matches(candidates: &mut [Ranked], ranking: &Ranking) -> Result<(), SearchFileError> {
    let mut terms: Vec<(&QueryTerm, &Postings)> = ranking.terms.iter().filter_map(|term| Some((term, term.postings.as_ref()?))).collect();
    terms.sort_by(|(a, _), (b, _)| b.idf.total_cmp(&a.idf).then_with(|| a.text.cmp(&b.text)));
    let mut places: Vec<(u32, usize)> =
        ranking.scored.iter().take(candidates.len()).enumerate().map(|(at, scored)| (scored.document, at)).collect();
    places.sort_unstable();
    let (Some((first, _)), Some((last, _))) = (places.first().copied(), places.last().copied()) else { return Ok(()) };
    for (term, postings) in terms {
        postings.each(|posting| {
            if posting.document < first || posting.document > last {
                return;
            }
            if let Ok(found) = places.binary_search_by_key(&posting.document, |(document, _)| *document) {
                let fields: Vec<Field> = Field::ALL.into_iter().filter(|field| posting.mask & field.bit() != 0).collect();
                if !fields.is_empty() {
                    candidates[places[found].1].matches.push(Match { word: term.surface.clone(), fields });
                }
                let first = ranking.lengths[posting.document as usize].first_passage;
                for section in &mut candidates[places[found].1].sections {
                    if posting.passages.iter().any(|(number, _)| first.saturating_add(*number) == section.number) {
                        section.words.push(term.surface.clone());
                    }
                }
            }
        })?;
    }
    Ok(())
}

fn is_topical(term: &QueryTerm) -> bool {
    !matches!(term.kind, TermKind::Chatter | TermKind::Name)
}

fn abstain(ranking: &Ranking, confidence: f32, needed: f32) -> Option<Abstention> {
    if ranking.scored.is_empty() {
        return Some(Abstention::NoMatch);
    }
    if confidence >= needed {
        return None;
    }
    let has_topic = ranking.terms.iter().any(is_topical);
    Some(if has_topic { Abstention::NotAbout } else { Abstention::NoTopic })
}
