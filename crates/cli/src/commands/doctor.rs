//! `brief doctor`: checks every agent on this machine, the store, this project and the settings, and says how to fix what is
//! wrong.

mod agents;
mod gate_entry;
mod plugins;
mod probe;
mod program;
mod project;
mod server;
mod settings;
mod store;
mod switch;
mod trust;

use std::fmt::Write as _;

use briefing_agents::{AGENTS, Agent};
use briefing_core::Failure;
use briefing_core::settings::Places;
use briefing_core::shown::{one_line, path_text};
use briefing_store::{EventRow, Filter, ReceiptRow, StoreError, timeline};
use clap::Args;
use serde::Serialize;

use super::install::files::{is_here, project_of, scope};
use super::log;
use crate::columns::fill;
use crate::{environment, output};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Rewrite broken entries
    #[arg(long)]
    fix: bool,
}

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Good,
    /// Worth knowing; nothing is broken.
    Info,
    Broken,
}

/// The result of one check.
#[derive(Debug, Clone, Serialize)]
struct Check {
    /// An agent's name, `program`, `store` or `settings`.
    about: String,
    what: String,
    verdict: Verdict,
    detail: String,
    /// The command that fixes it, or what to do by hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

impl Check {
    fn new(about: &str, what: &str, verdict: Verdict, detail: impl Into<String>) -> Self {
        Self { about: about.to_owned(), what: what.to_owned(), verdict, detail: detail.into(), fix: None }
    }

    fn fix(mut self, command: impl Into<String>) -> Self {
        self.fix = Some(command.into());
        self
    }
}

/// What the log says about the agents.
#[derive(Debug, Default)]
struct Records {
    events: Vec<EventRow>,
    receipts: Vec<ReceiptRow>,
}

impl Records {
    /// How many events are looked at.
    const NEWEST: usize = 5000;

    fn read(places: &Places) -> Result<Self, Failure> {
        let place = log::place(places)?;
        let failed = |error: StoreError| log::unreadable(&place, &error);
        let mut ledger = log::open(&place)?;
        let receipts = ledger.as_mut().map_or(Ok(Vec::new()), |ledger| ledger.receipts(None)).map_err(failed)?;
        let filter = Filter { newest: Some(Self::NEWEST), ..Filter::default() };
        Ok(Self { events: timeline(log::as_reader(&mut ledger), &place, &filter).map_err(failed)?, receipts })
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let places = environment::places()?;
    let records = Records::read(&places).unwrap_or_default();
    let mut checks = vec![program::look()];
    let mut found = 0;
    for agent in AGENTS.iter().filter(|agent| concerns_us(agent, &places)) {
        found += 1;
        checks.extend(agents::examine(agent, &places, &records, arguments.fix)?);
    }
    if found == 0 {
        checks.push(Check::new("agents", "found", Verdict::Info, "no agent was found on this machine"));
    }
    checks.extend(store::look(&places, arguments.fix));
    checks.extend(project::look(&places));
    checks.extend(settings::look(&places));
    let broken = checks.iter().filter(|check| check.verdict == Verdict::Broken).count();
    if arguments.json {
        output::print(&format!("{:#}\n", serde_json::json!({ "checks": checks, "broken": broken })))?;
    } else {
        output::print(&shown(&checks, &places))?;
    }
    match broken {
        0 => Ok(()),
        1 => Err(Failure::new("1 problem was found")),
        many => Err(Failure::new(format!("{many} problems were found"))),
    }
}

/// Returns whether an agent is on this machine, or one of its settings files mentions us.
fn concerns_us(agent: &Agent, places: &Places) -> bool {
    is_here(agent, places) || scope(places, None).names_us(agent) || scope(places, Some(&project_of(places))).names_us(agent)
}

/// Returns the checks in 80 columns, with paths as short as they can be.
fn shown(checks: &[Check], places: &Places) -> String {
    let mut text = String::new();
    let mut last = "";
    for check in checks {
        if check.about != last {
            let _ = writeln!(text, "{}", check.about);
            last = &check.about;
        }
        let word = match check.verdict {
            Verdict::Good => "ok",
            Verdict::Info => "--",
            Verdict::Broken => "BROKEN",
        };
        let detail = shortened(&one_line(&check.detail), places);
        let _ = writeln!(text, "{}", fill(&format!("  {word:<6} "), &format!("{}: {detail}", check.what)));
        if let Some(fix) = &check.fix {
            let _ = writeln!(text, "{}", fill("         ", &format!("fix: {}", one_line(fix))));
        }
    }
    text
}

/// Replaces the project's directory and the home in a text: the paths in it become relative, or begin with `~`.
pub(super) fn shortened(text: &str, places: &Places) -> String {
    let project = format!("{}/", path_text(&project_of(places)));
    let text = text.replace(&project, "");
    match &places.home {
        Some(home) if home.parent().is_some() => text.replace(&format!("{}/", path_text(home)), "~/"),
        _ => text,
    }
}
