//! The block between two `---` lines at the top of a file.
//!
//! Real files contain half-edited front matter, so valid YAML is not required: a value is the text after `key:` on a
//! line of its own. Text between the delimiters that is not front matter is never removed.

use crate::lines::{Line, lines};

/// The front matter of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FrontMatter<'a> {
    inner: &'a str,
    /// Where the text after the opening line begins.
    pub(super) start: usize,
    /// Where the text after the closing line begins.
    pub(super) end: usize,
}

impl<'a> FrontMatter<'a> {
    /// Finds the front matter of `text`. A byte order mark before it is allowed.
    ///
    /// A `## ` heading before the closing line means that the first `---` was a separator between entries.
    pub(super) fn find(text: &'a str) -> Option<Self> {
        let mut lines = lines(text, text.len() - text.trim_start_matches('\u{FEFF}').len());
        let opening = lines.next().filter(Line::is_rule)?;
        let closing = lines.take_while(|line| !line.text.starts_with("## ")).find(Line::is_rule)?;
        Some(Self { inner: &text[opening.end..closing.start], start: opening.end, end: closing.end })
    }

    /// Returns the value of `key`, without quotes and without a trailing comment.
    pub(super) fn value(&self, key: &str) -> Option<&'a str> {
        let rest = self.inner.lines().find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix(':'))?;
        let value = rest.split(" #").next().unwrap_or(rest).trim();
        let unquoted = ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote));
        Some(unquoted.unwrap_or(value)).filter(|value| !value.is_empty())
    }

    /// Returns the position of the value of `key` in the file, including its quotes.
    pub(super) fn value_range(&self, key: &str) -> Option<std::ops::Range<usize>> {
        let line = lines(self.inner, 0).find(|line| line.text.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(':')))?;
        let colon = line.start + line.text.find(':')? + 1;
        Some(self.start + colon..self.start + line.start + line.text.len())
    }

    /// Returns whether every line could be YAML: `key: value`, an item, a comment, or a continuation line.
    pub(super) fn is_plain(&self) -> bool {
        self.inner.lines().all(|line| {
            let is_pair = line.split_once(':').is_some_and(|(key, _)| !key.is_empty() && !key.contains(char::is_whitespace));
            line.trim().is_empty() || is_pair || line.starts_with([' ', '\t', '#', '-'])
        })
    }
}

/// Returns `text` without its front matter and without the surrounding blank lines.
///
/// Text between the delimiters that is not front matter is kept: it may be the only text in the file.
pub(super) fn without_front_matter(text: &str) -> &str {
    let body = match FrontMatter::find(text) {
        Some(front) if front.is_plain() => &text[front.end..],
        _ => text.trim_start_matches('\u{FEFF}'),
    };
    body.trim_start_matches(['\r', '\n']).trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_without_quotes_and_comments() {
        let text = "---\nupdated: \"2026-01-02\" # by hand\r\nstatus : done\nempty:\n---\nbody\n";
        let front = FrontMatter::find(text).unwrap();
        assert_eq!(front.value("updated"), Some("2026-01-02"));
        assert_eq!(front.value("status"), Some("done"));
        assert_eq!(front.value("empty"), None);
        assert_eq!(&text[front.end..], "body\n");
        assert_eq!(&text[front.value_range("status").unwrap()], " done");
    }

    #[test]
    fn a_byte_order_mark_and_crlf_change_nothing() {
        assert_eq!(without_front_matter("\u{FEFF}---\r\ntype: context\r\n---\r\n\r\n# A\r\n"), "# A");
        assert_eq!(without_front_matter("---\ntype: context\n---"), "");
    }

    #[test]
    fn text_that_is_not_front_matter_is_kept() {
        for text in ["---\nplain words here\n---\n# A", "---\nnever closed", "---\n\n## 2026-01-01 - A\n---", "# no front matter"] {
            assert_eq!(without_front_matter(text), text);
        }
    }
}
