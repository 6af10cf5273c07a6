//! Measures and tunes the selector on a set of documents and messages, always with projects left out.
//!
//! ```text
//! select_tune sound            fits what a message that wants a document sounds like
//! select_tune SET…             measures the weights as they are, by project
//! select_tune SET… rank        searches ranking weights, in sample and leaving each project out
//! select_tune SET… abstain     fits the abstention coefficients on all sets, in sample and leaving each project out
//! select_tune SET… k1=1.5 …    the same with other weights
//! ```
//!
//! A set is a directory with `docs.jsonl` and `queries.jsonl` in the form of the selection bench.
#![expect(clippy::print_stdout, reason = "standard output is this program's answer")]

mod bench;
mod logistic;

use std::error::Error;
use std::path::Path;

use bench::{Bench, Measure, Row};
use briefing_core::select::{FEATURES, Weights, direction};
use logistic::fit;
use serde_json::Value;

/// Messages of ours about no project in particular, and whether they want a document.
const MESSAGES: &str = include_str!("messages.jsonl");
/// How much the 128 weights of a message's sound are held back; the messages are few for so many.
const SOUND_RIDGE: f64 = 128.0;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| args.iter().any(|arg| arg == word);
    if has("sound") {
        return tune_sound();
    }
    let sets: Vec<&Path> = args.iter().map(Path::new).filter(|path| path.join("queries.jsonl").is_file()).collect();
    if sets.is_empty() {
        return Err("usage: select_tune sound | SET… [rank | abstain] [NAME=VALUE…]; a set holds docs.jsonl and queries.jsonl".into());
    }
    let benches = sets.iter().map(|set| Bench::read(set)).collect::<Result<Vec<_>, _>>()?;
    let mut weights = Weights::default();
    for pair in args.iter().filter_map(|arg| arg.split_once('=')) {
        *knob(&mut weights, pair.0).ok_or_else(|| format!("no weight is called {}", pair.0))? = pair.1.parse()?;
    }
    if has("abstain") {
        tune_abstain(&benches, &weights);
        return Ok(());
    }
    for bench in &benches {
        if has("rank") {
            tune_rank(bench, &weights);
            continue;
        }
        for project in &bench.projects {
            println!("{project:12} {}", bench.measure(&weights, |p| p == project));
        }
        println!("{:12} {}", "all", bench.measure(&weights, |_| true));
    }
    Ok(())
}

/// Fits the sound of messages, and prints the numbers of `sound.rs`.
fn tune_sound() -> Result<(), Box<dyn Error>> {
    let mut rows = Vec::new();
    for line in MESSAGES.lines() {
        let message: Value = serde_json::from_str(line)?;
        rows.push((direction(message["text"].as_str().ok_or("a message has no text")?), message["wants"] == true));
    }
    let is_right = |rows: &[([f32; 128], bool)], (constant, sound): (f32, [f32; 128])| {
        let right = |row: &&([f32; 128], bool)| (row.0.iter().zip(sound).fold(constant, |sum, (x, y)| sum + x * y) > 0.0) == row.1;
        rows.iter().filter(right).count() as f64 / rows.len() as f64
    };
    let (even, odd): (Vec<_>, Vec<_>) = rows.iter().enumerate().partition(|(at, _)| at % 2 == 0);
    let half = |half: Vec<(usize, &([f32; 128], bool))>| half.into_iter().map(|(_, row)| *row).collect::<Vec<_>>();
    let (even, odd) = (half(even), half(odd));
    println!(
        "// right: {:.3} in sample, {:.3} on the other half",
        is_right(&rows, fit(&rows, SOUND_RIDGE)),
        is_right(&odd, fit(&even, SOUND_RIDGE))
    );
    let (constant, sound) = fit(&rows, SOUND_RIDGE);
    println!("const CONSTANT: f32 = {constant:.3};\n\nconst SOUND: [f32; DIMENSIONS] = [");
    for row in sound.chunks(8) {
        println!("    {},", row.iter().map(|x| format!("{x:.3}")).collect::<Vec<_>>().join(", "));
    }
    println!("];");
    Ok(())
}

/// The ranking weights that are searched, with the factors tried from the current value.
const KNOBS: &[&str] = &[
    "title",
    "tags",
    "headings",
    "path",
    "description",
    "k1",
    "b_short",
    "b_body",
    "passage",
    "passage_k1",
    "passage_b",
    "chatter",
    "exact",
    "meaning",
    "meaning_passage",
];

