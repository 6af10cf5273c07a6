//! The search upward: finds the repository and the project of a directory, and the directories above it that apply.
//!
//! Nothing else looks for `.git` or decides where a search ends. The caller decides what to look for in each
//! directory. Only names are compared: links above a directory are not resolved.

use std::path::Path;

/// Marks the root of a repository. In work trees and submodules it is a file.
const REPOSITORY: &str = ".git";

/// A directory that contains any of these is a project.
const MARKERS: [&str; 4] = [REPOSITORY, ".context", ".megg", "brief.toml"];

/// The files that configure a project. The first one that exists is used.
pub const SETTINGS_FILES: [&str; 2] = ["brief.toml", ".context/brief.toml"];

/// Where a search upward ends. The last directory is included.
#[derive(Debug, Clone, Copy)]
pub enum Ceiling<'a> {
    /// The root of the file system.
    FileSystem,
    /// A given directory. If it is not above the start, the search finds nothing.
    At(&'a Path),
    /// The repository's root; outside a repository, the directory where the search starts.
    Repository,
    /// The repository's root; outside a repository, the home directory; outside that as well, the root of the file
    /// system.
    RepositoryOrHome(Option<&'a Path>),
    /// The same, but outside a repository and the home directory, only the directory where the search starts: other
    /// users may be able to write to those above it.
    Trusted(Option<&'a Path>),
}

/// Returns a directory and its parents, nearest first, up to the ceiling.
pub fn upward<'a>(here: &'a Path, ceiling: Ceiling<'a>) -> impl Iterator<Item = &'a Path> {
    let is_below = |home: &&Path| here.starts_with(home);
    let top = match ceiling {
        Ceiling::FileSystem => None,
        Ceiling::At(top) => Some(top),
        Ceiling::Repository => Some(repository_or_self(here)),
        Ceiling::RepositoryOrHome(home) => repository(here).or(home.filter(is_below)),
        Ceiling::Trusted(home) => Some(repository(here).or(home.filter(is_below)).unwrap_or(here)),
    };
    here.ancestors().take_while(move |directory| top.is_none_or(|top| directory.starts_with(top)))
}

/// Returns whether a directory is the root of a repository.
pub fn is_repository(directory: &Path) -> bool {
    directory.join(REPOSITORY).exists()
}

/// Returns the root of the repository that contains a directory.
pub fn repository(directory: &Path) -> Option<&Path> {
    directory.ancestors().find(|directory| is_repository(directory))
}

/// Returns the root of the repository that contains a directory, or the directory itself if there is none.
pub fn repository_or_self(directory: &Path) -> &Path {
    repository(directory).unwrap_or(directory)
}

/// Returns the nearest directory from here upward that has one of the markers, or the directory itself if there is
/// none.
pub fn marked_or_self(directory: &Path) -> &Path {
    let is_marked = |directory: &&Path| MARKERS.iter().any(|marker| directory.join(marker).exists());
    directory.ancestors().find(is_marked).unwrap_or(directory)
}

#[cfg(test)]
mod tests {
    use briefing_testkit::Sandbox;

    use super::*;

    /// Returns the names of the directories found from `here` upward, as far as they are in the project.
    fn counted(sandbox: &Sandbox, here: &Path, ceiling: Ceiling<'_>) -> Vec<String> {
        let inside = upward(here, ceiling).filter(|directory| directory.starts_with(sandbox.root()));
        inside.map(|directory| directory.file_name().unwrap().to_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn a_search_ends_at_its_ceiling() {
        let sandbox = Sandbox::new().directory("a/b/c");
        let (here, a) = (sandbox.path("a/b/c"), sandbox.path("a"));
        let counted = |ceiling| counted(&sandbox, &here, ceiling);
        let elsewhere = sandbox.home();
        assert_eq!(counted(Ceiling::FileSystem), ["c", "b", "a", "project"]);
        assert_eq!(counted(Ceiling::At(&a)), ["c", "b", "a"]);
        assert_eq!(counted(Ceiling::At(&elsewhere)), [""; 0]);
        // Without a repository.
        assert_eq!(counted(Ceiling::Repository), ["c"]);
        for home in [None, Some(elsewhere.as_path())] {
            assert_eq!(counted(Ceiling::RepositoryOrHome(home)), ["c", "b", "a", "project"]);
            assert_eq!(counted(Ceiling::Trusted(home)), ["c"]);
        }
        assert_eq!(counted(Ceiling::RepositoryOrHome(Some(&a))), ["c", "b", "a"]);
        assert_eq!(counted(Ceiling::Trusted(Some(&a))), ["c", "b", "a"]);
        // A repository takes precedence over the home directory; the `.git` file of a work tree counts as well.
        sandbox.write("a/b/.git", "gitdir: elsewhere");
        for ceiling in [
            Ceiling::Repository,
            Ceiling::RepositoryOrHome(None),
            Ceiling::RepositoryOrHome(Some(&a)),
            Ceiling::RepositoryOrHome(Some(&here)),
            Ceiling::Trusted(None),
            Ceiling::Trusted(Some(&here)),
        ] {
            assert_eq!(counted(ceiling), ["c", "b"], "{ceiling:?}");
        }
    }

    #[test]
    fn repositories_and_projects_are_found_by_what_marks_them() {
        let sandbox = Sandbox::new().directory("a/b/c");
        let here = sandbox.path("a/b/c");
        assert_eq!((repository(&here), repository_or_self(&here), marked_or_self(&here)), (None, here.as_path(), here.as_path()));
        for marker in MARKERS {
            let sandbox = Sandbox::new().directory("a/b/c").file(Path::new("a/b").join(marker), "");
            assert_eq!(marked_or_self(&sandbox.path("a/b/c")), sandbox.path("a/b"), "{marker}");
        }
        let sandbox = sandbox.directory("a/.git").directory("a/b/.context");
        assert_eq!(repository(&here), Some(sandbox.path("a").as_path()));
        assert_eq!(repository_or_self(&here), sandbox.path("a"));
        assert_eq!(marked_or_self(&here), sandbox.path("a/b"));
        assert!(is_repository(&sandbox.path("a")) && !is_repository(&here));
    }
}
