//! Whose window it is: which files its agent loads by itself.
//!
//! What an agent loads is data: [`Loading`] is its part of the agent's row. A file counts as loaded by its name, as the
//! same file under another name (a link), by an import in a loaded file, and by its content.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use crate::load::Root;
use crate::piece::{Piece, content_hash};
use crate::project::{marked_or_self, repository};
use crate::sources::docs::imports;

/// A file that an agent loads by itself: in the project's root and in every directory from there to the current one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// Its name, perhaps with directories: `AGENTS.md`, `.github/copilot-instructions.md`.
    pub name: Cow<'static, str>,
    /// The agent prefers this file in the project's root: where it is, the other one is not loaded. Empty: it always is.
    pub unless: Cow<'static, str>,
    /// Whether it is also loaded from directories below the current one, when the agent reads a file there.
    pub is_nested: bool,
}

/// What an agent loads by itself, as far as that is known.
#[derive(Debug, Clone, Copy)]
pub struct Loading {
    pub files: &'static [Loaded],
    /// Directories with rules, each of which says where it applies.
    pub rules: &'static [&'static str],
    /// Files in the agent's own configuration directory.
    pub user: &'static [&'static str],
    /// Whether `@path` in a loaded file loads that one too.
    pub has_imports: bool,
    /// Whether the list is complete. Otherwise nothing is known to be missing.
    pub is_known: bool,
}

impl Loading {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self { files: &[], rules: &[], user: &[], has_imports: false, is_known: false };
}

/// How deep imports are followed.
const MAX_IMPORTS: usize = 5;
/// A larger file is not read in order to compare it.
const MAX_BYTES: u64 = 1024 * 1024;

/// What an agent does with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Habit {
    /// It does not know the file.
    Unknown,
    Loads,
    /// It would load the file, but prefers another one that is there too.
    Prefers,
}

/// An agent, as the reader of a window in a directory.
#[derive(Debug, Clone)]
pub struct Reader {
    /// The product name of the agent; empty if there is none.
    pub title: &'static str,
    /// The directory above which nothing is searched: the repository, or else the project.
    pub root: PathBuf,
    here: PathBuf,
    files: Cow<'static, [Loaded]>,
    loading: Loading,
    user: Vec<PathBuf>,
    natives: OnceCell<Vec<Native>>,
}

/// A file that is in the window from the start.
#[derive(Debug, Clone)]
struct Native {
    real: PathBuf,
    hash: blake3::Hash,
    /// Its words, separated by single spaces.
    words: String,
}

impl Reader {
    pub fn of(title: &'static str, loading: Loading, here: &Path) -> Self {
        let root = repository(here).unwrap_or_else(|| marked_or_self(here)).to_path_buf();
        let files = Cow::Borrowed(loading.files);
        Self { title, root, here: here.to_path_buf(), files, loading, user: Vec::new(), natives: OnceCell::new() }
    }

    /// Returns a reader of which nothing is known: nothing is withheld from it, and nothing is known to be missing.
    pub fn unknown(here: &Path) -> Self {
        Self::of("", Loading::UNKNOWN, here)
    }

    /// Replaces the files by those that the agent's own settings name.
    #[must_use]
    pub fn with_files(self, files: Vec<Loaded>) -> Self {
        Self { files: Cow::Owned(files), ..self }
    }

    /// Sets the agent's own configuration directory.
    #[must_use]
    pub fn at_home(self, home: &Path) -> Self {
        Self { user: self.loading.user.iter().map(|name| home.join(name)).collect(), ..self }
    }

    /// Returns the files that are loaded by name.
    pub fn files(&self) -> &[Loaded] {
        &self.files
    }

    pub(super) fn is_known(&self) -> bool {
        self.loading.is_known
    }

    /// Returns the directories from the root down to the current one.
    pub(super) fn chain(&self) -> Vec<&Path> {
        let mut chain: Vec<&Path> = self.here.ancestors().take_while(|directory| directory.starts_with(&self.root)).collect();
        chain.reverse();
        chain
    }

