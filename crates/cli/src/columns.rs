//! Text for people: filled to 80 columns, and paths as short as they can be.

use std::path::Path;

use briefing_core::settings::Places;
use briefing_core::shown::{path_text, shell_word};

/// The width of a line, whatever the terminal's: longer lines are hard to read, and many terminals are this wide.
pub(crate) const WIDTH: usize = 80;

/// Fills text to [`WIDTH`]. The first line begins with `first`, the others with as many spaces.
pub(crate) fn fill(first: &str, text: &str) -> String {
    let indent = " ".repeat(width(first));
    let mut lines = vec![first.to_owned()];
    for word in words(text) {
        let line = lines.last_mut().expect("there is a first line");
        let is_start = line.len() <= indent.len() || line == first;
        let space = usize::from(!is_start);
        if !is_start && width(line) + space + width(&word) > WIDTH {
            lines.push(format!("{indent}{word}"));
        } else {
            line.push_str(&" ".repeat(space));
            line.push_str(&word);
        }
    }
    lines.join("\n")
}

/// Splits text into words. Code in backticks is one word: a command that is broken in two cannot be copied.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut is_code = false;
    for word in text.split_whitespace() {
        match words.last_mut().filter(|_| is_code) {
            Some(last) => {
                last.push(' ');
                last.push_str(word);
            }
            None => words.push(word.to_owned()),
        }
        is_code ^= word.matches('`').count() % 2 == 1;
    }
    words
}

/// Returns how many columns a text takes. Good enough for alignment: wide characters are rare in what we print.
pub(crate) fn width(text: &str) -> usize {
    text.chars().count()
}

/// Returns a path as people would write it: relative to the current project, with `~` for the home, or whole.
pub(crate) fn short(path: &Path, project: &Path, places: &Places) -> String {
    if let Ok(below) = path.strip_prefix(project) {
        return if below.as_os_str().is_empty() { ".".to_owned() } else { path_text(below) };
    }
    tilde(path, places)
}

/// Returns a path with `~` for the home.
pub(crate) fn tilde(path: &Path, places: &Places) -> String {
    match places.home.as_deref().and_then(|home| path.strip_prefix(home).ok()) {
        Some(below) if !below.as_os_str().is_empty() => format!("~/{}", path_text(below)),
        _ => path_text(path),
    }
}

/// Returns a message as a word for a shell.
pub(crate) fn quoted(message: &str) -> String {
    shell_word(Path::new(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_filled_and_long_words_stay_whole() {
        assert_eq!(fill("", "one two"), "one two");
        let long = "x".repeat(90);
        assert_eq!(fill("- ", &format!("a {long} b")), format!("- a\n  {long}\n  b"));
        assert_eq!(fill("", &format!("{} `brief init`, b", "x".repeat(70))), format!("{}\n`brief init`, b", "x".repeat(70)));
        assert!(fill("  ", &"word ".repeat(60)).lines().all(|line| line.len() <= WIDTH && line.starts_with("  word")));
    }
}
