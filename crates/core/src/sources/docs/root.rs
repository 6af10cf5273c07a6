//! Limits an index to the project that it is in.

use std::fs;
use std::path::{Path, PathBuf};

use super::find::IndexFile;
use crate::Failure;
use crate::packed::blocks::short_hash;
use crate::project::marked_or_self;
use crate::shown::path_text;

/// Checks that an index in `directory` may include documents of `root` (both canonical).
pub(super) fn require_inside(root: &Path, directory: &Path) -> Result<(), Failure> {
    let project = marked_or_self(directory);
    if root.starts_with(project) {
        return Ok(());
    }
    Err(Failure::new(format!("an index in `{}` cannot include documents in `{}`", path_text(directory), path_text(root)))
        .because_of(format!("its project is `{}`, and nothing outside of that is read", path_text(project)))
        .hint(format!("put the index into `{}`, or mark that directory as the project with a `brief.toml`", path_text(root))))
}

/// Returns a hash of everything outside an index file that decides where its documents are: its real directory, the
/// project around that, and the root that it names. It changes when a project is marked or a link leads elsewhere.
pub(super) fn place_of(index: &IndexFile, named_root: Option<&Path>) -> u64 {
    let parent = index.file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let directory = fs::canonicalize(parent).ok();
    let project = directory.as_deref().map(marked_or_self);
    let root = named_root.map(|root| fs::canonicalize(root).ok());
    short_hash(format!("{directory:?} {project:?} {root:?}").as_bytes())
}

/// Returns the real path of a directory that exists.
pub(super) fn real_directory(path: &Path) -> Result<PathBuf, Failure> {
    let failed = || Failure::new(format!("cannot use `{}` as a directory", path_text(path)));
    let real = fs::canonicalize(path).map_err(|error| failed().because(&error))?;
    if real.is_dir() { Ok(real) } else { Err(failed().because_of("it is a file")) }
}

/// Returns the relative path from a directory to a path, both canonical and absolute: `../docs/a.md`.
pub fn way(from: &Path, to: &Path) -> PathBuf {
    let shared = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(shared).map(|_| std::path::Component::ParentDir);
    let way: PathBuf = up.chain(to.components().skip(shared)).collect();
    if way.as_os_str().is_empty() { PathBuf::from(".") } else { way }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_go_up_and_down() {
        let check = |from: &str, to: &str| path_text(&way(Path::new(from), Path::new(to)));
        assert_eq!(check("/p/.context", "/p/docs/a.md"), "../docs/a.md");
        assert_eq!(check("/p", "/p/docs/a.md"), "docs/a.md");
        assert_eq!(check("/p/.context", "/p"), "..");
        assert_eq!(check("/p", "/p"), ".");
    }

    #[test]
    fn an_index_includes_at_most_its_project() {
        let directory = tempfile::tempdir().unwrap();
        let top = fs::canonicalize(directory.path()).unwrap();
        let docs = top.join("project/docs");
        fs::create_dir_all(&docs).unwrap();
        assert!(require_inside(&docs, &docs).is_ok());
        assert!(require_inside(&top.join("project"), &docs).is_err(), "nothing says that this is a project");
        fs::write(top.join("project/brief.toml"), "").unwrap();
        assert!(require_inside(&top.join("project"), &docs).is_ok());
        assert!(require_inside(&top, &docs).is_err());
    }
}
