//! The context of a path: chain, knowledge, state, and nearby domains.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::chain::{Chain, Level};
use super::knowledge::Knowledge;
use super::load::{self, INFO, KNOWLEDGE, MAX_BYTES, Reading, STATE};
use super::navigation::{self, Around, ListedFile, Neighbour};
use super::state::{State, StateFound, read_state};
use super::summary::{count, summarize, topics_line};
use crate::load::guard;
use crate::note::{Note, NoteKind};
use crate::settings::nearest;
use crate::shown::{path_text, shell_word};
use crate::tokens::{estimate_bytes, estimate_utf16};

/// A knowledge file with fewer tokens than this is loaded whole.
pub const SUMMARY_FROM: u64 = 8_000;
/// A knowledge file with more tokens than this is not loaded at all.
pub const BLOCKED_ABOVE: u64 = 16_000;

/// How much of a knowledge file is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    Full,
    Summary,
    Blocked,
}

impl Mode {
    /// Returns the mode for a file of this size.
    pub fn of(tokens: u64) -> Self {
        match tokens {
            ..SUMMARY_FROM => Self::Full,
            SUMMARY_FROM..=BLOCKED_ABOVE => Self::Summary,
            _ => Self::Blocked,
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Summary => "summary",
            Self::Blocked => "blocked",
        }
    }
}

/// The knowledge of the deepest domain, as far as it was loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LoadedKnowledge {
    pub content: String,
    pub mode: Mode,
    /// The tokens of the whole file; with a topic, of the matching entries.
    pub tokens: u64,
    /// The number of entries in the whole file; with a topic, of the matching ones.
    pub entries: usize,
    /// All topics in the file, by name.
    pub topics: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    #[serde(skip)]
    pub path: PathBuf,
    /// The requested topic.
    #[serde(skip)]
    pub topic: Option<String>,
}

/// Everything that is known about a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Context {
    /// Root first.
    pub chain: Vec<Level>,
    pub knowledge: Option<LoadedKnowledge>,
    pub state: Option<State>,
    pub siblings: Vec<Neighbour>,
    pub children: Vec<Neighbour>,
    /// The Markdown files in the deepest `.megg`.
    pub files: Vec<ListedFile>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// The deepest `.megg` directory.
    #[serde(skip)]
    pub deepest: Option<PathBuf>,
    /// Files to read when needed: those of this domain, and the knowledge of the domains above.
    #[serde(skip)]
    pub on_demand: Vec<PathBuf>,
    /// Why the state file was not loaded, if it exists.
    #[serde(skip)]
    pub expired: Option<String>,
}

impl Context {
    /// Returns the name of the deepest domain.
    pub fn domain(&self) -> Option<String> {
        let directory = self.deepest.as_deref()?.parent()?;
        Some(directory.file_name().map_or_else(|| path_text(directory), |name| path_text(Path::new(name))))
    }
}

/// A request for the context of a path.
#[derive(Debug, Clone, Copy)]
pub struct ContextRequest<'a> {
    /// The absolute path of a file, a directory, or something that does not exist.
    pub path: &'a Path,
    /// Only the entries of this topic, however large the knowledge is.
    pub topic: Option<&'a str>,
    pub now: Timestamp,
    pub reading: Reading<'a>,
}

/// Returns the context of a path.
pub fn context(request: &ContextRequest<'_>) -> Context {
    let ContextRequest { path, topic, now, reading } = *request;
    let mut notes = Vec::new();
    let chain = Chain::discover(path, now, reading, &mut notes);
    let around = Around::look(&chain, &mut notes);
    let (mut knowledge, mut state, mut expired, mut files) = (None, None, None, Vec::new());
    if let Some(megg) = &chain.deepest {
        knowledge = load_knowledge(megg, topic, reading, &mut notes);
        match read_state(megg, now, reading, &mut notes) {
            StateFound::None => {}
            StateFound::Active(active) => state = Some(active),
            StateFound::Expired(old, reason) => {
                notes.push(Note::info(path_text(&old.path), NoteKind::Stale, format!("has expired: {reason}")));
                expired = Some(reason);
            }
        }
        let mut loaded = Vec::new();
        let has_info = chain.levels.last().is_some_and(|level| level.megg_path == *megg && level.problem.is_none());
        loaded.extend(has_info.then_some(INFO));
        loaded.extend(knowledge.as_ref().filter(|knowledge| knowledge.mode != Mode::Blocked).map(|_| KNOWLEDGE));
        loaded.extend(state.as_ref().map(|_| STATE));
        files = navigation::files_in(megg, &loaded, &mut notes);
    }
    let on_demand = navigation::on_demand(&chain, &files);
    let Around { siblings, children } = around;
    let Chain { levels, deepest, .. } = chain;
    Context { chain: levels, knowledge, state, siblings, children, files, notes, deepest, on_demand, expired }
}

