//! The registration of spec 2, which calls `brief system context-load-gate` before every tool. It works, but it prints
//! everything at once, whatever the agent's cap is.

use std::path::Path;

use briefing_agents::agent::Agent;
use briefing_agents::install::hooks::commands;
use briefing_agents::install::plan::MAX_SETTINGS;
use briefing_agents::install::recipe::call;
use briefing_core::fs::read_own_bytes;
use briefing_core::settings::Places;
use briefing_core::shown::path_text;

use super::{Check, Verdict, switch};
use crate::commands::system::GATE;

/// Returns a check for every settings file of the agent that has this registration.
pub(super) fn look(agent: &Agent, places: &Places) -> Vec<Check> {
    let files = switch::managed(agent, places).into_iter().chain(switch::files(agent, places));
    files.filter(|file| registers(file)).map(|file| check(agent, &file)).collect()
}

fn registers(file: &Path) -> bool {
    let is_gate = |command: &str| call(command).is_some_and(|(_, words)| words.starts_with(&["system", GATE]));
    read_own_bytes(file, MAX_SETTINGS).is_ok_and(|bytes| !commands(&bytes, &is_gate).is_empty())
}

fn check(agent: &Agent, file: &Path) -> Check {
    let detail = format!(
        "`brief system {GATE}` in {} sends the core files at a tool use in one piece, and of more than {} characters the model sees only the \
         beginning; the installed hooks send parts, come back after compaction, and bring the other sources",
        path_text(file),
        agent.cautious_cap
    );
    Check::new(agent.name, "gate", Verdict::Info, detail).fix(format!("brief install {}, then remove that entry", agent.name))
}
