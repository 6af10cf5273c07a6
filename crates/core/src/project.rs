//! The search upward: finds the repository and the project of a directory, and the directories above it that apply.
//!
//! Nothing else looks for `.git` or decides where a search ends. The caller decides what to look for in each
//! directory. Only names are compared: links above a directory are not resolved.

use std::path::{Path, PathBuf};

use crate::fs::read_own_text;

/// Marks the root of a repository. In work trees and submodules it is a file.
const REPOSITORY: &str = ".git";

/// A directory that contains any of these is a project.
const MARKERS: [&str; 4] = [REPOSITORY, CONTEXT, ".megg", SETTINGS_FILES[0]];

/// The directory of a project's core files.
const CONTEXT: &str = ".context";

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

/// A work tree of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkTree {
    pub root: PathBuf,
    /// Git's own directory, which all work trees of the repository share.
    pub repository: PathBuf,
}

/// The longest of the files in which git links a work tree and its repository.
const MAX_LINK_BYTES: u64 = 16 * 1024;

/// Returns the work tree that contains a path. A directory that claims to be one, by a link or a file, but that its repository
/// does not know, is none, and neither is a submodule.
pub fn work_tree(path: &Path) -> Option<WorkTree> {
    let root = repository(path)?;
    let link = root.join(REPOSITORY);
    if std::fs::symlink_metadata(&link).ok()?.is_dir() {
        return Some(WorkTree { root: root.to_path_buf(), repository: link.canonicalize().ok()? });
    }
    let read = |path: &Path| read_own_text(path, MAX_LINK_BYTES).ok().map(|text| PathBuf::from(text.trim_end_matches(['\r', '\n'])));
    let text = read(&link)?;
    let own = root.join(text.to_str()?.strip_prefix("gitdir: ")?);
    let back = own.join(read(&own.join("gitdir"))?);
    let is_known = back.canonicalize().ok()? == link.canonicalize().ok()?;
    let repository = own.join(read(&own.join("commondir"))?).canonicalize().ok()?;
    is_known.then(|| WorkTree { root: root.to_path_buf(), repository })
}

/// Returns whether a directory belongs to the user alone: nobody else could have created it or can write to it.
pub(crate) fn is_users_own(directory: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let user = rustix::process::geteuid().as_raw();
        let Ok(link) = std::fs::symlink_metadata(directory) else { return false };
        let Ok(found) = std::fs::metadata(directory) else { return false };
        found.is_dir() && link.uid() == user && found.uid() == user && found.mode() & 0o002 == 0
    }
    #[cfg(not(unix))]
    {
        let _ = directory;
        false
    }
}

/// Returns the nearest directory from here upward that has one of the markers, or the directory itself if there is
/// none.
pub fn marked_or_self(directory: &Path) -> &Path {
    // The settings in `.context/brief.toml` are those of the project around it.
    let is_own = |directory: &Path, marker: &str| marker != SETTINGS_FILES[0] || !directory.ends_with(CONTEXT);
    let is_marked = |directory: &&Path| MARKERS.iter().any(|marker| is_own(directory, marker) && directory.join(marker).exists());
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
    fn a_work_tree_is_known_to_its_repository() {
        let sandbox = Sandbox::new().directory("main/.git/worktrees/t").directory("tree/sub").directory("forged");
        let (main, tree) = (sandbox.path("main"), sandbox.path("tree"));
        sandbox.write("main/.git/worktrees/t/gitdir", format!("{}\n", tree.join(".git").display()));
        sandbox.write("main/.git/worktrees/t/commondir", "../..\n");
        for name in ["tree/.git", "forged/.git"] {
            sandbox.write(name, format!("gitdir: {}\n", main.join(".git/worktrees/t").display()));
        }
        let repository = main.join(".git");
        assert_eq!(work_tree(&main), Some(WorkTree { root: main.clone(), repository: repository.clone() }));
        assert_eq!(work_tree(&tree.join("sub")), Some(WorkTree { root: tree, repository }));
        assert_eq!(work_tree(&sandbox.path("forged")), None);
        assert_eq!(work_tree(&sandbox.home()), None);
        #[cfg(unix)]
        assert_eq!(work_tree(&sandbox.clone().directory("linked").link("linked/.git", "../main/.git").path("linked")), None);
        // A submodule.
        let sandbox = sandbox.directory("main/.git/modules/m").file("main/m/.git", "gitdir: ../.git/modules/m\n");
        assert_eq!(work_tree(&sandbox.path("main/m")), None);
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
        sandbox.write("a/b/.context/brief.toml", "");
        assert_eq!(marked_or_self(&sandbox.path("a/b/.context")), sandbox.path("a/b"), "these are the settings of the project");
    }
}
