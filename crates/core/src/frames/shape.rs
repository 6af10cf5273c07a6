//! Whether a line looks like a frame. Blanks, invisible characters and the case of ASCII letters do not count.

use super::characters::{is_blank, is_invisible};
use super::table::{FRAMES, Frame, HEAD, SEPARATOR, Shape, WRAPPERS};

/// A word before [`Shape::After`] is at most this long.
const MAX_WORD: usize = 64;

impl Frame {
    /// Returns whether a line, without its line break, looks like this frame.
    pub fn matches(&self, line: &str) -> bool {
        let line = line.trim_matches(|c| is_blank(c) || is_invisible(c));
        match self.shape {
            Shape::Begins(sign) => begins(line, sign),
            Shape::Enclosed(sign) => begins(line, sign) && line.trim_start_matches('=').contains(&SEPARATOR[..3]),
            Shape::FileHead => is_file_head(line),
            Shape::Separator => line == SEPARATOR,
            Shape::After(sign) => {
                let word = line.find(is_blank).filter(|length| *length <= MAX_WORD);
                word.is_some_and(|length| begins(&line[length..], sign))
            }
        }
    }

    pub(super) fn is_separator(&self) -> bool {
        matches!(self.shape, Shape::Separator)
    }
}

/// Returns the frame that a line looks like. The line begins with its first visible character.
pub(super) fn find(line: &str) -> Option<&'static Frame> {
    FRAMES.iter().find(|frame| frame.matches(line))
}

/// Compares the visible characters of a line with a sign.
fn begins(line: &str, sign: &str) -> bool {
    let mut chars = line.chars().filter(|c| !is_blank(*c) && !is_invisible(*c)).peekable();
    let mut before = 0;
    sign.bytes().all(|wanted| {
        if before == b'=' && wanted != b'=' {
            while chars.next_if_eq(&'=').is_some() {}
        }
        before = wanted;
        if wanted != b'#' {
            return chars.next().is_some_and(|c| c.eq_ignore_ascii_case(&char::from(wanted)));
        }
        let is_number = chars.next().is_some_and(|c| c.is_ascii_digit());
        while chars.next_if(char::is_ascii_digit).is_some() {}
        is_number
    })
}

/// Returns whether this begins with `--- NAME.md ---`, or has another short extension after its first word.
fn is_file_head(line: &str) -> bool {
    let Some((inside, _)) = line.strip_prefix(HEAD).and_then(|rest| rest.trim_start_matches('-').split_once(HEAD)) else { return false };
    let inside = inside.trim_matches(|c: char| is_blank(c) || is_invisible(c));
    let is_extension = |name: &str| (1..=5).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphabetic());
    let word = inside.split(is_blank).next().unwrap_or_default();
    let is_alone = inside.len() == word.len() || inside[word.len()..].trim_start_matches(is_blank).starts_with('(');
    let has_extension = is_alone && word.rsplit_once('.').is_some_and(|(name, extension)| !name.is_empty() && is_extension(extension));
    has_extension || inside.to_ascii_lowercase().contains(".md")
}

/// Returns whether an agent's wrapper begins here: `<name`, `</name`, also with blanks.
pub(super) fn is_wrapper(text: &str) -> bool {
    let skip = |text: &'_ str| -> usize { text.find(|c| !is_blank(c) && !is_invisible(c)).unwrap_or(text.len()) };
    let Some(mut rest) = text.strip_prefix('<') else { return false };
    rest = &rest[skip(rest)..];
    if let Some(closing) = rest.strip_prefix('/') {
        rest = &closing[skip(closing)..];
    }
    rest.starts_with(|c: char| c.is_ascii_alphabetic()) && WRAPPERS.iter().any(|name| begins_name(rest, name))
}

fn begins_name(text: &str, name: &str) -> bool {
    let mut chars = text.chars();
    let is_same = name.bytes().all(|wanted| chars.find(|c| !is_invisible(*c)).is_some_and(|c| c.eq_ignore_ascii_case(&char::from(wanted))));
    is_same && !chars.next().is_some_and(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
}
