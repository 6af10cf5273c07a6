//! Decides whether a message is about any document at all.
//!
//! Most messages to an agent are not ("yes", "run it again", small talk). A threshold on the score would not transfer
//! from one project to another, but counts and ratios do. So a logistic function combines a few of them, computed from
//! the message and the top-ranked documents.

use super::weights::Weights;

/// The names of the features, in the order of their coefficients.
pub const FEATURES: [&str; 7] = [
    "topical terms",
    "topical terms matched",
    "ln of the best score",
    "best score relative to the ideal",
    "similarity of the best document",
    "words",
    "sounds like a question for documents",
];

/// The values of [`FEATURES`] for one message.
pub type Evidence = [f32; FEATURES.len()];

/// Returns the confidence, between 0 and 1, that the message is about the best documents.
pub(super) fn confidence(evidence: &Evidence, weights: &Weights) -> f32 {
    let sum = evidence.iter().zip(weights.evidence).fold(weights.bias, |sum, (value, weight)| sum + value * weight);
    1.0 / (1.0 + (-sum).exp())
}
