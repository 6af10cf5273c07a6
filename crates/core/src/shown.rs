//! Paths as users and models see them.
//!
//! `/` is the separator on every platform, names that are not UTF-8 keep their bytes as `\xNN`, and no output can move
//! the cursor or reverse the direction of text.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// Returns `path` as text: with `/` as separator, without `./`, and with bytes that are not UTF-8 as `\xNN`.
pub fn path_text(path: &Path) -> String {
    components_text(path.components().map(|component| match component {
        Component::Prefix(prefix) => Part::Prefix(prefix.as_os_str()),
        Component::RootDir => Part::Root,
        Component::CurDir => Part::Here,
        Component::ParentDir => Part::Name(OsStr::new("..")),
        Component::Normal(name) => Part::Name(name),
    }))
}

/// A component of a path on any platform, so that Windows paths can be tested on Unix.
enum Part<'a> {
    Prefix(&'a OsStr),
    Root,
    Here,
    Name(&'a OsStr),
}

fn components_text<'a>(parts: impl Iterator<Item = Part<'a>>) -> String {
    let mut text = String::new();
    for part in parts {
        match part {
            Part::Prefix(prefix) => {
                let prefix = prefix.to_string_lossy().replace('\\', "/");
                let share = prefix.strip_prefix("//?/UNC/").map(|share| format!("//{share}"));
                text.push_str(&share.unwrap_or_else(|| prefix.strip_prefix("//?/").unwrap_or(&prefix).to_owned()));
            }
            Part::Root => text.push('/'),
            Part::Here => {}
            Part::Name(name) => push_separated(&mut text, name),
        }
    }
    if text.is_empty() {
        text.push('.');
    }
    text
}

fn push_separated(text: &mut String, name: &OsStr) {
    if !text.is_empty() && !text.ends_with('/') {
        text.push('/');
    }
    push_name(text, name);
}

fn push_name(text: &mut String, name: &OsStr) {
    if let Some(name) = name.to_str() {
        // On Windows a name never contains a separator; on Unix a backslash is an ordinary character.
        text.push_str(name);
        return;
    }
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            use std::fmt::Write as _;
            let _ = write!(text, "\\x{byte:02X}");
        }
    }
}

/// Returns a path as one word of a command line, quoted if the shell would split it.
pub fn shell_word(path: &Path) -> String {
    let text = path_text(path);
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-+@%,".contains(&byte));
    if is_plain { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// Returns the path with these bytes.
pub fn path_from_bytes(bytes: &[u8]) -> PathBuf {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        PathBuf::from(OsStr::from_bytes(bytes))
    }
    #[cfg(not(unix))]
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

/// Returns `path` as text: relative to `base` if it is below it, otherwise unchanged.
pub fn relative_text(path: &Path, base: &Path) -> String {
    match path.strip_prefix(base) {
        Ok(below) => path_text(below),
        Err(_) => path_text(path),
    }
}

/// Returns `path` without `.` and with `..` resolved by name only. Does not access the disk.
pub fn normalize(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => match result.components().next_back() {
                Some(Component::Normal(_)) => {
                    result.pop();
                }
                Some(Component::RootDir) => {}
                _ => result.push(".."),
            },
            other => result.push(other),
        }
    }
    if result.as_os_str().is_empty() {
        result.push(".");
    }
    result
}

/// Returns whether this character could deceive a reader or control a terminal: controls, bidi overrides, invisible
/// tags.
pub fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{061C}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}' | '\u{E0000}'..='\u{E007F}')
}

/// Returns `text` on one line, with deceptive characters replaced by visible escapes.
pub fn one_line(text: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| (0x20..0x7F).contains(&byte);
    if text.bytes().all(is_plain) || !text.chars().any(is_deceptive) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_deceptive(c) { safe.extend(c.escape_default()) } else { safe.push(c) }
    }
    Cow::Owned(safe)
}

/// Returns a number with separators: `12,345`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.char_indices() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns the first words of a text on one line, with at most so many characters.
pub fn first_words(text: &str, characters: usize) -> String {
    let mut words = String::new();
    for word in text.split_whitespace() {
        let gap = usize::from(!words.is_empty());
        let used = words.chars().count();
        if used + gap + word.chars().count() > characters {
            if words.is_empty() {
                words.extend(word.chars().take(characters));
            }
            words.push('…');
            break;
        }
        if gap > 0 {
            words.push(' ');
        }
        words.push_str(word);
    }
    words
}

/// Orders paths the way a tree lists them: component by component, each by its bytes.
pub fn tree_order(a: &str, b: &str) -> std::cmp::Ordering {
    let rank = |byte: u8| if byte == b'/' { 0 } else { u16::from(byte) + 1 };
    let (a, b) = (a.as_bytes(), b.as_bytes());
    // Sorted paths share long prefixes, so compare eight bytes at a time.
    let same = 8 * a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[same..], &b[same..]);
    match a.iter().zip(b).position(|(x, y)| x != y) {
        Some(at) => rank(a[at]).cmp(&rank(b[at])),
        None => a.len().cmp(&b.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_are_slashes_and_dots_vanish() {
        assert_eq!(path_text(Path::new("./a/./b")), "a/b");
        assert_eq!(path_text(Path::new("/a/b")), "/a/b");
        assert_eq!(path_text(Path::new(".")), ".");
        assert_eq!(path_text(Path::new("../x")), "../x");
    }

    #[test]
    fn windows_paths_are_shown_with_slashes() {
        let name = |text| Part::Name(OsStr::new(text));
        let shown = |parts: Vec<Part<'_>>| components_text(parts.into_iter());
        assert_eq!(shown(vec![name("a"), name("b"), name("c.txt")]), "a/b/c.txt");
        assert_eq!(shown(vec![Part::Prefix(OsStr::new("C:")), Part::Root, name("a")]), "C:/a");
        assert_eq!(shown(vec![Part::Prefix(OsStr::new(r"\\?\C:")), Part::Root, name("a")]), "C:/a");
        assert_eq!(shown(vec![Part::Prefix(OsStr::new(r"\\server\share")), Part::Root, name("a")]), "//server/share/a");
        assert_eq!(shown(vec![Part::Prefix(OsStr::new(r"\\?\UNC\server\share")), Part::Root, name("a")]), "//server/share/a");
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_not_utf8_keep_their_bytes() {
        use std::os::unix::ffi::OsStrExt;
        let name = std::ffi::OsStr::from_bytes(b"caf\xe9.txt");
        assert_eq!(path_text(Path::new(name)), "caf\\xE9.txt");
    }

    #[test]
    fn normalize_never_climbs_above_the_root() {
        assert_eq!(normalize(Path::new("/a/../../b")), Path::new("/b"));
        assert_eq!(normalize(Path::new("a/../../b")), Path::new("../b"));
        assert_eq!(normalize(Path::new("./a/.")), Path::new("a"));
        assert_eq!(normalize(Path::new("a/..")), Path::new("."));
    }

    #[test]
    fn one_line_escapes_what_could_deceive() {
        assert_eq!(one_line("a\nb"), "a\\nb");
        assert_eq!(one_line("safe name.md"), "safe name.md");
        assert!(!one_line("evil\u{202E}gpj.exe").contains('\u{202E}'));
    }

    #[test]
    fn a_directory_comes_before_names_that_only_start_like_it() {
        let mut paths = ["a-b/x", "a/z", "a.txt", "a/b/c"];
        paths.sort_by(|a, b| tree_order(a, b));
        assert_eq!(paths, ["a/b/c", "a/z", "a-b/x", "a.txt"]);
    }
}
