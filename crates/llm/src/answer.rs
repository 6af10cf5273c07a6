//! Finds the JSON list in a model's answer.
//!
//! Accepts an array, an object with a list, or several of them in a row, also in a fence, within prose, and after a
//! `<think>` block. Elements may be strings, numbers, or objects with a path, a name or an id.

use briefing_core::text::beginning;
use serde_json::Value;

/// An element of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    Text(String),
    /// An index into the list that the model received. The caller's prompt defines whether it starts at 0 or 1.
    Number(u64),
}

/// The list in a model's answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    pub named: Vec<Named>,
    /// Whether there was a list, even an empty one.
    pub has_list: bool,
    /// Whether the model needs nothing more: `"done": true`.
    pub is_done: bool,
}

impl Answer {
    /// Returns the strings, without numbers.
    pub fn texts(self) -> Vec<String> {
        let text = |named| match named {
            Named::Text(text) => Some(text),
            Named::Number(_) => None,
        };
        self.named.into_iter().filter_map(text).collect()
    }
}

/// The fields in which models put their list, the most likely first.
const LIST_FIELDS: &[&str] = &["files", "result", "results", "paths", "documents", "docs", "selected", "ids", "items", "sections"];
/// The fields in which an element has its name.
const ELEMENT_FIELDS: &[&str] = &["path", "file", "id", "name", "title", "index"];
/// How many brackets and bytes of prose are searched, so that a long answer takes no time.
const MAX_STARTS: usize = 50;
const MAX_PROSE: usize = 128 * 1024;

/// Returns the list in an answer, which may be empty, or `None` if there is no list.
pub fn parse(answer: &str) -> Option<Answer> {
    let answer = answer.rsplit_once("</think>").map_or(answer, |(_, spoken)| spoken).trim();
    let mut whole = std::iter::once(answer).chain(fences(answer));
    if let Some(list) = whole.find_map(|text| lists_in_a_row(text).filter(|(_, is_all)| *is_all)) {
        return Some(list.0);
    }
    // In prose a bracket may mean anything, so only a list with a string counts.
    let answer = beginning(answer, MAX_PROSE);
    let starts = answer.char_indices().filter(|(_, c)| matches!(c, '[' | '{')).map(|(at, _)| at);
    let lists = starts.take(MAX_STARTS).filter_map(|at| lists_in_a_row(&answer[at..]).map(|(list, _)| list));
    lists.into_iter().find(|list| list.named.iter().any(|named| matches!(named, Named::Text(_))))
}

/// Returns the consecutive lists at the beginning of `text`, joined, and whether nothing follows them.
fn lists_in_a_row(text: &str) -> Option<(Answer, bool)> {
    let mut all: Option<Answer> = None;
    for value in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
        let Some(list) = value.ok().as_ref().and_then(list_in) else { return all.map(|all| (all, false)) };
        let all = all.get_or_insert_default();
        all.named.extend(list.named);
        all.has_list |= list.has_list;
        all.is_done |= list.is_done;
    }
    all.map(|all| (all, true))
}

fn list_in(value: &Value) -> Option<Answer> {
    match value {
        Value::Array(elements) => Some(Answer { named: elements.iter().filter_map(named).collect(), has_list: true, is_done: false }),
        Value::String(_) => Some(Answer { named: named(value).into_iter().collect(), has_list: true, is_done: false }),
        Value::Object(fields) => {
            let mut lists = fields.values().filter(|value| value.is_array());
            let only = lists.next().filter(|_| lists.next().is_none());
            let list = LIST_FIELDS.iter().find_map(|name| fields.get(*name).filter(|value| !value.is_null())).or(only);
            let list = list.and_then(list_in).unwrap_or_default();
            Some(Answer { is_done: fields.get("done").and_then(Value::as_bool).unwrap_or(false), ..list })
        }
        _ => None,
    }
}

