//! Why an event delivered nothing. Typed until somebody prints it; the log keeps it as JSON.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::select::Abstention;

/// Why an event delivered nothing.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "kebab-case")]
pub enum Silence {
    /// Nothing is set up for the directory.
    NoSource,
    /// The agent takes no context at this event.
    CarriesNothing,
    /// Everything that such an event brings was delivered before.
    NothingDue,
    /// The prompt has no words of the user: a finished background task, or our own text.
    NoMessage,
    /// Documents are wanted, but there is no index with any.
    NoDocuments,
    /// The settings allow no documents.
    NoneAllowed,
    /// No document fits the message.
    NothingFits {
        because: Abstention,
        /// The confidence, 0 to 1, that the message is about a document, and the one that was needed.
        confidence: f32,
        needed: f32,
    },
    /// A model was asked and chose no document.
    NoneChosen,
    /// The documents are not prepared for search yet.
    Preparing,
    /// The window already has what fits.
    InWindow { pieces: u32 },
    /// Something was chosen or found, but nothing of it could be used; the notes say why.
    LeftOut,
    /// The sources are there, but have nothing to say.
    Empty,
    /// Another tool that runs at the same time has just received something, and two texts would change places.
    HeldBack,
    /// The window was emptied while the event was planned; the next event brings everything.
    Overtaken,
    /// There is no ledger, and without one this event would repeat itself.
    NotRemembered,
    /// An earlier version did not say, or a later one has a reason that this one does not know.
    #[default]
    #[serde(other)]
    Untold,
}

impl Silence {
    /// Returns the form in which the log keeps it; empty for [`Silence::Untold`].
    pub fn to_json(self) -> String {
        if self == Self::Untold { String::new() } else { serde_json::to_string(&self).expect("a silence is plain data") }
    }

    /// Reads what the log kept.
    pub fn from_ledger(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }
}

impl fmt::Display for Silence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::NoSource => "nothing is set up for this directory",
            Self::CarriesNothing => "the agent takes no context at this event",
            Self::NothingDue => "nothing new is due",
            Self::NoMessage => "the prompt contains no words from the user",
            Self::NoDocuments => "there are no documents to choose from",
            Self::NoneAllowed => "`docs.max_docs` is 0",
            Self::NothingFits { because: Abstention::NotAbout, confidence, needed } => {
                return write!(f, "{} (confidence {confidence:.2}, needed {needed:.2})", Abstention::NotAbout);
            }
            Self::NothingFits { because, .. } => return because.fmt(f),
            Self::NoneChosen => "the model chose no document",
            Self::Preparing => "the documents are still being prepared for search",
            Self::InWindow { pieces: 1 } => "the window already has what fits",
            Self::InWindow { pieces } => return write!(f, "the window already has all {pieces} pieces that fit"),
            Self::LeftOut => "nothing that was found could be used",
            Self::Empty => "the files here have nothing to say",
            Self::HeldBack => "another tool call has just received something; this waits",
            Self::Overtaken => "the window was emptied in the meantime",
            Self::NotRemembered => "there is no ledger, and this event would repeat itself",
            Self::Untold => "the reason was not recorded",
        };
        f.write_str(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silence_survives_the_log_and_an_unknown_one_does_no_harm() {
        let fits = Silence::NothingFits { because: Abstention::NotAbout, confidence: 0.25, needed: 0.5 };
        assert_eq!(fits.to_json(), r#"{"why":"nothing-fits","because":"not-about","confidence":0.25,"needed":0.5}"#);
        assert_eq!(fits.to_string(), "no document is close enough to the message (confidence 0.25, needed 0.50)");
        for silence in [fits, Silence::NothingDue, Silence::InWindow { pieces: 2 }, Silence::Untold] {
            assert_eq!(Silence::from_ledger(&silence.to_json()), silence);
        }
        assert_eq!(Silence::from_ledger(r#"{"why":"from-the-future","x":1}"#), Silence::Untold);
    }
}
