//! Renders pieces as a model sees them in its window.
//!
//! Every piece has a line above it that names its file, so that project text cannot pose as the user's. That no content
//! looks like such a line is the work of [`crate::frames`].

use std::borrow::Cow;
use std::fmt::Write as _;

pub use crate::frames::MARK;
use crate::frames::inline;
use crate::measure::Unit;

/// Which version of a piece a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Version {
    /// How many earlier versions the session has received.
    pub earlier: u32,
    /// Whether the text has only the sections that differ from the version before.
    pub is_excerpt: bool,
}

/// Returns the line above a piece.
pub fn label(path: &str, reason: &str, version: Version, part: Option<(u32, u32)>) -> String {
    let path = inline(path);
    let reason = inline(reason);
    let mut line = format!("{MARK}{path} ({reason}");
    let (what, replaces) = if version.is_excerpt { (" sections", "these replace those you saw") } else { ("", "replaces what you saw") };
    match version.earlier {
        0 => {}
        1 => {
            let _ = write!(line, "; changed{what}, {replaces}");
        }
        // Agents drop a text that equals an earlier one. A file that was changed back must still differ.
        earlier => {
            let _ = write!(line, "; changed{what} again (change {earlier}), {replaces}");
        }
    }
    if let Some((part, parts)) = part {
        let _ = write!(line, "; part {part} of {parts}");
    }
    line.push_str(") ===\n");
    line
}

/// The place of an output among those of its event and of the events around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// From 1, among the outputs of the event.
    pub number: u32,
    /// The number of outputs of the event.
    pub of: u32,
    /// Whether an earlier event sent the beginning.
    pub is_continued: bool,
    /// Whether a later event sends more.
    pub has_more: bool,
}

/// Returns the first line of an output that does not stand alone.
pub fn header(place: Place) -> Option<String> {
    let Place { number, of, is_continued, has_more } = place;
    if of < 2 && !is_continued && !has_more {
        return None;
    }
    let mut line = format!("{MARK}project context");
    if is_continued {
        line.push_str(", continued");
    }
    if of > 1 {
        let _ = write!(line, ", part {number} of {of}");
    }
    if has_more && number == of {
        line.push_str("; more follows");
    }
    line.push_str(" ===\n");
    Some(line)
}

/// The maximum size of a header, in any unit.
pub const HEADER_ROOM: u64 = 80;

/// Returns a text with the entities of angle brackets replaced by the brackets.
///
/// Some agents escape angle brackets, and only these. A text that already had such an entity then looks the same as one that
/// had a bracket, so both sides of a comparison go through this.
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains("&lt;") && !text.contains("&gt;") {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("&lt;", "<").replace("&gt;", ">"))
}

/// One output, ready to be delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    pub text: String,
    /// In the agent's unit.
    pub size: u64,
}

/// Joins the rendered segments of one output.
pub fn output(header: Option<&str>, segments: &[&str], unit: Unit) -> Rendered {
    let mut text = header.unwrap_or_default().to_owned();
    for (number, segment) in segments.iter().enumerate() {
        // The gate's own format ends its pieces with a blank line, so no second one is added.
        if (number > 0 || header.is_some()) && !text.ends_with("\n\n") {
            text.push('\n');
        }
        text.push_str(segment);
        if !segment.ends_with('\n') {
            text.push('\n');
        }
    }
    let size = unit.of(&text);
    Rendered { text, size }
}

/// The maximum that joining adds to a segment: a line break before and one after.
pub const JOINT: u64 = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_on_its_line() {
        assert_eq!(label("a\nb", "why", Version::default(), Some((1, 2))), "=== brief: a\\nb (why; part 1 of 2) ===\n");
    }
}
