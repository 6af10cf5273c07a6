//! All documents that a message may be about, prepared for search.
//!
//! Goes in: index files, and entries of other sources. Comes out: something that can be asked. The prepared search file
//! and its list are kept in the user's cache; both are checked at every opening, so a document that changed a moment ago
//! is found by what it says now. Preparing reads what is new or changed, and takes over everything else.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::cache::Cache;
use super::changes::{Changes, find_changes};
use super::index::Index;
use super::list::{IndexFile, List, ListFile, Listed};
use super::roots::{Content, Roots};
use super::stamp::Stamp;
use crate::Failure;
use crate::candidate::{About, Body, Candidate};
use crate::fs::{FileError, FileProblem};
use crate::note::{Level, Note, NoteKind};
use crate::packed::Damage;
use crate::select::{Document, Ranked, SearchFileError, SearchIndex, Selection, Wanted, Weights};
use crate::shown::relative_text;

/// These take up to this long on a busy machine; they decide whether there is time. Reading a document, to see whether
/// it changed:
const READING: Duration = Duration::from_micros(200);
/// Taking a document apart:
const PREPARING: Duration = Duration::from_millis(4);
/// Taking over a mebibyte of the search file that is there:
const TAKING_OVER: Duration = Duration::from_millis(12);
/// Texts that were read to see whether they changed are kept until this many bytes, and read again beyond.
const KEPT_BYTES: usize = 16 * 1024 * 1024;
/// A document that scores less than this share of the best has nothing to do with the message. It is low on purpose: who
/// asks for five documents wants five; how few are worth an agent's window is decided when they are brought.
const CUT: f32 = 0.15;

/// What a corpus is made from.
#[derive(Debug, Clone, Default)]
pub(super) struct Corpora<'a> {
    /// The indexes, global first.
    pub indexes: &'a [PathBuf],
    /// Entries of files that other sources do not load whole.
    pub entries: Vec<Candidate>,
    pub home: Option<&'a Path>,
    /// The user's cache directory.
    pub cache: Option<&'a Path>,
    /// When the answer is needed. Where preparing would take longer, the last prepared state answers.
    pub deadline: Option<Instant>,
}

/// Documents that can be asked which of them fit a message.
#[derive(Debug)]
pub(super) struct Corpus {
    details: Details,
    entries: Vec<Candidate>,
    search: SearchIndex,
    cache: Cache,
    roots: Roots,
    /// There was no time to prepare what changed: somebody has to do it before the next message.
    pub is_behind: bool,
    /// Indexes that could not be read.
    pub failures: Vec<Failure>,
    pub notes: Vec<Note>,
}

/// Where the details of documents are.
#[derive(Debug)]
enum Details {
    Memory(List),
    File(ListFile),
}

impl Corpus {
    /// Opens the corpus; prepares it first where that was not done before, or where something changed since.
    pub(super) fn open(corpora: &Corpora<'_>) -> Result<Self, Failure> {
        let work = Work::new(corpora);
        let file = work.cache.list();
        let (listed, changed) = match file {
            Some(file) if work.has_same_indexes(&file) => match file.stamps().and_then(|stamps| find_changes(&stamps, corpora.deadline)) {
                Ok(Changes::Known(changed)) => {
                    if file.entries == work.entries
                        && changed.iter().all(|number| work.is_young_and_same(&file, *number))
                        && let Some(search) = work.cache.search(&file.search)
                    {
                        return Ok(work.finish(Details::File(file), search));
                    }
                    (file.all().ok(), Some(changed))
                }
                Ok(Changes::OutOfTime) => return Ok(work.answer_behind()),
                Err(_) => (None, None),
            },
            Some(file) => (file.all().ok(), None),
            None => (None, None),
        };
        work.prepare(listed, changed)
    }

    /// Chooses at most `limit` documents for a message, on this machine and by the message alone. Up to `explained` others
    /// are described too.
    pub(super) fn query(&self, message: &str, limit: usize, explained: usize) -> Result<Selection, Failure> {
        let weights = Weights { cut: CUT, ..Weights::default() };
        self.search.query_with(message, limit, explained, &weights).map_err(|error| self.damaged(&error))
    }

