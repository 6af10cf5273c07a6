//! Tells what people wrote in a core file from what its template says.
//!
//! Comments are for whoever edits a file, so an agent never receives them; neither does it receive placeholders such as
//! `[your rule here]`. A heading is left out only if the template made it and nothing else is below it: whatever could
//! be a rule stays.

use std::borrow::Cow;
use std::ops::Range;

use super::entry::heading;
use crate::lines::{Hidden, Line, lines};

/// The sections of the templates of this and other tools that are empty until somebody fills them in.
const TEMPLATE_SECTIONS: [&str; 18] = [
    "abbreviations",
    "code style",
    "component map",
    "components",
    "data flow",
    "dependencies",
    "documentation",
    "domain terms",
    "file layout",
    "key components",
    "key patterns",
    "naming",
    "overview",
    "package/module dependency graph",
    "patterns",
    "project structure",
    "terms",
    "testing",
];

/// Returns a text without the comments that begin a line outside code fences.
pub(super) fn without_comments(text: &str) -> Cow<'_, str> {
    let comments = Hidden::comments(text);
    if comments.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(without(text, &comments)) }
}

/// Returns what people wrote, or `None` if the file has nothing but the title of its template.
pub(super) fn filled(text: &str) -> Option<Cow<'_, str>> {
    let comments = Hidden::comments(text);
    let uncommented = if comments.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(without(text, &comments)) };
    let emptied = headings_above(text, &comments);
    let mut removed = placeholders(&uncommented);
    if comments.is_empty() && removed.is_empty() {
        return Some(Cow::Borrowed(text));
    }
    removed.extend(empty_sections(&uncommented, &removed, &emptied));
    removed.sort_by_key(|range| range.start);
    let written = if removed.is_empty() { uncommented.into_owned() } else { without(&uncommented, &removed) };
    let has_words = written.lines().any(|line| !line.trim().is_empty() && heading(line).is_none_or(|(level, _)| level > 1));
    has_words.then_some(Cow::Owned(written))
}

/// Returns whether a text has anything but headings.
pub(super) fn has_items(text: &str) -> bool {
    text.lines().any(|line| !line.trim().is_empty() && heading(line).is_none())
}

/// Removes ranges that begin with a line. What follows a range on its last line stays; a line that becomes empty goes,
/// and so do the blank lines after it if there is one before it.
fn without(text: &str, ranges: &[Range<usize>]) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut at = 0;
    for range in ranges.iter().filter(|range| !range.is_empty()) {
        kept.push_str(text.get(at..range.start).unwrap_or_default());
        at = range.end.max(at);
        let rest = text[at..].lines().next().unwrap_or_default();
        let is_whole = text[..at].ends_with('\n');
        if is_whole || rest.trim().is_empty() {
            if !is_whole {
                at += rest.len() + text[at + rest.len()..].find('\n').map_or(0, |found| found + 1);
            }
            while kept.is_empty() || kept.ends_with("\n\n") || kept.ends_with("\n\r\n") {
                let blank = lines(text, at).next().filter(Line::is_blank);
                let Some(blank) = blank else { break };
                at = blank.end;
            }
        }
    }
    kept.push_str(&text[at..]);
    kept
}

/// Returns the visible lines.
fn visible(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut hidden = Hidden::new(text);
    lines(text, 0).filter(move |line| !hidden.hides(line))
}

/// Returns the names of the headings directly above the comments.
fn headings_above(text: &str, comments: &[Range<usize>]) -> Vec<String> {
    let above = |comment: &Range<usize>| text[..comment.start].lines().rev().find_map(heading).map(|(_, words)| words.to_owned());
    comments.iter().filter_map(above).collect()
}

/// Returns the lines that are only placeholders.
fn placeholders(text: &str) -> Vec<Range<usize>> {
    visible(text).filter(|line| heading(line.text).is_none() && is_placeholder(line.text)).map(|line| line.start..line.end).collect()
}

/// Returns whether a line is to be replaced by somebody: `- [your rule here]`, `**Owner**: TBD`, `- [ ] Task 1`.
fn is_placeholder(line: &str) -> bool {
    let words = line.trim();
    let item = ["- ", "* ", "+ "].into_iter().find_map(|mark| words.strip_prefix(mark));
    let is_item = item.is_some() || ["-", "*", "+"].contains(&words);
    let words = item.unwrap_or(words).trim_start();
    let words = ["[ ]", "[x]", "[X]", "[]"].into_iter().find_map(|mark| words.strip_prefix(mark)).unwrap_or(words).trim();
    if words.is_empty() || words == "-" {
        return is_item;
    }
    if is_value_missing(words) {
        return true;
    }
    let Some((name, value)) = words.split_once(':').filter(|(name, _)| name.split_whitespace().count() <= 4) else { return false };
    // `- `src/`:` names a directory and says nothing about it.
    let is_unsaid = is_item && value.trim().is_empty() && name.starts_with('`') && name.ends_with('`');
    is_unsaid || is_value_missing(value.trim_matches(|c: char| c.is_whitespace() || "*_".contains(c)))
}

