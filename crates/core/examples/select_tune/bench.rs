//! A set of documents and messages, and what a selector is worth on it.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;
use std::path::Path;

use briefing_core::select::{Document, Evidence, SearchIndex, Weights};
use serde_json::Value;

struct Query {
    project: String,
    text: String,
    relevant: Vec<String>,
}

/// The set, with one search index per project (its own documents and the global ones).
pub(crate) struct Bench {
    pub(crate) projects: Vec<String>,
    indexes: Vec<SearchIndex>,
    queries: Vec<Query>,
}

/// What came of one message.
pub(crate) struct Row {
    pub(crate) project: String,
    pub(crate) evidence: Evidence,
    /// Whether a document is wanted.
    pub(crate) wants: bool,
    relevant: Vec<String>,
    /// What was chosen, and what would have been without abstention.
    chosen: Vec<String>,
    ranked: Vec<String>,
}

/// The figures of the evaluator, plus those of the ranking without abstention.
#[derive(Default)]
pub(crate) struct Measure {
    recall: [f64; 3],
    ndcg: f64,
    abstain_f1: f64,
    combined: f64,
    precision: f64,
    pub(crate) recall5_ranked: f64,
    pub(crate) ndcg_ranked: f64,
}

impl Bench {
    pub(crate) fn read(set: &Path) -> Result<Self, Box<dyn Error>> {
        let lines = |name: &str| -> Result<Vec<Value>, Box<dyn Error>> {
            let text = std::fs::read_to_string(set.join(name))?;
            Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
        };
        let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let list = |value: &Value, key: &str| -> Vec<String> {
            value[key].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let queries: Vec<Query> = lines("queries.jsonl")?
            .iter()
            .map(|q| Query { project: text(q, "project"), text: text(q, "text"), relevant: list(q, "relevant") })
            .collect();
        let documents = lines("docs.jsonl")?;
        let projects: Vec<String> = queries.iter().map(|q| q.project.clone()).collect::<BTreeSet<_>>().into_iter().collect();
        let mut indexes = Vec::new();
        for project in &projects {
            let own: Vec<Document> = documents
                .iter()
                .filter(|d| d["project"] == project.as_str() || d["project"] == "global")
                .map(|d| {
                    // As the evaluator writes it to disk.
                    let (title, mut body) = (text(d, "title"), text(d, "text"));
                    if !body.trim_start().starts_with("# ") {
                        body = format!("# {title}\n\n{body}");
                    }
                    let path = format!("docs/{}", text(d, "path"));
                    Document { id: text(d, "path"), path, title, tags: list(d, "tags"), text: body + "\n", ..Document::default() }
                })
                .collect();
            indexes.push(SearchIndex::from_bytes(SearchIndex::build(&own))?);
        }
        Ok(Self { projects, indexes, queries })
    }

    pub(crate) fn rows(&self, weights: &Weights, keep: impl Fn(&str) -> bool) -> Vec<Row> {
        let mut rows = Vec::new();
        for query in self.queries.iter().filter(|query| keep(&query.project)) {
            let Ok(at) = self.projects.binary_search(&query.project) else {
                continue;
            };
            let selection = self.indexes[at].query_with(&query.text, 5, 20, weights).expect("an index in memory is readable");
            rows.push(Row {
                project: query.project.clone(),
                evidence: selection.evidence,
                wants: !query.relevant.is_empty(),
                relevant: query.relevant.clone(),
                chosen: selection.chosen().map(|ranked| ranked.id.clone()).collect(),
                ranked: selection.candidates.iter().take(5).map(|ranked| ranked.id.clone()).collect(),
            });
        }
        rows
    }

    pub(crate) fn measure(&self, weights: &Weights, keep: impl Fn(&str) -> bool) -> Measure {
        Measure::of(&self.rows(weights, keep))
    }
}

impl Measure {
    pub(crate) fn of(rows: &[Row]) -> Self {
        let mut measure = Self::default();
        let (mut wanted, mut silent, mut rightly, mut hits, mut chosen) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for row in rows {
            let empty = row.chosen.is_empty();
            silent += f64::from(u8::from(empty));
            chosen += row.chosen.len() as f64;
            if row.wants {
                wanted += 1.0;
                for (sum, k) in measure.recall.iter_mut().zip([1, 3, 5]) {
                    *sum += recall(&row.chosen, &row.relevant, k);
                }
                hits += recall(&row.chosen, &row.relevant, 5) * row.relevant.len() as f64;
                measure.ndcg += ndcg(&row.chosen, &row.relevant);
                measure.recall5_ranked += recall(&row.ranked, &row.relevant, 5);
                measure.ndcg_ranked += ndcg(&row.ranked, &row.relevant);
            } else if empty {
                rightly += 1.0;
            }
        }
        let (none, all) = (rows.len() as f64 - wanted, rows.len() as f64);
        measure.combined = (measure.ndcg + rightly) / all;
        for sum in measure.recall.iter_mut().chain([&mut measure.ndcg, &mut measure.recall5_ranked, &mut measure.ndcg_ranked]) {
            *sum /= wanted;
        }
        measure.abstain_f1 = 2.0 * rightly / (silent + none);
        measure.precision = hits / chosen;
        measure
    }
}

fn recall(got: &[String], relevant: &[String], k: usize) -> f64 {
    got.iter().take(k).filter(|id| relevant.contains(id)).count() as f64 / relevant.len() as f64
}

fn ndcg(got: &[String], relevant: &[String]) -> f64 {
    let gain = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
    let reached: f64 = got.iter().take(5).enumerate().filter(|(_, id)| relevant.contains(id)).map(|(rank, _)| gain(rank)).sum();
    reached / (0..relevant.len().min(5)).map(gain).sum::<f64>()
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [r1, r3, r5] = self.recall;
        write!(
            f,
            "r@1 {r1:.3} r@3 {r3:.3} r@5 {r5:.3} nDCG {:.3} F1 {:.3} combined {:.3} precision {:.3} | ranking alone r@5 {:.3} nDCG {:.3}",
            self.ndcg, self.abstain_f1, self.combined, self.precision, self.recall5_ranked, self.ndcg_ranked
        )
    }
}
