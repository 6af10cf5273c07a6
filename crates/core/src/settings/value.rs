//! The value of a setting, as a layer gives it and as the program uses it, with its origin.

use std::collections::BTreeMap;

use serde::Serialize;

use super::layer::{LayerKind, Origin};

/// A value as a layer gives it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Value {
    Bool(bool),
    Count(u64),
    Text(String),
    List(Vec<String>),
    Map(BTreeMap<String, String>),
}

macro_rules! conversions {
    ($($variant:ident($kind:ty),)+) => {
        $(impl From<$kind> for Value {
            fn from(value: $kind) -> Self {
                Self::$variant(value)
            }
        }

        impl TryFrom<Value> for $kind {
            type Error = Value;

            fn try_from(value: Value) -> Result<Self, Value> {
                match value {
                    Value::$variant(value) => Ok(value),
                    other => Err(other),
                }
            }
        })+
    };
}

conversions! {
    Bool(bool),
    Count(u64),
    Text(String),
    List(Vec<String>),
    Map(BTreeMap<String, String>),
}

/// A decided setting: its value, where it was set, and which origins that overruled (weakest first).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Setting<T> {
    /// The name as written in `brief.toml`.
    #[serde(skip)]
    pub key: &'static str,
    pub value: T,
    pub origin: Origin,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overruled: Vec<Origin>,
}

impl<T> Setting<T> {
    /// Returns `key (place)`, for notes that name the deciding layer.
    pub fn decided_by(&self) -> String {
        format!("{} ({})", self.key, self.origin.place)
    }

    /// Returns whether no layer has set it.
    pub fn is_default(&self) -> bool {
        self.origin.source == LayerKind::Default
    }
}

impl Setting<Value> {
    /// Converts the value to its type. This cannot fail because every layer checks values against the kind of their
    /// key.
    pub(super) fn typed<T: TryFrom<Value, Error = Value>>(self) -> Setting<T> {
        let Self { key, value, origin, overruled } = self;
        let value = value.try_into().unwrap_or_else(|value| unreachable!("{value:?} does not have the kind of `{key}`"));
        Setting { key, value, origin, overruled }
    }
}

impl<T: Clone + Into<Value>> Setting<T> {
    pub(super) fn untyped(&self) -> Setting<Value> {
        Setting { key: self.key, value: self.value.clone().into(), origin: self.origin.clone(), overruled: self.overruled.clone() }
    }
}
