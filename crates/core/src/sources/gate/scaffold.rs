//! Creates a first `.context/` of small templates, without overwriting anything.
//!
//! An agent receives nothing of a template but the playbook, which says how to add to these files.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use super::find::named;
use super::plan::{ARCHITECTURE, CONSTITUTION, CONVENTIONS, DECISIONS, LEARNINGS, TASKS};
use super::record::RecordKind;
use crate::Failure;
use crate::fs::FileProblem;
use crate::settings::{Places, Settings};
use crate::shown::{one_line, path_text};

/// A file in the new directory, and whether it was written or already existed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scaffolded {
    pub path: PathBuf,
    pub is_new: bool,
}

/// Writes the files of a first `.context/`, or of the directory that the settings name, below the directory of the
/// request. Existing files stay unchanged.
pub fn scaffold(places: &Places, settings: &Settings) -> Result<Vec<Scaffolded>, Failure> {
    let project = places.here.as_path();
    let (name, problem) = named(places, settings);
    if let Some(problem) = problem {
        return Err(Failure::new(problem.to_string()).hint("write a relative path without `..` to `gate.directory`"));
    }
    let context = project.join(name);
    let cannot =
        |path: &Path, error: std::io::Error| Failure::new(format!("cannot write `{}`", path_text(path))).because(&FileProblem::from(error));
    match fs::create_dir_all(&context) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::AlreadyExists && context.is_dir() => {}
        Err(error) => return Err(cannot(&context, error)),
    }
    let files = [
        (CONSTITUTION, include_str!("templates/CONSTITUTION.md").to_owned()),
        (CONVENTIONS, include_str!("templates/CONVENTIONS.md").to_owned()),
        (ARCHITECTURE, architecture(project)),
        ("AGENT_PLAYBOOK.md", include_str!("templates/AGENT_PLAYBOOK.md").to_owned()),
        (DECISIONS, RecordKind::Decision.new_file().to_owned()),
        (LEARNINGS, RecordKind::Learning.new_file().to_owned()),
        (TASKS, include_str!("templates/TASKS.md").to_owned()),
    ];
    let mut made = Vec::new();
    for (name, text) in files {
        let path = context.join(name);
        let is_new = match File::create_new(&path) {
            Ok(mut file) => {
                file.write_all(text.as_bytes()).map_err(|error| cannot(&path, error))?;
                true
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => false,
            Err(error) => return Err(cannot(&path, error)),
        };
        made.push(Scaffolded { path, is_new });
    }
    Ok(made)
}

/// Directories that are irrelevant to the architecture.
const DULL: &[&str] = &["target", "node_modules", "dist", "build", "out", "vendor", "venv", "__pycache__", "coverage"];

/// Starts the architecture file with a list of the existing directories.
fn architecture(project: &Path) -> String {
    let mut text = String::from("# Architecture\n\n<!--\nWhere things are, and why they are separate: one line each.\n-->\n\n");
    let entries = fs::read_dir(project).into_iter().flatten().filter_map(Result::ok);
    let directories = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut names: Vec<_> = directories.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.retain(|name| !name.starts_with('.') && !DULL.contains(&name.as_str()));
    names.sort();
    for name in names.iter().take(30) {
        let _ = writeln!(text, "- `{}/`: [what is in it]", one_line(name));
    }
    if names.is_empty() {
        text.push_str("- [a part, and what is in it]\n");
    }
    text
}
