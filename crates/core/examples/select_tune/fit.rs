//! Fits the weights of the ranking and of abstention to some messages.

use std::collections::{BTreeMap, HashSet};
use std::error::Error;
use std::sync::Arc;

use briefing_core::select::{Features, Fitted, KINDS, PARTS, Weights};
use serde_json::Value;

use crate::bench::{Bench, Message, Row};
use crate::boost::{Sample, boost};
use crate::softmax::{CLASSES, Example, softmax};

/// Messages of ours about no project in particular.
const MESSAGES: &str = include_str!("messages.jsonl");
/// The number of parts into which training messages are divided: a message's kind is told by what was fitted to the others.
const PARTITIONS: u32 = 4;
/// What a message counts whose documents are out of reach: silence would be as good an answer.
const OUT_OF_REACH: f64 = 0.3;
/// The share of everyday orders that may get something, and of questions about something else.
const ORDERS: f64 = 0.048;
const OTHERS: f64 = 0.09;

/// Returns our own messages as examples of their kinds.
pub(crate) fn own_examples() -> Result<Vec<Example>, Box<dyn Error>> {
    let example = |line: &str| -> Result<Example, Box<dyn Error>> {
        let value: Value = serde_json::from_str(line)?;
        let text = value["text"].as_str().ok_or("a message has no text")?;
        let class = class(value["kind"].as_str().ok_or("a message has no kind")?);
        Ok(Example { class, features: Features::of(text), source: None })
    };
    MESSAGES.lines().map(example).collect()
}

/// Returns the number of a message's kind: talk, something else, an order, or one that needs documents.
fn class(kind: &str) -> usize {
    match kind.trim_start_matches("none-") {
        "chat" => 0,
        "offtopic" => 1,
        "order" | "task" => 2,
        _ => CLASSES - 1,
    }
}

/// Fits the weights of the parts of a score: those that make the needed documents the most likely ones.
pub(crate) fn fit_ranking(rows: &[Row], is_used: &dyn Fn(usize) -> bool) -> [f32; PARTS.len()] {
    let used: Vec<&Row> =
        (0..rows.len()).filter(|at| is_used(*at)).map(|at| &rows[at]).filter(|row| row.ranked.iter().any(|(_, is)| *is)).collect();
    let all = || used.iter().flat_map(|row| &row.ranked).map(|(parts, _)| parts);
    let count = all().count() as f64;
    let spread: Vec<f64> = (0..PARTS.len())
        .map(|part| {
            let mean = all().map(|parts| f64::from(parts[part])).sum::<f64>() / count;
            (all().map(|parts| (f64::from(parts[part]) - mean).powi(2)).sum::<f64>() / count).sqrt().max(1e-9)
        })
        .collect();
    let mut weights = [0f64; PARTS.len()];
    let mut steps = crate::softmax::Steps::new(PARTS.len(), 0.05);
    for _ in 0..200 {
        let mut gradient = [0f64; PARTS.len()];
        for row in &used {
            let scaled = |parts: &[f32; PARTS.len()], part: usize| f64::from(parts[part]) / spread[part];
            let scores: Vec<f64> =
                row.ranked.iter().map(|(parts, _)| (0..PARTS.len()).map(|part| weights[part] * scaled(parts, part)).sum()).collect();
            let top = scores.iter().copied().fold(f64::MIN, f64::max);
            let sum: f64 = scores.iter().map(|score| (score - top).exp()).sum();
            let needed = row.ranked.iter().filter(|(_, is)| *is).count() as f64;
            for (score, (parts, is_needed)) in scores.iter().zip(&row.ranked) {
                let error = f64::from(u8::from(*is_needed)) / needed - (score - top).exp() / sum;
                for (part, gradient) in gradient.iter_mut().enumerate() {
                    *gradient += error * scaled(parts, part) / used.len() as f64;
                }
            }
        }
        for (gradient, weight) in gradient.iter_mut().zip(weights) {
            *gradient -= 5.0 * weight / used.len() as f64;
        }
        steps.climb(&mut weights, &gradient);
    }
    let mut result = [0f32; PARTS.len()];
    for (result, (weight, spread)) in result.iter_mut().zip(weights.iter().zip(spread)) {
        *result = ((weight / spread) * 100.0).round() as f32 / 100.0;
    }
    result
}

