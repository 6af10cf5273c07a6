//! The price and the use of context: how many tokens went where, what reached the models, what they used of it, and what
//! they loaded by themselves. Reads the ledger and the agents' transcripts; changes neither.

mod advice;
mod marks;
mod used;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use briefing_core::Source;
use briefing_core::shown::{normalize, path_text};
use briefing_core::sources::docs::everything;
use briefing_core::tokens::estimate_bytes;
use briefing_store::{DeliveryRow, Filter, Place, Reader, SessionRow, State, StoreError, Verdict, kept_text};
use serde::Serialize;

use crate::host::Host;
use crate::transcripts::conversation::{Said, converse};
use crate::transcripts::format::Load;
pub use advice::{Advice, Suggestion};
pub use used::Used;
use used::{Given, Listening};

/// The indexes of so many directories are read at most.
const MAX_DIRECTORIES: usize = 100;

/// What was delivered, and what the transcripts say about it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Sum {
    pub sessions: u64,
    pub deliveries: u64,
    pub tokens: u64,
    pub seen: u64,
    pub cut: u64,
    pub missing: u64,
    pub unknowable: u64,
    /// Those that nothing can be said about yet.
    pub open: u64,
}

impl Sum {
    fn add(&mut self, row: &DeliveryRow) {
        self.deliveries += 1;
        self.tokens += row.tokens;
        *match row.verdict {
            Some(Verdict::Seen) => &mut self.seen,
            Some(Verdict::Cut) => &mut self.cut,
            Some(Verdict::Missing) => &mut self.missing,
            Some(Verdict::Unknowable) => &mut self.unknowable,
            None => &mut self.open,
        } += 1;
    }
}

/// The sum of everything with one name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Named {
    pub name: String,
    #[serde(flatten)]
    pub sum: Sum,
}

/// What a file cost, and what it was good for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileRow {
    /// The path of the file, or the directory that the text is about.
    pub path: String,
    /// The same as shown in windows, from the directory of its last session.
    pub shown: String,
    pub sources: Vec<&'static str>,
    pub agents: Vec<String>,
    #[serde(flatten)]
    pub sum: Sum,
    /// The tokens of its largest delivery.
    pub largest: u64,
    /// The number of parts into which it was split at most.
    pub parts: u32,
    /// In how many sessions it was used, was not used, and in how many nobody can tell.
    pub used: u64,
    pub unused: u64,
    pub unknown: u64,
    /// What shows that it was used, for the last session that did.
    pub proof: Vec<String>,
    /// Why nobody can tell, each with its number of sessions.
    pub unknown_because: BTreeMap<String, u64>,
    /// Milliseconds since 1970.
    pub last: i64,
}

impl FileRow {
    /// Tells whether it came for messages. Rules and knowledge are followed without being quoted; a document should leave a
    /// trace.
    pub fn is_document(&self) -> bool {
        self.sources.contains(&Source::Docs.name())
    }
}

/// What agents of one kind loaded without us, as far as their transcripts show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LoadedRow {
    pub agent: String,
    pub kind: Load,
    pub texts: u64,
    /// Estimated from the length.
    pub tokens: u64,
}

/// A document of an index that agents opened although we had not delivered it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OwnRow {
    pub path: String,
    pub sessions: u64,
}

/// How many transcripts could be read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Transcripts {
    pub read: u64,
    /// Why others could not, each with its number of sessions.
    pub unread: BTreeMap<String, u64>,
}

/// The report. Every list is sorted, the most expensive first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Milliseconds since 1970.
    pub since: Option<i64>,
    pub until: Option<i64>,
    pub total: Sum,
    pub sources: Vec<Named>,
    pub agents: Vec<Named>,
    pub files: Vec<FileRow>,
    pub loaded: Vec<LoadedRow>,
    pub own: Vec<OwnRow>,
    pub transcripts: Transcripts,
    pub suggestions: Vec<Suggestion>,
}

/// What is known of a file while the report is made.
#[derive(Default)]
struct File {
    shown: String,
    sources: BTreeSet<&'static str>,
    agents: BTreeSet<String>,
    sum: Sum,
    largest: u64,
    parts: u32,
    used: u64,
    unused: u64,
    unknown: u64,
    proof: Vec<String>,
    unknown_because: BTreeMap<String, u64>,
    last: i64,
}

