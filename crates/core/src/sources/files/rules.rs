//! The rules for walking, combined from the settings and the flags of one call.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde::Serialize;

use super::lock_files::is_lock_file;
use crate::failure::Failure;
use crate::fs::FileProblem;
use crate::settings::{ErrorMode, FilesSettings, LinkMode, Setting, Settings};

/// Where a pattern was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GivenBy {
    Flag(&'static str),
    /// A setting with its origin, see [`Setting::decided_by`].
    Setting(String),
}

impl fmt::Display for GivenBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Flag(flag) => flag,
            Self::Setting(setting) => setting,
        })
    }
}

/// Patterns from the user, each with the layer that gave it.
#[derive(Debug, Clone, Default)]
pub struct Patterns {
    set: GlobSet,
    /// The pattern as written, and the layer that gave it.
    origins: Vec<(String, String)>,
}

impl Patterns {
    /// Compiles globs. A pattern without `/` matches a name at any depth, one with `/` matches a path, and each
    /// matches everything below a directory of that name.
    pub fn globs(patterns: &[String], flag: &'static str) -> Result<Self, Failure> {
        let patterns: Vec<_> = patterns.iter().map(|pattern| (pattern.clone(), GivenBy::Flag(flag))).collect();
        Self::compile(&patterns, |pattern| {
            let bare = pattern.trim_end_matches('/');
            let path = bare.strip_prefix("./").unwrap_or(bare).trim_start_matches('/');
            let anywhere = if bare.contains('/') { path.to_owned() } else { format!("**/{path}") };
            let inside = format!("{anywhere}/**");
            if bare.len() < pattern.len() { vec![inside] } else { vec![anywhere, inside] }
        })
    }

    /// Compiles names of directories. A trailing `/` and globs are accepted.
    pub fn names(patterns: &[(String, GivenBy)]) -> Result<Self, Failure> {
        Self::compile(patterns, |pattern| vec![pattern.trim_end_matches('/').to_owned()])
    }

    fn compile(patterns: &[(String, GivenBy)], spelled: impl Fn(&str) -> Vec<String>) -> Result<Self, Failure> {
        let mut builder = GlobSetBuilder::new();
        let mut origins = Vec::new();
        for (pattern, given_by) in patterns {
            let fail = |error: &globset::Error| {
                let what = format!("`{pattern}` is not a valid glob: {}", error.kind());
                let failure = match given_by {
                    GivenBy::Flag(_) => Failure::usage(what),
                    GivenBy::Setting(_) => Failure::new(what),
                };
                failure.because_of(format!("given by {given_by}"))
            };
            for glob in spelled(pattern) {
                builder.add(GlobBuilder::new(&glob).literal_separator(true).build().map_err(|error| fail(&error))?);
                origins.push((pattern.clone(), given_by.to_string()));
            }
        }
        let set = builder.build().map_err(|error| Failure::usage("the globs are too large together").because(&error))?;
        Ok(Self { set, origins })
    }

    pub fn is_empty(&self) -> bool {
        self.origins.is_empty()
    }

    /// Returns the first pattern that matches, with the layer that gave it.
    pub fn matching(&self, text: &str) -> Option<&(String, String)> {
        if self.set.is_empty() {
            return None;
        }
        self.set.matches(text).first().map(|index| &self.origins[*index])
    }
}

/// More threads than this would only wait for each other.
const MAX_THREADS: usize = 64;

/// What the files are for. This decides how much a file that was found in a directory and cannot be used matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A document of its own: `brief pack`.
    Document,
    /// The files of a goal: `brief run --context`, as spec 4 describes it.
    Goal,
}

/// The rules of one walk.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting or a flag of its own")]
pub struct Rules {
    pub purpose: Purpose,
    pub max_file_size_kb: u64,
    /// `None` means no limit.
    pub max_files_per_directory: Option<usize>,
    pub excluded_directories: Patterns,
    /// In lower case, without a dot, with the layer that gave each.
    pub excluded_extensions: Vec<(String, String)>,
    /// The levels below an argument: 0 means only its own files.
    pub recurse_depth: Option<usize>,
    pub follows_links: bool,
    pub honours_gitignore: bool,
    /// `.ignore` and `.briefignore`.
    pub honours_ignore_files: bool,
    pub takes_hidden: bool,
    pub takes_lock_files: bool,
    pub redacts: bool,
    pub include: Patterns,
    pub exclude: Patterns,
    /// The output file, which is not packed into itself.
    pub own_output: Option<PathBuf>,
    /// 0 means one per core.
    pub threads: usize,
    /// The settings behind these rules, for notes that name the deciding layer.
    pub settings: FilesSettings,
    /// The lists as shown in the result.
    pub shown: ShownLimits,
}

