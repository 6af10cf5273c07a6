//! Sizes in the unit in which an agent counts.

/// The unit in which an agent limits context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// UTF-16 units, like JavaScript's `length`.
    Utf16,
    Bytes,
    Characters,
}

impl Unit {
    /// Returns the size of `text`.
    pub fn of(self, text: &str) -> u64 {
        let size = match self {
            Self::Bytes => text.len(),
            _ if text.is_ascii() => text.len(),
            Self::Utf16 => text.encode_utf16().count(),
            Self::Characters => text.chars().count(),
        };
        size as u64
    }

    fn of_char(self, c: char) -> u64 {
        let size = match self {
            Self::Utf16 => c.len_utf16(),
            Self::Bytes => c.len_utf8(),
            Self::Characters => 1,
        };
        size as u64
    }

    pub fn words(self) -> &'static str {
        match self {
            Self::Utf16 => "UTF-16 units",
            Self::Bytes => "bytes",
            Self::Characters => "characters",
        }
    }

    /// Cuts off a prefix that fits into `room`, before a heading if there is one not too near the start, the highest
    /// level first; otherwise as long as possible, at the end of a line, after a space, or between two characters. The
    /// prefix is empty only if not even one character fits.
    pub fn cut(self, text: &str, room: u64) -> (&str, &str) {
        let (mut used, mut end, mut line, mut space) = (0, text.len(), 0, 0);
        let mut headings = Headings::default();
        for (at, c) in text.char_indices() {
            used += self.of_char(c);
            if used > room {
                end = at;
                break;
            }
            match c {
                '\n' => {
                    headings.look(text, at + 1);
                    line = at + 1;
                }
                ' ' => space = at + 1,
                _ => {}
            }
        }
        if end < text.len() {
            // A cut far before the end would waste room, so a very long line is cut inside.
            let by_line = [line, space].into_iter().find(|at| *at > end / 2);
            end = headings.best(end / 3..end + 1).or(by_line).unwrap_or(end);
        }
        text.split_at(end)
    }
}

/// The last heading of each level, outside of code blocks.
#[derive(Default)]
struct Headings {
    last: [usize; 6],
    is_in_code: bool,
}

impl Headings {
    /// Looks at the line that begins at `at`.
    fn look(&mut self, text: &str, at: usize) {
        let rest = &text.as_bytes()[at..];
        if rest.starts_with(b"```") || rest.starts_with(b"~~~") {
            self.is_in_code = !self.is_in_code;
        }
        let level = rest.iter().take_while(|byte| **byte == b'#').count();
        if !self.is_in_code && (1..=6).contains(&level) && rest.get(level) == Some(&b' ') {
            self.last[level - 1] = at;
        }
    }

    fn best(&self, within: std::ops::Range<usize>) -> Option<usize> {
        self.last.into_iter().find(|at| *at > 0 && within.contains(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_unit_counts_its_own() {
        assert_eq!([Unit::Utf16, Unit::Bytes, Unit::Characters].map(|unit| unit.of("a😀€")), [4, 8, 3]);
    }

    #[test]
    fn cuts_prefer_lines_then_spaces_then_characters() {
        assert_eq!(Unit::Bytes.cut("one\ntwo\nthree", 9), ("one\ntwo\n", "three"));
        assert_eq!(Unit::Bytes.cut("one two three", 9), ("one two ", "three"));
        assert_eq!(Unit::Bytes.cut("€€€€", 7), ("€€", "€€"));
        assert_eq!(Unit::Utf16.cut("😀😀", 1), ("", "😀😀"));
        assert_eq!(Unit::Bytes.cut("all", 3), ("all", ""));
    }

    #[test]
    fn cuts_prefer_headings_of_the_highest_level() {
        let text = "# T\n\n## One\ntext text\n### Sub\ntext\n## Two\ntext text text";
        assert_eq!(Unit::Bytes.cut(text, 50).0, "# T\n\n## One\ntext text\n### Sub\ntext\n");
        assert_eq!(Unit::Bytes.cut(text, 34).0, "# T\n\n## One\ntext text\n", "no higher one is far enough from the start");
        assert_eq!(Unit::Bytes.cut("some text\n```\n# not a heading\n```\nmore", 34).0, "some text\n```\n# not a heading\n```\n");
        assert_eq!(Unit::Bytes.cut("# A\ntext text text text text\n", 20).0, "# A\ntext text text ");
    }
}
