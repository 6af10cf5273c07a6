//! All documents that a message may be about, prepared for search.
//!
//! Input is index files and entries of other sources; the result can be queried. The prepared search file and its list
//! are stored in the user's cache and checked whenever they are opened, so a document that changed a moment ago is
//! found by its new content. Preparing reads new and changed documents and reuses everything else.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::cache::Cache;
use super::changes::{Changes, find_changes};
use super::find::{IndexFile, Reach};
use super::index::Index;
use super::list::{List, ListFile, Listed, ListedIndex};
use super::root::place_of;
use super::roots::{Content, Roots};
use super::stamp::Stamp;
use crate::Failure;
use crate::candidate::{About, Body, Candidate};
use crate::fs::{FileError, FileProblem};
use crate::note::{Level, Note, NoteKind, Tally};
use crate::packed::Damage;
use crate::select::{Document, Ranked, SearchFileError, SearchIndex, Selection, Wanted, Weights};
use crate::shown::{path_text, relative_text};

/// Upper bounds for a busy machine, used to decide whether there is enough time. Reading a document to see whether it
/// changed:
const READING: Duration = Duration::from_micros(200);
/// Analysing a document:
const PREPARING: Duration = Duration::from_millis(4);
/// Reusing a mebibyte of the existing search file:
const TAKING_OVER: Duration = Duration::from_millis(12);
/// Texts that were read to detect changes are kept up to this many bytes; beyond that they are read again.
const KEPT_BYTES: usize = 16 * 1024 * 1024;
/// A document whose chance is below this share of the best one's does not match the message. The value is low on purpose: a
/// request for five documents should return five; how few are worth an agent's window is decided later, in `bring`.
const CUT: f32 = 0.001;

/// The inputs of a corpus.
#[derive(Debug, Clone, Default)]
pub(super) struct Corpora<'a> {
    /// The index files, global first.
    pub indexes: &'a [IndexFile],
    /// Entries of files that other sources do not load whole.
    pub entries: Vec<Candidate>,
    pub home: Option<&'a Path>,
    /// The user's cache directory.
    pub cache: Option<&'a Path>,
    /// When the result is needed. If preparing would take longer, the last prepared state is used.
    pub deadline: Option<Instant>,
}

/// How much of an index can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexState {
    pub file: PathBuf,
    pub documents: u64,
    pub readable: u64,
}

/// Documents that can be searched for a message.
#[derive(Debug)]
pub(super) struct Corpus {
    details: Details,
    entries: Vec<Candidate>,
    search: SearchIndex,
    cache: Cache,
    roots: Roots,
    /// There was no time to prepare changed documents; that must be done before the next message.
    pub is_behind: bool,
    /// The indexes that could not be read.
    pub failures: Vec<Failure>,
    pub notes: Vec<Note>,
    /// Notes about documents that were just found to be unreadable.
    pub unread: Vec<Note>,
}

/// Where the details of documents are.
#[derive(Debug)]
enum Details {
    Memory(List),
    File(ListFile),
}

