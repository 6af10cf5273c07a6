//! The agent's own process, where no variable names it: the one that started a hook, or the shell that runs the hook.
//!
//! The ledger keeps it with the session, so that the MCP server, which the same process has started, finds the session. Only
//! Linux tells who started whom.

use crate::agent::Agent;

/// How many shells may be between an agent and its hook.
#[cfg(target_os = "linux")]
const MOST_SHELLS: usize = 3;

/// Returns the process that started this hook of an agent.
#[cfg(target_os = "linux")]
pub(crate) fn of_hook(agent: &Agent) -> Option<u32> {
    let mut process = std::os::unix::process::parent_id();
    for _ in 0..MOST_SHELLS {
        if !runs_our_hook(process, agent) {
            break;
        }
        process = parent_of(process)?;
    }
    Some(process).filter(|process| *process > 1)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn of_hook(_: &Agent) -> Option<u32> {
    None
}

/// Returns whether a process is a shell whose command is our hook.
#[cfg(target_os = "linux")]
fn runs_our_hook(process: u32, agent: &Agent) -> bool {
    let arguments = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    let arguments = String::from_utf8_lossy(&arguments);
    let program = arguments.split('\0').next().unwrap_or_default();
    let is_shell = program.rsplit('/').next().is_some_and(|name| name.trim_start_matches('-').ends_with("sh"));
    is_shell && arguments.contains(&format!(" hook {} ", agent.name))
}

#[cfg(target_os = "linux")]
fn parent_of(process: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // After the name in parentheses, which may contain anything: state, parent.
    stat[stat.rfind(')')? + 1..].split_ascii_whitespace().nth(1)?.parse().ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_shell_that_runs_something_else_is_the_agent() {
        let agent = &crate::AGENTS[0];
        let parent = std::os::unix::process::parent_id();
        assert_eq!(of_hook(agent), Some(parent), "this test is no hook");
        assert_eq!(parent_of(std::process::id()), Some(parent));
    }
}
