//! Checks one agent: whether our entries are there, answer, are trusted and enabled, and when the hooks were last called.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use briefing_agents::agent::{Agent, Recipe};
use briefing_agents::install::plan::{Direction, MAX_SETTINGS, Order, plan};
use briefing_agents::install::recipe::is_own_program;
use briefing_agents::install::server::entries;
use briefing_agents::install::{self, Change, EditProblem, Part};
use briefing_core::fs::{FileProblem, read_own_bytes};
use briefing_core::settings::Places;
use briefing_core::shown::path_text;
use briefing_core::{Failure, NoteKind};

use super::{Check, Records, Verdict, gate_entry, plugins, probe, program, server, switch, trust};
use crate::commands::install::files::{self, project_of, scope, state_of};
use crate::commands::verify::{counted, counts, lost};
use crate::{agent_version, when};

pub(super) fn examine(agent: &'static Agent, places: &Places, records: &Records, fix: bool) -> Result<Vec<Check>, Failure> {
    let root = project_of(places);
    let mut checks = Vec::new();
    if Part::Hooks.is_of(agent) {
        checks.extend(hooks(agent, places, &root, records, fix)?);
    }
    let mut found = Vec::new();
    for place in places_of(agent, Part::Server, places, &root)? {
        found.extend(place.examine(fix)?);
    }
    if found.is_empty() {
        let plugins = plugins::carrying(agent, places).into_iter().filter(|plugin| plugin.is_enabled);
        found.extend(plugins.flat_map(|plugin| plugin.serves(agent)));
    }
    if found.is_empty() && Part::Server.is_of(agent) {
        let detail = "not registered: the agent cannot ask";
        found.push(Check::new(agent.name, server::ABOUT, Verdict::Info, detail).fix(format!("brief install {} --only mcp", agent.name)));
    }
    checks.extend(found);
    Ok(checks)
}

/// Returns the user's and the project's file with a part of ours.
fn places_of<'a>(agent: &'static Agent, part: Part, places: &'a Places, root: &'a Path) -> Result<Vec<Place<'a>>, Failure> {
    let mut found: Vec<Place<'a>> = Vec::new();
    for project in [None, Some(root)] {
        let file = scope(places, project).file_of(agent, part)?;
        let file = file.filter(|file| found.iter().all(|other| other.file != *file));
        found.extend(file.map(|file| Place { agent, part, places, file, project }));
    }
    Ok(found)
}

/// Checks the hooks of an agent.
fn hooks(agent: &'static Agent, places: &Places, root: &Path, records: &Records, fix: bool) -> Result<Vec<Check>, Failure> {
    let mut checks = Vec::new();
    let mut own = Vec::new();
    for place in places_of(agent, Part::Hooks, places, root)? {
        let found = place.examine(fix)?;
        if !found.is_empty() {
            own.push(place);
        }
        checks.extend(found);
    }
    let of_others = plugins::carrying(agent, places);
    checks.extend(switch::managed_entries(agent, places));
    checks.extend(of_others.iter().filter(|plugin| plugin.is_enabled).flat_map(|plugin| plugin.look(agent, own.first())));
    checks.extend(gate_entry::look(agent, places));
    let is_installed = checks.iter().any(|check| check.what == "entry");
    if is_installed {
        checks.extend(switch::off(agent, places));
        checks.push(fired(agent, records));
        checks.extend(receipts(agent, records));
        return Ok(checks);
    }
    let install = format!("brief install {}", agent.name);
    let detail = "not installed: none of its settings files has our entry";
    checks.push(match of_others.first() {
        None => Check::new(agent.name, "entry", Verdict::Info, detail).fix(install),
        Some(plugin) => Check::new(agent.name, "entry", Verdict::Info, format!("{detail}, and the plugin `{}` is disabled", plugin.name))
            .fix(format!("enable the plugin in {}, or run `{install}`", agent.title)),
    });
    Ok(checks)
}

/// One file of an agent in which our entry may be.
pub(super) struct Place<'a> {
    agent: &'static Agent,
    part: Part,
    places: &'a Places,
    pub(super) file: PathBuf,
    /// The project, if the file is the project's.
    project: Option<&'a Path>,
}

