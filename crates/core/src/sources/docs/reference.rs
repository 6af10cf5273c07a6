//! Resolves a reference: to a document inside the root, to something else, or to nothing.

use std::fs;
use std::path::{Path, PathBuf};

use super::markdown::{Reference, is_markdown};
use crate::project::marked_or_self;
use crate::shown::normalize;

/// The target of a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// A markdown document inside the root; canonical.
    Document(PathBuf),
    /// A URL, an anchor, an image, a source file: not relevant for an index.
    Other,
    /// A document that does not exist.
    Dead,
    /// Anything outside the root.
    Outside,
}

/// The pages that represent their directory.
const PAGES: [&str; 4] = ["README.md", "index.md", "readme.md", "index.mdx"];

/// Resolves a reference in a document in `directory`. `root` is canonical and contains `directory`.
pub(super) fn resolve(reference: &Reference, directory: &Path, root: &Path) -> Target {
    if reference.is_at {
        return resolve_at(&reference.target, directory, root);
    }
    let target = reference.target.split(['#', '?']).next().unwrap_or_default();
    if target.is_empty() || has_scheme(target) || target.starts_with("//") {
        return Target::Other;
    }
    let target = percent_decoded(target);
    let path = match target.strip_prefix('/') {
        Some(below) => root.join(below),
        None => directory.join(&target),
    };
    target_at(&path, root)
}

/// Resolves an `@` reference: `@docs/…` is relative to the project, other paths to the document. The other bases are
/// tried too.
fn resolve_at(target: &str, directory: &Path, root: &Path) -> Target {
    if target.starts_with("~/") || target.starts_with('/') {
        return Target::Outside;
    }
    let mut bases = [directory, root, marked_or_self(root)];
    if target.starts_with("docs/") {
        bases.reverse();
    }
    let found = bases.map(|base| target_at(&base.join(target), root));
    let is_document = |found: &&Target| matches!(found, Target::Document(_));
    found.iter().find(is_document).unwrap_or(&found[0]).clone()
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
    if is_markdown(&name) { Target::Dead } else { Target::Other }
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
        let link = |target: &str, is_at| resolve(&Reference { target: target.into(), line: 1, is_at, is_required: false }, &docs, &root);
        for (target, expected) in [
            ("../a.md#x", "a.md"),
            ("/a.md", "a.md"),
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
        assert_eq!(link("gone.md", false), Target::Dead);
        for outside in ["../../secret.md", "../../nothing.md"] {
            assert_eq!(link(outside, false), Target::Outside, "{outside}");
        }
        #[cfg(unix)]
        assert_eq!(link("../way-out.md", false), Target::Outside);
        assert_eq!(link("a.md", true), Target::Document(root.join("a.md")), "relative to the project");
        assert_eq!(link("guide/README.md", true), Target::Document(root.join("docs/guide/README.md")));
        assert_eq!(link("docs/guide/README.md", true), Target::Document(root.join("docs/guide/README.md")));
        assert_eq!(link("~/x.md", true), Target::Outside);
        assert_eq!(link("gone.md", true), Target::Dead);
    }
}
