//! What matters most when not everything fits: the order in which a budget takes files.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::gather::{Found, Gathered};
use super::load::Section;
use crate::render::language;
use crate::shown::tree_order;

/// How early a budget takes a file, most important first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    Named,
    /// A README or a manifest, in a given directory or right below it.
    Overview,
    Source,
    /// Documents, configuration and scripts.
    Text,
    /// Tests, examples, other people's code and data.
    Rest,
}

impl Priority {
    pub const ALL: [Self; 5] = [Self::Named, Self::Overview, Self::Source, Self::Text, Self::Rest];

    /// Returns the words for messages.
    pub fn words(self) -> &'static str {
        match self {
            Self::Named => "named files",
            Self::Overview => "README and manifests",
            Self::Source => "sources",
            Self::Text => "other text",
            Self::Rest => "tests, examples and data",
        }
    }

    /// Returns the priority of a file at this distance from the nearest given path.
    fn of(shown: &str, found: Found, distance: usize) -> Self {
        let (directory, name) = shown.rsplit_once('/').unwrap_or(("", shown));
        match kind(name) {
            _ if found == Found::Named => Self::Named,
            _ if directory.split('/').any(is_aside) || is_test(name) => Self::Rest,
            Kind::Overview if distance <= 1 => Self::Overview,
            Kind::Source if !directory.split('/').any(is_support) => Self::Source,
            Kind::Overview | Kind::Source | Kind::Text => Self::Text,
            Kind::Data => Self::Rest,
        }
    }
}

/// The directories that were given, and those of the files that were named. What is near one of them comes first.
pub(super) struct Anchors {
    directories: BTreeSet<String>,
}

impl Anchors {
    pub(super) fn of(gathered: &Gathered) -> Self {
        let roots = gathered.roots.iter().map(|root| if root.shown == "." { "" } else { root.shown.trim_end_matches('/') });
        let named = gathered.candidates.iter().filter(|candidate| candidate.about == Found::Named);
        let named = named.map(|candidate| parent(&candidate.shown));
        let mut directories: BTreeSet<String> = roots.chain(named).map(str::to_owned).collect();
        if directories.is_empty() {
            directories.insert(String::new());
        }
        Self { directories }
    }

    /// Returns the priority of a file and its distance from the nearest of the directories.
    pub(super) fn rank(&self, section: &Section) -> (Priority, usize) {
        let directory = parent(&section.shown);
        let nearest = self.directories.iter().map(|anchor| distance(anchor, directory)).min().unwrap_or(0);
        (Priority::of(&section.shown, section.found, nearest), nearest)
    }
}

/// Compares two files by rank, and by path if they have the same one.
pub(super) fn compare(a: ((Priority, usize), &str), b: ((Priority, usize), &str)) -> Ordering {
    a.0.cmp(&b.0).then_with(|| tree_order(a.1, b.1))
}