impl Place<'_> {
    /// Runs all checks of this file; none where it has no entry of ours and the agent can read it.
    fn examine(&self, fix: bool) -> Result<Vec<Check>, Failure> {
        let mut bytes = match read_own_bytes(&self.file, MAX_SETTINGS) {
            Ok(bytes) => bytes,
            Err(FileProblem::Missing) => return Ok(Vec::new()),
            Err(problem) => return Ok(vec![self.unusable(&problem)]),
        };
        match install::install(self.agent, &[self.part], &files::program()?, Some(&bytes)) {
            // The file is fine; our name in it is taken.
            Ok(_) | Err(EditProblem::Taken { .. }) => {}
            Err(problem) => return Ok(vec![self.unusable(&problem)]),
        }
        let is_ours_alone = self.part == Part::Hooks && matches!(self.agent.recipe, Recipe::OwnFile | Recipe::Plugin(_));
        if !is_ours_alone && !install::is_in(self.part, self.agent, &bytes) {
            return Ok(Vec::new());
        }
        let mut checks = vec![self.entry(&mut bytes, fix)?];
        if self.part == Part::Server {
            let entries = self.agent.mcp.as_ref().map(|mcp| entries(mcp, &bytes)).unwrap_or_default();
            checks.extend(server::answers(self.agent, &entries, &self.install()));
            return Ok(checks);
        }
        let commands = install::own_commands(self.agent, &bytes);
        checks.extend(program::called(self.agent.name, &commands, &self.install()));
        checks.extend(probe::answers(self.agent, &commands, None, &self.install()));
        checks.extend(trust::trusted(self.agent, self.places, &self.file));
        Ok(checks)
    }

    fn check(&self, verdict: Verdict, detail: String) -> Check {
        let what = if self.part == Part::Server { server::ABOUT } else { "entry" };
        Check::new(self.agent.name, what, verdict, detail)
    }

    /// Returns the command that writes this file.
    fn install(&self) -> String {
        let only = if self.part == Part::Server { " --only mcp" } else { "" };
        format!("brief install {}{only}{}", self.agent.name, self.flag())
    }

    /// Returns the command that takes our entry out of this file.
    pub(super) fn uninstall(&self) -> String {
        format!("brief uninstall {}{}", self.agent.name, self.flag())
    }

    fn flag(&self) -> &'static str {
        if self.project.is_some() { " --project" } else { "" }
    }

    /// Neither the agent nor the installer can read this file.
    fn unusable(&self, problem: &dyn Display) -> Check {
        let fix = format!("correct the file by hand, then run `{}`", self.install());
        self.check(Verdict::Broken, format!("{}: {problem}", path_text(&self.file))).fix(fix)
    }

    /// Compares the file with what the installer would write, and writes that with `--fix`.
    fn entry(&self, bytes: &mut Vec<u8>, fix: bool) -> Result<Check, Failure> {
        let shown = path_text(&self.file);
        let (row, _) = agent_version::row(self.agent);
        let program = files::program()?;
        let after = match install::install(&row, &[self.part], &program, Some(bytes)) {
            Ok(Change::Write(after)) => after,
            Ok(_) => return Ok(self.check(Verdict::Good, format!("intact in {shown}"))),
            Err(problem) => return Ok(self.unusable(&problem)),
        };
        // A program of another name would not know its own entries later.
        let Some(state) = state_of(self.places).filter(|_| fix && is_own_program(&program)) else {
            let detail = format!("differs from what this version of brief writes for the installed agent, in {shown}");
            return Ok(self.check(Verdict::Broken, detail).fix(self.install()));
        };
        let parts = [self.part];
        let scope = scope(self.places, self.project);
        let order = Order { direction: Direction::In, parts: &parts, program: &program, state: &state, scope };
        let written = plan(self.agent, &row, &order)?.iter_mut().try_for_each(|step| step.check(&order).and_then(|()| step.apply(&order)));
        if let Err(failure) = written {
            return Ok(self.check(Verdict::Broken, format!("{failure}: {}", failure.causes().join(": "))).fix(self.install()));
        }
        *bytes = after;
        Ok(self.check(Verdict::Good, format!("rewritten in {shown}")))
    }
}

/// Says when the agent last called us, and how long the calls took.
fn fired(agent: &Agent, records: &Records) -> Check {
    let own: Vec<_> = records.events.iter().filter(|event| event.name.agent == agent.name).collect();
    let Some(last) = own.last() else {
        return Check::new(agent.name, "last call", Verdict::Info, "never, according to the log; start the agent once and check again");
    };
    let mut times: Vec<u64> = own.iter().map(|event| event.micros).collect();
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)] as f64 / 1000.0;
    let queued = own.iter().filter(|event| event.queued > 0).count();
    let cut = own.iter().filter(|event| event.notes.iter().any(|note| note.kind == NoteKind::NoRoom)).count();
    let detail = format!(
        "{} ({}), {} calls, p50 {:.1} ms, p99 {:.1} ms, {queued} with something queued, {cut} with something left out",
        when::shown(last.at),
        last.event,
        own.len(),
        at(50),
        at(99)
    );
    Check::new(agent.name, "last call", Verdict::Good, detail)
}

/// Says what the agent's transcripts show of the deliveries of the last 30 days; the ledger keeps no older ones.
fn receipts(agent: &Agent, records: &Records) -> Option<Check> {
    let own: Vec<_> = records.receipts.iter().filter(|receipt| receipt.agent == agent.name).cloned().collect();
    let detail = format!("deliveries of the last 30 days: {}", counted(&counts(own.iter())));
    let check = |verdict| Check::new(agent.name, "receipts", verdict, detail.clone());
    if own.is_empty() {
        return None;
    }
    let is_lost = lost(&own).next().is_some();
    Some(if is_lost { check(Verdict::Info).fix("brief verify --all") } else { check(Verdict::Good) })
}
