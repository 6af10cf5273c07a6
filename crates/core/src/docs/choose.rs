//! Who chooses: the words alone, or a model that is shown what the words found.
//!
//! The message is the only input. The local selector always looks first: what it finds no topic in is never sent
//! anywhere, and a model is shown its best candidates instead of the whole index.

use serde::Serialize;

use super::corpus::{Corpus, Member};
use crate::Failure;
use crate::note::{Note, NoteKind};
use crate::select::Selection;

/// How many candidates a model is shown: the right one is among them 97 times of 100.
pub const SHOWN: usize = 30;

/// A document as a model is shown it: no contents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Candidate {
    pub path: String,
    pub title: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

/// Asks a model: the message and the candidates go in, places in the list of candidates come out, best first.
///
/// The core knows no network; whoever calls brings this.
pub type Model<'a> = dyn Fn(&str, &[Candidate]) -> Result<Vec<usize>, Failure> + 'a;

/// What to do when the model fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnFailure {
    Nothing,
    Local,
}

/// Who chooses.
#[derive(Clone, Copy)]
pub enum Selector<'a> {
    Local,
    Model { ask: &'a Model<'a>, on_failure: OnFailure },
}

/// What was chosen, and from what.
#[derive(Debug)]
pub struct Choice {
    pub selection: Selection,
    /// Places in the selection's candidates, best first.
    pub chosen: Vec<usize>,
    /// The model was asked, and its answer counts.
    pub is_models: bool,
    pub notes: Vec<Note>,
}

/// Chooses at most `limit` documents for a message.
pub fn choose(corpus: &Corpus, message: &str, limit: usize, selector: Selector<'_>) -> Result<Choice, Failure> {
    let Selector::Model { ask, on_failure } = selector else { return local(corpus, message, limit, Vec::new()) };
    let selection = corpus.query(message, SHOWN)?;
    if selection.abstained.is_some() {
        return Ok(Choice { selection, chosen: Vec::new(), is_models: false, notes: Vec::new() });
    }
    let shown: Vec<Candidate> =
        selection.candidates.iter().take(SHOWN).map(|ranked| candidate(corpus, &ranked.id, &ranked.title)).collect();
    match ask(message, &shown) {
        Ok(places) => {
            let mut chosen: Vec<usize> = Vec::new();
            for place in places.into_iter().filter(|place| *place < shown.len()) {
                if !chosen.contains(&place) && chosen.len() < limit {
                    chosen.push(place);
                }
            }
            Ok(Choice { selection, chosen, is_models: true, notes: Vec::new() })
        }
        Err(failure) => {
            let then = if on_failure == OnFailure::Local { "the local selector chose" } else { "nothing was chosen" };
            let note = Note::warning("selector", NoteKind::Fallback, format!("{failure}; {then}"));
            match on_failure {
                OnFailure::Local => local(corpus, message, limit, vec![note]),
                OnFailure::Nothing => Ok(Choice { selection, chosen: Vec::new(), is_models: false, notes: vec![note] }),
            }
        }
    }
}

fn local(corpus: &Corpus, message: &str, limit: usize, notes: Vec<Note>) -> Result<Choice, Failure> {
    let selection = corpus.query(message, limit)?;
    let chosen = (0..selection.chosen().count()).collect();
    Ok(Choice { selection, chosen, is_models: false, notes })
}

fn candidate(corpus: &Corpus, id: &str, title: &str) -> Candidate {
    let (path, tags) = match corpus.member(id) {
        Some(Member::Document(document)) => (document.path.clone(), document.tags.clone()),
        Some(Member::Entry(entry)) => (entry.id.clone(), entry.tags.clone()),
        None => (id.to_owned(), Vec::new()),
    };
    Candidate { path, title: title.to_owned(), tags }
}
