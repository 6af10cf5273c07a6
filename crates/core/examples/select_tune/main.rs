//! Fits the selector to sets of documents and messages, and measures what it would put into a window.
//!
//! ```text
//! select_tune measure SET…      measures the program as it is
//! select_tune left-out SET…     fits it without each project in turn, and measures that project
//! select_tune fit FILE SET…     fits it to all, writes `fitted.bin` and prints the weights of the ranking
//! ```
//!
//! A set is a directory with `docs.jsonl` and `queries.jsonl` in the form of the selection bench. Only `left-out` says
//! what the selector is worth on other projects.
#![expect(clippy::print_stdout, reason = "standard output is this program's answer")]

mod bench;
mod boost;
mod fit;
mod inject;
mod softmax;

use std::error::Error;
use std::path::Path;
use std::sync::{Arc, Mutex};

use bench::Bench;
use briefing_core::select::{Fitted, Weights};
use fit::{LeftOut, fit_abstention, fit_ranking, leave_out, needed, own_examples};

const USAGE: &str = "usage: select_tune measure SET… | left-out SET… | fit FILE SET…";

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match &words[..] {
        ["measure", sets @ ..] if !sets.is_empty() => measure(&read(sets)?),
        ["left-out", sets @ ..] if !sets.is_empty() => left_out(&read(sets)?),
        ["fit", file, sets @ ..] if !sets.is_empty() => fit(&read(sets)?, Path::new(file)),
        _ => Err(USAGE.into()),
    }
}

fn read(sets: &[&str]) -> Result<Bench, Box<dyn Error>> {
    Bench::read(&sets.iter().map(Path::new).collect::<Vec<_>>())
}

fn measure(bench: &Bench) -> Result<(), Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    let weights = Weights::default();
    let mut outcomes = Vec::new();
    for project in bench.projects() {
        outcomes.extend(inject::inject(bench, project, &weights, directory.path())?);
    }
    inject::print(bench, &outcomes);
    Ok(())
}

/// Fits without each project in turn.
fn all_left_out(bench: &Bench) -> Result<Vec<LeftOut>, Box<dyn Error>> {
    let own = own_examples()?;
    let first = bench.rows(&Weights::default());
    let waiting = Mutex::new(bench.projects().collect::<Vec<_>>());
    let done = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(project) = waiting.lock().ok().and_then(|mut waiting| waiting.pop()) {
                    let left_out = leave_out(bench, &first, &own, project);
                    if let Ok(mut done) = done.lock() {
                        done.push(left_out);
                    }
                }
            });
        }
    });
    let mut done = done.into_inner().map_err(|_| "a thread has failed")?;
    done.sort_by(|a, b| a.project.cmp(&b.project));
    Ok(done)
}

fn left_out(bench: &Bench) -> Result<(), Box<dyn Error>> {
    let all = all_left_out(bench)?;
    let directory = tempfile::tempdir()?;
    let mut outcomes = Vec::new();
    for one in &all {
        let others: Vec<(usize, f32)> =
            all.iter().filter(|other| other.project != one.project).flat_map(|other| other.confidence.clone()).collect();
        let fitted = Fitted { needed: needed(bench, &others), ..Fitted::clone(&one.weights.fitted) };
        let weights = Weights { fitted: Arc::new(fitted), ..one.weights.clone() };
        outcomes.extend(inject::inject(bench, &one.project, &weights, directory.path())?);
    }
    inject::print(bench, &outcomes);
    println!("\nneeded confidence, and which messages would get something");
    let confidences: Vec<(usize, f32)> = all.into_iter().flat_map(|one| one.confidence).collect();
    for needed in [0.2, 0.3, 0.4, 0.5, 0.6, 0.7] {
        println!("{needed:.1}  {}", fit::shares(bench, &confidences, needed));
    }
    Ok(())
}

fn fit(bench: &Bench, file: &Path) -> Result<(), Box<dyn Error>> {
    let confidences: Vec<(usize, f32)> = all_left_out(bench)?.into_iter().flat_map(|one| one.confidence).collect();
    let parts = fit_ranking(&bench.rows(&Weights::default()), &|_| true);
    let weights = Weights { parts, ..Weights::default() };
    let fitted = fit_abstention(bench, &bench.rows(&weights), &own_examples()?, &|_| true);
    let fitted = Fitted { needed: needed(bench, &confidences), ..fitted };
    std::fs::write(file, fitted.encode())?;
    println!("parts: {parts:?}, needed: {:.3}, words: {}", fitted.needed, fitted.words.len());
    Ok(())
}
