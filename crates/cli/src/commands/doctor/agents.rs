//! Checks one agent: whether our entry is there, answers, is trusted and enabled, and when it was last called.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use briefing_agents::agent::{Agent, Recipe};
use briefing_agents::install::recipe::is_own_program;
use briefing_agents::install::{self, Change};
use briefing_core::fs::{FileProblem, read_own_bytes};
use briefing_core::settings::Places;
use briefing_core::shown::path_text;
use briefing_core::{Failure, NoteKind};

use super::{Check, Verdict, gate_entry, plugins, probe, program, switch, trust};
use crate::agent_version;
use crate::commands::install::files::{self, MAX_SETTINGS, file_of, project_of, put_in, refuse};
use crate::commands::log::{Records, moment};
use crate::commands::verify::{counted, counts, lost};

pub(super) fn examine(agent: &'static Agent, places: &Places, records: &Records, fix: bool) -> Result<Vec<Check>, Failure> {
    let root = project_of(places);
    let user = Place { agent, places, file: file_of(agent, places, None)?, project: None };
    let project = Place { agent, places, file: file_of(agent, places, Some(&root))?, project: Some(&root) };
    let is_same = user.file == project.file;
    let mut checks = Vec::new();
    let mut own = Vec::new();
    for place in [user, project].into_iter().take(if is_same { 1 } else { 2 }) {
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
        if let Err(problem) = install::install(self.agent, &files::program()?, Some(&bytes)) {
            return Ok(vec![self.unusable(&problem)]);
        }
        let is_ours_alone = matches!(self.agent.recipe, Recipe::OwnFile | Recipe::Plugin(_));
        if !is_ours_alone && install::own_commands(self.agent, &bytes).is_empty() {
            return Ok(Vec::new());
        }
        let mut checks = vec![self.entry(&mut bytes, fix)?];
        let commands = install::own_commands(self.agent, &bytes);
        checks.extend(program::called(self.agent.name, &commands, &self.install()));
        checks.extend(probe::answers(self.agent, &commands, None, &self.install()));
        checks.extend(trust::trusted(self.agent, self.places, &self.file));
        Ok(checks)
    }

    fn check(&self, verdict: Verdict, detail: String) -> Check {
        Check::new(self.agent.name, "entry", verdict, detail)
    }

    /// Returns the command that writes this file.
    fn install(&self) -> String {
        format!("brief install {}{}", self.agent.name, self.flag())
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
        let after = match install::install(&row, &program, Some(bytes)) {
            Ok(Change::Write(after)) => after,
            Ok(_) => return Ok(self.check(Verdict::Good, format!("intact in {shown}"))),
            Err(problem) => return Ok(self.unusable(&problem)),
        };
        let state = briefing_store::Place::of(self.places).map(|place| place.directory().to_path_buf());
        // A program of another name would not know its own entries later.
        let Some(state) = state.filter(|_| fix && is_own_program(&program)) else {
            let detail = format!("differs from what this version of brief writes for the installed agent, in {shown}");
            return Ok(self.check(Verdict::Broken, detail).fix(self.install()));
        };
        let written =
            refuse(&self.file, self.project, "install", self.agent).and_then(|()| put_in(&self.file, Some(bytes.clone()), &after, &state));
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
        moment(last.at),
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
