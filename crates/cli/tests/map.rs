//! The map in CONTRIBUTING.md: every path in it exists, and every crate and top-level module is in it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The crates whose modules must all be on the map; for the others, the crate is enough.
const BY_MODULE: [&str; 4] = ["core", "store", "agents", "cli"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Returns the paths in the first column of the map. After the first path of a row, a bare name is in the same directory:
/// `crates/core/src/text.rs`, `lines.rs`.
fn on_the_map() -> BTreeSet<PathBuf> {
    let text = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let map = text.split("\n## ").find(|section| section.starts_with("The map")).expect("CONTRIBUTING has a map");
    let mut paths = BTreeSet::new();
    for cell in map.lines().filter(|line| line.starts_with("| `")).map(|line| line.split('|').nth(1).unwrap()) {
        let mut names = cell.split('`').skip(1).step_by(2);
        let first = PathBuf::from(names.next().unwrap());
        let beside = first.parent().unwrap().to_owned();
        paths.extend(names.map(|name| beside.join(name)));
        paths.insert(first);
    }
    paths
}

/// Returns the paths that must be on the map.
fn in_the_repository() -> BTreeSet<PathBuf> {
    let names = |directory: &str| {
        let entries = fs::read_dir(root().join(directory)).unwrap_or_else(|error| panic!("{directory}: {error}"));
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect::<Vec<_>>()
    };
    let mut paths: BTreeSet<PathBuf> = names("crates").iter().map(|name| Path::new("crates").join(name)).collect();
    for name in BY_MODULE {
        let directory = format!("crates/{name}/src");
        let modules = names(&directory).into_iter().filter(|name| name != "lib.rs" && name != "main.rs");
        paths.extend(modules.map(|name| Path::new(&directory).join(name.trim_end_matches(".rs"))));
    }
    paths
}

#[test]
fn every_path_on_the_map_exists() {
    let gone: Vec<_> = on_the_map().into_iter().filter(|path| !root().join(path).exists()).collect();
    assert!(gone.is_empty(), "on CONTRIBUTING's map, but not in the repository: {gone:?}");
}

#[test]
fn every_crate_and_module_is_on_the_map() {
    let known: BTreeSet<PathBuf> = on_the_map().into_iter().map(|path| path.with_extension("")).collect();
    let missing: Vec<String> = in_the_repository().difference(&known).map(|path| path.display().to_string()).collect();
    assert!(missing.is_empty(), "not on CONTRIBUTING's map:\n{}", missing.join("\n"));
}

#[test]
fn the_architecture_that_agents_receive_names_every_crate() {
    let text = fs::read_to_string(root().join(".context/ARCHITECTURE.md")).unwrap();
    let crates = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let missing: Vec<_> = crates.filter(|name| !text.contains(&format!("| `crates/{name}` |"))).collect();
    assert!(missing.is_empty(), "not in .context/ARCHITECTURE.md: {missing:?}");
    for path in text.split('`').skip(1).step_by(2).filter(|word| word.starts_with("crates/") || word.starts_with("docs/")) {
        assert!(root().join(path).exists(), ".context/ARCHITECTURE.md names `{path}`, which does not exist");
    }
}

#[test]
fn every_source_path_in_the_documentation_exists() {
    let pages = ["docs", "docs/design"].iter().flat_map(|directory| fs::read_dir(root().join(directory)).unwrap());
    let pages = pages.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    let mut gone = Vec::new();
    for page in pages.chain([root().join("README.md")]) {
        let text = fs::read_to_string(&page).unwrap();
        let is_part = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
        for (at, _) in text.match_indices("crates/") {
            let path = text[at..].split(|c| !is_part(c)).next().unwrap().trim_end_matches(['.', '/']);
            if !root().join(path).exists() {
                gone.push(format!("{}: {path}", page.file_name().unwrap().display()));
            }
        }
    }
    assert!(gone.is_empty(), "named in the documentation, but not in the repository:\n{}", gone.join("\n"));
}
