//! Variable names for files: valid in the consumer's grammar, and unique.

use std::collections::{HashMap, HashSet};

/// Returns the variable name of a file: its base name without the last extension, made of letters, digits and `_`.
///
/// The extension is removed by Node's rules: `.env` has none, `a.test.js` loses only `.js`, `foo.` loses its dot. The
/// consumer requires a letter first, hence `F_`.
pub fn build_safe_base_name(path: &str, prefix: &str) -> String {
    let base = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let stem = match base.rfind('.') {
        Some(at) if at > 0 && base != ".." => &base[..at],
        _ => base,
    };
    let mut name = String::with_capacity(prefix.len() + stem.len() + 2);
    for c in stem.chars() {
        if c.is_ascii_alphanumeric() {
            name.push(c);
        } else if !name.ends_with('_') {
            name.push('_');
        }
    }
    let trimmed = name.trim_matches('_');
    match trimmed.chars().next() {
        None => format!("{prefix}file"),
        Some(first) if first.is_ascii_alphabetic() => format!("{prefix}{trimmed}"),
        Some(_) => format!("{prefix}F_{trimmed}"),
    }
}

/// Assigns names so that neither a name nor the name of its content is used twice.
#[derive(Debug, Default)]
pub struct Names {
    taken: HashSet<String>,
    /// Where to continue searching for a free number, so that ten thousand `index.js` stay cheap.
    next: HashMap<String, usize>,
}

impl Names {
    /// Returns `name`, or `name_2`, `name_3`, … when it or `nameContent` is taken.
    pub fn unique(&mut self, name: &str) -> String {
        let mut candidate = name.to_owned();
        let number = self.next.entry(name.to_owned()).or_insert(2);
        while self.taken.contains(&candidate) || self.taken.contains(&format!("{candidate}Content")) {
            candidate = format!("{name}_{number}");
            *number += 1;
        }
        self.taken.insert(format!("{candidate}Content"));
        self.taken.insert(candidate.clone());
        candidate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_original_tool() {
        for (path, expected) in [
            ("docs/a.md", "spec_a"),
            ("a.test.js", "spec_a_test"),
            ("123 weird-name!.txt", "spec_F_123_weird_name"),
            (".gitignore", "spec_gitignore"),
            (".env", "spec_env"),
            (".env.local", "spec_env"),
            ("1.2.3.md", "spec_F_1_2_3"),
            ("___.md", "spec_file"),
            ("ünï.md", "spec_n"),
            ("foo.", "spec_foo"),
            ("..", "spec_file"),
            ("..hidden", "spec_file"),
            ("", "spec_file"),
            ("dir/", "spec_dir"),
            ("a\nb\"c.md", "spec_a_b_c"),
            ("Makefile", "spec_Makefile"),
        ] {
            assert_eq!(build_safe_base_name(path, "spec_"), expected, "{path:?}");
        }
    }

    #[test]
    fn no_name_is_used_twice_across_both_kinds() {
        let mut names = Names::default();
        let given: Vec<_> = ["spec_foo", "spec_foo", "spec_foo_2", "spec_fooContent", "spec_foo"].map(|name| names.unique(name)).into();
        assert_eq!(given, ["spec_foo", "spec_foo_2", "spec_foo_2_2", "spec_fooContent_2", "spec_foo_3"]);
        let mut names = Names::default();
        assert_eq!(names.unique("spec_fooContent"), "spec_fooContent");
        assert_eq!(names.unique("spec_foo"), "spec_foo_2", "its content's name is a variable already");
    }

    #[test]
    fn many_files_of_one_name_stay_cheap() {
        let mut names = Names::default();
        let given: HashSet<_> = (0..20_000).map(|_| names.unique("spec_index")).collect();
        assert_eq!(given.len(), 20_000);
    }
}