#[derive(Default)]
struct Making {
    files: BTreeMap<String, File>,
    loaded: BTreeMap<(String, Load), (u64, u64)>,
    own: BTreeMap<String, u64>,
    transcripts: Transcripts,
    indexes: BTreeMap<String, BTreeSet<String>>,
}

/// Makes the report of what the filter wants. Texts are looked for in `place`.
pub fn report(reader: &mut dyn Reader, place: &Place, host: &dyn Host, filter: &Filter<'_>) -> Result<Report, StoreError> {
    let mut rows: BTreeMap<String, Vec<DeliveryRow>> = BTreeMap::new();
    for row in reader.deliveries(filter)?.into_iter().filter(|row| matches!(row.state, State::Delivered | State::Lost)) {
        rows.entry(row.session.clone()).or_default().push(row);
    }
    let mut messages: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for event in reader.events(filter)?.into_iter().filter(|event| !event.message.is_empty()) {
        messages.entry(event.name.session).or_default().push(event.message);
    }
    let (mut sources, mut agents) = (BTreeMap::new(), BTreeMap::new());
    let (mut total, mut making) = (Sum::default(), Making::default());
    for session in reader.sessions(filter)? {
        let rows = rows.remove(&session.name.session).unwrap_or_default();
        if rows.is_empty() {
            continue;
        }
        total.sessions += 1;
        let agent: &mut Sum = agents.entry(session.name.agent.clone()).or_default();
        agent.sessions += 1;
        let mut of_session = BTreeSet::new();
        for row in &rows {
            total.add(row);
            agent.add(row);
            let name = row.source.map_or("list of what was left out", |source| source.name());
            let source: &mut Sum = sources.entry(name.to_owned()).or_default();
            source.add(row);
            source.sessions += u64::from(of_session.insert(name));
        }
        let messages = messages.remove(&session.name.session).unwrap_or_default();
        making.session(&session, &rows, &messages, place, host)?;
    }
    let named = |sums: BTreeMap<String, Sum>| {
        let mut all: Vec<Named> = sums.into_iter().map(|(name, sum)| Named { name, sum }).collect();
        all.sort_by_key(|named| std::cmp::Reverse(named.sum.tokens));
        all
    };
    let (files, own) = (making.files(), making.own());
    let loaded = making.loaded.into_iter();
    let mut loaded: Vec<LoadedRow> = loaded.map(|((agent, kind), (texts, tokens))| LoadedRow { agent, kind, texts, tokens }).collect();
    loaded.sort_by_key(|row| std::cmp::Reverse(row.tokens));
    let suggestions = advice::suggest(&files, &own);
    Ok(Report {
        since: filter.since,
        until: filter.until,
        total,
        sources: named(sources),
        agents: named(agents),
        files,
        loaded,
        own,
        transcripts: making.transcripts,
        suggestions,
    })
}

/// Returns what a delivery is counted under: its file, or what it is about.
fn file_of(row: &DeliveryRow) -> String {
    let whole = row.piece.split_once('#').map_or(row.piece.as_str(), |(file, _)| file);
    if row.file.is_empty() || whole.is_empty() { row.path.clone() } else { whole.to_owned() }
}

impl Making {
    fn session(
        &mut self,
        session: &SessionRow,
        rows: &[DeliveryRow],
        messages: &[String],
        place: &Place,
        host: &dyn Host,
    ) -> Result<(), StoreError> {
        let mut given: BTreeMap<String, Given> = BTreeMap::new();
        for row in rows {
            let name = file_of(row);
            let text = row.rendered_hash.as_deref().map(|hash| kept_text(place, hash)).transpose()?.flatten();
            let is_new = !given.contains_key(&name);
            let one = given.entry(name.clone()).or_insert_with(|| Given { at: row.at, ..Given::default() });
            one.at = one.at.min(row.at);
            one.texts.extend(text);
            if !row.file.is_empty() {
                one.file.clone_from(&name);
            }
            let file = self.files.entry(name).or_default();
            file.sum.add(row);
            file.sum.sessions += u64::from(is_new);
            file.sources.extend(row.source.map(Source::name));
            file.agents.insert(session.name.agent.clone());
            file.largest = file.largest.max(row.tokens);
            file.parts = file.parts.max(row.parts);
            if row.at >= file.last {
                file.last = row.at;
                file.shown.clone_from(if row.file.is_empty() { &row.path } else { &row.file });
            }
        }
        let (names, mut given): (Vec<String>, Vec<Given>) = {
            let mut all: Vec<_> = given.into_iter().collect();
            all.sort_by_key(|(_, one)| one.at);
            all.into_iter().unzip()
        };
        for one in &mut given {
            one.texts.dedup();
        }
        let used = match self.listen(session, given, messages, host) {
            Ok(used) => {
                self.transcripts.read += 1;
                used
            }
            Err(why) => {
                *self.transcripts.unread.entry(why).or_default() += 1;
                vec![Used::Unknown { why: "there is no transcript" }; names.len()]
            }
        };
        for (name, used) in names.iter().zip(used) {
            let file = self.files.get_mut(name).expect("it was entered above");
            match used {
                Used::Yes { proof } => {
                    file.used += 1;
                    file.proof = proof;
                }
                Used::No => file.unused += 1,
                Used::Unknown { why } => {
                    file.unknown += 1;
                    *file.unknown_because.entry(why.to_owned()).or_default() += 1;
                }
            }
        }
        Ok(())
    }

