//! What the source brings, and the cheap tests whether it may have anything.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::reader::{Habit, Reader};
use super::scoped::{self, Scoped};
use crate::fs::{FileError, read_own_bytes};
use crate::load::{Root, guard};
use crate::note::{Level, Note, NoteKind};
use crate::piece::{Brought, Order, Piece, content_hash};
use crate::reason::Reason;
use crate::select::sections::front_matter;
use crate::settings::{Places, Settings};
use crate::shown::{path_text, relative_text};
use crate::sources::{Ask, Look, Source, docs};
use crate::tokens::estimate_bytes;
use crate::watch::Watched;

/// The file that all agents are meant to read.
pub const STANDARD: &str = "AGENTS.md";
/// The variables that set something for this source.
pub const VARIABLES: [&str; 3] = ["BRIEF_INSTRUCTIONS_FILES", "BRIEF_INSTRUCTIONS_BESIDE", "BRIEF_INSTRUCTIONS_RULES"];
/// The largest file that is read.
const MAX_BYTES: u64 = 1024 * 1024;

/// Returns whether there may be anything for a reader, at the cost of a few `stat` calls for each directory between the root
/// and what is touched.
pub fn is_here(look: &Look<'_>) -> bool {
    let Look { places, reader, touched } = *look;
    let wanted = Wanted::usual();
    says(places, b"instructions")
        || (!touched.is_empty() && says(places, b"index"))
        || wanted.at_start(reader).next().is_some()
        || (!touched.is_empty() && (wanted.nested(reader, touched).next().is_some() || is_scoped(reader, touched, places)))
}

fn is_scoped(reader: &Reader, touched: &[PathBuf], places: &Places) -> bool {
    let scoped = scoped::in_indexes(&docs::usual_files(places), places);
    scoped.iter().any(|document| document.applies(touched, &reader.root).is_some())
}

/// Returns whether earlier touches may have brought something, at the cost of one `stat`: a directory inside a project seldom
/// has instructions of its own where the project has none.
pub fn may_have_come(reader: &Reader) -> bool {
    reader.is_known() && reader.root.join(STANDARD).is_file()
}

/// Returns whether a settings file has a word in it.
fn says(places: &Places, word: &[u8]) -> bool {
    let has = |path: PathBuf| read_own_bytes(&path, 1024 * 1024).is_ok_and(|bytes| memchr::memmem::find(&bytes, word).is_some());
    places.project_file().is_some_and(has) || places.user_file().is_some_and(has)
}

/// Returns whether the settings decide what a touched path concerns. Reading them costs more than everything else.
pub fn needs_settings(places: &Places) -> bool {
    says(places, b"instructions") || says(places, b"index")
}

/// Returns whether touched paths concern something that the window has not `received` because of an earlier touch. Without
/// settings, those of a project that sets nothing count.
pub fn is_touched(look: &Look<'_>, received: &[&str], settings: Option<&Settings>) -> bool {
    let Look { places, reader, touched } = *look;
    if touched.is_empty() {
        return false;
    }
    let is_new = |file: &Path| !received.contains(&path_text(file).as_str());
    let wanted = settings.map_or_else(Wanted::usual, Wanted::of);
    if wanted.nested(reader, touched).any(|file| is_new(&file)) {
        return true;
    }
    let scoped = wanted.scoped(reader, places, settings);
    scoped.iter().any(|document| document.applies(touched, &reader.root).is_some() && is_new(&document.file))
}

/// What is to be supplied.
struct Wanted {
    names: Vec<String>,
    /// Whether a file comes although the agent prefers another one.
    beside: bool,
    rules: Vec<String>,
}

impl Wanted {
    fn usual() -> Self {
        Self { names: vec![STANDARD.to_owned()], beside: false, rules: Vec::new() }
    }

    fn of(settings: &Settings) -> Self {
        let settings = &settings.instructions;
        let names = settings.files.value.iter().filter(|name| Path::new(name).is_relative() && !name.is_empty());
        Self { names: names.cloned().collect(), beside: settings.beside.value, rules: settings.rules.value.clone() }
    }

    /// Returns whether the reader lacks a file, judging by its name.
    fn lacks(&self, reader: &Reader, file: &Path) -> bool {
        reader.is_known()
            && match reader.habit(file) {
                Habit::Unknown => true,
                Habit::Prefers => self.beside,
                Habit::Loads => false,
            }
    }

    /// Returns the files from the root down to the current directory, outermost first.
    fn at_start<'a>(&'a self, reader: &'a Reader) -> impl Iterator<Item = PathBuf> + 'a {
        self.places_at_start(reader).filter(|file| file.is_file())
    }

    /// The same, whether or not they exist.
    fn places_at_start<'a>(&'a self, reader: &'a Reader) -> impl Iterator<Item = PathBuf> + 'a {
        let files = reader.chain().into_iter().flat_map(|directory| self.names.iter().map(|name| directory.join(name)));
        files.filter(|file| self.lacks(reader, file))
    }

