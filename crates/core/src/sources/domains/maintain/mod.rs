//! Keeps domains small and correct: examines every domain below a path, and fixes what can be fixed safely.
//!
//! [`examine`] only reads. [`plan`] returns what [`apply`] would do: move old entries to `.megg/archive/YYYY.md` and
//! merge duplicates. No entry is lost, and [`undo`] reverts the last `apply`.

mod apply;
mod backup;
mod findings;
mod report;
mod scan;

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::Serialize;

use super::chain::{self, as_text};
use super::context::Mode;
use crate::note::Note;

pub use apply::{DomainPlan, apply, plan};
pub use backup::{Undone, undo};
pub use report::text as report_text;

/// The default age in days from which entries are stale.
pub const STALE_ENTRY_DAYS: i64 = 90;

/// How to find and judge domains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaintainRules {
    /// Entries older than this many days are stale.
    pub older_than_days: i64,
    /// Directories to skip, by name or glob.
    pub skip: Vec<String>,
    pub honours_gitignore: bool,
}

/// The kind of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// Too large to be loaded in full.
    Bloated,
    /// Entries that have not been updated for a long time.
    Stale,
    /// Entries with the same text.
    DuplicateEntries,
    /// Topics with many entries, which may repeat each other.
    DuplicateTopics,
    /// One topic with two spellings.
    TopicSpelling,
    NoTopics,
    /// An entry refers to a file that does not exist.
    DeadReference,
    StaleInfo,
    BadDate,
    Unreadable,
}

impl FindingKind {
    pub fn words(self) -> &'static str {
        match self {
            Self::Bloated => "bloated",
            Self::Stale => "stale entries",
            Self::DuplicateEntries => "duplicate entries",
            Self::DuplicateTopics => "duplicate topics",
            Self::TopicSpelling => "topic spelling",
            Self::NoTopics => "no topics",
            Self::DeadReference => "dead reference",
            Self::StaleInfo => "stale info.md",
            Self::BadDate => "bad date",
            Self::Unreadable => "unreadable",
        }
    }

    /// Returns whether this is only advice, which may also apply to a healthy domain.
    pub fn is_advice(self) -> bool {
        self == Self::DuplicateTopics
    }
}

/// One problem, and the command that fixes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub kind: FindingKind,
    #[serde(serialize_with = "as_text")]
    pub path: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    pub message: String,
    pub command: String,
}

/// One domain and its findings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DomainReport {
    pub domain: String,
    #[serde(serialize_with = "as_text")]
    pub path: PathBuf,
    /// How its knowledge is loaded; `None` without a knowledge file.
    pub mode: Option<Mode>,
    pub tokens: u64,
    pub entries: usize,
    pub findings: Vec<Finding>,
}

/// The findings at and below a directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    #[serde(serialize_with = "as_text")]
    pub root: PathBuf,
    pub domains: Vec<DomainReport>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
}

impl Report {
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.domains.iter().flat_map(|domain| &domain.findings)
    }

    /// Returns the number of findings that are more than advice.
    pub fn problems(&self) -> usize {
        self.findings().filter(|finding| !finding.kind.is_advice()).count()
    }
}

/// Returns where the examination of `path` starts: at its domain, or at the path itself if there is none.
pub fn maintain_root(path: &Path) -> PathBuf {
    let domain = chain::nearest(path).and_then(|megg| megg.parent().map(Path::to_path_buf));
    domain.unwrap_or_else(|| chain::asked_directory(path))
}

/// Examines every domain at and below the domain of `path`.
pub fn examine(path: &Path, rules: &MaintainRules, now: Timestamp) -> Report {
    let root = maintain_root(path);
    let mut notes = Vec::new();
    let domains = scan::domains_below(&root, rules, &mut notes);
    let domains = domains.iter().map(|megg| findings::examine_domain(megg, rules, now)).collect();
    Report { root, domains, notes }
}
