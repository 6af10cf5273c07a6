//! The flow of `brief init`: look, show, ask once, do, show the result. What to do is decided in the library.

use briefing_agents::AGENTS;
use briefing_agents::setup::undo::{Fate, Undo};
use briefing_agents::setup::{self, AgentHere, Offer, Part, Plan, Request};
use briefing_core::Failure;
use briefing_core::settings::{Layer, Places};
use briefing_core::sources::docs;
use briefing_tokens::{ENCODINGS, ExactCounter};
use clap::ValueEnum as _;

use super::{SetupArguments, outlook, words};
use crate::columns::fill;
use crate::commands::install::files::{is_here, program, scope};
use crate::{agent_version, environment, output, prompt, talk};

pub(super) fn run(arguments: &SetupArguments) -> Result<(), Failure> {
    let places = environment::places()?;
    let project = setup::project_of(&places)?;
    let places = Places { here: project, ..places };
    let settings = environment::settings(&places, Layer::default())?;
    let counter = ExactCounter::new(ENCODINGS[0], places.cache.clone())?;
    let agents: Vec<AgentHere> = AGENTS.iter().filter(|agent| is_here(agent, &places)).map(here).collect();
    let program = program()?;
    let mut accepted: Vec<Offer> = Vec::new();
    let mut request = Request {
        scope: scope(&places, None),
        settings: &settings,
        now: environment::now()?,
        program: &program,
        agents: &agents,
        counter: &counter,
        accepted: &[],
    };
    let mut plan = setup::plan(&request)?;
    counter.save();
    for offer in &plan.offers {
        let is_named = arguments.with.iter().any(|extra| extra.to_possible_value().is_some_and(|value| value.get_name() == offer.word()));
        let can_ask = !(arguments.yes || arguments.dry_run || arguments.json) && prompt::can_ask();
        if is_named || (can_ask && prompt::yes(&format!("{}?", capitalised(&offer.to_string())))) {
            accepted.push(*offer);
        }
    }
    if !accepted.is_empty() {
        request.accepted = &accepted;
        plan = setup::plan(&request)?;
    }
    if arguments.json && (arguments.dry_run || plan.changes.is_empty()) {
        return output::print(&format!("{:#}\n", words::as_json(&plan, &places, false)));
    }
    if !arguments.json {
        output::print(&words::found(&plan, &places))?;
    }
    if !plan.changes.is_empty() {
        if arguments.dry_run {
            return Ok(());
        }
        if !arguments.yes {
            confirm("Do this?", "brief init --yes")?;
        }
        setup::apply(&mut plan, &request)?;
        if plan.changes.iter().any(|planned| matches!(planned.part, Part::Index)) && places.cache.is_some() {
            prepare(&places)?;
        }
    }
    if arguments.json {
        return output::print(&format!("{:#}\n", words::as_json(&plan, &places, true)));
    }
    finish(&plan, &places)
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// Prepares the new index for search, so that the first message does not have to wait for it.
fn prepare(places: &Places) -> Result<(), Failure> {
    let settings = environment::settings(places, Layer::default())?;
    docs::prepare(places, &settings);
    Ok(())
}

fn here(agent: &'static briefing_agents::Agent) -> AgentHere {
    AgentHere { agent, row: agent_version::row(agent).0 }
}

/// Shows what an agent will now be told, and the next two commands.
fn finish(plan: &Plan, places: &Places) -> Result<(), Failure> {
    let settings = environment::settings(places, Layer::default())?;
    let agent = plan.found.agents.iter().copied().find(|agent| agent.has_hooks()).unwrap_or(briefing_agents::USUAL);
    let outlook = outlook::Outlook::of(agent, places, &settings)?;
    output::print(&words::finish(plan, &outlook, places))?;
    let mut told: Vec<&str> = Vec::new();
    for planned in &plan.changes {
        let Part::Agent(agent) = planned.part else { continue };
        for text in [agent.approval, agent.status_bar] {
            if !text.is_empty() && !told.contains(&text) {
                talk::plain(&fill("", text));
                told.push(text);
            }
        }
    }
    Ok(())
}

fn confirm(question: &str, command: &str) -> Result<(), Failure> {
    if !prompt::can_ask() {
        return Err(Failure::new("nothing was changed: not a terminal").hint(format!("`{command}` does it without asking")));
    }
    if !prompt::yes(question) {
        return Err(Failure::new("nothing was changed"));
    }
    Ok(())
}

pub(super) fn undo(arguments: &SetupArguments) -> Result<(), Failure> {
    let places = environment::places()?;
    let project = setup::project_of(&places)?;
    // Taking things back may have to begin where they were made: without its marker, a project is not found from below.
    let scope = scope(&places, None);
    let undo = match setup::undo::plan(scope, &project)? {
        Some(undo) => Some(undo),
        None => setup::undo::plan(scope, &places.here)?,
    };
    let Some(mut undo) = undo else {
        talk::plain("`brief init` has made nothing here.");
        return Ok(());
    };
    let is_open = |undo: &Undo| undo.steps.iter().any(|step| !matches!(step.fate, Fate::Stays | Fate::Gone));
    if arguments.json {
        output::print(&format!("{:#}\n", words::undo_json(&undo)))?;
    } else {
        output::print(&words::undo(&undo, &project, &places))?;
    }
    if arguments.dry_run {
        return Ok(());
    }
    if is_open(&undo) && !arguments.yes {
        confirm("Take this back?", "brief init --undo --yes")?;
    }
    undo.apply(scope)?;
    talk::plain("Done.");
    Ok(())
}
