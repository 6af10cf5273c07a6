//! Fits the kinds of messages: multinomial logistic regression over words, pairs of words and the vector.

use std::collections::{BTreeMap, HashSet};

use briefing_core::select::{Features, Fitted, KINDS};

/// The kinds that need no document, and the one that does.
pub(crate) const CLASSES: usize = KINDS + 1;
/// How much the weights are held back.
const RIDGE: f64 = 10.0;
/// A word must occur in this many projects or messages of ours: what only one project says tells nothing about others.
const SOURCES: usize = 3;
const ROUNDS: usize = 150;

/// A message and its kind.
#[derive(Clone)]
pub(crate) struct Example {
    pub(crate) class: usize,
    pub(crate) features: Features,
    /// Its project; `None` for a message of ours.
    pub(crate) source: Option<String>,
}

/// Adam's method: steps along a gradient that adapt to its size.
pub(crate) struct Steps {
    rate: f64,
    round: i32,
    mean: Vec<f64>,
    square: Vec<f64>,
}

impl Steps {
    pub(crate) fn new(size: usize, rate: f64) -> Self {
        Self { rate, round: 0, mean: vec![0.0; size], square: vec![0.0; size] }
    }

    pub(crate) fn climb(&mut self, weights: &mut [f64], gradient: &[f64]) {
        self.round += 1;
        let (first, second) = (1.0 - 0.9f64.powi(self.round), 1.0 - 0.999f64.powi(self.round));
        for (at, weight) in weights.iter_mut().enumerate() {
            self.mean[at] = 0.9 * self.mean[at] + 0.1 * gradient[at];
            self.square[at] = 0.999 * self.square[at] + 0.001 * gradient[at] * gradient[at];
            *weight += self.rate * (self.mean[at] / first) / ((self.square[at] / second).sqrt() + 1e-8);
        }
    }
}

/// Fits the kinds to examples. The trees are left empty.
pub(crate) fn softmax(examples: &[Example]) -> Fitted {
    let vocabulary = vocabulary(examples);
    let dimensions = examples.first().map_or(0, |example| example.features.vector.len());
    // Per example: the places of its words, after which the vector and the constant follow.
    let places: Vec<Vec<usize>> = examples
        .iter()
        .map(|example| example.features.words.iter().filter_map(|word| vocabulary.binary_search(word).ok()).collect())
        .collect();
    let (vector, constant) = (vocabulary.len(), vocabulary.len() + dimensions);
    let size = constant + 1;
    let mut weights = vec![0f64; size * CLASSES];
    let mut steps = Steps::new(weights.len(), 0.08);
    let mut gradient = vec![0f64; weights.len()];
    for _ in 0..ROUNDS {
        for (at, gradient) in gradient.iter_mut().enumerate() {
            *gradient = if at / CLASSES == constant { 0.0 } else { -RIDGE * weights[at] };
        }
        for (example, words) in examples.iter().zip(&places) {
            let mut scores = [0f64; CLASSES];
            let inputs = || {
                let dense = example.features.vector.iter().enumerate().map(|(at, x)| (vector + at, f64::from(*x)));
                words.iter().map(|at| (*at, 1.0)).chain(dense).chain([(constant, 1.0)])
            };
            for (at, x) in inputs() {
                for (score, weight) in scores.iter_mut().zip(&weights[at * CLASSES..]) {
                    *score += weight * x;
                }
            }
            let top = scores.iter().copied().fold(f64::MIN, f64::max);
            let sum: f64 = scores.iter().map(|score| (score - top).exp()).sum();
            let mut errors = scores.map(|score| -(score - top).exp() / sum);
            errors[example.class] += 1.0;
            for (at, x) in inputs() {
                for (gradient, error) in gradient[at * CLASSES..].iter_mut().zip(errors) {
                    *gradient += error * x;
                }
            }
        }
        let scale = 1.0 / examples.len() as f64;
        for gradient in &mut gradient {
            *gradient *= scale;
        }
        steps.climb(&mut weights, &gradient);
    }
    let relative = |at: usize, kind: usize| (weights[at * CLASSES + kind] - weights[at * CLASSES + KINDS]) as f32;
    let mut fitted = Fitted { words: Vec::new(), trees: Vec::new(), base: 0.0, needed: 0.5, ..Fitted::default() };
    for (at, hash) in vocabulary.iter().enumerate() {
        let mut its = [0f32; KINDS];
        for (kind, weight) in its.iter_mut().enumerate() {
            *weight = (relative(at, kind).clamp(-7.9, 7.9) * 4096.0).round() / 4096.0;
        }
        fitted.words.push((*hash, its));
    }
    for kind in 0..KINDS {
        fitted.constants[kind] = relative(constant, kind);
        for at in 0..dimensions {
            fitted.vector[kind][at] = relative(vector + at, kind);
        }
    }
    fitted
}

/// Returns the words that occur in enough sources, sorted.
fn vocabulary(examples: &[Example]) -> Vec<u32> {
    let mut count: BTreeMap<u32, usize> = BTreeMap::new();
    let mut seen: HashSet<(&str, u32)> = HashSet::new();
    for example in examples {
        for word in &example.features.words {
            if example.source.as_deref().is_none_or(|source| seen.insert((source, *word))) {
                *count.entry(*word).or_default() += 1;
            }
        }
    }
    count.into_iter().filter(|(_, count)| *count >= SOURCES).map(|(word, _)| word).collect()
}
