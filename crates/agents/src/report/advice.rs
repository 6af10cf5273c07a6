//! What a report suggests: documents to drop, shorten, split or retag, each with the numbers that say so.

use briefing_core::shown::grouped;
use serde::Serialize;

use super::{FileRow, OwnRow};

/// In so many sessions something must have been useless before it is held against it.
const OFTEN: u64 = 3;
/// Documents from this size on, in tokens, should be shorter or several.
const LARGE: u64 = 2000;
/// In so many sessions agents must have opened a document by themselves.
const OPENED: u64 = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Advice {
    /// It never helped: inject it less, or not at all.
    Drop,
    /// It is large and rarely helps.
    Shorten,
    /// It is large and helps: sections would do.
    Split,
    /// Agents look for it by themselves: its title, description or tags lack their words.
    Retag,
    /// It does not reach the model as a whole.
    Verify,
}

impl Advice {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Drop => "drop",
            Self::Shorten => "shorten",
            Self::Split => "split",
            Self::Retag => "retag",
            Self::Verify => "verify",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Suggestion {
    pub advice: Advice,
    pub path: String,
    /// The numbers that say so, as a sentence.
    pub why: String,
    /// What to do.
    pub next: String,
    /// How many tokens are at stake in the time of the report.
    pub tokens: u64,
}

fn times(count: u64, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

/// Returns suggestions, the most expensive first.
pub(super) fn suggest(files: &[FileRow], own: &[OwnRow]) -> Vec<Suggestion> {
    let mut all: Vec<Suggestion> = files.iter().flat_map(of_file).collect();
    all.sort_by_key(|suggestion| std::cmp::Reverse(suggestion.tokens));
    all.extend(
        own.iter().filter(|own| own.sessions >= OPENED).map(|own| Suggestion {
            advice: Advice::Retag,
            path: own.path.clone(),
            why: format!("agents opened it by themselves in {}", times(own.sessions, "session")),
            next: "give it the words of those messages: title, description or tags; `brief select MESSAGE --explain` shows what is missing"
                .into(),
            tokens: 0,
        }),
    );
    all
}

fn of_file(file: &FileRow) -> Vec<Suggestion> {
    let (judged, tokens) = (file.used + file.unused, file.sum.tokens);
    let make = |advice, why: String, next: &str| Suggestion { advice, path: file.path.clone(), why, next: next.into(), tokens };
    let mut all = Vec::new();
    if file.is_document() && file.used == 0 && file.unused >= OFTEN {
        let why = format!("{} tokens in {}, used in none", grouped(tokens), times(file.unused, "session"));
        all.push(make(Advice::Drop, why, "narrow its title, description and tags, or take it out of the index"));
    } else if file.is_document() && file.largest >= LARGE && judged > 0 && file.used * 2 <= judged {
        let why = format!("up to {} tokens at once, used in {} of {}", grouped(file.largest), file.used, times(judged, "session"));
        all.push(make(Advice::Shorten, why, "move what is rarely needed to a document of its own"));
    } else if file.largest >= LARGE || file.parts > 1 {
        let parts = if file.parts > 1 { format!(", in {}", times(file.parts.into(), "part")) } else { String::new() };
        let why = format!("up to {} tokens at once{parts}", grouped(file.largest));
        all.push(make(Advice::Split, why, "give every subject a document or a section with its own heading"));
    }
    let lost = file.sum.cut + file.sum.missing;
    if lost > 0 {
        let why = format!("{} did not reach the model as a whole", times(lost, "delivery").replace("deliverys", "deliveries"));
        all.push(make(Advice::Verify, why, "`brief verify --all` says which, and why"));
    }
    all
}
