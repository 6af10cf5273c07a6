//! Decides whether a message is about any document at all.
//!
//! Most messages to an agent are not ("yes", "run it again", small talk). A threshold on the score does not carry
//! over from one project to the next; counts and shares do. So a logistic function looks at a few of those, computed
//! from the message and the documents that ranked first.

use super::weights::Weights;

/// The names of the features, in the order of their coefficients.
pub const FEATURES: [&str; 7] = [
    "topical terms",
    "topical terms matched",
    "ln of the best score",
    "best score over the ideal",
    "meaning of the best",
    "words",
    "sounds like wanting a document",
];

/// The values of [`FEATURES`] for one message.
pub type Evidence = [f32; FEATURES.len()];

/// Returns how sure it is, between 0 and 1, that the best documents are what the message is about.
pub(super) fn confidence(evidence: &Evidence, weights: &Weights) -> f32 {
    let sum = evidence.iter().zip(weights.evidence).fold(weights.bias, |sum, (value, weight)| sum + value * weight);
    1.0 / (1.0 + (-sum).exp())
}
