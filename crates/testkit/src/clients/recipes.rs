//! How to find, run and configure each client, with one row per client.
//!
//! The versions are those of `scripts/install-clients`; the facts are in `docs/agents-measured.md`.

mod claude;
mod codex;
mod copilot;
mod gemini;
mod opencode;
mod qwen;

use std::env::consts::ARCH;
use std::path::Path;

use serde_json::{Value, json};

pub(super) use claude::CLAUDE;
pub(super) use codex::{BYPASS_HOOK_TRUST, CODEX};
pub(super) use copilot::COPILOT;
pub(super) use gemini::GEMINI;
pub(super) use opencode::OPENCODE;
pub(super) use qwen::QWEN;

use super::place::Place;
use super::protocol::PORT;

/// A dummy key.
const DUMMY_KEY: &str = "dummy-key-for-loopback-tests";

pub(super) struct Recipe {
    pub(super) name: &'static str,
    pub(super) version: &'static str,
    /// The command line of the program, relative to the client's directory; `{platform}` is `linux-x64` and the
    /// like, `{arch}` the first word of the target triple. A word without a slash is found on the PATH.
    program: &'static [&'static str],
    /// Writes the files that keep the client from asking the user questions.
    pub(super) prepare: fn(&Place),
    pub(super) env: fn(&Place) -> Vec<(&'static str, String)>,
    pub(super) headless: fn(&str) -> Vec<String>,
    pub(super) resume: fn(&str) -> Vec<String>,
    pub(super) interactive: &'static [&'static str],
    /// Adds a command to an event in the user's settings.
    pub(super) register: fn(&Place, &str, &str),
    /// The shape of a probe's output: `nested` or `flat`.
    pub(super) shape: &'static str,
}

/// The version of the MCP inspector.
pub(super) const INSPECTOR: &str = "2.12.0";

pub(super) const ALL: [&Recipe; 6] = [&CLAUDE, &CODEX, &GEMINI, &QWEN, &COPILOT, &OPENCODE];

impl Recipe {
    /// Returns the command line of the program, or an error that says how to install it.
    pub(super) fn locate(&self, clients: &Path) -> Result<Vec<String>, String> {
        locate(self.name, self.version, self.program, clients)
    }
}

/// Returns the command line of an installed program, or an error that says how to install it.
pub(super) fn locate(name: &str, version: &str, program: &[&str], clients: &Path) -> Result<Vec<String>, String> {
    let missing = |what: &Path| {
        format!(
            "{name} {version} is not installed: `{}` is missing\nhint: run `scripts/install-clients` (CLIENTS_DIR tells where to)",
            what.display()
        )
    };
    let home = clients.join(name);
    let stamp = home.join(format!(".installed-{version}"));
    if !stamp.exists() {
        return Err(missing(&stamp));
    }
    let platform = format!("linux-{}", if ARCH == "x86_64" { "x64" } else { "arm64" });
    let mut words = Vec::new();
    for word in program {
        if !word.contains('/') {
            words.push((*word).to_owned());
            continue;
        }
        let file = home.join(word.replace("{platform}", &platform).replace("{arch}", ARCH));
        let file = file.canonicalize().map_err(|_| missing(&file))?;
        words.push(file.to_string_lossy().into_owned());
    }
    Ok(words)
}

fn url(path: &str) -> String {
    format!("http://127.0.0.1:{PORT}{path}")
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// Adds a hook in Claude's format, which Codex, Gemini and Qwen use too.
fn register_nested(place: &Place, file: &str, event: &str, hook: Value) {
    let mut settings = place.home_json(file);
    let groups = &mut settings["hooks"][event];
    if groups.is_null() {
        *groups = json!([{"hooks": []}]);
    }
    groups[0]["hooks"].as_array_mut().expect("a list of hooks").push(hook);
    place.write_home_json(file, &settings);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_client_tells_what_to_run() {
        let empty = tempfile::tempdir().expect("a temporary directory");
        for recipe in [&CLAUDE, &CODEX, &COPILOT, &GEMINI, &OPENCODE, &QWEN] {
            let message = recipe.locate(empty.path()).expect_err("nothing is installed there");
            assert!(message.starts_with(recipe.name), "{message}");
            assert!(message.contains("run `scripts/install-clients`"), "{message}");
        }
    }

    #[test]
    fn versions_are_those_of_the_installer() {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/install-clients");
        let script = std::fs::read_to_string(script).expect("the installer");
        let recipes = [&CLAUDE, &CODEX, &COPILOT, &GEMINI, &OPENCODE, &QWEN].map(|recipe| (recipe.name, recipe.version));
        for (name, expected) in recipes.into_iter().chain([("inspector", INSPECTOR)]) {
            let row = script.lines().find(|line| line.split_whitespace().next() == Some(name));
            let version = row.and_then(|row| row.split_whitespace().nth(1));
            assert_eq!(version, Some(expected), "{name}");
        }
    }
}
