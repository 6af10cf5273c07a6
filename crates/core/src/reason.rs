//! Why a piece is in a window. Typed until somebody prints it: the ledger keeps it as JSON, labels print its words.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::sources::domains::Mode;
use crate::sources::gate::Strategy;

/// Why a piece goes into a window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Reason {
    /// A core file of the gate.
    CoreFile { strategy: Strategy },
    /// What the gate says after its files.
    ClosingNotes,
    /// The identity of a domain.
    Domain { name: String },
    /// What the session before left for this one.
    HandOff,
    /// A domain's knowledge, as much of it as its size allows.
    Knowledge { mode: Mode },
    /// The domains and files around the directory.
    Around,
    /// A document that fits the message.
    Match {
        /// The words of the message that it has; none if it is only close in meaning.
        words: Vec<String>,
        /// A model chose it.
        #[serde(default)]
        by_model: bool,
        /// The outline of a document that is too long to come whole.
        #[serde(default)]
        is_outline: bool,
        /// Documents that it requires and that had no room.
        #[serde(default)]
        read_first: Vec<String>,
    },
    /// Another document requires it.
    Required {
        by: String,
        #[serde(default)]
        read_first: Vec<String>,
    },
    /// A person or the agent asked for it by name.
    Requested,
    /// A file with instructions for every agent that this one does not load by itself.
    Instructions,
    /// It says where it applies, and work touches that.
    Applies {
        /// A directory, or a glob.
        to: String,
        /// The path that was touched; `None` if that was earlier.
        touched: Option<String>,
    },
    /// What changed since an earlier session received it.
    Changed { since: String },
    /// The list of what had no room.
    LeftOut,
    /// The words of an earlier version of the ledger.
    Earlier { text: String },
}

impl Reason {
    /// Returns the list of documents to be read first, where the reason has one.
    pub fn read_first(&mut self) -> Option<&mut Vec<String>> {
        match self {
            Self::Match { read_first, .. } | Self::Required { read_first, .. } => Some(read_first),
            _ => None,
        }
    }

    /// Returns the form in which the ledger keeps it.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a reason is plain data")
    }

    /// Reads what the ledger kept; earlier versions kept words.
    pub fn from_ledger(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_else(|_| Self::Earlier { text: text.to_owned() })
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first: &[String] = &[];
        match self {
            Self::CoreFile { strategy } => write!(f, "core file, {}", strategy.word())?,
            Self::ClosingNotes => f.write_str("closing notes")?,
            Self::Domain { name } => write!(f, "domain {name}")?,
            Self::HandOff => f.write_str("hand-off of the session before")?,
            Self::Knowledge { mode } => write!(f, "domain knowledge, {}", mode.word())?,
            Self::Around => f.write_str("domains and files around")?,
            Self::Match { words, by_model, is_outline, read_first } => {
                if *by_model {
                    f.write_str("chosen by the model; ")?;
                }
                if words.is_empty() {
                    f.write_str("close in meaning")?;
                } else {
                    write!(f, "matches: {}", words.join(", "))?;
                }
                if *is_outline {
                    f.write_str("; outline")?;
                }
                first = read_first;
            }
            Self::Required { by, read_first } => {
                write!(f, "required by {by}")?;
                first = read_first;
            }
            Self::Requested => f.write_str("requested")?,
            Self::Instructions => f.write_str("instructions that the agent does not load by itself")?,
            Self::Applies { to, touched } => {
                write!(f, "applies to {to}")?;
                touched.iter().try_for_each(|path| write!(f, "; touched: {path}"))?;
            }
            Self::Changed { since } => write!(f, "changed since the session of {since}")?,
            Self::LeftOut => f.write_str("what did not fit")?,
            Self::Earlier { text } => f.write_str(text)?,
        }
        first.iter().try_for_each(|path| write!(f, "; read {path} first"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_survives_the_ledger_and_says_itself() {
        let matched = Reason::Match {
            words: vec!["retry".into(), "backoff".into()],
            by_model: true,
            is_outline: true,
            read_first: vec!["docs/http.md".into()],
        };
        assert_eq!(matched.to_string(), "chosen by the model; matches: retry, backoff; outline; read docs/http.md first");
        for reason in [matched, Reason::CoreFile { strategy: Strategy::Index }, Reason::Knowledge { mode: Mode::Full }, Reason::HandOff] {
            assert_eq!(Reason::from_ledger(&reason.to_json()), reason);
        }
        assert_eq!(Reason::from_ledger("gate: core file, index").to_string(), "gate: core file, index");
    }
}
