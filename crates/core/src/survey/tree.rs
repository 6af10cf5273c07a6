//! Walks a project once: its languages, its directories, and the packages in it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use super::manifest::{self, Manifest, is_manifest};
use super::{Files, prose};
use crate::shown::path_text;
use crate::text::beginning;

/// A directory in the project's root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directory {
    /// Relative to the root, with `/` at the end.
    pub path: String,
    /// What it says of itself: the first sentence of its README, or the description of its manifest.
    pub about: Option<String>,
    /// The language of most of its files.
    pub language: Option<&'static str>,
}

/// A package with a manifest and a README of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// Relative to the root.
    pub path: PathBuf,
    pub manifest: Manifest,
}

/// File extensions and their languages.
const LANGUAGES: &[(&str, &str)] = &[
    ("rs", "Rust"),
    ("ts", "TypeScript"),
    ("tsx", "TypeScript"),
    ("mts", "TypeScript"),
    ("js", "JavaScript"),
    ("jsx", "JavaScript"),
    ("mjs", "JavaScript"),
    ("cjs", "JavaScript"),
    ("py", "Python"),
    ("go", "Go"),
    ("rb", "Ruby"),
    ("java", "Java"),
    ("kt", "Kotlin"),
    ("scala", "Scala"),
    ("swift", "Swift"),
    ("dart", "Dart"),
    ("c", "C"),
    ("cpp", "C++"),
    ("cc", "C++"),
    ("hpp", "C++"),
    ("cs", "C#"),
    ("php", "PHP"),
    ("ex", "Elixir"),
    ("exs", "Elixir"),
    ("hs", "Haskell"),
    ("lua", "Lua"),
    ("zig", "Zig"),
    ("sh", "Shell"),
    ("sql", "SQL"),
    ("vue", "Vue"),
    ("svelte", "Svelte"),
];

/// Common entry points.
const ENTRY_POINTS: &[&str] = &[
    "README.md",
    "src/main.rs",
    "src/lib.rs",
    "src/index.ts",
    "src/main.ts",
    "src/index.js",
    "src/main.tsx",
    "index.js",
    "index.ts",
    "server.js",
    "app.py",
    "main.py",
    "manage.py",
    "src/main.py",
    "main.go",
    "cmd",
    "crates",
    "packages",
    "src/App.tsx",
    "Makefile",
    "justfile",
];

/// Directories that hold no work of the project's own.
const DULL: &[&str] = &["target", "node_modules", "dist", "build", "out", "vendor", "third_party", "venv", "__pycache__", "coverage"];
/// Directories whose packages are examples or test data.
const NO_UNITS: &[&str] =
    &["bench", "benches", "benchmarks", "example", "examples", "fixtures", "template", "templates", "test", "testdata", "tests"];

/// How far the walk goes: the beginning of a large tree is enough to tell its languages.
const MAX_FILES: usize = 5_000;
const MAX_DEPTH: usize = 6;
/// How many directories below the root a package may be.
const MAX_UNIT_DEPTH: usize = 3;
/// How many directories are listed.
const MAX_DIRECTORIES: usize = 20;
/// How long a description may be.
const MAX_ABOUT: usize = 160;

/// What the walk found.
pub(super) struct Tree {
    counts: BTreeMap<&'static str, usize>,
    pub(super) directories: Vec<Directory>,
    pub(super) units: Vec<Unit>,
}

impl Tree {
    /// Returns the languages of the project, most used first, at most five.
    pub(super) fn languages(&self, manifests: &[Manifest]) -> Vec<&'static str> {
        let mut counts = self.counts.clone();
        for manifest in manifests {
            // TypeScript projects also have a package.json, so it does not identify the language.
            let is_unclear = manifest.language == "JavaScript" && counts.contains_key("TypeScript");
            if !is_unclear {
                *counts.entry(manifest.language).or_default() += 1;
            }
        }
        let mut languages: Vec<_> = counts.into_iter().collect();
        languages.sort_by_key(|(language, count)| (std::cmp::Reverse(*count), *language));
        languages.into_iter().map(|(language, _)| language).take(5).collect()
    }
}

