//! Archives old entries and merges duplicates. No entry is lost.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::backup::Backup;
use super::findings::{archive_path, duplicates, is_stale};
use super::{MaintainRules, Report};
use crate::Failure;
use crate::lock::Lock;
use crate::shown::path_text;
use crate::sources::Change;
use crate::sources::domains::knowledge::{BlockKind, Knowledge};
use crate::sources::domains::learn::read_exactly;
use crate::sources::domains::load::{DIRECTORY, KNOWLEDGE};
use crate::sources::domains::moment;

/// The planned changes in one domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DomainPlan {
    pub megg: PathBuf,
    /// The number of entries that move to an archive.
    pub archived: usize,
    /// The number of entries removed because another has the same text and date.
    pub merged: usize,
    /// Archives first, then the knowledge: an entry is written to its new place before it is removed from the old one.
    pub changes: Vec<Change>,
}

/// Plans what can be fixed in the domains of a report. Domains without changes have no plan.
pub fn plan(report: &Report, rules: &MaintainRules, now: Timestamp) -> Result<Vec<DomainPlan>, Failure> {
    let mut plans = Vec::new();
    for domain in &report.domains {
        plans.extend(plan_domain(&domain.path.join(DIRECTORY), rules, now)?);
    }
    Ok(plans)
}

fn plan_domain(megg: &Path, rules: &MaintainRules, now: Timestamp) -> Result<Option<DomainPlan>, Failure> {
    let path = megg.join(KNOWLEDGE);
    let Some(text) = read_exactly(&path)? else { return Ok(None) };
    let knowledge = Knowledge::parse(&text);
    let repeated: BTreeSet<usize> = duplicates(&knowledge).into_iter().collect();
    let mut by_year: BTreeMap<i16, Vec<usize>> = BTreeMap::new();
    let mut leaving = BTreeSet::new();
    for (at, entry) in knowledge.entries.iter().enumerate() {
        let is_repeated = repeated.contains(&at);
        // A duplicate with a different date goes to the archive, because its date is recorded nowhere else.
        let stays_elsewhere = is_repeated && has_twin(&knowledge, at, &repeated);
        if !is_repeated && !is_stale(entry, rules, now) {
            continue;
        }
        leaving.insert(at);
        if !stays_elsewhere {
            let year = entry.day().map_or_else(|| moment::day(now).year(), jiff::civil::Date::year);
            by_year.entry(year).or_default().push(at);
        }
    }
    if leaving.is_empty() {
        return Ok(None);
    }
    let mut changes = Vec::new();
    for (year, numbers) in &by_year {
        let texts: Vec<_> = numbers.iter().map(|at| knowledge.entries[*at].text).collect();
        changes.extend(archive(megg, *year, &texts, now)?);
    }
    let change =
        Change::new(path, Some(text.clone()), removals(&knowledge, &leaving).into_iter().map(|range| (range, String::new())).collect());
    is_safe(&knowledge, &leaving, &change)?;
    changes.push(change);
    let archived = by_year.values().map(Vec::len).sum();
    Ok(Some(DomainPlan { megg: megg.to_path_buf(), archived, merged: leaving.len() - archived, changes }))
}

/// Returns whether a later entry with the same text and date is kept or archived itself.
fn has_twin(knowledge: &Knowledge<'_>, at: usize, repeated: &BTreeSet<usize>) -> bool {
    let entry = &knowledge.entries[at];
    let is_same = |other: usize| {
        let other = &knowledge.entries[other];
        (other.date, other.title, other.kind(), &other.topics) == (entry.date, entry.title, entry.kind(), &entry.topics)
            && other.body.replace("\r\n", "\n") == entry.body.replace("\r\n", "\n")
    };
    (0..knowledge.entries.len()).filter(|other| *other != at && (*other > at || !repeated.contains(other))).any(is_same)
}

/// Returns the ranges of the entries to remove, each with the separator before it.
fn removals(knowledge: &Knowledge<'_>, leaving: &BTreeSet<usize>) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (at, block) in knowledge.blocks.iter().enumerate() {
        let BlockKind::Entry(number) = block.kind else { continue };
        if !leaving.contains(&number) {
            continue;
        }
        let separator = at.checked_sub(1).map(|before| &knowledge.blocks[before]).filter(|before| before.kind == BlockKind::Separator);
        let start = separator.map_or(block.range.start, |separator| separator.range.start);
        match ranges.last_mut() {
            Some(last) if last.end == start => last.end = block.range.end,
            _ => ranges.push(start..block.range.end),
        }
    }
    ranges
}

/// Adds entries to the archive of a year. Skips entries that an interrupted run has already added.
fn archive(megg: &Path, year: i16, texts: &[&str], now: Timestamp) -> Result<Option<Change>, Failure> {
    let path = archive_path(megg, year);
    let before = read_exactly(&path)?;
    let text = before.clone().unwrap_or_default();
    let mut addition = String::new();
    if text.trim().is_empty() {
        let written = moment::written(now);
        let _ = write!(addition, "---\ncreated: {written}\ntype: archive\n---\n\n# Archive {year}\n");
    } else if !text.ends_with('\n') {
        addition.push('\n');
    }
    let header = addition.len();
    let held: BTreeSet<_> = Knowledge::parse(&text).entries.iter().map(|entry| entry.text).collect();
    for entry in texts.iter().filter(|entry| !held.contains(**entry)) {
        let _ = write!(addition, "\n---\n\n{entry}\n");
    }
    if addition.len() == header {
        return Ok(None);
    }
    Ok(Some(Change::new(path, before, vec![(text.len()..text.len(), addition)])))
}

/// Fails unless exactly the given entries are removed and the others are unchanged.
fn is_safe(knowledge: &Knowledge<'_>, leaving: &BTreeSet<usize>, change: &Change) -> Result<(), Failure> {
    let after = change.after();
    let kept = knowledge.entries.iter().enumerate().filter(|(at, _)| !leaving.contains(at)).map(|(_, entry)| entry.text);
    if Knowledge::parse(&after).entries.iter().map(|entry| entry.text).eq(kept) {
        return Ok(());
    }
    let failure = Failure::new(format!("`{}` cannot be changed safely, so nothing was changed", path_text(&change.path)));
    Err(failure.hint("a code fence or comment is not closed, or entries are not separated by `---`; fix the file by hand first"))
}

/// Carries out the plans that were shown, with a backup in the user's state directory.
///
/// Plans each domain again under its lock: if a file has changed since it was shown, nothing is done.
pub fn apply(shown: &[DomainPlan], root: &Path, rules: &MaintainRules, now: Timestamp, state: Option<&Path>) -> Result<(), Failure> {
    let state = state.ok_or_else(|| Failure::new("there is no directory for a backup").hint("set HOME or XDG_STATE_HOME"))?;
    let mut locks = Vec::new();
    for plan in shown {
        locks.push(Lock::of(&plan.megg, Some(state))?);
        if plan_domain(&plan.megg, rules, now)?.as_ref() != Some(plan) {
            let failure = Failure::new(format!("`{}` has changed since the plan was shown, so nothing was done", path_text(&plan.megg)));
            return Err(failure.hint("run `brief maintain --apply` again"));
        }
    }
    let changes: Vec<_> = shown.iter().flat_map(|plan| &plan.changes).collect();
    Backup::write(state, root, &changes, now)?;
    for change in changes {
        if let Some(directory) = change.path.parent() {
            std::fs::create_dir_all(directory)
                .map_err(|error| Failure::new(format!("cannot create `{}`", path_text(directory))).because(&error))?;
        }
        change.write()?;
    }
    Ok(())
}
