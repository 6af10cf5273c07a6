//! All documents that a message may be about, prepared for search.
//!
//! Goes in: index files, and entries of other doors. Comes out: something that can be asked. The prepared search file
//! and its list are kept in the user's cache, named by the indexes; both are checked at every opening, so a document
//! that changed a moment ago is found by what it says now.

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use super::crawl::MAX_DOCUMENT_BYTES;
use super::index::{Entry, Index};
use super::list::{List, Listed, Source};
use super::stamp::Stamp;
use crate::Failure;
use crate::fs::{FileError, FileProblem, LastLink, ReadBuffer, Replacement, beneath, open_regular};
use crate::note::{Level, Note, NoteKind};
use crate::select::{Document, Fingerprint, SearchIndex, Selection, Weights};
use crate::shown::path_text;
use crate::text;

/// Preparing takes up to this long per document on a busy machine; it decides whether there is time for it.
const PREPARING: Duration = Duration::from_millis(5);
/// A document that scores less than this share of the best has nothing to do with the message. It is low on purpose: who
/// asks for five documents wants five; how few are worth an agent's window is decided when they are brought.
const CUT: f32 = 0.15;
/// Prepared files that nobody made anew for this long are removed.
const KEPT: Duration = Duration::from_secs(60 * 24 * 60 * 60);

/// An entry of another door that a message may be about: part of a file that is not loaded whole.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Offered {
    /// Its identity in the ledger, `path#name`.
    pub id: String,
    /// The path of its file, as shown to the model.
    pub path: String,
    pub title: String,
    pub tags: Vec<String>,
    /// What is delivered, guarded already.
    pub text: String,
}

/// What a corpus is made from.
#[derive(Debug, Clone, Default)]
pub struct Corpora<'a> {
    /// The indexes, global first.
    pub indexes: &'a [PathBuf],
    pub entries: Vec<Offered>,
    pub home: Option<&'a Path>,
    /// The user's cache directory.
    pub cache: Option<&'a Path>,
    /// When the answer is needed. Where preparing would take longer, the last prepared state answers.
    pub deadline: Option<Instant>,
}

/// Documents that can be asked which of them fit a message.
#[derive(Debug)]
pub struct Corpus {
    list: List,
    entries: Vec<Offered>,
    search: SearchIndex,
    /// There was no time to prepare what changed: somebody has to do it before the next message.
    pub is_behind: bool,
    /// Indexes that could not be read.
    pub failures: Vec<Failure>,
    pub notes: Vec<Note>,
}

