//! The marks of a text, by which it is recognised in what a model writes later: identifiers and phrases.
//!
//! An identifier is a word that nobody writes by chance: it has an underscore, a digit or a capital letter inside, a path or
//! a flag. A phrase is five words in a row. Marks are hashes; nothing of the text is kept but the words of a proof.

use std::hash::{DefaultHasher, Hash, Hasher};

/// How many words make a phrase.
const PHRASE: usize = 5;
/// Shorter phrases are idioms.
const PHRASE_CHARACTERS: usize = 20;
/// Shorter identifiers are found everywhere.
const IDENTIFIER: usize = 5;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Mark {
    Identifier(u64),
    Phrase(u64),
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Calls `found` with every mark of a text, and its words.
pub(super) fn marks(text: &str, found: &mut dyn FnMut(Mark, &str)) {
    let belongs = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ':' | '@');
    for word in text.split(|c| !belongs(c)) {
        let word = word.trim_end_matches(['.', ':', '-', '/', '@']).trim_start_matches(['.', ':', '/', '@']);
        if is_identifier(word) {
            found(Mark::Identifier(hash(word)), word);
        }
    }
    // The words of the last phrase, and where they begin.
    let mut last: Vec<(usize, String)> = Vec::with_capacity(PHRASE);
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (c.is_alphanumeric() || c == '_', start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                start = None;
                if last.len() == PHRASE {
                    last.remove(0);
                }
                last.push((from, text[from..at].to_lowercase()));
                let words = &text[last[0].0..at];
                if last.len() == PHRASE && words.len() >= PHRASE_CHARACTERS {
                    let mut hasher = DefaultHasher::new();
                    for (_, word) in &last {
                        word.hash(&mut hasher);
                    }
                    found(Mark::Phrase(hasher.finish()), words);
                }
            }
            _ => {}
        }
    }
}

fn is_identifier(word: &str) -> bool {
    if word.chars().count() < IDENTIFIER || !word.chars().any(char::is_alphabetic) {
        return false;
    }
    let is_flag = word.starts_with("--");
    let has_inner = |pattern: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).contains(pattern);
    let letters: Vec<char> = word.chars().collect();
    let has_hump = letters.windows(2).any(|pair| pair[0].is_lowercase() && pair[1].is_uppercase());
    let has_digit = word.chars().any(|c| c.is_ascii_digit());
    is_flag || has_hump || has_digit || ["_", "::", "/", "."].into_iter().any(has_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        marks(text, &mut |mark, words| {
            all.push(match mark {
                Mark::Identifier(_) => words.to_owned(),
                Mark::Phrase(_) => format!("“{words}”"),
            });
        });
        all
    }

    #[test]
    fn identifiers_are_words_that_nobody_writes_by_chance() {
        let text = "Run `shopctl drain --canary`, then see `docs/deploy.md`, drainTimeout, MAX_RETRIES, std::fs and v1.2. The end-of-line (10:30).";
        assert_eq!(
            found(text).into_iter().filter(|mark| !mark.starts_with('“')).collect::<Vec<_>>(),
            ["--canary", "docs/deploy.md", "drainTimeout", "MAX_RETRIES", "std::fs"]
        );
    }

    #[test]
    fn phrases_are_five_words_whatever_stands_between_them() {
        assert_eq!(found("Drain the **canary**,\nand roll it"), ["“Drain the **canary**,\nand roll”", "“the **canary**,\nand roll it”"]);
        let hashes = |text: &str| {
            let mut all = Vec::new();
            marks(text, &mut |mark, _| all.push(mark));
            all
        };
        assert_eq!(hashes("Drain the **canary**, and roll"), hashes("drain the canary and ROLL"));
        assert!(found("it is as of a").is_empty(), "an idiom");
    }
}
