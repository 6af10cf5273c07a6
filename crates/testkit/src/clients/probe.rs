//! A trivial hook program, to test the harness and to observe the clients.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// One call of a probe hook, in order of time.
#[derive(Clone, Debug)]
pub struct HookCall {
    pub event: String,
    /// What the client wrote to the hook's stdin.
    pub payload: Value,
}

impl HookCall {
    /// Returns a string of the payload, or an empty one if it is missing.
    #[must_use]
    pub fn text(&self, key: &str) -> &str {
        self.payload[key].as_str().unwrap_or_default()
    }
}

/// Saves stdin under a name that sorts by time, then prints one line of context: `PROBE-<event>`, with `-<source>` if the
/// payload has a source and `in:<agent id>` if it has a sub-agent.
pub(super) const SCRIPT: &str = r#"#!/bin/sh
# probe.sh LOG SHAPE EVENT [TEXT]
file=$1/$(date +%s%N)-$$-$3.json
cat > "$file.tmp"
field() { tr -d '\n' < "$file.tmp" | sed -n "s/.*\"$1\": *\"\([A-Za-z0-9_-]*\)\".*/\1/p"; }
source=$(field source)
agent=$(field agent_id)
text="${4:-PROBE-$3}${source:+-$source}${agent:+ in:$agent} END."
mv "$file.tmp" "$file"
case $2 in
nested) printf '{"hookSpecificOutput":{"hookEventName":"%s","additionalContext":"%s"}}\n' "$3" "$text" ;;
flat) printf '{"additionalContext":"%s"}\n' "$text" ;;
esac
"#;

/// Reads what the probes saved.
pub(super) fn calls(log: &Path) -> Vec<HookCall> {
    let mut names: Vec<String> = fs::read_dir(log)
        .expect("the log of the probes")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.strip_suffix(".json").is_some())
        .collect();
    names.sort();
    names
        .iter()
        .map(|name| {
            let bytes = fs::read(log.join(name)).expect("a saved payload");
            let event = name.trim_end_matches(".json").rsplit('-').next().unwrap_or_default().to_owned();
            HookCall { event, payload: serde_json::from_slice(&bytes).unwrap_or(Value::Null) }
        })
        .collect()
}