    /// Returns the files of the directories around what is touched, except those of the start.
    fn nested<'a>(&'a self, reader: &'a Reader, touched: &'a [PathBuf]) -> impl Iterator<Item = PathBuf> + 'a {
        let chain = reader.chain();
        let mut directories: Vec<&Path> = Vec::new();
        for path in touched {
            let mut around: Vec<&Path> =
                path.ancestors().take_while(|directory| directory.starts_with(&reader.root) && !chain.contains(directory)).collect();
            around.reverse();
            for directory in around {
                if !directories.contains(&directory) {
                    directories.push(directory);
                }
            }
        }
        let files = directories.into_iter().flat_map(|directory| self.names.iter().map(|name| directory.join(name)));
        files.filter(|file| self.lacks(reader, file) && file.is_file())
    }

    fn scoped(&self, reader: &Reader, places: &Places, settings: Option<&Settings>) -> Vec<Scoped> {
        let indexes = settings.map_or_else(|| docs::usual_files(places), |settings| docs::find(places, settings).files());
        let mut scoped = scoped::in_directories(&self.rules, reader);
        scoped.extend(scoped::in_indexes(&indexes, places));
        scoped
    }
}

/// Returns what the reader lacks: the files of the start, those of earlier touches, and what is touched now.
pub fn bring(ask: &Ask<'_>) -> Brought {
    let (reader, settings) = (ask.reader, ask.settings);
    let wanted = Wanted::of(settings);
    let scoped = wanted.scoped(reader, ask.places, Some(settings));
    let mut bringing = Bringing { ask, left: 0, brought: Brought::default(), considered: Vec::new(), taken: Vec::new() };
    for file in wanted.places_at_start(reader) {
        bringing.brought.watched.extend(Watched::now(&file));
        if file.is_file() {
            bringing.add(&file, &reader.root, Reason::Instructions, None);
        }
    }
    for rule in scoped.iter().filter(|rule| rule.is_always) {
        bringing.brought.watched.extend(Watched::now(&rule.file));
        bringing.add(&rule.file, &rule.root, Reason::Instructions, None);
    }
    // What came for an earlier touch stays on the list, and is offered again in case it has changed.
    bringing.left = u64::MAX;
    let is_received = |file: &Path| ask.received.iter().any(|received| *received == path_text(file));
    for file in ask.received.iter().map(Path::new) {
        let is_named = file.starts_with(&reader.root) && wanted.names.iter().any(|name| file.ends_with(name));
        if is_named && wanted.lacks(reader, file) && !bringing.is_considered(file) {
            bringing.touch(file, &reader.root, &around(file, reader), None);
        }
    }
    for document in scoped.iter().filter(|document| !document.is_always && is_received(&document.file)) {
        bringing.touch(&document.file, &document.root, &document.globs.join(", "), None);
    }
    bringing.left = settings.instructions.max_tokens.value;
    for file in wanted.nested(reader, ask.touched) {
        let inside = file.parent().unwrap_or(&file);
        let path = ask.touched.iter().find(|path| path.starts_with(inside)).map(|path| relative_text(path, &ask.places.here));
        bringing.touch(&file, &reader.root, &around(&file, reader), path);
    }
    for document in scoped.iter().filter(|document| !document.is_always) {
        if let Some((glob, path)) = document.applies(ask.touched, &reader.root) {
            bringing.touch(&document.file, &document.root, glob, Some(relative_text(path, &ask.places.here)));
        }
    }
    bringing.brought
}

/// When a file comes to a reader.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "comes", rename_all = "kebab-case")]
pub enum Concern {
    /// At the start of a session.
    Start,
    /// When work first touches this: a directory, or globs.
    Touch { to: String },
    /// Only if the user wants it: the agent has a file of its own instead.
    Beside,
}

/// Returns when a file comes to a reader because of this source. `None`: it does not.
pub fn concern(ask: &Ask<'_>, reader: &Reader, file: &Path) -> Option<Concern> {
    let wanted = Wanted::of(ask.settings);
    let touch = |scoped: &Scoped| if scoped.is_always { Concern::Start } else { Concern::Touch { to: scoped.globs.join(", ") } };
    let is_named = file.starts_with(&reader.root) && wanted.names.iter().any(|name| file.ends_with(name));
    let is_at_start = reader.chain().iter().any(|directory| wanted.names.iter().any(|name| directory.join(name) == file));
    match () {
        () if is_named && !wanted.beside && reader.habit(file) == Habit::Prefers => Some(Concern::Beside),
        () if is_at_start && wanted.lacks(reader, file) => Some(Concern::Start),
        () if is_named && wanted.lacks(reader, file) => Some(Concern::Touch { to: around(file, reader) }),
        () => wanted.scoped(reader, ask.places, Some(ask.settings)).iter().find(|scoped| scoped.file == file).map(touch),
    }
}

