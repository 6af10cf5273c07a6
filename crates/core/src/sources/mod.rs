//! Where knowledge comes from: one module per source, and one row for each that opens by itself.
//!
//! `domains`, `gate`, `instructions` and `docs` bring [`Piece`]s into an agent's window at their moments; their rows in [`Source::row`]
//! say when they open, how their pieces are framed and what they are called. Nothing outside this file asks which source
//! a piece came from. `files` and `requests` answer a person or a model on command and have no row.

mod change;
pub mod docs;
pub mod domains;
pub mod files;
pub mod gate;
pub mod instructions;
mod references;
pub mod requests;

pub use change::Change;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Instant;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::Failure;
use crate::candidate::Candidate;
use crate::fit::Sent;
use crate::note::Note;
use crate::piece::{Brought, Piece, Role};
use crate::settings::{GateOpens, Places, Settings};
use crate::silence::Silence;
use crate::sources::instructions::Reader;
use crate::watch::{Watched, paths};

/// A source that opens by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// `.megg` directories from the root down to here.
    Domains,
    /// The core files of `.context/`.
    Gate,
    /// The documents that fit the running message.
    Docs,
    /// Files with instructions that the agent does not load by itself, and documents that say where they apply.
    Instructions,
}

/// A set of sources, one bit each, as the ledger keeps it.
pub type Sources = u32;

/// When a source opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opens {
    /// At whatever event comes first after the window was empty.
    First,
    /// When work begins: at the first tool use or in a sub-agent; where tool events carry nothing, at the first message.
    Work,
    /// At every message.
    Message,
}

/// How a source's pieces look in a window.
#[derive(Debug, Clone, Copy)]
pub enum Framing {
    /// Each stands under a line that names its file.
    Labelled,
    /// They are printed as they are, below the source's own head, which is recognised by `sign`, and above closing notes
    /// that begin with a count of what was sent (files, tokens). A part of a piece, and an update, is labelled all the same.
    Own { head: fn() -> String, close: fn(usize, u64) -> String, sign: &'static str },
}

/// A summary of an injection, without any of its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    pub message: String,
    pub project: PathBuf,
}

/// What an earlier session received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Earlier {
    /// The date on which it ended: `2026-11-15`.
    pub on: String,
    /// The identity and the hash of each piece.
    pub pieces: BTreeMap<String, String>,
}

/// Returns what the last session received that had a certain piece.
pub type FindEarlier<'a> = dyn FnMut(&str) -> Option<Earlier> + 'a;

