//! Measures and tunes the selector on a set of documents and messages, always with projects left out.
//!
//! ```text
//! select_tune SET                 measures the weights as they are, in sample and by project
//! select_tune SET rank            searches ranking weights, in sample and leaving each project out
//! select_tune SET abstain         fits the abstention coefficients, in sample and leaving each project out
//! select_tune SET set k1=1.5 …    measures with other weights
//! ```
//!
//! `SET` holds `docs.jsonl` and `queries.jsonl` in the form of the selection bench.
#![expect(clippy::print_stdout, reason = "standard output is this program's answer")]

mod bench;
mod logistic;

use std::error::Error;

use bench::{Bench, Measure};
use briefing_core::select::{FEATURES, Weights};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let set = args.first().ok_or("usage: select_tune SET [rank | abstain | set NAME=VALUE…]")?;
    let bench = Bench::read(set.as_ref())?;
    let mut weights = Weights::default();
    for pair in args.iter().filter_map(|arg| arg.split_once('=')) {
        *knob(&mut weights, pair.0).ok_or_else(|| format!("no weight is called {}", pair.0))? = pair.1.parse()?;
    }
    match args.get(1).map(String::as_str) {
        Some("rank") => tune_rank(&bench, &weights),
        Some("abstain") => tune_abstain(&bench, &weights),
        _ => {
            for project in &bench.projects {
                println!("{project:12} {}", bench.measure(&weights, |p| p == project));
            }
            println!("{:12} {}", "all", bench.measure(&weights, |_| true));
        }
    }
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

fn tune_abstain(bench: &Bench, start: &Weights) {
    let rows = bench.rows(start, |_| true);
    let fit = |keep: &dyn Fn(&str) -> bool| {
        let train: Vec<_> = rows.iter().filter(|row| keep(&row.project)).map(|row| (row.evidence, row.wants)).collect();
        let (bias, evidence) = logistic::fit(&train, 1.0);
        Weights { bias, evidence, ..start.clone() }
    };
    let mut held_out = Vec::new();
    for project in &bench.projects {
        let found = fit(&|p| p != project);
        println!("{project:12} {}", bench.measure(&found, |p| p == project));
        held_out.extend(bench.rows(&found, |p| p == project));
    }
    println!("left out     {}", Measure::of(&held_out));
    let found = fit(&|_| true);
    println!("in sample    {}", bench.measure(&found, |_| true));
    for threshold in [0.3, 0.4, 0.5, 0.6, 0.7] {
        let tried = Weights { threshold, ..found.clone() };
        println!("  at {threshold:.1}     {}", bench.measure(&tried, |_| true));
    }
    println!("bias: {:.3},\nevidence: [", found.bias);
    for (name, value) in FEATURES.iter().zip(found.evidence) {
        println!("    {value:.3}, // {name}");
    }
    println!("],");
}
