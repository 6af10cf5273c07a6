//! Times opening and asking a search file: `select_speed [DOCUMENTS]`.
//!
//! The documents are made up from a fixed recurrence, so runs compare; words follow the usual steep frequencies.
#![expect(clippy::print_stdout, reason = "standard output is this program's answer")]

use std::error::Error;
use std::time::Instant;

use briefing_core::select::{Document, SearchIndex, Wanted};

fn main() -> Result<(), Box<dyn Error>> {
    let count: u64 = std::env::args().nth(1).map_or(Ok(1_000), |text| text.parse())?;
    let mut state = 7u64;
    let mut word = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let uniform = (state >> 40) as f64 / f64::from(1 << 24);
        format!("term{:.0}", (1.0 / (uniform + 1e-5).powf(0.9)).floor())
    };
    let documents: Vec<Document> = (0..count)
        .map(|number| {
            let section = |n: usize, word: &mut dyn FnMut() -> String| {
                let words: Vec<String> = (0..150).map(|_| word()).collect();
                format!("## Section {n} {}\n\n{}\n\n", word(), words.join(" "))
            };
            let text: String = (0..6).map(|n| section(n, &mut word)).collect();
            Document { id: format!("docs/{number}.md"), path: format!("docs/{number}.md"), text, ..Document::default() }
        })
        .collect();
    let started = Instant::now();
    let bytes = SearchIndex::build(&documents);
    println!("build {count} documents: {:.0} ms, {} bytes", started.elapsed().as_secs_f64() * 1e3, bytes.len());
    let path = std::env::temp_dir().join(format!("select-speed-{}", std::process::id()));
    std::fs::write(&path, bytes)?;
    let fingerprint = Wanted::new(documents.iter().map(|document| (document.id.as_str(), Some(document.hash.as_str())))).fingerprint();
    let message = "how does term40 react to term77 when the term1234 section of term9 is wrong, see term310 and term2?";
    let mut times: Vec<f64> = Vec::new();
    for _ in 0..50 {
        let started = Instant::now();
        let index = SearchIndex::open(&path, &fingerprint)?;
        let selection = index.query(message, 5)?;
        times.push(started.elapsed().as_secs_f64() * 1e3);
        assert!(selection.matching > 0, "the made-up words occur");
    }
    times.sort_by(f64::total_cmp);
    println!("open and query: {:.2} ms at best, {:.2} ms median", times[0], times[times.len() / 2]);
    std::fs::remove_file(path)?;
    Ok(())
}
