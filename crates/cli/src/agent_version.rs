//! Finds out which version of an agent is installed, since it decides what `brief install` may write.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use briefing_agents::{Agent, Version};

use crate::environment;

const PATIENCE: Duration = Duration::from_secs(3);

/// Returns the row to install with, and the agent's version if it is too old for the newest row.
pub(crate) fn row(agent: &Agent) -> (Agent, Option<Version>) {
    // Starting the agent takes time; without an older row the version does not matter.
    let version = agent.older.and_then(|older| version(agent.program).filter(|version| *version < older.before));
    (agent.as_of(version), version)
}

/// Asks a program for its version.
fn version(program: &str) -> Option<Version> {
    let mut child = Command::new(environment::find_program(program)?)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let started = Instant::now();
    while child.try_wait().ok()?.is_none() {
        if started.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let mut text = String::new();
    child.stdout.take()?.take(4096).read_to_string(&mut text).ok()?;
    text.split_whitespace().find_map(numbers)
}

/// Parses `2.1.325`, ignoring anything after the third number.
fn numbers(word: &str) -> Option<Version> {
    let mut parts = word.split(['.', '-', '+']).map(|part| part.parse().ok());
    Some([parts.next()??, parts.next()??, parts.next()??])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_among_words() {
        assert_eq!("2.1.325 (Claude Code)".split_whitespace().find_map(numbers), Some([2, 1, 325]));
        assert_eq!(numbers("2.1.3-beta.4"), Some([2, 1, 3]));
        assert_eq!(numbers("v2"), None);
    }
}
