//! Creates a domain: `.megg/info.md` with facts found in the project. Existing files are never overwritten.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use jiff::Timestamp;

use super::load::{DIRECTORY, INFO};
use super::moment;
use crate::Failure;
use crate::fs::FileProblem;
use crate::load::open_named;
use crate::shown::{normalize, one_line, path_text};

/// The result of creating a domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InitializedDomain {
    pub path: PathBuf,
    /// Whether it was created now; otherwise it existed and is unchanged.
    pub is_new: bool,
}

/// Creates a domain in `directory`.
pub fn init_domain(directory: &Path, now: Timestamp) -> Result<InitializedDomain, Failure> {
    let directory = normalize(directory);
    let cannot = |path: &Path, problem: FileProblem| Failure::new(format!("cannot create `{}`", path_text(path))).because(&problem);
    if !directory.is_dir() {
        return Err(Failure::new(format!("`{}` is not a directory", path_text(&directory))).hint("create it first with `mkdir -p`"));
    }
    let megg = directory.join(DIRECTORY);
    let path = megg.join(INFO);
    // A broken link also counts as existing: it was put there on purpose.
    if fs::symlink_metadata(&path).is_ok() {
        return Ok(InitializedDomain { path, is_new: false });
    }
    let text = Facts::of(&directory).info(now);
    fs::create_dir_all(&megg).map_err(|error| cannot(&megg, error.into()))?;
    let written = OpenOptions::new().write(true).create_new(true).open(&path).and_then(|mut file| file.write_all(text.as_bytes()));
    match written {
        Ok(()) => Ok(InitializedDomain { path, is_new: true }),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(InitializedDomain { path, is_new: false }),
        Err(error) => Err(cannot(&path, error.into())),
    }
}

/// Manifests and the language that each one indicates.
const MANIFESTS: &[(&str, &str)] = &[
    ("Cargo.toml", "Rust"),
    ("package.json", "JavaScript"),
    ("pyproject.toml", "Python"),
    ("go.mod", "Go"),
    ("composer.json", "PHP"),
    ("Gemfile", "Ruby"),
    ("pom.xml", "Java"),
    ("build.gradle", "Java"),
    ("build.gradle.kts", "Kotlin"),
    ("mix.exs", "Elixir"),
];

