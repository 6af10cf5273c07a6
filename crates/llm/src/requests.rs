//! Requests for files as people and models write them: one per line, or a list as models answer.
//!
//! A line is taken as it is where there is such a file, so that `git diff --name-only` may name anything. Otherwise a
//! model may have decorated it: as the item of a list, in backticks, in a fence.

use std::path::{Path, PathBuf};

use briefing_core::shown::path_from_bytes;
use briefing_core::sources::requests::Requested;
use briefing_core::{Note, NoteKind};

use crate::answer::{self, Answer};

/// Returns the paths in `input`: a JSON list, also fenced or amid prose; else what NUL bytes separate, else lines. Files
/// that exist in `directory` are told from decoration.
pub fn parse(input: &[u8], directory: &Path) -> Requested {
    if let Ok(text) = std::str::from_utf8(input)
        && let Some(list) = answer::parse(text.trim_start_matches('\u{FEFF}'))
    {
        return listed(list);
    }
    let paths = if input.contains(&0) {
        input.split(|byte| *byte == 0).filter(|piece| !piece.trim_ascii().is_empty()).map(path_from_bytes).collect()
    } else {
        lines(input, directory)
    };
    Requested { paths, notes: Vec::new() }
}

/// Returns what a list names. An empty list requests nothing; JSON that names no file at all is a mistake.
fn listed(list: Answer) -> Requested {
    let wants_nothing = list.named.is_empty() && (list.has_list || list.is_done);
    let paths: Vec<_> = list.texts().into_iter().map(PathBuf::from).collect();
    let reason = "no file was asked for: the JSON there holds no list of paths such as {\"files\": [\"a.md\"]}";
    let note = (paths.is_empty() && !wants_nothing).then(|| Note::warning("standard input", NoteKind::Format, reason));
    Requested { paths, notes: note.into_iter().collect() }
}

/// Returns what the lines ask for. Beside a fence, prose is prose: what counts outside of one is an item or a file that is
/// there, and where such are, what counts inside of one is a file that is there.
fn lines(input: &[u8], directory: &Path) -> Vec<PathBuf> {
    let lines = input.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let mut asked: Vec<Asked> = Vec::new();
    let (mut is_inside, mut has_fence) = (false, false);
    for line in lines.filter(|line| !line.trim_ascii().is_empty()) {
        let start = line.trim_ascii_start();
        if start.starts_with(b"```") || start.starts_with(b"~~~") {
            (is_inside, has_fence) = (!is_inside, true);
        } else {
            asked.push(Asked::of(line, directory, is_inside));
        }
    }
    if has_fence && asked.iter().any(|asked| asked.is_inside) {
        asked.retain(|asked| asked.is_inside || asked.is_dressed || asked.exists);
        if asked.iter().any(|asked| !asked.is_inside) {
            asked.retain(|asked| !asked.is_inside || asked.exists);
        }
    }
    asked.into_iter().map(|asked| asked.path).collect()
}

/// A line that may name a file.
struct Asked {
    path: PathBuf,
    /// It is an item of a list, or stands in backticks or quotes.
    is_dressed: bool,
    exists: bool,
    /// It stands inside of a fence.
    is_inside: bool,
}

impl Asked {
    fn of(line: &[u8], directory: &Path, is_inside: bool) -> Self {
        let exists = |path: &Path| directory.join(path).symlink_metadata().is_ok();
        let (plain, bare) = (path_from_bytes(line), bare(line));
        if bare == line || exists(&plain) {
            return Self { exists: exists(&plain), path: plain, is_dressed: false, is_inside };
        }
        let path = path_from_bytes(bare);
        Self { exists: exists(&path), path, is_dressed: bare != line.trim_ascii(), is_inside }
    }
}

