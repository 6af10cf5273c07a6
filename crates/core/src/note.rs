//! What happened to a path on its way through the pipeline.
//!
//! Every skip, cut, redaction, split or fallback leaves a [`Note`]. `--explain`, `--json`, the log and the inspector
//! all print the same notes, so nothing disappears without a word.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How much a note matters to the person who asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Expected, shown only with `--explain`.
    Info,
    /// Worth a line on stderr.
    Warning,
    /// Something that was asked for is missing from the result.
    Error,
}

/// The kind of thing that happened; the unit in which notes are counted in summaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoteKind {
    Missing,
    Permission,
    TooLarge,
    TooMany,
    Binary,
    NotUtf8,
    Locked,
    NotRegular,
    Link,
    Outside,
    Io,
    Ignored,
    Hidden,
    Excluded,
    Depth,
    Duplicate,
    OwnOutput,
    Redacted,
    NearLimit,
    Empty,
    Budget,
    NoRoom,
    Replaced,
    Config,
    Format,
    Stale,
    Fallback,
    /// A kind that this version does not know: the log was written by an earlier or a later one.
    #[serde(other)]
    Other,
}

impl NoteKind {
    /// Returns the words used in summaries: `3 binary, 2 too large`.
    pub fn words(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Permission => "without permission",
            Self::TooLarge => "too large",
            Self::TooMany => "over the directory limit",
            Self::Binary => "binary",
            Self::NotUtf8 => "not UTF-8",
            Self::Locked => "locked",
            Self::NotRegular => "not a regular file",
            Self::Link => "symbolic link",
            Self::Outside => "outside the root",
            Self::Io => "unreadable",
            Self::Ignored => "ignored",
            Self::Hidden => "hidden",
            Self::Excluded => "excluded",
            Self::Depth => "too deep",
            Self::Duplicate => "duplicate",
            Self::OwnOutput => "own output",
            Self::Redacted => "redacted",
            Self::NearLimit => "near a limit",
            Self::Empty => "empty",
            Self::Budget => "over the budget",
            Self::NoRoom => "without room in the event",
            Self::Replaced => "with replaced characters",
            Self::Config => "configuration",
            Self::Format => "malformed",
            Self::Stale => "stale",
            Self::Fallback => "fallback",
            Self::Other => "other",
        }
    }
}

/// One thing that happened to one path, with the reason in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Kept")]
pub struct Note {
    /// The path as shown to people (see [`crate::shown`]).
    pub path: String,
    pub kind: NoteKind,
    pub level: Level,
    /// A clause that completes "`path`: …".
    pub reason: String,
    /// Which layer decided: a setting with its origin, an ignore file with its pattern, a flag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
}

impl Note {
    pub fn new(path: impl Into<String>, kind: NoteKind, level: Level, reason: impl Into<String>) -> Self {
        Self { path: path.into(), kind, level, reason: reason.into(), decided_by: None }
    }

    pub fn info(path: impl Into<String>, kind: NoteKind, reason: impl Into<String>) -> Self {
        Self::new(path, kind, Level::Info, reason)
    }

    pub fn warning(path: impl Into<String>, kind: NoteKind, reason: impl Into<String>) -> Self {
        Self::new(path, kind, Level::Warning, reason)
    }

    #[must_use]
    pub fn decided_by(mut self, layer: impl Into<String>) -> Self {
        self.decided_by = Some(layer.into());
        self
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.reason)
    }
}

/// A note as a log holds it: an object, or a sentence where an early version wrote it.
#[derive(Deserialize)]
#[serde(untagged)]
enum Kept {
    Note { path: String, kind: NoteKind, level: Level, reason: String, decided_by: Option<String> },
    Sentence(String),
}

impl From<Kept> for Note {
    fn from(kept: Kept) -> Self {
        match kept {
            Kept::Note { path, kind, level, reason, decided_by } => Self { path, kind, level, reason, decided_by },
            Kept::Sentence(text) => Self::info("", NoteKind::Other, text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_survives_json() {
        let note = Note::warning("docs/a.md", NoteKind::NearLimit, "is long").decided_by("--max-tokens");
        let text = serde_json::to_string(&note).unwrap();
        assert_eq!(text, r#"{"path":"docs/a.md","kind":"near-limit","level":"warning","reason":"is long","decided_by":"--max-tokens"}"#);
        assert_eq!(serde_json::from_str::<Note>(&text).unwrap(), note);
        let plain = Note::info("", NoteKind::Empty, "nothing there");
        assert_eq!(serde_json::from_str::<Note>(&serde_json::to_string(&plain).unwrap()).unwrap(), plain);
    }

    #[test]
    fn sentences_of_early_logs_and_kinds_of_later_ones_are_read() {
        let notes: Vec<Note> =
            serde_json::from_str(r#"["a.md: was redacted", {"path":"b.md","kind":"from-the-future","level":"error","reason":"is new"}]"#)
                .unwrap();
        assert_eq!(notes[0], Note::info("", NoteKind::Other, "a.md: was redacted"));
        assert_eq!(notes[1], Note::new("b.md", NoteKind::Other, Level::Error, "is new"));
        assert_eq!(notes.iter().map(Note::to_string).collect::<Vec<_>>(), ["a.md: was redacted", "b.md: is new"]);
    }
}
