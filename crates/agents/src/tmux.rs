//! Pasting text into a tmux pane, for agents without hooks.
//!
//! The text is sent through a tmux buffer as one bracketed paste. Enter is pressed separately, after the paste is
//! visible. tmux filters nothing, so control characters are removed here: otherwise a text could end the paste and
//! type commands.

mod question;

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Why nothing was pasted, or why it is unknown whether the paste arrived.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TmuxProblem {
    #[error("cannot run tmux: {0}")]
    NotRun(String),
    #[error("tmux: {0}")]
    Refused(String),
    #[error("there is no pane `{0}`")]
    NoPane(String),
    #[error("the pane is in copy mode")]
    CopyMode,
    #[error("the program in the pane (`{0}`) has not enabled bracketed paste; it would take every line as separate input")]
    NotBracketed(String),
    #[error("the program in the pane is waiting for an answer (`{0}`), and the paste or Enter would answer it")]
    Question(String),
    #[error("the text did not appear in the pane")]
    NotSeen,
    #[error("there is no text to paste")]
    Empty,
}

/// What to paste, and where.
#[derive(Debug, Clone, Copy)]
pub struct Paste<'a> {
    pub pane: &'a str,
    pub text: &'a str,
    /// Press Enter once the paste is visible.
    pub enter: bool,
    /// Paste even if bracketed paste is not enabled. Line breaks become spaces.
    pub one_line: bool,
    /// Paste even if the screen shows a question.
    pub force: bool,
}

/// Programs that do not enable bracketed paste.
const PLAIN_SHELLS: [&str; 5] = ["sh", "dash", "ash", "cat", "tmux"];
const PAUSE: Duration = Duration::from_millis(50);
const TRIES: u32 = 60;

/// Pastes the text, waits until it is visible, and presses Enter if requested.
pub fn paste(paste: &Paste<'_>) -> Result<(), TmuxProblem> {
    let mut text = stripped(paste.text);
    if text.trim().is_empty() {
        return Err(TmuxProblem::Empty);
    }
    let state = tmux(&["display-message", "-p", "-t", paste.pane, "#{pane_in_mode}\t#{bracket_paste_flag}\t#{pane_current_command}"], None)
        .map_err(|problem| match problem {
            TmuxProblem::Refused(message)
                if message.contains("can't find") || message.contains("no server") || message.contains("no such") =>
            {
                TmuxProblem::NoPane(paste.pane.to_owned())
            }
            other => other,
        })?;
    let mut words = state.trim_end().splitn(3, '\t');
    let (mode, flag, program) = (words.next().unwrap_or(""), words.next().unwrap_or(""), words.next().unwrap_or(""));
    if mode.is_empty() {
        return Err(TmuxProblem::NoPane(paste.pane.to_owned()));
    }
    if mode != "0" {
        return Err(TmuxProblem::CopyMode);
    }
    // Only newer versions of tmux know the flag; for older ones, guess from the program's name.
    let is_bracketed = if flag.is_empty() { !PLAIN_SHELLS.contains(&program) } else { flag == "1" };
    if paste.one_line {
        text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    } else if !is_bracketed && text.trim_end().contains('\n') {
        return Err(TmuxProblem::NotBracketed(program.to_owned()));
    }
    let before = screen(paste.pane)?;
    if let Some(question) = question::find(&before).filter(|_| !paste.force) {
        return Err(TmuxProblem::Question(question));
    }
    let buffer = format!("brief-{}", std::process::id());
    tmux(&["load-buffer", "-b", &buffer, "-"], Some(text.trim_end()))?;
    tmux(&["paste-buffer", "-p", "-d", "-b", &buffer, "-t", paste.pane], None)?;
    wait_until_seen(paste.pane, &before, &text)?;
    if paste.enter {
        tmux(&["send-keys", "-t", paste.pane, "Enter"], None)?;
    }
    Ok(())
}

/// Waits until the screen shows the paste and no longer changes. An Enter that comes too early can become part of
/// the paste.
fn wait_until_seen(pane: &str, before: &str, text: &str) -> Result<(), TmuxProblem> {
    let last: String = text.trim_end().lines().next_back().unwrap_or_default().chars().filter(|c| !c.is_whitespace()).collect();
    let tail: String = last.chars().rev().take(20).collect::<Vec<_>>().into_iter().rev().collect();
    let mut earlier = String::new();
    for _ in 0..TRIES {
        std::thread::sleep(PAUSE);
        let now = screen(pane)?;
        let squeezed: String = now.chars().filter(|c| !c.is_whitespace()).collect();
        // Agents fold long pastes into a line such as `[Pasted text #1 +12 lines]`.
        let is_there = squeezed.contains(&tail) || (now != before && now.to_lowercase().contains("pasted"));
        if is_there && now == earlier {
            return Ok(());
        }
        earlier = now;
    }
    Err(TmuxProblem::NotSeen)
}

fn screen(pane: &str) -> Result<String, TmuxProblem> {
    tmux(&["capture-pane", "-p", "-J", "-t", pane], None)
}

/// Removes control characters except tabs and line breaks. CRLF becomes LF.
pub fn stripped(text: &str) -> String {
    text.replace("\r\n", "\n").chars().filter(|c| *c == '\n' || *c == '\t' || !c.is_control()).collect()
}

fn tmux(words: &[&str], input: Option<&str>) -> Result<String, TmuxProblem> {
    let stdin = if input.is_some() { Stdio::piped() } else { Stdio::null() };
    let mut child = Command::new("tmux")
        .args(words)
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| TmuxProblem::NotRun(error.to_string()))?;
    if let (Some(mut stdin), Some(input)) = (child.stdin.take(), input) {
        stdin.write_all(input.as_bytes()).map_err(|error| TmuxProblem::NotRun(error.to_string()))?;
    }
    let output = child.wait_with_output().map_err(|error| TmuxProblem::NotRun(error.to_string()))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(TmuxProblem::Refused(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_cannot_end_its_own_paste() {
        assert_eq!(stripped("a\x1b[201~rm -rf\r\n\tb\x7f\u{9b}c\x00"), "a[201~rm -rf\n\tbc");
    }
}
