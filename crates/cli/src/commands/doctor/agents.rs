//! One agent: is our entry there, does it answer, is it trusted, when did it last fire.

use std::path::Path;

use briefing_agents::agent::{Agent, Recipe};
use briefing_agents::install::{self, Change, edit};
use briefing_core::Failure;
use briefing_core::fs::write_atomic;
use briefing_core::settings::Places;
use briefing_core::shown::path_text;

use super::{Check, Verdict, probe, trust};
use crate::agent_version;
use crate::commands::install::{file_of, program, read};
use crate::commands::log::{Records, moment};

pub(super) fn examine(agent: &'static Agent, places: &Places, records: &Records, fix: bool) -> Result<Vec<Check>, Failure> {
    let mut checks = Vec::new();
    let mut any = false;
    for is_project in [false, true] {
        let file = file_of(agent, places, is_project)?;
        let Some(bytes) = read(&file)? else { continue };
        let commands = commands(agent, &bytes);
        if commands.is_empty() {
            continue;
        }
        any = true;
        checks.push(entry(agent, &file, &bytes, is_project, fix)?);
        checks.extend(probe::answers(agent, &commands));
        checks.extend(trust::trusted(agent, places, &file));
    }
    if !any {
        let detail = "our entry is in none of its files";
        return Ok(vec![Check::new(agent.name, "entry", Verdict::Info, detail).mend(format!("brief install {}", agent.name))]);
    }
    checks.push(fired(agent, records));
    Ok(checks)
}

/// Returns our commands in a file; a plugin's is its program alone.
fn commands(agent: &Agent, bytes: &[u8]) -> Vec<String> {
    match agent.recipe {
        Recipe::Plugin => {
            let text = String::from_utf8_lossy(bytes);
            let program = text.lines().find_map(|line| line.strip_prefix("const PROGRAM = ")).unwrap_or_default();
            let program: String = serde_json::from_str(program.trim_end_matches(';')).unwrap_or_default();
            if program.is_empty() { Vec::new() } else { vec![format!("'{program}' hook {} chat.message", agent.name)] }
        }
        _ => edit::own_commands(agent, bytes),
    }
}

fn entry(agent: &'static Agent, file: &Path, bytes: &[u8], is_project: bool, fix: bool) -> Result<Check, Failure> {
    let place = path_text(file);
    let flag = if is_project { " --project" } else { "" };
    let mend = format!("brief install {}{flag}", agent.name);
    let (row, _) = agent_version::row(agent);
    let change = match install::install(row, &program()?, Some(bytes)) {
        Ok(change) => change,
        Err(problem) => {
            return Ok(Check::new(agent.name, "entry", Verdict::Broken, format!("{place}: {problem}")).mend(format!("edit {place}")));
        }
    };
    Ok(match change {
        Change::Nothing => Check::new(agent.name, "entry", Verdict::Good, format!("intact in {place}")),
        Change::Write(after) if fix => {
            write_atomic(file, &after).map_err(|problem| Failure::new(format!("cannot write `{place}`")).because(&problem))?;
            Check::new(agent.name, "entry", Verdict::Good, format!("written anew in {place}"))
        }
        _ => Check::new(
            agent.name,
            "entry",
            Verdict::Broken,
            format!("not as this version of brief writes it for the agent that is here, in {place}"),
        )
        .mend(mend),
    })
}

/// Tells when the agent last called us, and how long that took.
fn fired(agent: &Agent, records: &Records) -> Check {
    let own: Vec<_> = records.events.iter().filter(|event| event.agent == agent.name).collect();
    let Some(last) = own.last() else {
        return Check::new(agent.name, "last fired", Verdict::Info, "never, as far as the log reaches: start it once and look again");
    };
    let mut times: Vec<u64> = own.iter().map(|event| event.micros).collect();
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)] as f64 / 1000.0;
    let queued = own.iter().filter(|event| event.queued > 0).count();
    let cut = own.iter().filter(|event| event.notes.iter().any(|note| note.contains("do not fit"))).count();
    let detail = format!(
        "{} ({}), {} calls, p50 {:.1} ms, p99 {:.1} ms, {queued} with something queued, {cut} with something left out",
        moment(last.at),
        last.event,
        own.len(),
        at(50),
        at(99)
    );
    Check::new(agent.name, "last fired", Verdict::Good, detail)
}
