//! `brief` without a command: where am I, what is here, what would an agent be told, are the hooks alive, and what to do next.

use std::fmt::Write as _;

use briefing_agents::install::Part;
use briefing_agents::install::{is_in, plan::MAX_SETTINGS};
use briefing_agents::preview::{self, Told};
use briefing_agents::{AGENTS, Agent, USUAL};
use briefing_core::fs::read_own_bytes;
use briefing_core::health::{self, Finding};
use briefing_core::project::marked_or_self;
use briefing_core::settings::{Layer, Places, Settings};
use briefing_core::sources::{docs, named_by, present};
use briefing_core::{Failure, Moment};
use briefing_store::{Filter, timeline};

use super::doctor::shortened;
use super::install::files::{is_here, scope};
use super::log;
use crate::columns::{fill, short, tilde, width};
use crate::host::Asking;
use crate::{environment, output, when};

/// How many next steps are suggested.
const SUGGESTED: usize = 3;

pub(crate) fn run() -> Result<(), Failure> {
    let places = environment::places()?;
    let settings = environment::settings(&places, Layer::default())?;
    let project = marked_or_self(&places.here);
    let is_marked = project != places.here || is_project(project);
    if !is_marked && present(&Asking::of(USUAL, &places, &settings)?.ask().look(), named_by(&settings)) == 0 {
        return output::print("No project here: `brief init` sets one up, `brief --help` lists all commands.\n");
    }
    let agents: Vec<&'static Agent> = AGENTS.iter().filter(|agent| agent.has_hooks() && is_here(agent, &places)).collect();
    let agent = agents.first().copied().unwrap_or(USUAL);
    let told = outlook(agent, &places, &settings)?;
    let findings = health::examine(&places, &settings, environment::now()?);
    let mut text = format!("{}\n\n", tilde(project, &places));
    text.push_str(&sources(&told, &places, &settings));
    text.push_str(&next_message(agent, &told));
    text.push_str(&hooks(&agents, &places));
    text.push_str(&suggestions(&told, &findings, &agents, &places));
    output::print(&text)
}

/// Returns whether a directory is a project by itself.
fn is_project(directory: &std::path::Path) -> bool {
    [".git", ".context", ".megg", "brief.toml"].iter().any(|marker| directory.join(marker).exists())
}

fn outlook(agent: &'static Agent, places: &Places, settings: &Settings) -> Result<Vec<Told>, Failure> {
    Ok(preview::outlook(agent, &Asking::of(agent, places, settings)?.ask()))
}

/// Says which sources are here.
fn sources(told: &[Told], places: &Places, settings: &Settings) -> String {
    let project = marked_or_self(&places.here);
    let mut rows: Vec<String> = Vec::new();
    for told in told.iter().filter(|told| !told.files.is_empty()) {
        let files: Vec<String> = told.files.iter().map(|file| short(std::path::Path::new(file), project, places)).collect();
        rows.push(format!("{} ({} tokens)", files.join(", "), told.tokens));
    }
    for index in docs::find(places, settings).files() {
        let file = short(&index.file, project, places);
        rows.push(match docs::examine(&index, places) {
            Ok(state) => {
                let plural = if state.documents == 1 { "" } else { "s" };
                let fresh = match state.changed {
                    0 => "up to date".to_owned(),
                    changed => format!("{changed} changed since it was made"),
                };
                format!("{file}: {} document{plural}, {fresh}", state.documents)
            }
            Err(_) => format!("{file}: cannot be read"),
        });
    }
    if rows.is_empty() {
        rows.push("nothing yet".to_owned());
    }
    rows.iter().fold(String::from("Here:\n"), |mut text, row| {
        let _ = writeln!(text, "{}", fill("  ", row));
        text
    })
}

/// Says what a new session would receive before any document is selected.
fn next_message(agent: &Agent, told: &[Told]) -> String {
    let tokens = |is_wanted: fn(Moment) -> bool| told.iter().filter(|told| is_wanted(told.moment)).map(|told| told.tokens).sum::<u64>();
    let (first, later) = (tokens(|moment| moment != Moment::Tool), tokens(|moment| moment == Moment::Tool));
    let later = if later > 0 { format!(", {later} more at the first use of a tool") } else { String::new() };
    let words = format!(
        "Next message: a new session of {} gets {first} tokens{later}, and the documents that fit what you ask (`brief preview MESSAGE`).",
        agent.title
    );
    format!("\n{}\n", fill("", &words))
}

/// Says whether the hooks of the agents on this machine are installed, and when they were last called.
fn hooks(agents: &[&'static Agent], places: &Places) -> String {
    if agents.is_empty() {
        return "\nAgents: none was found on this machine.\n".to_owned();
    }
    let widest = agents.iter().map(|agent| width(agent.title)).max().unwrap_or(0);
    let mut text = String::from("\nAgents:\n");
    for agent in agents {
        let words = match (is_installed(agent, places), last_call(agent, places)) {
            (false, _) => "hooks are not installed".to_owned(),
            (true, None) => "hooks are installed, never called so far".to_owned(),
            (true, Some(at)) => format!("hooks are installed, last called {}", when::shown(at)),
        };
        let _ = writeln!(text, "  {:<widest$}  {words}", agent.title);
    }
    text
}

/// Returns when an agent last called a hook, in milliseconds since 1970.
fn last_call(agent: &Agent, places: &Places) -> Option<i64> {
    let place = log::place(places).ok()?;
    let mut ledger = log::open(&place).ok()?;
    let newest = Filter { agent: Some(agent.name), newest: Some(1), ..Filter::default() };
    timeline(log::as_reader(&mut ledger), &place, &newest).ok()?.last().map(|event| event.at)
}

fn is_installed(agent: &Agent, places: &Places) -> bool {
    let project = super::install::files::project_of(places);
    [None, Some(project.as_path())].into_iter().any(|project| {
        let file = scope(places, project).file_of(agent, Part::Hooks).ok().flatten();
        file.and_then(|file| read_own_bytes(&file, MAX_SETTINGS).ok()).is_some_and(|bytes| is_in(Part::Hooks, agent, &bytes))
    })
}

/// Returns the most important next steps.
fn suggestions(told: &[Told], findings: &[Finding], agents: &[&'static Agent], places: &Places) -> String {
    let mut steps: Vec<String> = Vec::new();
    let has_index = !findings.contains(&Finding::NoIndex);
    if told.is_empty() && !has_index {
        steps.push("`brief init` sets this project up".to_owned());
    } else {
        let mut findings: Vec<&Finding> = findings.iter().collect();
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.level()));
        steps.extend(findings.iter().map(|finding| {
            let fix = shortened(&finding.fix(), places);
            let fix = if fix.starts_with("brief ") { format!("`{fix}`") } else { fix };
            format!("{fix}: {}", shortened(&finding.to_string(), places))
        }));
    }
    let missing = agents.iter().filter(|agent| !is_installed(agent, places));
    steps.splice(0..0, missing.map(|agent| format!("`brief install {}` adds the hooks of {}", agent.name, agent.title)));
    if steps.is_empty() {
        return String::new();
    }
    steps.iter().take(SUGGESTED).fold(String::from("\nSuggestions:\n"), |mut text, step| {
        let _ = writeln!(text, "{}", fill("  - ", step));
        text
    })
}
