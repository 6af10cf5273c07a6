//! Extracts from a prompt what the user wrote.
//!
//! Agents send more through the message event than users type: notices of finished tasks, the output of hooks, and
//! text that Briefing itself injected. Selecting documents for those would be useless, and would loop on our own text.

use std::borrow::Cow;

use crate::frames::WRAPPERS;
use crate::secrets::removed;

/// Returns the words of the user in a prompt, or `None` if there are none. Everything in an agent's wrapper is removed, wherever
/// it occurs, and so are secrets.
///
/// ```
/// use briefing_core::select::user_words;
///
/// assert_eq!(user_words("<hook_context>old text</hook_context>\nwhy?").as_deref(), Some("why?"));
/// assert_eq!(user_words("<task-notification>done</task-notification>"), None);
/// ```
pub fn user_words(prompt: &str) -> Option<Cow<'_, str>> {
    // The words become reasons, which are shown and stored.
    let mut words = removed(prompt);
    if let Some(without) = cut(&words, "[redacted: ", "]") {
        words = Cow::Owned(without);
    }
    for name in WRAPPERS {
        if let Some(without) = cut_blocks(&words, name) {
            words = Cow::Owned(without);
        }
    }
    let trimmed = words.trim();
    if !trimmed.contains(char::is_alphanumeric) {
        return None;
    }
    if trimmed.len() == words.len() {
        return Some(words);
    }
    Some(match words {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    })
}

/// Removes every `<name …>…</name>`. An unclosed block extends to the end: it is better to miss words of the user than
/// to react to a program.
fn cut_blocks(text: &str, name: &str) -> Option<String> {
    cut(text, &format!("<{name}"), &format!("</{name}>"))
}

/// Removes what is between `open` and `close`, with both.
fn cut(text: &str, open: &str, close: &str) -> Option<String> {
    let mut rest = text;
    let mut kept: Option<String> = None;
    let mut from = 0;
    while let Some(found) = rest[from..].find(open) {
        let at = from + found;
        let after = &rest[at + open.len()..];
        // `<briefing-notes>` is not `<briefing>`.
        if open.starts_with('<') && !after.starts_with(['>', ' ', '\n', '\t', '/']) {
            from = at + open.len();
            continue;
        }
        kept.get_or_insert_default().push_str(&rest[..at]);
        rest = after.find(close).map_or("", |end| &after[end + close.len()..]);
        from = 0;
    }
    kept.map(|mut kept| {
        kept.push_str(rest);
        kept
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::user_words;

    #[test]
    fn machine_text_is_not_the_users() {
        for prompt in [
            "",
            " \n",
            "…!?",
            "<task-notification>\n<task-id>7</task-id> done\n</task-notification>",
            "<hook_context>docs/api.md</hook_context>",
            "<hook_context hook=\"brief\">never closed",
        ] {
            assert_eq!(user_words(prompt), None, "{prompt:?}");
        }
    }

    #[test]
    fn the_users_words_around_a_block_stay() {
        assert_eq!(user_words("a <hook_context>x</hook_context>b").as_deref(), Some("a b"));
        assert_eq!(user_words("why does [redacted: GitHub token] fail?").as_deref(), Some("why does  fail?"));
        assert_eq!(user_words(" how do <Generics> work? ").as_deref(), Some("how do <Generics> work?"));
        assert_eq!(user_words("<briefing-notes> stays").as_deref(), Some("<briefing-notes> stays"));
    }

    proptest! {
        #[test]
        fn a_prompt_without_blocks_is_only_trimmed(prompt in "[a-zA-Z ,.?é]{0,60}") {
            let expected = prompt.trim();
            let expected = expected.contains(char::is_alphanumeric).then_some(expected);
            let words = user_words(&prompt);
            prop_assert_eq!(words.as_deref(), expected);
        }

        #[test]
        fn never_panics_and_never_grows(prompt in "(<hook_context>|</hook_context>|<briefing|>|é| ){0,20}") {
            prop_assert!(user_words(&prompt).is_none_or(|words| words.len() <= prompt.len()));
        }
    }
}
