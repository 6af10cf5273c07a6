//! All tuned numbers of the selector.
//!
//! They were tuned on one set of projects and cross-validated by leaving projects out (`docs/selection.md`). No other
//! file has a tuned number, so an experiment changes values only here.

use std::sync::Arc;

use super::document::FIELDS;
use super::fitted::Fitted;
use super::rank::PARTS;

/// The coefficients of ranking and abstention.
#[derive(Debug, Clone)]
pub struct Weights {
    /// Weight of each field, in the order of `Field::ALL`.
    pub fields: [f32; FIELDS],
    /// How quickly repetitions of a term stop counting.
    pub k1: f32,
    /// How much a long title, path or heading list dilutes its terms.
    pub b_short: f32,
    /// How much a long body dilutes its terms.
    pub b_body: f32,
    /// The weight of the best passage relative to the whole document.
    pub passage: f32,
    /// `k1` within a passage.
    pub passage_k1: f32,
    /// Dilution by length within a passage.
    pub passage_b: f32,
    /// The weight of everyday words of work and conversation.
    pub chatter: f32,
    /// The weight of identifiers, file names and codes as written.
    pub exact: f32,
    /// The weights of the parts of a score, in the order of `PARTS`.
    pub parts: [f32; PARTS.len()],
    /// The rules for documents that rank below guides, from the settings.
    pub secondary: Vec<String>,
    /// The weight of the vectors relative to the words, among the passages of one document.
    pub meaning: f32,
    /// The share of the best passage, relative to the document's own vector, in the similarity of meaning.
    pub meaning_passage: f32,
    /// Documents with a score below this share of the best are left out.
    pub cut: f32,
    /// What decides whether anything is chosen.
    pub fitted: Arc<Fitted>,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            fields: [12.0, 6.0, 4.0, 8.0, 4.0, 0.0, 1.0],
            k1: 3.0,
            b_short: 0.5,
            b_body: 0.5,
            passage: 1.0,
            passage_k1: 1.2,
            passage_b: 0.5,
            chatter: 0.5,
            exact: 1.0,
            parts: [4.06, 2.14, 5.71, 5.87, 2.6, 0.95, -0.98],
            secondary: Vec::new(),
            meaning: 0.85,
            meaning_passage: 0.5,
            cut: 0.0,
            fitted: Arc::new(Fitted::default()),
        }
    }
}