fn is_value_missing(words: &str) -> bool {
    let words = words.trim_matches(['*', '_']);
    let inner = |open, close| words.strip_prefix(open).and_then(|rest: &str| rest.strip_suffix(close));
    let is_bracketed = inner('[', ']').is_some_and(|inner| !inner.contains(['[', ']']));
    let is_braced = inner('{', '}').is_some_and(|inner| !inner.contains(' ') || words.starts_with("{{"));
    let is_angled = inner('<', '>').is_some_and(|inner| inner.contains(' ') && !inner.contains(['=', '<', '/']));
    let lower = words.to_lowercase();
    let is_numbered_task = lower.strip_prefix("task ").is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    is_bracketed || is_braced || is_angled || is_numbered_task || ["todo", "tbd", "...", "…", "fixme"].contains(&lower.as_str())
}

/// Returns the headings of sections that have lost all they had and that a template made.
fn empty_sections(text: &str, removed: &[Range<usize>], emptied: &[String]) -> Vec<Range<usize>> {
    let shown: Vec<_> = lines(text, 0).filter(|line| !line.is_blank()).collect();
    let is_removed = |line: &Line<'_>| removed.iter().any(|range| range.contains(&line.start));
    let mut empty: Vec<Range<usize>> = Vec::new();
    // From the end, so that a section whose subsections are all gone is recognised as empty.
    for at in (0..shown.len()).rev() {
        let Some((level, words)) = heading(shown[at].text) else { continue };
        let below: Vec<_> = shown[at + 1..].iter().take_while(|line| heading(line.text).is_none_or(|(other, _)| other > level)).collect();
        let is_gone = |line: &&Line<'_>| is_removed(line) || empty.iter().any(|range| range.start == line.start);
        let had_placeholder = below.iter().any(&is_gone);
        let is_of_template = TEMPLATE_SECTIONS.contains(&words.to_lowercase().as_str()) || words.contains(": [");
        if level > 1 && is_of_template && (had_placeholder || emptied.iter().any(|name| name == words)) && below.iter().all(is_gone) {
            empty.push(shown[at].start..shown[at].end);
        }
    }
    empty
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<String> {
        filled(text).map(Cow::into_owned)
    }

    #[test]
    fn a_file_without_template_stays_byte_for_byte() {
        for text in [
            "# A\r\n\r\n\r\n- rule\r\n",
            "# A\n",
            "## No secrets\n\n## Tests pass\n",
            "```\n<!-- code -->\n[x y]\n```\n",
            "<!-- open\n- rule\n",
        ] {
            assert_eq!(of(text).as_deref(), Some(text));
        }
    }

    #[test]
    fn an_untouched_template_says_nothing() {
        for text in [
            "# Constitution\n\n<!--\nUPDATE WHEN:\n- x\n-->\n\n- [a rule]\n",
            "# Architecture\n\n## Overview\n\n<!-- What is it? -->\n\n## Data Flow\n\n<!-- Example:\n\n```mermaid\nA --> B\n```\n-->\n",
            "# Tasks\n\n### Phase 1: [Name] `#priority:high`\n- [ ] Task 1\n- [ ] Task 2\n",
            "# Architecture\n\n- `src/`:\n- `docs/`: [what is in it]\n",
            "# Conventions\n\n## Naming\n\n- TODO\n\n**Owner**: TBD\n",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn what_a_person_wrote_stays_and_a_rule_always_does() {
        for (text, expected) in [
            ("# A\n\n<!-- when to\nupdate -->\n\n- Never push.\n", "# A\n\n- Never push.\n"),
            ("# A\n\n## Overview\n\n<!-- What? -->\n\nA shop.\n\n## Data Flow\n\n<!-- How? -->\n", "# A\n\n## Overview\n\nA shop.\n\n"),
            ("## Never force-push\n<!-- see incident 12 -->\n", "## Never force-push\n"),
            ("<!-- x --> - Never push.\n", " - Never push.\n"),
            (
                "# A\n- [ ] Never commit secrets\n- [ ] \n- `src/`: the code\n- [link](x.md)\n",
                "# A\n- [ ] Never commit secrets\n- `src/`: the code\n- [link](x.md)\n",
            ),
            (
                "- Write: [a, b] is a list\n- TODO comments are forbidden\n- [todo]\n",
                "- Write: [a, b] is a list\n- TODO comments are forbidden\n",
            ),
            ("a\r\n<!-- x -->\r\nb\r\n", "a\r\nb\r\n"),
        ] {
            assert_eq!(of(text).as_deref(), Some(expected), "{text}");
        }
    }
}
