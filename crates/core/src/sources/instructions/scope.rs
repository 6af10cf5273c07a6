//! Where a document applies, as its front matter says: `applies_to`, `globs`, `paths` or `applyTo`.
//!
//! The lines are read one by one instead of as YAML: Cursor's rules have globs without quotes (`globs: *.ts`), which are not
//! valid there.

use crate::select::sections::front_matter;
use crate::sources::files::Patterns;

/// The keys that name globs.
const KEYS: [&str; 4] = ["applies_to", "globs", "paths", "applyTo"];
/// The key of a rule that applies everywhere.
const ALWAYS: &str = "alwaysApply";

/// Where a document applies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    /// Globs, relative to the directory that the rules belong to.
    pub globs: Vec<String>,
    /// Whether it says that it applies everywhere.
    pub is_always: bool,
    /// Whether it has front matter at all.
    pub is_said: bool,
}

impl Scope {
    /// Reads the front matter of a document.
    pub fn of(text: &str) -> Self {
        let matter = &text[front_matter(text)];
        let mut scope = Self { is_said: !matter.trim().is_empty(), ..Self::default() };
        let mut is_list = false;
        for line in matter.lines().filter(|line| line.trim_end() != "---") {
            if let Some(item) = line.trim_start().strip_prefix('-').filter(|_| is_list) {
                scope.globs.extend(listed(item));
                continue;
            }
            let Some((key, value)) = line.split_once(':').filter(|(key, _)| !key.starts_with([' ', '\t', '#'])) else { continue };
            let (key, value) = (key.trim().trim_matches(['"', '\'']), value.trim());
            is_list = KEYS.contains(&key);
            if is_list {
                scope.globs.extend(listed(value));
            }
            if key == ALWAYS {
                scope.is_always = value == "true";
            }
        }
        // `**` and `*` are other words for everywhere.
        if scope.globs.iter().any(|glob| ["**", "*", "**/*"].contains(&glob.as_str())) {
            (scope.is_always, scope.globs) = (true, Vec::new());
        }
        scope
    }

    /// Returns the glob that matches a path, which is relative to the same directory as the globs.
    ///
    /// A hook asks this of every document with a scope at every tool, so most globs must fail before they are compiled.
    pub fn matching<'a>(globs: &'a [String], path: &str) -> Option<&'a str> {
        globs
            .iter()
            .filter(|glob| may_match(glob, path))
            .find(|glob| Patterns::globs(std::slice::from_ref(*glob), "applies_to").is_ok_and(|set| set.matching(path).is_some()))
            .map(String::as_str)
    }
}

/// Returns whether a glob can match a path: the path begins with what comes before the first wildcard.
fn may_match(glob: &str, path: &str) -> bool {
    let glob = glob.strip_prefix("./").unwrap_or(glob).trim_start_matches('/');
    let fixed = glob.split(['*', '?', '[', '{']).next().unwrap_or_default();
    !glob.trim_end_matches('/').contains('/') || path.starts_with(fixed.trim_end_matches('/'))
}

/// Returns the items of a value: one, several with commas, or a list in brackets. A comma in braces separates nothing.
fn listed(value: &str) -> Vec<String> {
    let value = value.trim();
    let value = value.strip_prefix('[').and_then(|value| value.strip_suffix(']')).unwrap_or(value);
    let (mut items, mut depth) = (vec![String::new()], 0_usize);
    for c in value.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match items.last_mut() {
            Some(item) if c != ',' || depth > 0 => item.push(c),
            _ => items.push(String::new()),
        }
    }
    let bare = |item: String| item.trim().trim_matches(['"', '\'']).trim().to_owned();
    items.into_iter().map(bare).filter(|item| !item.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_is_read_in_every_form() {
        for matter in [
            "applies_to: [\"src/api/**\", '*.sql']",
            "applies_to:\n  - src/api/**\n  - '*.sql'",
            "title: x\nglobs: src/api/**,*.sql\nalwaysApply: false",
            "paths:\n- \"src/api/**\"\n- \"*.sql\"\ntags: [a]\n",
            "applyTo: 'src/api/**, *.sql'",
        ] {
            let scope = Scope::of(&format!("---\n{matter}\n---\n# T\n"));
            assert_eq!(scope.globs, ["src/api/**", "*.sql"], "{matter}");
            assert!(!scope.is_always && scope.is_said);
        }
        assert_eq!(Scope::of("---\nglobs: src/{a,b}/*.ts\n---\n").globs, ["src/{a,b}/*.ts"]);
        assert!(Scope::of("---\nalwaysApply: true\n---\n").is_always && Scope::of("---\nglobs: **\n---\n").is_always);
        assert_eq!(Scope::of("# T\n\napplies_to: x\n"), Scope::default());
    }

    #[test]
    fn globs_match_names_anywhere_and_paths_from_the_root() {
        let matches = |glob: &str, path: &str| Scope::matching(&[glob.to_owned()], path).is_some();
        assert!(matches("*.sql", "db/a.sql") && matches("src/api", "src/api/x/y.rs") && matches("src/api/", "src/api/x.rs"));
        assert!(matches("src/**/*.rs", "src/a/b.rs") && matches("**/test/**", "a/test/b"));
        assert!(!matches("src/api/**", "src/web/x.rs") && !matches("api/**", "src/api/x.rs") && !matches("[", "["));
    }
}