fn named(element: &Value) -> Option<Named> {
    match element {
        Value::String(text) => Some(Named::Text(text.clone())),
        Value::Number(number) => number.as_u64().map(Named::Number),
        Value::Object(fields) => {
            ELEMENT_FIELDS.iter().find_map(|name| fields.get(*name)).filter(|value| !value.is_object()).and_then(named)
        }
        _ => None,
    }
}

/// Returns the contents of all fenced blocks. An unclosed block reaches to the end.
fn fences(text: &str) -> Vec<&str> {
    let mut fences = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find("```") {
        let after = &rest[open + 3..];
        // The rest of the opening line is the language.
        let Some(line_end) = after.find('\n') else { break };
        let inside = &after[line_end + 1..];
        let close = inside.find("```").unwrap_or(inside.len());
        fences.push(inside[..close].trim());
        rest = inside.get(close + 3..).unwrap_or_default();
    }
    fences
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn assert_texts(answer: &str, expected: &[&str]) {
        assert_eq!(parse(answer).unwrap_or_else(|| panic!("no list in {answer:?}")).texts(), expected, "{answer}");
    }

    #[test]
    fn lists_come_in_many_shapes() {
        for answer in [
            r#"["a.md","b/c.md"]"#,
            r#"{"files":["a.md","b/c.md"]}"#,
            r#"{"done":false,"files":["a.md","b/c.md"],"reason":"why"}"#,
            r#"{"result":["a.md","b/c.md"]}"#,
            r#"{"whatever":["a.md","b/c.md"],"confidence":0.5}"#,
            r#"[{"path":"a.md"},{"name":"b/c.md"}]"#,
            "```json\n[\"a.md\", \"b/c.md\"]\n```",
            "Sure! Here you go:\n\n```\n{\"files\": [\"a.md\", \"b/c.md\"]}\n```\nAnything else?",
            "```json\n[\"a.md\", \"b/c.md\"]",
            "I need [two] files: {\"files\": [\"a.md\", \"b/c.md\"]} please",
            "<think>maybe [\"x\"]?</think>\n[\"a.md\", \"b/c.md\"]",
            "{\"files\":[\"a.md\"]}\n{\"files\":[\"b/c.md\"]}\n",
            "```json\n[\"a.md\"]\n[\"b/c.md\"]\n```",
            "Both:\n{\"files\":[\"a.md\"]}\n{\"files\":[\"b/c.md\"]}\nThat is all.",
        ] {
            assert_texts(answer, &["a.md", "b/c.md"]);
        }
    }

    #[test]
    fn an_empty_list_is_an_answer_and_prose_is_not() {
        assert_eq!(parse("[]"), Some(Answer { has_list: true, ..Answer::default() }));
        assert_eq!(parse(r#"{"nope":1}"#), Some(Answer::default()));
        for done in [r#"{"done":true}"#, r#"{"files":null,"done":true}"#] {
            assert_eq!(parse(done), Some(Answer { is_done: true, ..Answer::default() }));
        }
        for prose in ["", "I cannot help with that.", "see app/[id]/page.tsx and data[0]", "42", "null", "true", "[", "{\"files\": [\"a"] {
            assert_eq!(parse(prose), None, "{prose}");
        }
    }

    #[test]
    fn numbers_are_kept_apart_from_texts() {
        assert_eq!(
            parse("[0, 2, \"a\", -1, 1.5, null, [3]]").unwrap().named,
            [Named::Number(0), Named::Number(2), Named::Text("a".into())]
        );
        assert_eq!(parse(r#"{"result":[{"index":3}]}"#).unwrap().named, [Named::Number(3)]);
    }

    #[test]
    fn a_hostile_answer_takes_no_time() {
        assert_eq!(parse(&"[".repeat(1_000_000)), None);
        assert_eq!(parse(&"```\n".repeat(100_000)), None);
        assert_eq!(parse(&format!("{}{}", "[".repeat(100), "1,".repeat(1_000_000))), None);
    }

    proptest! {
        #[test]
        fn no_answer_breaks_it(answer in ".{0,200}", inner in "[\\[\\]{}\"`a:, \n]{0,60}") {
            let _ = parse(&answer);
            let _ = parse(&inner);
        }
    }
}
