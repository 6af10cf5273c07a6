//! What a project says about itself: name, languages, README, rules, commands, directories, and the packages in it.
//!
//! [`survey`] only reads, and only what is in the project. `brief init` makes a first draft of core files or domains from
//! the result, so everything here is taken from the project's own files; nothing is guessed.

mod commands;
mod manifest;
mod prose;
mod tree;

use std::path::{Path, PathBuf};

use crate::Failure;
use crate::fs::FileProblem;
use crate::load::Root;
use crate::secrets::redacted;
use crate::shown::path_text;

pub use commands::{Purpose, Tool};
pub use manifest::Manifest;
pub use prose::Rule;
pub use tree::{Directory, Unit};

/// The largest file that is read.
const MAX_BYTES: u64 = 512 * 1024;

/// Names of the file with a project's rules for contributors.
const RULES: [&str; 4] = ["CONTRIBUTING.md", ".github/CONTRIBUTING.md", "docs/CONTRIBUTING.md", "docs/contributing.md"];

/// What was found in a project.
#[derive(Debug, Clone)]
pub struct Survey {
    pub root: PathBuf,
    /// From its manifest, or else the name of its directory.
    pub name: String,
    /// The manifest's description.
    pub description: Option<String>,
    /// Most used first, at most five.
    pub languages: Vec<&'static str>,
    pub manifests: Vec<Manifest>,
    pub entry_points: Vec<&'static str>,
    /// The README, and its first paragraphs.
    pub readme: Option<Said<String>>,
    /// The file for contributors, and its rules.
    pub rules: Option<Said<Rule>>,
    pub tools: Vec<Tool>,
    /// The directories in the root.
    pub directories: Vec<Directory>,
    /// Packages with a manifest and a README of their own.
    pub units: Vec<Unit>,
}

/// What a file says that is worth repeating. May be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said<T> {
    /// The file, relative to the root.
    pub file: String,
    pub lines: Vec<T>,
}

/// Why a project has several parts with knowledge of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// One project.
    Single,
    /// Several packages with READMEs of their own, which may be in different languages.
    Many,
}

/// Packages of one workspace are one project unless there are this many with a README of their own.
const MANY_IN_WORKSPACE: usize = 3;

impl Survey {
    /// Returns whether this is one project or several in one repository.
    pub fn shape(&self) -> Shape {
        let mut kinds: Vec<_> = self.units.iter().map(|unit| unit.manifest.file).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let is_workspace = self.manifests.iter().any(|manifest| manifest.is_workspace);
        let is_many = match self.units.len() {
            0 | 1 => false,
            _ if kinds.len() > 1 || self.manifests.is_empty() => true,
            count => is_workspace && count >= MANY_IN_WORKSPACE,
        };
        if is_many { Shape::Many } else { Shape::Single }
    }

    /// Returns the paragraphs that say what the project is: the README's, or else the manifest's description.
    pub fn about(&self) -> Vec<&str> {
        let readme: Vec<&str> = self.readme.iter().flat_map(|said| &said.lines).map(String::as_str).collect();
        if readme.is_empty() { self.description.as_deref().into_iter().collect() } else { readme }
    }
}

/// Looks at the project in `root`.
pub fn survey(root: &Path) -> Result<Survey, Failure> {
    let files = Files::open(root)?;
    let tree = tree::walk(root, &files);
    let mut survey = look(root, &files);
    survey.languages = tree.languages(&survey.manifests);
    survey.directories = tree.directories;
    survey.units = tree.units;
    Ok(survey)
}

/// Looks at the files in a directory, but not at those below it.
fn look(root: &Path, files: &Files) -> Survey {
    let manifests = manifest::read(files);
    let first = |value: fn(&Manifest) -> &Option<String>| manifests.iter().find_map(|manifest| value(manifest).clone());
    let folder = || root.file_name().map_or_else(|| path_text(root), |name| path_text(Path::new(name)));
    Survey {
        root: root.to_path_buf(),
        name: first(|manifest| &manifest.name).unwrap_or_else(folder),
        description: first(|manifest| &manifest.description),
        languages: Vec::new(),
        entry_points: tree::entry_points(root),
        readme: files.readme().map(|(file, text)| Said { file, lines: prose::paragraphs(&text) }),
        rules: RULES.iter().find_map(|file| Some(Said { lines: prose::rules(&files.read(file)?), file: (*file).to_owned() })),
        tools: commands::find(files, &manifests),
        manifests,
        directories: Vec::new(),
        units: Vec::new(),
    }
}

/// The files of a directory. None outside of it is read.
struct Files {
    root: Root,
}

impl Files {
    fn open(root: &Path) -> Result<Self, Failure> {
        let failed = |problem: FileProblem| Failure::new(format!("cannot read `{}`", path_text(root))).because(&problem);
        Ok(Self { root: Root::open(root).map_err(failed)? })
    }

    /// Returns the text of a file without secrets. What cannot be read says nothing.
    fn read(&self, name: impl AsRef<Path>) -> Option<String> {
        self.root.open_file(name.as_ref()).and_then(|opened| opened.text(MAX_BYTES)).ok().map(redacted)
    }

    fn has(&self, name: &str) -> bool {
        self.root.path().join(name).exists()
    }

    fn readme(&self) -> Option<(String, String)> {
        self.readme_in(Path::new(""))
    }

    /// Returns the README of a directory below the root, whatever its spelling.
    fn readme_in(&self, directory: &Path) -> Option<(String, String)> {
        let entries = std::fs::read_dir(self.root.path().join(directory)).ok()?;
        let mut names: Vec<String> = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.retain(|name| ["readme.md", "readme.markdown"].contains(&name.to_lowercase().as_str()));
        names.sort();
        let name = names.into_iter().next()?;
        Some((name.clone(), self.read(directory.join(name))?))
    }
}

#[cfg(test)]
mod tests;
