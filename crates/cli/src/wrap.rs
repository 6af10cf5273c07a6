//! Long lines on a terminal: broken at blanks, with an indent. What goes to a file or another program is not broken.

use std::fmt::Write as _;

use crate::{environment, terminal};

/// The narrowest terminal that lines are broken for.
const NARROWEST: usize = 40;

/// How wide a line may be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wrap {
    width: usize,
}

impl Wrap {
    /// Returns the width of the terminal, or of what the user says in `COLUMNS`.
    pub(crate) fn of_terminal() -> Self {
        let width = environment::columns().or_else(terminal::width).unwrap_or(usize::MAX);
        Self { width: width.max(NARROWEST) }
    }

    /// Breaks a line so that it fits. What follows the first one is indented.
    pub(crate) fn line(self, line: &str, indent: usize) -> String {
        let mut text = String::with_capacity(line.len());
        let mut used = 0;
        for (number, word) in line.split(' ').enumerate() {
            let length = word.chars().count();
            if number > 0 && used > indent && used.saturating_add(1 + length) > self.width {
                let _ = write!(text, "\n{:indent$}", "");
                used = indent;
            } else if number > 0 {
                text.push(' ');
                used += 1;
            }
            text.push_str(word);
            used += length;
        }
        text
    }

    /// Breaks every line of a text, each with two columns more than its own indent.
    pub(crate) fn paragraphs(self, text: &str) -> String {
        text.lines().fold(String::with_capacity(text.len()), |mut all, line| {
            let own = line.len() - line.trim_start_matches(' ').len();
            let _ = writeln!(all, "{}", self.line(line, own + 2));
            all
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_at_blanks_and_keep_their_words() {
        let wrap = Wrap { width: 20 };
        let text = "  one two three four five six seven\nshort";
        let broken = wrap.paragraphs(text);
        assert_eq!(broken, "  one two three four\n    five six seven\nshort\n");
        assert!(broken.lines().all(|line| line.chars().count() <= 20));
        assert_eq!(Wrap { width: usize::MAX }.paragraphs(text), format!("{text}\n"));
        assert_eq!(wrap.line(&"x".repeat(50), 2), "x".repeat(50), "a long word stays whole");
    }
}
