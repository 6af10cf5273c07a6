//! Adds an entry to the nearest domain's knowledge. The existing text stays unchanged, byte for byte.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::chain;
use super::context::{BLOCKED_ABOVE, Mode, SUMMARY_FROM};
use super::entry::{KINDS, parse_topics};
use super::knowledge::Knowledge;
use super::load::{KNOWLEDGE, MAX_BYTES};
use super::moment;
use crate::Failure;
use crate::fs::FileProblem;
use crate::lines::{Hidden, lines};
use crate::load::open_named;
use crate::lock::Lock;
use crate::secrets;
use crate::settings::nearest;
use crate::shown::{path_text, shell_word};
use crate::sources::Change;
use crate::tokens::estimate_utf16;

/// An entry to add, as the user typed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEntry {
    pub title: String,
    /// One of [`KINDS`].
    pub kind: String,
    /// Separated by commas.
    pub topics: String,
    pub body: String,
    /// Whether the entry may contain text that looks like a secret.
    pub allows_secrets: bool,
}

/// The result of adding an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Learned {
    pub change: Change,
    /// The tokens of the file after the change.
    pub tokens: u64,
    /// Warnings for the user: the file is near a limit, or the body was changed to be safe.
    pub warnings: Vec<String>,
}

/// Adds an entry to the knowledge of the nearest domain at or above `path`, under a lock. `state` is the user's state
/// directory.
pub fn learn(path: &Path, entry: &NewEntry, now: Timestamp, state: Option<&Path>) -> Result<Learned, Failure> {
    let megg = nearest_domain(path)?;
    let _lock = Lock::of(&megg, state)?;
    let learned = plan_in(&megg, entry, now)?;
    learned.change.write()?;
    Ok(learned)
}

/// Returns what [`learn`] would change, without changing anything.
pub fn plan_learn(path: &Path, entry: &NewEntry, now: Timestamp) -> Result<Learned, Failure> {
    plan_in(&nearest_domain(path)?, entry, now)
}

/// Returns the nearest `.megg` directory, or a failure that says how to create one.
pub(super) fn nearest_domain(path: &Path) -> Result<PathBuf, Failure> {
    chain::nearest(path).ok_or_else(|| {
        Failure::new(format!("no domain at `{}` or above it", path_text(path))).hint("`brief init domain` creates one in this directory")
    })
}

fn plan_in(megg: &Path, entry: &NewEntry, now: Timestamp) -> Result<Learned, Failure> {
    let checked = Checked::new(entry)?;
    let path = megg.join(KNOWLEDGE);
    let before = read_exactly(&path)?;
    let mut addition = String::new();
    if before.as_deref().is_none_or(|text| text.trim_start_matches('\u{FEFF}').trim().is_empty()) {
        let written = moment::written(now);
        let _ = write!(addition, "---\ncreated: {written}\nupdated: {written}\ntype: knowledge\n---\n\n# Knowledge\n");
    }
    let text = before.clone().unwrap_or_default();
    if !text.is_empty() && !text.ends_with('\n') {
        addition.push('\n');
    }
    let has_blank_line = addition.is_empty() && (text.ends_with("\n\n") || text.ends_with("\n\r\n"));
    addition.push_str(if has_blank_line { "---\n\n" } else { "\n---\n\n" });
    addition.push_str(&checked.text(now));
    if text.split_inclusive('\n').next().is_some_and(|line| line.ends_with("\r\n")) {
        addition = addition.replace('\n', "\r\n");
    }
    let change = Change::new(path, before, vec![(text.len()..text.len(), addition)]);
    let after = change.after();
    is_read_back(&checked, &Knowledge::parse(&text), &Knowledge::parse(&after))?;
    let tokens = estimate_utf16(after.trim_start_matches('\u{FEFF}'));
    let mut warnings = checked.warnings;
    warnings.extend(size_warning(tokens, megg));
    Ok(Learned { change, tokens, warnings })
}

/// Reads a file that will be rewritten. A file that could not be preserved exactly is refused.
pub(super) fn read_exactly(path: &Path) -> Result<Option<String>, Failure> {
    let cannot = |problem: &FileProblem| Failure::new(format!("cannot read `{}`", path_text(path))).because(problem);
    let bytes = match open_named(path).and_then(|opened| opened.bytes(MAX_BYTES)) {
        Ok(bytes) => bytes,
        Err(FileProblem::Missing) => return Ok(None),
        Err(problem) => return Err(cannot(&problem)),
    };
    if memchr::memchr(0, &bytes).is_some() {
        return Err(cannot(&FileProblem::Binary));
    }
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        cannot(&FileProblem::NotUtf8 { offset }).hint("convert it to UTF-8 first; it was not changed")
    })
}

/// An entry that passed all checks.
struct Checked {
    title: String,
    kind: String,
    topics: Vec<String>,
    body: String,
    warnings: Vec<String>,
}

