//! End-to-end tests: the program as a user runs it. One file per topic.

use std::path::{Path, PathBuf};

mod canary;
mod config;
mod docs;
mod docs_fetch;
mod docs_hook;
mod docs_index;
mod doctor;
mod doctor_agents;
mod domains_bad_input;
mod domains_context;
mod domains_init;
mod domains_learn;
mod domains_maintain;
mod domains_state;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod faults;
mod fuzz_seeds;
mod gate;
mod gate_hook;
mod gate_write;
mod gather;
// These read /proc.
#[cfg(target_os = "linux")]
mod goal;
mod goals;
mod here;
mod hook;
#[cfg(unix)]
mod hostile_paths;
mod index;
mod init;
mod inspect;
mod inspected;
mod install;
mod install_mcp;
mod install_places;
mod instructions;
mod log;
mod map;
mod mcp;
mod mcp_learn;
mod mcp_ledger;
mod mcp_robust;
mod mcp_sdk;
mod notify;
mod pack;
mod pack_hostile;
mod pack_repository;
mod plugins;
mod printing;
mod purge;
mod read;
mod redaction;
mod reference;
mod report;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod run_bad_input;
#[cfg(target_os = "linux")]
mod run_receivers;
#[cfg(target_os = "linux")]
mod run_trust;
mod select;
mod silence;
mod status;
mod storm;
mod supply_chain;
#[cfg(unix)]
mod tools;
mod transcript_window;
mod verify;
mod why;
mod window;
mod wrong_use;

/// Returns the test files in a directory of this crate.
fn test_files(directory: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(directory)).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

/// Checks that every test file is in a list of modules: otherwise it would silently never run.
#[test]
fn no_test_file_is_forgotten() {
    for (directory, list, text) in [("tests", "main", include_str!("main.rs")), ("tests/tools", "tools", include_str!("tools.rs"))] {
        for path in test_files(directory) {
            let name = path.file_stem().unwrap().to_str().unwrap();
            assert!(name == list || text.contains(&format!("mod {name};")), "{} is not listed in {list}.rs", path.display());
        }
    }
}

/// Checks that tests outside `tools` need only Rust, git and a shell, since `scripts/test --quick` runs them.
#[test]
fn only_tests_in_tools_run_programs_that_may_be_missing() {
    let programs = ["command(\"tmux\")", "command(\"script\")", "script -q", "command(\"python3\")", "command(\"node\")"];
    for path in test_files("tests").into_iter().filter(|path| !path.ends_with(file!())) {
        let text = std::fs::read_to_string(&path).unwrap();
        for program in programs {
            assert!(!text.contains(program), "{}: `{program}` belongs to tests/tools/", path.display());
        }
    }
}
