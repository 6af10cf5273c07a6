//! Reads indexes: resolves what a file says to documents inside a root.
//!
//! An index may come from another machine: a root that does not exist here is replaced by the directory of the index.
//! An entry that leads outside the root is refused with a note; a file that is not an index at all is a failure.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::find::{IndexFile, Reach};
use super::index::{Index, IndexedDocument, VERSION};
use super::parse::{Entries, MAX_ENTRIES, Parsed, Written, parse};
use super::root::require_inside;
use crate::Failure;
use crate::fs::{FileProblem, Irregular, LinkProblem};
use crate::load::{Opened, Root, open_named};
use crate::note::{Note, NoteKind, Tally};
use crate::project::{Ceiling, marked_or_self, upward};
use crate::shown::{is_deceptive, normalize, one_line, path_text};

/// The maximum size of an index.
pub(super) const MAX_INDEX_BYTES: u64 = 256 * 1024 * 1024;
const REMAKE: &str = "fix it, or remove it and run `brief index` to create a new one";
/// The number of entries to check in order to find the directory that paths are relative to.
const PROBED: usize = 40;

impl Index {
    /// Reads an index. `home` replaces `~` in its root.
    pub fn read(index: &IndexFile, home: Option<&Path>) -> Result<Self, Failure> {
        let file = &index.file;
        let failed = || Failure::new(format!("cannot read the index `{}`", path_text(file)));
        let read = open(index).and_then(|(directory, opened)| Ok((directory, opened.text(MAX_INDEX_BYTES)?)));
        let (directory, text) = read.map_err(|problem| {
            let failure = failed().because(&problem);
            match problem {
                FileProblem::Link(_) => failure.hint("to use it all the same, name it in your own configuration: `docs.global_index`"),
                FileProblem::Binary | FileProblem::NotUtf8 { .. } => failure.hint(REMAKE),
                _ => failure,
            }
        })?;
        let mut reader = Reader {
            home,
            is_trusted: index.reach == Reach::Anywhere,
            directory,
            root: PathBuf::new(),
            base: PathBuf::new(),
            named_root: None,
            is_settled: true,
            tally: Tally::default(),
        };
        let parsed = parse(&text).map_err(Problem::Format);
        drop(text);
        let documents = parsed.and_then(|parsed| reader.resolve(parsed)).map_err(|problem| match problem {
            Problem::Format(why) => failed().because_of(why).hint(REMAKE),
            Problem::Root(failure) => failure,
        })?;
        let mut notes = reader.tally.finish(&path_text(file), "entries");
        for note in &mut notes {
            note.decided_by = Some(path_text(file));
        }
        let Reader { root, named_root, is_settled, .. } = reader;
        Ok(Self { file: file.clone(), root, named_root, is_settled, documents, notes })
    }
}

/// Opens an index in its real directory, which is returned too: documents are looked for there, so it has to be the one that
/// the index was in, whatever is exchanged meanwhile. The index itself may be a link.
fn open(index: &IndexFile) -> Result<(PathBuf, Opened), FileProblem> {
    let file = &index.file;
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = Path::new(file.file_name().ok_or(FileProblem::NotRegular(Irregular::Directory))?);
    let directory = fs::canonicalize(parent)?;
    let leaves = || FileProblem::Link(LinkProblem::LeavesProject);
    let boundary = match &index.reach {
        Reach::Below(boundary) => Some(fs::canonicalize(boundary)?),
        Reach::Anywhere | Reach::Project => None,
    };
    if boundary.as_ref().is_some_and(|boundary| !directory.starts_with(boundary)) {
        return Err(leaves());
    }
    let opened = match (Root::open_real(&directory)?.open_plain(name), boundary) {
        (Err(FileProblem::Link(_)), None) => open_named(&directory.join(name))?,
        (Err(FileProblem::Link(_)), Some(boundary)) => {
            let opened = Root::open_real(&boundary)?.open_file(&directory.join(name));
            opened.map_err(|problem| if matches!(problem, FileProblem::Outside { .. }) { leaves() } else { problem })?
        }
        (opened, _) => opened?,
    };
    Ok((directory, opened))
}

enum Problem {
    Format(String),
    Root(Failure),
}

struct Reader<'a> {
    home: Option<&'a Path>,
    /// Whether the root may be anywhere.
    is_trusted: bool,
    /// The directory of the index.
    directory: PathBuf,
    root: PathBuf,
    /// The directory that paths are relative to.
    base: PathBuf,
    named_root: Option<PathBuf>,
    is_settled: bool,
    tally: Tally,
}

