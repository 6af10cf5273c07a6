//! Finds problems in one domain.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::{DomainReport, Finding, FindingKind, MaintainRules};
use crate::note::Level;
use crate::shown::{one_line, path_text, shell_word};
use crate::sources::domains::chain::STALE_INFO_DAYS;
use crate::sources::domains::context::{BLOCKED_ABOVE, Mode, SUMMARY_FROM};
use crate::sources::domains::entry::Entry;
use crate::sources::domains::front_matter::FrontMatter;
use crate::sources::domains::knowledge::Knowledge;
use crate::sources::domains::load::{self, INFO, KNOWLEDGE, Reading, STATE};
use crate::sources::domains::moment;
use crate::sources::domains::summary::{count, cut};
use crate::sources::references::{References, exists};
use crate::tokens::estimate_utf16;

/// Topics with at least this many entries may be repetitive.
const CROWDED: usize = 3;
/// The number of titles and topics named in one finding.
const NAMED: usize = 3;

/// What is examined here is not shown.
const READING: Reading<'_> = Reading { redacts: false, links: None };

pub(super) fn examine_domain(megg: &Path, rules: &MaintainRules, now: Timestamp) -> DomainReport {
    let directory = megg.parent().unwrap_or(megg);
    let domain = directory.file_name().map_or_else(|| path_text(directory), |name| path_text(Path::new(name)));
    let mut inspection = Inspection { megg, place: shell_word(directory), findings: Vec::new() };
    inspection.info(now);
    inspection.state();
    let path = megg.join(KNOWLEDGE);
    let (mut mode, mut tokens, mut entries) = (None, 0, 0);
    if let Some(text) = inspection.read(&path) {
        let knowledge = Knowledge::parse(&text);
        (tokens, entries) = (estimate_utf16(&text), knowledge.entries.len());
        mode = Some(Mode::of(tokens));
        inspection.knowledge(&path, &knowledge, tokens, rules, now);
    }
    inspection.findings.sort_by_key(|finding| (finding.kind, finding.line));
    DomainReport { domain, path: directory.to_path_buf(), mode, tokens, entries, findings: inspection.findings }
}

struct Inspection<'a> {
    megg: &'a Path,
    /// The domain's directory, quoted for a command line.
    place: String,
    findings: Vec<Finding>,
}