/// What the engine needs to know about a source.
pub struct Row {
    pub name: &'static str,
    bit: Sources,
    pub opens: Opens,
    pub framing: Framing,
    /// The environment variables with which it may have something in any directory.
    variables: &'static [&'static str],
    /// Returns whether the source may have something for a directory, at the cost of a few `stat`s.
    ///
    /// It may be wrong when it says yes, never when it says no: a no keeps the process from opening the database.
    is_here: fn(&Look<'_>) -> bool,
    bring: fn(&Ask<'_>) -> Brought,
    /// Returns whether what is touched concerns something that did not come before. `None`: touching opens nothing.
    is_touched: Option<IsTouched>,
    /// Returns a line for the start of a session: what changed since an earlier one.
    changes: Option<fn(&Ask<'_>, &mut FindEarlier<'_>) -> Option<Piece>>,
    /// Returns what the user's webhook receives when its pieces went in.
    notice: Option<Notify>,
}

type IsTouched = fn(&Look<'_>, &[&str], Option<&Settings>) -> bool;
type Notify = fn(&Places, &Settings, Sent) -> Option<Notice>;

const DOMAINS: Row = Row {
    name: "domains",
    bit: 1,
    opens: Opens::First,
    framing: Framing::Labelled,
    variables: &[],
    is_here: |look| domains::is_here(look.places),
    bring: |ask| domains::bring(&ask.places.here, ask.now, domains::Reading::of(ask.settings, ask.places)),
    is_touched: None,
    changes: None,
    notice: None,
};

const GATE: Row = Row {
    name: "gate",
    bit: 2,
    opens: Opens::Work,
    framing: Framing::Own { head: gate::banner, close: gate::footer, sign: gate::BANNER_START },
    variables: &gate::DIRECTORY_VARIABLES,
    is_here: |look| gate::is_here(look.places),
    bring: |ask| gate::bring(ask.places, ask.settings),
    is_touched: None,
    changes: Some(|ask, earlier| gate::changes(ask.places, ask.settings, earlier)),
    notice: Some(gate::notice),
};

const DOCS: Row = Row {
    name: "docs",
    bit: 4,
    opens: Opens::Message,
    framing: Framing::Labelled,
    // The entries of the gate's files are selected with the documents.
    variables: &[docs::INDEX_VARIABLES[0], docs::INDEX_VARIABLES[1], gate::DIRECTORY_VARIABLES[0], gate::DIRECTORY_VARIABLES[1]],
    is_here: |look| docs::may_be_here(look.places),
    bring: bring_docs,
    is_touched: None,
    changes: None,
    notice: None,
};

const INSTRUCTIONS: Row = Row {
    name: "instructions",
    bit: 8,
    opens: Opens::First,
    framing: Framing::Labelled,
    variables: &instructions::VARIABLES,
    is_here: instructions::is_here,
    bring: instructions::bring,
    is_touched: Some(instructions::is_touched),
    changes: None,
    notice: None,
};

/// What the program does for a source. The engine itself uses no network and starts no process.
pub trait Helper {
    /// Asks the model of the settings which candidates fit a message, and answers before the given moment.
    fn ask_model(&self, settings: &Settings, deadline: Instant, message: &str, candidates: &[Candidate]) -> Result<Vec<usize>, Failure>;

    /// Prepares the documents of a directory for search in a process of its own; returns at once.
    fn prepare(&self, here: &Path);
}

/// Where a window is, whose it is, and what the event touches.
#[derive(Clone, Copy)]
pub struct Look<'a> {
    pub places: &'a Places,
    pub reader: &'a Reader,
    /// Paths inside the project, absolute and normalised.
    pub touched: &'a [PathBuf],
}

/// What a source is asked.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    pub places: &'a Places,
    pub settings: &'a Settings,
    /// Whose window it is.
    pub reader: &'a Reader,
    /// The user's message in the current turn.
    pub message: Option<&'a str>,
    /// The paths that the message or the tool touches: inside the project, absolute and normalised.
    pub touched: &'a [PathBuf],
    /// The files that earlier touches brought into this window.
    pub received: &'a [&'a str],
    pub now: Timestamp,
    /// What is not ready by then is left out; the source leaves a note.
    pub deadline: Instant,
    pub helper: &'a dyn Helper,
}

impl<'a> Ask<'a> {
    /// Makes a question about no message, to be answered before a moment.
    pub fn new(look: &Look<'a>, settings: &'a Settings, now: Timestamp, deadline: Instant, helper: &'a dyn Helper) -> Self {
        let Look { places, reader, touched } = *look;
        Self { places, settings, reader, message: None, touched, received: &[], now, deadline, helper }
    }

    /// Returns where it is asked, for whom, and what is touched.
    pub fn look(&self) -> Look<'a> {
        Look { places: self.places, reader: self.reader, touched: self.touched }
    }
}

impl Source {
    /// In the order in which they are asked: of two that have the same file, the first one brings it.
    pub const ALL: [Self; 4] = [Self::Domains, Self::Gate, Self::Instructions, Self::Docs];

