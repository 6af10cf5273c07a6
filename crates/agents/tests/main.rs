//! Tests of payloads, fitting, moments and configuration edits, one file per topic.

mod corpus;
mod embedding;
mod fitting;
mod frames;
mod moments;
mod payloads;
mod rows;
mod transcripts;

/// A test file that is not listed above would silently never run.
#[test]
fn no_test_file_is_forgotten() {
    let listed = include_str!("main.rs");
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.file_stem().unwrap().to_str().unwrap();
            assert!(name == "main" || listed.contains(&format!("mod {name};")), "tests/{name}.rs is not listed in tests/main.rs");
        }
    }
}
