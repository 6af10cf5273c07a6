//! Parses an index file: what it says, in every format, before anything is looked up.
//!
//! Entries are read one after the other, so that a large file never exists as a tree in memory.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer};
use serde_json::{Map, Value};

use crate::shown::one_line;

/// The fields around the list of documents. In a table of documents they would be paths.
const HEAD: [&str; 4] = ["version", "root", "project_root", "snippets_root"];
/// More documents than this are not read: preparing them would take minutes, and no directory of documents is so large.
pub(super) const MAX_ENTRIES: usize = 200_000;

/// One document as an index describes it. Without a path, it is `Err` with its beginning.
pub(super) type Entry = Result<Written, String>;

/// A document as an index describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) path: String,
    /// The name by which other entries and people call it.
    pub(super) id: String,
    pub(super) title: String,
    pub(super) description: String,
    pub(super) tags: Vec<String>,
    pub(super) headings: Vec<String>,
    pub(super) applies_to: Vec<String>,
    pub(super) tokens: u64,
    pub(super) hash: String,
    pub(super) requires: Vec<String>,
}

/// The contents of an index file.
#[derive(Debug)]
pub(super) enum Parsed {
    /// A bare list, or a table from path to tags.
    Bare(Entries),
    /// Version 1, or `snippets` in YAML: a list with fields around it.
    Framed { fields: Map<String, Value>, docs: Option<Entries>, snippets: Option<Entries> },
}

/// The entries of a list, and how many more it has than are read.
#[derive(Debug, Default)]
pub(super) struct Entries {
    pub(super) entries: Vec<Entry>,
    pub(super) more: usize,
}

impl Entries {
    fn push(&mut self, entry: impl FnOnce() -> Entry) {
        if self.entries.len() < MAX_ENTRIES { self.entries.push(entry()) } else { self.more += 1 }
    }
}

/// Parses the text of an index.
pub(super) fn parse(text: &str) -> Result<Parsed, String> {
    let first = |text: String| text.lines().next().unwrap_or_default().to_owned();
    match serde_json::from_str(text) {
        Ok(parsed) => Ok(parsed),
        Err(error) if error.is_data() => Err("it is neither a list nor a table of documents".to_owned()),
        // Text that begins like JSON was meant to be JSON, and that parser's message is more helpful.
        Err(error) if text.trim_start().starts_with(['{', '[']) => Err(format!("not valid JSON: {error}")),
        Err(_) => serde_saphyr::from_str(text).map_err(|error| format!("neither JSON nor YAML: {}", first(error.to_string()))),
    }
}

impl<'de> Deserialize<'de> for Parsed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Top;
        impl<'de> Visitor<'de> for Top {
            type Value = Parsed;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list or a table of documents")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Parsed, A::Error> {
                Ok(Parsed::Bare(entries(items)?))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Parsed, A::Error> {
                let (mut fields, mut table) = (Map::new(), Entries::default());
                let (mut docs, mut snippets) = (None, None);
                while let Some(key) = map.next_key::<String>()? {
                    match key.as_str() {
                        "docs" | "snippets" => match map.next_value()? {
                            Item::List(list) if key == "docs" => docs = Some(list),
                            Item::List(list) => snippets = Some(list),
                            Item::Other(value) => table.push(|| written(&with_path(key, value))),
                        },
                        name if HEAD.contains(&name) => {
                            fields.insert(key, map.next_value()?);
                        }
                        _ => {
                            let value: Value = map.next_value()?;
                            table.push(|| written(&with_path(key, value)));
                        }
                    }
                }
                if docs.is_some() || snippets.is_some() || fields.contains_key("version") {
                    return Ok(Parsed::Framed { fields, docs, snippets });
                }
                for (key, value) in fields {
                    table.push(|| written(&with_path(key, value)));
                }
                Ok(Parsed::Bare(table))
            }
        }
        deserializer.deserialize_any(Top)
    }
}

/// A field that may be a list of documents.
enum Item {
    List(Entries),
    Other(Value),
}

impl<'de> Deserialize<'de> for Item {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AsItem;
        macro_rules! others {
            ($($name:ident($kind:ty),)+) => {
                $(fn $name<E>(self, value: $kind) -> Result<Item, E> {
                    Ok(Item::Other(Value::from(value)))
                })+
            };
        }
        impl<'de> Visitor<'de> for AsItem {
            type Value = Item;

            others! { visit_bool(bool), visit_u64(u64), visit_i64(i64), visit_f64(f64), visit_str(&str), }

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any value")
            }

            fn visit_unit<E>(self) -> Result<Item, E> {
                Ok(Item::Other(Value::Null))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Item, A::Error> {
                entries(items).map(Item::List)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Item, A::Error> {
                Value::deserialize(MapAccessDeserializer::new(map)).map(Item::Other)
            }
        }
        deserializer.deserialize_any(AsItem)
    }
}

fn entries<'de, A: SeqAccess<'de>>(mut items: A) -> Result<Entries, A::Error> {
    let mut entries = Entries::default();
    while let Some(item) = items.next_element::<Value>()? {
        entries.push(|| written(&item));
    }
    Ok(entries)
}

fn written(item: &Value) -> Entry {
    let text = |name: &str| item.get(name).and_then(Value::as_str).unwrap_or_default().trim().to_owned();
    let path = match item {
        Value::String(path) => path.clone(),
        _ => ["path", "file"].into_iter().map(text).find(|path| !path.is_empty()).unwrap_or_default(),
    };
    if path.is_empty() {
        let shown: String = item.to_string().chars().take(60).collect();
        return Err(one_line(&shown).into_owned());
    }
    let mut tags = words(item.get("tags"));
    tags.extend(words(item.get("keywords")));
    for name in ["type", "domain"] {
        tags.extend(Some(text(name)).filter(|tag| !tag.is_empty()));
    }
    Ok(Written {
        id: text("id"),
        title: [text("title"), text("id")].into_iter().find(|title| !title.is_empty()).unwrap_or_default(),
        description: text("description"),
        tags,
        headings: words(item.get("headings")),
        applies_to: words(item.get("applies_to")),
        tokens: item.get("tokens").and_then(Value::as_u64).unwrap_or(0),
        hash: text("hash"),
        requires: words(item.get("requires")),
        path,
    })
}

/// Converts an item of a map to an entry: the value is a list of tags, one tag, or a table.
fn with_path(path: String, about: Value) -> Value {
    let mut fields = match about {
        Value::Object(fields) => fields,
        tags => Map::from_iter([("tags".to_owned(), tags)]),
    };
    fields.insert("path".to_owned(), Value::String(path));
    Value::Object(fields)
}

/// Returns a list of strings, given as a list or as one string with commas.
pub(super) fn words(value: Option<&Value>) -> Vec<String> {
    let items: Vec<&str> = match value {
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(text)) => text.split(',').collect(),
        _ => Vec::new(),
    };
    items.into_iter().map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}