    /// Returns everything the engine knows about the source.
    pub const fn row(self) -> &'static Row {
        match self {
            Self::Domains => &DOMAINS,
            Self::Gate => &GATE,
            Self::Docs => &DOCS,
            Self::Instructions => &INSTRUCTIONS,
        }
    }

    pub const fn bit(self) -> Sources {
        self.row().bit
    }

    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// Finds a source by its name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|source| source.name() == name)
    }

    /// Returns the sources of a set, in order.
    pub fn of(set: Sources) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |source| set & source.bit() != 0)
    }

    /// Returns the set of all sources.
    pub const fn every() -> Sources {
        Self::Domains.bit() | Self::Gate.bit() | Self::Docs.bit() | Self::Instructions.bit()
    }

    /// Returns the sources that open in one of these ways.
    pub fn opening(ways: &[Opens]) -> Sources {
        Self::ALL.into_iter().filter(|source| ways.contains(&source.row().opens)).map(Self::bit).sum()
    }

    /// Returns the sources that tell at the start of a session what changed since an earlier one.
    pub fn telling_changes() -> Sources {
        Self::ALL.into_iter().filter(|source| source.row().changes.is_some()).map(Self::bit).sum()
    }

    /// Returns the sources that open because of what is touched. They may have brought something although they have nothing for
    /// this event.
    pub fn touchable() -> Sources {
        Self::ALL.into_iter().filter(|source| source.row().is_touched.is_some()).map(Self::bit).sum()
    }

    /// Returns what the user's webhook receives when pieces of this source went into a window.
    pub fn notice(self, places: &Places, settings: &Settings, sent: Sent) -> Option<Notice> {
        self.row().notice.and_then(|notice| notice(places, settings, sent))
    }
}

/// Returns the sources that may have something for a directory. Those that the environment names (see [`named`]) may
/// have something everywhere.
pub fn present(look: &Look<'_>, named: Sources) -> Sources {
    let is_present = |source: &Source| named & source.bit() != 0 || (source.row().is_here)(look);
    Source::ALL.into_iter().filter(is_present).map(Source::bit).sum()
}

/// Returns the sources that open because of what is touched. `watched` lists what they have brought into this window.
/// `settings` are asked for only if they matter.
pub fn touched(look: &Look<'_>, watched: &str, sources: Sources, settings: impl FnOnce() -> Rc<Settings>) -> Sources {
    let rows = Source::of(sources).filter_map(|source| Some((source, source.row().is_touched?)));
    let rows: Vec<(Source, IsTouched)> = rows.filter(|_| !look.touched.is_empty()).collect();
    let settings = (!rows.is_empty() && instructions::needs_settings(look.places)).then(settings);
    let is_touched = |(source, is_touched): &(Source, IsTouched)| is_touched(look, &paths(watched, *source), settings.as_deref());
    rows.iter().filter(|row| is_touched(row)).map(|(source, _)| source.bit()).sum()
}

/// Returns the sources that the environment names something for. `is_set` tells whether a variable is set.
pub fn named(is_set: impl Fn(&str) -> bool) -> Sources {
    let is_named = |source: &Source| source.row().variables.iter().any(|name| is_set(name));
    Source::ALL.into_iter().filter(is_named).map(Source::bit).sum()
}

/// Returns the sources that the settings name something for, wherever they were set.
pub fn named_by(settings: &Settings) -> Sources {
    let has_index = !(settings.docs.index.value.is_empty() && settings.docs.global_index.value.is_empty());
    let has_directory = !settings.gate.directory.value.is_empty();
    let bit = |is_named: bool, source: Source| if is_named { source.bit() } else { 0 };
    let set = &settings.instructions;
    let has_instructions = !(set.files.is_default() && set.beside.is_default() && set.rules.is_default());
    bit(has_directory, Source::Gate) | bit(has_instructions, Source::Instructions) | bit(has_index || has_directory, Source::Docs)
}

/// Returns the sources that may open with a session's first event because the settings say so. It reads the settings files,
/// but does not decide the settings. `is_set` tells whether a variable is set.
pub fn may_open_early(places: &Places, is_set: impl Fn(&str) -> bool) -> Sources {
    if is_set(gate::OPENS_VARIABLE) || gate::may_open_early(places) { Source::Gate.bit() } else { 0 }
}

