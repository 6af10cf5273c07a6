//! Frames: the lines around content in an agent's window, and the guard that keeps content from imitating them.
//!
//! [`defuse`] decides for every source that shows content between frames. A line that looks like a frame gets a backslash
//! before its first visible character; the angle bracket of an agent's wrapper becomes `&lt;`; invisible characters become
//! visible escapes. Everything else stays byte for byte. Formats that must keep every byte (`brief pack`, `brief read`) do
//! not use it: they choose delimiters that the content does not have.

mod characters;
mod shape;
mod table;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use characters::{belongs_to, breaks_line, is_blank, is_invisible};
pub use table::{BANNER_START, FRAMES, Frame, HEAD, MARK, SEPARATOR, WRAPPERS};

use crate::note::{Level, Note, NoteKind};
use crate::shown::one_line;

/// What was found in a line of content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finding {
    /// It looks like this frame.
    Frame(&'static str),
    /// It has an agent's own markup.
    Wrapper,
    /// It has characters that nobody sees.
    Invisible,
}

/// Content without imitated frames.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defused<'a> {
    pub text: Cow<'a, str>,
    /// The first line that was changed (from 1), and why.
    pub first: Option<(usize, Finding)>,
}

impl Defused<'_> {
    /// Returns the note about what was changed in a file.
    pub fn note(&self, path: &str) -> Option<Note> {
        let (line, finding) = self.first?;
        let (level, reason) = match finding {
            Finding::Frame(name) => (Level::Warning, format!("line {line} looks like {name} and got a backslash")),
            Finding::Wrapper => (Level::Warning, format!("line {line} has an agent's own markup, which was escaped")),
            Finding::Invisible => (Level::Info, format!("line {line} has invisible characters, which were made visible")),
        };
        Some(Note::new(path, NoteKind::Replaced, level, reason))
    }
}

/// Makes content safe to show between our frames and inside an agent's wrapper.
pub fn defuse(text: &str) -> Defused<'_> {
    let mut output = Output::new(text);
    let (mut at, mut number, mut before) = (0, 1, Before::Blank);
    while at < text.len() {
        let line = Line::at(text, at);
        let frame = line.frame(before);
        if frame.is_some() || line.is_suspicious {
            output.guard(&line, frame, number);
        }
        before = match (line.first, frame) {
            (None, _) => Before::Blank,
            (_, Some(_)) => Before::Frame,
            _ => Before::Text,
        };
        number += usize::from(text[..line.next].ends_with('\n'));
        at = line.next;
    }
    output.finish()
}

/// Makes the rest of a line that was cut in its middle safe at the beginning of the next part. Returns `None` if it is.
pub fn defuse_beginning(text: &str) -> Option<String> {
    let line = Line::at(text, 0);
    let frame = line.frame(Before::Text)?;
    let mut output = Output::new(text);
    output.guard(&line, Some(frame), 1);
    Some(output.finish().text.into_owned())
}

/// Returns a name or a reason as part of one of our own lines: on one line, and without an agent's wrapper.
pub fn inline(text: &str) -> Cow<'_, str> {
    let line = one_line(text);
    match Line::at(&line, 0) {
        found if !found.is_suspicious => line,
        found => {
            let mut output = Output::new(&line);
            output.guard(&found, None, 1);
            Cow::Owned(output.finish().text.into_owned())
        }
    }
}

/// Returns whether `text` ends at the end of a line.
pub fn ends_line(text: &str) -> bool {
    text.chars().next_back().is_none_or(breaks_line)
}

/// What the line before was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    Blank,
    Text,
    Frame,
}

/// A line of content.
struct Line<'a> {
    text: &'a str,
    start: usize,
    /// The position of the first visible character.
    first: Option<usize>,
    end: usize,
    /// The beginning of the next line.
    next: usize,
    /// It has an angle bracket, or a character that nobody sees.
    is_suspicious: bool,
}

/// Bytes that need a look: controls, `<`, and the first bytes of characters that break lines or are invisible.
const NEEDS_LOOK: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] =
            byte < 0x20 && byte != 0x09 || matches!(byte, 0x3C | 0x7F | 0xC2 | 0xCD | 0xD8 | 0xE1 | 0xE2 | 0xE3 | 0xEF | 0xF0 | 0xF3);
        byte += 1;
    }
    table
};

impl<'a> Line<'a> {
    fn at(text: &'a str, start: usize) -> Self {
        let bytes = text.as_bytes();
        let mut line = Self { text, start, first: None, end: text.len(), next: text.len(), is_suspicious: false };
        let mut at = start;
        while let Some(skipped) = bytes[at..].iter().position(|byte| NEEDS_LOOK[usize::from(*byte)]) {
            at += skipped;
            let c = text[at..].chars().next().expect("no byte inside a character needs a look");
            if breaks_line(c) {
                let length = if bytes[at..].starts_with(b"\r\n") { 2 } else { c.len_utf8() };
                (line.end, line.next) = (at, at + length);
                break;
            }
            line.is_suspicious |= c == '<' || is_invisible(c);
            at += c.len_utf8();
        }
        let visible = |c: char| !is_blank(c) && !is_invisible(c);
        line.first = text[start..line.end].find(visible).map(|at| start + at);
        line
    }

    /// Returns the frame that this line looks like.
    fn frame(&self, before: Before) -> Option<&'static Frame> {
        let first = self.first?;
        let frame = shape::find(&self.text[first..self.end])?;
        if !frame.is_separator() || before != Before::Text {
            return Some(frame);
        }
        // A row of `=` under a line of text is a Markdown heading, unless a frame continues below it.
        let next = Self::at(self.text, self.next);
        let goes_on = next.first.is_some_and(|first| shape::find(&self.text[first..next.end]).is_some());
        goes_on.then_some(frame)
    }
}

/// The text so far. Nothing is copied before the first change.
struct Output<'a> {
    text: &'a str,
    copied: usize,
    safe: String,
    first: Option<(usize, Finding)>,
}

impl<'a> Output<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, copied: 0, safe: String::new(), first: None }
    }

    /// Copies a line, with what imitates or hides replaced.
    fn guard(&mut self, line: &Line<'_>, frame: Option<&Frame>, number: usize) {
        let text = self.text;
        let mut before = None;
        for (at, c) in text[line.start..line.end].char_indices().map(|(at, c)| (line.start + at, c)) {
            if let Some(frame) = frame.filter(|_| line.first == Some(at)) {
                self.replace(at, at, "\\", (number, Finding::Frame(frame.name)));
            }
            if c == '<' && shape::is_wrapper(&text[at..line.end]) {
                self.replace(at, at + 1, "&lt;", (number, Finding::Wrapper));
            } else if is_invisible(c) && !belongs_to(c, before) {
                self.replace(at, at + c.len_utf8(), &c.escape_unicode().to_string(), (number, Finding::Invisible));
            }
            before = Some(c);
        }
    }

    fn replace(&mut self, start: usize, end: usize, by: &str, first: (usize, Finding)) {
        self.safe.push_str(&self.text[self.copied..start]);
        self.safe.push_str(by);
        self.copied = end;
        self.first.get_or_insert(first);
    }

    fn finish(mut self) -> Defused<'a> {
        if self.first.is_none() {
            return Defused { text: Cow::Borrowed(self.text), first: None };
        }
        self.safe.push_str(&self.text[self.copied..]);
        Defused { text: Cow::Owned(self.safe), first: self.first }
    }
}
