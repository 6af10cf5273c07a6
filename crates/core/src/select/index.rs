//! The source to selection: a search index that is built, opened and asked.

use std::borrow::Cow;
use std::fs::File;
use std::io::Write;
use std::ops::Range;
use std::path::Path;

use super::abstain::{Evidence, confidence};
use super::document::{Document, Field};
use super::file::{Postings, SearchFile, SearchFileError};
use super::layout::Fingerprint;
use super::message::user_words;
use super::rank::{QueryTerm, Ranking, Scored, rank};
use super::sound::sound;
use super::update::{Load, Wanted, update};
use super::vectors::DIMENSIONS;
use super::weights::Weights;
use super::words::TermKind;

/// Best sections that are reported per document.
const SECTIONS: usize = 8;
/// The number of topical terms beyond which more prove nothing.
const ENOUGH_TERMS: f32 = 12.0;

/// The documents chosen for a message, with everything that led there.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection<C = Ranked> {
    /// What scored, best first: the chosen documents, then some that were not, each with its verdict.
    pub candidates: Vec<C>,
    /// Why nothing was chosen.
    pub abstained: Option<Abstention>,
    /// How sure it is, 0 to 1, that the message is about a document.
    pub confidence: f32,
    /// The confidence that was needed.
    pub threshold: f32,
    /// The score a document needed, given the best one's.
    pub cut: f32,
    /// What the confidence was computed from, in the order of `FEATURES`.
    pub evidence: Evidence,
    /// The message's words that were looked for.
    pub words: Vec<String>,
    /// Documents in the index.
    pub documents: usize,
    /// Documents in which any word occurs.
    pub matching: usize,
}

impl Selection {
    /// Returns the chosen documents, best first.
    pub fn chosen(&self) -> impl Iterator<Item = &Ranked> {
        self.candidates.iter().filter(|ranked| ranked.is_chosen())
    }

    /// Makes something else of each candidate.
    pub fn try_map<C, E>(self, map: impl FnMut(Ranked) -> Result<C, E>) -> Result<Selection<C>, E> {
        let Self { candidates, abstained, confidence, threshold, cut, evidence, words, documents, matching } = self;
        let candidates = candidates.into_iter().map(map).collect::<Result<_, E>>()?;
        Ok(Selection { candidates, abstained, confidence, threshold, cut, evidence, words, documents, matching })
    }
}

/// Why nothing was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Abstention {
    /// The prompt holds no words of the user.
    NotTheUser,
    /// The message has no word that could name a topic.
    NoTopic,
    /// No document has anything to do with it.
    NoMatch,
    /// Documents share words with it, but too little to be what it is about.
    NotAbout,
}

impl std::fmt::Display for Abstention {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NotTheUser => "the prompt holds no words of the user",
            Self::NoTopic => "the message names no topic",
            Self::NoMatch => "no document has to do with the message",
            Self::NotAbout => "no document is close enough to the message",
        })
    }
}

/// What became of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verdict {
    /// It was chosen.
    Chosen,
    /// It scored too little next to the best.
    BelowCut,
    /// The message means others, and is not about this one.
    NotMeant,
    /// Better ones used up the limit.
    OverLimit,
    /// Nothing was chosen for this message.
    #[default]
    Abstained,
}

/// A document that scored.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ranked {
    /// The document's id.
    pub id: String,
    /// Its place among all documents, in the order of their ids.
    pub number: usize,
    /// Its path.
    pub path: String,
    /// Its title.
    pub title: String,
    /// What it scored.
    pub score: f32,
    /// The part of the score that came from words, as a share of the ideal.
    pub words: f32,
    /// The likeness of meaning, -1 to 1.
    pub meaning: f32,
    /// The words that matched and where, rarest first.
    pub matches: Vec<Match>,
    /// Its sections that fit the message best, best first.
    pub sections: Vec<RankedSection>,
    /// What became of it.
    pub verdict: Verdict,
}

impl Ranked {
    /// Tells whether the words of the message chose it.
    pub fn is_chosen(&self) -> bool {
        self.verdict == Verdict::Chosen
    }
}

/// A word of the message found in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// The word, as the message has it, in lower case.
    pub word: String,
    /// The fields it was found in.
    pub fields: Vec<Field>,
}

/// A section of a document that fits the message.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedSection {
    /// Its headings, outermost first, joined by ` › `.
    pub trail: String,
    /// Where it stands in the document's text.
    pub range: Range<usize>,
    /// What it scored; comparable within the document.
    pub score: f32,
}

/// A prepared set of documents that can be asked which of them fit a message.
#[derive(Debug)]
pub struct SearchIndex {
    file: SearchFile,
}

