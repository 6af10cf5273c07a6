//! The paths in the input of a tool.
//!
//! Agents name the fields differently, but alike: a field whose name speaks of a path or a file has one, a command has words
//! that may be some, and a patch names its files in its own lines. The content that a tool writes names nothing.

use briefing_core::sources::instructions::Touch;
use serde_json::Value;

/// A larger input is not looked into.
const MAX_BYTES: usize = 1024 * 1024;
/// A longer text is no path.
const LONGEST: usize = 1024;
/// The words in the names of fields that have paths, and those that say that a field has something else.
const PATHS: [&str; 11] = ["path", "paths", "file", "files", "filename", "filepath", "directory", "dir", "folder", "workdir", "notebook"];
const OTHERS: [&str; 9] = ["text", "content", "contents", "type", "size", "count", "limit", "pattern", "filter"];
/// The names of fields that have a command or a patch.
const COMMANDS: [&str; 5] = ["command", "cmd", "script", "patch", "input"];
/// How a patch names its files.
const PATCHED: [&str; 6] = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ", "+++ b/", "--- a/"];

/// Adds the paths in the input of a tool, given as JSON.
pub(crate) fn add(json: &str, touches: &mut Vec<Touch>) {
    if json.len() > MAX_BYTES {
        return;
    }
    match serde_json::from_str::<Value>(json) {
        // Some versions send the object as a text.
        Ok(Value::String(text)) if text.trim_start().starts_with('{') => {
            if let Ok(value) = serde_json::from_str::<Value>(&text) {
                walk(&value, Field::Other, touches);
            }
        }
        Ok(value) => walk(&value, Field::Other, touches),
        Err(_) => {}
    }
}

/// What a field has, judging by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Path,
    Command,
    Other,
}

impl Field {
    fn named(name: &str) -> Self {
        let mut words = Vec::new();
        for part in name.split(['_', '-', ' ']) {
            let mut word = String::new();
            for c in part.chars() {
                if c.is_uppercase() && !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                word.extend(c.to_lowercase());
            }
            words.push(word);
        }
        let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
        match () {
            () if words.last().is_some_and(|word| OTHERS.contains(&word.as_str())) => Self::Other,
            () if has(&PATHS) => Self::Path,
            () if has(&COMMANDS) => Self::Command,
            () => Self::Other,
        }
    }
}

fn walk(value: &Value, field: Field, touches: &mut Vec<Touch>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| walk(value, Field::named(name), touches)),
        Value::Array(items) => items.iter().for_each(|item| walk(item, field, touches)),
        Value::String(text) if field == Field::Path => push(text, true, touches),
        Value::String(text) if field == Field::Command => command(text, touches),
        _ => {}
    }
}

fn push(path: &str, is_certain: bool, touches: &mut Vec<Touch>) {
    let path = path.trim().strip_prefix("file://").unwrap_or(path.trim());
    if !path.is_empty() && path.len() <= LONGEST && !path.contains('\n') && !path.contains("://") {
        touches.push(Touch { path: path.to_owned(), is_certain });
    }
}

fn command(text: &str, touches: &mut Vec<Touch>) {
    let patched = |line: &str| PATCHED.iter().find_map(|start| line.strip_prefix(start)).map(str::to_owned);
    let in_patch: Vec<String> = text.lines().filter_map(patched).collect();
    if !in_patch.is_empty() {
        for path in &in_patch {
            push(path, true, touches);
        }
        return;
    }
    let mut before = "";
    for word in text.split(|c: char| c.is_whitespace() || "\"'`;|&()<>=".contains(c)).filter(|word| !word.is_empty()) {
        if before == "cd" || (!word.starts_with('-') && (word.contains('/') || word.contains('.'))) {
            push(word, false, touches);
        }
        before = word;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(json: &str) -> Vec<(String, bool)> {
        let mut touches = Vec::new();
        add(json, &mut touches);
        touches.into_iter().map(|touch| (touch.path, touch.is_certain)).collect()
    }

    #[test]
    fn fields_commands_and_patches_name_paths() {
        let certain = |path: &str| (path.to_owned(), true);
        let likely = |path: &str| (path.to_owned(), false);
        assert_eq!(of(r#"{"file_path":"/p/a.rs","old_string":"src/b.rs","content":"c/d.rs"}"#), [certain("/p/a.rs")]);
        assert_eq!(of(r#"{"filePath":"a.rs","limit":3,"file_text":"x/y.rs"}"#), [certain("a.rs")]);
        assert_eq!(of(r#"{"edits":[{"path":"a"},{"path":"b"}],"paths":["c"]}"#), [certain("a"), certain("b"), certain("c")]);
        assert_eq!(
            of(r#"{"command":"cd sub && cat ./x.rs -n --in=src/y.rs | head"}"#),
            [likely("sub"), likely("./x.rs"), likely("src/y.rs")]
        );
        assert_eq!(of(r#"{"command":["bash","-lc","cat src/y.rs"]}"#), [likely("src/y.rs")]);
        let patch = "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-see docs/x.md\n+see docs/y.md\n*** End Patch";
        assert_eq!(of(&serde_json::json!({ "command": patch }).to_string()), [certain("src/a.rs")]);
        assert_eq!(of(r#""{\"path\":\"a\"}""#), [certain("a")]);
        for nothing in ["", "7", "null", r#"{"profile":"x","pattern":"a/b","file_type":"md","url":"https://a/b","path":7}"#] {
            assert_eq!(of(nothing), [], "{nothing}");
        }
    }
}
