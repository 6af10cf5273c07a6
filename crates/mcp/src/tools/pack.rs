//! `pack`: files and directories of the project as one document, in pages.

use std::io::{self, Write};
use std::path::PathBuf;

use briefing_core::project::repository_or_self;
use briefing_core::settings::ErrorMode;
use briefing_core::sources::files::{Decision, PackRequest, Packed, Rules, Tokens, pack};
use briefing_core::{Failure, Level};
use briefing_tokens::{ENCODINGS, ExactCounter};
use rmcp::schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Call;
use crate::answer::Answer;
use crate::page::{Cursor, more};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(crate = "rmcp::schemars")]
pub(crate) struct Parameters {
    /// Files and directories
    paths: Vec<String>,
    /// At most this many tokens; what does not fit is listed
    budget: Option<u64>,
    cursor: Option<String>,
}

/// What a program may want to know about the document.
#[derive(Debug, Serialize)]
struct About {
    files: usize,
    bytes: u64,
    tokens: Option<u64>,
    left_out: Vec<String>,
    notes: Vec<String>,
    next_cursor: Option<String>,
}

pub(super) fn run(call: &Call<'_>, parameters: &Parameters) -> Result<Answer, Failure> {
    let (places, settings) = (&call.project.places, &call.project.settings);
    if parameters.paths.is_empty() {
        return Err(Failure::usage("`paths` is empty").hint("name files or directories; \".\" is the whole project"));
    }
    let paths: Vec<PathBuf> = parameters.paths.iter().map(|path| inside(call, path)).collect::<Result<_, _>>()?;
    let rules = Rules::settle(settings, &[], &[], None)?;
    let counter = parameters.budget.map(|_| ExactCounter::new(ENCODINGS[0], places.cache.clone())).transpose()?;
    let tokens = counter.as_ref().map(|counter| Tokens { counter, budget: parameters.budget });
    let packed = pack(&PackRequest { tokens, progress: Some(call.progress), ..PackRequest::new(&paths, &places.here, &rules) })?;
    if let Some(counter) = &counter {
        counter.save();
    }
    // Nobody can be asked here: a path that cannot be used is named in the document.
    if let Decision::Refuse(failure) = packed.decide(settings.files.error_handling_mode.value, true) {
        return Err(failure);
    }
    if packed.files() == 0 && settings.files.error_handling_mode.value != ErrorMode::Ignore {
        let failure = Failure::new("no file can be packed").hint("check the paths; ignored, hidden and binary files are left out");
        return Err(packed.errors.iter().fold(failure, |failure, error| failure.because_of(error.to_string())));
    }
    let cursor = Cursor::read(parameters.cursor.as_deref(), &fingerprint(&packed))?;
    let mut page =
        Page { skip: cursor.at, room: usize::try_from(call.caller.cap()).unwrap_or(usize::MAX), text: Vec::new(), is_full: false };
    let written = packed.write(&mut page);
    if let Err(error) = written.filter_full(&page) {
        return Err(Failure::new("cannot read the packed files back").because(&error));
    }
    let (text, next) = page.finish(cursor.at);
    let next_cursor = next.map(|at| cursor.to(at));
    let rest = next_cursor.as_deref().map(more).unwrap_or_default();
    let about = About {
        files: packed.files(),
        bytes: packed.bytes(),
        tokens: packed.tokens(),
        left_out: packed.fitted.left_out.iter().map(|left| left.path.clone()).collect(),
        notes: packed.notes.iter().filter(|note| note.level > Level::Info).map(ToString::to_string).collect(),
        next_cursor,
    };
    Ok(Answer::text(format!("{text}{rest}"), &about))
}

/// Returns the absolute path of an argument, if it is in the project: a model must not choose files elsewhere.
fn inside(call: &Call<'_>, path: &str) -> Result<PathBuf, Failure> {
    let full = call.project.path(Some(path));
    let root = repository_or_self(&call.project.places.here);
    let real = |path: &std::path::Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    if real(&full).starts_with(real(root)) {
        return Ok(full);
    }
    Err(Failure::new(format!("`{path}` is outside the project")).hint("name files and directories of this project"))
}

/// Returns what a document is recognised by without writing it.
fn fingerprint(packed: &Packed) -> Vec<u8> {
    let line = |section: &briefing_core::sources::files::Section| format!("{} {} {}\n", section.shown, section.bytes, section.length);
    packed.fitted.kept.iter().map(line).collect::<String>().into_bytes()
}

/// Keeps one page of what is written to it, and stops the writer when it is full.
struct Page {
    skip: usize,
    room: usize,
    text: Vec<u8>,
    is_full: bool,
}

impl Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let skipped = self.skip.min(bytes.len());
        self.skip -= skipped;
        let wanted = &bytes[skipped..];
        let taken = wanted.len().min(self.room - self.text.len());
        self.text.extend_from_slice(&wanted[..taken]);
        if taken < wanted.len() {
            self.is_full = true;
            return Err(io::Error::other("the page is full"));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Page {
    /// Returns the text up to the end of a line, and where the next page begins.
    fn finish(self, start: usize) -> (String, Option<usize>) {
        let line = self.text.iter().rposition(|byte| *byte == b'\n').map(|line| line + 1);
        let end = if self.is_full { line.unwrap_or_else(|| whole_characters(&self.text)) } else { self.text.len() };
        let next = self.is_full.then_some(start + end);
        (String::from_utf8_lossy(&self.text[..end]).into_owned(), next)
    }
}

/// Returns where the last whole character ends.
fn whole_characters(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Ok(_) => bytes.len(),
        Err(error) => error.valid_up_to(),
    }
}

trait FilterFull {
    /// Returns the error, unless it only says that the page is full.
    fn filter_full(self, page: &Page) -> io::Result<()>;
}

impl FilterFull for io::Result<()> {
    fn filter_full(self, page: &Page) -> io::Result<()> {
        self.or_else(|error| if page.is_full { Ok(()) } else { Err(error) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_end_with_lines_and_together_are_the_whole() {
        let whole = "one\ntwo three\nä\nfour\n".repeat(20);
        for room in [9, 16, 50, 1000] {
            let (mut at, mut read) = (0, String::new());
            loop {
                let mut page = Page { skip: at, room, text: Vec::new(), is_full: false };
                whole.as_bytes().chunks(7).try_for_each(|chunk| page.write_all(chunk)).filter_full(&page).unwrap();
                let (text, next) = page.finish(at);
                read.push_str(&text);
                match next {
                    Some(next) => at = next,
                    None => break,
                }
            }
            assert_eq!(read, whole, "{room}");
        }
    }
}