    /// Returns what was ranked as a candidate, shown as it is seen from `here`.
    pub(super) fn candidate(&self, ranked: Ranked, here: &Path) -> Result<Candidate, Failure> {
        if let Some(entry) = self.entries.iter().find(|entry| entry.id() == ranked.id) {
            let shown = relative_text(&entry.path, here);
            return Ok(Candidate { path: entry.path.clone(), shown, about: About { ranked, ..entry.about.clone() } });
        }
        let found = self.find(&ranked.id, ranked.number).map_err(|damage| self.damaged(&damage))?;
        let listed = found.ok_or_else(|| self.damaged(&Damage::Corrupt("a document is missing from the list")))?;
        let body = Body::File { index: listed.source, root: self.root_of(&listed).to_path_buf() };
        let about = About { name: listed.path, tags: listed.tags, body, ranked, chosen: None };
        Ok(Candidate { shown: relative_text(&listed.file, here), path: listed.file, about })
    }

    /// Returns the documents that the index wants read with a file.
    pub(super) fn required_with(&self, file: &Path) -> Vec<PathBuf> {
        let found = file.to_str().and_then(|id| self.find(id, 0).ok().flatten());
        found.map(|listed| listed.requires).unwrap_or_default()
    }

    fn find(&self, id: &str, near: usize) -> Result<Option<Listed>, Damage> {
        match &self.details {
            Details::File(file) => file.find(id, near),
            Details::Memory(list) => Ok(list.documents.iter().find(|listed| listed.file.to_str() == Some(id)).cloned()),
        }
    }

    /// Whatever is wrong with prepared files, making them anew mends it.
    fn damaged(&self, error: &(dyn std::error::Error + 'static)) -> Failure {
        self.cache.discard();
        Failure::new("cannot search the documents").because(error)
    }

    /// Returns the directory that a document may not leave.
    fn root_of(&self, document: &Listed) -> &Path {
        let sources = match &self.details {
            Details::File(file) => &file.sources,
            Details::Memory(list) => &list.sources,
        };
        &sources[document.source].root
    }

    /// Returns the text of a file below a directory that it may not leave.
    pub(super) fn read_beneath(&self, root: &Path, file: &Path) -> Result<String, FileProblem> {
        self.roots.read(root, file).map(|content| content.text)
    }
}

/// What is known while a corpus is opened.
struct Work<'a> {
    corpora: &'a Corpora<'a>,
    cache: Cache,
    /// The hash of all entries.
    entries: [u8; 32],
    roots: Roots,
    failures: Vec<Failure>,
    notes: Vec<Note>,
    /// Texts that had to be read on the way, by the number of their document.
    texts: HashMap<usize, String>,
    kept_bytes: usize,
    is_behind: bool,
}

impl<'a> Work<'a> {
    fn new(corpora: &'a Corpora<'a>) -> Self {
        let mut hasher = blake3::Hasher::new();
        for entry in &corpora.entries {
            hasher.update(entry.id().as_bytes()).update(&[0]).update(hash_of(entry).as_bytes());
        }
        Self {
            corpora,
            cache: Cache::of(corpora),
            entries: *hasher.finalize().as_bytes(),
            roots: Roots::default(),
            failures: Vec::new(),
            notes: Vec::new(),
            texts: HashMap::new(),
            kept_bytes: 0,
            is_behind: false,
        }
    }

    fn finish(self, details: Details, search: SearchIndex) -> Corpus {
        let Self { corpora, cache, roots, failures, notes, is_behind, .. } = self;
        Corpus { details, entries: corpora.entries.clone(), search, cache, roots, is_behind, failures, notes }
    }

    /// Answers from the last prepared state, or, where there is none yet, from nothing.
    fn answer_behind(mut self) -> Corpus {
        self.is_behind = true;
        let reason = "there is no time to prepare the documents now; the last prepared state answers";
        self.notes.push(Note::warning("documents", NoteKind::Stale, reason));
        if let Some(file) = self.cache.list()
            && let Some(search) = self.cache.search(&file.search)
        {
            return self.finish(Details::File(file), search);
        }
        let nothing = SearchIndex::from_bytes(SearchIndex::build(&[])).expect("what was just built can be read");
        self.finish(Details::Memory(List::default()), nothing)
    }

    fn has_same_indexes(&self, list: &ListFile) -> bool {
        let files = list.sources.iter().map(|source| &source.file);
        // A root that moved is found again by reading the index.
        let is_same = |source: &IndexFile| source.stamp == Stamp::of(&source.file) && self.roots.open(&source.root).is_ok();
        files.eq(self.corpora.indexes) && list.sources.iter().all(is_same)
    }

