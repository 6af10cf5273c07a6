//! Requests for files on standard input: one per line, or a list as models answer.

use std::ffi::OsString;
use std::io::{IsTerminal, Read, stdin};
use std::path::PathBuf;

use briefing_core::Failure;
use briefing_llm::answer;

/// More than this is not a list of paths.
const MAX_INPUT: u64 = 8 * 1024 * 1024;

/// Reads the paths on standard input.
pub(crate) fn from_stdin() -> Result<Vec<PathBuf>, Failure> {
    let mut input = Vec::new();
    let read = stdin().lock().take(MAX_INPUT + 1).read_to_end(&mut input);
    read.map_err(|error| Failure::new("cannot read standard input").because(&error))?;
    if input.len() as u64 > MAX_INPUT {
        return Err(Failure::new(format!("standard input holds more than {MAX_INPUT} bytes"))
            .hint("paths are expected there, one per line, not the files themselves"));
    }
    Ok(paths(&input))
}

/// Returns whether a person would have to type the input.
pub(crate) fn stdin_is_terminal() -> bool {
    stdin().is_terminal()
}

/// Returns the paths in `input`: a JSON list, also fenced or amid prose; else what NUL bytes separate, else lines.
fn paths(input: &[u8]) -> Vec<PathBuf> {
    if let Ok(text) = std::str::from_utf8(input)
        && let Some(list) = answer::parse(text.trim_start_matches('\u{FEFF}'))
    {
        return list.texts().into_iter().map(PathBuf::from).collect();
    }
    let separator = if input.contains(&0) { 0 } else { b'\n' };
    let pieces = input.split(|byte| *byte == separator);
    let pieces = pieces.map(|piece| if separator == b'\n' { piece.strip_suffix(b"\r").unwrap_or(piece) } else { piece });
    pieces.filter(|piece| !piece.trim_ascii().is_empty()).map(|piece| path_of(piece.to_vec())).collect()
}

#[cfg(unix)]
fn path_of(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    OsString::from_vec(bytes).into()
}

#[cfg(not(unix))]
fn path_of(bytes: Vec<u8>) -> PathBuf {
    OsString::from(String::from_utf8_lossy(&bytes).into_owned()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_paths(input: &[u8], expected: &[&str]) {
        assert_eq!(paths(input), expected.iter().map(PathBuf::from).collect::<Vec<_>>());
    }

    #[test]
    fn lines_are_taken_as_they_are() {
        assert_paths(b"a.md\r\n\n  \nb c.md\n./d", &["a.md", "b c.md", "./d"]);
        assert_paths(b"app/[id]/page.tsx\n[slug].tsx\n42\n", &["app/[id]/page.tsx", "[slug].tsx", "42"]);
        assert_paths(b"[1]\n", &[]);
        assert_paths(b"", &[]);
        assert_paths(b"a\nb\0c\0", &["a\nb", "c"]);
    }

    #[test]
    fn lists_are_taken_as_models_give_them() {
        assert_paths(br#"["a.md", "b.md"]"#, &["a.md", "b.md"]);
        assert_paths(br#"{"files": ["a.md"], "done": true}"#, &["a.md"]);
        assert_paths(b"Please read:\n```json\n[\"a.md\"]\n```\n", &["a.md"]);
        assert_paths(b"\xEF\xBB\xBF[\"a.md\"]", &["a.md"]);
    }
}