/// Walks the project. What is ignored or hidden is left out.
pub(super) fn walk(root: &Path, files: &Files) -> Tree {
    let is_dull = |entry: &ignore::DirEntry| entry.depth() > 0 && DULL.iter().any(|name| entry.file_name() == *name);
    let walk = WalkBuilder::new(root)
        .require_git(false)
        .max_depth(Some(MAX_DEPTH))
        .sort_by_file_name(std::ffi::OsStr::cmp)
        .filter_entry(move |entry| !is_dull(entry))
        .build();
    let mut counts = BTreeMap::new();
    let mut tops: BTreeMap<String, BTreeMap<&'static str, usize>> = BTreeMap::new();
    let mut packages: Vec<PathBuf> = Vec::new();
    for entry in walk.flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file())).take(MAX_FILES) {
        let Ok(below) = entry.path().strip_prefix(root) else { continue };
        let parts: Vec<String> = below.components().map(|part| path_text(Path::new(&part))).collect();
        let language = below.extension().and_then(|extension| extension.to_str()).and_then(language);
        if let Some(language) = language {
            *counts.entry(language).or_default() += 1;
        }
        if let [top, _, ..] = &parts[..] {
            let own = tops.entry(format!("{top}/")).or_default();
            if let Some(language) = language {
                *own.entry(language).or_default() += 1;
            }
        }
        let is_package = (2..=MAX_UNIT_DEPTH + 1).contains(&parts.len()) && is_manifest(&parts[parts.len() - 1]);
        let is_own = !parts.iter().any(|part| NO_UNITS.contains(&part.as_str()));
        if let Some(directory) = below.parent().filter(|directory| is_package && is_own && !packages.iter().any(|path| path == directory)) {
            packages.push(directory.to_path_buf());
        }
    }
    let directories = directories(root, files, tops, &packages);
    let units = packages.into_iter().filter_map(|path| unit(root, files, path)).collect();
    Tree { counts, directories, units }
}

fn language(extension: &str) -> Option<&'static str> {
    LANGUAGES.iter().find(|(known, _)| *known == extension).map(|(_, language)| *language)
}

/// Returns a package if it has a README.
fn unit(root: &Path, files: &Files, path: PathBuf) -> Option<Unit> {
    files.readme_in(&path)?;
    let manifest = manifest::read(&Files::open(&root.join(&path)).ok()?).into_iter().next()?;
    Some(Unit { path, manifest })
}

/// Returns the directories of the root, each with the packages directly in it that say what they are.
fn directories(root: &Path, files: &Files, tops: BTreeMap<String, BTreeMap<&'static str, usize>>, packages: &[PathBuf]) -> Vec<Directory> {
    let mut found = Vec::new();
    for (path, counts) in tops {
        let inner = packages.iter().filter(|package| package.parent() == Some(Path::new(path.trim_end_matches('/'))));
        let inner: Vec<Directory> = inner
            .map(|package| directory(root, files, format!("{}/", path_text(package)), BTreeMap::new()))
            .filter(|directory| directory.about.is_some())
            .collect();
        let top = directory(root, files, path, counts);
        // A directory that only groups packages is described by them.
        if inner.is_empty() || top.about.is_some() {
            found.push(top);
        }
        found.extend(inner);
    }
    found.truncate(MAX_DIRECTORIES);
    found
}

fn directory(root: &Path, files: &Files, path: String, counts: BTreeMap<&'static str, usize>) -> Directory {
    let readme = files.readme_in(Path::new(&path)).and_then(|(_, text)| prose::paragraphs(&text).into_iter().next());
    let described = || manifest::read(&Files::open(&root.join(&path)).ok()?).into_iter().find_map(|manifest| manifest.description);
    let about = readme.or_else(described).map(|words| first_sentence(&words));
    let language = counts.into_iter().max_by_key(|(_, count)| *count).map(|(language, _)| language);
    Directory { path, about, language }
}

fn first_sentence(words: &str) -> String {
    let end = words.find(". ").map_or(words.len(), |at| at + 1);
    let sentence = &words[..end];
    if sentence.chars().count() <= MAX_ABOUT {
        return sentence.to_owned();
    }
    let short = beginning(sentence, MAX_ABOUT);
    format!("{}…", short.rsplit_once(' ').map_or(short, |(whole, _)| whole))
}

/// Returns the usual entry points that a directory has.
pub(super) fn entry_points(root: &Path) -> Vec<&'static str> {
    ENTRY_POINTS.iter().filter(|point| root.join(point).exists()).copied().collect()
}
