//! Lines with their positions, and which of them are inside a code fence or a comment.

use std::ops::Range;

/// One line: its text without the line break, and its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    pub(crate) text: &'a str,
    pub(crate) start: usize,
    /// The position after the line break.
    pub(crate) end: usize,
}

impl Line<'_> {
    /// Returns whether this is `---`, the separator between entries.
    pub(crate) fn is_rule(&self) -> bool {
        self.text.trim_end() == "---"
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }
}

/// Returns the lines of `text`, starting at the byte `from`.
pub(crate) fn lines(text: &str, from: usize) -> impl Iterator<Item = Line<'_>> {
    let mut start = from;
    std::iter::from_fn(move || {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let length = memchr::memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |at| at + 1);
        let content = rest[..length].strip_suffix('\n').unwrap_or(&rest[..length]);
        let line = Line { text: content.strip_suffix('\r').unwrap_or(content), start, end: start + length };
        start += length;
        Some(line)
    })
}

/// Parses a line that could open or close a fence: its character, the length of the run, and whether nothing follows
/// it.
fn fence(line: &str) -> Option<(usize, usize, bool)> {
    let trimmed = line.trim_start_matches(' ');
    if line.len() - trimmed.len() > 3 {
        return None;
    }
    let which = match trimmed.bytes().next()? {
        b'`' => 0,
        b'~' => 1,
        _ => return None,
    };
    let length = trimmed.bytes().take_while(|byte| *byte == b"`~"[which]).count();
    let rest = &trimmed[length..];
    // A backtick after the run makes it inline code.
    (length >= 3 && !(which == 0 && rest.contains('`'))).then(|| (which, length, rest.trim().is_empty()))
}

fn begins_comment(line: &Line<'_>) -> bool {
    line.text.trim_start().starts_with("<!--")
}

/// Returns the comments that begin a line and are closed.
///
/// An arrow in a diagram looks like the end of a comment. So a comment that spans several lines ends with the first line
/// that ends with `-->` or, if there is none before the next comment, at the first `-->`.
fn closed_comments(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for first in lines(text, 0).filter(begins_comment) {
        let opening = first.start + first.text.len() - first.text.trim_start().len() + "<!--".len();
        let mut end = first.text[opening - first.start..].find("-->").map(|at| opening + at + "-->".len());
        if end.is_none() {
            for line in lines(text, first.end).take_while(|line| !line.text.contains("<!--")) {
                if let Some(at) = line.text.find("-->") {
                    end = end.or(Some(line.start + at + "-->".len()));
                }
                if line.text.trim_end().ends_with("-->") {
                    end = Some(line.start + line.text.trim_end().len());
                    break;
                }
            }
        }
        found.extend(end.map(|end| first.start..end));
    }
    found
}

/// Tells, line by line, whether a line is inside a fence or a comment.
///
/// A fence or comment that is never closed hides nothing: otherwise one forgotten fence would swallow every entry
/// after it.
#[derive(Debug)]
pub(crate) struct Hidden {
    /// For each closing line: its position, and the longest closing run of each character from there to the end.
    closers: Vec<(usize, [usize; 2])>,
    /// Where the comments begin and end that begin a line and are closed.
    comments: Vec<Range<usize>>,
    inside: Inside,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    Nothing,
    Fence(usize, usize),
    /// A comment that ends at this position.
    Comment(usize),
}

impl Hidden {
    pub(crate) fn new(text: &str) -> Self {
        let closing =
            |line: Line<'_>| fence(line.text).filter(|(.., is_bare)| *is_bare).map(|(which, length, _)| (line.start, which, length));
        let mut longest = [0, 0];
        let mut closers: Vec<_> = lines(text, 0)
            .filter_map(closing)
            .map(|(start, which, length)| {
                let mut own = [0, 0];
                own[which] = length;
                (start, own)
            })
            .collect();
        for (_, lengths) in closers.iter_mut().rev() {
            longest = [longest[0].max(lengths[0]), longest[1].max(lengths[1])];
            *lengths = longest;
        }
        Self { closers, comments: closed_comments(text), inside: Inside::Nothing }
    }

    /// Returns whether `line` is hidden. Must be called for every line in order.
    pub(crate) fn hides(&mut self, line: &Line<'_>) -> bool {
        match self.inside {
            Inside::Fence(which, length) => {
                if fence(line.text).is_some_and(|(other, run, is_bare)| is_bare && other == which && run >= length) {
                    self.inside = Inside::Nothing;
                }
                true
            }
            Inside::Comment(end) if line.start < end => {
                if line.end >= end {
                    self.inside = Inside::Nothing;
                }
                true
            }
            Inside::Comment(_) | Inside::Nothing => self.opens(line),
        }
    }

