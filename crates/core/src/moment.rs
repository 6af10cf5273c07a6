//! Moments: what an agent's event means, whatever the agent calls it.

use serde::Serialize;

/// What an event means to us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Moment {
    /// A session begins: startup, resume, clear, compact, fork.
    Session,
    /// The user says something.
    Message,
    /// The agent uses a tool.
    Tool,
    /// A sub-agent begins.
    SubAgent,
    /// The window is about to be emptied, whatever triggered it.
    Reset,
    /// The window may be about to be emptied; only the trigger `manual` proves it.
    ManualReset,
    /// Bookkeeping of the agent's own; we say nothing.
    Nothing,
}

impl Moment {
    /// Returns the word under which the ledger keeps the moment.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Message => "message",
            Self::Tool => "tool",
            Self::SubAgent => "sub-agent",
            Self::Reset | Self::ManualReset => "reset",
            Self::Nothing => "nothing",
        }
    }

    /// Finds the moment that the ledger keeps under a word. Both resets have one word; it reads as [`Moment::Reset`].
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Session, Self::Message, Self::Tool, Self::SubAgent, Self::Reset, Self::Nothing]
            .into_iter()
            .find(|moment| moment.word() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_back() {
        for word in ["session", "message", "tool", "sub-agent", "reset", "nothing"] {
            assert_eq!(Moment::from_word(word).map(Moment::word), Some(word), "the ledger keeps these words");
        }
        assert_eq!(Moment::from_word(Moment::ManualReset.word()), Some(Moment::Reset));
        assert_eq!(Moment::from_word("later"), None);
    }
}
