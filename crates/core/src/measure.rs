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

    /// Cuts off the longest prefix that fits into `room`: at the end of a line, otherwise after a space, otherwise
    /// between two characters. The prefix is empty only if not even one character fits.
    pub fn cut(self, text: &str, room: u64) -> (&str, &str) {
        let (mut used, mut end, mut line, mut space) = (0, text.len(), 0, 0);
        for (at, c) in text.char_indices() {
            used += self.of_char(c);
            if used > room {
                end = at;
                break;
            }
            match c {
                '\n' => line = at + 1,
                ' ' => space = at + 1,
                _ => {}
            }
        }
        if end < text.len() {
            // A cut far before the end would waste room, so a very long line is cut inside.
            end = [line, space].into_iter().find(|at| *at > end / 2).unwrap_or(end);
        }
        text.split_at(end)
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
}
