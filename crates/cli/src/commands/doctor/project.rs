//! Checks the project: its indexes, core files and domains. The library finds what is wrong; this says what is right, too.

use briefing_core::Level;
use briefing_core::health::{self, Finding};
use briefing_core::settings::{Layer, Places};
use briefing_core::shown::path_text;
use briefing_core::sources::{docs, domains, gate};

use super::{Check, Verdict};
use crate::environment;

pub(super) fn look(places: &Places) -> Vec<Check> {
    let (settings, _) = environment::resolve(places, Layer::default());
    let now = environment::now().unwrap_or_else(|_| jiff::Timestamp::now());
    let found = health::examine(places, &settings, now);
    let mut checks = Vec::new();
    for index in docs::find(places, &settings).files() {
        let Ok(state) = docs::examine(&index, places) else { continue };
        let verdict = if state.readable == state.documents { Verdict::Good } else { Verdict::Info };
        let detail = format!("{} of {} documents reachable in {}", state.readable, state.documents, path_text(&state.file));
        checks.push(Check::new("documents", "index", verdict, detail));
    }
    checks.extend(of("documents", &found));
    if let Some(gate) = gate::load(places, &settings) {
        let tokens: u64 = gate.sections.iter().map(|section| section.tokens).sum();
        let detail = format!("{} files, {tokens} tokens, in {}", gate.sections.len(), path_text(&gate.directory));
        checks.push(Check::new("core files", "files", Verdict::Good, detail));
    }
    checks.extend(of("core files", &found));
    if let Some(domain) = domains::nearest(&places.here) {
        checks.push(Check::new("domains", "nearest", Verdict::Good, path_text(&domain)));
    }
    checks.extend(of("domains", &found));
    checks
}

fn of(about: &'static str, found: &[Finding]) -> impl Iterator<Item = Check> {
    found.iter().filter(move |finding| finding.about() == about).map(|finding| {
        let verdict = if finding.level() == Level::Error { Verdict::Broken } else { Verdict::Info };
        let what = match finding {
            Finding::Draft(_) => "draft",
            Finding::Unfilled(_) => "template",
            Finding::Unusable(..) => "file",
            Finding::DeadPath { .. } => "path",
            Finding::Domains { .. } => "knowledge",
            _ => "index",
        };
        Check::new(finding.about(), what, verdict, finding.to_string()).fix(finding.fix())
    })
}
