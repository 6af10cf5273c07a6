//! Renders pieces as a model sees them in its window.
//!
//! Every piece has a line above it that names its file, so that project text cannot pose as the user's. That no content
//! looks like such a line is the work of [`crate::frames`].

use std::fmt::Write as _;

pub use crate::frames::MARK;
use crate::frames::inline;
use crate::measure::Unit;

/// Returns the line above a piece.
pub fn label(path: &str, reason: &str, is_update: bool, part: Option<(u32, u32)>) -> String {
    let path = inline(path);
    let reason = inline(reason);
    let mut line = format!("{MARK}{path} ({reason}");
    if is_update {
        line.push_str("; changed, replaces what you saw");
    }
    if let Some((part, parts)) = part {
        let _ = write!(line, "; part {part} of {parts}");
    }
    line.push_str(") ===\n");
    line
}

/// Returns the first line of an output that is one of several.
pub fn header(number: u32, of: u32) -> String {
    format!("{MARK}project context, part {number} of {of} ===\n")
}

/// The maximum size of a header, in any unit.
pub const HEADER_ROOM: u64 = 80;

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
        assert_eq!(label("a\nb", "why", false, Some((1, 2))), "=== brief: a\\nb (why; part 1 of 2) ===\n");
    }
}
