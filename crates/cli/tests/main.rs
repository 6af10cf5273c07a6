//! End-to-end tests: the program as a user runs it. One file per topic.

mod config;
mod docs;
mod docs_hook;
mod doctor;
mod domains_bad_input;
mod domains_context;
mod domains_init;
mod domains_learn;
mod domains_maintain;
mod domains_state;
mod gate;
mod gate_hook;
mod gate_write;
mod gather;
// These look into /proc and type at a terminal with util-linux' `script`.
#[cfg(target_os = "linux")]
mod goal;
mod goals;
mod hook;
mod index;
mod install;
mod notify;
#[cfg(unix)]
mod opencode_plugin;
mod pack;
mod pack_hostile;
mod read;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod run_bad_input;
#[cfg(target_os = "linux")]
mod run_receivers;
#[cfg(target_os = "linux")]
mod run_trust;
mod select;
mod storm;
mod tmux;

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
