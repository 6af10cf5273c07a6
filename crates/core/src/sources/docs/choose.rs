//! Who chooses: the words alone, or a model that is shown what the words found.
//!
//! The message is the only input. The local selector always looks first: what it finds no topic in is never sent
//! anywhere, and a model is shown its best candidates instead of the whole index.

use serde::Serialize;

use super::corpus::{Corpora, Corpus, Member};
use crate::Failure;
use crate::note::{Note, NoteKind};
use crate::select::Selection;
use crate::settings::{OnFailure, SelectorKind, Settings};

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

/// Who chooses.
#[derive(Clone, Copy)]
pub enum Selector<'a> {
    Local,
    Model { ask: &'a Model<'a>, on_failure: OnFailure },
}

/// Whether a model chooses documents, which takes longer than everything else together.
pub fn asks_a_model(settings: &Settings) -> bool {
    settings.selector.kind.value == SelectorKind::OpenAi
}

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    pub message: &'a str,
    /// At most this many documents are chosen.
    pub limit: usize,
    /// Up to this many that were not chosen are described too.
    pub explained: usize,
}

/// What was chosen, and from what.
#[derive(Debug)]
pub struct Choice {
    pub selection: Selection,
    /// What each of the selection's candidates is.
    pub members: Vec<Member>,
    /// Places in the selection's candidates, best first.
    pub chosen: Vec<usize>,
    /// The model was asked, and its answer counts.
    pub is_models: bool,
    pub notes: Vec<Note>,
}

/// Opens a corpus and chooses documents from it. Prepared files that turn out to be damaged are made anew.
pub fn open_and_choose(corpora: &Corpora<'_>, question: Question<'_>, selector: Selector<'_>) -> Result<(Corpus, Choice), Failure> {
    let mut corpus = Corpus::open(corpora)?;
    let mut choice = choose(&corpus, question, selector);
    if choice.is_err() {
        // Whoever found the damage has removed the files.
        corpus = Corpus::open(corpora)?;
        choice = choose(&corpus, question, selector);
    }
    Ok((corpus, choice?))
}

/// Chooses documents for a message.
pub fn choose(corpus: &Corpus, question: Question<'_>, selector: Selector<'_>) -> Result<Choice, Failure> {
    let Selector::Model { ask, on_failure } = selector else { return local(corpus, question, Vec::new()) };
    let mut choice = of(corpus, Question { limit: SHOWN, ..question })?;
    if choice.selection.abstained.is_some() {
        return Ok(choice);
    }
    let candidates = choice.selection.candidates.iter().zip(&choice.members).take(SHOWN);
    let shown: Vec<Candidate> = candidates.map(|(ranked, member)| candidate(member, &ranked.title)).collect();
    match ask(question.message, &shown) {
        Ok(places) => {
            for place in places.into_iter().filter(|place| *place < shown.len()) {
                if !choice.chosen.contains(&place) && choice.chosen.len() < question.limit {
                    choice.chosen.push(place);
                }
            }
            choice.is_models = true;
        }
        Err(failure) => {
            let then = if on_failure == OnFailure::Local { "the local selector chose" } else { "nothing was chosen" };
            let note = Note::warning("selector", NoteKind::Fallback, format!("{failure}; {then}"));
            if on_failure == OnFailure::Local {
                return local(corpus, question, vec![note]);
            }
            choice.notes.push(note);
        }
    }
    Ok(choice)
}

fn local(corpus: &Corpus, question: Question<'_>, notes: Vec<Note>) -> Result<Choice, Failure> {
    let mut choice = of(corpus, question)?;
    choice.chosen = (0..choice.selection.chosen().count()).collect();
    choice.notes = notes;
    Ok(choice)
}

/// Returns what the words find, with nothing chosen yet.
fn of(corpus: &Corpus, question: Question<'_>) -> Result<Choice, Failure> {
    let selection = corpus.query(question.message, question.limit, question.explained)?;
    let members = selection.candidates.iter().map(|ranked| corpus.member(ranked)).collect::<Result<_, _>>()?;
    Ok(Choice { selection, members, chosen: Vec::new(), is_models: false, notes: Vec::new() })
}

fn candidate(member: &Member, title: &str) -> Candidate {
    let (path, tags) = match member {
        Member::Document(document) => (document.path.clone(), document.tags.clone()),
        Member::Entry(entry) => (entry.id.clone(), entry.tags.clone()),
    };
    Candidate { path, title: title.to_owned(), tags }
}
