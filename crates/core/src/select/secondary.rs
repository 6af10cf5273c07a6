//! Documents that are about the project rather than its subject: change logs, licences, news.
//!
//! They contain every word, so they match everything. They rank below guides unless the message asks for them. Which
//! documents these are is a setting (`docs.secondary`): words of a directory, a file name or a title, with a `*` at either
//! end for more words.

/// Returns the words of a text in lower case with single spaces between them.
fn plain_words(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// Returns whether a directory or the file name of a path, or the title, is what one of the rules says.
pub(super) fn is_secondary(path: &str, title: &str, rules: &[&str]) -> bool {
    let path = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let names = path.split('/').chain([title]).map(plain_words);
    names.into_iter().any(|name| rules.iter().any(|rule| matches(&name, rule)))
}

/// Returns the rules whose words a message does not have.
pub(super) fn not_asked_for<'a>(message: &str, rules: &'a [String]) -> Vec<&'a str> {
    let asked = format!(" {} ", plain_words(message));
    rules.iter().map(String::as_str).filter(|rule| !asked.contains(&format!(" {} ", rule.trim_matches('*')))).collect()
}

fn matches(name: &str, rule: &str) -> bool {
    let words = rule.trim_matches('*');
    let is_at = |at: usize| {
        let (before, after) = (&name[..at], &name[at + words.len()..]);
        (before.is_empty() || (rule.starts_with('*') && before.ends_with(' ')))
            && (after.is_empty() || (rule.ends_with('*') && after.starts_with(' ')))
    };
    !words.is_empty() && name.match_indices(words).any(|(at, _)| is_at(at))
}

#[cfg(test)]
mod tests {
    use super::{is_secondary, not_asked_for};
    use crate::settings::Settings;

    fn is_lowered(path: &str, title: &str, message: &str) -> bool {
        let rules = Settings::defaults().docs.secondary.value;
        is_secondary(path, title, &not_asked_for(message, &rules))
    }

    #[test]
    fn change_logs_and_licences_are_secondary() {
        for (path, title) in [
            ("CHANGELOG.md", ""),
            ("docs/release-notes/v2.md", "Version 2"),
            ("docs/blog/hello.md", "Hello"),
            ("guides/7_1_release_notes.md", ""),
            ("a.md", "Code of Conduct"),
        ] {
            assert!(is_lowered(path, title, "how do plugins work?"), "{path}");
        }
    }

    #[test]
    fn guides_are_not() {
        for (path, title) in
            [("docs/navigation-history.md", "Navigation History"), ("guide/licensing.md", "Licensing"), ("docs/releasing.md", "")]
        {
            assert!(!is_lowered(path, title, "how do plugins work?"), "{path}");
        }
    }

    #[test]
    fn what_the_message_asks_for_is_not() {
        assert!(!is_lowered("CHANGELOG.md", "", "is that in the changelog?"));
        assert!(!is_lowered("docs/release-notes/v2.md", "", "read me the release notes of version 2"));
        assert!(is_lowered("docs/news.md", "", "how does the newsletter work?"));
    }
}