impl Corpus {
    /// Opens the corpus, and prepares it first if that was not done before or something has changed.
    pub(super) fn open(corpora: &Corpora<'_>) -> Result<Self, Failure> {
        let mut work = Work::new(corpora);
        let file = work.cache.list();
        let (listed, changed) = match file {
            Some(file) if work.has_same_indexes(&file) => match file.stamps().and_then(|stamps| find_changes(&stamps, corpora.deadline)) {
                Ok(Changes::Known(changed)) => {
                    if file.entries == work.entries
                        && changed.iter().all(|number| work.is_as_listed(&file, *number))
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

    /// Chooses at most `limit` documents for a message, locally and only by the message. Describes up to `explained`
    /// other documents.
    pub(super) fn query(&self, message: &str, limit: usize, explained: usize, weights: &Weights) -> Result<Selection, Failure> {
        let weights = Weights { cut: CUT, ..weights.clone() };
        self.search.query_with(message, limit, explained, &weights).map_err(|error| self.damaged(&error))
    }

    /// Returns a short name of the searched documents with their contents.
    pub(super) fn version(&self) -> String {
        blake3::Hash::from_bytes(self.search.fingerprint().to_bytes()).to_hex()[..16].to_owned()
    }

    /// Returns a ranked document as a candidate, with its path relative to `here`.
    pub(super) fn candidate(&self, ranked: Ranked, here: &Path) -> Result<Candidate, Failure> {
        if let Some(entry) = self.entries.iter().find(|entry| entry.id() == ranked.id) {
            let shown = relative_text(&entry.path, here);
            return Ok(Candidate { path: entry.path.clone(), shown, about: About { ranked, ..entry.about.clone() } });
        }
        let found = self.find(&ranked.id, ranked.number).map_err(|damage| self.damaged(&damage))?;
        let listed = found.ok_or_else(|| self.damaged(&Damage::Corrupt("a document is missing from the list")))?;
        let body = Body::File { index: listed.source, root: self.root_of(&listed).to_path_buf() };
        let (called, description) = (listed.name, listed.description);
        let about = About { name: listed.path, called, description, tags: listed.tags, body, ranked, chosen: None };
        Ok(Candidate { shown: relative_text(&listed.file, here), path: listed.file, about })
    }

    /// Returns the documents that the index requires to be read with a file.
    pub(super) fn required_with(&self, file: &Path) -> Vec<PathBuf> {
        let found = file.to_str().and_then(|id| self.find(id, 0).ok().flatten());
        found.map(|listed| listed.requires).unwrap_or_default()
    }

    /// Returns the root of a document that is in an index which the user's own configuration names.
    pub(super) fn users_root(&self, file: &Path) -> Option<&Path> {
        let listed = self.find(file.to_str()?, 0).ok().flatten()?;
        let source = &self.sources()[listed.source];
        source.is_trusted.then_some(source.root.as_path())
    }

    fn find(&self, id: &str, near: usize) -> Result<Option<Listed>, Damage> {
        match &self.details {
            Details::File(file) => file.find(id, near),
            Details::Memory(list) => Ok(list.documents.iter().find(|listed| listed.file.to_str() == Some(id)).cloned()),
        }
    }

    /// Discards damaged prepared files, so that they are rebuilt.
    fn damaged(&self, error: &(dyn std::error::Error + 'static)) -> Failure {
        self.cache.discard();
        Failure::new("cannot search the documents").because(error)
    }

    /// Returns the directory that a document must not leave.
    fn root_of(&self, document: &Listed) -> &Path {
        &self.sources()[document.source].root
    }

    fn sources(&self) -> &[ListedIndex] {
        match &self.details {
            Details::File(file) => &file.sources,
            Details::Memory(list) => &list.sources,
        }
    }

    /// Returns how many documents each index has, and how many of them can be read.
    pub(super) fn states(&self) -> Vec<IndexState> {
        let state = |source: &ListedIndex| IndexState {
            file: source.file.clone(),
            documents: source.documents,
            readable: source.documents - source.unread,
        };
        self.sources().iter().map(state).collect()
    }

    /// Returns the text of a file below a directory that it must not leave.
    pub(super) fn read_beneath(&self, root: &Path, file: &Path) -> Result<String, FileProblem> {
        self.roots.read(root, file).map(|content| content.text)
    }
}

/// The state while a corpus is opened.
struct Work<'a> {
    corpora: &'a Corpora<'a>,
    cache: Cache,
    /// The hash of all entries.
    entries: [u8; 32],
    roots: Roots,
    failures: Vec<Failure>,
    notes: Vec<Note>,
    /// The documents that could not be read, by the number of their index.
    unread: BTreeMap<usize, Tally>,
    /// Texts that were already read, by the number of their document.
    texts: HashMap<usize, String>,
    kept_bytes: usize,
    is_behind: bool,
    /// Whether it is certain where the documents of every index are.
    is_settled: bool,
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
            unread: BTreeMap::new(),
            texts: HashMap::new(),
            kept_bytes: 0,
            is_behind: false,
            is_settled: true,
        }
    }

    fn finish(self, details: Details, search: SearchIndex) -> Corpus {
        let Self { corpora, cache, roots, failures, notes, unread, is_behind, .. } = self;
        let named = |(source, tally): (usize, Tally)| tally.finish(&path_text(&corpora.indexes[source].file), "documents");
        let unread = unread.into_iter().flat_map(named).collect();
        Corpus { details, entries: corpora.entries.clone(), search, cache, roots, is_behind, failures, notes, unread }
    }

    /// Returns the last prepared state or, if there is none yet, an empty corpus.
    fn answer_behind(mut self) -> Corpus {
        self.is_behind = true;
        let reason = "there is no time to prepare the documents now, so the last prepared state is used";
        self.notes.push(Note::warning("documents", NoteKind::Stale, reason));
        if let Some(file) = self.cache.list()
            && let Some(search) = self.cache.search(&file.search)
        {
            return self.finish(Details::File(file), search);
        }
        let nothing = SearchIndex::from_bytes(SearchIndex::build(&[])).expect("a search file that was just built can be opened");
        self.finish(Details::Memory(List::default()), nothing)
    }

    fn has_same_indexes(&self, list: &ListFile) -> bool {
        // A root that has moved is found again by reading the index.
        let is_same = |(source, index): (&ListedIndex, &IndexFile)| {
            source.file == index.file
                && source.stamp == Stamp::of(&source.file)
                && source.place == place_of(index, source.named_root.as_deref())
                && self.roots.open(&source.root).is_ok()
        };
        list.sources.len() == self.corpora.indexes.len() && list.sources.iter().zip(self.corpora.indexes).all(is_same)
    }

    /// Returns whether nothing new is known about a document whose stored stamp is not to be relied on: it is too
    /// recent, but has the same content, or it still cannot be read. Otherwise its stamp is stored.
    fn is_as_listed(&mut self, file: &ListFile, number: usize) -> bool {
        let Ok(listed) = file.listed(number as u64) else { return false };
        if listed.stamp != Stamp::UNKNOWN {
            return false;
        }
        match self.roots.read(&file.sources[listed.source].root, &listed.file) {
            Ok(content) => content.appearance.settled() == Stamp::UNKNOWN && Some(content.hash) == listed.content,
            Err(problem) => {
                let may_pass = problem.may_pass();
                if may_pass {
                    let note = FileError::new(listed.path, problem).note(Level::Warning);
                    self.unread.entry(listed.source).or_default().push(note);
                }
                may_pass
            }
        }
    }

    /// Prepares the documents. `changed` are the known documents that look different, if the indexes are unchanged;
    /// otherwise the indexes are read and every document is checked.
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
        for source in &mut list.sources {
            (source.documents, source.unread) = (0, 0);
        }
        for document in &list.documents {
            let source = &mut list.sources[document.source];
            source.documents += 1;
            source.unread += u64::from(document.content.is_none());
        }
        // If something could not be read or found, that may be different the next time, so the result is not stored.
        if self.failures.is_empty() && self.is_settled {
            self.cache.write_list(&list, fingerprint, self.entries);
        }
        Ok(self.finish(Details::Memory(list), search))
    }

    /// Returns whether something that takes this long would finish too late.
    fn is_late(&self, time: Duration) -> bool {
        self.corpora.deadline.is_some_and(|deadline| Instant::now() + time > deadline)
    }

    /// Lists the documents of all indexes, and keeps what the old list has about unchanged files.
    fn list(&mut self, old: Option<List>) -> List {
        let old = old.unwrap_or_default();
        let known: HashMap<&Path, &Listed> = old.documents.iter().map(|listed| (listed.file.as_path(), listed)).collect();
        let mut list = List::default();
        let mut seen = HashSet::new();
        for (source, index_file) in self.corpora.indexes.iter().enumerate() {
            let file = &index_file.file;
            let stamp = Stamp::settled(file);
            let index = match Index::read(index_file, self.corpora.home) {
                Ok(index) => index,
                // It is replaced by an empty one.
                Err(failure) => {
                    self.failures.push(failure);
                    Index::empty(file.clone())
                }
            };
            self.is_settled &= index.is_settled;
            self.notes.extend(index.notes.iter().cloned());
            list.sources.push(ListedIndex {
                file: file.clone(),
                root: index.root.clone(),
                place: place_of(index_file, index.named_root.as_deref()),
                named_root: index.named_root.clone(),
                is_trusted: index_file.reach == Reach::Anywhere,
                stamp,
                documents: 0,
                unread: 0,
            });
            let has_required = index.documents.iter().any(|entry| !entry.requires.is_empty());
            let files: HashMap<&str, &PathBuf> =
                index.documents.iter().filter(|_| has_required).map(|entry| (entry.path.as_str(), &entry.file)).collect();
            for entry in index.documents.iter().filter(|entry| seen.insert(entry.file.clone())) {
                let known = known.get(entry.file.as_path());
                list.documents.push(Listed {
                    source,
                    path: entry.path.clone(),
                    file: entry.file.clone(),
                    name: entry.id.clone(),
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

    /// Reads a document that looks different.
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
                // Only what the file itself is decides that it has no content. After any other problem, what is known
                // of it stays, and it is read again the next time.
                if problem.may_pass() {
                    document.stamp = Stamp::UNKNOWN;
                } else {
                    (document.stamp, document.content) = (Stamp::settled(&document.file), None);
                }
                let note = FileError::new(document.path.clone(), problem).note(Level::Warning);
                self.unread.entry(document.source).or_default().push(note);
            }
        }
    }

    /// Returns what the search file should contain: the readable documents, by number, then the entries.
    fn wanted(&self, list: &List) -> Wanted {
        let documents = list.documents.iter().map(|listed| (listed.id(), listed.key()));
        let entries = self.corpora.entries.iter().map(|entry| (entry.id().to_owned(), Some(hash_of(entry))));
        let all: Vec<(String, Option<String>)> = documents.chain(entries).collect();
        Wanted::new(all.iter().map(|(id, hash)| (id.as_str(), hash.as_deref())))
    }

    /// Builds the search file in the cache or, if that is not possible, in memory.
    fn make(&mut self, list: &List, wanted: &Wanted) -> Result<SearchIndex, SearchFileError> {
        let older = self.cache.older();
        let has_older = older.is_some();
        match self.make_from(older, list, wanted) {
            // The older file is damaged: build without it.
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
        // A document that changed between hashing and analysis must not be stored under its old hash.
        if !is_torn {
            let _ = replacement.commit();
        }
        Ok(search)
    }
}

/// Converts a count to a factor for durations, capped so that the product cannot overflow.
fn times(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX).min(1_000_000)
}

/// Returns a document in the form in which it is analysed.
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
