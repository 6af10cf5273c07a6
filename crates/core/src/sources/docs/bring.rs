//! The documents source for a message: returns pieces within the limits, each with a reason.
//!
//! Selection depends only on the message. The ledger later subtracts what the window already has, so pieces keep their
//! identity from message to message: a short document is always included whole, a long one always as its outline and
//! sections.

use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};

use super::choose::{Choice, Documents, SelectRequest};
use super::corpus::Corpus;
use super::excerpt::{around, best, body, outline};
use super::markdown::references;
use super::reference::{Around, Target, resolve};
use crate::candidate::{Body, Candidate};
use crate::fs::FileError;
use crate::load::guard;
use crate::note::{Level, Note, NoteKind, Numbers};
use crate::piece::{Brought, Order, Piece, Whole, content_hash};
use crate::reason::Reason;
use crate::select::{Ranked, Verdict, user_words};
use crate::shown::{one_line, relative_text};
use crate::silence::Silence;
use crate::sources::Source;
use crate::sources::files::Patterns;
use crate::tokens::estimate_bytes;

/// A document with at most this many tokens is included whole; it is hardly longer than a section.
const WHOLE: u64 = 400;
/// With less room than this, no document is added.
const LEAST: u64 = 60;
/// A document whose chance is below this share of the best one's is not worth its room.
const CLOSE: f32 = 0.07;
/// The maximum number of documents read for one message, including required ones.
const MOST_DOCUMENTS: usize = 24;
/// How many documents beyond the limit are looked at, to say which of them would have come.
const BEYOND: usize = 8;
/// The maximum number of words named in a reason.
const REASONS: usize = 5;

const NO_ROOM: &str = "matches the message, but there is no room left";

/// Returns the documents that match a message. Most messages need none.
pub fn bring(request: &SelectRequest<'_>) -> Brought {
    let request = &SelectRequest { explained: request.explained.max(BEYOND), ..*request };
    let mut brought = Brought::default();
    if user_words(request.message).is_none() || request.limit == 0 {
        brought.silence = Some(if request.limit == 0 { Silence::NoneAllowed } else { Silence::NoMessage });
        return brought;
    }
    let mut documents = Documents::of(request);
    brought.notes.append(&mut documents.notes);
    if documents.is_empty() {
        brought.silence = Some(Silence::NoDocuments);
        return brought;
    }
    let has_global = documents.has_global;
    let (corpus, choice) = match documents.choose(request) {
        Ok(both) => both,
        Err(failure) => {
            brought.notes.push(failed(&failure));
            brought.silence = Some(Silence::LeftOut);
            return brought;
        }
    };
    brought.documents = corpus.version();
    brought.notes.extend(choice.failures.iter().map(failed));
    if choice.is_behind {
        brought.is_behind = true;
        brought.notes.push(Note::info("search file", NoteKind::Stale, "the documents must be prepared first"));
    }
    brought.notes.extend(choice.notes.iter().chain(&choice.unread).cloned());
    let mut bringing = Bringing {
        corpus: &corpus,
        here: &request.places.here,
        home: request.places.home.as_deref(),
        redacts: request.settings.guards.redact.value,
        left: request.settings.docs.max_tokens.value,
        limit: request.settings.docs.max_tokens.decided_by(),
        groups: Vec::new(),
        notes: Vec::new(),
    };
    let needed = needed_of(&choice);
    let is_close = |candidate: &&Candidate| choice.is_models || candidate.about.ranked.score >= needed;
    let (close, far): (Vec<&Candidate>, Vec<&Candidate>) = choice.chosen().into_iter().partition(is_close);
    for candidate in far {
        let score = candidate.about.ranked.score;
        let reason =
            format!("matches the message, but its score of {score:.3} is below {needed:.3}, {:.0} % of the best one's", CLOSE * 100.0);
        let note = Note::info(candidate.shown.clone(), NoteKind::Score, reason);
        brought.notes.push(note.measured(Numbers::of_scores(score, needed)));
    }
    let beyond = |candidate: &&Candidate| !choice.is_models && candidate.about.ranked.verdict == Verdict::OverLimit && is_close(candidate);
    for candidate in choice.selection.candidates.iter().filter(beyond) {
        let most = &request.settings.docs.max_docs;
        let reason = format!("matches the message, but {} better documents had reached the limit", request.limit);
        brought.notes.push(Note::info(candidate.shown.clone(), NoteKind::Limit, reason).decided_by(most.decided_by()));
    }
    for (number, candidate) in close.iter().enumerate() {
        let share = bringing.left / (close.len() - number) as u64;
        bringing.add(candidate, share, choice.is_models);
    }
    bringing.add_required();
    // Global documents first, then the project's, by rank within each.
    bringing.groups.sort_by_key(|group| !has_global || group.index != Some(0));
    brought.notes.append(&mut bringing.notes);
    brought.pieces = bringing.groups.into_iter().flat_map(|group| group.pieces).collect();
    // What was not worth its room may have come because another document requires it.
    let has_come = |note: &Note| brought.pieces.iter().any(|piece| piece.file == note.path);
    brought.notes.retain(|note| !(matches!(note.kind, NoteKind::Score | NoteKind::Limit) && has_come(note)));
    brought.silence = brought.pieces.is_empty().then(|| match choice.selection.abstained {
        _ if brought.is_behind => Silence::Preparing,
        Some(because) => {
            let (confidence, needed) = (choice.selection.confidence, choice.selection.threshold);
            Silence::NothingFits { because, confidence, needed }
        }
        None if choice.is_models && close.is_empty() => Silence::NoneChosen,
        None => Silence::LeftOut,
    });
    brought
}

