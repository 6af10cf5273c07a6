//! Makes the index of a root: finds the starting points, follows references, and compares the result with the file on
//! disk.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::crawl::{Crawled, DeadReference, crawl, documents_below};
use super::find::{IndexFile, places_in};
use super::index::{Index, IndexedDocument, is_own, to_text};
use super::read::MAX_INDEX_BYTES;
use super::root::{real_directory, require_inside, way};
use crate::Failure;
use crate::fs::{FileProblem, read_own_bytes};
use crate::load::Root;
use crate::note::{Note, NoteKind};
use crate::project::marked_or_self;
use crate::shown::{path_text, relative_text, tree_order};
use crate::tokens::TokenCounter;

/// The default starting points.
const STARTS: [&str; 4] = ["README.md", "readme.md", "index.md", "docs"];

/// What to index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The directory outside of which nothing is read; canonical.
    pub root: PathBuf,
    /// Where the index is written.
    pub file: PathBuf,
    /// The documents and directories to start from; if empty, the usual ones.
    pub from: Vec<PathBuf>,
    /// Whether to include every Markdown document in the root, referenced or not.
    pub is_all: bool,
}

/// An index as it should be on disk.
#[derive(Debug)]
pub struct Made {
    pub text: String,
    pub documents: Vec<IndexedDocument>,
    pub dead: Vec<DeadReference>,
    pub notes: Vec<Note>,
    /// Paths that were added, changed or removed compared to the index on disk.
    pub added: Vec<String>,
    pub changed: Vec<String>,
    pub removed: Vec<String>,
    /// Whether the file on disk is up to date.
    pub is_in_step: bool,
}

impl Made {
    /// Returns the tokens of all documents.
    pub fn tokens(&self) -> u64 {
        self.documents.iter().map(|document| document.tokens).sum()
    }
}

impl Plan {
    /// Determines root and output. The default root is the project around `here`, the default output is the usual
    /// place.
    pub fn new(here: &Path, root: Option<&Path>, file: Option<PathBuf>, from: Vec<PathBuf>, is_all: bool) -> Result<Self, Failure> {
        let here = real_directory(here)?;
        let root = match root {
            Some(root) => real_directory(&here.join(root))?,
            None => marked_or_self(&here).to_path_buf(),
        };
        let file = match file {
            Some(file) => here.join(file),
            None => usual_place(&root),
        };
        let parent = file.parent().unwrap_or(&root);
        let parent =
            real_directory(parent).map_err(|failure| failure.hint("create the directory first, or choose another file with -o"))?;
        require_inside(&root, &parent)?;
        let file = parent.join(file.file_name().ok_or_else(|| Failure::usage("-o needs the name of a file"))?);
        if file.is_dir() {
            return Err(Failure::usage(format!("`{}` is a directory", path_text(&file))).hint("pass a file name: `-o index.json`"));
        }
        require_own_place(&file, &parent)?;
        let from = from.into_iter().map(|path| here.join(path)).collect();
        Ok(Self { root, file, from, is_all })
    }

    fn seeds(&self, root: &Root) -> Result<Vec<PathBuf>, Failure> {
        if self.is_all {
            return Ok(real(documents_below(&self.root), &self.root));
        }
        if self.from.is_empty() {
            let starts = STARTS.iter().map(|name| self.root.join(name)).filter(|path| path.exists());
            return Ok(starts.flat_map(|path| real(expand(path), &self.root)).collect());
        }
        let mut seeds = Vec::new();
        for path in &self.from {
            match root.place(path) {
                Ok(found) => seeds.extend(real(expand(found), &self.root)),
                Err(problem) => {
                    let failure = Failure::new(format!("cannot start at `{}`", path_text(path))).because(&problem);
                    let is_outside = matches!(problem, FileProblem::Outside { .. });
                    return Err(if is_outside { failure.hint("pass a ROOT that contains it") } else { failure });
                }
            }
        }
        Ok(seeds)
    }
}

/// Checks that a file that is a link does not lead out of the project of its directory.
fn require_own_place(file: &Path, parent: &Path) -> Result<(), Failure> {
    let is_inside = |real: PathBuf| real.starts_with(marked_or_self(parent));
    if !file.is_symlink() || fs::canonicalize(file).is_ok_and(is_inside) {
        return Ok(());
    }
    Err(Failure::new(format!("`{}` is a link that is broken or leads out of the project", path_text(file)))
        .hint("remove it, or choose another file with -o"))
}

/// Reads the file on disk, which must be an index written by `brief`: other files are never overwritten.
fn read_own(file: &Path) -> Result<Option<String>, Failure> {
    let bytes = match read_own_bytes(file, MAX_INDEX_BYTES) {
        Ok(bytes) => bytes,
        Err(FileProblem::Missing) => return Ok(None),
        Err(problem) => return Err(Failure::new(format!("cannot read `{}`", path_text(file))).because(&problem)),
    };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    if text.trim().is_empty() || is_own(&text) {
        return Ok(Some(text));
    }
    Err(Failure::new(format!("`{}` exists, but was not written by `brief index`", path_text(file)))
        .hint("choose another file with `-o FILE`, or remove it first"))
}

