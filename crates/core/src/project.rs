//! The search upward: which repository and which project a directory belongs to, and which directories above it count.
//!
//! Nothing else looks for `.git` or knows where a search ends. What is looked for in each of the directories is the
//! caller's business. All of this goes by name: a link above a directory is not resolved.

use std::path::Path;

/// What makes a directory a repository. In work trees and submodules it is a file.
const REPOSITORY: &str = ".git";

/// What makes a directory a project, any of them.
const MARKERS: [&str; 4] = [REPOSITORY, ".context", ".megg", "brief.toml"];

/// The files of a directory that configure a project. The first that is there counts.
pub const SETTINGS_FILES: [&str; 2] = ["brief.toml", ".context/brief.toml"];

/// Where a search upward ends. The directory that it ends at still counts.
#[derive(Debug, Clone, Copy)]
pub enum Ceiling<'a> {
    /// At the top of the file system.
    FileSystem,
    /// At a directory that is known. Where it is not above, nothing counts.
    At(&'a Path),
    /// At the repository's root; without a repository, at the directory that the search starts from.
    Repository,
    /// At the repository's root; without a repository, at the home directory; outside of that too, at the top of the file
    /// system.
    RepositoryOrHome(Option<&'a Path>),
    /// The same, but outside of a repository and of the home only the directory that the search starts from counts:
    /// strangers may be able to write to those above it.
    Trusted(Option<&'a Path>),
}

/// Returns a directory and those above it, nearest first, up to the ceiling.
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

/// Tells whether a directory is the root of a repository.
pub fn is_repository(directory: &Path) -> bool {
    directory.join(REPOSITORY).exists()
}

/// Returns the root of the repository that a directory is in.
pub fn repository(directory: &Path) -> Option<&Path> {
    directory.ancestors().find(|directory| is_repository(directory))
}

/// Returns the root of the repository that a directory is in; without a repository, the directory itself.
pub fn repository_or_self(directory: &Path) -> &Path {
    repository(directory).unwrap_or(directory)
}

/// Returns the nearest directory from here upward that has one of the markers; without any, the directory itself.
pub fn marked_or_self(directory: &Path) -> &Path {
    let is_marked = |directory: &&Path| MARKERS.iter().any(|marker| directory.join(marker).exists());
    directory.ancestors().find(is_marked).unwrap_or(directory)
}

#[cfg(test)]
mod tests {
    use briefing_testkit::Sandbox;

    use super::*;

    /// Returns the names of the directories that count from `here` upward, as far as they lie in the project.
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
        // A repository counts more than the home; the file of a work tree makes one too.
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
