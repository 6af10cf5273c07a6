//! Explains what became of a document for a message: every test that stands between it and a window, passed or missed, with
//! the numbers that decided.

use std::fmt;
use std::path::Path;

use serde::{Serialize, Serializer};

use super::bring::{bring, needed_of};
use super::choose::{Choice, SelectRequest, select};
use crate::Failure;
use crate::candidate::Candidate;
use crate::note::Note;
use crate::select::{Abstention, Field, Ranked, Verdict};
use crate::settings::Setting;

/// A test that a document must pass, in the order in which they are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TestKind {
    /// The message must be about a document at all: the confidence that it is.
    Topic,
    /// If the message names documents, this must be one of them, unless it is about others as well.
    Named,
    /// The document's score must be near the best one's: near enough to match the message.
    Match,
    /// No more documents than the limit may be better.
    Limit,
    /// The document's score must be so near the best one's that it is worth its room.
    Worth,
}

impl TestKind {
    /// Returns what is measured.
    pub fn words(self) -> &'static str {
        match self {
            Self::Topic => "confidence that the message is about a document",
            Self::Named => "named in the message",
            Self::Match => "score, to match the message",
            Self::Limit => "place among the matching documents",
            Self::Worth => "score, to be worth its room",
        }
    }
}

/// A test, with what the document had and what it needed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Test {
    pub test: TestKind,
    pub had: f32,
    pub needed: f32,
    pub is_passed: bool,
    /// The setting that decides, with its origin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
}

impl Test {
    /// Returns by how much it was missed; negative if it was passed.
    pub fn missed_by(&self) -> f32 {
        if self.test == TestKind::Limit { self.had - self.needed } else { self.needed - self.had }
    }
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { test, had, needed, is_passed, decided_by } = self;
        let mark = if *is_passed { "passed" } else { "MISSED" };
        match test {
            TestKind::Named => write!(f, "{mark}  the message names {} document", if *is_passed { "this" } else { "another" })?,
            TestKind::Limit => write!(f, "{mark}  {}: {had:.0}, at most {needed:.0}", test.words())?,
            _ => write!(f, "{mark}  {}: {had:.3}, needed {needed:.3}", test.words())?,
        }
        if !is_passed && *test != TestKind::Named {
            write!(f, ", missed by {:.*}", if *test == TestKind::Limit { 0 } else { 3 }, self.missed_by())?;
        }
        decided_by.as_deref().map_or(Ok(()), |by| write!(f, " [{by}]"))
    }
}

/// A word of the message, and where the document has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Found {
    pub word: String,
    pub fields: Vec<&'static str>,
}

/// What became of one candidate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explained {
    /// Its identity: the full path of its file, with `#name` for an entry.
    pub id: String,
    pub path: String,
    pub title: String,
    /// Its place among all ranked documents, from 1.
    pub place: usize,
    pub score: f32,
    /// The two parts of the score: of the words, as a share of the ideal, and of the meaning, -1 to 1.
    pub words: f32,
    pub meaning: f32,
    pub matches: Vec<Found>,
    /// Its sections that fit, the best first, as their headings. Empty for text above the first heading.
    pub sections: Vec<String>,
    #[serde(serialize_with = "verdict_word")]
    pub verdict: Verdict,
    /// Whether it was chosen, by the words or by a model.
    pub is_chosen: bool,
    pub tests: Vec<Test>,
}

/// Which tests are worth a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    All,
    /// Those that were missed.
    Missed,
}

impl Explained {
    /// Returns the explanation in lines: the score and its parts, what matched where, the best section, and the tests.
    pub fn lines(&self, shown: Shown) -> Vec<String> {
        let mut lines = vec![format!("{}, place {}", self.score_words(), self.place)];
        lines.extend(self.details(shown));
        lines
    }

    /// Returns the score and its parts.
    pub fn score_words(&self) -> String {
        let Self { score, words, meaning, .. } = self;
        format!("score {score:.3} (words {words:.3}, meaning {meaning:.2})")
    }

    /// Returns everything but the score.
    pub fn details(&self, shown: Shown) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.matches.is_empty() {
            let found: Vec<String> = self.matches.iter().map(|found| format!("{} ({})", found.word, found.fields.join(", "))).collect();
            lines.push(format!("matched: {}", found.join("; ")));
        }
        let best = self.sections.first().filter(|section| !section.is_empty());
        lines.extend(best.map(|section| format!("best section: {section}")));
        lines.extend(self.tests.iter().filter(|test| shown == Shown::All || !test.is_passed).map(Test::to_string));
        lines
    }
}

/// Returns the word for a decision.
fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Chosen => "chosen",
        Verdict::BelowCut => "below-cut",
        Verdict::NotMeant => "not-meant",
        Verdict::OverLimit => "over-limit",
        Verdict::Abstained => "abstained",
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it this way")]
fn verdict_word<S: Serializer>(verdict: &Verdict, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(verdict_name(*verdict))
}

/// A whole selection with its reasons: what programs are told of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The chosen documents, the best first.
    pub paths: Vec<String>,
    /// What chose: `local` or `openai`.
    pub selector: &'static str,
    /// Why nothing was chosen, if so.
    pub abstained: Option<String>,
    pub confidence: f32,
    /// The confidence that was needed.
    pub threshold: f32,
    /// The words that were looked for.
    pub words: Vec<String>,
    /// How many documents there are.
    pub documents: usize,
    pub candidates: Vec<Explained>,
    pub notes: Vec<Note>,
}