    /// Whether a document that seems to have changed is too young for its time stamp to tell, but says what it said. Once it
    /// is old enough, its stamp is written down.
    fn is_young_and_same(&self, file: &ListFile, number: usize) -> bool {
        let Ok(listed) = file.listed(number as u64) else { return false };
        let read = self.roots.read(&file.sources[listed.source].root, &listed.file);
        read.is_ok_and(|content| {
            listed.stamp == Stamp::UNKNOWN && content.appearance.settled() == Stamp::UNKNOWN && Some(content.hash) == listed.content
        })
    }

    /// Prepares the documents. `changed` are those of the known ones that do not look as they did, where the indexes are
    /// the same; otherwise the indexes are read and everything is looked at.
    fn prepare(mut self, known: Option<List>, changed: Option<Vec<usize>>) -> Result<Corpus, Failure> {
        let (mut list, changed) = match (known, changed) {
            (Some(list), Some(changed)) => (list, changed),
            (known, _) => {
                let list = self.list(known);
                let differs = |(number, listed): (usize, &Listed)| (Stamp::of(&listed.file) != listed.stamp).then_some(number);
                let changed = list.documents.iter().enumerate().filter_map(differs).collect();
                (list, changed)
            }
        };
        if self.is_late(READING * times(changed.len() as u64)) {
            return Ok(self.answer_behind());
        }
        let mut differing = 0;
        for number in changed {
            let before = list.documents[number].content;
            self.reread(&mut list, number);
            differing += u64::from(list.documents[number].content != before);
        }
        let wanted = self.wanted(&list);
        let fingerprint = wanted.fingerprint();
        let making = PREPARING * times(differing) + TAKING_OVER * times(self.cache.size() >> 20);
        let search = match self.cache.search(&fingerprint) {
            Some(search) => search,
            None if self.is_late(making) => return Ok(self.answer_behind()),
            None => self.make(&list, &wanted).map_err(|error| Failure::new("cannot search the documents").because(&error))?,
        };
        // What cannot be read now may be readable the next time: then it is looked at again.
        if self.failures.is_empty() {
            self.cache.write_list(&list, fingerprint, self.entries);
        }
        Ok(self.finish(Details::Memory(list), search))
    }

    /// Whether something that takes this long would end too late.
    fn is_late(&self, time: Duration) -> bool {
        self.corpora.deadline.is_some_and(|deadline| Instant::now() + time > deadline)
    }

    /// Lists the documents of all indexes; what the old list knows of unchanged files is kept.
    fn list(&mut self, old: Option<List>) -> List {
        let old = old.unwrap_or_default();
        let known: HashMap<&Path, &Listed> = old.documents.iter().map(|listed| (listed.file.as_path(), listed)).collect();
        let mut list = List::default();
        let mut seen = HashSet::new();
        for (source, file) in self.corpora.indexes.iter().enumerate() {
            let stamp = Stamp::settled(file);
            // In the place of one that cannot be read stands an empty one.
            let index = Index::read(file, self.corpora.home).unwrap_or_else(|failure| {
                self.failures.push(failure);
                Index { file: file.clone(), root: PathBuf::new(), documents: Vec::new(), notes: Vec::new() }
            });
            self.notes.extend(index.notes.iter().cloned());
            list.sources.push(IndexFile { file: file.clone(), root: index.root.clone(), stamp });
            let has_required = index.documents.iter().any(|entry| !entry.requires.is_empty());
            let files: HashMap<&str, &PathBuf> =
                index.documents.iter().filter(|_| has_required).map(|entry| (entry.path.as_str(), &entry.file)).collect();
            for entry in index.documents.iter().filter(|entry| seen.insert(entry.file.clone())) {
                let known = known.get(entry.file.as_path());
                list.documents.push(Listed {
                    source,
                    path: entry.path.clone(),
                    file: entry.file.clone(),
                    title: entry.title.clone(),
                    description: entry.description.clone(),
                    tags: entry.tags.clone(),
                    requires: entry.requires.iter().filter_map(|path| files.get(path.as_str()).copied().cloned()).collect(),
                    stamp: known.map_or(Stamp::UNKNOWN, |known| known.stamp),
                    content: known.and_then(|known| known.content),
                });
            }
        }
        list.documents.sort_by_cached_key(Listed::id);
        list
    }

