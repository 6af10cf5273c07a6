//! Chooses the documents that match a message: by its words, or by a model that sees what the words found.
//!
//! The message is the only input. The local selector always runs first: a message without a topic is never sent
//! anywhere, and a model sees the best candidates instead of the whole index.

use std::path::PathBuf;
use std::time::Instant;

use super::MAX_DOCUMENT_BYTES;
use super::corpus::{Corpora, Corpus, IndexState};
use super::entries::entries;
use super::find::{IndexFile, find};
use super::index::Index;
use crate::Failure;
use crate::candidate::Candidate;
use crate::load::Root;
use crate::note::{Note, NoteKind};
use crate::select::{Selection, Weights};
use crate::settings::{OnFailure, Places, SelectorKind, Settings};

/// The number of candidates shown to a model: the right one is among them in 97 of 100 cases.
const SHOWN: usize = 30;

/// With so many withheld documents, no others are searched in their place.
const MAX_WITHHELD: usize = 8;

/// Asks a model: takes the message and the candidates, and returns indexes into the candidates, best first. Only path,
/// title, description and tags are meant for the model; texts stay here.
///
/// The core has no network access, so the caller provides this.
pub type Model<'a> = dyn Fn(&str, &[Candidate]) -> Result<Vec<usize>, Failure> + 'a;

/// Returns a note if a candidate must not be chosen.
pub type Withhold<'a> = dyn Fn(&Candidate) -> Option<Note> + 'a;

/// A request for documents.
#[derive(Clone, Copy)]
pub struct SelectRequest<'a> {
    /// The prompt as the agent received it; only the user's words in it are used.
    pub message: &'a str,
    pub places: &'a Places,
    pub settings: &'a Settings,
    /// The indexes to choose from. If `None`: the user's and the project's, and the entries of files that other
    /// sources do not load whole.
    pub indexes: Option<&'a [PathBuf]>,
    /// Returns a note for a document that must not be chosen, for example because the agent loads it by itself.
    pub withhold: Option<&'a Withhold<'a>>,
    /// The maximum number of documents to choose.
    pub limit: usize,
    /// The maximum number of other documents to describe.
    pub explained: usize,
    /// The model that chooses, if the settings ask for one.
    pub model: Option<&'a Model<'a>>,
    /// When the result is needed. If preparing the documents would take longer, the last prepared state is used.
    pub deadline: Option<Instant>,
    /// The numbers to choose with. If `None`: the program's own.
    pub weights: Option<&'a Weights>,
}

impl<'a> SelectRequest<'a> {
    /// Makes a request for as many documents as the settings allow in a window, without a model.
    pub fn new(message: &'a str, places: &'a Places, settings: &'a Settings) -> Self {
        let limit = usize::try_from(settings.docs.max_docs.value).unwrap_or(usize::MAX);
        Self { message, places, settings, indexes: None, withhold: None, limit, explained: 0, model: None, deadline: None, weights: None }
    }

    fn model(&self) -> Option<&'a Model<'a>> {
        self.model.filter(|_| asks_a_model(self.settings))
    }
}

/// Returns whether a model chooses documents, which takes longer than everything else together.
pub fn asks_a_model(settings: &Settings) -> bool {
    settings.selector.kind.value == SelectorKind::OpenAi
}

/// The chosen documents, and the candidates.
#[derive(Debug)]
pub struct Choice {
    /// The candidates, best first, and why some or none of them were chosen.
    pub selection: Selection<Candidate>,
    /// Whether a model was asked and its answer was used.
    pub is_models: bool,
    /// There was no time to prepare changed documents; that must be done before the next message.
    pub is_behind: bool,
    /// The indexes that could not be read.
    pub failures: Vec<Failure>,
    pub notes: Vec<Note>,
    /// Notes about documents that were just found to be unreadable.
    pub unread: Vec<Note>,
    /// The indexes that were searched.
    pub indexes: Vec<IndexState>,
}

impl Choice {
    /// Returns the chosen candidates, best first.
    pub fn chosen(&self) -> Vec<&Candidate> {
        let mut chosen: Vec<&Candidate> = self.selection.candidates.iter().filter(|candidate| candidate.is_chosen()).collect();
        chosen.sort_by_key(|candidate| candidate.about.chosen);
        chosen
    }
}

