//! Questions to the user. Every question has a flag that answers it, and none is asked without a terminal.

use std::io::{BufRead, IsTerminal, Write, stderr, stdin};

use crate::talk::safe;

/// Returns whether the user can answer a question.
pub(crate) fn can_ask() -> bool {
    stdin().is_terminal() && stderr().is_terminal()
}

/// Asks for a line of text. Returns `None` at the end of input.
pub(crate) fn line(question: &str) -> Option<String> {
    let _ = write!(stderr().lock(), "{} ", safe(question));
    let mut answer = String::new();
    let read = stdin().lock().read_line(&mut answer).ok()?;
    (read > 0).then(|| answer.trim_end_matches(['\r', '\n']).to_owned())
}

/// Asks a yes-or-no question on the terminal. Anything but `y` or `yes` means no.
pub(crate) fn yes(question: &str) -> bool {
    let _ = write!(stderr().lock(), "{} [y/N] ", safe(question));
    let mut answer = String::new();
    let is_read = stdin().lock().read_line(&mut answer).is_ok();
    is_read && matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}
