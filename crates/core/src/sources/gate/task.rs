//! Tasks: `- [ ] text #added:…`, and `[x]` with `#done:…` when they are done. Tasks are never moved or deleted here.

use std::path::{Path, PathBuf};

use super::edit::{self, Draft};
use super::plan::TASKS;
use crate::Failure;
use crate::lines::{Hidden, Line, lines};
use crate::shown::{is_deceptive, one_line};

/// Sections that do not take new tasks.
const CLOSED: &[&str] = &["blocked", "done", "completed", "archive", "skipped"];

/// A task to add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTask<'a> {
    pub text: &'a str,
    /// `high`, `medium` or `low`: a label at its end.
    pub priority: Option<&'a str>,
    /// Words in the heading that it goes under.
    pub section: Option<&'a str>,
    /// `YYYY-MM-DD-HHMMSS`, local time.
    pub stamp: &'a str,
}

/// The kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind<'a> {
    /// Its level and text.
    Heading(usize, &'a str),
    /// Whether it is open, and its text.
    Task(bool, &'a str),
    Other,
}

fn kind<'a>(line: &Line<'a>) -> Kind<'a> {
    let text = line.text;
    let level = text.bytes().take_while(|byte| *byte == b'#').count();
    if (1..=6).contains(&level) && text[level..].starts_with(' ') {
        return Kind::Heading(level, text[level..].trim());
    }
    let Some(item) = text.trim_start().strip_prefix("- [") else { return Kind::Other };
    for (mark, is_pending) in [(" ]", true), ("]", true), ("x]", false), ("X]", false), ("-]", false)] {
        if let Some(words) = item.strip_prefix(mark).filter(|words| words.starts_with(' ')) {
            return Kind::Task(is_pending, words.trim());
        }
    }
    Kind::Other
}

/// Returns the lines outside comments and fences.
pub(super) fn visible(text: &str) -> Vec<(Line<'_>, Kind<'_>)> {
    let mut hidden = Hidden::new(text);
    lines(text, 0).filter(|line| !hidden.hides(line)).map(|line| (line, kind(&line))).collect()
}

/// Adds a task to TASKS.md of a `.context` directory, above the others of its section, and returns the file's path.
pub fn add_task(context: &Path, task: &NewTask<'_>, state: Option<&Path>) -> Result<PathBuf, Failure> {
    let words = task.text.trim();
    if words.is_empty() || words.chars().any(is_deceptive) {
        return Err(Failure::usage("a task must be one line of visible text"));
    }
    edit::change(context, TASKS, Some(include_str!("templates/TASKS.md")), state, |draft| {
        let place = place(draft.text, task.section)?;
        let priority = task.priority.map(|priority| format!(" #priority:{priority}")).unwrap_or_default();
        let line = format!("- [ ] {words}{priority} #added:{}", task.stamp);
        Ok(insert(draft, place, &line))
    })
}

/// Where to insert a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Directly before another task.
    Before(usize),
    /// Under a heading that ends here.
    Under(usize),
    End,
}

fn insert(draft: &Draft<'_>, place: Place, line: &str) -> String {
    let (text, line_break) = (draft.text, draft.line_break);
    let (at, lead, trail) = match place {
        Place::Before(at) => (at, "", ""),
        Place::Under(at) => {
            let is_open = text[..at].ends_with('\n');
            let blank = text[at..].lines().next().is_some_and(|line| line.trim().is_empty());
            (at, if is_open { line_break } else { "\n\n" }, if blank || text[at..].is_empty() { "" } else { line_break })
        }
        Place::End => (text.len(), if text.is_empty() || text.ends_with('\n') { "" } else { line_break }, ""),
    };
    format!("{}{lead}{line}{line_break}{trail}{}", &text[..at], &text[at..])
}

