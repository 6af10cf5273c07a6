//! The gate's message: the loaded files, their pieces, and the closing notes.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::filled::{filled, has_items};
use super::find::{GateDirectories, find, named};
use super::frame::{banner, footer, head};
use super::index::index;
use super::plan::{CONSTITUTION, DECISIONS, LEARNINGS, Planned, Strategy, TASKS, adapt, plan};
use super::read::Reader;
use crate::fit::Sent;
use crate::frames::{defuse, inline};
use crate::fs::{FileError, FileProblem};
use crate::note::{Level, Note, NoteKind};
use crate::piece::{Brought, Order, Piece, Role, content_hash};
use crate::reason::Reason;
use crate::settings::{Places, Settings};
use crate::shown::path_text;
use crate::sources::{Notice, Source};
use crate::tokens::estimate_bytes;
use crate::watch::Watched;

/// More tokens than this are injected anyway, with a warning.
pub const WARN_TOKENS: u64 = 15_000;

/// What is said of a file that has nothing but its template.
pub const UNFILLED: &str = "not filled in yet";

/// A file that goes into the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The name in its head: plain for the gate's own files, relative for a constitution in a directory above.
    pub name: String,
    pub path: PathBuf,
    pub strategy: Strategy,
    /// The text under the head: the file, its index, or a note that it is empty.
    pub text: String,
    /// The tokens of the injected content; the note for an empty file counts as zero.
    pub tokens: u64,
}

impl Section {
    fn head(&self) -> String {
        head(&self.name, self.strategy == Strategy::Index)
    }

    fn order(&self) -> Order {
        let is_constitution = self.strategy == Strategy::Verbatim && self.path.file_name().is_some_and(|name| name == CONSTITUTION);
        if is_constitution { Order::Constitution } else { Order::Gate }
    }
}

/// The gate's content for a directory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gate {
    /// The directory that has the gate's directory.
    pub project: PathBuf,
    /// The gate's directory, usually `.context`.
    pub directory: PathBuf,
    /// Verbatim files, then indexes.
    pub sections: Vec<Section>,
    /// The names of existing files that are only mentioned.
    pub mentioned: Vec<String>,
    /// The names of existing files that have nothing but their template.
    pub unfilled: Vec<String>,
    /// Existing files that cannot be used, with the problem.
    pub left_out: Vec<(String, FileProblem)>,
    /// All planned files, with their strategies.
    pub planned: Vec<Planned>,
    pub notes: Vec<Note>,
}

/// Loads the gate's content. Returns `None` if nothing is initialised here or all files are missing.
pub fn load(places: &Places, settings: &Settings) -> Option<Gate> {
    let (mut planned, mut notes) = plan(settings);
    let (name, problem) = named(places, settings);
    notes.extend(problem);
    let found = find(places, &name, &planned)?;
    adapt(&mut planned, &found.directory);
    let mut gate = Gate { project: found.project.clone(), directory: found.directory.clone(), notes, ..Gate::default() };
    let redacts = settings.guards.redact.value;
    gate.load_above(&found, &planned, redacts);
    let reader = Reader::of(&found.directory);
    for file in &planned {
        let path = found.directory.join(&file.name);
        match file.strategy {
            Strategy::Verbatim | Strategy::Index => gate.load_file(&reader, file.name.clone(), path, file.strategy, redacts),
            Strategy::Mention if path.is_file() => gate.mention(&reader, file.name.clone(), &path),
            Strategy::Mention | Strategy::Skip => {}
        }
    }
    gate.planned = planned;
    if gate.tokens() > WARN_TOKENS {
        let reason = format!("has {} tokens for the gate, more than {WARN_TOKENS}; they are injected anyway", gate.tokens());
        gate.notes.push(Note::warning(path_text(&gate.directory), NoteKind::NearLimit, reason));
    }
    (!gate.is_silent() || !gate.unfilled.is_empty()).then_some(gate)
}