    /// Returns what the agent does with a file, judging by its name and place.
    pub(super) fn habit(&self, file: &Path) -> Habit {
        let Ok(below) = file.strip_prefix(&self.root) else { return Habit::Unknown };
        let is_rule = |rules: &str| below.ancestors().skip(1).any(|directory| directory.ends_with(rules));
        if self.loading.rules.iter().any(|rules| is_rule(rules)) {
            return Habit::Loads;
        }
        let habit = |loaded: &Loaded| {
            let name = Path::new(&*loaded.name);
            let directory = file.ancestors().nth(name.components().count()).filter(|_| file.ends_with(name))?;
            let is_there = directory.starts_with(&self.root) && (loaded.is_nested || self.here.starts_with(directory));
            let is_preferred = loaded.unless.is_empty() || !self.root.join(&*loaded.unless).exists();
            is_there.then_some(if is_preferred { Habit::Loads } else { Habit::Prefers })
        };
        let habits: Vec<Habit> = self.files.iter().filter_map(habit).collect();
        habits.iter().find(|habit| **habit == Habit::Loads).or(habits.first()).copied().unwrap_or(Habit::Unknown)
    }

    /// Returns whether the agent loads a file by itself, under this name or another.
    pub fn loads(&self, file: &Path) -> bool {
        self.files_are_known() && (self.habit(file) == Habit::Loads || self.user.iter().any(|user| user == file) || self.loads_really(file))
    }

    fn loads_really(&self, file: &Path) -> bool {
        let Ok(real) = std::fs::canonicalize(file) else { return false };
        let is_renamed = real != file && (self.habit(&real) == Habit::Loads || self.user.contains(&real));
        is_renamed || self.natives().iter().any(|native| native.real == real)
    }

    fn files_are_known(&self) -> bool {
        !self.files.is_empty() || !self.loading.rules.is_empty() || !self.user.is_empty()
    }

    /// Returns whether the agent would load a file of the project's root, but has another one there that neither imports nor
    /// repeats it.
    pub fn declines(&self, name: &str) -> bool {
        let file = self.root.join(name);
        if self.habit(&file) != Habit::Prefers || !file.is_file() || self.loads(&file) {
            return false;
        }
        let opened = Root::open(&self.root).and_then(|root| root.open_file(&file));
        opened.and_then(|opened| opened.text(MAX_BYTES)).is_ok_and(|text| !text.trim().is_empty() && !self.repeats(&text))
    }

    /// Returns the files of the project that the agent loads at the start.
    pub fn loaded(&self) -> Vec<PathBuf> {
        let names = || self.files.iter().map(|loaded| &*loaded.name);
        let found = self.chain().into_iter().flat_map(|directory| names().map(move |name| directory.join(name)));
        found.filter(|file| file.is_file() && self.habit(file) == Habit::Loads).collect()
    }

    /// Returns the files that the agent loads at the start although another one has the same text.
    pub fn repeated(&self) -> Vec<PathBuf> {
        let natives = self.natives();
        let is_repeated = |native: &Native| {
            let is_same = |other: &&Native| other.real != native.real && !native.words.is_empty() && other.words == native.words;
            natives.iter().any(|other| is_same(&other))
        };
        natives.iter().filter(|native| is_repeated(native)).map(|native| native.real.clone()).collect()
    }

    /// Returns whether a text is in the window from the start, because a loaded file is equal to it or repeats it.
    pub fn repeats(&self, text: &str) -> bool {
        let natives = self.natives();
        if natives.is_empty() {
            return false;
        }
        let (hash, words) = (content_hash(text), words(text));
        natives.iter().any(|native| native.hash == hash || (!words.is_empty() && native.words.contains(&words)))
    }

    /// Returns whether the window has a piece from the start.
    pub fn has(&self, piece: &Piece) -> bool {
        let file = piece.id.split_once('#').map_or(piece.id.as_str(), |(file, _)| file);
        if !self.files_are_known() || file.is_empty() {
            return false;
        }
        let is_equal =
            || self.natives().iter().any(|native| native.hash == piece.hash || piece.within.iter().any(|whole| whole.hash == native.hash));
        self.loads(Path::new(file)) || is_equal()
    }

