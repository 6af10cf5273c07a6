//! Detects whether a screen shows a question. Agents ask for permission or trust with a numbered menu, and would take
//! the paste, or the Enter after it, as the answer.
//!
//! Two patterns count as a question, as observed with real agents: a cursor before one of several numbered lines with
//! no input line below it, and a last line that ends in `(y/n)`.

/// Menu cursors: of Claude Code and Copilot, Codex, Gemini, and other common ones.
const CURSORS: [char; 6] = ['❯', '›', '●', '▶', '▸', '➤'];
/// Characters that frame a menu.
const FRAMES: [char; 4] = ['│', '┃', '║', '|'];
/// The largest distance between two choices, because a choice may have a line or two of explanation.
const NEAR: usize = 4;

/// Returns the line that is waiting for an answer.
pub(super) fn find(screen: &str) -> Option<String> {
    let lines: Vec<&str> = screen.lines().map(inside).collect();
    menu(&lines).or_else(|| yes_or_no(&lines)).map(str::to_owned)
}

/// Returns a line without the frame around it.
fn inside(line: &str) -> &str {
    line.trim_matches(|c: char| c.is_whitespace() || FRAMES.contains(&c))
}

/// Returns the selected line of a menu.
fn menu<'a>(lines: &[&'a str]) -> Option<&'a str> {
    let is_cursor = |line: &str| line.starts_with(CURSORS);
    // The last line with a cursor is either the selected choice or the input line.
    let at = lines.iter().rposition(|line| is_cursor(line))?;
    let number = number(lines[at].trim_start_matches(CURSORS).trim_start())?;
    let near = &lines[at.saturating_sub(NEAR)..lines.len().min(at + NEAR + 1)];
    let is_neighbour = |line: &&str| self::number(line).is_some_and(|other| other.abs_diff(number) == 1);
    near.iter().any(is_neighbour).then_some(lines[at])
}

/// Reads the number of `2. Yes, and remember`.
fn number(line: &str) -> Option<u32> {
    let (number, rest) = line.split_once('.')?;
    if rest.starts_with(' ') { number.parse().ok() } else { None }
}

fn yes_or_no<'a>(lines: &[&'a str]) -> Option<&'a str> {
    let last = lines.iter().rfind(|line| !line.is_empty())?;
    let end = last.to_ascii_lowercase();
    let end = end.trim_end_matches([':', '?', '>', ' ']);
    ["(y/n)", "[y/n]", "(yes/no)", "[yes/no]"].iter().any(|sign| end.ends_with(sign)).then_some(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_questions_of_the_agents_are_found() {
        for (screen, expected) in [
            ("Do you want to proceed?\n ❯ 1. Yes\n   2. Yes, and don't ask again\n   3. No\n", "❯ 1. Yes"),
            ("│ Do you trust the files in this folder?  │\n│   1. Yes  │\n│ ❯ 2. Yes, and remember │\n╰──╯\n", "❯ 2. Yes, and remember"),
            ("  Hooks need review\n› 1. Review hooks\n  2. Trust all and continue\n  enter confirm\n", "› 1. Review hooks"),
            (" │ ● 1. Trust folder (project) │\n │   2. Trust parent folder │\n", "● 1. Trust folder (project)"),
            ("› 1. Yes\n     runs it once\n\n  2. No\n", "› 1. Yes"),
            ("Overwrite the file? [y/N]: \n\n", "Overwrite the file? [y/N]:"),
        ] {
            assert_eq!(find(screen).as_deref(), Some(expected), "{screen}");
        }
    }

    #[test]
    fn an_input_line_is_no_question() {
        for screen in [
            "❯ 1. first\n  2. second\n\n● DONE\n───\n❯ \n───\n",
            "Tips for getting started:\n1. Create GEMINI.md files\n2. /help\n\n *   Type your message\n",
            "› Ask Codex to do anything\n",
            "● 1. only one of its kind\n",
            "❯ version 1.2\n  2. x\n",
            "$ \n",
            "",
        ] {
            assert_eq!(find(screen), None, "{screen}");
        }
    }
}