/// A member of a corpus.
#[derive(Debug, Clone, Copy)]
pub enum Member<'a> {
    Document(&'a Listed),
    Entry(&'a Offered),
}

impl Corpus {
    /// Opens the corpus; prepares it first where that was not done before, or where something changed since.
    pub fn open(corpora: &Corpora<'_>) -> Result<Self, Failure> {
        let cache = Cache::of(corpora);
        let mut old = cache.list();
        let mut work = Work {
            corpora,
            failures: Vec::new(),
            notes: Vec::new(),
            indexes: Vec::new(),
            read: HashMap::new(),
            is_out_of_time: false,
            is_behind: false,
        };
        let is_same_indexes = old.as_ref().is_some_and(|old| work.has_same_indexes(old));
        let list = if is_same_indexes { old.take().unwrap_or_default() } else { work.list(old.as_ref()) };
        let before = list.clone();
        let list = work.look(list);
        if work.is_out_of_time {
            return Ok(work.answer_behind(&cache));
        }
        if let Some(search) = cache.search(&fingerprint(&list, &corpora.entries)) {
            if (list != before || !is_same_indexes) && work.failures.is_empty() {
                cache.write_list(&list);
            }
            return Ok(work.finish(list, search));
        }
        if work.is_late(list.documents.len()) {
            return Ok(work.answer_behind(&cache));
        }
        let documents = work.documents(&list);
        let bytes = SearchIndex::build(&documents);
        if work.failures.is_empty() {
            cache.write(&bytes, &list);
        }
        let search = SearchIndex::from_bytes(bytes).map_err(|error| Failure::new("cannot search the documents").because(&error))?;
        Ok(work.finish(list, search))
    }

    /// Returns how many documents and entries there are.
    pub fn len(&self) -> usize {
        self.search.documents()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Chooses at most `limit` documents for a message, on this machine and by the message alone.
    pub fn query(&self, message: &str, limit: usize) -> Result<Selection, Failure> {
        self.search
            .query_with(message, limit, &Weights { cut: CUT, ..Weights::default() })
            .map_err(|error| Failure::new("cannot search the documents").because(&error))
    }

    /// Returns the member that an id of the selection names.
    pub fn member(&self, id: &str) -> Option<Member<'_>> {
        let document = self.list.documents.iter().find(|document| document.file.to_str() == Some(id)).map(Member::Document);
        document.or_else(|| self.entries.iter().find(|entry| entry.id == id).map(Member::Entry))
    }

    /// Returns the document that stands under a path in the same index as another one.
    pub fn sibling(&self, of: &Listed, path: &str) -> Option<&Listed> {
        self.list.documents.iter().find(|document| document.source == of.source && document.path == path)
    }

    /// Returns the directory that a document may not leave.
    pub fn root_of(&self, document: &Listed) -> &Path {
        &self.list.sources[document.source].root
    }

    /// Returns the text of a document as it is now.
    pub fn read(&self, document: &Listed) -> Result<String, FileProblem> {
        read(self.root_of(document), &document.file).map(|(_, _, text)| text)
    }
}

/// What is known while a corpus is opened.
struct Work<'a> {
    corpora: &'a Corpora<'a>,
    failures: Vec<Failure>,
    notes: Vec<Note>,
    indexes: Vec<Index>,
    /// Texts that had to be read on the way.
    read: HashMap<PathBuf, String>,
    /// The deadline came while files were still being looked at.
    is_out_of_time: bool,
    is_behind: bool,
}