/// Returns the gate's pieces. Concatenated in order, they are the spec's message.
pub fn bring(places: &Places, settings: &Settings) -> Brought {
    let (planned, _) = plan(settings);
    let found = find(places, &named(places, settings).0, &planned);
    let watched = found.map(|found| watched(&found, planned)).unwrap_or_default();
    let gate = load(places, settings).unwrap_or_default();
    Brought { pieces: gate.pieces(), notes: gate.notes, watched, ..Brought::default() }
}

/// Returns the files whose text is in the message, or would be if they existed.
fn watched(found: &GateDirectories, mut planned: Vec<Planned>) -> Vec<Watched> {
    adapt(&mut planned, &found.directory);
    let has_text = |file: &&Planned| matches!(file.strategy, Strategy::Verbatim | Strategy::Index);
    let own = planned.iter().filter(has_text).map(|file| found.directory.join(&file.name));
    let above = found.above.iter().map(|(above, _)| above.join(CONSTITUTION));
    own.chain(above).filter_map(|path| Watched::now(&path)).collect()
}

/// Returns the notice for the webhook after the gate's files were injected.
pub fn notice(places: &Places, settings: &Settings, sent: Sent) -> Option<Notice> {
    let project = find(places, &named(places, settings).0, &plan(settings).0)?.project;
    Some(Notice { message: summary(sent.pieces, sent.tokens), project })
}

/// Returns the only line that may leave the machine: how much was injected, but not what.
pub(super) fn summary(files: usize, tokens: u64) -> String {
    let over = if tokens > WARN_TOKENS { format!(" — over {WARN_TOKENS}") } else { String::new() };
    format!("context-load-gate: injected {files} files (~{tokens} tokens){over}")
}

impl Gate {
    /// Loads the constitutions of the directories above, which also apply here and come first.
    fn load_above(&mut self, found: &GateDirectories, planned: &[Planned], redacts: bool) {
        let is_verbatim = planned.iter().any(|file| file.name == CONSTITUTION && file.strategy == Strategy::Verbatim);
        for (above, name) in found.above.iter().filter(|_| is_verbatim) {
            self.load_file(&Reader::of(above), name.clone(), above.join(CONSTITUTION), Strategy::Verbatim, redacts);
        }
    }

    /// Mentions a file, unless it has nothing but its template. One that cannot be read is mentioned too.
    fn mention(&mut self, reader: &Reader, name: String, path: &Path) {
        // Its content does not go in, so notes about it would mislead.
        let text = reader.read(path, &name, false, &mut Vec::new());
        let is_unfilled = matches!(text, Ok(Some(text)) if !filled(&text).is_some_and(|text| has_items(&text)));
        if is_unfilled {
            self.leave_unfilled(name, path_text(path));
        } else {
            self.mentioned.push(name);
        }
    }

    fn leave_unfilled(&mut self, name: String, shown: String) {
        self.notes.push(Note::info(shown, NoteKind::Empty, UNFILLED));
        self.unfilled.push(name);
    }

    fn load_file(&mut self, reader: &Reader, name: String, path: PathBuf, strategy: Strategy, redacts: bool) {
        let shown = path_text(&path);
        let text = match reader.read(&path, &shown, redacts, &mut self.notes) {
            Ok(Some(text)) => text,
            Ok(None) => return,
            Err(problem) => {
                self.notes.push(FileError::new(shown, problem.clone()).note(Level::Warning));
                self.left_out.push((name, problem));
                return;
            }
        };
        let (text, tokens) = if text.trim().is_empty() {
            self.notes.push(Note::info(shown, NoteKind::Empty, "is empty"));
            ("(empty)".to_owned(), estimate_bytes(text.len()))
        } else if strategy == Strategy::Index {
            let text = index(&name, &shown, &text, &mut self.notes);
            let tokens = estimate_bytes(text.len());
            (text, tokens)
        } else {
            let Some(text) = filled(&text) else {
                self.leave_unfilled(name, shown);
                return;
            };
            (text.to_string(), estimate_bytes(text.len()))
        };
        // Without its comments, a line may look like one of ours.
        let text = defuse(&text).text.into_owned();
        self.sections.push(Section { name, path, strategy, text, tokens });
    }

