//! All tuned numbers of the selector.
//!
//! They were tuned on one set of projects and cross-validated by leaving projects out (`docs/selection.md`). No other
//! file has a tuned number, so an experiment changes values only here.

use super::abstain::FEATURES;

/// The coefficients of ranking and abstention.
#[derive(Debug, Clone)]
pub struct Weights {
    /// Weight of each field, in the order of `Field::ALL`.
    pub fields: [f32; 6],
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
    /// The weight of the vectors relative to the words.
    pub meaning: f32,
    /// The share of the best passage, relative to the document's own vector, in the similarity of meaning.
    pub meaning_passage: f32,
    /// Documents with a score below this share of the best are left out.
    pub cut: f32,
    /// The constant of the logistic function that decides whether anything is selected.
    pub bias: f32,
    /// Its coefficients, in the order of `FEATURES`.
    pub evidence: [f32; FEATURES.len()],
    /// The confidence required to select documents.
    pub threshold: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            fields: [12.0, 6.0, 4.0, 8.0, 4.0, 1.0],
            k1: 3.0,
            b_short: 0.5,
            b_body: 0.5,
            passage: 1.0,
            passage_k1: 1.2,
            passage_b: 0.5,
            chatter: 0.5,
            exact: 1.0,
            meaning: 0.85,
            meaning_passage: 0.5,
            cut: 0.0,
            bias: -12.916,
            evidence: [0.214, 0.595, 0.683, 3.717, 7.670, 2.933, 0.992],
            threshold: 0.4,
        }
    }
}
