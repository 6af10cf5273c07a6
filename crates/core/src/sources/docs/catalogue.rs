//! The catalogue: every document of the indexes by name, and the text of those that are asked for.
//!
//! This is the way for people and agents that choose documents themselves. Nothing that is not in an index can be fetched.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::choose::Documents;
use super::excerpt::{body, section, section_names};
use super::find::IndexFile;
use super::index::{Index, IndexedDocument};
use super::markdown::references;
use super::reference::{Around, Target, resolve};
use super::roots::Roots;
use crate::Failure;
use crate::candidate::Candidate;
use crate::fs::FileProblem;
use crate::load::guard;
use crate::note::{Note, NoteKind};
use crate::piece::{Order, Piece, Whole, content_hash};
use crate::reason::Reason;
use crate::settings::{Places, Settings, nearest};
use crate::shown::{normalize, path_text, relative_text};
use crate::sources::Source;
use crate::sources::files::Patterns;

/// The documents of all indexes, in their order.
#[derive(Debug, Default)]
pub struct Catalogue {
    pub documents: Vec<Catalogued>,
    /// The entries of files that other sources do not load whole.
    pub entries: Vec<Candidate>,
    pub notes: Vec<Note>,
    roots: Roots,
}

/// A document of an index.
#[derive(Debug, Clone)]
pub struct Catalogued {
    pub document: IndexedDocument,
    /// Its path relative to the directory of the request.
    pub shown: String,
    /// The index that it is in.
    pub index: PathBuf,
    /// Why it cannot be opened.
    pub problem: Option<FileProblem>,
    root: PathBuf,
}

impl Catalogued {
    /// Returns the name to ask for it by: its id, or else its path.
    pub fn name(&self) -> &str {
        if self.document.id.is_empty() { &self.shown } else { &self.document.id }
    }
}

/// A document that was asked for.
#[derive(Debug)]
pub struct Fetched {
    pub id: String,
    pub piece: Piece,
    /// The documents that must be read with it, as shown. They are not fetched.
    pub required: Vec<String>,
}

/// Lists the documents of the given indexes, or of those of a directory.
///
/// Fails if an index cannot be read.
pub fn catalogue(places: &Places, settings: &Settings, indexes: Option<&[PathBuf]>) -> Result<Catalogue, Failure> {
    let documents = match indexes {
        Some(indexes) => Documents::named(indexes, places, settings),
        None => Documents::indexed(places, settings),
    };
    if documents.indexes.is_empty() {
        return Err(documents.no_index());
    }
    let mut catalogue = Catalogue { notes: documents.notes, ..Catalogue::default() };
    let mut seen = HashSet::new();
    for file in &documents.indexes {
        catalogue.add(file, places, &mut seen)?;
    }
    Ok(catalogue)
}

/// Lists the documents of the indexes of a directory, and the entries of files that other sources do not load whole.
///
/// An index that cannot be read leaves a note; the others are listed.
pub fn everything(places: &Places, settings: &Settings) -> Catalogue {
    let documents = Documents::here(places, settings);
    let mut catalogue = Catalogue { notes: documents.notes, entries: documents.entries, ..Catalogue::default() };
    let mut seen = HashSet::new();
    for file in &documents.indexes {
        if let Err(failure) = catalogue.add(file, places, &mut seen) {
            let causes = failure.causes().iter().fold(failure.to_string(), |words, cause| format!("{words}: {cause}"));
            catalogue.notes.push(Note::warning(relative_text(&file.file, &places.here), NoteKind::Io, causes));
        }
    }
    catalogue
}

impl Catalogue {
    /// Fetches a document, a section of one, or an entry by name. Returns `None` if none has this name.
    pub fn fetch_named(&self, name: &str, places: &Places, redacts: bool, notes: &mut Vec<Note>) -> Option<Result<Fetched, Failure>> {
        if let Some((document, section)) = self.find(name, &places.here) {
            return Some(self.fetch_one(document, section, places, redacts, notes));
        }
        let full = path_text(&normalize(&places.here.join(name)));
        let entry = self.entries.iter().find(|entry| entry.id() == full || entry.id() == name)?;
        let text = entry.about.text().to_owned();
        let piece = Piece::new(Source::Docs, entry.id(), entry.shown.clone(), Reason::Requested, Order::Document, text);
        Some(Ok(Fetched { id: String::new(), piece, required: Vec::new() }))
    }