    /// Returns the files that are loaded at the start, and what they import.
    fn natives(&self) -> &[Native] {
        self.natives.get_or_init(|| {
            let mut natives = Vec::new();
            for file in self.loaded().into_iter().chain(self.user.iter().cloned()) {
                self.add(&file, 0, &mut natives);
            }
            natives
        })
    }

    fn add(&self, file: &Path, depth: usize, natives: &mut Vec<Native>) {
        let Ok(real) = std::fs::canonicalize(file) else { return };
        if depth > MAX_IMPORTS || natives.iter().any(|native| native.real == real) {
            return;
        }
        let (Some(directory), Some(parent)) = (file.parent(), real.parent()) else { return };
        let opened = Root::open(parent).and_then(|root| root.open_file(&real));
        let Ok(text) = opened.and_then(|opened| opened.text(MAX_BYTES)) else { return };
        natives.push(Native { real: real.clone(), hash: content_hash(&text), words: words(&text) });
        for import in if self.loading.has_imports { imports(&text) } else { Vec::new() } {
            self.add(&directory.join(import), depth + 1, natives);
        }
    }
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use briefing_testkit::Sandbox;

    use super::*;

    const fn loaded(name: &'static str, unless: &'static str, is_nested: bool) -> Loaded {
        Loaded { name: Cow::Borrowed(name), unless: Cow::Borrowed(unless), is_nested }
    }

    const OWN: Loading = Loading {
        files: &[loaded("OWN.md", "", true), loaded("AGENTS.md", "OWN.md", true), loaded("TOP.md", "", false)],
        rules: &[".own/rules"],
        user: &["OWN.md"],
        has_imports: true,
        is_known: true,
    };

    fn reader(sandbox: &Sandbox) -> Reader {
        Reader::of("Own", OWN, &sandbox.path("sub")).at_home(&sandbox.home())
    }

    #[test]
    fn a_file_is_loaded_by_its_name_and_place() {
        let sandbox = Sandbox::new().directory(".git").directory("sub/deep").file("AGENTS.md", "a").file("sub/TOP.md", "t");
        let reader = reader(&sandbox);
        for (file, expected) in [
            ("AGENTS.md", true),
            ("OWN.md", true),
            ("sub/deep/OWN.md", true),
            ("sub/TOP.md", true),
            ("sub/deep/TOP.md", false),
            (".own/rules/a/b.md", true),
            ("sub/.own/rules/x.md", true),
            ("docs/a.md", false),
            ("NOTOWN.md", false),
        ] {
            assert_eq!(reader.loads(&sandbox.path(file)), expected, "{file}");
        }
        assert!(reader.loads(&sandbox.home().join("OWN.md")));
        sandbox.write("OWN.md", "o");
        assert_eq!(reader.habit(&sandbox.path("AGENTS.md")), Habit::Prefers);
        assert!(!reader.loads(&sandbox.path("AGENTS.md")) && !reader.loads(&sandbox.path("sub/deep/AGENTS.md")));
        assert!(!Reader::unknown(&sandbox.path("sub")).loads(&sandbox.path("AGENTS.md")));
    }

    #[test]
    fn imports_links_and_equal_contents_are_loaded_too() {
        let sandbox =
            Sandbox::new().directory(".git").directory("sub").file("OWN.md", "# Own\n\n@docs/a.md and `@docs/b.md`\n\nUse  tabs.\n");
        let sandbox = sandbox.file("docs/a.md", "@c.md\n").file("docs/b.md", "b\n").file("docs/c.md", "cc\n").file("docs/d.md", "cc");
        let reader = reader(&sandbox);
        let loads = |file: &str| reader.loads(&sandbox.path(file));
        assert_eq!(["docs/a.md", "docs/b.md", "docs/c.md", "docs/d.md"].map(loads), [true, false, true, false]);
        assert!(reader.repeats("cc\n") && reader.repeats("Use tabs."), "equal, and repeated");
        assert!(!reader.repeats("Use spaces.") && !reader.repeats(""));
        #[cfg(unix)]
        {
            let sandbox = sandbox.link("LINKED.md", "OWN.md");
            assert!(reader.loads(&sandbox.path("LINKED.md")));
        }
    }
}
