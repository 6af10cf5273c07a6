//! Parses requests for files as users and models write them: one path per line, or a JSON list.
//!
//! If a line is the path of an existing file, it is used unchanged, so that output of `git diff --name-only` always
//! works. Otherwise Markdown is removed: list markers, backticks, fences.

use std::path::{Path, PathBuf};

use briefing_core::shown::path_from_bytes;
use briefing_core::sources::requests::Requested;
use briefing_core::{Note, NoteKind};

use crate::answer::{self, Answer};

/// Returns the paths in `input`: a JSON list, also in a fence or within prose; otherwise paths separated by NUL bytes, or
/// by line breaks. `directory` is searched for existing files.
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

/// Returns the paths in a list. An empty list requests nothing; JSON without any path gets a warning.
fn listed(list: Answer) -> Requested {
    let wants_nothing = list.named.is_empty() && (list.has_list || list.is_done);
    let paths: Vec<_> = list.texts().into_iter().map(PathBuf::from).collect();
    let reason = "no file was requested: the JSON contains no list of paths such as {\"files\": [\"a.md\"]}";
    let note = (paths.is_empty() && !wants_nothing).then(|| Note::warning("standard input", NoteKind::Format, reason));
    Requested { paths, notes: note.into_iter().collect() }
}

/// Returns the paths in lines. If there is a fence, lines outside of it count only if they are list items or existing
/// files. If there are such lines, lines inside the fence count only if they are existing files.
fn lines(input: &[u8], directory: &Path) -> Vec<PathBuf> {
    let lines = input.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let mut asked: Vec<Asked> = Vec::new();
    let (mut is_inside, mut has_fence) = (false, false);
    for line in lines.filter(|line| !line.trim_ascii().is_empty() && !asks_for_nothing(line, directory)) {
        let start = line.trim_ascii_start();
        if start.starts_with(b"```") || start.starts_with(b"~~~") {
            (is_inside, has_fence) = (!is_inside, true);
        } else {
            asked.push(Asked::of(line, directory, is_inside));
        }
    }
    if has_fence && asked.iter().any(|asked| asked.is_inside) {
        asked.retain(|asked| asked.is_inside || asked.is_decorated || asked.exists);
        if asked.iter().any(|asked| !asked.is_inside) {
            asked.retain(|asked| !asked.is_inside || asked.exists);
        }
    }
    asked.into_iter().map(|asked| asked.path).collect()
}

/// Returns whether a line says in words that no file is needed: "I need nothing", "None.", "No further files are needed".
fn asks_for_nothing(line: &[u8], directory: &Path) -> bool {
    const WHOLE: [&str; 7] = ["none", "nothing", "n a", "no", "done", "that is all", "that s all"];
    const PARTS: [&str; 8] =
        ["need nothing", "nothing else", "nothing more", "no files", "no file", "no more files", "no further files", "no additional files"];
    const REFUSALS: [&str; 4] = ["don t need", "do not need", "not needed", "no need"];
    let Ok(text) = std::str::from_utf8(line) else { return false };
    if text.len() > 200 || directory.join(text.trim()).symlink_metadata().is_ok() {
        return false;
    }
    let words: Vec<String> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    let said = format!(" {} ", words.join(" "));
    let has = |part: &&str| said.contains(&format!(" {part} "));
    // A sentence that names a path asks for it.
    let names_path = text.trim_end_matches(['.', '!']).contains(['/', '`', '.']) && !said.starts_with(" n a ");
    !names_path && (WHOLE.iter().any(|whole| said.trim() == *whole) || words.len() > 1 && PARTS.iter().chain(&REFUSALS).any(has))
}

/// A line that may name a file.
struct Asked {
    path: PathBuf,
    /// Whether it is a list item, or in backticks or quotes.
    is_decorated: bool,
    exists: bool,
    /// Whether it is inside a fence.
    is_inside: bool,
}

impl Asked {
    fn of(line: &[u8], directory: &Path, is_inside: bool) -> Self {
        let exists = |path: &Path| directory.join(path).symlink_metadata().is_ok();
        let (plain, bare) = (path_from_bytes(line), bare(line));
        if bare == line || exists(&plain) {
            return Self { exists: exists(&plain), path: plain, is_decorated: false, is_inside };
        }
        let path = path_from_bytes(bare);
        Self { exists: exists(&path), path, is_decorated: bare != line.trim_ascii(), is_inside }
    }
}

/// Returns a line without its list marker. If the rest begins with backticks or quotes, returns their content.
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
    fn lines_are_used_unchanged() {
        assert_paths(b"a.md\r\n\n  \nb c.md\n./d", &["a.md", "b c.md", "./d"]);
        assert_paths(b"app/[id]/page.tsx\n[slug].tsx\n42\n", &["app/[id]/page.tsx", "[slug].tsx", "42"]);
        assert_paths(b"[1]\n", &[]);
        assert_paths(b"", &[]);
        assert_paths(b"a\nb\0c\0", &["a\nb", "c"]);
    }

    #[test]
    fn words_that_ask_for_nothing_are_no_paths() {
        for nothing in [
            "I need nothing",
            "I need nothing else.",
            "None.",
            "none",
            "N/A",
            "No files are needed.",
            "No further files, thanks!",
            "I don't need any files.",
            "That's all",
            "done",
            "Thank you.\nNothing more.",
        ] {
            let paths = parse(nothing.as_bytes(), Path::new("/nonexistent")).paths;
            assert!(paths.is_empty() || paths == [Path::new("Thank you.")], "{nothing}: {paths:?}");
        }
        assert_paths(b"nothing.md\nnone/of/it\nno files.txt", &["nothing.md", "none/of/it", "no files.txt"]);
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("none"), "").unwrap();
        assert_eq!(parse(b"none", directory.path()).paths, [Path::new("none")], "a file of that name");
    }

    #[test]
    fn markdown_around_paths_is_removed() {
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
    fn outside_a_fence_only_items_and_existing_files_count() {
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
    fn an_existing_file_that_looks_like_a_list_item_is_used_unchanged() {
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
    fn json_lists_are_found_in_every_form() {
        assert_paths(br#"["a.md", "b.md"]"#, &["a.md", "b.md"]);
        assert_paths(br#"{"files": ["a.md"], "done": true}"#, &["a.md"]);
        assert_paths(b"{\"files\":[\"a\"]}\n{\"files\":[\"b\"]}\n", &["a", "b"]);
        assert_paths(b"Please read:\n```json\n[\"a.md\"]\n```\n", &["a.md"]);
        assert_paths(b"\xEF\xBB\xBF[\"a.md\"]", &["a.md"]);
    }
}
