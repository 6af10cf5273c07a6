//! Resolves a reference: to a document inside the root, to something else, or to nothing.

use std::fs;
use std::path::{Path, PathBuf};

use ignore::gitignore::Gitignore;

use super::markdown::{Reference, is_markdown};
use crate::project::{marked_or_self, repository_or_self};
use crate::shown::{normalize, path_text};
use crate::sources::files::Patterns;

/// What references of a root's documents may lead to.
pub(super) struct Around<'a> {
    /// Canonical.
    pub(super) root: &'a Path,
    pub(super) home: Option<&'a Path>,
    /// Whether a file is in the user's own index. Others in the home directory are nobody's business.
    pub(super) is_the_users: &'a dyn Fn(&Path) -> bool,
    /// Pages that are generated, relative to the root.
    pub(super) generated: &'a Patterns,
}

impl Around<'_> {
    /// Returns whether a page that does not exist is made by a build: the settings say so, or git ignores it.
    pub(super) fn is_generated(&self, path: &Path) -> bool {
        let below = path.strip_prefix(self.root).unwrap_or(path);
        let top = repository_or_self(self.root);
        let is_ignored = |directory: &Path| {
            let (rules, _) = Gitignore::new(directory.join(".gitignore"));
            rules.matched_path_or_any_parents(path, false).is_ignore()
        };
        let directories = path.ancestors().skip(1).take_while(|directory| directory.starts_with(top));
        self.generated.matching(&path_text(below)).is_some() || directories.into_iter().any(is_ignored)
    }
}

/// The target of a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// A markdown document inside the root; canonical.
    Document(PathBuf),
    /// A document of the user's own index.
    TheUsers(PathBuf),
    /// A URL, an anchor, an image, a source file: not relevant for an index.
    Other,
    /// A document that does not exist in any of these places.
    Dead { tried: Vec<PathBuf> },
    /// Anything outside the root.
    Outside,
}

/// The pages that represent their directory.
const PAGES: [&str; 4] = ["README.md", "index.md", "readme.md", "index.mdx"];

/// Resolves a reference in a document in `directory`, which is inside the root.
pub(super) fn resolve(reference: &Reference, directory: &Path, around: &Around<'_>) -> Target {
    let root = around.root;
    if reference.is_at {
        return resolve_at(&reference.target, directory, around);
    }
    let target = reference.target.split(['#', '?']).next().unwrap_or_default();
    if target.is_empty() || has_scheme(target) || target.starts_with("//") {
        return Target::Other;
    }
    let target = percent_decoded(target);
    match target.strip_prefix('/') {
        // The root of a website is the root, or one of the directories on the way to the document: `docs`.
        Some(below) => {
            let mut bases: Vec<&Path> = directory.ancestors().take_while(|base| base.starts_with(root)).collect();
            bases.reverse();
            first_document(bases.into_iter().map(|base| base.join(below)), root)
        }
        None => target_at(&directory.join(&target), root),
    }
}

/// Returns the first place that has a document, or else what the first place has.
fn first_document(places: impl Iterator<Item = PathBuf>, root: &Path) -> Target {
    let mut found: Vec<Target> = Vec::new();
    for place in places {
        match target_at(&place, root) {
            document @ Target::Document(_) => return document,
            other => found.push(other),
        }
    }
    let tried = |target: &Target| match target {
        Target::Dead { tried } => tried.clone(),
        _ => Vec::new(),
    };
    match found.first() {
        Some(Target::Dead { .. }) => Target::Dead { tried: found.iter().flat_map(tried).collect() },
        Some(other) => other.clone(),
        None => Target::Outside,
    }
}

/// Resolves an `@` reference: `@docs/…` is relative to the project, other paths to the document. The other bases are
/// tried too.
fn resolve_at(target: &str, directory: &Path, around: &Around<'_>) -> Target {
    if let (Some(below), Some(home)) = (target.strip_prefix("~/"), around.home) {
        let path = normalize(&home.join(below));
        let places = [fs::canonicalize(&path).unwrap_or_else(|_| path.clone()), path];
        return places.into_iter().find(|place| (around.is_the_users)(place)).map_or(Target::Outside, Target::TheUsers);
    }
    if target.starts_with("~/") || target.starts_with('/') {
        return Target::Outside;
    }
    let root = around.root;
    let mut bases = [directory, root, marked_or_self(root)];
    if target.starts_with("docs/") {
        bases.reverse();
    }
    first_document(bases.into_iter().map(|base| base.join(target)), root)
}

