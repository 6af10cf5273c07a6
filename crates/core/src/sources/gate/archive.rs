//! Moves finished tasks out of TASKS.md into a dated file of the archive, under their headings. Nothing is deleted.

use std::path::{Path, PathBuf};

use super::edit;
use super::entry::heading;
use super::plan::TASKS;
use super::read::{MAX_BYTES, Reader};
use super::task::{Kind, visible};
use crate::Failure;
use crate::fs::{self, FileProblem, LinkProblem};
use crate::lines::Line;
use crate::shown::path_text;

/// The directory of archived files, beside the core files.
const ARCHIVE: &str = "archive";

/// What was archived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Archived {
    pub tasks: usize,
    pub path: PathBuf,
}

/// Moves the finished tasks of TASKS.md to `archive/tasks-DATE.md`. A task stays while one below it is open; so do
/// skipped ones.
///
/// The archive is written first: whoever is interrupted in between has a task in both files, never in none.
pub fn archive_tasks(context: &Path, stamp: &str, state: Option<&Path>) -> Result<Archived, Failure> {
    let date = &stamp[..10];
    let path = context.join(ARCHIVE).join(format!("tasks-{date}.md"));
    let mut tasks = 0;
    edit::change(context, TASKS, None, state, |draft| {
        let blocks = finished(draft.text);
        tasks = blocks.len();
        if blocks.is_empty() {
            return Ok(draft.text.to_owned());
        }
        let cannot = |problem: &FileProblem| Failure::new(format!("cannot write `{}`", path_text(&path))).because(problem);
        let old = read(context, &path).map_err(|problem| cannot(&problem))?;
        let new = appended(old, date, &blocks);
        fs::write_atomic(&path, new.as_bytes()).map_err(|problem| cannot(&problem))?;
        let mut left = String::with_capacity(draft.text.len());
        let mut at = 0;
        for block in &blocks {
            left.push_str(&draft.text[at..block.start]);
            at = block.end;
        }
        left.push_str(&draft.text[at..]);
        Ok(left)
    })?;
    Ok(Archived { tasks, path })
}

/// A finished task with everything below it.
struct Finished<'a> {
    /// The heading that it is under, as written.
    heading: Option<&'a str>,
    text: &'a str,
    start: usize,
    end: usize,
}

fn finished(text: &str) -> Vec<Finished<'_>> {
    let all = visible(text);
    let mut found = Vec::new();
    let mut above = None;
    for (at, (line, kind)) in all.iter().enumerate() {
        match kind {
            Kind::Heading(..) => above = heading(line.text).filter(|(level, _)| *level > 1).map(|_| line.text),
            Kind::Task(false, _) if is_done(line) => {
                let is_below = |(line, _): &&(Line<'_>, Kind<'_>)| line.text.starts_with([' ', '\t']) && !line.is_blank();
                let below: Vec<_> = all[at + 1..].iter().take_while(is_below).collect();
                if !below.iter().any(|(_, kind)| matches!(kind, Kind::Task(true, _))) {
                    let end = below.last().map_or(line.end, |(line, _)| line.end);
                    found.push(Finished { heading: above, text: text[line.start..end].trim_end(), start: line.start, end });
                }
            }
            _ => {}
        }
    }
    found
}

fn is_done(line: &Line<'_>) -> bool {
    line.text.starts_with("- [x]") || line.text.starts_with("- [X]")
}

/// Reads the archive of a day, which may not exist yet.
fn read(context: &Path, path: &Path) -> Result<String, FileProblem> {
    let directory = context.join(ARCHIVE);
    if directory.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) {
        return Err(FileProblem::Link(LinkProblem::LeavesProject));
    }
    std::fs::create_dir_all(&directory).map_err(FileProblem::from)?;
    match Reader::of(context).open(path) {
        Ok(opened) => {
            let bytes = opened.bytes(MAX_BYTES)?;
            String::from_utf8(bytes).map_err(|error| FileProblem::NotUtf8 { offset: error.utf8_error().valid_up_to() })
        }
        Err(FileProblem::Missing) => Ok(String::new()),
        Err(problem) => Err(problem),
    }
}

/// Appends the tasks under their headings. What an interrupted run has written already is not written again.
fn appended(mut text: String, date: &str, blocks: &[Finished<'_>]) -> String {
    if text.is_empty() {
        text = format!("# Tasks archived on {date}\n");
    }
    let mut under = None;
    for block in blocks.iter().filter(|block| !text.lines().any(|line| Some(line) == block.text.lines().next())).collect::<Vec<_>>() {
        if under != Some(block.heading) {
            if !text.ends_with('\n') {
                text.push('\n');
            }
            let heading = block.heading.map(|heading| format!("{}\n\n", heading.trim_end())).unwrap_or_default();
            text.push('\n');
            text.push_str(&heading);
            under = Some(block.heading);
        }
        text.push_str(&block.text.replace("\r\n", "\n"));
        text.push('\n');
    }
    text
}
