//! Runs hooks as agents do: with a payload on stdin and the context in the JSON on stdout.
//!
//! All tests of hooks go through this module, so that the minimal payload and the place of the context in each agent's
//! format are defined once.

use std::ffi::OsStr;
use std::io::Write;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use super::{Outcome, Sandbox, binary};

impl Sandbox {
    /// Returns the payload of an event: session `s-1` in the project's root, plus the fields of `more`, which override both.
    pub fn payload(&self, more: &Value) -> Value {
        let mut payload = json!({ "session_id": "s-1", "cwd": self.root() });
        let more = more.as_object().expect("a payload is an object").clone();
        payload.as_object_mut().expect("it was just made").extend(more);
        payload
    }

    /// Runs `brief hook` with these arguments (agent, event, lane) and returns the context that the agent receives, or an
    /// empty string. Panics unless the hook exits with 0 and prints nothing to stderr.
    #[track_caller]
    pub fn hook<A: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = A>, more: &Value) -> String {
        let words = std::iter::once(OsStr::new("hook").to_owned()).chain(words.into_iter().map(|word| word.as_ref().to_owned()));
        let outcome = self.brief_with_input(words, self.payload(more).to_string()).success();
        assert_eq!(outcome.stderr, b"", "a hook is silent on stderr: {outcome}");
        outcome.context()
    }

    /// Starts `brief` with these arguments, sends it a payload and closes its stdin. For calls that overlap or are killed.
    pub fn start<A: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = A>, payload: &Value) -> Child {
        let mut command = self.command(binary());
        command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("cannot run {}: {error}", binary().display()));
        child.stdin.take().expect("stdin was piped").write_all(payload.to_string().as_bytes()).expect("a hook reads its input");
        child
    }

    /// Returns what `brief log --json` prints.
    #[track_caller]
    pub fn log(&self) -> Value {
        let outcome = self.brief(["log", "--json"]).success();
        serde_json::from_slice(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome}"))
    }
}

impl Outcome {
    /// Returns the context in a hook's answer, or an empty string.
    #[track_caller]
    pub fn context(&self) -> String {
        context(&self.stdout)
    }
}

/// Returns the context in a hook's output, in any agent's format, or an empty string if nothing was printed.
#[track_caller]
pub fn context(stdout: &[u8]) -> String {
    if stdout.is_empty() {
        return String::new();
    }
    let shown = || String::from_utf8_lossy(stdout);
    let object: Value = serde_json::from_slice(stdout).unwrap_or_else(|error| panic!("{error}: {}", shown()));
    let places = ["/hookSpecificOutput/additionalContext", "/additionalContext", "/additional_context", "/context"];
    let found = places.iter().find_map(|place| object.pointer(place)).and_then(Value::as_str);
    found.unwrap_or_else(|| panic!("an answer without context: {}", shown())).to_owned()
}
