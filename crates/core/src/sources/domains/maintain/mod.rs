//! Keeping domains small and true: what a look at every domain below a path finds, and what can be mended safely.
//!
//! [`examine`] only looks. [`plan`] says what [`apply`] would do: old entries move to `.megg/archive/YYYY.md`, repeated
//! ones become one. Every entry stays somewhere, and [`undo`] takes the last application back.

mod apply;
mod backup;
mod findings;
mod references;
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

/// Entries older than this are called stale unless somebody says otherwise.
pub const STALE_ENTRY_DAYS: i64 = 90;

/// How domains are looked for and judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaintainRules {
    /// Entries older than this many days are stale.
    pub older_than_days: i64,
    /// Directories that are not entered, by name or glob.
    pub skip: Vec<String>,
    pub honours_gitignore: bool,
}

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// Too large to be loaded whole.
    Bloated,
    /// Entries nobody touched for long.
    Stale,
    /// Entries that say the same.
    DuplicateEntries,
    /// Topics with many entries, which may say the same.
    DuplicateTopics,
    /// One topic spelled in two ways.
    TopicSpelling,
    NoTopics,
    /// An entry names a file that does not exist.
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

    /// Returns whether this is only something to think about: a healthy domain may have it.
    pub fn is_advice(self) -> bool {
        self == Self::DuplicateTopics
    }
}

/// One thing that is wrong, and the command that mends it.
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

/// One domain and what was found there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DomainReport {
    pub domain: String,
    #[serde(serialize_with = "as_text")]
    pub path: PathBuf,
    /// How its knowledge is loaded; nothing without a knowledge file.
    pub mode: Option<Mode>,
    pub tokens: u64,
    pub entries: usize,
    pub findings: Vec<Finding>,
}

/// What was found at and below a directory.
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

/// Returns where a look around `path` begins: at the domain it lies in, else at the path itself.
pub fn maintain_root(path: &Path) -> PathBuf {
    let domain = chain::nearest(path).and_then(|megg| megg.parent().map(Path::to_path_buf));
    domain.unwrap_or_else(|| chain::asked_directory(path))
}

/// Looks at every domain at and below the domain that `path` lies in.
pub fn examine(path: &Path, rules: &MaintainRules, now: Timestamp) -> Report {
    let root = maintain_root(path);
    let mut notes = Vec::new();
    let domains = scan::domains_below(&root, rules, &mut notes);
    let domains = domains.iter().map(|megg| findings::examine_domain(megg, rules, now)).collect();
    Report { root, domains, notes }
}
