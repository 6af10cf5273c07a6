//! The sources that open by themselves, and the one interface through which they plug in.
//!
//! A new source is a variant, a bit, a line in [`Source::is_here`] and a line in [`Source::bring`]; when it opens is decided
//! in [`crate::moment`].

use std::path::Path;
use std::time::Instant;

use briefing_core::settings::{Places, SelectorKind, Settings};
use briefing_core::sources::docs::{self, Candidate, Selector};
use briefing_core::{Brought, Failure};
use jiff::Timestamp;

/// A source of pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// `.megg` directories from the root down to here.
    Domains,
    /// The core files of `.context/`.
    Gate,
    /// The documents that fit the running message.
    Docs,
}

/// A set of sources, one bit each, as the ledger keeps it.
pub type Sources = u32;

/// Asks the model of the settings which candidates fit a message, and answers before the given moment. The network is
/// not ours: the program brings this.
pub type AskModel = fn(&Settings, Instant, &str, &[Candidate]) -> Result<Vec<usize>, Failure>;

/// What a source is told when it is asked.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// The directory that the agent works in.
    pub here: &'a Path,
    pub places: &'a Places,
    pub settings: &'a Settings,
    /// The user's words of the running turn.
    pub message: Option<&'a str>,
    pub is_sub_agent: bool,
    pub now: Timestamp,
    /// What is not ready by then is left out; the source leaves a note.
    pub deadline: Instant,
    pub ask_model: AskModel,
    /// Prepares the documents of a directory for search in a process of its own; returns at once.
    pub prepare: fn(&Path),
}

impl Source {
    pub const ALL: [Self; 3] = [Self::Domains, Self::Gate, Self::Docs];

    pub const fn bit(self) -> Sources {
        match self {
            Self::Domains => 1,
            Self::Gate => 2,
            Self::Docs => 4,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Domains => "domains",
            Self::Gate => "gate",
            Self::Docs => "docs",
        }
    }

    /// Returns the sources of a set, in order.
    pub fn of(set: Sources) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |source| set & source.bit() != 0)
    }

    /// Whether its pieces are printed as they are, without a line that names their file (the gate has a form of its own).
    pub fn is_literal(self) -> bool {
        self == Self::Gate
    }

    /// Tells at the price of a few `stat`s whether this source can have anything to bring for a directory.
    ///
    /// It may say yes for nothing, never no for something: a no keeps the process from opening the database.
    pub fn is_here(self, places: &Places) -> bool {
        match self {
            Self::Domains => places.here.ancestors().any(|directory| directory.join(".megg").is_dir()),
            Self::Gate => briefing_core::sources::gate::is_here(places),
            Self::Docs => docs::may_be_here(places),
        }
    }

    /// Brings what there is.
    pub fn bring(self, ask: &Ask<'_>) -> Brought {
        match self {
            Self::Domains => briefing_core::sources::domains::bring(ask.here, ask.now),
            Self::Gate => briefing_core::sources::gate::bring(ask.places, ask.settings),
            Self::Docs => bring_docs(ask),
        }
    }
}

/// Brings the documents that fit the running message, chosen by whom the settings say.
fn bring_docs(ask: &Ask<'_>) -> Brought {
    let Some(message) = ask.message else { return Brought::default() };
    let model = |message: &str, candidates: &[Candidate]| (ask.ask_model)(ask.settings, ask.deadline, message, candidates);
    let on_failure = ask.settings.selector.on_failure.value;
    let selector = if asks_a_model(ask.settings) { Selector::Model { ask: &model, on_failure } } else { Selector::Local };
    let mut notes = Vec::new();
    let entries = docs::entries(ask.places, ask.settings, &mut notes);
    let mut brought =
        docs::bring(docs::Ask { message, places: ask.places, settings: ask.settings, entries, selector, deadline: Some(ask.deadline) });
    if brought.notes.iter().any(|note| note.path == docs::BEHIND) {
        (ask.prepare)(ask.here);
    }
    notes.append(&mut brought.notes);
    Brought { notes, ..brought }
}

/// Whether a model chooses documents, which takes longer than everything else together.
pub fn asks_a_model(settings: &Settings) -> bool {
    settings.selector.kind.value == SelectorKind::OpenAi
}

/// Returns the sources that can have anything to bring for a directory. Whoever names an index outside of any file
/// (`names_index`) has documents wherever he is.
pub fn present(places: &Places, names_index: bool) -> Sources {
    let is_present = |source: &Source| (names_index && *source == Source::Docs) || source.is_here(places);
    Source::ALL.into_iter().filter(is_present).map(Source::bit).sum()
}
