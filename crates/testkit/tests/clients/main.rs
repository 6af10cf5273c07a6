//! Runs the real clients offline and checks what reaches the model, and when.
//!
//! The tests need `scripts/install-clients`. If a client is missing, its tests fail; they are never skipped.

#![cfg(unix)]

mod claude;
mod codex;
mod copilot;
mod gemini;
mod model_api;
mod opencode;
mod qwen;

#[test]
fn no_file_is_forgotten() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients");
    for entry in std::fs::read_dir(directory).expect("this directory") {
        let name = entry.expect("an entry").file_name().into_string().expect("a plain name");
        let module = name.trim_end_matches(".rs");
        assert!(module == "main" || include_str!("main.rs").contains(&format!("mod {module};")), "`{name}` is not compiled");
    }
}
