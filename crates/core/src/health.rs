//! What is wrong with a project's own knowledge, and what to do about each finding: indexes that are out of date, core files
//! that nobody has filled in, domains that are too large. Only reads.

use std::fmt;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::fs::FileProblem;
use crate::load::Root;
use crate::note::{Level, Note};
use crate::project::marked_or_self;
use crate::settings::{Places, Settings};
use crate::shown::{path_text, shell_word};
use crate::sources::domains::maintain::{MaintainRules, STALE_ENTRY_DAYS};
use crate::sources::{docs, domains, gate};

/// The largest file that is looked at.
const MAX_BYTES: u64 = 1024 * 1024;

/// Something that a user should know about a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// There are documents, but no index of them.
    NoIndex,
    /// A setting names an index that cannot be used.
    NamedIndex(Note),
    /// An index cannot be read; with its causes in one line, and the next step.
    BrokenIndex { problem: String, hint: String },
    /// Documents have changed since the index was made.
    StaleIndex { file: PathBuf, changed: u64 },
    /// Documents of an index are missing.
    Unreachable { file: PathBuf, missing: u64, of: u64 },
    /// A draft of `brief init` that nobody has confirmed.
    Draft(PathBuf),
    /// A core file with nothing but its template.
    Unfilled(PathBuf),
    /// A core file that cannot be used.
    Unusable(PathBuf, FileProblem),
    /// A core file names a path that does not exist.
    DeadPath { file: PathBuf, line: usize, path: String },
    /// Domains have problems that `brief maintain` lists.
    Domains { root: PathBuf, problems: usize },
}

impl Finding {
    /// Returns how important it is: an error keeps agents from getting something.
    pub fn level(&self) -> Level {
        match self {
            Self::NamedIndex(_) | Self::BrokenIndex { .. } | Self::Unusable(..) => Level::Error,
            Self::Unreachable { missing, of, .. } if missing == of => Level::Error,
            Self::StaleIndex { .. } | Self::Unreachable { .. } | Self::DeadPath { .. } | Self::Domains { .. } => Level::Warning,
            Self::NoIndex | Self::Draft(_) | Self::Unfilled(_) => Level::Info,
        }
    }

    /// Returns the part of the project it is about.
    pub fn about(&self) -> &'static str {
        match self {
            Self::NoIndex | Self::NamedIndex(_) | Self::BrokenIndex { .. } | Self::StaleIndex { .. } | Self::Unreachable { .. } => {
                "documents"
            }
            Self::Draft(file) if file.ends_with(domains::info_of(Path::new(""))) => "domains",
            Self::Draft(_) | Self::Unfilled(_) | Self::Unusable(..) | Self::DeadPath { .. } => "core files",
            Self::Domains { .. } => "domains",
        }
    }

    /// Returns what fixes exactly this.
    pub fn fix(&self) -> String {
        match self {
            Self::NoIndex | Self::StaleIndex { .. } => "brief index".to_owned(),
            Self::NamedIndex(note) => {
                format!("correct {}, or run `brief index`", note.decided_by.as_deref().unwrap_or("the settings"))
            }
            Self::BrokenIndex { hint, .. } => hint.clone(),
            Self::Unreachable { .. } => "`brief docs list` says why; `brief index` leaves out what is gone".to_owned(),
            Self::Draft(file) => format!("read {}, correct it, then delete the note that it is a draft", shell_word(file)),
            Self::Unfilled(file) => format!("fill in {}, or delete it", shell_word(file)),
            Self::Unusable(file, _) => format!("make {} readable as UTF-8 text below 1 MB, or delete it", shell_word(file)),
            Self::DeadPath { file, line, .. } => format!("correct line {line} of {}", shell_word(file)),
            Self::Domains { root, .. } => format!("brief maintain {}", shell_word(root)),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoIndex => f.write_str("there are documents, but no index, so no message brings one"),
            Self::NamedIndex(note) => note.fmt(f),
            Self::BrokenIndex { problem, .. } => f.write_str(problem),
            Self::StaleIndex { file, changed: 1 } => write!(f, "1 document has changed since {} was made", path_text(file)),
            Self::StaleIndex { file, changed } => write!(f, "{changed} documents have changed since {} was made", path_text(file)),
            Self::Unreachable { file, missing, of } => write!(f, "{missing} of {of} documents of {} are missing", path_text(file)),
            Self::Draft(file) => write!(f, "{} is a draft that nobody has confirmed", path_text(file)),
            Self::Unfilled(file) => write!(f, "{} is not filled in yet, so agents receive nothing of it", path_text(file)),
            Self::Unusable(file, problem) => write!(f, "{} is left out: {problem}", path_text(file)),
            Self::DeadPath { file, line, path } => write!(f, "{}:{line}: `{path}` does not exist", path_text(file)),
            Self::Domains { problems: 1, .. } => f.write_str("1 entry or file of the domains needs attention"),
            Self::Domains { problems, .. } => write!(f, "{problems} entries or files of the domains need attention"),
        }
    }
}

