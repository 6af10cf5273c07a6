//! How a hook ended, as stored in the log.

use std::fmt;

use briefing_core::Silence;
use serde::{Deserialize, Serialize};

/// How a hook ended. Only [`Outcome::Delivered`] changed the ledger's deliveries.
///
/// The log keeps a word and, for some, a problem or the reason of the silence, each in a column of its own. In a JSON
/// object the fields of the reason are beside the word.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Kept", into = "Kept")]
pub enum Outcome {
    /// Nothing was delivered.
    Silent(Silence),
    Delivered,
    /// Printed, but not recorded in a ledger.
    DeliveredWithoutLedger,
    /// The window was emptied; what is due comes with the next event.
    Emptied,
    /// Another process held the ledger until the deadline.
    Busy,
    /// Another agent ran this entry.
    Foreign,
    /// The agent's row does not know this event.
    UnknownEvent,
    BadInput {
        problem: String,
    },
    NotPrinted {
        problem: String,
    },
    /// A word that this version does not know.
    Other {
        word: String,
    },
}

impl Outcome {
    /// Returns the word that the log stores. These words never change.
    pub fn word(&self) -> &str {
        match self {
            Self::Silent(_) => "silent",
            Self::Delivered => "delivered",
            Self::DeliveredWithoutLedger => "delivered-without-ledger",
            Self::Emptied => "emptied",
            Self::Busy => "busy",
            Self::Foreign => "foreign",
            Self::UnknownEvent => "unknown-event",
            Self::BadInput { .. } => "bad-input",
            Self::NotPrinted { .. } => "not-printed",
            Self::Other { word } => word,
        }
    }

    /// Returns a description of the problem; empty for most outcomes.
    pub fn problem(&self) -> &str {
        match self {
            Self::BadInput { problem } | Self::NotPrinted { problem } => problem,
            _ => "",
        }
    }

    /// Returns why nothing was delivered, for a silent one.
    pub fn silence(&self) -> Option<Silence> {
        match self {
            Self::Silent(why) => Some(*why),
            _ => None,
        }
    }

    /// Reads what the log kept. Version 0.1 kept the sentences of [`fmt::Display`] instead of words.
    pub(crate) fn read(word: &str, problem: &str, why: Silence) -> Self {
        match word {
            "silent" => Self::Silent(why),
            "delivered" => Self::Delivered,
            "delivered-without-ledger" | "delivered without the ledger" => Self::DeliveredWithoutLedger,
            "emptied" | "the window was emptied" => Self::Emptied,
            "busy" | "silent: another process held the ledger" => Self::Busy,
            "foreign" | "silent: called by another agent" => Self::Foreign,
            "unknown-event" | "silent: unknown event" => Self::UnknownEvent,
            "bad-input" => Self::BadInput { problem: problem.to_owned() },
            "not-printed" => Self::NotPrinted { problem: problem.to_owned() },
            _ => match word.split_once(": ") {
                Some(("silent", problem)) => Self::BadInput { problem: problem.to_owned() },
                Some(("not printed", problem)) => Self::NotPrinted { problem: problem.to_owned() },
                _ => Self::Other { word: word.to_owned() },
            },
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Silent(Silence::Untold) => f.write_str("silent"),
            Self::Silent(why) => write!(f, "silent: {why}"),
            Self::Delivered => f.write_str("delivered"),
            Self::DeliveredWithoutLedger => f.write_str("delivered without the ledger"),
            Self::Emptied => f.write_str("the window was emptied"),
            Self::Busy => f.write_str("silent: another process held the ledger"),
            Self::Foreign => f.write_str("silent: called by another agent"),
            Self::UnknownEvent => f.write_str("silent: unknown event"),
            Self::BadInput { problem } => write!(f, "silent: {problem}"),
            Self::NotPrinted { problem } => write!(f, "not printed: {problem}"),
            Self::Other { word } => f.write_str(word),
        }
    }
}

/// The fields of an object.
#[derive(Serialize, Deserialize)]
struct Kept {
    outcome: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    problem: String,
    #[serde(flatten)]
    why: Option<Silence>,
}

impl From<Outcome> for Kept {
    fn from(outcome: Outcome) -> Self {
        Self { outcome: outcome.word().to_owned(), problem: outcome.problem().to_owned(), why: outcome.silence() }
    }
}

impl From<Kept> for Outcome {
    fn from(kept: Kept) -> Self {
        Self::read(&kept.outcome, &kept.problem, kept.why.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use briefing_core::select::Abstention;

    use super::*;

    fn all() -> Vec<Outcome> {
        let problem = "the input ended: too early".to_owned();
        vec![
            Outcome::Silent(Silence::Untold),
            Outcome::Delivered,
            Outcome::DeliveredWithoutLedger,
            Outcome::Emptied,
            Outcome::Busy,
            Outcome::Foreign,
            Outcome::UnknownEvent,
            Outcome::BadInput { problem: problem.clone() },
            Outcome::NotPrinted { problem },
            Outcome::Other { word: "from the future".into() },
        ]
    }

    #[test]
    fn words_and_problems_are_read_back() {
        for outcome in all() {
            assert_eq!(Outcome::read(outcome.word(), outcome.problem(), outcome.silence().unwrap_or_default()), outcome);
            let json = serde_json::to_string(&outcome).unwrap();
            assert_eq!(serde_json::from_str::<Outcome>(&json).unwrap(), outcome, "{json}");
        }
        let fits = Silence::NothingFits { because: Abstention::NoTopic, confidence: 0.5, needed: 0.75 };
        let json = serde_json::to_string(&Outcome::Silent(fits)).unwrap();
        assert_eq!(json, r#"{"outcome":"silent","why":"nothing-fits","because":"no-topic","confidence":0.5,"needed":0.75}"#);
        assert_eq!(serde_json::from_str::<Outcome>(&json).unwrap(), Outcome::Silent(fits));
        let bad = Outcome::BadInput { problem: "no object".into() };
        assert_eq!(serde_json::to_string(&bad).unwrap(), r#"{"outcome":"bad-input","problem":"no object"}"#);
    }

    #[test]
    fn the_sentences_of_version_0_1_are_read() {
        for outcome in all() {
            assert_eq!(Outcome::read(&outcome.to_string(), "", Silence::Untold), outcome);
        }
    }
}
