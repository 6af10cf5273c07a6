//! Documents that say where they apply: those of the indexes, and rules in the directories that the settings name.
//!
//! Whether a touched path concerns any of them must cost a hook next to nothing, so the few documents of an index that have
//! a scope are kept in a small file in the cache, which is made again when the index has changed.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::reader::Reader;
use super::scope::Scope;
use crate::fs::{make_private, read_own_text, write_atomic};
use crate::load::Root;
use crate::settings::Places;
use crate::shown::path_text;
use crate::sources::docs::{Index, IndexFile};
use crate::watch::stamp;

/// A document that says where it applies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Scoped {
    pub(super) file: PathBuf,
    /// The directory that reading must not leave, and that the globs are relative to.
    pub(super) root: PathBuf,
    pub(super) globs: Vec<String>,
    /// Whether it applies everywhere.
    pub(super) is_always: bool,
}

impl Scoped {
    /// Returns the first touched path that it applies to, and the glob that says so.
    pub(super) fn applies<'a>(&'a self, touched: &'a [PathBuf], root: &Path) -> Option<(&'a str, &'a Path)> {
        touched.iter().find_map(|path| {
            // The root of an index has no links in it, and the touched path may have.
            let below = path.strip_prefix(&self.root).ok().map(Path::to_path_buf).or_else(|| {
                let below = path.strip_prefix(root).ok()?;
                std::fs::canonicalize(root).ok()?.join(below).strip_prefix(&self.root).ok().map(Path::to_path_buf)
            })?;
            Some((Scope::matching(&self.globs, &path_text(&below))?, path.as_path()))
        })
    }
}

/// The largest file with rules that is read.
const MAX_BYTES: u64 = 1024 * 1024;
/// How many rules of one directory are read.
const MOST_RULES: usize = 200;
/// The largest list of scopes that is read.
const MAX_LIST: u64 = 4 * 1024 * 1024;

/// The list of an index's documents with a scope, as the cache keeps it.
#[derive(Serialize, Deserialize)]
struct Kept {
    version: u32,
    /// The state of the index when the list was made.
    stamp: u64,
    documents: Vec<Scoped>,
}

const VERSION: u32 = 1;

/// Returns the documents of the indexes that have a scope.
pub(super) fn in_indexes(indexes: &[IndexFile], places: &Places) -> Vec<Scoped> {
    indexes.iter().flat_map(|index| in_index(index, places)).collect()
}

fn in_index(index: &IndexFile, places: &Places) -> Vec<Scoped> {
    let now = stamp(&index.file);
    let name = blake3::hash(format!("{index:?}").as_bytes()).to_hex();
    let kept = places.cache.as_ref().map(|cache| cache.join("brief").join("scopes").join(format!("{}.json", &name[..32])));
    let read = || serde_json::from_str::<Kept>(&read_own_text(kept.as_deref()?, MAX_LIST).ok()?).ok();
    if let Some(kept) = read().filter(|kept| kept.stamp == now && kept.version == VERSION) {
        return kept.documents;
    }
    let Ok(read) = Index::read(index, places.home.as_deref()) else { return Vec::new() };
    let is_scoped = |document: &crate::sources::docs::IndexedDocument| !document.applies_to.is_empty();
    let scoped = read.documents.into_iter().filter(is_scoped).map(|document| Scoped {
        file: document.file,
        root: read.root.clone(),
        globs: document.applies_to,
        is_always: false,
    });
    let list = Kept { version: VERSION, stamp: now, documents: scoped.collect() };
    if let (Some(kept), Ok(text)) = (kept, serde_json::to_string(&list)) {
        // Without the list, the index is read again.
        let _ = kept.parent().is_some_and(|directory| make_private(directory).is_ok()) && write_atomic(&kept, text.as_bytes()).is_ok();
    }
    list.documents
}

/// Returns the rules in these directories, from the root down to the current directory.
pub(super) fn in_directories(names: &[String], reader: &Reader) -> Vec<Scoped> {
    let mut found = Vec::new();
    for directory in reader.chain() {
        for name in names.iter().filter(|name| Path::new(name).is_relative()) {
            rules(directory, &directory.join(name), &mut found);
        }
    }
    found
}

fn rules(root: &Path, directory: &Path, found: &mut Vec<Scoped>) {
    let is_rule = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "md" || extension == "mdc");
    let walk = ignore::WalkBuilder::new(directory).standard_filters(false).max_depth(Some(4)).build();
    let files = walk.flatten().filter(|entry| entry.file_type().is_some_and(|kind| !kind.is_dir())).map(ignore::DirEntry::into_path);
    let mut files: Vec<PathBuf> = files.filter(is_rule).collect();
    files.sort();
    let Ok(opened) = Root::open(root) else { return };
    for file in files.into_iter().take(MOST_RULES) {
        let Ok(text) = opened.open_file(&file).and_then(|file| file.text(MAX_BYTES)) else { continue };
        let scope = Scope::of(&text);
        // A rule that says nothing applies everywhere, except where its format has a word for that.
        let is_plain = !scope.is_said && file.extension().is_some_and(|extension| extension == "md");
        if scope.is_always || is_plain || !scope.globs.is_empty() {
            let is_always = scope.is_always || is_plain;
            found.push(Scoped { file, root: root.to_path_buf(), globs: scope.globs, is_always });
        }
    }
}

#[cfg(test)]
mod tests {
    use briefing_testkit::Sandbox;

    use super::*;

    #[test]
    fn rules_say_where_they_apply_or_that_they_always_do() {
        let sandbox = Sandbox::new()
            .directory(".git")
            .file(".cursor/rules/api.mdc", "---\ndescription: x\nglobs: src/api/**\nalwaysApply: false\n---\nA\n")
            .file(".cursor/rules/deep/all.mdc", "---\nalwaysApply: true\n---\nB\n")
            .file(".cursor/rules/asked.mdc", "---\ndescription: on request\nglobs:\nalwaysApply: false\n---\nC\n")
            .file(".cursor/rules/bare.mdc", "D\n")
            .file(".other/rules/plain.md", "E\n");
        let reader = Reader::unknown(&sandbox.root());
        let found = in_directories(&[".cursor/rules".into(), ".other/rules".into(), "/etc".into()], &reader);
        let named: Vec<_> = found.iter().map(|rule| (rule.file.file_name().unwrap().to_str().unwrap(), rule.is_always)).collect();
        assert_eq!(named, [("api.mdc", false), ("all.mdc", true), ("plain.md", true)]);
        let touched = [sandbox.path("web/a.ts"), sandbox.path("src/api/b.rs")];
        assert_eq!(found[0].applies(&touched, &reader.root), Some(("src/api/**", touched[1].as_path())));
        assert_eq!(found[0].applies(&touched[..1], &reader.root), None);
    }
}