/// Returns the path in an item of a list, and what stands in its backticks or quotes.
fn bare(line: &[u8]) -> &[u8] {
    let item = without_marker(line.trim_ascii());
    let quotes: [&[u8]; 4] = [b"`", b"**", b"\"", b"'"];
    let inside = |quote: &[u8]| {
        let rest = item.strip_prefix(quote)?;
        let end = rest.windows(quote.len()).position(|part| part == quote)?;
        (end > 0).then_some(&rest[..end])
    };
    quotes.into_iter().find_map(inside).unwrap_or(item)
}

/// Returns what follows `- `, `* `, `+ `, `1. ` or `1) `.
fn without_marker(line: &[u8]) -> &[u8] {
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match &line[digits..] {
        [b'-' | b'*' | b'+', b' ' | b'\t', rest @ ..] if digits == 0 => rest.trim_ascii_start(),
        [b'.' | b')', b' ' | b'\t', rest @ ..] if digits > 0 => rest.trim_ascii_start(),
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_paths(input: &[u8], expected: &[&str]) {
        assert_eq!(parse(input, Path::new("/nonexistent")).paths, expected.iter().map(PathBuf::from).collect::<Vec<_>>());
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
    fn what_a_model_dressed_up_is_undressed() {
        assert_paths(b"```\na.md\nb c.md\n```\n", &["a.md", "b c.md"]);
        assert_paths(b"Please read:\n~~~text\n- a.md\n~~~\nThanks.", &["a.md"]);
        assert_paths(b"```\n```\na.md", &["a.md"]);
        assert_paths(
            b"- `a.md`: the rules\n* b c.md\n  + \"d.md\"\n1. e.md\n12) **f.md**\n`g.md`",
            &["a.md", "b c.md", "d.md", "e.md", "f.md", "g.md"],
        );
        assert_paths(b"-a.md\n1.md\n*.md\n``\n-", &["-a.md", "1.md", "*.md", "``", "-"]);
    }

    #[test]
    fn beside_a_fence_prose_is_prose_and_files_are_files() {
        let directory = tempfile::tempdir().unwrap();
        for name in ["a.md", "b.md", "c.md"] {
            std::fs::write(directory.path().join(name), "").unwrap();
        }
        let asked = |input: &str| parse(input.as_bytes(), directory.path()).paths;
        assert_eq!(asked("a.md\nb.md\n```\nc.md\n```"), ["a.md", "b.md", "c.md"].map(Path::new));
        assert_eq!(asked("- `a.md`\n- `b.md`\n\nRun this afterwards:\n```sh\ncargo test\n```"), ["a.md", "b.md"].map(Path::new));
        assert_eq!(asked("I need:\n```\ngone.md\n```"), [Path::new("gone.md")]);
    }

    #[test]
    fn a_file_that_looks_like_an_item_is_taken_where_it_exists() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("1. Start.md"), "").unwrap();
        assert_eq!(parse(b"1. Start.md\n2. End.md", directory.path()).paths, [Path::new("1. Start.md"), Path::new("End.md")]);
        assert_eq!(parse(br#"["- x"]"#, directory.path()).paths, [Path::new("- x")]);
    }

    #[test]
    fn json_that_names_no_file_is_noted_and_an_empty_list_is_not() {
        for input in ["{\"nope\":1}", "[1]", "{}"] {
            assert_eq!(parse(input.as_bytes(), Path::new("/")).notes.len(), 1, "{input}");
        }
        for input in ["", "[]", "{\"files\":[]}", "{\"done\":true}"] {
            assert!(parse(input.as_bytes(), Path::new("/")).notes.is_empty(), "{input}");
        }
    }

    #[test]
    fn lists_are_taken_as_models_give_them() {
        assert_paths(br#"["a.md", "b.md"]"#, &["a.md", "b.md"]);
        assert_paths(br#"{"files": ["a.md"], "done": true}"#, &["a.md"]);
        assert_paths(b"{\"files\":[\"a\"]}\n{\"files\":[\"b\"]}\n", &["a", "b"]);
        assert_paths(b"Please read:\n```json\n[\"a.md\"]\n```\n", &["a.md"]);
        assert_paths(b"\xEF\xBB\xBF[\"a.md\"]", &["a.md"]);
    }
}