impl Checked {
    fn new(entry: &NewEntry) -> Result<Self, Failure> {
        let title = entry.title.trim().trim_start_matches(['-', '–', '—', ':', ']', ' ']).trim();
        if title.is_empty() || title.contains(char::is_control) {
            return Err(Failure::usage("the title must be one line of text").hint("put further lines into the body"));
        }
        let kind = entry.kind.trim().to_lowercase();
        if !KINDS.contains(&kind.as_str()) {
            let failure = Failure::usage(format!("unknown type `{kind}`; it must be one of {}", KINDS.join(", ")));
            return Err(match nearest(&kind, KINDS.iter().copied()) {
                Some(near) => failure.hint(format!("did you mean `{near}`?")),
                None => failure,
            });
        }
        let topics = parse_topics(&entry.topics);
        if topics.is_empty() || topics.iter().any(|topic| topic.contains(char::is_control)) {
            return Err(
                Failure::usage("an entry needs at least one topic").hint("topics are keywords to find the entry by: --topics auth,api")
            );
        }
        if !entry.allows_secrets {
            refuse_secrets(&[title, &topics.join(","), &entry.body].join("\n"))?;
        }
        let mut warnings = Vec::new();
        let body = safe_body(&entry.body, &mut warnings);
        Ok(Self { title: title.to_owned(), kind, topics, body, warnings })
    }

    fn text(&self, now: Timestamp) -> String {
        let mut text =
            format!("## {} - {}\n**Type:** {}\n**Topics:** {}\n", moment::day(now), self.title, self.kind, self.topics.join(", "));
        if !self.body.is_empty() {
            let _ = write!(text, "\n{}\n", self.body);
        }
        text
    }
}

/// Fails if `text` contains what is clearly a secret: these files are read by models and committed to repositories.
pub(in crate::sources) fn refuse_secrets(text: &str) -> Result<(), Failure> {
    let found = secrets::redact(text).secrets;
    if found.is_empty() {
        return Ok(());
    }
    let mut kinds: Vec<_> = found.iter().map(|secret| secret.kind).collect();
    kinds.dedup();
    let failure = Failure::new(format!("the text contains a secret ({})", kinds.join(", ")));
    Err(failure.hint("write where the secret is stored instead of the secret itself").hint("`--allow-secrets` saves it anyway"))
}

/// Makes a body that is always read back as one body: no line of it separates entries, and no fence or comment stays
/// open.
fn safe_body(body: &str, warnings: &mut Vec<String>) -> String {
    let body = body.replace("\r\n", "\n");
    let body = body.trim_matches('\n').trim_end();
    let mut hidden = Hidden::new(body);
    let visible: Vec<_> = lines(body, 0).filter(|line| !hidden.hides(line) && !line.is_blank()).collect();
    let mut safe = body.to_owned();
    // Start from the end, so that the positions of earlier lines stay valid.
    for (at, line) in visible.iter().enumerate().rev().filter(|(_, line)| line.is_rule()) {
        if visible.get(at + 1).is_none_or(|next| next.text.starts_with("## ") || next.is_rule()) {
            safe.insert(line.start, '-');
        }
    }
    if safe.len() != body.len() {
        warnings.push("a line `---` in the body was changed to `----`, because three dashes would end the entry".into());
    }
    if let Some(closing) = Hidden::left_open(&safe) {
        let what = if closing == "-->" { "a comment" } else { "a code fence" };
        warnings.push(format!("the body left {what} open; it was closed at the end"));
        safe = format!("{safe}\n{closing}");
    }
    safe
}

/// Fails unless the file, when read again, has the previous entries and the new one as given.
fn is_read_back(entry: &Checked, before: &Knowledge<'_>, after: &Knowledge<'_>) -> Result<(), Failure> {
    let same = |text: &str| text.replace("\r\n", "\n") == entry.body;
    let is_last = after.entries.last().is_some_and(|last| last.title == entry.title && last.topics == entry.topics && same(last.body));
    if is_last && after.entries.len() == before.entries.len() + 1 {
        return Ok(());
    }
    let failure = Failure::new("the entry would not be read back as given, so nothing was written");
    Err(if after.entries.len() > before.entries.len() + 1 {
        failure.hint("a heading with a date and a type in the body begins another entry; add the entries one at a time")
    } else {
        failure.hint("a code fence or comment in knowledge.md is not closed; close it and try again")
    })
}

fn size_warning(tokens: u64, megg: &Path) -> Option<String> {
    let place = megg.parent().map(shell_word).unwrap_or_default();
    let what = match Mode::of(tokens) {
        Mode::Blocked => format!("more than {BLOCKED_ABOVE}, so it is no longer loaded"),
        Mode::Summary if tokens >= BLOCKED_ABOVE * 4 / 5 => format!("close to {BLOCKED_ABOVE}; above that it is no longer loaded"),
        Mode::Summary => format!("{SUMMARY_FROM} or more, so only a summary is loaded"),
        Mode::Full if tokens >= SUMMARY_FROM * 4 / 5 => format!("close to {SUMMARY_FROM}; from there on only a summary is loaded"),
        Mode::Full => return None,
    };
    Some(format!("knowledge.md has {tokens} tokens, {what}; `brief maintain {place}` shows what can be archived"))
}
