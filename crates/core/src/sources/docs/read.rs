//! Reads indexes in every format: version 1, a bare array, a map from path to tags, and `snippets` in YAML.
//!
//! An index may come from another machine: a root that does not exist here is replaced by the directory of the index.
//! An entry that leads outside the root is refused with a note; a file that is not an index at all is a failure.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::index::{Index, IndexedDocument, VERSION};
use super::root::require_inside;
use crate::Failure;
use crate::fs::{FileProblem, Irregular};
use crate::load::{Opened, Root, open_named};
use crate::note::{Note, NoteKind};
use crate::project::{Ceiling, marked_or_self, upward};
use crate::shown::{is_deceptive, normalize, one_line, path_text};

/// The maximum size of an index.
pub(super) const MAX_INDEX_BYTES: u64 = 256 * 1024 * 1024;
/// The number of entries to check in order to find the directory that paths are relative to.
const PROBED: usize = 40;

impl Index {
    /// Reads an index. `home` replaces `~` in the roots of older formats.
    pub fn read(file: &Path, home: Option<&Path>) -> Result<Self, Failure> {
        let failed = || Failure::new(format!("cannot read the index `{}`", path_text(file)));
        let (directory, text) = open(file)
            .and_then(|(directory, opened)| Ok((directory, opened.text(MAX_INDEX_BYTES)?)))
            .map_err(|problem| failed().because(&problem))?;
        let mut reader = Reader { home, directory, root: PathBuf::new(), base: PathBuf::new(), notes: Vec::new() };
        let documents = reader.read_text(&text).map_err(|failure| match failure {
            Problem::Format(why) => failed().because_of(why).hint("fix it, or remove it and run `brief index` to create a new one"),
            Problem::Root(failure) => failure,
        })?;
        for note in &mut reader.notes {
            note.decided_by = Some(path_text(file));
        }
        Ok(Self { file: file.to_path_buf(), root: reader.root, documents, notes: reader.notes })
    }
}

/// Opens an index in its real directory, which is returned too: documents are looked for there, so it has to be the one that
/// the index was in, whatever is exchanged meanwhile. The index itself may be a link.
fn open(file: &Path) -> Result<(PathBuf, Opened), FileProblem> {
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = Path::new(file.file_name().ok_or(FileProblem::NotRegular(Irregular::Directory))?);
    let directory = fs::canonicalize(parent)?;
    let opened = match Root::open_real(&directory)?.open_plain(name) {
        Err(FileProblem::Link(_)) => open_named(&directory.join(name))?,
        opened => opened?,
    };
    Ok((directory, opened))
}

fn parse(text: &str) -> Result<Value, String> {
    let first = |text: String| text.lines().next().unwrap_or_default().to_owned();
    match serde_json::from_str(text) {
        Ok(value) => Ok(value),
        // Text that begins like JSON was meant to be JSON, and that parser's message is more helpful.
        Err(error) if text.trim_start().starts_with(['{', '[']) => Err(format!("not valid JSON: {error}")),
        Err(_) => serde_saphyr::from_str(text).map_err(|error| format!("neither JSON nor YAML: {}", first(error.to_string()))),
    }
}

/// Reads an index in the layout of `brief index`, one document per line, without building a tree of all of them,
/// because there may be many. Returns `None` for any other layout.
fn by_lines(text: &str) -> Option<(Map<String, Value>, impl Iterator<Item = Value>)> {
    let (head, rest) = text.split_once('\n')?;
    let lines = rest.strip_suffix("\n]}\n").filter(|_| head.ends_with("\"docs\":["))?;
    let item = |line| str::strip_suffix(line, ",").unwrap_or(line);
    let is_whole = lines.lines().all(|line| serde_json::from_str::<serde::de::IgnoredAny>(item(line)).is_ok());
    let Value::Object(head) = serde_json::from_str(&format!("{head}]}}")).ok().filter(|_| is_whole)? else { return None };
    Some((head, lines.lines().filter_map(move |line| serde_json::from_str(item(line)).ok())))
}