    /// Returns whether an agent receives nothing.
    pub fn is_silent(&self) -> bool {
        self.sections.is_empty() && self.mentioned.is_empty() && self.left_out.is_empty()
    }

    /// Returns the number of loaded files.
    pub fn files(&self) -> usize {
        self.sections.len()
    }

    /// Returns the estimated tokens of all loaded files, without frame and notes.
    pub fn tokens(&self) -> u64 {
        self.sections.iter().map(|section| section.tokens).sum()
    }

    /// Returns the whole message.
    pub fn message(&self) -> String {
        let pieces = self.pieces();
        let Some((closing, files)) = pieces.split_last() else { return String::new() };
        let files: String = files.iter().map(|piece| piece.text.as_str()).collect();
        format!("{}{files}{}{}", banner(), footer(self.files(), self.tokens()), closing.text)
    }

    /// Returns the message in pieces: one per file, and the closing notes as the last.
    pub fn pieces(&self) -> Vec<Piece> {
        if self.is_silent() {
            return Vec::new();
        }
        let mut pieces = Vec::with_capacity(self.sections.len() + 1);
        for section in &self.sections {
            let path = path_text(&section.path);
            // An index has its own identity, because the file itself is not in the window.
            let id = if section.strategy == Strategy::Index { format!("{path}#index") } else { path.clone() };
            let text = format!("{}{}\n\n", section.head(), section.text);
            let reason = Reason::CoreFile { strategy: section.strategy };
            let piece = Piece::new(Source::Gate, id, path, reason, section.order(), text).counted_as(section.tokens);
            pieces.push(if section.strategy == Strategy::Verbatim { piece.of_content(content_hash(&section.text)) } else { piece });
        }
        let directory = path_text(&self.directory);
        let footer = Piece::new(Source::Gate, self.footer_id(), directory, Reason::ClosingNotes, Order::Gate, self.closing_notes());
        pieces.push(footer.with_role(Role::Closing).in_file(""));
        pieces
    }

    /// Returns the identity of the closing notes.
    pub(super) fn footer_id(&self) -> String {
        format!("{}#footer", path_text(&self.directory))
    }

    /// Returns what follows the count: where to read more, and what could not be loaded.
    fn closing_notes(&self) -> String {
        let mut text = String::new();
        if self.mentioned.iter().any(|name| name == TASKS) {
            text.push_str(
                "\nTASKS.md contains the project's prioritized work items. Read it when\n\
                 discussing priorities, picking up work, or when the user asks about tasks.\n",
            );
        }
        let others: Vec<_> = self.mentioned.iter().filter(|name| *name != TASKS).map(String::as_str).collect();
        if !others.is_empty() {
            let also = format!("Also in {}, to be read when needed: {}.", self.shown_directory(), others.join(", "));
            let _ = write!(text, "\n{}\n", inline(&also));
        }
        let has = |name: &str| self.sections.iter().any(|section| section.name == name);
        text.push_str(match (has(DECISIONS), has(LEARNINGS)) {
            (true, true) => "\nFor full decision or learning details, read the entry in DECISIONS.md or\nLEARNINGS.md by timestamp.\n",
            (true, false) => "\nFor full decision details, read the entry in DECISIONS.md by timestamp.\n",
            (false, true) => "\nFor full learning details, read the entry in LEARNINGS.md by timestamp.\n",
            (false, false) => "",
        });
        for (name, problem) in &self.left_out {
            let _ = write!(text, "\n{}\n", inline(&format!("{name} could not be loaded: {problem}.")));
        }
        text
    }

    /// Returns `.context/`, relative to the project's own directory.
    pub(super) fn shown_directory(&self) -> String {
        format!("{}/", crate::shown::relative_text(&self.directory, &self.project))
    }
}
