//! Explains a selection as text.

use std::fmt::Write as _;

use briefing_core::Candidate;
use briefing_core::select::Verdict;
use briefing_core::settings::Setting;
use briefing_core::shown::one_line;
use briefing_core::sources::docs::{Choice, Shown, explain_choice};

/// Returns the explanation as text. `limit` is the number of documents that were asked for.
pub(crate) fn text(choice: &Choice, limit: usize, max_docs: &Setting<u64>, path: impl Fn(&Candidate) -> String) -> String {
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
    for (candidate, explained) in selection.candidates.iter().zip(explain_choice(choice, limit, max_docs)) {
        if last != Some(explained.verdict) {
            last = Some(explained.verdict);
            let _ = match explained.verdict {
                Verdict::Chosen if choice.is_models => writeln!(text, "\nshown to the model"),
                Verdict::Chosen => writeln!(text, "\nchosen"),
                Verdict::OverLimit => writeln!(text, "\nover the limit of {limit}"),
                Verdict::BelowCut => writeln!(text, "\nbelow the cut at {:.3}", selection.cut),
                Verdict::NotMeant => writeln!(text, "\nthe message names another document"),
                Verdict::Abstained => writeln!(text, "\nnearest"),
            };
        }
        let _ = writeln!(text, "{:>3}. {}  {}", explained.place, one_line(&path(candidate)), explained.score_words());
        for line in explained.details(Shown::Missed) {
            let _ = writeln!(text, "     {}", one_line(&line));
        }
    }
    text
}