enum Problem {
    Format(String),
    Root(Failure),
}

struct Reader<'a> {
    home: Option<&'a Path>,
    /// The directory of the index.
    directory: PathBuf,
    root: PathBuf,
    /// The directory that paths are relative to.
    base: PathBuf,
    notes: Vec<Note>,
}

impl Reader<'_> {
    fn read_text(&mut self, text: &str) -> Result<Vec<IndexedDocument>, Problem> {
        match by_lines(text) {
            Some((head, items)) => self.version_1(&head, items.map(Cow::Owned)),
            None => self.read(parse(text).map_err(Problem::Format)?),
        }
    }

    fn read(&mut self, value: Value) -> Result<Vec<IndexedDocument>, Problem> {
        match value {
            Value::Array(items) => {
                self.at_home();
                Ok(self.entries(items.iter().map(Cow::Borrowed)))
            }
            Value::Object(fields) if fields.get("docs").is_some_and(Value::is_array) => {
                let items = fields["docs"].as_array().map_or(&[][..], Vec::as_slice);
                self.version_1(&fields, items.iter().map(Cow::Borrowed))
            }
            Value::Object(fields) if fields.get("snippets").is_some_and(Value::is_array) => Ok(self.snippets(&fields)),
            Value::Object(fields) if fields.contains_key("version") => Err(Problem::Format("there is no list `docs`".into())),
            Value::Object(fields) => {
                self.at_home();
                Ok(self.entries(fields.into_iter().map(|(path, about)| Cow::Owned(with_path(path, about)))))
            }
            _ => Err(Problem::Format("it is neither a list nor a table of documents".into())),
        }
    }

    fn at_home(&mut self) {
        self.root.clone_from(&self.directory);
        self.base.clone_from(&self.directory);
    }

    fn version_1<'v>(
        &mut self,
        fields: &Map<String, Value>,
        items: impl Iterator<Item = Cow<'v, Value>>,
    ) -> Result<Vec<IndexedDocument>, Problem> {
        match fields.get("version").map(|version| version.as_u64().ok_or(version)) {
            None | Some(Ok(VERSION)) => {}
            Some(Ok(newer)) => return Err(Problem::Format(format!("it has version {newer}, this program reads {VERSION}"))),
            Some(Err(other)) => return Err(Problem::Format(format!("its version is {other}"))),
        }
        self.at_home();
        let written = fields.get("root").and_then(Value::as_str).unwrap_or(".");
        match fs::canonicalize(self.directory.join(written)) {
            Ok(root) if root.is_dir() => {
                require_inside(&root, &self.directory).map_err(Problem::Root)?;
                self.root = root;
            }
            _ => self.fell_back(written),
        }
        Ok(self.entries(items))
    }

    /// Reads the YAML formats: paths are relative to `project_root`, or in third-party indexes to `snippets_root`.
    fn snippets(&mut self, fields: &Map<String, Value>) -> Vec<IndexedDocument> {
        let items = fields["snippets"].as_array().map_or(&[][..], Vec::as_slice);
        let paths: Vec<&str> = items.iter().filter_map(|item| item["path"].as_str()).take(PROBED).collect();
        self.root = marked_or_self(&self.directory).to_path_buf();
        let written = ["project_root", "snippets_root"].iter().find_map(|name| fields.get(*name)?.as_str());
        let declared = written.and_then(|written| fs::canonicalize(self.expand(written)).ok()).filter(|path| path.starts_with(&self.root));
        if declared.is_none()
            && let Some(written) = written
        {
            self.fell_back(written);
        }
        // The root of another machine does not help here, but the paths do: they match one of the directories above.
        let above = upward(&self.directory, Ceiling::At(&self.root)).map(Path::to_path_buf);
        let has_any = |base: &PathBuf| paths.iter().any(|path| base.join(deployed(base, path)).is_file());
        self.base = declared.into_iter().chain(above).find(has_any).unwrap_or_else(|| self.directory.clone());
        let mut entries = self.entries(items.iter().map(Cow::Borrowed));
        let by_id: Vec<(String, String)> =
            items.iter().filter_map(|item| Some((item["id"].as_str()?.to_owned(), item["path"].as_str()?.to_owned()))).collect();
        for entry in &mut entries {
            for required in &mut entry.requires {
                if let Some((_, path)) = by_id.iter().find(|(id, _)| id == required) {
                    required.clone_from(path);
                }
            }
        }
        entries
    }

    fn fell_back(&mut self, written: &str) {
        let reason = "this root does not exist here or is outside the project, so the directory of the index is used";
        self.notes.push(Note::info(one_line(written), NoteKind::Fallback, reason));
    }

    fn expand(&self, written: &str) -> PathBuf {
        match (written.strip_prefix('~'), self.home) {
            (Some(below), Some(home)) => home.join(below.trim_start_matches('/')),
            _ => self.directory.join(written),
        }
    }

    fn entries<'v>(&mut self, items: impl Iterator<Item = Cow<'v, Value>>) -> Vec<IndexedDocument> {
        let mut entries: Vec<IndexedDocument> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for item in items {
            match self.entry(&item) {
                Ok(entry) if seen.insert(entry.file.clone()) => entries.push(entry),
                Ok(entry) => self.notes.push(Note::info(entry.path, NoteKind::Duplicate, "is in the index twice")),
                Err(note) => self.notes.push(note),
            }
        }
        entries
    }

    fn entry(&self, item: &Value) -> Result<IndexedDocument, Note> {
        let text = |name: &str| item.get(name).and_then(Value::as_str).unwrap_or_default().trim().to_owned();
        let path = match item {
            Value::String(path) => path.clone(),
            _ => ["path", "file"].into_iter().map(text).find(|path| !path.is_empty()).unwrap_or_default(),
        };
        if path.is_empty() {
            let shown: String = item.to_string().chars().take(60).collect();
            return Err(Note::warning(one_line(&shown), NoteKind::Format, "this entry has no path"));
        }
        // Sessions store one path per line, so a path must not contain such characters.
        if path.chars().any(is_deceptive) {
            return Err(Note::warning(one_line(&path), NoteKind::Format, "a path with invisible characters is ignored"));
        }
        let file = normalize(&self.base.join(deployed(&self.base, &path)));
        if !file.starts_with(&self.root) {
            let reason = format!("is outside `{}` and is not read", path_text(&self.root));
            return Err(Note::warning(path, NoteKind::Outside, reason));
        }
        let mut tags = words(item.get("tags"));
        tags.extend(words(item.get("keywords")));
        for name in ["type", "domain"] {
            tags.extend(Some(text(name)).filter(|tag| !tag.is_empty()));
        }
        let title = [text("title"), text("id")].into_iter().find(|title| !title.is_empty()).unwrap_or_default();
        Ok(IndexedDocument {
            title,
            description: text("description"),
            tags,
            headings: words(item.get("headings")),
            tokens: item.get("tokens").and_then(Value::as_u64).unwrap_or(0),
            hash: text("hash"),
            requires: words(item.get("requires")),
            file,
            path,
        })
    }
}

/// Maps a path of global snippets, which are written below `docs/global/` and deployed below `docs/`.
fn deployed(base: &Path, path: &str) -> String {
    match path.strip_prefix("docs/global/") {
        Some(below) if !base.join(path).exists() && base.join("docs").join(below).exists() => format!("docs/{below}"),
        _ => path.to_owned(),
    }
}

/// Converts an item of a map to an entry: the value is a list of tags, one tag, or a table.
fn with_path(path: String, about: Value) -> Value {
    let mut fields = match about {
        Value::Object(fields) => fields,
        tags => Map::from_iter([("tags".to_owned(), tags)]),
    };
    fields.insert("path".to_owned(), Value::String(path));
    Value::Object(fields)
}

/// Returns a list of strings, given as a list or as one string with commas.
pub(super) fn words(value: Option<&Value>) -> Vec<String> {
    let items: Vec<&str> = match value {
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(text)) => text.split(',').collect(),
        _ => Vec::new(),
    };
    items.into_iter().map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}
