//! Fits the trees of abstention: gradient boosting of the logistic loss.

use briefing_core::select::{Evidence, FEATURES, SPLITS, Tree};

const TREES: usize = 150;
const RATE: f64 = 0.07;
/// The share of the samples that each tree sees.
const SEEN: f64 = 0.7;
/// The fewest samples in a leaf.
const LEAF: usize = 8;

/// A message in training.
pub(crate) struct Sample {
    pub(crate) features: Evidence,
    pub(crate) is_wanted: bool,
    pub(crate) weight: f64,
}

/// Returns the constant and the trees.
pub(crate) fn boost(samples: &[Sample]) -> (f32, Vec<Tree>) {
    let wanted: f64 = samples.iter().filter(|sample| sample.is_wanted).map(|sample| sample.weight).sum();
    let all: f64 = samples.iter().map(|sample| sample.weight).sum();
    let base = (wanted / (all - wanted)).ln() as f32;
    let mut sums = vec![f64::from(base); samples.len()];
    let sorted: Vec<Vec<usize>> = (0..FEATURES.len())
        .map(|feature| {
            let mut order: Vec<usize> = (0..samples.len()).collect();
            order.sort_by(|a, b| samples[*a].features[feature].total_cmp(&samples[*b].features[feature]).then(a.cmp(b)));
            order
        })
        .collect();
    let mut random = 1u64;
    let mut trees = Vec::new();
    for _ in 0..TREES {
        let chance: Vec<f64> = sums.iter().map(|sum| 1.0 / (1.0 + (-sum).exp())).collect();
        let node: Vec<Option<usize>> = samples.iter().map(|_| (next(&mut random) < SEEN).then_some(0)).collect();
        let tree = Growing { samples, sorted: &sorted, chance, node }.grow();
        for (sum, sample) in sums.iter_mut().zip(samples) {
            *sum += f64::from(tree.value(&sample.features));
        }
        trees.push(tree);
    }
    (base, trees)
}

/// A number between 0 and 1, the same ones on every run.
fn next(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as f64 / f64::from(1u32 << 31)
}

struct Growing<'a> {
    samples: &'a [Sample],
    /// The samples in the order of each feature.
    sorted: &'a [Vec<usize>],
    chance: Vec<f64>,
    /// The node of each sample that is seen.
    node: Vec<Option<usize>>,
}

impl Growing<'_> {
    fn residual(&self, at: usize) -> f64 {
        f64::from(u8::from(self.samples[at].is_wanted)) - self.chance[at]
    }

    fn grow(mut self) -> Tree {
        let mut splits = [(0u8, f32::INFINITY); SPLITS];
        for (node, split) in splits.iter_mut().enumerate() {
            if let Some(found) = self.split(node) {
                *split = found;
            }
            let (feature, bound) = *split;
            for (at, place) in self.node.iter_mut().enumerate().filter(|(_, place)| **place == Some(node)) {
                let is_above = self.samples[at].features[usize::from(feature)] > bound;
                *place = Some(2 * node + 1 + usize::from(is_above));
            }
        }
        let mut leaves = [0f32; SPLITS + 1];
        for (number, leaf) in leaves.iter_mut().enumerate() {
            let (mut up, mut down) = (0.0, 0.0);
            for at in (0..self.samples.len()).filter(|at| self.node[*at] == Some(SPLITS + number)) {
                let weight = self.samples[at].weight;
                up += weight * self.residual(at);
                down += weight * self.chance[at] * (1.0 - self.chance[at]);
            }
            *leaf = if down > 1e-9 { (RATE * (up / down).clamp(-4.0, 4.0)) as f32 } else { 0.0 };
        }
        Tree { splits, leaves }
    }

    /// Finds the split of a node that explains most.
    fn split(&self, node: usize) -> Option<(u8, f32)> {
        let its: Vec<usize> = (0..self.samples.len()).filter(|at| self.node[*at] == Some(node)).collect();
        let total = its
            .iter()
            .fold((0.0, 0.0), |(sum, weight), at| (sum + self.samples[*at].weight * self.residual(*at), weight + self.samples[*at].weight));
        let gain = |(sum, weight): (f64, f64)| if weight > 0.0 { sum * sum / weight } else { 0.0 };
        let mut best: Option<(f64, u8, f32)> = None;
        for (feature, order) in self.sorted.iter().enumerate() {
            let (mut below, mut count) = ((0.0, 0.0), 0);
            let mut last: Option<f32> = None;
            for &at in order.iter().filter(|at| self.node[**at] == Some(node)) {
                let value = self.samples[at].features[feature];
                if let Some(last) = last.filter(|last| *last < value)
                    && count >= LEAF
                    && its.len() - count >= LEAF
                {
                    let found = gain(below) + gain((total.0 - below.0, total.1 - below.1)) - gain(total);
                    if found > best.map_or(1e-9, |(best, _, _)| best) {
                        best = Some((found, feature as u8, last.midpoint(value)));
                    }
                }
                let weight = self.samples[at].weight;
                below = (below.0 + weight * self.residual(at), below.1 + weight);
                count += 1;
                last = Some(value);
            }
        }
        best.map(|(_, feature, bound)| (feature, bound))
    }
}
