//! Characters that no reader sees, and those that break lines.

/// Returns whether a line ends at this character, for any program that may show it.
pub(super) fn breaks_line(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Returns whether a character takes no room, or moves the cursor, or changes the direction of text: controls, and what
/// Unicode calls ignorable by default. Tabs and line breaks are blanks.
pub(super) fn is_invisible(c: char) -> bool {
    if c < '\u{ad}' {
        return c.is_control() && c != '\t' && !breaks_line(c);
    }
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}')
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}')
        || matches!(c, '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}')
        || matches!(c, '\u{e0000}'..='\u{e0fff}')
}

/// Returns whether a character only makes room.
pub(super) fn is_blank(c: char) -> bool {
    c == '\u{2800}' || c.is_whitespace()
}

/// Returns whether an invisible character belongs to the visible one before it: joiners and marks of direction in scripts
/// that need them, and the choice between text and emoji.
pub(super) fn belongs_to(c: char, before: Option<char>) -> bool {
    let Some(before) = before else { return false };
    match c {
        '\u{fe0e}' | '\u{fe0f}' => {
            !is_invisible(before) && !is_blank(before) && (!before.is_ascii() || before.is_ascii_digit() || "#*".contains(before))
        }
        '\u{200c}'..='\u{200f}' | '\u{61c}' => before == '\u{fe0f}' || !before.is_ascii() && !is_invisible(before) && !is_blank(before),
        // Where words are written without blanks: Thai, Lao, Tibetan, Burmese, Khmer.
        '\u{200b}' => matches!(before, '\u{e00}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'),
        '\u{e0100}'..='\u{e01ef}' => matches!(before, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}'),
        '\u{180b}'..='\u{180d}' | '\u{180f}' => matches!(before, '\u{1820}'..='\u{18aa}'),
        _ => false,
    }
}
