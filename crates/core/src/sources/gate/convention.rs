//! Conventions: one bullet each, under the heading they belong to.

use std::path::{Path, PathBuf};

use super::edit::{self, Draft};
use super::entry::heading;
use super::plan::CONVENTIONS;
use crate::Failure;
use crate::lines::{Hidden, Line, lines};
use crate::shown::is_deceptive;

/// A convention to add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewConvention<'a> {
    pub text: &'a str,
    /// Words in the heading that it goes under. A section with this name is added if there is none.
    pub section: Option<&'a str>,
}

/// Adds a convention to CONVENTIONS.md of a `.context` directory, after the others of its section, and returns the file's
/// path and whether a section was added.
pub fn add_convention(context: &Path, convention: &NewConvention<'_>, state: Option<&Path>) -> Result<(PathBuf, bool), Failure> {
    let words = convention.text.trim();
    let is_plain = |text: &str| !text.trim().is_empty() && !text.chars().any(is_deceptive);
    if !is_plain(words) || convention.section.is_some_and(|section| !is_plain(section)) {
        return Err(Failure::usage("a convention and its section must each be one line of visible text"));
    }
    let mut is_added = false;
    let path = edit::change(context, CONVENTIONS, Some(include_str!("templates/CONVENTIONS.md")), state, |draft| {
        let place = Place::find(draft.text, convention.section);
        is_added = place.is_none();
        Ok(match place {
            Some(place) => place.insert(draft, &format!("- {words}")),
            None => with_section(draft, convention.section.unwrap_or_default().trim(), words),
        })
    })?;
    Ok((path, is_added))
}

/// Where to insert a bullet.
enum Place {
    /// After a list that ends here.
    After(usize),
    /// Under a heading, or the head of the file, that ends here.
    Under(usize),
}

impl Place {
    /// Finds the end of the last list in the section, or in the whole file. Returns `None` if there is no such section.
    fn find(text: &str, section: Option<&str>) -> Option<Self> {
        let mut hidden = Hidden::new(text);
        let shown: Vec<Line<'_>> = lines(text, 0).filter(|line| !hidden.hides(line)).collect();
        let own = match section {
            None => &shown[..],
            Some(wanted) => {
                let wanted = wanted.trim().to_lowercase();
                let is_wanted =
                    |line: &Line<'_>| heading(line.text).is_some_and(|(level, words)| level > 1 && words.to_lowercase().contains(&wanted));
                let at = shown.iter().position(is_wanted)?;
                let rest = shown[at + 1..].iter().take_while(|line| heading(line.text).is_none()).count();
                &shown[at..=at + rest]
            }
        };
        let is_bullet = |line: &Line<'_>| ["- ", "* ", "+ "].iter().any(|mark| line.text.starts_with(mark));
        let Some(last) = own.iter().rposition(is_bullet) else {
            let end = if section.is_some() { own.first() } else { own.iter().rfind(|line| !line.is_blank()) };
            return Some(Self::Under(end.map_or(text.len(), |line| line.end)));
        };
        // What is indented below a bullet belongs to it.
        let below = own[last + 1..].iter().take_while(|line| line.text.starts_with([' ', '\t']) && !line.is_blank()).count();
        Some(Self::After(own[last + below].end))
    }

    fn insert(&self, draft: &Draft<'_>, bullet: &str) -> String {
        let (Self::After(at) | Self::Under(at)) = *self;
        let (before, after) = draft.text.split_at(at);
        let line_break = draft.line_break;
        let lead = if before.is_empty() || before.ends_with('\n') { "" } else { line_break };
        let blank = if matches!(self, Self::Under(_)) && !before.is_empty() { line_break } else { "" };
        format!("{before}{lead}{blank}{bullet}{line_break}{after}")
    }
}

/// Adds a section at the end of the file.
fn with_section(draft: &Draft<'_>, name: &str, words: &str) -> String {
    let (text, line_break) = (draft.text, draft.line_break);
    let gap = match text {
        "" => String::new(),
        _ if text.ends_with(&line_break.repeat(2)) => String::new(),
        _ if text.ends_with('\n') => line_break.to_owned(),
        _ => line_break.repeat(2),
    };
    format!("{text}{gap}## {name}{line_break}{line_break}- {words}{line_break}")
}