/// Returns the default place of the index: where there is one already, or else the first one whose project includes
/// the root.
fn usual_place(root: &Path) -> PathBuf {
    let places = places_in(root);
    if let Some(written) = places.iter().find(|place| matches!(read_own(place), Ok(Some(_)))) {
        return written.clone();
    }
    let is_usable = |place: &&PathBuf| {
        let directory = place.parent().and_then(|directory| fs::canonicalize(directory).ok());
        directory.is_some_and(|directory| directory.starts_with(root) && require_inside(root, &directory).is_ok())
    };
    places.iter().find(is_usable).unwrap_or(&places[places.len() - 1]).clone()
}

/// Returns a note for each other index in a usual place of the root: only the first of them is used.
fn unused(plan: &Plan) -> Vec<Note> {
    let shown = |path: &Path| relative_text(path, &plan.root);
    let places = places_in(&plan.root);
    let Some(own) = places.iter().position(|place| *place == plan.file) else { return Vec::new() };
    let note = |(number, place): (usize, &PathBuf)| {
        let (used, other) = if number < own { (place, &plan.file) } else { (&plan.file, place) };
        let is_other = number != own && matches!(read_own(place), Ok(Some(_)));
        let reason = format!("is not used: `{}` comes first; remove one of them", shown(used));
        is_other.then(|| Note::warning(shown(other), NoteKind::Stale, reason))
    };
    places.iter().enumerate().filter_map(note).collect()
}

fn expand(path: PathBuf) -> Vec<PathBuf> {
    if path.is_dir() { documents_below(&path) } else { vec![path] }
}

/// Returns the real paths of those that are inside the root.
fn real(paths: Vec<PathBuf>, root: &Path) -> Vec<PathBuf> {
    paths.into_iter().filter_map(|path| fs::canonicalize(path).ok()).filter(|path| path.starts_with(root)).collect()
}

/// Makes the index without writing it.
pub fn make(plan: &Plan, counter: &dyn TokenCounter) -> Result<Made, Failure> {
    let root = Root::open_real(&plan.root)
        .map_err(|problem| Failure::new(format!("cannot use `{}` as a directory", path_text(&plan.root))).because(&problem))?;
    let on_disk = read_own(&plan.file)?;
    // An index of another version, or one damaged by a merge, is replaced; its content is generated again.
    let old = on_disk
        .as_ref()
        .and_then(|_| Index::read(&IndexFile::named(&plan.file), None).ok())
        .map(|index| index.documents)
        .unwrap_or_default();
    let known: HashMap<&str, &IndexedDocument> = old.iter().map(|entry| (entry.path.as_str(), entry)).collect();
    let directory = plan.file.parent().unwrap_or(&plan.root);
    let mut count = |file: &Path, text: &str, hash: &blake3::Hash| {
        let same =
            known.get(path_text(&way(directory, file)).as_str()).filter(|same| same.tokens > 0 && same.hash == hash.to_hex().as_str());
        same.map_or_else(|| counter.count(text, hash), |same| same.tokens)
    };
    let Crawled { documents: reached, dead, mut notes } = crawl(&root, plan.seeds(&root)?, &mut count);
    if reached.is_empty() {
        let root = path_text(&plan.root);
        return Err(if plan.is_all {
            Failure::new(format!("there is no Markdown document in `{root}`"))
        } else {
            Failure::new(format!("there is no Markdown document to start from in `{root}`"))
                .hint("add a README.md or docs/, name a document with --from, or include all with --all")
        });
    }
    let (mut added, mut changed) = (Vec::new(), Vec::new());
    let mut documents = Vec::with_capacity(reached.len());
    for (file, reached) in reached {
        let path = path_text(&way(directory, &file));
        let hash = reached.hash.to_hex().to_string();
        match known.get(path.as_str()) {
            None => added.push(path.clone()),
            Some(same) if same.hash != hash => changed.push(path.clone()),
            Some(_) => {}
        }
        let facts = reached.facts;
        documents.push(IndexedDocument {
            path,
            title: facts.title,
            description: facts.description,
            tags: facts.tags,
            headings: facts.headings,
            tokens: reached.tokens,
            hash,
            file,
            ..IndexedDocument::default()
        });
    }
    documents.sort_by(|a, b| tree_order(&a.path, &b.path));
    let kept: HashSet<&str> = documents.iter().map(|entry| entry.path.as_str()).collect();
    let removed = old.iter().map(|entry| entry.path.clone()).filter(|path| !kept.contains(path.as_str())).collect();
    let text = to_text(&path_text(&way(directory, &plan.root)), &documents);
    notes.extend(unused(plan));
    let is_in_step = on_disk.as_deref() == Some(&text);
    Ok(Made { text, documents, dead, notes, added, changed, removed, is_in_step })
}
