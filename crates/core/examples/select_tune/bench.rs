//! Sets of documents and messages in the form of the selection bench, with one search index per project.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};

use briefing_core::select::{Document, Evidence, Features, PARTS, SearchIndex, Weights};
use briefing_core::settings::Settings;
use serde_json::{Value, json};

/// How many ranked documents of a message are looked at in order to fit the ranking.
const RANKED: usize = 40;
/// A message whose documents are not among this many best ones gets none of them, whatever else is decided.
pub(crate) const WITHIN: usize = 3;

/// A message, and the documents that it needs.
pub(crate) struct Message {
    pub(crate) set: usize,
    pub(crate) project: String,
    pub(crate) kind: String,
    pub(crate) text: String,
    pub(crate) relevant: Vec<String>,
    pub(crate) features: Features,
}

impl Message {
    /// Returns whether a document is needed.
    pub(crate) fn wants(&self) -> bool {
        !self.relevant.is_empty()
    }
}

/// Some sets. Projects of different sets have different names.
pub(crate) struct Bench {
    pub(crate) sets: Vec<String>,
    pub(crate) messages: Vec<Message>,
    documents: BTreeMap<String, Vec<Value>>,
    indexes: BTreeMap<String, SearchIndex>,
}

/// What the ranking makes of a message.
pub(crate) struct Row {
    pub(crate) evidence: Evidence,
    /// The parts of each ranked document's score, and whether it is needed; best first.
    pub(crate) ranked: Vec<([f32; PARTS.len()], bool)>,
}

impl Row {
    /// Returns whether a needed document is among the first.
    pub(crate) fn is_within_reach(&self) -> bool {
        self.ranked.iter().take(WITHIN).any(|(_, is_needed)| *is_needed)
    }
}

impl Bench {
    pub(crate) fn read(sets: &[&Path]) -> Result<Self, Box<dyn Error>> {
        let mut bench = Self { sets: Vec::new(), messages: Vec::new(), documents: BTreeMap::new(), indexes: BTreeMap::new() };
        for (set, directory) in sets.iter().enumerate() {
            bench.sets.push(directory.file_name().unwrap_or_default().to_string_lossy().into_owned());
            let queries = lines(&directory.join("queries.jsonl"))?;
            let documents = lines(&directory.join("docs.jsonl"))?;
            for query in &queries {
                let text = text(query, "text");
                let project = format!("{}-{}", bench.sets[set], self::text(query, "project"));
                bench.documents.entry(project.clone()).or_insert_with(|| {
                    let its = |document: &&Value| document["project"] == query["project"] || document["project"] == "global";
                    documents.iter().filter(its).cloned().collect()
                });
                let features = Features::of(&text);
                bench.messages.push(Message {
                    set,
                    project,
                    kind: self::text(query, "kind"),
                    text,
                    relevant: list(query, "relevant"),
                    features,
                });
            }
        }
        for (project, documents) in &bench.documents {
            let own: Vec<Document> = documents.iter().map(document).collect();
            bench.indexes.insert(project.clone(), SearchIndex::from_bytes(SearchIndex::build(&own))?);
        }
        Ok(bench)
    }

    pub(crate) fn projects(&self) -> impl Iterator<Item = &String> {
        self.documents.keys()
    }

    /// Ranks the documents for every message.
    pub(crate) fn rows(&self, weights: &Weights) -> Vec<Row> {
        let weights = &Weights { secondary: Settings::defaults().docs.secondary.value, ..weights.clone() };
        let row = |message: &Message| {
            let found = self.indexes[&message.project].query_with(&message.text, RANKED, RANKED, weights);
            let selection = found.expect("an index in memory is readable");
            let ranked = selection.candidates.iter().take(RANKED);
            let ranked = ranked.map(|ranked| (ranked.parts, message.relevant.contains(&ranked.id))).collect();
            Row { evidence: selection.evidence, ranked }
        };
        self.messages.iter().map(row).collect()
    }

    /// Writes a project's documents and their index below a directory, and returns the project's directory.
    pub(crate) fn export(&self, project: &str, directory: &Path) -> Result<PathBuf, Box<dyn Error>> {
        let root = directory.join(project);
        let mut entries = Vec::new();
        for value in &self.documents[project] {
            let document = document(value);
            let file = root.join(&document.path);
            std::fs::create_dir_all(file.parent().unwrap_or(&root))?;
            std::fs::write(file, document.text)?;
            entries.push(json!({"path": document.path, "title": document.title, "tags": document.tags}));
        }
        std::fs::create_dir_all(root.join(".git"))?;
        std::fs::write(root.join("index.json"), json!({"version": 1, "docs": entries}).to_string())?;
        Ok(root)
    }
}

fn lines(file: &Path) -> Result<Vec<Value>, Box<dyn Error>> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

fn list(value: &Value, key: &str) -> Vec<String> {
    value[key].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Returns a document as the evaluator writes it to disk.
fn document(value: &Value) -> Document {
    let (title, mut body) = (text(value, "title"), text(value, "text"));
    if !body.trim_start().starts_with("# ") {
        body = format!("# {title}\n\n{body}");
    }
    let path = format!("docs/{}", text(value, "path"));
    Document { id: text(value, "path"), path, title, tags: list(value, "tags"), text: body + "\n", ..Document::default() }
}