impl Work<'_> {
    fn finish(self, list: List, search: SearchIndex) -> Corpus {
        let Self { corpora, failures, notes, is_behind, .. } = self;
        Corpus { list, entries: corpora.entries.clone(), search, is_behind, failures, notes }
    }

    /// Answers from the last prepared state, or, where there is none yet, from nothing.
    fn answer_behind(mut self, cache: &Cache) -> Corpus {
        self.is_behind = true;
        let reason = "there is no time to prepare the documents now; the last prepared state answers";
        self.notes.push(Note::warning("documents", NoteKind::Stale, reason));
        let old = cache.list().unwrap_or_default();
        let entries = &self.corpora.entries;
        let search = [entries.as_slice(), &[]].into_iter().find_map(|entries| cache.search(&fingerprint(&old, entries)));
        if let Some(search) = search {
            return self.finish(old, search);
        }
        let nothing = SearchIndex::from_bytes(SearchIndex::build(&[])).expect("what was just built can be read");
        self.finish(List::default(), nothing)
    }

    fn has_same_indexes(&self, list: &List) -> bool {
        let files = list.sources.iter().map(|source| &source.file);
        files.eq(self.corpora.indexes) && list.sources.iter().all(|source| source.stamp == Stamp::of(&source.file))
    }

    /// Lists the documents of all indexes; what the old list knows of unchanged files is kept.
    fn list(&mut self, old: Option<&List>) -> List {
        self.read_indexes();
        let known: HashMap<&Path, &Listed> =
            old.iter().flat_map(|old| &old.documents).map(|listed| (listed.file.as_path(), listed)).collect();
        let mut list = List::default();
        let mut seen = std::collections::HashSet::new();
        for (number, (index, stamp)) in
            self.indexes.iter().zip(self.corpora.indexes.iter().map(|file| Stamp::of(file).settled())).enumerate()
        {
            list.sources.push(Source { file: index.file.clone(), root: index.root.clone(), stamp });
            for entry in index.documents.iter().filter(|entry| seen.insert(entry.file.clone())) {
                let known = known.get(entry.file.as_path());
                list.documents.push(Listed {
                    source: number,
                    path: entry.path.clone(),
                    file: entry.file.clone(),
                    tags: entry.tags.clone(),
                    requires: entry.requires.clone(),
                    stamp: known.map_or(Stamp::UNKNOWN, |known| known.stamp),
                    about: about(entry),
                    content: known.and_then(|known| known.content),
                });
            }
        }
        list
    }

    /// Reads the indexes; in the place of one that cannot be read stands an empty one.
    fn read_indexes(&mut self) {
        if !self.indexes.is_empty() {
            return;
        }
        for file in self.corpora.indexes {
            let index = Index::read(file, self.corpora.home).unwrap_or_else(|failure| {
                self.failures.push(failure);
                Index { file: file.clone(), root: PathBuf::new(), documents: Vec::new(), notes: Vec::new() }
            });
            self.notes.extend(index.notes.iter().cloned());
            self.indexes.push(index);
        }
    }

    /// Looks at every file, and reads those that do not look as they did.
    fn look(&mut self, mut list: List) -> List {
        for document in &mut list.documents {
            let stamp = Stamp::of(&document.file);
            if stamp == document.stamp {
                continue;
            }
            if self.corpora.deadline.is_some_and(|deadline| Instant::now() > deadline) {
                self.is_out_of_time = true;
                break;
            }
            match read(&list.sources[document.source].root, &document.file) {
                Ok((stamp, hash, text)) => {
                    (document.stamp, document.content) = (stamp.settled(), Some(hash));
                    self.read.insert(document.file.clone(), text);
                }
                Err(problem) => {
                    (document.stamp, document.content) = (stamp.settled(), None);
                    self.notes.push(FileError::new(document.path.clone(), problem).note(Level::Warning));
                }
            }
        }
        list
    }

    fn is_late(&self, documents: usize) -> bool {
        let time = PREPARING * u32::try_from(documents).unwrap_or(u32::MAX);
        self.corpora.deadline.is_some_and(|deadline| Instant::now() + time > deadline)
    }

    /// Returns the documents for the search file. Here, and only here, all of them are read.
    fn documents(&mut self, list: &List) -> Vec<Document> {
        self.read_indexes();
        let facts: HashMap<&Path, &Entry> =
            self.indexes.iter().flat_map(|index| &index.documents).map(|entry| (entry.file.as_path(), entry)).collect();
        let mut documents = Vec::with_capacity(list.documents.len() + self.corpora.entries.len());
        for listed in &list.documents {
            let (Some(hash), Some(entry)) = (listed.key(), facts.get(listed.file.as_path())) else { continue };
            let text = match self.read.remove(&listed.file) {
                Some(text) => text,
                // Whoever changes it in this very moment is found out at the next opening.
                None => read(&list.sources[listed.source].root, &listed.file).map(|(_, _, text)| text).unwrap_or_default(),
            };
            documents.push(Document {
                id: listed.id(),
                path: listed.path.trim_start_matches("../").to_owned(),
                title: entry.title.clone(),
                description: entry.description.clone(),
                tags: entry.tags.clone(),
                headings: entry.headings.clone(),
                text,
                hash,
            });
        }
        documents.extend(self.corpora.entries.iter().map(|entry| Document {
            id: entry.id.clone(),
            path: String::new(),
            title: entry.title.clone(),
            tags: entry.tags.clone(),
            text: entry.text.clone(),
            hash: hash_of(entry),
            ..Document::default()
        }));
        documents
    }
}