impl Inspection<'_> {
    fn add(&mut self, kind: FindingKind, path: &Path, line: Option<usize>, message: String, command: Option<String>) {
        let command = command.unwrap_or_else(|| edit(path, line));
        self.findings.push(Finding { kind, path: path.to_path_buf(), line, message, command });
    }

    /// Reads a file; a file that cannot be read is a finding.
    fn read(&mut self, path: &Path) -> Option<String> {
        let mut notes = Vec::new();
        let text = load::read(path, READING, &mut notes);
        for note in notes.into_iter().filter(|note| note.level >= Level::Warning) {
            self.add(FindingKind::Unreadable, path, None, note.reason, Some(format!("ls -l {}", shell_word(path))));
        }
        text
    }

    fn info(&mut self, now: Timestamp) {
        let path = self.megg.join(INFO);
        let Some(text) = self.read(&path) else { return };
        let Some(updated) = FrontMatter::find(&text).and_then(|front| front.value("updated")) else { return };
        match moment::parse(updated) {
            None => self.bad_date(&path, &text, updated),
            Some(moment) => {
                if now.duration_since(moment).as_hours() >= STALE_INFO_DAYS * 24 {
                    let message = format!("info.md was last updated on {}; check it and set `updated`", moment::day(moment));
                    self.add(FindingKind::StaleInfo, &path, None, message, None);
                }
            }
        }
    }

    fn state(&mut self) {
        let path = self.megg.join(STATE);
        let Some(text) = self.read(&path) else { return };
        if let Some(updated) =
            FrontMatter::find(&text).and_then(|front| front.value("updated")).filter(|updated| moment::parse(updated).is_none())
        {
            self.bad_date(&path, &text, updated);
        }
    }

    fn bad_date(&mut self, path: &Path, text: &str, date: &str) {
        let line = text.lines().position(|line| line.starts_with("updated")).map(|at| at + 1);
        self.add(FindingKind::BadDate, path, line, format!("the date `{}` is not valid", one_line(date)), None);
    }

    fn knowledge(&mut self, path: &Path, knowledge: &Knowledge<'_>, tokens: u64, rules: &MaintainRules, now: Timestamp) {
        let apply = format!("brief maintain {} --apply", self.place);
        let stale: Vec<_> = knowledge.entries.iter().filter(|entry| is_stale(entry, rules, now)).collect();
        if tokens >= SUMMARY_FROM {
            let how = if tokens > BLOCKED_ABOVE { "not loaded at all" } else { "only summarised" };
            let message = format!("knowledge.md has {tokens} tokens, so it is {how}; below {SUMMARY_FROM}, it is loaded in full");
            let command = if stale.is_empty() { format!("brief maintain {} --older-than 30 --apply", self.place) } else { apply.clone() };
            self.add(FindingKind::Bloated, path, None, message, Some(command));
        }
        if !stale.is_empty() {
            let (words, days) = (count(stale.len(), "entry is", "entries are"), rules.older_than_days);
            self.add(
                FindingKind::Stale,
                path,
                None,
                format!("{words} older than {days} days; archive those that no longer apply: {}", titles(&stale)),
                Some(apply.clone()),
            );
        }
        let repeated: Vec<_> = duplicates(knowledge).into_iter().map(|at| &knowledge.entries[at]).collect();
        if !repeated.is_empty() {
            let words = count(repeated.len(), "entry repeats", "entries repeat");
            self.add(
                FindingKind::DuplicateEntries,
                path,
                None,
                format!("{words} another word for word: {}", titles(&repeated)),
                Some(apply),
            );
        }
        self.topics(path, knowledge, tokens);
        self.entries(path, knowledge);
    }

    fn topics(&mut self, path: &Path, knowledge: &Knowledge<'_>, tokens: u64) {
        let topics = knowledge.topics();
        let mut crowded: Vec<_> = topics.iter().filter(|(_, count)| **count >= CROWDED).collect();
        crowded.sort_by_key(|(topic, count)| (std::cmp::Reverse(**count), **topic));
        if crowded.iter().map(|(_, count)| **count).sum::<usize>() > 5 && tokens < SUMMARY_FROM {
            let list: Vec<_> = crowded.iter().take(NAMED).map(|(topic, count)| format!("{} ({count})", one_line(topic))).collect();
            let command = format!("brief context {} --topic {}", self.place, shell_word(Path::new(crowded[0].0)));
            let message = format!("several entries share a topic and may repeat each other: {}", list.join(", "));
            self.add(FindingKind::DuplicateTopics, path, None, message, Some(command));
        }
        let mut spellings: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for topic in topics.keys() {
            let plain: String = topic.chars().filter(|c| c.is_alphanumeric()).collect();
            spellings.entry(plain.strip_suffix('s').unwrap_or(&plain).to_owned()).or_default().push(topic);
        }
        for same in spellings.into_values().filter(|same| same.len() > 1) {
            let rare = same.iter().min_by_key(|topic| topics[**topic]).copied().unwrap_or_default();
            let line = knowledge.entries.iter().find(|entry| entry.topics.iter().any(|topic| topic == rare));
            let line = line.map(|entry| line_of(knowledge.text, entry.range.start));
            let list: Vec<_> = same.iter().map(|topic| format!("`{}`", one_line(topic))).collect();
            self.add(
                FindingKind::TopicSpelling,
                path,
                line,
                format!("{} look like the same topic; choose one spelling", list.join(" and ")),
                None,
            );
        }
    }

    fn entries(&mut self, path: &Path, knowledge: &Knowledge<'_>) {
        for entry in &knowledge.entries {
            let line = Some(line_of(knowledge.text, entry.range.start));
            let title = cut(&one_line(entry.title), 60);
            if entry.topics.is_empty() {
                self.add(FindingKind::NoTopics, path, line, format!("\"{title}\" has no topics, so `--topic` cannot find it"), None);
            }
            if let Some(date) = entry.date.filter(|_| entry.day().is_none()) {
                self.add(FindingKind::BadDate, path, line, format!("\"{title}\" has the date {date}, which does not exist"), None);
            }
            let mut told: Vec<&str> = Vec::new();
            for (at, reference) in References::Files.find(entry.text) {
                if !told.contains(&reference) && !exists(reference, self.megg) {
                    told.push(reference);
                    let line = Some(line_of(knowledge.text, entry.range.start + at));
                    let message = format!("\"{title}\" refers to `{reference}`, which does not exist");
                    self.add(FindingKind::DeadReference, path, line, message, None);
                }
            }
        }
    }
}

/// Returns whether an entry is older than the rules allow.
pub(super) fn is_stale(entry: &Entry<'_>, rules: &MaintainRules, now: Timestamp) -> bool {
    entry.day().is_some_and(|day| moment::days_since(day, now) > rules.older_than_days)
}

/// Returns the numbers of the entries that equal another except for the date. The newest of equal entries is not
/// included.
pub(super) fn duplicates(knowledge: &Knowledge<'_>) -> Vec<usize> {
    let mut same: BTreeMap<(&str, &str, &[String], String), Vec<usize>> = BTreeMap::new();
    for (at, entry) in knowledge.entries.iter().enumerate() {
        let key = (entry.title, entry.kind(), entry.topics.as_slice(), entry.body.replace("\r\n", "\n"));
        same.entry(key).or_default().push(at);
    }
    let mut repeated = Vec::new();
    for numbers in same.into_values() {
        let newest = numbers.iter().copied().max_by_key(|at| (knowledge.entries[*at].day(), *at));
        repeated.extend(numbers.into_iter().filter(|at| Some(*at) != newest));
    }
    repeated.sort_unstable();
    repeated
}

fn titles(entries: &[&Entry<'_>]) -> String {
    let named: Vec<_> = entries.iter().take(NAMED).map(|entry| format!("\"{}\"", cut(&one_line(entry.title), 50))).collect();
    let more = if entries.len() > NAMED { format!(" and {} more", entries.len() - NAMED) } else { String::new() };
    format!("{}{more}", named.join(", "))
}

fn line_of(text: &str, offset: usize) -> usize {
    memchr::memchr_iter(b'\n', &text.as_bytes()[..offset]).count() + 1
}

fn edit(path: &Path, line: Option<usize>) -> String {
    let line = line.map(|line| format!("+{line} ")).unwrap_or_default();
    format!("${{EDITOR:-vi}} {line}{}", shell_word(path))
}

/// Returns the path of the archive of a year.
pub(super) fn archive_path(megg: &Path, year: i16) -> PathBuf {
    megg.join("archive").join(format!("{year:04}.md"))
}
