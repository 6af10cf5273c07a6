//! Lists the files that a model may choose from: those below a directory that are not ignored, hidden or excluded.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::matcher::{build_excluder, build_matcher};
use crate::note::Note;
use crate::shown::{normalize, one_line, tree_order};
use crate::sources::files::{Rules, gather};

/// The limits of a listing that is shown to a model.
const MAX_SHOWN_FILES: usize = 2000;
const MAX_SHOWN_BYTES: usize = 96 * 1024;

/// The files below a directory, in the order of a tree.
#[derive(Debug, Clone)]
pub struct Listing {
    dir: PathBuf,
    /// Relative to the directory, with `/`.
    paths: Vec<String>,
    /// Notes from the walk.
    pub notes: Vec<Note>,
}

impl Listing {
    /// Walks `dir` (absolute). With a filter, only file names that match it are listed; what `exclude` matches is not.
    pub fn of(dir: &Path, filter: Option<&str>, exclude: &[String], rules: &Rules) -> Self {
        let (matcher, excluded) = (filter.map(build_matcher), build_excluder(exclude));
        let gathered = gather(&[dir.to_path_buf()], dir, rules);
        let fits =
            |path: &String| matcher.as_ref().is_none_or(|matcher| matcher(path.rsplit('/').next().unwrap_or(path))) && !excluded(path);
        let paths = gathered.candidates.into_iter().map(|candidate| candidate.shown).filter(fits).collect();
        Self { dir: dir.to_path_buf(), paths, notes: gathered.notes }
    }

    pub fn paths(&self) -> &[String] {
        &self.paths
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns the full path of each file, as requests resolve to it.
    pub fn full_paths(&self) -> HashSet<PathBuf> {
        self.paths.iter().map(|path| normalize(&self.dir.join(path))).collect()
    }

    /// Returns the listing for a model, one path per line. If there are too many, those closest to the top are shown.
    pub fn text(&self) -> String {
        let mut nearest: Vec<&String> = self.paths.iter().collect();
        nearest.sort_by_key(|path| path.matches('/').count());
        let mut bytes = 0;
        let fits = |path: &&String| {
            bytes += path.len() + 1;
            bytes <= MAX_SHOWN_BYTES
        };
        let mut shown: Vec<_> = nearest.into_iter().take(MAX_SHOWN_FILES).take_while(fits).collect();
        shown.sort_by(|a, b| tree_order(a, b));
        let mut text = String::new();
        for path in &shown {
            let _ = writeln!(text, "{}", one_line(path));
        }
        let more = self.paths.len() - shown.len();
        if more > 0 {
            let _ = writeln!(text, "({more} more, further down, are not shown)");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::settings::Settings;

    fn listing(files: &[&str], filter: Option<&str>) -> Listing {
        let dir = tempfile::tempdir().unwrap();
        for name in files {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, if *name == ".gitignore" { "ignored\n" } else { "" }).unwrap();
        }
        Listing::of(dir.path(), filter, &["*.bak".to_owned()], &Rules::settle(&Settings::defaults(), &[], &[], None).unwrap())
    }

    #[test]
    fn what_is_ignored_hidden_or_excluded_is_not_listed() {
        let files = ["b.md", "b.bak", "a/x.rs", ".gitignore", "ignored", ".env", "node_modules/y.js", "z.exe"];
        let all = listing(&files, None);
        assert_eq!(all.text(), "a/x.rs\nb.md\n");
        assert!(all.full_paths().contains(&all.dir().join("a/x.rs")));
        assert_eq!(listing(&files, Some("*.md")).text(), "b.md\n");
    }

    #[test]
    fn of_too_many_the_nearest_are_shown() {
        let paths: Vec<String> = (0..5000).map(|at| format!("deep/er/{at:04}")).chain(["top.md".into()]).collect();
        let listing = Listing { dir: "/w".into(), paths, notes: Vec::new() };
        let text = listing.text();
        assert_eq!(text.lines().count(), MAX_SHOWN_FILES + 1);
        assert!(text.contains("\ntop.md\n") && text.ends_with("(3001 more, further down, are not shown)\n"), "{text}");
    }
}