fn fingerprint(list: &List, entries: &[Offered]) -> Fingerprint {
    let documents = list.documents.iter().filter_map(|listed| Some((listed.id(), listed.key()?)));
    let pairs: Vec<(String, String)> = documents.chain(entries.iter().map(|entry| (entry.id.clone(), hash_of(entry)))).collect();
    Fingerprint::of(pairs.iter().map(|(id, hash)| (id.as_str(), hash.as_str())))
}

fn hash_of(entry: &Offered) -> String {
    let mut hasher = blake3::Hasher::new();
    for text in [&entry.title, &entry.tags.join("\n"), &entry.text] {
        hasher.update(text.as_bytes()).update(&[0]);
    }
    hasher.finalize().to_hex().to_string()
}

/// Hashes what an index says about a document, as far as the search file depends on it.
fn about(entry: &Entry) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for text in [&entry.title, &entry.description].into_iter().chain(&entry.tags) {
        hasher.update(text.as_bytes()).update(&[0]);
    }
    *hasher.finalize().as_bytes()
}

fn read(root: &Path, file: &Path) -> Result<(Stamp, [u8; 32], String), FileProblem> {
    let real = beneath(root, file)?;
    let (mut file, metadata) = open_regular(&real, LastLink::Refuse)?;
    let mut buffer = ReadBuffer::default();
    let bytes = buffer.read(&mut file, &metadata, MAX_DOCUMENT_BYTES)?;
    let hash = *blake3::hash(bytes).as_bytes();
    Ok((Stamp::of_metadata(&metadata), hash, text::decode(bytes)?.into_owned()))
}

/// Where the prepared files of a corpus are.
struct Cache {
    directory: Option<PathBuf>,
    name: String,
}

impl Cache {
    fn of(corpora: &Corpora<'_>) -> Self {
        let mut hasher = blake3::Hasher::new();
        for index in corpora.indexes {
            hasher.update(path_text(index).as_bytes()).update(&[0]);
        }
        // Entries of one file come and go together; another directory has other files.
        let mut files: Vec<&str> = corpora.entries.iter().map(|entry| entry.path.as_str()).collect();
        files.dedup();
        for file in files {
            hasher.update(&[1]).update(file.as_bytes());
        }
        let name = hasher.finalize().to_hex()[..32].to_owned();
        Self { directory: corpora.cache.map(|cache| cache.join("brief").join("search")), name }
    }

    fn file(&self, extension: &str) -> Option<PathBuf> {
        self.directory.as_ref().map(|directory| directory.join(format!("{}.{extension}", self.name)))
    }

    fn list(&self) -> Option<List> {
        List::decode(&fs::read(self.file("list")?).ok()?)
    }

    fn search(&self, fingerprint: &Fingerprint) -> Option<SearchIndex> {
        SearchIndex::open(&self.file("search")?, fingerprint).ok()
    }

    /// Writes both. A cache that cannot be written costs time, not correctness.
    fn write(&self, search: &[u8], list: &List) {
        let Some(directory) = &self.directory else { return };
        if make_private(directory).is_err() {
            return;
        }
        remove_old(directory);
        if self.file("search").is_some_and(|file| replace(&file, search).is_ok()) {
            self.write_list(list);
        }
    }

    fn write_list(&self, list: &List) {
        if let (Some(file), Some(bytes)) = (self.file("list"), list.encode()) {
            let _ = replace(&file, &bytes);
        }
    }
}

fn make_private(directory: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(directory)
}

/// A cache need not survive a power cut, so nothing waits for the disk.
fn replace(file: &Path, bytes: &[u8]) -> Result<(), FileProblem> {
    let mut replacement = Replacement::beside(file)?;
    replacement.file().write_all(bytes)?;
    replacement.commit()
}

fn remove_old(directory: &Path) {
    let edge = SystemTime::now().checked_sub(KEPT);
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let modified = entry.metadata().and_then(|metadata| metadata.modified()).ok();
        if modified.is_some_and(|modified| Some(modified) < edge) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