fn knob<'a>(weights: &'a mut Weights, name: &str) -> Option<&'a mut f32> {
    Some(match name {
        "title" => &mut weights.fields[0],
        "tags" => &mut weights.fields[1],
        "headings" => &mut weights.fields[2],
        "path" => &mut weights.fields[3],
        "description" => &mut weights.fields[4],
        "k1" => &mut weights.k1,
        "b_short" => &mut weights.b_short,
        "b_body" => &mut weights.b_body,
        "passage" => &mut weights.passage,
        "passage_k1" => &mut weights.passage_k1,
        "passage_b" => &mut weights.passage_b,
        "chatter" => &mut weights.chatter,
        "exact" => &mut weights.exact,
        "meaning" => &mut weights.meaning,
        "meaning_passage" => &mut weights.meaning_passage,
        "cut" => &mut weights.cut,
        "threshold" => &mut weights.threshold,
        _ => return None,
    })
}

/// Ranking alone: abstention is switched off by a threshold that everything passes.
fn ranking_only(weights: &Weights) -> Weights {
    Weights { threshold: 0.0, cut: 0.0, ..weights.clone() }
}

fn rank_score(measure: &Measure) -> f64 {
    measure.ndcg_ranked + measure.recall5_ranked
}

/// Walks along one weight at a time while it helps by more than noise.
fn climb(bench: &Bench, start: &Weights, train: &dyn Fn(&str) -> bool) -> Weights {
    let mut best = ranking_only(start);
    let mut score = rank_score(&bench.measure(&best, train));
    for _round in 0..2 {
        let before = score;
        for name in KNOBS {
            for factor in [0.5, 0.75, 1.33, 2.0] {
                let mut tried = best.clone();
                let Some(value) = knob(&mut tried, name) else {
                    continue;
                };
                *value *= factor;
                if (name.starts_with("b_") || *name == "passage_b" || *name == "meaning_passage") && *value > 1.0 {
                    continue;
                }
                let found = rank_score(&bench.measure(&tried, train));
                if found > score + 0.0015 {
                    (best, score) = (tried, found);
                }
            }
        }
        if score - before < 0.002 {
            break;
        }
    }
    best
}

fn tune_rank(bench: &Bench, start: &Weights) {
    let base = ranking_only(start);
    println!("start        {}", bench.measure(&base, |_| true));
    let mut held_out = Vec::new();
    for project in &bench.projects {
        let found = climb(bench, start, &|p| p != project);
        println!("{project:12} {} (before {})", bench.measure(&found, |p| p == project), bench.measure(&base, |p| p == project));
        held_out.extend(bench.rows(&found, |p| p == project));
    }
    println!("left out     {}", Measure::of(&held_out));
    let found = climb(bench, start, &|_| true);
    println!("in sample    {}\n{found:#?}", bench.measure(&found, |_| true));
}

fn tune_abstain(benches: &[Bench], start: &Weights) {
    let all: Vec<Row> = benches.iter().flat_map(|bench| bench.rows(start, |_| true)).collect();
    let fitted = |keep: &dyn Fn(&str) -> bool| {
        let train: Vec<_> = all.iter().filter(|row| keep(&row.project)).map(|row| (row.evidence, row.wants)).collect();
        let (bias, evidence) = fit(&train, 1.0);
        Weights { bias, evidence, ..start.clone() }
    };
    let found = fitted(&|_| true);
    for bench in benches {
        for threshold in [0.35, 0.4, 0.45, 0.5, 0.6, 0.7] {
            let mut held_out = Vec::new();
            for project in &bench.projects {
                held_out.extend(bench.rows(&Weights { threshold, ..fitted(&|p| p != project) }, |p| p == project));
            }
            println!("at {threshold:.2}, left out   {}", Measure::of(&held_out));
            println!("at {threshold:.2}, in sample  {}", bench.measure(&Weights { threshold, ..found.clone() }, |_| true));
        }
    }
    println!("bias: {:.3},\nevidence: [", found.bias);
    for (name, value) in FEATURES.iter().zip(found.evidence) {
        println!("    {value:.3}, // {name}");
    }
    println!("],");
}
