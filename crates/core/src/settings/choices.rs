//! Settings with a fixed set of values. Each value is defined here and nowhere else.

use super::value::Value;

/// A setting with a fixed set of values.
pub trait OneOf: Copy + 'static {
    /// All values, in the order in which settings, flags and error messages list them.
    const WORDS: &'static [&'static str];

    /// Returns the value as users write it.
    fn word(self) -> &'static str;

    /// Parses a value as users write it.
    fn from_word(word: &str) -> Option<Self>;
}

macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name {
            $($(#[$about])* $variant,)+
        }

        impl OneOf for $name {
            const WORDS: &'static [&'static str] = &[$($word),+];

            fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }

        impl From<$name> for Value {
            fn from(choice: $name) -> Self {
                Self::Text(choice.word().to_owned())
            }
        }

        impl TryFrom<Value> for $name {
            type Error = Value;

            fn try_from(value: Value) -> Result<Self, Value> {
                match &value {
                    Value::Text(word) => Self::from_word(word).ok_or(value),
                    _ => Err(value),
                }
            }
        }
    };
}

choice! {
    /// What to do about a file that cannot be used (spec 4).
    ErrorMode {
        /// Fails and names every such file.
        Strict = "strict",
        /// Asks whether to continue without them.
        Flexible = "flexible",
        /// Warns and continues without them.
        Ignore = "ignore",
    }
}

choice! {
    /// What to do about symbolic links found while walking.
    LinkMode {
        /// Follows links to files below the argument.
        Inside = "inside",
        Never = "never",
    }
}

choice! {
    /// Which selector chooses documents for a message.
    SelectorKind {
        Local = "local",
        OpenAi = "openai",
    }
}

choice! {
    /// When the user is told what went into the window.
    Announce {
        /// When a session's window is filled for the first time.
        Start = "start",
        /// At every delivery.
        Always = "always",
        Never = "never",
    }
}

choice! {
    /// When the core files enter a window.
    GateOpens {
        /// At the first use of a tool (spec 2).
        Work = "work",
        /// With the first event of a session.
        Start = "start",
    }
}

choice! {
    /// What to do when the model does not answer.
    OnFailure {
        /// Chooses no documents.
        Nothing = "nothing",
        /// Lets the local selector choose.
        Local = "local",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_parses_to_its_choice() {
        fn check<T: OneOf>() {
            for word in T::WORDS {
                assert_eq!(T::from_word(word).expect("it is a word of the list").word(), *word);
            }
            assert!(T::from_word("LOCAL").is_none() && T::from_word("").is_none());
        }
        check::<ErrorMode>();
        check::<LinkMode>();
        check::<SelectorKind>();
        check::<GateOpens>();
        check::<OnFailure>();
    }
}