/// Chooses documents for a message. Choosing nothing is a normal result.
///
/// Fails if an index cannot be read: an empty answer would look as if no document fitted.
pub fn select(request: &SelectRequest<'_>) -> Result<Choice, Failure> {
    let documents = Documents::of(request);
    if documents.is_empty() {
        return Err(documents.no_index());
    }
    let (_, mut choice) = documents.choose(request)?;
    if choice.failures.is_empty() { Ok(choice) } else { Err(choice.failures.remove(0)) }
}

/// The state of an index and its documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Examined {
    pub file: PathBuf,
    pub documents: u64,
    pub readable: u64,
    /// How many of them have another content than when the index was made.
    pub changed: u64,
}

/// Reads an index and looks for each of its documents. Reads those that were written after the index.
pub fn examine(index: &IndexFile, places: &Places) -> Result<Examined, Failure> {
    let read = Index::read(index, places.home.as_deref())?;
    let root = Root::open_real(&read.root).ok();
    let made = std::fs::metadata(&read.file).and_then(|metadata| metadata.modified()).ok();
    let (mut readable, mut changed) = (0, 0);
    for document in &read.documents {
        let Some(opened) = root.as_ref().and_then(|root| root.open_file(&document.file).ok()) else { continue };
        readable += 1;
        // Only a document that was written later can have changed, but a new checkout writes all of them.
        let may_differ = !document.hash.is_empty() && opened.metadata.modified().ok() >= made;
        let is_same = || opened.bytes(MAX_DOCUMENT_BYTES).is_ok_and(|bytes| blake3::hash(&bytes).to_hex().as_str() == document.hash);
        if may_differ && !is_same() {
            changed += 1;
        }
    }
    Ok(Examined { file: read.file, documents: read.documents.len() as u64, readable, changed })
}

/// The documents to choose from.
pub(super) struct Documents {
    pub(super) indexes: Vec<IndexFile>,
    /// Whether the first index is the user's own, which comes before the project's.
    pub(super) has_global: bool,
    pub(super) entries: Vec<Candidate>,
    /// Notes from finding the documents.
    pub(super) notes: Vec<Note>,
}

impl Documents {
    pub(super) fn of(request: &SelectRequest<'_>) -> Self {
        match request.indexes {
            Some(indexes) => Self::named(indexes, request.places, request.settings),
            None => Self::here(request.places, request.settings),
        }
    }

    /// Takes the indexes that were named for one request. One that the settings name too keeps its reach.
    pub(super) fn named(indexes: &[PathBuf], places: &Places, settings: &Settings) -> Self {
        let known = find(places, settings).files();
        let index = |file: &PathBuf| known.iter().find(|known| known.file == *file).cloned().unwrap_or_else(|| IndexFile::named(file));
        Self { indexes: indexes.iter().map(index).collect(), has_global: false, entries: Vec::new(), notes: Vec::new() }
    }

    /// Finds the indexes of a directory.
    pub(super) fn indexed(places: &Places, settings: &Settings) -> Self {
        let found = find(places, settings);
        Self { indexes: found.files(), has_global: found.global.is_some(), entries: Vec::new(), notes: found.notes }
    }

    /// Finds the indexes of a directory, and the entries of files that other sources do not load whole.
    pub(super) fn here(places: &Places, settings: &Settings) -> Self {
        let mut notes = Vec::new();
        let entries = entries(places, settings, &mut notes);
        let mut found = Self::indexed(places, settings);
        notes.append(&mut found.notes);
        Self { entries, notes, ..found }
    }

    /// Returns the failure of a request for documents where there is no index.
    pub(super) fn no_index(&self) -> Failure {
        let failure = Failure::new("there is no index to choose from");
        let failure = self.notes.iter().fold(failure, |failure, note| failure.because_of(note.to_string()));
        failure.hint("create one with `brief index`, or name one with `--index FILE`")
    }

    pub(super) fn is_empty(&self) -> bool {
        self.indexes.is_empty() && self.entries.is_empty()
    }