/// Returns the score that a document needs to be worth its room.
pub(super) fn needed_of(choice: &Choice) -> f32 {
    choice.selection.candidates.first().map_or(0.0, |best| best.about.ranked.score) * CLOSE
}

fn failed(failure: &crate::Failure) -> Note {
    let mut words = vec![failure.to_string()];
    words.extend_from_slice(failure.causes());
    Note::warning("docs", NoteKind::Io, words.join(": "))
}

/// The pieces of one chosen document, preceded by those it requires.
struct Group {
    /// The number of its index; `None` for entries.
    index: Option<usize>,
    pieces: Vec<Piece>,
    /// The documents that must be read with it.
    required: Vec<Required>,
}

/// A document that must be read with another one.
struct Required {
    file: PathBuf,
    /// The directory that it must not leave.
    root: PathBuf,
    /// The shown path of the document that requires it.
    by: String,
}

struct Bringing<'a> {
    corpus: &'a Corpus,
    here: &'a Path,
    home: Option<&'a Path>,
    /// Whether secrets are redacted.
    redacts: bool,
    /// The number of tokens left.
    left: u64,
    /// The setting that decided the limit, with its origin.
    limit: String,
    groups: Vec<Group>,
    notes: Vec<Note>,
}

impl Bringing<'_> {
    /// Adds a chosen candidate. A document gets only its share of the room.
    fn add(&mut self, candidate: &Candidate, share: u64, is_models: bool) {
        let reason = reason(&candidate.about.ranked, is_models);
        match &candidate.about.body {
            Body::File { index, root } => self.add_document(candidate, (*index, root), share, reason),
            Body::Entry { .. } if self.left < LEAST => self.leave_out(&candidate.shown, NO_ROOM),
            Body::Entry { text } => {
                let whole = estimate_bytes(text.len());
                if whole > self.left {
                    let reason = format!("has {whole} tokens, so only its beginning is included");
                    self.notes.push(Note::info(candidate.shown.clone(), NoteKind::Budget, reason).decided_by(self.limit.clone()));
                }
                let text = crate::text::beginning(text, (self.left as usize).saturating_mul(4)).to_owned();
                let piece = Piece::new(Source::Docs, candidate.id(), candidate.shown.clone(), reason, Order::Document, text);
                self.left = self.left.saturating_sub(piece.tokens);
                self.groups.push(Group { index: None, pieces: vec![piece], required: Vec::new() });
            }
        }
    }

    fn add_document(&mut self, document: &Candidate, (index, top): (usize, &Path), share: u64, reason: Reason) {
        let shown = document.shown.clone();
        if self.left < LEAST {
            self.leave_out(&shown, NO_ROOM);
            return;
        }
        let text = match self.corpus.read_beneath(top, &document.path) {
            Ok(text) => guard(&shown, text, self.redacts, &mut self.notes),
            Err(problem) => {
                self.notes.push(FileError::new(shown, problem).note(Level::Warning));
                return;
            }
        };
        let required = self.required_by(&document.path, top, &shown, &text);
        let id = document.path.to_string_lossy().into_owned();
        let tokens = estimate_bytes(body(&text).len());
        let mut pieces = Vec::new();
        if tokens <= WHOLE.min(self.left) {
            let piece = Piece::new(Source::Docs, id, shown, reason, Order::Document, body(&text).to_owned());
            pieces.push(piece.of_content(content_hash(&text)));
        } else {
            let whole = Whole { id: id.clone(), hash: content_hash(&text) };
            let outline = outline(&text);
            let room = share.saturating_sub(estimate_bytes(outline.len())).max(LEAST);
            let outlined = outlined(reason.clone());
            pieces
                .push(Piece::new(Source::Docs, format!("{id}#outline"), shown.clone(), outlined, Order::Document, outline).part_of(&whole));
            // A model that chose it is sure of it.
            let chance = if matches!(reason, Reason::Match { by_model: true, .. }) { 1.0 } else { document.about.ranked.score };
            for excerpt in best(&text, &document.about.ranked.sections, chance, room) {
                let path = format!("{shown}#{}", excerpt.name);
                let around = around(&text, &id, &excerpt);
                let id = format!("{id}#{}", excerpt.name);
                let piece =
                    Piece::new(Source::Docs, id, path, with_words(&reason, &excerpt.words), Order::Document, excerpt.text.to_owned());
                let piece = piece.part_of(&whole).in_file(shown.clone());
                pieces.push(around.iter().fold(piece, Piece::part_of));
            }
            self.notes.push(Note::info(
                shown.clone(),
                NoteKind::Budget,
                format!("has {tokens} tokens, so only its best sections are included"),
            ));
        }
        self.left = self.left.saturating_sub(pieces.iter().map(|piece| piece.tokens).sum());
        self.groups.push(Group { index: Some(index), pieces, required });
    }

    /// Returns the documents that must be read with one: those it names itself, then those its index names.
    fn required_by(&mut self, file: &Path, root: &Path, shown: &str, text: &str) -> Vec<Required> {
        let directory = file.parent().unwrap_or(root);
        let own = references(text).into_iter().filter(|reference| reference.is_required);
        let is_the_users = |file: &Path| self.corpus.users_root(file).is_some();
        let around = Around { root, home: self.home, is_the_users: &is_the_users, generated: &Patterns::default() };
        let mut required = Vec::new();
        for reference in own {
            match resolve(&reference, directory, &around) {
                Target::Document(file) => required.push((file, root)),
                Target::TheUsers(file) => required.extend(self.corpus.users_root(&file).map(|root| (file, root))),
                Target::Outside => {
                    let reason = format!("is required by {shown}, but is neither in its project nor in your own index");
                    self.notes.push(Note::warning(one_line(&reference.target), NoteKind::Outside, reason));
                }
                Target::Dead { .. } | Target::Other => {}
            }
        }
        required.extend(self.corpus.required_with(file).into_iter().map(|file| (file, root)));
        required.into_iter().map(|(file, root)| Required { file, root: root.to_path_buf(), by: shown.to_owned() }).collect()
    }

    /// Adds the documents that the chosen ones require, recursively, while there is room; the others are only named.
    /// Each is added once, before the one that requires it. Direct requirements come before indirect ones.
    fn add_required(&mut self) {
        let mut seen: HashSet<String> = HashSet::new();
        for piece in self.groups.iter().flat_map(|group| &group.pieces) {
            seen.insert(piece.id.split_once('#').map_or(piece.id.as_str(), |(file, _)| file).to_owned());
        }
        let mut waiting: VecDeque<(usize, Required)> = VecDeque::new();
        for (number, group) in self.groups.iter_mut().enumerate() {
            waiting.extend(group.required.drain(..).map(|required| (number, required)));
        }
        while let Some((number, required)) = waiting.pop_front() {
            let id = required.file.to_string_lossy().into_owned();
            if !seen.insert(id.clone()) {
                continue;
            }
            let shown = relative_text(&required.file, self.here);
            if seen.len() > MOST_DOCUMENTS {
                self.name(number, &required.by, &shown);
                continue;
            }
            let text = match self.corpus.read_beneath(&required.root, &required.file) {
                Ok(text) => guard(&shown, text, self.redacts, &mut self.notes),
                Err(problem) => {
                    self.notes.push(FileError::new(shown, problem).note(Level::Warning));
                    continue;
                }
            };
            if estimate_bytes(body(&text).len()) > self.left {
                self.name(number, &required.by, &shown);
                continue;
            }
            let more = self.required_by(&required.file, &required.root, &shown, &text);
            waiting.extend(more.into_iter().map(|required| (number, required)));
            let reason = Reason::Required { by: required.by.clone(), read_first: Vec::new() };
            let piece =
                Piece::new(Source::Docs, id, shown, reason, Order::Document, body(&text).to_owned()).of_content(content_hash(&text));
            self.left -= piece.tokens;
            let pieces = &mut self.groups[number].pieces;
            let before = pieces.iter().position(|piece| piece.path == required.by).unwrap_or(0);
            pieces.insert(before, piece);
        }
    }

    /// Names a required document that was left out in the reason of the one that requires it.
    fn name(&mut self, number: usize, by: &str, shown: &str) {
        self.leave_out(shown, &format!("is required by {by}, but there is no room left"));
        // Once per document, not above each of its sections.
        let is_its = |piece: &&mut Piece| piece.path.split_once('#').map_or(piece.path.as_str(), |(path, _)| path) == by;
        if let Some(first) = self.groups[number].pieces.iter_mut().filter(is_its).find_map(|piece| piece.reason.read_first()) {
            first.push(shown.to_owned());
        }
    }

    fn leave_out(&mut self, shown: &str, reason: &str) {
        self.notes.push(Note::warning(shown, NoteKind::Budget, reason).decided_by(self.limit.clone()));
    }
}

/// Returns why a candidate was chosen.
pub fn reason_of(candidate: &Candidate, is_models: bool) -> Reason {
    reason(&candidate.about.ranked, is_models)
}

fn reason(ranked: &Ranked, is_models: bool) -> Reason {
    let words = ranked.matches.iter().map(|found| found.word.clone()).take(REASONS).collect();
    Reason::Match { words, by_model: is_models, is_outline: false, read_first: Vec::new() }
}

/// Returns the reason of a section: the words that the section itself has.
fn with_words(reason: &Reason, words: &[String]) -> Reason {
    match reason {
        Reason::Match { by_model, .. } => {
            let words = words.iter().take(REASONS).cloned().collect();
            Reason::Match { words, by_model: *by_model, is_outline: false, read_first: Vec::new() }
        }
        other => other.clone(),
    }
}

fn outlined(reason: Reason) -> Reason {
    match reason {
        Reason::Match { words, by_model, read_first, .. } => Reason::Match { words, by_model, is_outline: true, read_first },
        other => other,
    }
}
