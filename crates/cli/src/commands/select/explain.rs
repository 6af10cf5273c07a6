//! Explains a selection, as text and as JSON.

use std::fmt::Write as _;

use briefing_core::Candidate;
use briefing_core::select::{Ranked, Verdict};
use briefing_core::sources::docs::Choice;
use serde_json::{Value, json};

/// Returns the explanation as text.
pub(super) fn text(choice: &Choice, limit: usize, path: impl Fn(&Candidate) -> String) -> String {
    let (selection, chosen) = (&choice.selection, choice.chosen());
    let mut text = String::new();
    let words = if selection.words.is_empty() { "none".to_owned() } else { selection.words.join(", ") };
    let _ = writeln!(text, "words looked for: {words}");
    let _ = writeln!(text, "documents with any of them: {} of {}", selection.matching, selection.documents);
    let _ = writeln!(text, "confidence: {:.2}, needed: {:.2}", selection.confidence, selection.threshold);
    if let Some(why) = selection.abstained {
        let _ = writeln!(text, "nothing chosen: {why}");
    } else if chosen.is_empty() {
        let _ = writeln!(text, "nothing chosen: the model named none");
    }
    if choice.is_models {
        let number = |id| selection.candidates.iter().position(|candidate| candidate.id() == id).map_or(0, |place| place + 1);
        let numbers: Vec<_> = chosen.iter().map(|candidate| number(candidate.id()).to_string()).collect();
        let _ = writeln!(text, "chosen by the model: {}", numbers.join(", "));
    }
    let mut last = None;
    for (number, candidate) in (1..).zip(&selection.candidates) {
        let ranked = &candidate.about.ranked;
        if last != Some(ranked.verdict) {
            last = Some(ranked.verdict);
            let _ = match ranked.verdict {
                Verdict::Chosen if choice.is_models => writeln!(text, "\nshown to the model"),
                Verdict::Chosen => writeln!(text, "\nchosen"),
                Verdict::OverLimit => writeln!(text, "\nover the limit of {limit}"),
                Verdict::BelowCut => writeln!(text, "\nbelow the cut at {:.3}", selection.cut),
                Verdict::NotMeant => writeln!(text, "\nthe message names another document"),
                Verdict::Abstained => writeln!(text, "\nnearest"),
            };
        }
        let _ = writeln!(
            text,
            "{:>3}. {}  score {:.3} (words {:.3}, meaning {:.2})",
            number,
            path(candidate),
            ranked.score,
            ranked.words,
            ranked.meaning
        );
        if !ranked.matches.is_empty() {
            let _ = writeln!(text, "     {}", matches(ranked));
        }
        if let Some(section) = ranked.sections.first().filter(|section| !section.trail.is_empty()) {
            let _ = writeln!(text, "     best section: {}", section.trail);
        }
    }
    text
}

fn matches(ranked: &Ranked) -> String {
    let found = ranked.matches.iter().map(|found| {
        let fields: Vec<&str> = found.fields.iter().map(|field| field.name()).collect();
        format!("{}: {}", found.word, fields.join(", "))
    });
    found.collect::<Vec<_>>().join("; ")
}

/// Returns the complete result as JSON.
pub(super) fn json(choice: &Choice, path: impl Fn(&Candidate) -> String) -> Value {
    let selection = &choice.selection;
    let chosen: Vec<String> = choice.chosen().into_iter().map(&path).collect();
    let described = |candidate: &Candidate| {
        let ranked = &candidate.about.ranked;
        let matches = ranked.matches.iter().map(|found| {
            let fields: Vec<&str> = found.fields.iter().map(|field| field.name()).collect();
            json!({ "word": found.word, "fields": fields })
        });
        json!({
            "path": path(candidate),
            "title": ranked.title,
            "score": ranked.score,
            "words": ranked.words,
            "meaning": ranked.meaning,
            "verdict": verdict(ranked.verdict),
            "matches": matches.collect::<Vec<_>>(),
            "sections": ranked.sections.iter().map(|section| section.trail.as_str()).collect::<Vec<_>>(),
        })
    };
    json!({
        "paths": chosen,
        "selector": if choice.is_models { "openai" } else { "local" },
        "abstained": selection.abstained.map(|why| why.to_string()),
        "confidence": selection.confidence,
        "threshold": selection.threshold,
        "words": selection.words,
        "documents": selection.documents,
        "candidates": selection.candidates.iter().map(described).collect::<Vec<_>>(),
        "notes": choice.notes.iter().chain(&choice.unread).collect::<Vec<_>>(),
    })
}

fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Chosen => "chosen",
        Verdict::BelowCut => "below-cut",
        Verdict::NotMeant => "not-meant",
        Verdict::OverLimit => "over-limit",
        Verdict::Abstained => "abstained",
    }
}