/// The limits as shown to the reader of the result.
#[derive(Debug, Clone, Serialize)]
pub struct ShownLimits {
    pub max_file_size_kb: u64,
    /// `None` means no limit.
    pub max_files_per_directory: Option<usize>,
    pub excluded_directories: Vec<String>,
    pub excluded_extensions: Vec<String>,
    pub recurse_depth: Option<usize>,
}

impl Rules {
    /// Combines the rules for a document. Names from flags are added to the lists from the settings.
    ///
    /// There is no limit per directory unless a layer sets one.
    pub fn settle(
        settings: &Settings,
        more_directories: &[String],
        more_extensions: &[String],
        recurse_depth: Option<usize>,
    ) -> Result<Self, Failure> {
        let listed = |own: &Setting<Vec<String>>, more: &[String], flag| -> Vec<(String, GivenBy)> {
            let own = own.value.iter().map(|item| (item.clone(), GivenBy::Setting(own.decided_by())));
            own.chain(more.iter().map(|item| (item.clone(), GivenBy::Flag(flag)))).collect()
        };
        let directories = listed(&settings.files.excluded_directories, more_directories, "--exclude-dir");
        let extensions = listed(&settings.files.excluded_extensions, more_extensions, "--exclude-ext");
        let extensions: Vec<_> =
            extensions.into_iter().map(|(item, given_by)| (item.trim_start_matches('.').to_lowercase(), given_by.to_string())).collect();
        let max_file_size_kb = settings.files.max_file_size_kb.value;
        let limit = &settings.files.max_files_per_directory;
        let max_files_per_directory = (!limit.is_default()).then(|| usize::try_from(limit.value).unwrap_or(usize::MAX));
        Ok(Self {
            purpose: Purpose::Document,
            max_file_size_kb,
            max_files_per_directory,
            shown: ShownLimits {
                max_file_size_kb,
                max_files_per_directory,
                excluded_directories: directories.iter().map(|(name, _)| name.clone()).collect(),
                excluded_extensions: extensions.iter().map(|(name, _)| name.clone()).collect(),
                recurse_depth,
            },
            excluded_directories: Patterns::names(&directories)?,
            excluded_extensions: extensions,
            recurse_depth,
            follows_links: settings.files.follow_links.value == LinkMode::Inside,
            honours_gitignore: settings.files.gitignore.value,
            honours_ignore_files: true,
            takes_hidden: settings.files.hidden.value,
            takes_lock_files: settings.files.lock_files.value,
            redacts: settings.guards.redact.value,
            include: Patterns::default(),
            exclude: Patterns::default(),
            own_output: None,
            threads: 0,
            settings: settings.files.clone(),
        })
    }

    /// Returns these rules for the files of a goal: the defaults of spec 4 apply, which limits files per directory and knows
    /// nothing of lock files.
    #[must_use]
    pub fn for_goal(mut self) -> Self {
        self.purpose = Purpose::Goal;
        let limit = usize::try_from(self.settings.max_files_per_directory.value).unwrap_or(usize::MAX);
        self.max_files_per_directory = Some(limit);
        self.shown.max_files_per_directory = Some(limit);
        self.takes_lock_files |= self.settings.lock_files.is_default();
        self
    }

    /// Returns whether a problem with a file that was found in a directory or read from a list is an error; otherwise it is
    /// a warning. A problem with a path that the user named is always an error.
    pub fn is_error(&self, problem: &FileProblem) -> bool {
        let is_strict = self.settings.error_handling_mode.value == ErrorMode::Strict;
        match problem {
            // Files may disappear between the walk and the read; links and devices are not files that anybody misses.
            FileProblem::Missing | FileProblem::NotRegular(_) | FileProblem::Link(_) => false,
            // Spec 4 skips binary files automatically.
            FileProblem::Binary => is_strict && self.purpose == Purpose::Document,
            FileProblem::NotUtf8 { .. } => is_strict,
            _ => is_strict || self.purpose == Purpose::Goal,
        }
    }

