//! What there is one place for stays there: opening content, and the search upward.

use std::fs;
use std::path::{Path, PathBuf};

/// What opens a file without the loader.
const OTHER_WAYS: [&str; 6] = ["File::open", "fs::read(", "read_to_string", "OpenOptions", "open_own", "read_own"];

/// Files of a source that open something else than content, and what that is.
const EXCEPTIONS: [(&str, &str); 10] = [
    ("docs/cache.rs", "what was prepared for search"),
    ("docs/find.rs", "settings files"),
    ("docs/make.rs", "the index that is about to be replaced"),
    ("docs/prepare.rs", "a lock in the cache"),
    ("domains/init.rs", "a file that is made"),
    ("domains/maintain/backup.rs", "copies in the state directory"),
    ("gate/find.rs", "settings files"),
    ("instructions/bring.rs", "settings files"),
    ("instructions/scoped.rs", "a list in the cache"),
    ("files/gather.rs", "whether an ignore file can be opened at all, where no system call tells"),
];

fn sources_below(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && name != "tests" {
            sources_below(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !name.starts_with("tests") {
            found.push(path);
        }
    }
}

#[test]
fn sources_and_goals_open_content_through_the_loader_only() {
    let core = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = vec![core.join("../goals/src/goal.rs")];
    sources_below(&core.join("src/sources"), &mut files);
    assert!(files.len() > 50, "the sources have moved: {files:?}");
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let ways: Vec<_> = OTHER_WAYS.iter().filter(|way| text.contains(**way)).collect();
        let is_exception = EXCEPTIONS.iter().any(|(path, _)| file.ends_with(path));
        assert_eq!(!ways.is_empty(), is_exception, "{}: {ways:?}; content is opened by `briefing_core::load`", file.display());
    }
}

#[test]
fn only_one_file_looks_for_a_repository() {
    let mut files = Vec::new();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for name in ["agents", "cli", "core", "goals", "llm", "notify", "store", "tokens"] {
        sources_below(&crates.join(name).join("src"), &mut files);
    }
    let looks =
        |file: &&PathBuf| fs::read_to_string(file).unwrap().split("#[cfg(test)]\nmod tests {").next().unwrap().contains("join(\".git\")");
    let looking: Vec<_> = files.iter().filter(looks).collect();
    assert!(looking.is_empty(), "`briefing_core::project` knows the way: {looking:?}");
}
