//! Finds references to files in a text: paths in backticks and links.

use std::path::Path;

use crate::lines::{Hidden, lines};
use crate::project::{Ceiling, upward};

/// Which references count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum References {
    Files,
    /// Also directories in backticks, if they end with a slash.
    WithDirectories,
}

impl References {
    /// Returns the relative paths in `text` outside code fences, each with the position of its line.
    ///
    /// Only text that is clearly a path counts: in backticks it needs a slash and an extension, in a link an extension.
    pub(super) fn find(self, text: &str) -> Vec<(usize, &str)> {
        let mut hidden = Hidden::new(text);
        let mut found = Vec::new();
        for line in lines(text, 0).filter(|line| !hidden.hides(line)) {
            let spans = line.text.split('`').skip(1).step_by(2).filter(|span| span.contains('/'));
            let links = line.text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
            found.extend(spans.chain(links).filter_map(|span| self.path_in(span)).map(|path| (line.start, path)));
        }
        found
    }

    /// Returns the path in a code span or link target, without `./`, `#heading` or `:line`.
    fn path_in(self, span: &str) -> Option<&str> {
        let path = span.trim().split('#').next()?.trim_start_matches("./");
        let path = path.split_once(':').map_or(path, |(path, line)| if line.starts_with(|c: char| c.is_ascii_digit()) { path } else { "" });
        let is_plain = path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._/@+-".contains(&byte));
        let (first, last) = (path.split('/').next()?, path.rsplit('/').next()?);
        let extension = last.rsplit_once('.').map(|(stem, extension)| (!stem.is_empty(), extension));
        let has_extension = extension.is_some_and(|(has_stem, extension)| {
            has_stem && (1..=5).contains(&extension.len()) && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
        });
        let is_directory = self == Self::WithDirectories && path.len() > 1 && path.ends_with('/');
        // `example.com/a.html` is a URL, and `path/to/file.md` is an example.
        let is_elsewhere = path.starts_with('/')
            || (path.contains('/') && first.contains('.') && !first.starts_with('.'))
            || path.contains("path/to")
            || path.contains("...");
        (is_plain && (has_extension || is_directory) && !is_elsewhere && path.len() <= 200).then_some(path)
    }
}

/// Returns whether a path exists relative to a directory of ours (`.megg`, `.context`), or to a directory above it up to
/// the repository's root.
pub(super) fn exists(path: &str, directory: &Path) -> bool {
    if directory.join(path).exists() {
        return true;
    }
    let Some(parent) = directory.parent() else { return false };
    upward(parent, Ceiling::Repository).any(|directory| directory.join(path).exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_that_is_clearly_a_path_counts() {
        let text = "See `src/a.rs:12`, [guide](docs/x.md#top), [y](z.md) `src/old/` and `./b/c.toml`.\n\
                    Not: `a.rs`, `application/json`, `https://x.y/a.html`, `github.com/u/r.git`, `/etc/x.conf`, `path/to/f.md`, `*/a.rs`, `a b/c.d`, [m](mailto:a@b.c)\n\
                    ```\n`src/fenced.rs`\n```\n";
        let found = |references: References| {
            let mut found: Vec<_> = references.find(text).into_iter().map(|(_, path)| path).collect();
            found.sort_unstable();
            found
        };
        assert_eq!(found(References::Files), ["b/c.toml", "docs/x.md", "src/a.rs", "z.md"]);
        assert_eq!(found(References::WithDirectories), ["b/c.toml", "docs/x.md", "src/a.rs", "src/old/", "z.md"]);
    }
}