    /// Returns the layer that leaves out a file with this name because it is a lock file.
    pub fn excludes_lock_file(&self, name: &str) -> Option<String> {
        (!self.takes_lock_files && is_lock_file(name)).then(|| self.settings.lock_files.decided_by())
    }

    /// Returns the size limit in bytes.
    pub fn max_file_bytes(&self) -> u64 {
        self.max_file_size_kb.saturating_mul(1024)
    }

    /// Returns the rule that excludes a file name by its extension, with its layer. `min.js` is also an extension.
    pub fn excluded_extension(&self, name: &str) -> Option<&(String, String)> {
        let name = name.strip_prefix('.').unwrap_or(name);
        let is_lower = name.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
        let name = if is_lower { Cow::Borrowed(name) } else { Cow::Owned(name.to_lowercase()) };
        self.excluded_extensions
            .iter()
            .find(|(excluded, _)| name.strip_suffix(excluded.as_str()).is_some_and(|stem| stem.len() > 1 && stem.ends_with('.')))
    }

    /// Returns whether this call has any globs.
    pub fn has_globs(&self) -> bool {
        !(self.include.is_empty() && self.exclude.is_empty())
    }

    /// Returns why the globs of this call exclude a path, if they do. They are matched against the path as shown and
    /// the path below the argument.
    pub fn excluded_by_glob(&self, shown: &str, below: &str) -> Option<(String, String)> {
        let matching = |patterns: &'_ Patterns| patterns.matching(shown).or_else(|| patterns.matching(below)).cloned();
        if let Some((pattern, origin)) = matching(&self.exclude) {
            return Some((format!("matches the excluded `{pattern}`"), origin));
        }
        if !self.include.is_empty() && matching(&self.include).is_none() {
            return Some(("matches none of the included globs".into(), "--include".into()));
        }
        None
    }

    /// Returns the number of threads to use.
    pub fn thread_count(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(2, usize::from).min(16),
            threads => threads.min(MAX_THREADS),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::settings::{Layer, LayerKind};

    fn globs(patterns: &[&str]) -> Patterns {
        let patterns: Vec<_> = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
        Patterns::globs(&patterns, "--exclude").unwrap()
    }

    #[test]
    fn globs_match_names_paths_and_directories() {
        let patterns = globs(&["*.lock", "docs/*.md", "vendor/"]);
        for (path, is_match) in [
            ("a/b/x.lock", true),
            ("x.lock", true),
            ("docs/a.md", true),
            ("docs/deep/a.md", false),
            ("a/vendor/x", true),
            ("vendor/x/y", true),
            ("x.lock/inside", true),
            ("vendored", false),
        ] {
            assert_eq!(patterns.matching(path).is_some(), is_match, "{path}");
        }
    }

    #[test]
    fn a_bad_glob_is_a_usage_error_unless_it_is_in_a_file() {
        let failure = Patterns::globs(&["a[".into()], "--include").unwrap_err();
        assert!(failure.is_usage() && failure.to_string().contains("a["), "{failure}");
        let file = Layer::from_toml(LayerKind::User, Path::new("brief.toml"), "excluded_directories = ['a[']");
        let (settings, _) = Settings::resolve(vec![Layer::defaults(), file]);
        let failure = Rules::settle(&settings, &[], &[], None).unwrap_err();
        assert!(!failure.is_usage());
        assert_eq!(failure.causes(), ["given by excluded_directories (brief.toml:1)"]);
    }

    #[test]
    fn extensions_ignore_case_and_dotfiles_have_none() {
        let rules = Rules::settle(&Settings::defaults(), &[], &[".LOG".into()], None).unwrap();
        assert!(rules.excluded_extension("setup.EXE").is_some());
        assert!(rules.excluded_extension("x.log").is_some());
        assert!(rules.excluded_extension(".exe").is_none());
        assert!(rules.excluded_extension("exe").is_none());
        let rules = Rules::settle(&Settings::defaults(), &[], &["min.js".into()], None).unwrap();
        assert!(rules.excluded_extension("a.min.js").is_some() && rules.excluded_extension("a.js").is_none());
    }
}
