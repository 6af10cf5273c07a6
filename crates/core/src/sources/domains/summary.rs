//! Summarises a knowledge file that is too large to load: fewer than 2,000 tokens for any input.

use std::fmt::Write as _;

use super::entry::Entry;
use super::knowledge::Knowledge;
use crate::shown::one_line;

/// The maximum length of a summary in UTF-16 units: one less than 2,000 tokens.
const MAX_UNITS: usize = 1_999 * 4;
/// The length at which titles and topics are cut, in UTF-16 units; lists of topics are cut at [`TOPICS_UNITS`].
const TITLE_UNITS: usize = 90;
const TOPICS_UNITS: usize = 1_200;

/// Groups of entries: heading, types, and the maximum number of entries to list.
const GROUPS: &[(&str, &[&str], usize)] = &[
    ("Decisions", &["decision"], 10),
    ("Patterns and rules", &["pattern", "rule"], 10),
    ("Gotchas", &["gotcha"], 10),
    ("Processes", &["process"], 5),
];
const RECENT: usize = 8;

/// Summarises a knowledge file of `tokens` tokens.
pub fn summarize(knowledge: &Knowledge<'_>, tokens: u64) -> String {
    let mut text = format!("# Knowledge Summary\n\n**Status:** {tokens} tokens, {}\n", count(knowledge.entries.len(), "entry", "entries"));
    let _ = writeln!(text, "**Topics:** {}", topics_line(knowledge));
    for (heading, kinds, most) in GROUPS {
        let mut entries: Vec<_> = knowledge.entries.iter().filter(|entry| kinds.contains(&entry.kind())).collect();
        if entries.is_empty() {
            continue;
        }
        newest_first(&mut entries);
        let _ = write!(text, "\n## {heading} ({})\n", entries.len());
        push_entries(&mut text, &entries, *most, false);
    }
    let mut recent: Vec<_> = knowledge.entries.iter().collect();
    newest_first(&mut recent);
    if !recent.is_empty() {
        text.push_str("\n## Recent\n");
        recent.truncate(RECENT);
        push_entries(&mut text, &recent, RECENT, true);
    }
    cut(text.trim_end(), MAX_UNITS)
}

/// Returns the topics with their counts, most used first: `auth (12), api (3), and 4 more`.
pub(super) fn topics_line(knowledge: &Knowledge<'_>) -> String {
    let mut topics: Vec<_> = knowledge.topics().into_iter().collect();
    topics.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut line = String::new();
    for (at, (topic, count)) in topics.iter().enumerate() {
        let next = format!("{}{} ({count})", if at == 0 { "" } else { ", " }, cut(&one_line(topic), 40));
        if units(&line) + units(&next) > TOPICS_UNITS {
            let _ = write!(line, ", and {} more", topics.len() - at);
            break;
        }
        line.push_str(&next);
    }
    if line.is_empty() { "none".into() } else { line }
}

/// Sorts by date, newest first. Entries without a date come last, in reverse order of the file.
fn newest_first(entries: &mut Vec<&Entry<'_>>) {
    entries.reverse();
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.day()));
}

fn push_entries(text: &mut String, entries: &[&Entry<'_>], most: usize, with_kind: bool) {
    for entry in entries.iter().take(most) {
        let date = entry.date.map(|date| format!("{date} ")).unwrap_or_default();
        let title = cut(&one_line(entry.title), TITLE_UNITS);
        let kind = if with_kind { format!(" ({})", cut(&one_line(entry.kind()), 16)) } else { String::new() };
        let topics = if entry.topics.is_empty() { String::new() } else { format!(" [{}]", cut(&one_line(&entry.topics.join(", ")), 40)) };
        let _ = writeln!(text, "- {date}{title}{kind}{topics}");
    }
    if entries.len() > most {
        let _ = writeln!(text, "- … and {} more", entries.len() - most);
    }
}

/// Returns `1 entry`, `7 entries`.
pub(super) fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// Returns `text` in at most `limit` UTF-16 units, ending with `…` if it was cut.
pub(super) fn cut(text: &str, limit: usize) -> String {
    if text.len() <= limit || units(text) <= limit {
        return text.to_owned();
    }
    let mut left = limit - 1;
    let mut short: String = text
        .chars()
        .take_while(|c| {
            let fits = c.len_utf16() <= left;
            left = left.saturating_sub(c.len_utf16());
            fits
        })
        .collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tokens::estimate_utf16;

    #[test]
    fn a_summary_names_topics_groups_and_what_is_new() {
        let entry = |day: usize, kind: &str, title: &str, topics: &str| {
            format!("\n---\n\n## 2026-01-{day:02} - {title}\n**Type:** {kind}\n**Topics:** {topics}\n\nbody\n")
        };
        let text = [
            entry(1, "decision", "Use SQLite", "store"),
            entry(3, "rule", "No unwrap", "style, rust"),
            entry(2, "pattern", "One file per command", "style"),
            entry(4, "gotcha", "Hooks are merged by text", "hooks"),
            entry(5, "fact", "The API has no sandbox", "api"),
        ]
        .concat();
        insta::assert_snapshot!(summarize(&Knowledge::parse(&text), 9_000), @r"
        # Knowledge Summary

        **Status:** 9000 tokens, 5 entries
        **Topics:** style (2), api (1), hooks (1), rust (1), store (1)

        ## Decisions (1)
        - 2026-01-01 Use SQLite [store]

        ## Patterns and rules (2)
        - 2026-01-03 No unwrap [style, rust]
        - 2026-01-02 One file per command [style]

        ## Gotchas (1)
        - 2026-01-04 Hooks are merged by text [hooks]

        ## Recent
        - 2026-01-05 The API has no sandbox (fact) [api]
        - 2026-01-04 Hooks are merged by text (gotcha) [hooks]
        - 2026-01-03 No unwrap (rule) [style, rust]
        - 2026-01-02 One file per command (pattern) [style]
        - 2026-01-01 Use SQLite (decision) [store]
        ");
    }

    #[test]
    fn a_cut_counts_units_and_is_visible() {
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("abcd", 3), "ab…");
        assert_eq!(cut("😀😀😀", 4), "😀…");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_summary_stays_below_2000_tokens_for_any_input(title in "[😀a ]{0,300}", topic in "[😀b]{1,200}", number in 0usize..300) {
            let kinds = ["decision", "rule", "gotcha", "process", "pattern", "anything-at-all-that-is-long"];
            let mut text = String::new();
            for at in 0..number {
                let kind = kinds[at % kinds.len()];
                let _ = write!(text, "\n---\n\n## 2026-01-01 - {title}\n**Type:** {kind}\n**Topics:** {topic}{at}, x{at}\n\nbody\n");
            }
            let summary = summarize(&Knowledge::parse(&text), 10_000);
            prop_assert!(estimate_utf16(&summary) < 2_000, "{}", estimate_utf16(&summary));
        }
    }
}
