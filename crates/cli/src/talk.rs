//! Messages to the user: on stderr only, understandable without colour, safe for a terminal.

use std::io::{IsTerminal, Write, stderr};

use briefing_core::shown::is_deceptive;
use briefing_core::{Failure, Level, Note};

use crate::environment::NO_COLOR;

const RED: &str = "\x1b[1;31m";
const YELLOW: &str = "\x1b[1;33m";
const CYAN: &str = "\x1b[1;36m";
const RESET: &str = "\x1b[0m";

/// Prints a failure with its causes and next steps.
pub(crate) fn failure(failure: &Failure) {
    line(RED, "error", &failure.to_string());
    for cause in failure.causes() {
        plain(&format!("  caused by: {cause}"));
    }
    for hint in failure.hints() {
        self::hint(hint);
    }
}

pub(crate) fn warning(text: &str) {
    line(YELLOW, "warning", text);
}

pub(crate) fn hint(text: &str) {
    line(CYAN, "hint", text);
}

/// Prints the notes that are warnings or worse.
pub(crate) fn notes(notes: &[Note]) {
    for note in notes.iter().filter(|note| note.level >= Level::Warning) {
        warning(&format!("`{}`: {}", note.path, note.reason));
    }
}

/// Prints a line without a label.
pub(crate) fn plain(text: &str) {
    // If stderr is closed, there is no other place to report that.
    let _ = writeln!(stderr().lock(), "{}", safe(text));
}

fn line(colour: &str, label: &str, text: &str) {
    let text = safe(text);
    let _ = if is_coloured() {
        writeln!(stderr().lock(), "{colour}{label}:{RESET} {text}")
    } else {
        writeln!(stderr().lock(), "{label}: {text}")
    };
}

/// Returns whether stderr is a terminal and colour is not turned off.
fn is_coloured() -> bool {
    stderr().is_terminal() && std::env::var_os(NO_COLOR).is_none_or(|value| value.is_empty())
}

/// Escapes control and bidirectional characters. Line breaks and tabs stay.
pub(crate) fn safe(text: &str) -> String {
    text.chars()
        .flat_map(|c| if is_deceptive(c) && c != '\n' && c != '\t' { c.escape_default().collect::<Vec<_>>() } else { vec![c] })
        .collect()
}