    /// Reads a session's transcript. Returns what became of each delivery, or why there is nothing to read.
    fn listen(&mut self, session: &SessionRow, given: Vec<Given>, messages: &[String], host: &dyn Host) -> Result<Vec<Used>, String> {
        let agent = crate::find(&session.name.agent).filter(|agent| agent.transcript.is_some());
        let agent = agent.ok_or("brief cannot read the transcripts of this agent")?;
        let indexed = self.indexed(&session.name.directory, host);
        let mut listening = Listening::new(given, &session.cwd, indexed);
        for message in messages {
            listening.typed(message);
        }
        let mut loaded: BTreeMap<Load, (u64, u64)> = BTreeMap::new();
        converse(agent, &session.key, host, session.transcript.as_deref(), &mut |at, said| {
            if let Said::Loaded(kind, text) = said {
                // Our own text in a message is not what the user typed.
                let ours = if kind == Load::Message { listening.own_bytes(text) } else { 0 };
                let sum = loaded.entry(kind).or_default();
                *sum = (sum.0 + 1, sum.1 + estimate_bytes(text.len().saturating_sub(ours)));
            }
            listening.hear(at, said);
        })
        .map_err(|silence| silence.to_string())?;
        for (kind, (texts, tokens)) in loaded {
            let sum = self.loaded.entry((session.name.agent.clone(), kind)).or_default();
            *sum = (sum.0 + texts, sum.1 + tokens);
        }
        let (used, own) = listening.finish();
        for path in own {
            *self.own.entry(path).or_default() += 1;
        }
        Ok(used)
    }

    /// Returns the documents in the indexes of a directory.
    fn indexed(&mut self, directory: &str, host: &dyn Host) -> BTreeSet<String> {
        if let Some(known) = self.indexes.get(directory) {
            return known.clone();
        }
        let mut found = BTreeSet::new();
        if self.indexes.len() < MAX_DIRECTORIES && Path::new(directory).is_dir() {
            let places = host.places_at(PathBuf::from(directory));
            let settings = host.settings(&places).0;
            let documents = everything(&places, &settings).documents;
            found.extend(documents.iter().map(|document| path_text(&normalize(&places.here.join(&document.shown)))));
        }
        self.indexes.insert(directory.to_owned(), found.clone());
        found
    }

    fn files(&mut self) -> Vec<FileRow> {
        let mut files: Vec<FileRow> = std::mem::take(&mut self.files)
            .into_iter()
            .map(|(path, file)| FileRow {
                path,
                shown: file.shown,
                sources: file.sources.into_iter().collect(),
                agents: file.agents.into_iter().collect(),
                sum: file.sum,
                largest: file.largest,
                parts: file.parts,
                used: file.used,
                unused: file.unused,
                unknown: file.unknown,
                proof: file.proof,
                unknown_because: file.unknown_because,
                last: file.last,
            })
            .collect();
        files.sort_by_key(|file| std::cmp::Reverse(file.sum.tokens));
        files
    }

    fn own(&mut self) -> Vec<OwnRow> {
        let mut own: Vec<OwnRow> = std::mem::take(&mut self.own).into_iter().map(|(path, sessions)| OwnRow { path, sessions }).collect();
        own.sort_by_key(|row| std::cmp::Reverse(row.sessions));
        own
    }
}
