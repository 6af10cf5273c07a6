//! Checks the indexes of documents: whether they can be read, and how many of their documents are there.

use briefing_core::Level;
use briefing_core::settings::{Layer, Places};
use briefing_core::shown::path_text;
use briefing_core::sources::docs::{examine, find};

use super::{Check, Verdict};
use crate::environment;

pub(super) fn look(places: &Places) -> Vec<Check> {
    let (settings, _) = environment::resolve(places, Layer::default());
    let found = find(places, &settings);
    let check = |verdict, detail: String| Check::new("documents", "index", verdict, detail);
    let mut checks = Vec::new();
    for note in found.notes.iter().filter(|note| note.level > Level::Info) {
        let by = note.decided_by.as_deref().unwrap_or("settings");
        checks.push(check(Verdict::Broken, note.to_string()).fix(format!("correct {by}, or run `brief index`")));
    }
    for index in found.files() {
        checks.push(match examine(&index, places) {
            Err(failure) => {
                let detail = std::iter::once(failure.to_string()).chain(failure.causes().iter().cloned()).collect::<Vec<_>>().join(": ");
                let broken = check(Verdict::Broken, detail);
                failure.hints().iter().fold(broken, |check, hint| check.fix(hint.clone()))
            }
            Ok(state) => {
                let detail = format!("{} of {} documents reachable in {}", state.readable, state.documents, path_text(&state.file));
                match state.readable {
                    all if all == state.documents => check(Verdict::Good, detail),
                    0 => check(Verdict::Broken, detail).fix("`brief docs list` says why"),
                    _ => check(Verdict::Info, detail).fix("`brief docs list` says why"),
                }
            }
        });
    }
    checks
}
