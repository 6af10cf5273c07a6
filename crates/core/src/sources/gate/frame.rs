//! The lines that frame the gate's message. [`crate::frames`] keeps content from imitating them.

use crate::frames::{HEAD, SEPARATOR, inline};

const BANNER: &str = "PROJECT CONTEXT (auto-loaded by system hook — already in your context window)";
/// The suffix in the head of a file of which only the index is shown.
const INDEX_HEAD: &str = " (index — read full entries by date when relevant)";

/// Returns the text above the first file of the message.
pub fn banner() -> String {
    format!("{BANNER}\n{SEPARATOR}\n\n")
}

/// Returns the line above a file.
pub(super) fn head(name: &str, is_index: bool) -> String {
    format!("{HEAD} {}{} {HEAD}\n", inline(name), if is_index { INDEX_HEAD } else { "" })
}

/// Returns the first lines of the closing notes.
pub fn footer(files: usize, tokens: u64) -> String {
    format!("{SEPARATOR}\nContext: {files} files loaded (~{tokens} tokens). Order follows config.FileReadOrder.\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frames::{BANNER_START, FRAMES};

    #[test]
    fn every_line_of_the_frame_is_in_the_table() {
        assert!(BANNER.starts_with(BANNER_START));
        for text in [banner(), head("a/CONSTITUTION.md", false), head("DECISIONS.md", true), footer(3, 99)] {
            for line in text.lines().filter(|line| !line.is_empty()) {
                assert!(FRAMES.iter().any(|frame| frame.matches(line)), "{line}");
            }
        }
    }
}