/// Fits abstention to the messages that are used.
pub(crate) fn fit_abstention(bench: &Bench, rows: &[Row], own: &[Example], is_used: &dyn Fn(usize) -> bool) -> Fitted {
    let used: Vec<usize> = (0..rows.len()).filter(|at| is_used(*at)).collect();
    let example = |message: &Message| Example {
        class: class(&message.kind),
        features: message.features.clone(),
        source: Some(message.project.clone()),
    };
    let of_kinds = |keep: &dyn Fn(usize) -> bool| {
        let others = used.iter().filter(|at| keep(**at)).map(|at| example(&bench.messages[*at]));
        softmax(&own.iter().cloned().chain(others).collect::<Vec<_>>())
    };
    let fitted = of_kinds(&|_| true);
    let mut samples = Vec::new();
    for part in 0..PARTITIONS {
        let is_its = |at: usize| partition(&bench.messages[at].text) == part;
        let without = of_kinds(&|at| !is_its(at));
        for &at in used.iter().filter(|at| is_its(**at)) {
            let (message, row) = (&bench.messages[at], &rows[at]);
            let mut features = row.evidence;
            features[..KINDS].copy_from_slice(&message.features.kinds(&without));
            let weight = if message.wants() && !row.is_within_reach() { OUT_OF_REACH } else { 1.0 };
            samples.push(Sample { features, is_wanted: message.wants(), weight });
        }
    }
    let (base, trees) = boost(&samples);
    Fitted { base, trees, ..fitted }
}

/// Spreads messages over the partitions, the same ones always together.
fn partition(text: &str) -> u32 {
    let hash = text.bytes().fold(0x811c_9dc5u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (hash >> 8) % PARTITIONS
}

/// What was fitted without a project, and the confidence for each of its messages.
pub(crate) struct LeftOut {
    pub(crate) project: String,
    pub(crate) weights: Weights,
    pub(crate) confidence: Vec<(usize, f32)>,
}

/// Fits everything without one project. Messages that are repeated there are left out as well.
pub(crate) fn leave_out(bench: &Bench, first: &[Row], own: &[Example], project: &str) -> LeftOut {
    let texts: HashSet<&str> =
        bench.messages.iter().filter(|message| message.project == project).map(|message| message.text.as_str()).collect();
    let is_used = |at: usize| bench.messages[at].project != project && !texts.contains(bench.messages[at].text.as_str());
    let mut weights = Weights { parts: fit_ranking(first, &is_used), ..Weights::default() };
    let rows = bench.rows(&weights);
    let fitted = fit_abstention(bench, &rows, own, &is_used);
    let its = (0..rows.len()).filter(|at| bench.messages[*at].project == project);
    let confidence = its.map(|at| {
        let mut features = rows[at].evidence;
        features[..KINDS].copy_from_slice(&bench.messages[at].features.kinds(&fitted));
        (at, 1.0 / (1.0 + (-fitted.log_odds(&features)).exp()))
    });
    let confidence = confidence.collect();
    weights.fitted = Arc::new(fitted);
    LeftOut { project: project.to_owned(), weights, confidence }
}

/// Returns the least confidence at which few enough messages that need nothing get something. The confidences were all
/// found without the message's project.
pub(crate) fn needed(bench: &Bench, confidences: &[(usize, f32)]) -> f32 {
    let bound = |class_number: usize, share: f64| {
        let is_its = |at: usize| class(&bench.messages[at].kind) == class_number;
        let mut its: Vec<f32> = confidences.iter().filter(|(at, _)| is_its(*at)).map(|(_, confidence)| *confidence).collect();
        its.sort_by(f32::total_cmp);
        let below = its.iter().enumerate().find(|(at, _)| *at as f64 >= (1.0 - share) * its.len() as f64);
        below.map_or(0.5, |(_, confidence)| *confidence)
    };
    let needed = bound(2, ORDERS).max(bound(1, OTHERS));
    (needed * 1000.0).ceil() / 1000.0
}

/// Returns the share of each kind of message that reaches a confidence.
pub(crate) fn shares(bench: &Bench, confidences: &[(usize, f32)], needed: f32) -> String {
    let mut kinds: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (at, confidence) in confidences {
        let message = &bench.messages[*at];
        let (reached, all) = kinds.entry(format!("{}/{}", bench.sets[message.set], message.kind)).or_default();
        *reached += usize::from(*confidence >= needed);
        *all += 1;
    }
    kinds.into_iter().map(|(kind, (reached, all))| format!("{kind} {:.3}", reached as f64 / all as f64)).collect::<Vec<_>>().join("  ")
}