impl Explanation {
    /// Explains a choice that was made for `limit` documents. `path` names a candidate.
    pub fn new(choice: &Choice, limit: usize, max_docs: &Setting<u64>, path: impl Fn(&Candidate) -> String) -> Self {
        let selection = &choice.selection;
        let explained = selection.candidates.iter().zip(explain_choice(choice, limit, max_docs));
        Self {
            paths: choice.chosen().into_iter().map(&path).collect(),
            selector: if choice.is_models { "openai" } else { "local" },
            abstained: selection.abstained.map(|why| why.to_string()),
            confidence: selection.confidence,
            threshold: selection.threshold,
            words: selection.words.clone(),
            documents: selection.documents,
            candidates: explained.map(|(candidate, explained)| Explained { path: path(candidate), ..explained }).collect(),
            notes: choice.notes.iter().chain(&choice.unread).cloned().collect(),
        }
    }
}

/// Explains every candidate of a choice that was made for `limit` documents.
pub fn explain_choice(choice: &Choice, limit: usize, max_docs: &Setting<u64>) -> Vec<Explained> {
    let place = |(at, candidate): (usize, &Candidate)| explained(choice, candidate, at + 1, limit, max_docs);
    choice.selection.candidates.iter().enumerate().map(place).collect()
}

fn explained(choice: &Choice, candidate: &Candidate, place: usize, limit: usize, max_docs: &Setting<u64>) -> Explained {
    let ranked = &candidate.about.ranked;
    Explained {
        id: ranked.id.clone(),
        path: candidate.shown.clone(),
        title: ranked.title.clone(),
        place,
        score: ranked.score,
        words: ranked.words,
        meaning: ranked.meaning,
        matches: matches(ranked),
        sections: ranked.sections.iter().map(|section| section.trail.clone()).collect(),
        verdict: ranked.verdict,
        is_chosen: candidate.is_chosen(),
        tests: tests(choice, ranked, place, limit, max_docs),
    }
}

fn matches(ranked: &Ranked) -> Vec<Found> {
    let found = ranked.matches.iter();
    found.map(|found| Found { word: found.word.clone(), fields: found.fields.iter().map(|field: &Field| field.name()).collect() }).collect()
}

/// Returns the tests of a document. A model that chooses makes none of them.
fn tests(choice: &Choice, ranked: &Ranked, place: usize, limit: usize, max_docs: &Setting<u64>) -> Vec<Test> {
    let selection = &choice.selection;
    let test = |test, had: f32, needed: f32, is_passed| Test { test, had, needed, is_passed, decided_by: None };
    let mut tests = vec![test(TestKind::Topic, selection.confidence, selection.threshold, selection.confidence >= selection.threshold)];
    if choice.is_models {
        return tests;
    }
    if ranked.verdict == Verdict::NotMeant {
        tests.push(test(TestKind::Named, 0.0, 1.0, false));
    }
    // What the message names is chosen whatever its score.
    tests.push(test(TestKind::Match, ranked.score, selection.cut, ranked.score >= selection.cut || ranked.is_chosen()));
    let decided_by = (max_docs.value == limit as u64).then(|| max_docs.decided_by());
    tests.push(Test { decided_by, ..test(TestKind::Limit, place as f32, limit as f32, place <= limit) });
    let needed = needed_of(choice);
    tests.push(test(TestKind::Worth, ranked.score, needed, ranked.score >= needed));
    tests
}

/// What a message makes of a file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Decision {
    /// The words that were looked for.
    pub looked_for: Vec<String>,
    /// How many documents there are, and how many have any of the words.
    pub documents: usize,
    pub matching: usize,
    /// Why no document was chosen, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub abstained: Option<Abstention>,
    /// Whether a model chose.
    pub is_models: bool,
    /// The best candidate of the file: itself, or its best entry. `None`: the message leads nowhere near it.
    pub candidate: Option<Explained>,
    /// The best of all, for comparison.
    pub best: Option<Explained>,
    /// What the message would bring of the file, with the tokens.
    pub pieces: Vec<(String, u64)>,
    /// What happened to the file on the way.
    pub notes: Vec<Note>,
    /// The version of the documents.
    pub version: String,
}

/// Decides for a message, and explains what becomes of a file.
pub fn explain(request: &SelectRequest<'_>, file: &Path) -> Result<Decision, Failure> {
    let request = &SelectRequest { explained: usize::MAX / 2, ..*request };
    let choice = select(request)?;
    let brought = bring(request);
    let is_its = |candidate: &&Candidate| candidate.path == file;
    let all = &choice.selection.candidates;
    let max_docs = &request.settings.docs.max_docs;
    let place = all.iter().position(|candidate| is_its(&candidate));
    let own = place.map(|at| explained(&choice, &all[at], at + 1, request.limit, max_docs));
    let shown = all.iter().find(is_its).map(|candidate| candidate.shown.clone());
    let is_about = |path: &str| Some(path) == shown.as_deref() || request.places.here.join(path) == file;
    let pieces = brought.pieces.iter().filter(|piece| is_about(&piece.file)).map(|piece| (piece.path.clone(), piece.tokens)).collect();
    Ok(Decision {
        looked_for: choice.selection.words.clone(),
        documents: choice.selection.documents,
        matching: choice.selection.matching,
        abstained: choice.selection.abstained,
        is_models: choice.is_models,
        candidate: own,
        best: all.first().map(|best| explained(&choice, best, 1, request.limit, max_docs)),
        pieces,
        notes: brought.notes.into_iter().filter(|note| is_about(&note.path)).collect(),
        version: brought.documents,
    })
}
