//! What a message can bring of files that only have their index in the window: their entries, and the pages and entries
//! of their themes.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Component, Path};

use super::entry::{self, Parsed};
use super::filled::without_comments;
use super::find::{find, named};
use super::plan::{Strategy, plan};
use super::read::Reader;
use crate::candidate::Candidate;
use crate::fs::FileError;
use crate::note::{Level, Note, NoteKind};
use crate::settings::{Places, Settings};
use crate::shown::path_text;

/// Returns the entries of all files of which the gate shows only the index, and those of their themes. Superseded entries
/// are left out, because the entry that replaced them is included.
pub fn entries(places: &Places, settings: &Settings, notes: &mut Vec<Note>) -> Vec<Candidate> {
    let (planned, _) = plan(settings);
    let (name, _) = named(places, settings);
    let Some(found) = find(places, &name, &planned) else { return Vec::new() };
    let mut gathered =
        Gathered { reader: Reader::of(&found.directory), redacts: settings.guards.redact.value, notes, candidates: Vec::new() };
    for file in &planned {
        let path = found.directory.join(&file.name);
        // A file that is in the window whole may still have themes, in a directory of its name.
        let has_themes = || found.directory.join(file.name.trim_end_matches(".md").to_lowercase()).is_dir();
        if file.strategy == Strategy::Index || (file.strategy == Strategy::Verbatim && has_themes()) {
            gathered.add_file(&found.directory, &path, file.strategy == Strategy::Index);
        }
    }
    gathered.candidates
}

struct Gathered<'a> {
    reader: Reader,
    redacts: bool,
    notes: &'a mut Vec<Note>,
    candidates: Vec<Candidate>,
}

impl Gathered<'_> {
    fn add_file(&mut self, directory: &Path, path: &Path, has_entries: bool) {
        let Some(text) = self.read(path) else { return };
        let parsed = entry::parse(&text);
        if has_entries {
            self.candidates.extend(candidates_of(&parsed, path));
        }
        let Some(themes) = parsed.themes else { return };
        for (theme, page) in links(&text, themes) {
            self.add_page(directory, path, theme, page);
        }
    }

    /// Adds the page of a theme: what it says itself, and its entries.
    fn add_page(&mut self, directory: &Path, file: &Path, theme: &str, page: &str) {
        let mut problem = |kind, words: &str| {
            self.notes.push(Note::warning(path_text(file), kind, format!("the theme page `{page}` {words}")));
        };
        if Path::new(page).components().any(|part| !matches!(part, Component::Normal(_) | Component::CurDir)) {
            return problem(NoteKind::Outside, "is outside the directory");
        }
        let path = directory.join(page);
        if path.symlink_metadata().is_err() {
            return problem(NoteKind::Missing, "does not exist");
        }
        let Some(text) = self.read(&path) else { return };
        let parsed = entry::parse(&text);
        let head = without_comments(&text[..parsed.entries.first().map_or(text.len(), |first| first.start)]);
        if head.lines().any(|line| !line.trim().is_empty() && !line.starts_with('#')) {
            self.candidates.push(Candidate::entry(&path, "page", theme, Vec::new(), head.trim()));
        }
        self.candidates.extend(candidates_of(&parsed, &path));
    }

    fn read(&mut self, path: &Path) -> Option<String> {
        let shown = path_text(path);
        self.reader.read(path, &shown, self.redacts, self.notes).unwrap_or_else(|problem| {
            self.notes.push(FileError::new(shown, problem).note(Level::Warning));
            None
        })
    }
}

/// Returns the links to Markdown files in the themes of a text, with their words.
fn links(text: &str, themes: Range<usize>) -> impl Iterator<Item = (&str, &str)> {
    let links = text[themes].split('[').skip(1).filter_map(|rest| rest.split_once("]("));
    let links = links.filter_map(|(words, rest)| Some((words, rest.split_once(')')?.0.trim())));
    links.filter(|(_, target)| Path::new(target).extension().is_some_and(|extension| extension == "md") && !target.contains("://"))
}

fn candidates_of(parsed: &Parsed<'_>, path: &Path) -> Vec<Candidate> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let current = parsed.entries.iter().filter(|entry| !entry.is_superseded);
    current
        .map(|entry| {
            let mut slug = entry.slug();
            let times = seen.entry(slug.clone()).or_default();
            *times += 1;
            if *times > 1 {
                slug = format!("{slug}-{times}");
            }
            Candidate::entry(path, &slug, entry.title, Vec::new(), without_comments(entry.text).trim_end())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_have_their_own_identity() {
        let text = "## [2026-01-28-051426] Use `X` | Y\n\na\n<!-- add more here -->\n\n\
            ## [2026-01-28-051426] Use X, Y\n\nb\n\n## [2026-01-01-000000] Old\n~~Superseded~~\n";
        let path = Path::new("/p/.context/DECISIONS.md");
        let candidates = candidates_of(&entry::parse(text), path);
        let ids: Vec<_> = candidates.iter().map(Candidate::id).collect();
        assert_eq!(ids, ["/p/.context/DECISIONS.md#2026-01-28-051426-use-x-y", "/p/.context/DECISIONS.md#2026-01-28-051426-use-x-y-2"]);
        let first = &candidates[0];
        assert_eq!((first.path.as_path(), first.title()), (path, "Use `X` | Y"));
        assert_eq!(first.about.text(), "## [2026-01-28-051426] Use `X` | Y\n\na");
    }
}
