//! Agent-specific names occur only in the agent's row; no other code checks which agent it serves.

use std::fs;
use std::path::{Path, PathBuf};

use briefing_agents::AGENTS;

/// Returns the words that only a row may contain: agent names and environment variables. `generic` is left out: it is
/// no agent in particular, and also a word in claw's settings.
fn words() -> Vec<&'static str> {
    let rows = AGENTS.iter().filter(|agent| agent.name != "generic");
    let mut words: Vec<_> = rows
        .flat_map(|agent| {
            let of_server = agent.mcp.iter().flat_map(|mcp| [mcp.session_variable, mcp.directory_variable]);
            [agent.name, agent.home_variable, agent.process_variable, agent.proof]
                .into_iter()
                .chain(agent.foreign.to_vec())
                .chain(of_server)
        })
        .filter(|word| !word.is_empty())
        .collect();
    words.sort_unstable();
    words.dedup();
    words
}

fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        // The words that the redactor knows are those of any file: a `cursor` there is a place in a list.
        if path.is_dir() && !["tests", "table", "secrets"].contains(&name) {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !name.starts_with("tests") && name != "table.rs" {
            found.push(path);
        }
    }
}

#[test]
fn no_code_outside_the_table_checks_which_agent_it_serves() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = Vec::new();
    for entry in fs::read_dir(crates).unwrap().flatten().filter(|entry| entry.file_name() != "testkit") {
        sources(&entry.path().join("src"), &mut found);
    }
    assert!(found.len() > 100, "too few source files found: {}", found.len());
    let mut problems = Vec::new();
    for path in found {
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        for (number, line) in code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            for word in words().iter().filter(|word| line.contains(&format!("\"{word}\""))) {
                let place = path.strip_prefix(crates).unwrap().display();
                problems.push(format!("crates/{place}:{}: \"{word}\" belongs to a row of crates/agents/src/table", number + 1));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
