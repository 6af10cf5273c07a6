//! Notes: what happened to a path on its way through the pipeline.
//!
//! Every skip, cut, redaction, split or fallback leaves a [`Note`]. `--explain`, `--json`, the log and the inspector
//! all print the same notes, so nothing is dropped silently.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How important a note is to the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Expected; shown only with `--explain`.
    Info,
    /// Shown on stderr.
    Warning,
    /// Something that was requested is missing from the result.
    Error,
}

/// What happened. Summaries count notes by kind.
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
    LockFile,
    Excluded,
    Depth,
    Duplicate,
    /// The agent loads it by itself.
    Loaded,
    OwnOutput,
    Redacted,
    NearLimit,
    Empty,
    Budget,
    NoRoom,
    /// Its score was too far below the best one.
    Score,
    /// Better ones had reached the limit.
    Limit,
    Replaced,
    Config,
    Format,
    Stale,
    Fallback,
    /// A kind that this version does not know, because another version wrote the log.
    #[serde(other)]
    Other,
}

impl NoteKind {
    /// Returns a number of files of this kind in words: `3 binary`, `1 lock file`.
    pub fn counted(self, count: usize) -> String {
        let words = match (self, count) {
            (Self::LockFile, 1) => "lock file",
            (Self::Link, 2..) => "symbolic links",
            (Self::Duplicate, 2..) => "duplicates",
            _ => self.words(),
        };
        format!("{count} {words}")
    }

    /// Returns whether a file that was left out for this reason may be readable a moment later, although it has not changed.
    pub fn may_pass(self) -> bool {
        matches!(self, Self::Io | Self::Locked | Self::Permission)
    }

    /// Returns the words used in summaries: `3 binary, 2 too large`.
    pub fn words(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Permission => "permission denied",
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
            Self::LockFile => "lock files",
            Self::Excluded => "excluded",
            Self::Depth => "too deep",
            Self::Duplicate => "duplicate",
            Self::Loaded => "loaded by the agent",
            Self::OwnOutput => "own output",
            Self::Redacted => "redacted",
            Self::NearLimit => "near a limit",
            Self::Empty => "empty",
            Self::Budget => "over the budget",
            Self::NoRoom => "not enough room",
            Self::Score => "below the score",
            Self::Limit => "over the limit",
            Self::Replaced => "with replaced characters",
            Self::Config => "configuration",
            Self::Format => "malformed",
            Self::Stale => "stale",
            Self::Fallback => "fallback",
            Self::Other => "other",
        }
    }
}

/// One thing that happened to one path, with a reason for people to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Kept")]
pub struct Note {
    /// The path as shown to users (see [`crate::shown`]).
    pub path: String,
    pub kind: NoteKind,
    pub level: Level,
    /// A clause that completes "`path`: …".
    pub reason: String,
    /// What decided this: a setting with its origin, an ignore file with its pattern, or a flag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
    /// The numbers that decided it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub numbers: Option<Numbers>,
}

/// What something had and what it needed, in the unit of the note's kind: tokens, documents, or thousandths of a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Numbers {
    pub had: u64,
    pub needed: u64,
}

impl Numbers {
    /// Returns the numbers of two scores.
    #[expect(clippy::cast_sign_loss, reason = "negative scores count as zero")]
    pub fn of_scores(had: f32, needed: f32) -> Self {
        let thousandths = |score: f32| (score.max(0.0) * 1000.0).round() as u64;
        Self { had: thousandths(had), needed: thousandths(needed) }
    }
}

impl Note {
    pub fn new(path: impl Into<String>, kind: NoteKind, level: Level, reason: impl Into<String>) -> Self {
        Self { path: path.into(), kind, level, reason: reason.into(), decided_by: None, numbers: None }
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

    #[must_use]
    pub fn measured(self, numbers: Numbers) -> Self {
        Self { numbers: Some(numbers), ..self }
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

/// Notes of which many may be alike. Each kind is counted, and only the first few are kept.
#[derive(Debug, Clone, Default)]
pub struct Tally(Vec<Alike>);

#[derive(Debug, Clone)]
struct Alike {
    count: usize,
    first: Vec<Note>,
}

impl Tally {
    /// This many notes of one kind are listed one by one; more become one note.
    const LISTED: usize = 3;

    pub fn push(&mut self, note: Note) {
        let is_alike = |alike: &&mut Alike| alike.first[0].kind == note.kind && alike.first[0].level == note.level;
        match self.0.iter_mut().find(is_alike) {
            Some(alike) => {
                alike.count += 1;
                if alike.first.len() < Self::LISTED {
                    alike.first.push(note);
                }
            }
            None => self.0.push(Alike { count: 1, first: vec![note] }),
        }
    }

    /// Returns the notes. Many of one kind become one about `path`, with their total: `30 entries: does not exist …`.
    pub fn finish(self, path: &str, what: &str) -> Vec<Note> {
        let mut notes = Vec::new();
        for Alike { count, first } in self.0 {
            if count <= Self::LISTED {
                notes.extend(first);
                continue;
            }
            let named: Vec<String> = first.iter().map(|note| format!("`{}`", note.path)).collect();
            let reason = format!("{count} {what}: {}, such as {}", first[0].reason, named.join(", "));
            notes.push(Note { path: path.to_owned(), reason, ..first[0].clone() });
        }
        notes
    }
}

/// A note in a log: an object, or a plain sentence in logs of early versions.
#[derive(Deserialize)]
#[serde(untagged)]
enum Kept {
    Note { path: String, kind: NoteKind, level: Level, reason: String, decided_by: Option<String>, numbers: Option<Numbers> },
    Sentence(String),
}

impl From<Kept> for Note {
    fn from(kept: Kept) -> Self {
        match kept {
            Kept::Note { path, kind, level, reason, decided_by, numbers } => Self { path, kind, level, reason, decided_by, numbers },
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
        let scored = Note::info("b.md", NoteKind::Score, "is far behind").measured(Numbers::of_scores(0.25, 0.5));
        assert_eq!(serde_json::from_str::<Note>(&serde_json::to_string(&scored).unwrap()).unwrap(), scored);
        let plain = Note::info("", NoteKind::Empty, "nothing there");
        assert_eq!(serde_json::from_str::<Note>(&serde_json::to_string(&plain).unwrap()).unwrap(), plain);
    }

    #[test]
    fn many_notes_of_one_kind_become_one_with_a_total() {
        let mut tally = Tally::default();
        for number in 0..1000 {
            tally.push(Note::warning(format!("{number}.md"), NoteKind::Missing, "does not exist"));
        }
        tally.push(Note::info("x", NoteKind::Duplicate, "is there twice"));
        let notes = tally.finish("index.json", "documents");
        let shown: Vec<String> = notes.iter().map(Note::to_string).collect();
        assert_eq!(shown, ["index.json: 1000 documents: does not exist, such as `0.md`, `1.md`, `2.md`", "x: is there twice"]);
    }

    #[test]
    fn notes_of_early_and_of_later_versions_are_read() {
        let notes: Vec<Note> =
            serde_json::from_str(r#"["a.md: was redacted", {"path":"b.md","kind":"from-the-future","level":"error","reason":"is new"}]"#)
                .unwrap();
        assert_eq!(notes[0], Note::info("", NoteKind::Other, "a.md: was redacted"));
        assert_eq!(notes[1], Note::new("b.md", NoteKind::Other, Level::Error, "is new"));
        assert_eq!(notes.iter().map(Note::to_string).collect::<Vec<_>>(), ["a.md: was redacted", "b.md: is new"]);
    }
}