fn parent(shown: &str) -> &str {
    shown.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// Returns the number of steps, up and down, from one directory to another.
fn distance(from: &str, to: &str) -> usize {
    let (mut from, mut to) = (names(from).peekable(), names(to).peekable());
    while from.peek().is_some() && from.peek() == to.peek() {
        from.next();
        to.next();
    }
    from.count() + to.count()
}

fn names(directory: &str) -> impl Iterator<Item = &str> {
    directory.split('/').filter(|name| !name.is_empty())
}

enum Kind {
    Overview,
    Source,
    Text,
    Data,
}

fn kind(name: &str) -> Kind {
    if is_overview(name) {
        return Kind::Overview;
    }
    match language(name) {
        "markdown" | "rst" | "latex" | "yaml" | "toml" | "ini" => Kind::Text,
        // Most JSON and XML, among it SVG, is data; the manifests among them are known by name.
        "json" | "xml" | "diff" => Kind::Data,
        "" => match name.rsplit_once('.') {
            None | Some((_, "txt" | "adoc" | "org")) => Kind::Text,
            Some(_) => Kind::Data,
        },
        _ => Kind::Source,
    }
}

/// Returns whether a file tells what its directory is: a README or the manifest of a package.
fn is_overview(name: &str) -> bool {
    const MANIFESTS: [&str; 20] = [
        "build.gradle",
        "build.gradle.kts",
        "build.sbt",
        "build.zig",
        "cargo.toml",
        "cmakelists.txt",
        "composer.json",
        "deno.json",
        "dockerfile",
        "gemfile",
        "go.mod",
        "justfile",
        "makefile",
        "mix.exs",
        "package.json",
        "package.swift",
        "pom.xml",
        "pubspec.yaml",
        "pyproject.toml",
        "setup.py",
    ];
    let name = name.to_lowercase();
    name.split('.').next() == Some("readme") || MANIFESTS.contains(&name.as_str())
}

/// Returns whether a directory holds what is beside the point: tests, examples, vendored and generated code.
fn is_aside(name: &str) -> bool {
    const ASIDE: [&str; 22] = [
        "__snapshots__",
        "__tests__",
        "bench",
        "benches",
        "benchmarks",
        "example",
        "examples",
        "fixture",
        "fixtures",
        "fuzz",
        "generated",
        "mocks",
        "playground",
        "snapshots",
        "spec",
        "specs",
        "test",
        "testdata",
        "tests",
        "third_party",
        "third-party",
        "vendor",
    ];
    ASIDE.contains(&name.to_lowercase().as_str())
}

/// Returns whether a directory holds code around the product: to build, release and document it.
fn is_support(name: &str) -> bool {
    matches!(name, "ci" | "doc" | "docs" | "script" | "scripts" | "website") || (name.starts_with('.') && name.len() > 2)
}

/// Returns whether a file is a test by its own name: `test_x.py`, `x_test.go`, `x.test.ts`, `x.spec.ts`.
fn is_test(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    let has_part = |part: &str| name.split('.').skip(1).any(|own| own == part);
    stem.starts_with("test_") || stem.ends_with("_test") || has_part("test") || has_part("spec") || has_part("min") || has_part("snap")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_ranked_by_their_names_and_places() {
        for (shown, distance, expected) in [
            ("README.md", 0, Priority::Overview),
            ("web/package.json", 1, Priority::Overview),
            ("a/b/package.json", 2, Priority::Text),
            ("readme", 0, Priority::Overview),
            ("src/main.rs", 1, Priority::Source),
            ("src/deep/er/main.go", 3, Priority::Source),
            ("docs/guide.md", 1, Priority::Text),
            ("docs/conf.py", 1, Priority::Text),
            ("scripts/release.sh", 1, Priority::Text),
            ("../lib/a.c", 1, Priority::Source),
            (".github/workflows/ci.yml", 2, Priority::Text),
            ("LICENSE", 0, Priority::Text),
            ("tests/a.rs", 1, Priority::Rest),
            ("tests/README.md", 1, Priority::Rest),
            ("src/a.test.ts", 1, Priority::Rest),
            ("pkg/a_test.go", 1, Priority::Rest),
            ("data.csv", 0, Priority::Rest),
            ("logo.svg", 0, Priority::Rest),
            ("jquery.min.js", 0, Priority::Rest),
        ] {
            assert_eq!(Priority::of(shown, Found::Walked { root: 0 }, distance), expected, "{shown}");
            assert_eq!(Priority::of(shown, Found::Named, distance), Priority::Named, "{shown}");
        }
    }

    #[test]
    fn distances_go_up_and_down() {
        assert_eq!(distance("", ""), 0);
        assert_eq!(distance("", "a/b"), 2);
        assert_eq!(distance("a/b", "a/b/c"), 1);
        assert_eq!(distance("a/b", "a/x/y"), 3);
        assert_eq!(distance("/etc", "/etc/ssl"), 1);
    }
}