/// Looks at the knowledge of the project around a directory.
pub fn examine(places: &Places, settings: &Settings, now: Timestamp) -> Vec<Finding> {
    let mut found = documents(places, settings);
    found.extend(core_files(places, settings));
    found.extend(domains_of(places, settings, now));
    found
}

fn documents(places: &Places, settings: &Settings) -> Vec<Finding> {
    let indexes = docs::find(places, settings);
    let files = indexes.files();
    let mut found: Vec<Finding> = indexes.notes.into_iter().filter(|note| note.level > Level::Info).map(Finding::NamedIndex).collect();
    for index in &files {
        match docs::examine(index, places) {
            Err(failure) => found.push(Finding::BrokenIndex {
                problem: std::iter::once(failure.to_string()).chain(failure.causes().iter().cloned()).collect::<Vec<_>>().join(": "),
                hint: failure.hints().first().cloned().unwrap_or_else(|| "brief index".to_owned()),
            }),
            Ok(state) => {
                let missing = state.documents - state.readable;
                if missing > 0 {
                    found.push(Finding::Unreachable { file: state.file.clone(), missing, of: state.documents });
                }
                if state.changed > 0 {
                    found.push(Finding::StaleIndex { file: state.file, changed: state.changed });
                }
            }
        }
    }
    if indexes.project.is_empty() && found.is_empty() && has_documents(places) {
        found.push(Finding::NoIndex);
    }
    found
}

/// Returns whether `brief index` would find something.
fn has_documents(places: &Places) -> bool {
    docs::Plan::first(marked_or_self(&places.here)).and_then(|plan| plan.has_documents()).unwrap_or(false)
}

fn core_files(places: &Places, settings: &Settings) -> Vec<Finding> {
    let Some(gate) = gate::load(places, settings) else { return Vec::new() };
    let path = |name: &String| gate.directory.join(name);
    let mut found: Vec<Finding> = gate.left_out.iter().map(|(name, problem)| Finding::Unusable(path(name), problem.clone())).collect();
    let is_draft = |path: &Path| read(path).is_some_and(|text| gate::is_draft(&text));
    found.extend(gate.sections.iter().map(|section| &section.path).filter(|path| is_draft(path)).cloned().map(Finding::Draft));
    found.extend(gate.unfilled.iter().map(path).map(Finding::Unfilled));
    let dead = gate::dead_paths(&gate).into_iter();
    found.extend(dead.map(|dead| Finding::DeadPath { file: gate.directory.join(dead.file), line: dead.line, path: dead.path }));
    found
}

fn domains_of(places: &Places, settings: &Settings, now: Timestamp) -> Vec<Finding> {
    let Some(domain) = domains::nearest(&places.here) else { return Vec::new() };
    let rules = MaintainRules {
        older_than_days: STALE_ENTRY_DAYS,
        skip: settings.files.excluded_directories.value.clone(),
        honours_gitignore: settings.files.gitignore.value,
    };
    let report = domains::maintain::examine(&places.here, &rules, now);
    let mut found: Vec<Finding> = report
        .domains
        .iter()
        .filter_map(|domain| domain.path.parent().map(domains::info_of))
        .chain(domain.parent().map(domains::info_of))
        .filter(|info| read(info).is_some_and(|text| domains::is_draft(&text)))
        .map(Finding::Draft)
        .collect();
    found.dedup();
    match report.problems() {
        0 => {}
        problems => found.push(Finding::Domains { root: report.root.clone(), problems }),
    }
    found
}

/// Reads a file beneath its own directory. What cannot be read is no draft.
fn read(path: &Path) -> Option<String> {
    let root = Root::open(path.parent()?).ok()?;
    root.open_file(Path::new(path.file_name()?)).and_then(|opened| opened.text(MAX_BYTES)).ok()
}