impl SearchIndex {
    /// Returns the bytes of a search file for the given documents; the same documents in any order give the same bytes.
    pub fn build(documents: &[Document]) -> Vec<u8> {
        let wanted = Wanted::new(documents.iter().map(|document| (document.id.as_str(), Some(document.hash.as_str()))));
        let mut load = |place: usize| Cow::Borrowed(&documents[place]);
        update(&wanted, None, &mut load, None, Vec::new()).expect("memory can be written and read back")
    }

    /// Writes the search file of the wanted documents; what the old one has of them is taken over, the others are
    /// loaded one at a time by their places. Memory is bounded where there is a directory to spool to.
    pub fn update<W: Write>(
        wanted: &Wanted,
        old: Option<Self>,
        load: &mut Load<'_>,
        spool: Option<&Path>,
        out: W,
    ) -> Result<W, SearchFileError> {
        update(wanted, old.map(|old| old.file), load, spool, out)
    }

    /// Uses an open file that was just written.
    pub fn of_file(file: File) -> Result<Self, SearchFileError> {
        Ok(Self { file: SearchFile::from_file(file)? })
    }

    /// Opens a search file whatever documents it was made from, to take over from it.
    pub fn open_any(path: &Path) -> Result<Self, SearchFileError> {
        Ok(Self { file: SearchFile::open(path)? })
    }

    /// Opens a search file if it was made from exactly these documents.
    pub fn open(path: &Path, documents: &Fingerprint) -> Result<Self, SearchFileError> {
        let file = SearchFile::open(path)?;
        file.require(documents)?;
        Ok(Self { file })
    }

    /// Uses the bytes of a search file in memory.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, SearchFileError> {
        Ok(Self { file: SearchFile::from_bytes(bytes)? })
    }

    /// Returns how many documents the index holds.
    pub fn documents(&self) -> usize {
        self.file.header.documents as usize
    }

    /// Chooses at most `limit` documents for a prompt.
    pub fn query(&self, prompt: &str, limit: usize) -> Result<Selection, SearchFileError> {
        self.query_with(prompt, limit, 0, &Weights::default())
    }

    /// Chooses with other weights than the default ones, and describes up to `explained` documents that were not chosen.
    pub fn query_with(&self, prompt: &str, limit: usize, explained: usize, weights: &Weights) -> Result<Selection, SearchFileError> {
        let mut selection = Selection {
            candidates: Vec::new(),
            abstained: None,
            confidence: 0.0,
            threshold: weights.threshold,
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
        selection.evidence = evidence(&message, &ranking);
        selection.confidence = confidence(&selection.evidence, weights);
        selection.cut = ranking.scored.first().map_or(0.0, |best| best.score * weights.cut);
        // What the message calls by its name comes first. What it means is chosen, whatever else it says; the rest must fit.
        let only_meant = selection.confidence < weights.threshold && ranking.scored.iter().any(Scored::is_meant);
        ranking.scored.sort_by_key(|scored| (!scored.is_named, only_meant && !scored.is_meant()));
        if only_meant {
            selection.confidence = 1.0;
        }
        selection.abstained = abstain(&ranking, selection.confidence, weights);
        let described = if selection.abstained.is_some() { explained } else { limit.saturating_add(explained) };
        for (at, scored) in ranking.scored.iter().take(described).enumerate() {
            let verdict = if selection.abstained.is_some() {
                Verdict::Abstained
            } else if only_meant && !scored.is_meant() {
                Verdict::NotMeant
            } else if scored.score < selection.cut && !scored.is_meant() {
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
            score: scored.score,
            words: if ranking.ideal > 0.0 { scored.words / ranking.ideal } else { 0.0 },
            meaning: scored.meaning,
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
                Ok(RankedSection { trail, range, score })
            })
            .collect()
    }
}

/// Tells for each candidate which words were found where.
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
            }
        })?;
    }
    Ok(())
}

fn is_topical(term: &QueryTerm) -> bool {
    !matches!(term.kind, TermKind::Chatter | TermKind::Name)
}

fn abstain(ranking: &Ranking, confidence: f32, weights: &Weights) -> Option<Abstention> {
    if ranking.scored.is_empty() {
        return Some(Abstention::NoMatch);
    }
    if confidence >= weights.threshold {
        return None;
    }
    let has_topic = ranking.terms.iter().any(is_topical);
    Some(if has_topic { Abstention::NotAbout } else { Abstention::NoTopic })
}

/// Computes the features of [`super::FEATURES`].
fn evidence(message: &str, ranking: &Ranking) -> Evidence {
    let Some(best) = ranking.scored.first() else {
        return Evidence::default();
    };
    let topical = ranking.terms.iter().filter(|term| is_topical(term)).count();
    [
        (topical as f32).min(ENOUGH_TERMS),
        (best.topical as f32).min(ENOUGH_TERMS),
        (1.0 + best.words).ln(),
        best.words / ranking.ideal.max(f32::MIN_POSITIVE),
        best.meaning,
        (1.0 + message.split_whitespace().count().min(60) as f32).ln(),
        sound(&ranking.sought),
    ]
}