fn place(text: &str, section: Option<&str>) -> Result<Place, Failure> {
    let all = visible(text);
    if let Some(wanted) = section {
        return under(&all, wanted);
    }
    let mut is_closed = false;
    let mut candidates = Vec::new();
    for (line, kind) in &all {
        match kind {
            Kind::Heading(_, words) => is_closed = CLOSED.iter().any(|closed| words.to_lowercase().starts_with(closed)),
            Kind::Task(is_pending, _) if !is_closed && !line.text.starts_with(' ') => candidates.push((*is_pending, line.start)),
            _ => {}
        }
    }
    let pending = candidates.iter().find(|(is_pending, _)| *is_pending);
    if let Some((_, start)) = pending.or(candidates.first()) {
        return Ok(Place::Before(*start));
    }
    let open = all.iter().find_map(|(line, kind)| match kind {
        Kind::Heading(level, words) if *level > 1 && !CLOSED.iter().any(|closed| words.to_lowercase().starts_with(closed)) => {
            Some(line.end)
        }
        _ => None,
    });
    Ok(open.map_or(Place::End, Place::Under))
}

/// Finds the place under the heading that contains `wanted`.
fn under(all: &[(Line<'_>, Kind<'_>)], wanted: &str) -> Result<Place, Failure> {
    let is_wanted = |kind: &Kind<'_>| matches!(kind, Kind::Heading(_, words) if words.to_lowercase().contains(&wanted.to_lowercase()));
    let Some(at) = all.iter().position(|(_, kind)| is_wanted(kind)) else {
        let failure = Failure::new(format!("TASKS.md has no section `{wanted}`"));
        let headings = all.iter().filter_map(|(_, kind)| if let Kind::Heading(_, words) = kind { Some(*words) } else { None });
        return Err(headings.fold(failure, |failure, words| failure.because_of(format!("existing section: `{}`", one_line(words)))));
    };
    for (line, kind) in &all[at + 1..] {
        match kind {
            Kind::Heading(..) => break,
            Kind::Task(..) => return Ok(Place::Before(line.start)),
            Kind::Other => {}
        }
    }
    Ok(Place::Under(all[at].0.end))
}

/// Marks the open task identified by `wanted` (words in it, or its number among the open ones) as done and returns its
/// text.
pub fn finish_task(context: &Path, wanted: &str, stamp: &str, state: Option<&Path>) -> Result<String, Failure> {
    let mut finished = String::new();
    edit::change(context, TASKS, None, state, |draft| {
        let open: Vec<_> = visible(draft.text)
            .into_iter()
            .filter_map(|(line, kind)| if let Kind::Task(true, words) = kind { Some((line, words)) } else { None })
            .collect();
        let (line, words) = choose(&open, wanted)?;
        words.clone_into(&mut finished);
        let bracket = draft.text[line.start..].find("- [").map_or(line.start, |at| line.start + at + 2);
        let close = draft.text[bracket..].find(']').map_or(bracket, |at| bracket + at);
        let end = line.start + line.text.trim_end().len();
        let (head, between, tail) = (&draft.text[..bracket], &draft.text[close + 1..end], &draft.text[end..]);
        Ok(format!("{head}[x]{between} #done:{stamp}{tail}"))
    })?;
    Ok(finished)
}

fn choose<'a>(open: &[(Line<'a>, &'a str)], wanted: &str) -> Result<(Line<'a>, &'a str), Failure> {
    if let Some(chosen) = wanted.parse::<usize>().ok().and_then(|number| open.get(number.checked_sub(1)?)) {
        return Ok(*chosen);
    }
    let lower = wanted.to_lowercase();
    let matching: Vec<_> = open.iter().enumerate().filter(|(_, (_, words))| words.to_lowercase().contains(&lower)).collect();
    if let [(_, chosen)] = matching.as_slice() {
        return Ok(**chosen);
    }
    let what = if matching.is_empty() { "no open task contains" } else { "more than one open task contains" };
    let shown: Vec<_> = if matching.is_empty() { open.iter().enumerate().collect() } else { matching };
    let failure = Failure::new(format!("{what} `{wanted}`"));
    let failure =
        shown.iter().take(20).fold(failure, |failure, (at, (_, words))| failure.because_of(format!("{}. {}", at + 1, one_line(words))));
    Err(failure.hint("give more words of the task, or its number"))
}