/// Returns the files that the reader lacks at the start of a session, and receives.
pub fn supplied(ask: &Ask<'_>) -> Vec<PathBuf> {
    let pieces = bring(&Ask { touched: &[], received: &[], ..*ask }).pieces;
    pieces.into_iter().map(|piece| PathBuf::from(piece.id)).collect()
}

/// Returns the directory that a file of instructions is about.
fn around(file: &Path, reader: &Reader) -> String {
    format!("{}/", relative_text(file.parent().unwrap_or(file), &reader.root))
}

struct Bringing<'a> {
    ask: &'a Ask<'a>,
    /// The number of tokens left for what is touched.
    left: u64,
    brought: Brought,
    considered: Vec<PathBuf>,
    /// The content of what was taken: the same text comes once, whatever its names are.
    taken: Vec<blake3::Hash>,
}

impl Bringing<'_> {
    fn is_considered(&self, file: &Path) -> bool {
        self.considered.iter().any(|considered| considered == file)
    }

    /// Adds a file because work touches what it is about.
    fn touch(&mut self, file: &Path, root: &Path, to: &str, touched: Option<String>) {
        if !self.is_considered(file) {
            self.brought.watched.extend(Watched::now(file));
            self.add(file, root, Reason::Applies { to: to.to_owned(), touched }, Some(to));
        }
    }

    /// Adds a file. One that applies to a certain place must fit into what is left; otherwise it is named.
    fn add(&mut self, file: &Path, root: &Path, reason: Reason, to: Option<&str>) {
        if self.is_considered(file) {
            return;
        }
        self.considered.push(file.to_path_buf());
        let (reader, settings) = (self.ask.reader, self.ask.settings);
        let shown = relative_text(file, &self.ask.places.here);
        let opened = Root::open(root).and_then(|root| root.open_file(file));
        let text = match opened.and_then(|opened| opened.text(MAX_BYTES)) {
            Ok(text) => guard(&shown, text, settings.guards.redact.value, &mut self.brought.notes),
            Err(problem) => {
                self.brought.notes.push(FileError::new(shown, problem).note(Level::Warning));
                return;
            }
        };
        let body = text[front_matter(&text).end..].trim();
        if body.is_empty() {
            return;
        }
        let hash = content_hash(&text);
        if reader.loads(file) || reader.repeats(body) {
            self.brought.notes.push(loaded(&shown, reader));
            return;
        }
        if self.taken.contains(&hash) {
            self.brought.notes.push(Note::info(shown, NoteKind::Duplicate, "another file with the same content is included"));
            return;
        }
        self.taken.push(hash);
        let (id, tokens) = (path_text(file), estimate_bytes(body.len()));
        // What came before was within the limit then; what was too large for it still is.
        let limit = self.left.min(settings.instructions.max_tokens.value);
        if let Some(to) = to.filter(|_| tokens > limit) {
            let limit = settings.instructions.max_tokens.decided_by();
            let why = format!("has {tokens} tokens, more than is left of the limit, so only its name is included");
            self.brought.notes.push(Note::info(shown.clone(), NoteKind::Budget, why).decided_by(limit));
            let text = format!("`{shown}` ({tokens} tokens) applies to `{to}`. Read it before you work there.\n");
            let piece = Piece::new(Source::Instructions, format!("{id}#mention"), shown.clone(), reason, Order::Instructions, text);
            self.brought.pieces.push(piece.in_file(shown));
            return;
        }
        if to.is_some() {
            self.left -= tokens;
        }
        let piece = Piece::new(Source::Instructions, id, shown, reason, Order::Instructions, format!("{body}\n"));
        self.brought.pieces.push(piece.of_content(hash));
    }
}

/// Returns the documents that apply to other paths than those that are touched, each with a note that says so.
pub(in crate::sources) fn elsewhere(ask: &Ask<'_>) -> Vec<(PathBuf, Note)> {
    if ask.touched.is_empty() {
        return Vec::new();
    }
    let scoped = scoped::in_indexes(&docs::find(ask.places, ask.settings).files(), ask.places).into_iter();
    let others = scoped.filter(|document| document.applies(ask.touched, &ask.reader.root).is_none());
    let note = |document: Scoped| {
        let reason = format!("applies to {}, and the work is about other paths", document.globs.join(", "));
        let shown = relative_text(&document.file, &ask.places.here);
        (document.file, Note::info(shown, NoteKind::Ignored, reason))
    };
    others.map(note).collect()
}

/// Returns the note about a file that is left out because the agent has it.
pub(in crate::sources) fn loaded(shown: &str, reader: &Reader) -> Note {
    Note::info(shown, NoteKind::Loaded, format!("{} loads it by itself", reader.title))
}