/// Loads the knowledge of a `.megg` directory as far as its size allows, or the entries of a topic whatever its size.
fn load_knowledge(megg: &Path, topic: Option<&str>, reading: Reading<'_>, notes: &mut Vec<Note>) -> Option<LoadedKnowledge> {
    let path = megg.join(KNOWLEDGE);
    let place = megg.parent().map(shell_word).unwrap_or_default();
    let size = std::fs::metadata(&path).ok().filter(std::fs::Metadata::is_file).map(|metadata| metadata.len());
    let Some(text) = load::read(&path, reading, notes) else {
        // Too large to read: only its size can be reported.
        let size = size.filter(|size| *size > MAX_BYTES)?;
        let tokens = estimate_bytes(size as usize);
        return Some(blocked(path, &Knowledge::parse(""), tokens, &place));
    };
    let tokens = estimate_utf16(&text);
    let knowledge = Knowledge::parse(&text);
    note_entries(&path, &knowledge, notes);
    let mut loaded = match (topic, Mode::of(tokens)) {
        (Some(topic), _) => about(path, &knowledge, topic),
        (None, Mode::Blocked) => blocked(path, &knowledge, tokens, &place),
        (None, mode) => LoadedKnowledge {
            content: if mode == Mode::Full { text.clone() } else { summarize(&knowledge, tokens) },
            mode,
            tokens,
            entries: knowledge.entries.len(),
            topics: topic_names(&knowledge),
            warning: (mode == Mode::Summary).then(|| {
                format!("knowledge.md has {tokens} tokens, so this is a summary. `brief context {place} --topic TOPIC` loads the entries of a topic.")
            }),
            path,
            topic: None,
        },
    };
    loaded.content = guard(&path_text(&loaded.path), loaded.content, reading.redacts, notes);
    Some(loaded)
}

fn topic_names(knowledge: &Knowledge<'_>) -> Vec<String> {
    knowledge.topics().into_keys().map(str::to_owned).collect()
}

fn note_entries(path: &Path, knowledge: &Knowledge<'_>, notes: &mut Vec<Note>) {
    let without = knowledge.entries.iter().filter(|entry| entry.topics.is_empty()).count();
    if without > 0 {
        let reason = format!("{} without topics: `--topic` cannot find them", count(without, "entry is", "entries are"));
        notes.push(Note::info(path_text(path), NoteKind::Format, reason));
    }
}

fn about(path: PathBuf, knowledge: &Knowledge<'_>, topic: &str) -> LoadedKnowledge {
    let entries = knowledge.about(topic);
    let content = if entries.is_empty() {
        let mut message = format!("No entries found for topic: \"{topic}\"");
        if let Some(near) = nearest(&topic.to_lowercase(), knowledge.topics().into_keys()) {
            let _ = write!(message, ". Did you mean \"{near}\"?");
        }
        if !knowledge.topics().is_empty() {
            let _ = write!(message, "\nTopics: {}", topics_line(knowledge));
        }
        message
    } else {
        entries.iter().map(|entry| entry.text).collect::<Vec<_>>().join("\n\n---\n\n")
    };
    let tokens = estimate_utf16(&content);
    let warning = (tokens > BLOCKED_ABOVE).then(|| {
        format!("The entries of \"{topic}\" alone have {tokens} tokens. Run maintain(): `brief maintain` shows what can be archived.")
    });
    LoadedKnowledge {
        content,
        mode: Mode::Full,
        tokens,
        entries: entries.len(),
        topics: topic_names(knowledge),
        warning,
        path,
        topic: Some(topic.to_owned()),
    }
}

fn blocked(path: PathBuf, knowledge: &Knowledge<'_>, tokens: u64, place: &str) -> LoadedKnowledge {
    let entries = knowledge.entries.len();
    let content = format!(
        "knowledge.md is too large to load: {tokens} tokens, {}; the limit is {BLOCKED_ABOVE}.\n\
         Run maintain() to make it smaller: `brief maintain {place}` shows how.\n\
         Until then, `brief context {place} --topic TOPIC` loads the entries of a topic.\n\
         Topics: {}",
        count(entries, "entry", "entries"),
        topics_line(knowledge),
    );
    LoadedKnowledge {
        content,
        mode: Mode::Blocked,
        tokens,
        entries,
        topics: topic_names(knowledge),
        warning: Some(format!("knowledge.md exceeds {BLOCKED_ABOVE} tokens and was not loaded. Run maintain().")),
        path,
        topic: None,
    }
}
