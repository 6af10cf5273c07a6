//! What work touches: paths in a message and in the input of a tool.
//!
//! A field that names a path is certain. Words of a message or of a command count only if they look like a path and
//! something is there, so that prose touches nothing by accident.

use std::path::{Path, PathBuf};

use crate::project::{marked_or_self, repository};
use crate::shown::normalize;

/// A path as somebody wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touch {
    pub path: String,
    /// Whether this is certainly a path, also if nothing is there yet.
    pub is_certain: bool,
}

/// How many paths of one event are looked at.
const MOST: usize = 32;
/// A longer word is no path.
const LONGEST: usize = 512;

/// Returns the words of a message that look like paths.
pub fn in_message(message: &str) -> Vec<Touch> {
    let words = message.split(|c: char| c.is_whitespace() || "\"'`()[]{}<>,;|*".contains(c));
    words.filter_map(path_in).take(MOST).map(|path| Touch { path: path.to_owned(), is_certain: false }).collect()
}

/// Returns the path in a word, without `@`, the line number and punctuation.
fn path_in(word: &str) -> Option<&str> {
    let word = word.trim_start_matches('@').trim_end_matches(['.', ':', '!', '?', '…']);
    let word = word.split_once(':').map_or(word, |(path, rest)| if rest.starts_with(|c: char| c.is_ascii_digit()) { path } else { word });
    let word = word.split('#').next()?;
    let has_name = |word: &str| word.bytes().any(|byte| byte.is_ascii_alphanumeric());
    // `file.rs`, `src/file`, `src/`, but neither `e.g.` nor a URL.
    let is_path = word.contains('/') || word.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && (1..=8).contains(&end.len()));
    (is_path && word.len() <= LONGEST && has_name(word) && !word.contains("://")).then_some(word)
}

/// Returns the paths that were touched inside the project, each once: absolute and normalised.
pub fn resolve(touches: &[Touch], here: &Path) -> Vec<PathBuf> {
    if touches.is_empty() {
        return Vec::new();
    }
    let root = repository(here).unwrap_or_else(|| marked_or_self(here));
    let mut found: Vec<PathBuf> = Vec::new();
    for touch in touches.iter().take(MOST) {
        let Some(path) = place(touch, here, root).filter(|path| path != root) else { continue };
        if !found.contains(&path) {
            found.push(path);
        }
    }
    found
}

fn place(touch: &Touch, here: &Path, root: &Path) -> Option<PathBuf> {
    let is_there = |path: &PathBuf| {
        // A file that is about to be made is in a directory that exists.
        path.symlink_metadata().is_ok()
            || (touch.path.contains('/') && path.parent().is_some_and(|parent| parent != root && parent.is_dir()))
    };
    let bases = if touch.is_certain { vec![here] } else { vec![here, root] };
    let path = bases.into_iter().map(|base| normalize(&base.join(&touch.path))).find(|path| touch.is_certain || is_there(path))?;
    if path.starts_with(root) {
        return Some(path);
    }
    // The agent may name files by their real path, while the current directory has a link in it.
    let real = std::fs::canonicalize(root).ok().filter(|real| real != root)?;
    path.strip_prefix(real).ok().map(|below| root.join(below))
}

#[cfg(test)]
mod tests {
    use briefing_testkit::Sandbox;

    use super::*;

    #[test]
    fn only_words_that_look_like_paths_are_looked_up() {
        let words = |message: &str| in_message(message).into_iter().map(|touch| touch.path).collect::<Vec<_>>();
        assert_eq!(words("fix @src/a.rs:12 and `src/api/`, (docs/x.md#top) or main.rs."), ["src/a.rs", "src/api/", "docs/x.md", "main.rs"]);
        assert_eq!(words("and/or i.e. https://a.b/c.md v1.2"), ["and/or", "i.e", "v1.2"], "nothing is there under these names");
        assert_eq!(words("Hello. What now? ... /"), [""; 0]);
    }

    #[test]
    fn a_touched_path_is_inside_the_project_and_there() {
        let sandbox = Sandbox::new().directory(".git").directory("web").file("src/api/a.rs", "").file("web/b.ts", "");
        let touched = |path: &str, is_certain: bool| {
            let touches = [Touch { path: path.into(), is_certain }];
            resolve(&touches, &sandbox.path("web")).pop().map(|path| path.strip_prefix(sandbox.root()).unwrap().display().to_string())
        };
        assert_eq!(touched("b.ts", false).as_deref(), Some("web/b.ts"));
        assert_eq!(touched("src/api/a.rs", false).as_deref(), Some("src/api/a.rs"), "relative to the root, too");
        assert_eq!(touched("src/api/new.rs", false).as_deref(), Some("src/api/new.rs"), "it is about to be made");
        assert_eq!(touched("and/or", false), None);
        assert_eq!(touched("new/x.ts", true).as_deref(), Some("web/new/x.ts"));
        assert_eq!(touched("../../elsewhere", true), None);
        assert_eq!(touched(sandbox.path("src").to_str().unwrap(), true).as_deref(), Some("src"));
    }
}
