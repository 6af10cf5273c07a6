//! Makes the index of a root: finds the starting points, follows references, and compares the result with the file on
//! disk.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::crawl::{Crawled, DeadReference, crawl, documents_below};
use super::find::{IndexFile, find, places_in};
use super::index::{Index, IndexedDocument, is_own, to_text};
use super::read::MAX_INDEX_BYTES;
use super::reference::Around;
use super::root::{real_directory, require_inside, way};
use crate::Failure;
use crate::fs::{FileProblem, read_own_bytes};
use crate::load::Root;
use crate::note::{Note, NoteKind};
use crate::project::marked_or_self;
use crate::settings::{Places, Settings};
use crate::shown::{path_text, relative_text, tree_order};
use crate::sources::files::Patterns;
use crate::tokens::TokenCounter;

/// The default starting points, besides every README. Each may be a link.
const STARTS: [&str; 4] = ["README.md", "index.md", "docs", "doc"];
/// Documents in the root that are no starting points: records and legal texts, which match everything and explain nothing.
const NO_STARTS: [&str; 9] = ["changelog", "changes", "history", "releases", "license", "licence", "copying", "notice", "code_of_conduct"];
/// Documents in the root that agents load by themselves.
const LOADED: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];
/// Directories whose READMEs are test data.
const TEST_DATA: [&str; 4] = ["fixtures", "testdata", "snapshots", "__snapshots__"];

/// What to index.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The directory outside of which nothing is read; canonical.
    pub root: PathBuf,
    /// Where the index is written.
    pub file: PathBuf,
    /// The documents and directories to start from; if empty, the usual ones.
    pub from: Vec<PathBuf>,
    /// Whether to include every Markdown document in the root, referenced or not.
    pub is_all: bool,
    /// Pages that a build generates, relative to the root: references to them are not broken.
    pub generated: Patterns,
    /// The user's home directory, and the documents of the user's own index, which `@~/…` may lead to.
    pub home: Option<PathBuf>,
    pub the_users: HashSet<PathBuf>,
}

/// An index as it should be on disk.
#[derive(Debug)]
pub struct Made {
    pub text: String,
    pub documents: Vec<IndexedDocument>,
    pub dead: Vec<DeadReference>,
    pub notes: Vec<Note>,
    /// The number of Markdown documents in the root that the index does not have.
    pub left_out: usize,
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
        Ok(Self { root, file, from, is_all, generated: Patterns::default(), home: None, the_users: HashSet::new() })
    }

    /// Makes the plan of an index in the usual place of a project that has none. Unlike [`Plan::new`], its directory need
    /// not exist yet.
    pub fn first(project: &Path) -> Result<Self, Failure> {
        let root = real_directory(project)?;
        let file = places_in(&root)[0].clone();
        Ok(Self { root, file, from: Vec::new(), is_all: false, generated: Patterns::default(), home: None, the_users: HashSet::new() })
    }

    /// Adds what the settings say: which pages are generated, and what the user's own index has.
    pub fn with(self, places: &Places, settings: &Settings) -> Result<Self, Failure> {
        let generated = Patterns::globs(&settings.docs.generated.value, settings.docs.generated.key)?;
        let global = find(places, settings).global.and_then(|index| Index::read(&index, places.home.as_deref()).ok());
        let the_users = global.into_iter().flat_map(|index| index.documents).map(|document| document.file).collect();
        Ok(Self { generated, home: places.home.clone(), the_users, ..self })
    }

    /// Returns whether there is a document to start from.
    pub fn has_documents(&self) -> Result<bool, Failure> {
        let root = self.open()?;
        Ok(!self.seeds(&root, &real(documents_below(&self.root), &self.root))?.is_empty())
    }

    fn open(&self) -> Result<Root, Failure> {
        Root::open_real(&self.root)
            .map_err(|problem| Failure::new(format!("cannot use `{}` as a directory", path_text(&self.root))).because(&problem))
    }

    /// Returns the documents to start from. `all` are the documents below the root.
    fn seeds(&self, root: &Root, all: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
        if self.is_all {
            return Ok(all.to_vec());
        }
        if self.from.is_empty() {
            let starts = STARTS.iter().map(|name| self.root.join(name)).filter(|path| path.exists());
            let found = all.iter().filter(|file| is_start(file.strip_prefix(&self.root).unwrap_or(file))).cloned();
            return Ok(starts.flat_map(|path| real(expand(path), &self.root)).chain(found).collect());
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

/// Returns whether a document is written for everybody who comes to its directory: it is in the root, or a README.
pub(super) fn is_start(below_root: &Path) -> bool {
    let stem = below_root.file_stem().map(|stem| stem.to_string_lossy().to_lowercase().replace('-', "_")).unwrap_or_default();
    let mut directories = below_root.components().rev().skip(1).peekable();
    if directories.peek().is_none() {
        let is_loaded = below_root.file_name().is_some_and(|name| LOADED.iter().any(|loaded| name.eq_ignore_ascii_case(loaded)));
        return !is_loaded && !NO_STARTS.contains(&stem.as_str());
    }
    stem == "readme" && !directories.any(|directory| TEST_DATA.iter().any(|name| directory.as_os_str() == *name))
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
    let root = plan.open()?;
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
    let is_the_users = |file: &Path| plan.the_users.contains(file);
    let around = Around { root: &plan.root, home: plan.home.as_deref(), is_the_users: &is_the_users, generated: &plan.generated };
    let all = real(documents_below(&plan.root), &plan.root);
    let Crawled { documents: reached, dead, mut notes } = crawl(&root, plan.seeds(&root, &all)?, &around, &mut count)?;
    if reached.is_empty() {
        let root = path_text(&plan.root);
        return Err(if plan.is_all {
            Failure::new(format!("there is no Markdown document in `{root}`"))
        } else {
            Failure::new(format!("there is no Markdown document to start from in `{root}`"))
                .hint("add a README.md or docs/, name a document with --from, or include all with --all")
        });
    }
    let left_out = all.iter().filter(|file| !reached.contains_key(*file)).count();
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
            applies_to: facts.applies_to,
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
    Ok(Made { text, documents, dead, notes, left_out, added, changed, removed, is_in_step })
}