fn target_at(path: &Path, root: &Path) -> Target {
    let path = normalize(path);
    if !path.starts_with(root) {
        return Target::Outside;
    }
    let name = path.to_string_lossy().into_owned();
    let candidates: Vec<PathBuf> = if is_markdown(&name) {
        vec![path.clone()]
    } else if path.is_dir() {
        PAGES.iter().map(|page| path.join(page)).collect()
    } else if path.is_file() {
        return Target::Other;
    } else {
        // Websites link to the generated pages, `guide` or `guide.html`, rather than to the sources.
        let page = name.strip_suffix(".html").unwrap_or(&name).trim_end_matches('/');
        vec![PathBuf::from(format!("{page}.md")), PathBuf::from(format!("{page}.mdx"))]
    };
    for candidate in &candidates {
        match fs::canonicalize(candidate) {
            Ok(real) if !real.starts_with(root) => return Target::Outside,
            Ok(real) if real.is_file() => return Target::Document(real),
            _ => {}
        }
    }
    if is_markdown(&name) { Target::Dead { tried: vec![path] } } else { Target::Other }
}

fn has_scheme(target: &str) -> bool {
    let end = target.find(':').unwrap_or(0);
    end > 1 && target[..end].bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte))
}

fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = bytes.get(at + 1..at + 3).filter(|_| bytes[at] == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        if let Some(byte) = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            decoded.push(byte);
            at += 3;
        } else {
            decoded.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8(decoded).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_lead_to_documents_inside_the_root() {
        let directory = tempfile::tempdir().unwrap();
        let top = fs::canonicalize(directory.path()).unwrap();
        let root = top.join("root");
        fs::create_dir_all(root.join("docs/guide")).unwrap();
        for file in ["a.md", "docs/b c.md", "docs/guide/README.md", "docs/x.rs", "../secret.md"] {
            fs::write(root.join(file), "x").unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink("../secret.md", root.join("way-out.md")).unwrap();
        let docs = root.join("docs");
        fs::create_dir_all(top.join("home/notes")).unwrap();
        fs::write(top.join("home/notes/mine.md"), "x").unwrap();
        fs::write(top.join("home/notes/not-listed.md"), "x").unwrap();
        let (home, mine) = (top.join("home"), top.join("home/notes/mine.md"));
        let generated = Patterns::default();
        let around = Around { root: &root, home: Some(&home), is_the_users: &|file| file == mine, generated: &generated };
        let link = |target: &str, is_at| resolve(&Reference { target: target.into(), line: 1, is_at, is_required: false }, &docs, &around);
        let is_dead = |target: &Target| matches!(target, Target::Dead { .. });
        for (target, expected) in [
            ("../a.md#x", "a.md"),
            ("/a.md", "a.md"),
            ("/guide/README.md", "docs/guide/README.md"),
            ("/guide/", "docs/guide/README.md"),
            ("b%20c.md", "docs/b c.md"),
            ("guide/", "docs/guide/README.md"),
            ("../a", "a.md"),
            ("../a.html", "a.md"),
        ] {
            assert_eq!(link(target, false), Target::Document(root.join(expected)), "{target}");
        }
        for other in ["https://x/a.md", "mailto:a@b", "#top", "x.rs", "", "//host/a.md", "picture.png"] {
            assert_eq!(link(other, false), Target::Other, "{other}");
        }
        assert_eq!(link("gone.md", false), Target::Dead { tried: vec![docs.join("gone.md")] });
        assert_eq!(link("/gone.md", false), Target::Dead { tried: vec![root.join("gone.md"), docs.join("gone.md")] });
        for outside in ["../../secret.md", "../../nothing.md"] {
            assert_eq!(link(outside, false), Target::Outside, "{outside}");
        }
        #[cfg(unix)]
        assert_eq!(link("../way-out.md", false), Target::Outside);
        assert_eq!(link("a.md", true), Target::Document(root.join("a.md")), "relative to the project");
        assert_eq!(link("guide/README.md", true), Target::Document(root.join("docs/guide/README.md")));
        assert_eq!(link("docs/guide/README.md", true), Target::Document(root.join("docs/guide/README.md")));
        assert_eq!(link("~/notes/mine.md", true), Target::TheUsers(mine.clone()));
        for other in ["~/notes/not-listed.md", "~/x.md", "/etc/x.md"] {
            assert_eq!(link(other, true), Target::Outside, "{other}");
        }
        assert!(is_dead(&link("gone.md", true)));
    }
}