/// Returns the sources that open with a session's first event because the settings say so.
pub fn early(settings: &Settings) -> Sources {
    if settings.gate.opens.value == GateOpens::Start { Source::Gate.bit() } else { 0 }
}

/// What all sources brought together.
#[derive(Debug, Clone, Default)]
pub struct Gathered {
    pub pieces: Vec<Piece>,
    pub notes: Vec<Note>,
    pub watched: Vec<(Source, Watched)>,
    /// The sources that could not read everything, for a reason that may pass.
    pub incomplete: Sources,
    /// Why there are no pieces, if a source knows it.
    pub silence: Option<Silence>,
    /// The version of the documents that were searched, empty if none were.
    pub documents: String,
}

/// Asks the sources in order. Keeps the first piece of each identity, and drops the parts of a file that is included whole.
pub fn bring(ask: &Ask<'_>, sources: Sources) -> Gathered {
    let mut all = Gathered::default();
    for source in Source::of(sources) {
        let brought = (source.row().bring)(ask);
        if brought.is_incomplete() {
            all.incomplete |= source.bit();
        }
        all.notes.extend(brought.notes);
        all.silence = brought.silence.or(all.silence);
        all.documents.push_str(&brought.documents);
        all.watched.extend(brought.watched.into_iter().map(|watched| (source, watched)));
        for piece in brought.pieces {
            let has_text = piece.role == Role::Closing || !piece.text.trim().is_empty();
            // What the agent loads by itself is never brought, whichever source has it.
            if piece.role == Role::Body && ask.reader.has(&piece) {
                all.notes.push(instructions::loaded(&piece.path, ask.reader));
                continue;
            }
            if has_text && !all.pieces.iter().any(|other| piece.is_within(other)) {
                all.pieces.push(piece);
            }
        }
        if brought.is_behind {
            ask.helper.prepare(&ask.places.here);
        }
    }
    all
}

/// Returns what changed since an earlier session, one line for each of the sources that tell it.
pub fn changes(ask: &Ask<'_>, sources: Sources, earlier: &mut FindEarlier<'_>) -> Vec<Piece> {
    Source::of(sources).filter_map(|source| source.row().changes.and_then(|changes| changes(ask, earlier))).collect()
}

/// Returns the documents that fit the current message, chosen by the local selector or the model of the settings.
fn bring_docs(ask: &Ask<'_>) -> Brought {
    let Some(message) = ask.message else { return Brought::default() };
    let model = |message: &str, candidates: &[Candidate]| ask.helper.ask_model(ask.settings, ask.deadline, message, candidates);
    let elsewhere = instructions::elsewhere(ask);
    let withhold = |candidate: &Candidate| {
        let loaded = || ask.reader.loads(&candidate.path).then(|| instructions::loaded(&candidate.shown, ask.reader));
        elsewhere.iter().find(|(file, _)| *file == candidate.path).map(|(_, note)| note.clone()).or_else(loaded)
    };
    let request = docs::SelectRequest {
        model: Some(&model),
        deadline: Some(ask.deadline),
        withhold: Some(&withhold),
        ..docs::SelectRequest::new(message, ask.places, ask.settings)
    };
    docs::bring(&request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_has_a_bit_and_a_name_of_its_own() {
        assert_eq!(Source::ALL.map(Source::bit), [1, 2, 8, 4], "the ledger keeps these numbers");
        for source in Source::ALL {
            assert_eq!(Source::named(source.name()), Some(source));
        }
        assert_eq!(Source::of(5).collect::<Vec<_>>(), [Source::Domains, Source::Docs]);
        assert_eq!(Source::opening(&[Opens::First, Opens::Work]), 11);
        assert_eq!(Source::of(Source::every()).count(), Source::ALL.len());
    }
}
