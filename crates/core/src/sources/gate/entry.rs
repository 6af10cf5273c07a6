//! Dated entries: `## [YYYY-MM-DD-HHMMSS] Title` and the text up to the next one.

use std::collections::BTreeMap;
use std::path::Path;

use super::find::find;
use super::plan::{Strategy, plan};
use super::read::Reader;
use crate::candidate::Candidate;
use crate::lines::{Hidden, lines};
use crate::note::{Level, Note};
use crate::settings::{Places, Settings};
use crate::shown::path_text;

/// An entry of a file such as DECISIONS.md.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DatedEntry<'a> {
    /// `2026-01-28-051426`.
    pub(super) stamp: &'a str,
    pub(super) title: &'a str,
    /// The position of its heading.
    pub(super) start: usize,
    /// The whole entry with its heading, without the rule at its end.
    pub(super) text: &'a str,
    /// The text under the heading.
    pub(super) body: &'a str,
    /// Whether a line of it starts with `~~Superseded`.
    pub(super) is_superseded: bool,
}

impl<'a> DatedEntry<'a> {
    /// Returns only the date.
    pub(super) fn date(&self) -> &'a str {
        &self.stamp[..10]
    }

    /// Returns the timestamp and the words of the title: the entry's name within its file.
    fn slug(&self) -> String {
        let mut slug = self.stamp.to_owned();
        let lower = self.title.to_lowercase();
        for word in lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).take(8) {
            slug.push('-');
            slug.push_str(word);
        }
        slug
    }
}

/// Parses `## [YYYY-MM-DD-HHMMSS] Title`. The form without a time, which templates use, is not an entry.
pub(super) fn heading(line: &str) -> Option<(&str, &str)> {
    let (stamp, title) = line.strip_prefix("## [")?.split_once(']')?;
    let form = b"0000-00-00-000000";
    let fits = |(byte, form): (&u8, &u8)| if *form == b'0' { byte.is_ascii_digit() } else { byte == form };
    let is_stamp = stamp.len() == form.len() && stamp.as_bytes().iter().zip(form).all(fits);
    is_stamp.then(|| (stamp, title.trim()))
}

/// Returns the entries of a file in order. Ignores headings in comments and fences.
pub(super) fn parse(text: &str) -> Vec<DatedEntry<'_>> {
    let mut hidden = Hidden::new(text);
    let mut entries: Vec<DatedEntry<'_>> = Vec::new();
    let mut open: Option<(DatedEntry<'_>, usize)> = None;
    for line in lines(text, 0) {
        if hidden.hides(&line) {
            continue;
        }
        if let Some((stamp, title)) = heading(line.text) {
            finish(&mut entries, &mut open, text, line.start);
            let entry = DatedEntry { stamp, title, start: line.start, text: "", body: "", is_superseded: false };
            open = Some((entry, line.end));
        } else if line.text.trim_end() == "## Themes" {
            finish(&mut entries, &mut open, text, line.start);
        } else if let Some((entry, _)) = &mut open {
            entry.is_superseded |= line.text.trim_start().starts_with("~~Superseded");
        }
    }
    finish(&mut entries, &mut open, text, text.len());
    entries
}

fn finish<'a>(entries: &mut Vec<DatedEntry<'a>>, open: &mut Option<(DatedEntry<'a>, usize)>, text: &'a str, end: usize) {
    let Some((entry, body)) = open.take() else { return };
    let whole = without_rule(&text[entry.start..end]);
    let body = text[body..end.max(body)].trim_start();
    entries.push(DatedEntry { text: whole, body: without_rule(body), ..entry });
}

/// Removes blank lines and the rule between entries from the end.
fn without_rule(text: &str) -> &str {
    let text = text.trim_end();
    match text.strip_suffix("---") {
        Some(before) if before.is_empty() || before.ends_with('\n') => before.trim_end(),
        _ => text,
    }
}

/// Returns the entries of all files of which the gate shows only the index. Superseded entries are left out, because
/// the entry that replaced them is included.
pub fn entries(places: &Places, settings: &Settings, notes: &mut Vec<Note>) -> Vec<Candidate> {
    let (planned, _) = plan(settings);
    let Some(found) = find(places, &planned) else { return Vec::new() };
    let reader = Reader::of(&found.directory);
    let mut candidates = Vec::new();
    for file in planned.iter().filter(|file| file.strategy == Strategy::Index) {
        let path = found.directory.join(&file.name);
        let shown = path_text(&path);
        match reader.read(&path, &shown, settings.guards.redact.value, notes) {
            Ok(Some(text)) => candidates.extend(candidates_of(&text, &path)),
            Ok(None) => {}
            Err(problem) => notes.push(crate::fs::FileError::new(shown, problem).note(Level::Warning)),
        }
    }
    candidates
}

fn candidates_of(text: &str, path: &Path) -> Vec<Candidate> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let candidate = |entry: DatedEntry<'_>| {
        let mut slug = entry.slug();
        let times = seen.entry(slug.clone()).or_default();
        *times += 1;
        if *times > 1 {
            slug = format!("{slug}-{times}");
        }
        Candidate::entry(path, &slug, entry.title, Vec::new(), entry.text)
    };
    parse(text).into_iter().filter(|entry| !entry.is_superseded).map(candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_full_stamp_is_an_entry() {
        assert_eq!(heading("## [2026-01-28-051426] Use X "), Some(("2026-01-28-051426", "Use X")));
        for line in [
            "## [2026-01-28] X",
            "## [YYYY-MM-DD-HHMMSS] X",
            "# [2026-01-28-051426] X",
            "## 2026-01-28-051426 X",
            "## [2026-01-28-05142é] X",
        ] {
            assert_eq!(heading(line), None, "{line}");
        }
    }

    #[test]
    fn comments_and_fences_hold_no_entries_and_rules_belong_to_none() {
        let text = "# D\n<!--\n## [2026-01-01-000000] no\n-->\n```\n## [2026-01-01-000001] no\n```\n\
            ## [2026-01-03-000000] Three\n\nbody\n\n---\n\n## [2026-01-02-000000] Two\r\n\r\n~~Superseded by Three~~\r\n\n## Themes\n- x\n";
        let parsed = parse(text);
        let short: Vec<_> = parsed.iter().map(|entry| (entry.title, entry.body, entry.is_superseded)).collect();
        assert_eq!(short, [("Three", "body", false), ("Two", "~~Superseded by Three~~", true)]);
        assert_eq!(parsed[0].text, "## [2026-01-03-000000] Three\n\nbody");
    }

    #[test]
    fn candidates_have_their_own_identity() {
        let text = "## [2026-01-28-051426] Use `X` | Y\n\na\n\n## [2026-01-28-051426] Use X, Y\n\nb\n\n## [2026-01-01-000000] Old\n~~Superseded~~\n";
        let path = Path::new("/p/.context/DECISIONS.md");
        let candidates = candidates_of(text, path);
        let ids: Vec<_> = candidates.iter().map(Candidate::id).collect();
        assert_eq!(ids, ["/p/.context/DECISIONS.md#2026-01-28-051426-use-x-y", "/p/.context/DECISIONS.md#2026-01-28-051426-use-x-y-2"]);
        let first = &candidates[0];
        assert_eq!((first.path.as_path(), first.title()), (path, "Use `X` | Y"));
        assert_eq!(first.about.text(), "## [2026-01-28-051426] Use `X` | Y\n\na");
    }
}
