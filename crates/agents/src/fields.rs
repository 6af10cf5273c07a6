//! Reads the few payload fields that we need, so that no other field can make reading fail.
//!
//! A tool's result may contain anything: half a surrogate pair, very deep nesting, numbers out of range. Other fields
//! are skipped without being decoded, and only texts are accepted as values.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use briefing_core::sources::instructions::Touch;
use memchr::memmem;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::touched;

/// The texts of an object, by field name.
pub(crate) type Found = BTreeMap<&'static str, String>;

/// The field that has all calls of tools that ran at the same time.
pub(crate) const TOOL_CALLS: &str = "tool_calls";

/// Returns the paths in the inputs of tools. `input` is the name of the field with a tool's input.
pub(crate) fn touched(bytes: &[u8], input: &'static str) -> Vec<Touch> {
    let text = without_lone_surrogates(String::from_utf8_lossy(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)));
    let Ok(found) = serde_json::Deserializer::from_str(&text).deserialize_map(Raw { input }) else { return Vec::new() };
    let mut touches = Vec::new();
    for input in found {
        touched::add(input.get(), &mut touches);
    }
    touches
}

/// Finds the inputs of tools without decoding anything else.
struct Raw {
    input: &'static str,
}

impl<'de> Visitor<'de> for Raw {
    type Value = Vec<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = Vec::new();
        while let Some(name) = map.next_key::<Cow<'_, str>>()? {
            match &*name {
                name if name == self.input && !name.is_empty() => found.push(map.next_value()?),
                TOOL_CALLS => {
                    let calls: &RawValue = map.next_value()?;
                    let calls: Vec<&RawValue> = serde_json::from_str(calls.get()).unwrap_or_default();
                    let inputs = calls.iter().filter_map(|call| serde_json::from_str::<ToolInput<'_>>(call.get()).ok()?.tool_input);
                    found.extend(inputs);
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(found)
    }
}

/// One of several tool calls, of which only the input is read.
#[derive(Deserialize)]
struct ToolInput<'a> {
    #[serde(borrow)]
    tool_input: Option<&'a RawValue>,
}

/// Reads the wanted fields of an object. If a field occurs twice, the last one counts. Empty names are ignored.
pub(crate) fn read(bytes: &[u8], wanted: &[&'static str]) -> serde_json::Result<Found> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let text = without_lone_surrogates(String::from_utf8_lossy(bytes));
    serde_json::Deserializer::from_str(&text).deserialize_map(Wanted(wanted))
}

struct Wanted<'a>(&'a [&'static str]);

impl<'de> Visitor<'de> for Wanted<'_> {
    type Value = Found;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = BTreeMap::new();
        while let Some(name) = map.next_key::<Cow<'_, str>>()? {
            let Some(wanted) = self.0.iter().find(|wanted| **wanted == name && !wanted.is_empty()) else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            match text_of(map.next_value()?) {
                Some(text) => found.insert(*wanted, text),
                None => found.remove(wanted),
            };
        }
        Ok(found)
    }
}

/// One of several tool calls, of which only the id is read.
#[derive(Deserialize)]
struct ToolCall {
    tool_use_id: String,
}

/// Returns a value as text: a string, the first string of a list, or the id of the first tool call.
fn text_of(value: &RawValue) -> Option<String> {
    let json = value.get();
    if json.starts_with('[') {
        return serde_json::from_str::<Vec<&RawValue>>(json).ok()?.first().and_then(|first| text_or_id(first.get()));
    }
    text_or_id(json)
}

fn text_or_id(json: &str) -> Option<String> {
    if json.starts_with('{') {
        return serde_json::from_str::<ToolCall>(json).ok().map(|call| call.tool_use_id);
    }
    serde_json::from_str(json).ok()
}

/// Replaces every unpaired escaped surrogate with U+FFFD. JavaScript writes one when it cuts a string inside a
/// character, and JSON parsers reject it.
pub(crate) fn without_lone_surrogates(json: Cow<'_, str>) -> Cow<'_, str> {
    let bytes = json.as_bytes();
    if memmem::find(bytes, br"\ud").is_none() && memmem::find(bytes, br"\uD").is_none() {
        return json;
    }
    let mut whole = String::with_capacity(json.len());
    let mut rest = &*json;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        whole.push_str(before);
        let length = match (surrogate(escape), escape.get(6..).and_then(surrogate)) {
            (Some(Half::High), Some(Half::Low)) => 12,
            (Some(_), _) => {
                whole.push_str(r"\ufffd");
                rest = &escape[6..];
                continue;
            }
            // Skip an escape together with what it escapes: `\\ud800` is a backslash followed by letters.
            (None, _) => 1 + escape[1..].chars().next().map_or(0, char::len_utf8),
        };
        whole.push_str(&escape[..length]);
        rest = &escape[length..];
    }
    whole.push_str(rest);
    Cow::Owned(whole)
}

#[derive(Clone, Copy)]
enum Half {
    High,
    Low,
}

/// Returns which half of a surrogate pair a text begins with.
fn surrogate(text: &str) -> Option<Half> {
    let digits = text.strip_prefix(r"\u")?.get(..4)?;
    match u16::from_str_radix(digits, 16).ok()? {
        0xD800..=0xDBFF => Some(Half::High),
        0xDC00..=0xDFFF => Some(Half::Low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(json: &str) -> Option<String> {
        read(json.as_bytes(), &["a"]).unwrap().remove("a")
    }

    #[test]
    fn other_fields_cannot_make_reading_fail() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        for other in [r#""\ud83d""#, r#"{"\udc00":1}"#, "1e999", &deep] {
            assert_eq!(of(&format!(r#"{{"x":{other},"a":"b"}}"#)).as_deref(), Some("b"));
            assert_eq!(of(&format!(r#"{{"a":[{{"tool_response":{other},"tool_use_id":"t"}}]}}"#)).as_deref(), Some("t"));
            assert_eq!(of(&format!(r#"{{"a":[{other}]}}"#)).filter(|text| text != "\u{FFFD}"), None);
        }
        assert_eq!(read(b"{\"x\":\"\xFF\",\"a\":\"b\xFF\"}", &["a"]).unwrap()["a"], "b\u{FFFD}");
    }

    #[test]
    fn only_unpaired_surrogates_are_replaced() {
        for (json, text) in [
            (r"\ud83d\ude00", "😀"),
            (r"\uD83D", "\u{FFFD}"),
            (r"x\ude00y", "x\u{FFFD}y"),
            (r"\ud83d\ud83d\ude00", "\u{FFFD}😀"),
            (r"\ud83d\n", "\u{FFFD}\n"),
            (r"\\ud83d", r"\ud83d"),
            (r"\\\ud83d", "\\\u{FFFD}"),
            (r"\ud83dé\u00e9", "\u{FFFD}éé"),
        ] {
            assert_eq!(of(&format!(r#"{{"a":"{json}"}}"#)).as_deref(), Some(text), "{json}");
        }
    }

    #[test]
    fn invalid_json_is_still_rejected() {
        for json in [r#"{"a":"\ud83"}"#, r#"{"a":"\ud8"#, r#"{"a":"\u"}"#, r#"{"a":"\"#, r"{\ud800", r#"{"a":tru,"b":"\ud800"}"#] {
            assert!(read(json.as_bytes(), &["a"]).is_err(), "{json}");
        }
    }
}
