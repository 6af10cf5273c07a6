//! `brief doctor`: why does it not work? Every agent that is here, the store, the settings.

mod agents;
mod probe;
mod trust;

use std::fmt::Write as _;
use std::time::Duration;

use briefing_agents::AGENTS;
use briefing_core::Failure;
use briefing_core::settings::{ConfigProblem, Layer};
use briefing_core::shown::one_line;
use briefing_store::{Ledger, open_existing};
use clap::Args;
use serde::Serialize;

use super::hook::state_directory;
use super::log;
use crate::{environment, output};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Write anew the entries that are broken
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

/// One thing that was looked at.
#[derive(Debug, Clone, Serialize)]
struct Check {
    /// An agent's name, `store` or `settings`.
    about: String,
    what: String,
    verdict: Verdict,
    detail: String,
    /// The command that mends it.
    #[serde(skip_serializing_if = "Option::is_none")]
    mend: Option<String>,
}

impl Check {
    fn new(about: &str, what: &str, verdict: Verdict, detail: impl Into<String>) -> Self {
        Self { about: about.to_owned(), what: what.to_owned(), verdict, detail: detail.into(), mend: None }
    }

    fn mend(mut self, command: impl Into<String>) -> Self {
        self.mend = Some(command.into());
        self
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let places = environment::places()?;
    let records = log::read(None).unwrap_or_default();
    let mut checks = Vec::new();
    let mut found = 0;
    for agent in AGENTS.iter().filter(|agent| super::install::is_here(agent, &places)) {
        found += 1;
        checks.extend(agents::examine(agent, &places, &records, arguments.fix)?);
    }
    if found == 0 {
        checks.push(Check::new("agents", "found", Verdict::Info, "no agent was found on this machine"));
    }
    checks.extend(store(&places));
    checks.extend(settings(&places));
    let broken = checks.iter().filter(|check| check.verdict == Verdict::Broken).count();
    if arguments.json {
        output::print(&format!("{:#}\n", serde_json::json!({ "checks": checks, "broken": broken })))?;
    } else {
        output::print(&shown(&checks))?;
    }
    match broken {
        0 => Ok(()),
        1 => Err(Failure::new("1 thing is broken")),
        many => Err(Failure::new(format!("{many} things are broken"))),
    }
}

fn shown(checks: &[Check]) -> String {
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
        let _ = writeln!(text, "  {word:<6} {}: {}", check.what, one_line(&check.detail));
        if let Some(mend) = &check.mend {
            let _ = writeln!(text, "         mend it with: {}", one_line(mend));
        }
    }
    text
}

fn store(places: &briefing_core::settings::Places) -> Vec<Check> {
    let Some(directory) = state_directory(places) else {
        return vec![Check::new("store", "place", Verdict::Broken, "no state directory is known").mend("export HOME=…")];
    };
    let mut checks = Vec::new();
    match open_existing(&directory, Duration::from_secs(2)) {
        Ok(None) => checks.push(Check::new("store", "ledger", Verdict::Info, format!("none yet in {}", directory.display()))),
        Ok(Some(mut ledger)) => checks.push(match ledger.damage() {
            Ok(None) => {
                let sessions = ledger.sessions().map_or(0, |sessions| sessions.len());
                Check::new("store", "ledger", Verdict::Good, format!("sound, {sessions} sessions, in {}", directory.display()))
            }
            Ok(Some(damage)) => Check::new("store", "ledger", Verdict::Broken, damage).mend(rename(&directory)),
            Err(error) => Check::new("store", "ledger", Verdict::Broken, error.to_string()).mend(rename(&directory)),
        }),
        Err(error) => checks.push(Check::new("store", "ledger", Verdict::Broken, error.to_string()).mend(rename(&directory))),
    }
    let aside: Vec<_> = std::fs::read_dir(&directory)
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("ledger.damaged-"))
        .collect();
    if !aside.is_empty() {
        checks.push(Check::new("store", "set aside", Verdict::Info, format!("{} damaged files were renamed aside", aside.len())));
    }
    checks
}

fn rename(directory: &std::path::Path) -> String {
    let file = directory.join(briefing_store::LEDGER_FILE);
    format!("mv '{0}' '{0}.aside'", file.display())
}

fn settings(places: &briefing_core::settings::Places) -> Vec<Check> {
    let (_, problems) = environment::resolve(places, Layer::default());
    let verdict = |is_error| if is_error { Verdict::Broken } else { Verdict::Info };
    let check = |problem: &ConfigProblem| Check::new("settings", "files", verdict(problem.is_error), problem.to_string());
    let mut checks: Vec<_> = problems.iter().map(|problem| check(problem).mend("brief config default")).collect();
    checks.extend(places.ignored_project_file().as_ref().map(check));
    if checks.is_empty() {
        checks.push(Check::new("settings", "files", Verdict::Good, "no problems"));
    }
    checks
}
