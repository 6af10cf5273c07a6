//! Settings that are one of a few words: each word stands here, and only here.

use super::value::Value;

/// A setting that is one of a few words.
pub trait OneOf: Copy + 'static {
    /// All words, as settings, flags and error messages list them.
    const WORDS: &'static [&'static str];

    /// Returns the word for this choice.
    fn word(self) -> &'static str;

    /// Returns the choice that a word stands for.
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
    /// What a file that cannot be used means (spec 4).
    ErrorMode {
        /// Fail and name all of them.
        Strict = "strict",
        /// Ask whether to go on without them.
        Flexible = "flexible",
        /// Warn and go on without them.
        Ignore = "ignore",
    }
}

choice! {
    /// What happens to symbolic links met while walking.
    LinkMode {
        /// Links to files below the argument are followed.
        Inside = "inside",
        Never = "never",
    }
}

choice! {
    /// Who chooses documents for a message.
    SelectorKind {
        Local = "local",
        OpenAi = "openai",
    }
}

choice! {
    /// What happens when the model that chooses does not answer.
    OnFailure {
        /// No document is chosen.
        Nothing = "nothing",
        /// The local selector chooses.
        Local = "local",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_stands_for_a_choice_and_back() {
        fn check<T: OneOf>() {
            for word in T::WORDS {
                assert_eq!(T::from_word(word).expect("it is a word of the list").word(), *word);
            }
            assert!(T::from_word("LOCAL").is_none() && T::from_word("").is_none());
        }
        check::<ErrorMode>();
        check::<LinkMode>();
        check::<SelectorKind>();
        check::<OnFailure>();
    }
}