    /// Returns the name of a document or an entry that is spelled almost like this one.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        nearest(name, self.documents.iter().map(Catalogued::name))
    }

    fn add(&mut self, file: &IndexFile, places: &Places, seen: &mut HashSet<PathBuf>) -> Result<(), Failure> {
        let index = Index::read(file, places.home.as_deref())?;
        self.notes.extend(index.notes);
        for document in index.documents.into_iter().filter(|document| seen.insert(document.file.clone())) {
            let opened = self.roots.open(&index.root).and_then(|root| root.open_file(&document.file));
            self.documents.push(Catalogued {
                shown: relative_text(&document.file, &places.here),
                index: file.file.clone(),
                problem: opened.err(),
                root: index.root.clone(),
                document,
            });
        }
        Ok(())
    }

    /// Fetches documents by id or path, each with `#section` for a part of it. Fails without a result if one of them is
    /// not there.
    pub fn fetch(&self, names: &[String], places: &Places, redacts: bool, notes: &mut Vec<Note>) -> Result<Vec<Fetched>, Failure> {
        let mut wanted: Vec<(&Catalogued, Option<&str>)> = Vec::new();
        for name in names {
            match self.find(name, &places.here) {
                Some(found) => wanted.push(found),
                // A list as other tools take it: `a,b`.
                None => {
                    for name in name.split(',').map(str::trim).filter(|name| !name.is_empty()) {
                        wanted.push(self.find(name, &places.here).ok_or_else(|| self.unknown(name))?);
                    }
                }
            }
        }
        wanted.into_iter().map(|(document, section)| self.fetch_one(document, section, places, redacts, notes)).collect()
    }

    fn find<'n>(&self, name: &'n str, here: &Path) -> Option<(&Catalogued, Option<&'n str>)> {
        let find = |name: &str| {
            let path = normalize(&here.join(name));
            let is_named = |entry: &&Catalogued| entry.document.id == name || entry.document.file == path || entry.shown == name;
            let by_name = self.documents.iter().find(is_named);
            by_name.or_else(|| self.documents.iter().find(|entry| entry.document.path == name))
        };
        let with_section = || name.split_once('#').and_then(|(name, section)| Some((find(name)?, Some(section))));
        find(name).filter(|_| !name.is_empty()).map(|found| (found, None)).or_else(with_section)
    }

    fn unknown(&self, name: &str) -> Failure {
        let failure = Failure::new(format!("no index has `{name}`"));
        match self.nearest(name) {
            Some(near) => failure.hint(format!("did you mean `{near}`?")),
            None => failure.hint("`brief docs list` lists all documents; `brief index` adds new ones"),
        }
    }

    fn fetch_one(
        &self,
        entry: &Catalogued,
        wanted: Option<&str>,
        places: &Places,
        redacts: bool,
        notes: &mut Vec<Note>,
    ) -> Result<Fetched, Failure> {
        let (file, shown) = (&entry.document.file, &entry.shown);
        let read = self.roots.read(&entry.root, file);
        let content = read.map_err(|problem| Failure::new(format!("cannot read `{shown}`")).because(&problem))?;
        let text = guard(shown, content.text, redacts, notes);
        let whole = Whole { id: path_text(file), hash: content_hash(&text) };
        let make =
            |id: String, path: String, text: &str| Piece::new(Source::Docs, id, path, Reason::Requested, Order::Document, text.to_owned());
        let piece = match wanted {
            None => make(whole.id.clone(), shown.clone(), body(&text)).of_content(whole.hash),
            Some(wanted) => {
                let Some(found) = section(&text, wanted) else {
                    let names = section_names(&text).join(", ");
                    return Err(Failure::new(format!("`{shown}` has no section `{wanted}`")).because_of(format!("its sections: {names}")));
                };
                let (id, path) = (format!("{}#{}", whole.id, found.key), format!("{shown}#{}", found.name));
                make(id, path, found.text).part_of(&whole).in_file(shown.clone())
            }
        };
        let required = self.required_by(entry, &text, places);
        Ok(Fetched { id: entry.document.id.clone(), piece, required })
    }

    fn required_by(&self, entry: &Catalogued, text: &str, places: &Places) -> Vec<String> {
        let is_the_users = |file: &Path| self.documents.iter().any(|other| other.document.file == file);
        let generated = Patterns::default();
        let around = Around { root: &entry.root, home: places.home.as_deref(), is_the_users: &is_the_users, generated: &generated };
        let directory = entry.document.file.parent().unwrap_or(&entry.root);
        let own = references(text).into_iter().filter(|reference| reference.is_required);
        let own = own.filter_map(|reference| match resolve(&reference, directory, &around) {
            Target::Document(file) | Target::TheUsers(file) => Some(relative_text(&file, &places.here)),
            _ => None,
        });
        let by_index = self.documents.iter().filter(|other| entry.document.requires.contains(&other.document.path));
        let mut required: Vec<String> = own.chain(by_index.map(|other| other.shown.clone())).collect();
        let mut seen = HashSet::new();
        required.retain(|path| seen.insert(path.clone()));
        required
    }
}
