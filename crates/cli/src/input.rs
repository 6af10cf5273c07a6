//! Reads standard input and files that list paths, each up to a limit.

use std::fs::File;
use std::io::{IsTerminal, Read, stdin};
use std::path::{Path, PathBuf};

use briefing_core::Failure;
use briefing_core::fs::FileProblem;
use briefing_core::shown::{path_from_bytes, path_text};
use briefing_core::sources::requests::Requested;
use briefing_llm::requests;

/// The longest entry or state, in bytes.
const MAX_TEXT: u64 = 1024 * 1024;
/// The longest request for files, in bytes.
const MAX_REQUESTS: u64 = 8 * 1024 * 1024;
/// The longest list of paths, in bytes.
const MAX_LIST: u64 = 64 * 1024 * 1024;

/// Returns whether standard input is a terminal.
pub(crate) fn is_terminal() -> bool {
    stdin().is_terminal()
}

/// Reads at most `limit` + 1 bytes of standard input: the extra byte shows that the limit was exceeded.
fn read(limit: u64) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = stdin().lock().take(limit + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failure::new("cannot read standard input").because(&error))?;
    Ok(bytes)
}

/// Returns the argument itself, or the text on stdin if it is `-`.
pub(crate) fn text(argument: &str) -> Result<String, Failure> {
    if argument != "-" {
        return Ok(argument.to_owned());
    }
    let bytes = read(MAX_TEXT)?;
    if bytes.len() as u64 > MAX_TEXT {
        return Err(
            Failure::new(format!("standard input is longer than {MAX_TEXT} bytes")).hint("shorten it, and refer to the rest by its path")
        );
    }
    let text = String::from_utf8(bytes).map_err(|error| Failure::new("standard input is not UTF-8").because(&error))?;
    Ok(text.strip_prefix('\u{FEFF}').map(str::to_owned).unwrap_or(text))
}

/// Returns the files that are requested on standard input, resolved in `directory`.
pub(crate) fn requests(directory: &Path) -> Result<Requested, Failure> {
    let bytes = read(MAX_REQUESTS)?;
    if bytes.len() as u64 > MAX_REQUESTS {
        return Err(Failure::new(format!("standard input is longer than {MAX_REQUESTS} bytes"))
            .hint("pass paths, one per line, not the contents of the files"));
    }
    Ok(requests::parse(&bytes, directory))
}

/// Reads paths from a file, or from stdin for `-`. They are separated by NUL bytes if there are any, else by newlines.
pub(crate) fn path_list(path: &Path, here: &Path) -> Result<Vec<PathBuf>, Failure> {
    let fail =
        |error: &(dyn std::error::Error + 'static)| Failure::new(format!("cannot read the list `{}`", path_text(path))).because(error);
    // Not restricted to regular files: the user may name a pipe (`--files-from <(git ls-files)`).
    let mut source: Box<dyn Read> = if path == Path::new("-") {
        Box::new(stdin().lock())
    } else {
        Box::new(File::open(here.join(path)).map_err(|error| fail(&error))?)
    };
    let mut bytes = Vec::new();
    source.by_ref().take(MAX_LIST + 1).read_to_end(&mut bytes).map_err(|error| fail(&error))?;
    if bytes.len() as u64 > MAX_LIST {
        return Err(fail(&FileProblem::TooLarge { size: bytes.len() as u64, limit: MAX_LIST }));
    }
    let separator = if bytes.contains(&0) { 0 } else { b'\n' };
    let lines = bytes.split(|byte| *byte == separator).map(|line| line.strip_suffix(b"\r").filter(|_| separator != 0).unwrap_or(line));
    Ok(lines.filter(|line| !line.is_empty()).map(path_from_bytes).collect())
}