/// File extensions and their languages.
const LANGUAGES: &[(&str, &str)] = &[
    ("rs", "Rust"),
    ("ts", "TypeScript"),
    ("tsx", "TypeScript"),
    ("js", "JavaScript"),
    ("jsx", "JavaScript"),
    ("mjs", "JavaScript"),
    ("py", "Python"),
    ("go", "Go"),
    ("rb", "Ruby"),
    ("java", "Java"),
    ("kt", "Kotlin"),
    ("swift", "Swift"),
    ("c", "C"),
    ("cpp", "C++"),
    ("cc", "C++"),
    ("cs", "C#"),
    ("php", "PHP"),
    ("ex", "Elixir"),
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

/// The maximum number of files to examine for languages: the beginning of a large tree is enough.
const MAX_FILES: usize = 2_000;
const MAX_MANIFEST_BYTES: u64 = 256 * 1024;

/// Facts about a project.
struct Facts {
    name: String,
    description: Option<String>,
    languages: Vec<&'static str>,
    entry_points: Vec<String>,
}

impl Facts {
    fn of(directory: &Path) -> Self {
        let read = |name: &str| open_named(&directory.join(name)).and_then(|opened| opened.text(MAX_MANIFEST_BYTES)).ok();
        let (mut name, mut description) = (None, None);
        for (manifest, _) in MANIFESTS {
            let Some(text) = read(manifest) else { continue };
            let (own, words) = match *manifest {
                "Cargo.toml" => toml_facts(&text, &["package"]),
                "pyproject.toml" => toml_facts(&text, &["project", "tool.poetry"]),
                "package.json" | "composer.json" => json_facts(&text),
                "go.mod" => (
                    text.lines()
                        .find_map(|line| line.strip_prefix("module "))
                        .and_then(|module| module.trim().rsplit('/').next())
                        .map(str::to_owned),
                    None,
                ),
                _ => (None, None),
            };
            (name, description) = (name.or(own), description.or(words));
        }
        let folder = directory.file_name().map_or_else(|| path_text(directory), |name| path_text(Path::new(name)));
        let is_there = |point: &&&str| directory.join(point).exists();
        let entry_points = ENTRY_POINTS.iter().filter(is_there).map(|point| (*point).to_owned()).collect();
        Self {
            name: name.filter(|name| !name.trim().is_empty()).unwrap_or(folder),
            description: description.or_else(|| read("README.md").and_then(|text| first_paragraph(&text))),
            languages: languages(directory),
            entry_points,
        }
    }

    fn info(&self, now: Timestamp) -> String {
        let written = moment::written(now);
        let mut text =
            format!("---\ncreated: {written}\nupdated: {written}\ntype: context\n---\n\n# {}\n\n## Context\n", one_line(self.name.trim()));
        text.push_str(
            self.description.as_deref().map(|words| one_line(words.trim())).as_deref().unwrap_or("What this is for, in two sentences."),
        );
        text.push_str("\n\n");
        if !self.languages.is_empty() {
            let _ = writeln!(text, "**Languages:** {}", self.languages.join(", "));
        }
        if !self.entry_points.is_empty() {
            let points: Vec<_> = self.entry_points.iter().map(|point| format!("`{point}`")).collect();
            let _ = writeln!(text, "**Entry points:** {}", points.join(", "));
        }
        if !text.ends_with("\n\n") {
            text.push('\n');
        }
        text.push_str(
            "## Rules\n1. Replace this line with the first rule that everyone here must follow.\n\n\
             ## Learning\nWorth keeping: decisions and their reasons, rules, and pitfalls that the code does not show.\n\
             Ask before saving, then run `brief learn TITLE --type decision --topics a,b BODY`.\n",
        );
        text
    }
}

fn toml_facts(text: &str, sections: &[&str]) -> (Option<String>, Option<String>) {
    let Ok(table) = text.parse::<toml::Table>() else { return (None, None) };
    let section = |path: &str| path.split('.').try_fold(&table, |table, name| table.get(name)?.as_table());
    let value = |key: &str| sections.iter().find_map(|path| section(path)?.get(key)?.as_str().map(str::to_owned));
    (value("name"), value("description"))
}

fn json_facts(text: &str) -> (Option<String>, Option<String>) {
    let Ok(value) = serde_json::from_str::<serde_json::Value>(text) else { return (None, None) };
    let text = |key: &str| value[key].as_str().map(str::to_owned);
    (text("name"), text("description"))
}

/// Returns the first paragraph of prose: not a heading, badge, comment or list.
fn first_paragraph(text: &str) -> Option<String> {
    let is_words = |line: &&str| !line.is_empty() && !line.starts_with(['#', '!', '[', '<', '>', '-', '*', '|', '`', '=']);
    let mut lines = text.lines().map(str::trim).skip_while(|line| !is_words(line));
    let paragraph: Vec<_> = lines.by_ref().take_while(is_words).collect();
    let words = super::summary::cut(&paragraph.join(" "), 400);
    (!words.is_empty()).then_some(words)
}

/// Returns the languages of a project, most used first, at most five.
fn languages(directory: &Path) -> Vec<&'static str> {
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    for (manifest, language) in MANIFESTS {
        if directory.join(manifest).is_file() {
            counts.insert(language, 1);
        }
    }
    // TypeScript projects also have a package.json, so it does not identify the language.
    let walk = WalkBuilder::new(directory).require_git(false).max_depth(Some(6)).build();
    for entry in walk.flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file())).take(MAX_FILES) {
        let extension = entry.path().extension().and_then(|extension| extension.to_str());
        if let Some((_, language)) = LANGUAGES.iter().find(|(known, _)| Some(*known) == extension) {
            *counts.entry(language).or_default() += 1;
        }
    }
    if counts.contains_key("TypeScript") && counts.get("JavaScript") == Some(&1) {
        counts.remove("JavaScript");
    }
    let mut languages: Vec<_> = counts.into_iter().collect();
    languages.sort_by_key(|(language, count)| (std::cmp::Reverse(*count), *language));
    languages.into_iter().map(|(language, _)| language).take(5).collect()
}