impl Reader<'_> {
    fn resolve(&mut self, parsed: Parsed) -> Result<Vec<IndexedDocument>, Problem> {
        match parsed {
            Parsed::Bare(entries) => {
                self.at_home();
                Ok(self.documents(entries))
            }
            Parsed::Framed { fields, docs: Some(docs), .. } => self.version_1(&fields, docs),
            Parsed::Framed { fields, snippets: Some(snippets), .. } => self.snippets(&fields, snippets),
            Parsed::Framed { .. } => Err(Problem::Format("there is no list `docs`".into())),
        }
    }

    fn at_home(&mut self) {
        self.root.clone_from(&self.directory);
        self.base.clone_from(&self.directory);
    }

    fn version_1(&mut self, fields: &Map<String, Value>, docs: Entries) -> Result<Vec<IndexedDocument>, Problem> {
        match fields.get("version").map(|version| version.as_u64().ok_or(version)) {
            None | Some(Ok(VERSION)) => {}
            Some(Ok(newer)) => return Err(Problem::Format(format!("it has version {newer}, this program reads {VERSION}"))),
            Some(Err(other)) => return Err(Problem::Format(format!("its version is {other}"))),
        }
        self.at_home();
        let written = fields.get("root").and_then(Value::as_str).unwrap_or(".");
        match self.declared(written)? {
            Some(root) if self.is_trusted => self.root = root,
            Some(root) => {
                require_inside(&root, &self.directory).map_err(Problem::Root)?;
                self.root = root;
            }
            None => self.fell_back(written),
        }
        Ok(self.documents(docs))
    }

    /// Reads the YAML formats: paths are relative to `project_root`, or in third-party indexes to `snippets_root`.
    fn snippets(&mut self, fields: &Map<String, Value>, snippets: Entries) -> Result<Vec<IndexedDocument>, Problem> {
        let limit = marked_or_self(&self.directory).to_path_buf();
        let written = ["project_root", "snippets_root"].iter().find_map(|name| fields.get(*name)?.as_str());
        let declared = match written {
            Some(written) => self.declared(written)?.filter(|root| self.is_trusted || root.starts_with(&limit)),
            None => None,
        };
        if declared.is_none()
            && let Some(written) = written
        {
            self.fell_back(written);
        }
        // The root of another machine does not help here, but the paths do: they match one of the directories above.
        let top = self.home.filter(|home| self.is_trusted && self.directory.starts_with(home)).unwrap_or(&limit);
        let above = upward(&self.directory, Ceiling::At(top)).map(Path::to_path_buf);
        let probed: Vec<&str> = snippets.entries.iter().flatten().take(PROBED).map(|entry| entry.path.as_str()).collect();
        let has_any = |base: &PathBuf| probed.iter().any(|path| base.join(deployed(base, path)).is_file());
        let found = declared.into_iter().chain(above).find(has_any);
        self.is_settled = found.is_some() || probed.is_empty();
        self.base = found.unwrap_or_else(|| self.directory.clone());
        self.root = if self.base.starts_with(&limit) { limit } else { self.base.clone() };
        let by_id: HashMap<String, String> =
            snippets.entries.iter().flatten().map(|entry| (entry.id.clone(), entry.path.clone())).collect();
        let mut documents = self.documents(snippets);
        for required in documents.iter_mut().flat_map(|document| &mut document.requires) {
            if let Some(path) = by_id.get(required) {
                required.clone_from(path);
            }
        }
        Ok(documents)
    }

    /// Returns the real path of the root that the index names, or `None` if there is no such directory here.
    fn declared(&mut self, written: &str) -> Result<Option<PathBuf>, Problem> {
        let path = match (written.strip_prefix('~'), self.home) {
            (Some(below), Some(home)) => home.join(below.trim_start_matches('/')),
            _ => self.directory.join(written),
        };
        let real = fs::canonicalize(&path);
        self.named_root = Some(path);
        match real {
            Ok(real) => Ok(Some(real).filter(|real| real.is_dir())),
            // Only this says that it does not exist. Any other error says nothing, and must not decide anything.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
            Err(error) => {
                Err(Problem::Root(Failure::new(format!("cannot read the root `{}` of the index", one_line(written))).because(&error)))
            }
        }
    }

    fn fell_back(&mut self, written: &str) {
        let reason = "this root does not exist here or is outside the project, so the directory of the index is used";
        self.tally.push(Note::info(one_line(written), NoteKind::Fallback, reason));
    }

    fn documents(&mut self, entries: Entries) -> Vec<IndexedDocument> {
        let mut documents: Vec<IndexedDocument> = Vec::with_capacity(entries.entries.len());
        let mut seen = HashSet::new();
        for entry in entries.entries {
            match entry
                .map_err(|shown| Note::warning(shown, NoteKind::Format, "this entry has no path"))
                .and_then(|entry| self.document(entry))
            {
                Ok(document) if seen.insert(document.file.clone()) => documents.push(document),
                Ok(document) => self.tally.push(Note::info(document.path, NoteKind::Duplicate, "is in the index twice")),
                Err(note) => self.tally.push(note),
            }
        }
        if entries.more > 0 {
            let reason = format!("{} more documents are not read: the limit is {MAX_ENTRIES}", entries.more);
            self.tally.push(Note::warning(path_text(&self.directory), NoteKind::TooMany, reason));
        }
        documents
    }

    fn document(&self, entry: Written) -> Result<IndexedDocument, Note> {
        // Sessions store one path per line, so a path must not contain such characters.
        if entry.path.chars().any(is_deceptive) {
            return Err(Note::warning(one_line(&entry.path), NoteKind::Format, "a path with invisible characters is ignored"));
        }
        let file = normalize(&self.base.join(deployed(&self.base, &entry.path)));
        if !file.starts_with(&self.root) {
            let reason = format!("is outside `{}` and is not read", path_text(&self.root));
            return Err(Note::warning(entry.path, NoteKind::Outside, reason));
        }
        let Written { path, id, title, description, tags, headings, applies_to, tokens, hash, requires } = entry;
        Ok(IndexedDocument { path, id, title, description, tags, headings, applies_to, tokens, hash, file, requires })
    }
}

/// Maps a path of global snippets, which are written below `docs/global/` and deployed below `docs/`.
fn deployed(base: &Path, path: &str) -> String {
    match path.strip_prefix("docs/global/") {
        Some(below) if !base.join(path).exists() && base.join("docs").join(below).exists() => format!("docs/{below}"),
        _ => path.to_owned(),
    }
}