    /// Reads a document that does not look as it did.
    fn reread(&mut self, list: &mut List, number: usize) {
        let document = &mut list.documents[number];
        match self.roots.read(&list.sources[document.source].root, &document.file) {
            Ok(Content { appearance, hash, text }) => {
                (document.stamp, document.content) = (appearance.settled(), Some(hash));
                if self.kept_bytes + text.len() <= KEPT_BYTES {
                    self.kept_bytes += text.len();
                    self.texts.insert(number, text);
                }
            }
            Err(problem) => {
                (document.stamp, document.content) = (Stamp::settled(&document.file), None);
                self.notes.push(FileError::new(document.path.clone(), problem).note(Level::Warning));
            }
        }
    }

    /// Returns what the search file shall hold: the documents that can be read, by their numbers, then the entries.
    fn wanted(&self, list: &List) -> Wanted {
        let documents = list.documents.iter().map(|listed| (listed.id(), listed.key()));
        let entries = self.corpora.entries.iter().map(|entry| (entry.id().to_owned(), Some(hash_of(entry))));
        let all: Vec<(String, Option<String>)> = documents.chain(entries).collect();
        Wanted::new(all.iter().map(|(id, hash)| (id.as_str(), hash.as_deref())))
    }

    /// Makes the search file, in the cache or, where that cannot be, in memory.
    fn make(&mut self, list: &List, wanted: &Wanted) -> Result<SearchIndex, SearchFileError> {
        let older = self.cache.older();
        let has_older = older.is_some();
        match self.make_from(older, list, wanted) {
            // The older file is damaged: without it.
            Err(_) if has_older => {
                self.cache.discard();
                self.make_from(None, list, wanted)
            }
            made => made,
        }
    }

    fn make_from(&mut self, older: Option<SearchIndex>, list: &List, wanted: &Wanted) -> Result<SearchIndex, SearchFileError> {
        let mut texts = std::mem::take(&mut self.texts);
        let mut is_torn = false;
        let (entries, roots) = (&self.corpora.entries, &self.roots);
        let mut load = |place: usize| match list.documents.get(place) {
            Some(listed) => {
                let text = texts.remove(&place).unwrap_or_else(|| {
                    let read = roots.read(&list.sources[listed.source].root, &listed.file).ok();
                    is_torn |= read.as_ref().map(|content| content.hash) != listed.content;
                    read.map(|content| content.text).unwrap_or_default()
                });
                Cow::Owned(document(listed, text))
            }
            None => Cow::Owned(of_entry(&entries[place - list.documents.len()])),
        };
        let replacement = if self.failures.is_empty() { self.cache.replacement() } else { None };
        let Some(mut replacement) = replacement else {
            return SearchIndex::from_bytes(SearchIndex::update(wanted, older, &mut load, None, Vec::new())?);
        };
        SearchIndex::update(wanted, older, &mut load, self.cache.directory(), replacement.file())?;
        let search = replacement.file().try_clone().map_err(SearchFileError::Range).and_then(SearchIndex::of_file)?;
        // What changed between being hashed and being taken apart must not be taken for what it was.
        if !is_torn {
            let _ = replacement.commit();
        }
        Ok(search)
    }
}

/// Durations are multiplied by smaller numbers than counts may be.
fn times(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX).min(1_000_000)
}

/// Returns a document as it is taken apart.
fn document(listed: &Listed, text: String) -> Document {
    Document {
        id: listed.id(),
        path: listed.path.trim_start_matches("../").to_owned(),
        title: listed.title.clone(),
        description: listed.description.clone(),
        tags: listed.tags.clone(),
        text,
        ..Document::default()
    }
}

fn of_entry(entry: &Candidate) -> Document {
    let (id, title) = (entry.id().to_owned(), entry.title().to_owned());
    Document { id, title, tags: entry.about.tags.clone(), text: entry.about.text().to_owned(), ..Document::default() }
}

fn hash_of(entry: &Candidate) -> String {
    let mut hasher = blake3::Hasher::new();
    for text in [entry.title(), &entry.about.tags.join("\n"), entry.about.text()] {
        hasher.update(text.as_bytes()).update(&[0]);
    }
    hasher.finalize().to_hex().to_string()
}