    /// Opens a corpus and chooses from it. Rebuilds prepared files that turn out to be damaged.
    pub(super) fn choose(self, request: &SelectRequest<'_>) -> Result<(Corpus, Choice), Failure> {
        let corpora = Corpora {
            indexes: &self.indexes,
            entries: self.entries,
            home: request.places.home.as_deref(),
            cache: request.places.cache.as_deref(),
            deadline: request.deadline,
        };
        let mut corpus = Corpus::open(&corpora)?;
        let mut choice = choose(&corpus, request);
        if choice.is_err() {
            // The damaged files have already been removed.
            corpus = Corpus::open(&corpora)?;
            choice = choose(&corpus, request);
        }
        let mut choice = choice?;
        choice.is_behind = corpus.is_behind;
        choice.failures.append(&mut corpus.failures);
        choice.unread.append(&mut corpus.unread);
        choice.indexes = corpus.states();
        choice.notes.splice(0..0, self.notes.into_iter().chain(corpus.notes.drain(..)));
        Ok((corpus, choice))
    }
}

/// Chooses from a corpus.
pub(super) fn choose(corpus: &Corpus, request: &SelectRequest<'_>) -> Result<Choice, Failure> {
    let Some(ask) = request.model() else { return local(corpus, request, Vec::new()) };
    let mut choice = considered(corpus, request, SHOWN)?;
    if choice.selection.abstained.is_some() {
        return Ok(choice);
    }
    let shown = choice.selection.candidates.len().min(SHOWN);
    match ask(request.message, &choice.selection.candidates[..shown]) {
        Ok(places) => {
            let mut chosen = 0..request.limit;
            for place in places.into_iter().filter(|place| *place < shown) {
                let candidate = &mut choice.selection.candidates[place];
                if candidate.is_chosen() {
                    continue;
                }
                candidate.about.chosen = chosen.next();
                if !candidate.is_chosen() {
                    let reason = format!("was chosen by the model, but better documents had reached the limit of {}", request.limit);
                    choice.notes.push(Note::info(candidate.shown.clone(), NoteKind::Limit, reason));
                }
            }
            choice.is_models = true;
        }
        Err(failure) => {
            let is_local = request.settings.selector.on_failure.value == OnFailure::Local;
            let then = if is_local { "the local selector chose" } else { "nothing was chosen" };
            let note = Note::warning("selector", NoteKind::Fallback, format!("{failure}; {then}"));
            if is_local {
                return local(corpus, request, vec![note]);
            }
            choice.notes.push(note);
        }
    }
    Ok(choice)
}

fn local(corpus: &Corpus, request: &SelectRequest<'_>, notes: Vec<Note>) -> Result<Choice, Failure> {
    let mut choice = considered(corpus, request, request.limit)?;
    let chosen = choice.selection.candidates.iter_mut().filter(|candidate| candidate.about.ranked.is_chosen());
    for (place, candidate) in chosen.enumerate() {
        candidate.about.chosen = Some(place);
    }
    choice.notes.extend(notes);
    Ok(choice)
}

/// Returns the candidates found by words, with none chosen yet.
fn considered(corpus: &Corpus, request: &SelectRequest<'_>, limit: usize) -> Result<Choice, Failure> {
    let weights = Weights { secondary: request.settings.docs.secondary.value.clone(), ..request.weights.cloned().unwrap_or_default() };
    let mut withheld: Vec<Note> = Vec::new();
    let selection = loop {
        // Each one that is withheld makes room for another one.
        let selection = corpus.query(request.message, limit + withheld.len(), request.explained, &weights)?;
        let mut selection = selection.try_map(|ranked| corpus.candidate(ranked, &request.places.here))?;
        let mut notes = Vec::new();
        selection.candidates.retain(|candidate| {
            let note = request.withhold.filter(|_| candidate.about.ranked.is_chosen()).and_then(|withhold| withhold(candidate));
            let is_kept = note.is_none();
            notes.extend(note);
            is_kept
        });
        if notes.len() <= withheld.len() || withheld.len() >= MAX_WITHHELD {
            withheld = notes;
            break selection;
        }
        withheld = notes;
    };
    Ok(Choice {
        selection,
        is_models: false,
        is_behind: false,
        failures: Vec::new(),
        notes: withheld,
        unread: Vec::new(),
        indexes: Vec::new(),
    })
}