    fn opens(&mut self, line: &Line<'_>) -> bool {
        if let Some((which, length, _)) = fence(line.text) {
            let next = self.closers.partition_point(|(start, _)| *start <= line.start);
            let is_closed = self.closers.get(next).is_some_and(|(_, longest)| longest[which] >= length);
            if is_closed {
                self.inside = Inside::Fence(which, length);
            }
            return true;
        }
        if !begins_comment(line) {
            return false;
        }
        if let Some(comment) = self.comment_at(line).filter(|comment| comment.end > line.end) {
            self.inside = Inside::Comment(comment.end);
        }
        true
    }

    /// Returns the closed comment that begins at a line.
    fn comment_at(&self, line: &Line<'_>) -> Option<Range<usize>> {
        let at = self.comments.binary_search_by_key(&line.start, |comment| comment.start).ok()?;
        Some(self.comments[at].clone())
    }

    /// Returns the comments of `text` that begin a line outside fences, each from the beginning of that line.
    pub(crate) fn comments(text: &str) -> Vec<Range<usize>> {
        let mut hidden = Self::new(text);
        let mut found: Vec<Range<usize>> = Vec::new();
        for line in lines(text, 0) {
            let was_open = matches!(hidden.inside, Inside::Fence(..)) || found.last().is_some_and(|comment| line.start < comment.end);
            let is_hidden = hidden.hides(&line);
            if is_hidden && !was_open && begins_comment(&line) {
                found.extend(hidden.comment_at(&line));
            }
        }
        found
    }

    /// Returns what must be appended to `text` to close an open fence or comment, if there is one.
    pub(crate) fn left_open(text: &str) -> Option<String> {
        let mut open: Option<(usize, usize)> = None;
        for line in lines(text, 0) {
            match (open, fence(line.text)) {
                (None, Some((which, length, _))) => open = Some((which, length)),
                (Some((which, length)), Some((other, run, true))) if other == which && run >= length => open = None,
                _ => {}
            }
        }
        if let Some((which, length)) = open {
            return Some(["`", "~"][which].repeat(length));
        }
        let opened = lines(text, 0).any(|line| line.text.trim_start().starts_with("<!--") && !text[line.start..].contains("-->"));
        opened.then(|| "-->".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visible(text: &str) -> Vec<&str> {
        let mut hidden = Hidden::new(text);
        lines(text, 0).filter(|line| !hidden.hides(line)).map(|line| line.text).collect()
    }

    #[test]
    fn fences_and_comments_hide_their_lines() {
        assert_eq!(visible("a\n```\nb\n```\nc\n~~~~ rust\nd\n~~~\n~~~~\ne"), ["a", "c", "e"]);
        assert_eq!(visible("a\n<!--\nb\n-->\nc\n<!-- d -->\ne\r\n"), ["a", "c", "e"]);
    }

    #[test]
    fn an_arrow_in_a_diagram_does_not_end_a_comment() {
        assert_eq!(visible("a\n<!-- Example:\n\n```mermaid\nA --> B\nB -->> C\n```\n-->\nb\n```\nc\n```\nd"), ["a", "b", "d"]);
        assert_eq!(visible("<!-- note\nend --> a rule\n- another\n<!-- x -->\nb"), ["- another", "b"]);
        let text = "a\n<!-- x -->\n```\n<!-- code -->\n```\n<!-- y\nz --> rest\n<!-- open";
        let comments: Vec<_> = Hidden::comments(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(comments, ["<!-- x -->", "<!-- y\nz -->"]);
    }

    #[test]
    fn unclosed_fences_and_comments_hide_nothing() {
        assert_eq!(visible("a\n```\nb\n"), ["a", "b"]);
        assert_eq!(visible("a\n````\nb\n```\nc"), ["a", "b", "c"]);
        assert_eq!(visible("a\n<!-- b\nc"), ["a", "c"]);
        assert_eq!(visible("`` `x` ``\n```inline```\n"), ["`` `x` ``", "```inline```"]);
    }

    #[test]
    fn open_fences_and_comments_can_be_closed() {
        assert_eq!(Hidden::left_open("a\n~~~~ x\nb"), Some("~~~~".into()));
        assert_eq!(Hidden::left_open("<!-- x\nb"), Some("-->".into()));
        assert_eq!(Hidden::left_open("```\na\n```\n<!-- x -->"), None);
    }
}
