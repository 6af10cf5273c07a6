//! The gate as a library: every row of the spec's tables that does not need a process, and invalid input.

mod bad_input;
mod directory;
mod forms;
mod nested;
mod spec;
mod write;

use std::path::Path;

use briefing_testkit::Sandbox;

use super::{Gate, load};
use crate::settings::{Layer, LayerKind, Places, Settings};
use crate::shown::path_text;

fn places(here: impl AsRef<Path>, sandbox: &Sandbox) -> Places {
    Places { here: here.as_ref().to_path_buf(), home: Some(sandbox.home()), config: None, state: None, cache: None }
}

fn settings(toml: &str) -> Settings {
    Settings::resolve(vec![Layer::defaults(), Layer::from_toml(LayerKind::Project, Path::new("brief.toml"), toml)]).0
}

/// Loads the gate of a sandbox's project with default settings.
fn gate_of(sandbox: &Sandbox) -> Option<Gate> {
    load(&places(sandbox.root(), sandbox), &Settings::defaults())
}

#[track_caller]
fn loaded(sandbox: &Sandbox) -> Gate {
    gate_of(sandbox).expect("the sandbox has a core file")
}

fn reasons(gate: &Gate) -> Vec<String> {
    gate.notes.iter().map(|note| note.reason.clone()).collect()
}

/// A project with all eight core files.
fn full() -> Sandbox {
    let index = "<!-- INDEX:START -->\n| Date | Decision |\n|------|--------|\n| 2026-01-02 | Use X |\n<!-- INDEX:END -->";
    Sandbox::new()
        .file(".context/CONSTITUTION.md", "# Constitution\nrule one\n")
        .file(".context/TASKS.md", "# Tasks\n- [ ] secret task words\n")
        .file(".context/CONVENTIONS.md", "# Conventions\nconvention one\n")
        .file(".context/ARCHITECTURE.md", "# Architecture\nmap one\n")
        .file(".context/DECISIONS.md", format!("# Decisions\n\n{index}\n\n## [2026-01-02-030405] Use X\n\nlong decision body\n"))
        .file(".context/LEARNINGS.md", "# Learnings\n\n## [2026-01-03-030405] Beware\n\nlong learning body\n")
        .file(".context/GLOSSARY.md", "# Glossary\nglossary words\n")
        .file(".context/AGENT_PLAYBOOK.md", "# Playbook\nplay one\n")
}
