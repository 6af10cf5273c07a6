//! Measures what enters a window: every message goes through the documents source, with the program's settings.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use briefing_core::render::window::{Version, label};
use briefing_core::select::Weights;
use briefing_core::settings::{Places, Settings};
use briefing_core::sources::docs::{SelectRequest, bring};

use crate::bench::{Bench, Message};

/// What one message brought.
pub(crate) struct Outcome {
    set: usize,
    kind: String,
    wants: bool,
    pub(crate) characters: usize,
    /// Those of needed documents.
    good: usize,
    is_first: bool,
    pub(crate) documents: Vec<String>,
}

/// Sends a project's messages through the documents source.
pub(crate) fn inject(bench: &Bench, project: &str, weights: &Weights, directory: &Path) -> Result<Vec<Outcome>, Box<dyn Error>> {
    let here = bench.export(project, directory)?;
    let places = Places { here, config: None, state: None, cache: Some(directory.join(format!("{project}-cache"))), home: None };
    let settings = Settings::defaults();
    let outcome = |message: &Message| {
        let brought = bring(&SelectRequest { weights: Some(weights), ..SelectRequest::new(&message.text, &places, &settings) });
        let id = |file: &str| file.strip_prefix("docs/").unwrap_or(file).to_owned();
        let mut outcome = Outcome {
            set: message.set,
            kind: message.kind.clone(),
            wants: message.wants(),
            characters: 0,
            good: 0,
            is_first: false,
            documents: Vec::new(),
        };
        for piece in &brought.pieces {
            let id = id(&piece.file);
            let line = label(&piece.path, &piece.reason.to_string(), Version { earlier: 0, is_excerpt: false }, None);
            let characters = line.chars().count() + piece.text.chars().count() + 2;
            let is_needed = message.relevant.contains(&id);
            outcome.characters += characters;
            outcome.good += if is_needed { characters } else { 0 };
            outcome.is_first |= is_needed && outcome.documents.is_empty();
            if !outcome.documents.contains(&id) {
                outcome.documents.push(id);
            }
        }
        outcome
    };
    Ok(bench.messages.iter().filter(|message| message.project == project).map(outcome).collect())
}

/// Prints the figures of each set and of each kind of message.
#[expect(clippy::print_stdout, reason = "standard output is this program's answer")]
pub(crate) fn print(bench: &Bench, outcomes: &[Outcome]) {
    for (set, name) in bench.sets.iter().enumerate() {
        let its: Vec<&Outcome> = outcomes.iter().filter(|outcome| outcome.set == set).collect();
        println!("{name:16} {}", line(&its));
        let mut kinds: BTreeMap<&str, Vec<&Outcome>> = BTreeMap::new();
        for outcome in its {
            kinds.entry(&outcome.kind).or_default().push(outcome);
        }
        for (kind, its) in kinds {
            println!("  {kind:14} {}", line(&its));
        }
    }
}

fn line(outcomes: &[&Outcome]) -> String {
    let (yes, no): (Vec<&Outcome>, Vec<&Outcome>) = outcomes.iter().partition(|outcome| outcome.wants);
    let mean = |its: &[&Outcome], value: &dyn Fn(&Outcome) -> f64| its.iter().map(|outcome| value(outcome)).sum::<f64>() / its.len() as f64;
    let is = |is: bool| f64::from(u8::from(is));
    let mut line = format!("n {:4}", outcomes.len());
    if !yes.is_empty() {
        let sum = |value: &dyn Fn(&Outcome) -> usize| yes.iter().map(|outcome| value(outcome)).sum::<usize>() as f64;
        let _ = write!(
            line,
            "  recall {:.3} first {:.3} precision {:.3} tokens {:.0} documents {:.2} silent {:.3}",
            mean(&yes, &|outcome| is(outcome.good > 0)),
            mean(&yes, &|outcome| is(outcome.is_first)),
            sum(&|outcome| outcome.good) / sum(&|outcome| outcome.characters).max(1.0),
            mean(&yes, &|outcome| outcome.characters as f64 / 4.0),
            mean(&yes, &|outcome| outcome.documents.len() as f64),
            mean(&yes, &|outcome| is(outcome.characters == 0)),
        );
    }
    if !no.is_empty() {
        let _ = write!(
            line,
            "  get something {:.3} noise {:.0}",
            mean(&no, &|outcome| is(outcome.characters > 0)),
            mean(&no, &|outcome| outcome.characters as f64 / 4.0)
        );
    }
    line
}
