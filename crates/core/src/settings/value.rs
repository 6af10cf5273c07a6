//! The value of a setting: as a layer says it, and as the program uses it, with who decided.

use std::collections::BTreeMap;

use serde::Serialize;

use super::layer::{LayerKind, Origin};

/// A value as a layer says it.
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

/// A decided setting: its value, who set it, and whom that overruled (weakest first).
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
    /// Returns `key (place)`, for notes that say which layer decided.
    pub fn decided_by(&self) -> String {
        format!("{} ({})", self.key, self.origin.place)
    }

    /// Returns whether nobody has set it.
    pub fn is_default(&self) -> bool {
        self.origin.source == LayerKind::Default
    }
}

impl Setting<Value> {
    /// Gives the value its type. Every layer has checked it against the kind of its key.
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
