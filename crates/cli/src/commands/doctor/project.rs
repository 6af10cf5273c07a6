//! Checks the project: its indexes, core files, domains and files with instructions. The library finds what is wrong; this says what is right, too.

use std::path::PathBuf;

use briefing_agents::AGENTS;
use briefing_core::Level;
use briefing_core::health::{self, Finding};
use briefing_core::settings::{Layer, Places, Settings};
use briefing_core::shown::{path_text, relative_text};
use briefing_core::sources::instructions::{self, STANDARD};
use briefing_core::sources::{docs, domains, gate};

use super::{Check, Verdict};
use crate::commands::install::files::is_here;
use crate::environment;
use crate::host::Asking;

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
    checks.extend(instructions(places, &settings));
    checks
}

/// Checks the files with instructions: what the agents here load by themselves, what they receive, and what they load twice.
fn instructions(places: &Places, settings: &Settings) -> Vec<Check> {
    const ABOUT: &str = "instructions";
    let mut checks = Vec::new();
    for agent in AGENTS.iter().filter(|agent| agent.has_hooks() && is_here(agent, places)) {
        let Ok(asking) = Asking::of(agent, places, settings) else { continue };
        let reader = asking.ask().reader;
        let names = |files: &[PathBuf]| files.iter().map(|file| relative_text(file, &reader.root)).collect::<Vec<_>>().join(", ");
        let (loaded, supplied) = (reader.loaded(), instructions::supplied(&asking.ask()));
        if !loaded.is_empty() || !supplied.is_empty() {
            let loads = if loaded.is_empty() { "loads none by itself".to_owned() } else { format!("loads {}", names(&loaded)) };
            let receives = if supplied.is_empty() { String::new() } else { format!(", receives {}", names(&supplied)) };
            checks.push(Check::new(ABOUT, agent.name, Verdict::Good, format!("{loads}{receives}")));
        }
        let repeated = reader.repeated();
        if !repeated.is_empty() {
            let detail = format!("{} have the same text, and {} loads all of them", names(&repeated), agent.title);
            checks.push(Check::new(ABOUT, agent.name, Verdict::Info, detail).fix("keep the text in one of them"));
        }
        if reader.declines(STANDARD) && !settings.instructions.beside.value {
            let detail = format!("{} does not load {STANDARD} beside its own file", agent.title);
            checks.push(Check::new(ABOUT, agent.name, Verdict::Info, detail).fix("brief init --with agents-md"));
        }
    }
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
