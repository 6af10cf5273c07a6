//! The name filter: a glob over the last segment of a path, with only `*` and `?`.

/// Returns a test for names: `*` matches any run of characters, `?` matches one, and all others match themselves.
///
/// The pattern must match the whole name and is case-sensitive. Neither wildcard matches a line break, so that a name
/// with a line break cannot match `*.md`. The empty pattern matches everything.
pub fn build_matcher(pattern: &str) -> impl Fn(&str) -> bool + use<> {
    let pattern: Vec<char> = pattern.chars().collect();
    move |name| pattern.is_empty() || matches(&pattern, &name.chars().collect::<Vec<_>>())
}

/// Returns a test for paths: whether a file or directory on the way has a name that one of the patterns matches.
pub(super) fn build_excluder(patterns: &[String]) -> impl Fn(&str) -> bool + use<> {
    let matchers: Vec<_> = patterns.iter().filter(|pattern| !pattern.is_empty()).map(|pattern| build_matcher(pattern)).collect();
    move |path| path.split('/').any(|name| matchers.iter().any(|matcher| matcher(name)))
}

/// Matches by remembering only the last star, so that no pattern takes more than `pattern × name` steps.
fn matches(pattern: &[char], name: &[char]) -> bool {
    let is_break = |c: char| matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}');
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p + 1, n));
                p += 1;
                continue;
            }
            Some('?') if !is_break(name[n]) => {
                p += 1;
                n += 1;
                continue;
            }
            Some(c) if *c != '?' && *c == name[n] => {
                p += 1;
                n += 1;
                continue;
            }
            _ => {}
        }
        match star {
            Some((after, taken)) if !is_break(name[taken]) => {
                star = Some((after, taken + 1));
                p = after;
                n = taken + 1;
            }
            _ => return false,
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_question_marks_and_nothing_else() {
        for (pattern, name, expected) in [
            ("*.md", "a.md", true),
            ("*.md", "a.MD", false),
            ("*.md", "a.md.bak", false),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("?.md", "ü.md", true),
            ("*a*b*c*", "xxaxxbxxcxx", true),
            ("*a*b*c*", "xxaxxcxxbxx", false),
            ("[ab].md", "a.md", false),
            ("[ab].md", "[ab].md", true),
            ("{a,b}", "a", false),
            ("a+b.(x)", "a+b.(x)", true),
            ("**", "anything", true),
            ("", "anything", true),
            ("*", "", true),
            ("?", "", false),
            ("a", "", false),
            ("*.md", "a\nb.md", false),
            ("a?b", "a\nb", false),
        ] {
            assert_eq!(build_matcher(pattern)(name), expected, "{pattern} on {name:?}");
        }
    }

    #[test]
    fn names_anywhere_in_a_path_are_excluded() {
        let excluded = build_excluder(&["*.lock".into(), "vendor".into(), String::new()]);
        for (path, expected) in
            [("a.lock", true), ("vendor/a.rs", true), ("x/vendor/a.rs", true), ("vendored/a.rs", false), ("a.rs", false)]
        {
            assert_eq!(excluded(path), expected, "{path}");
        }
    }

    #[test]
    fn a_hostile_pattern_is_fast() {
        let matcher = build_matcher(&"*a".repeat(200));
        assert!(!matcher(&"a".repeat(199)));
        assert!(!matcher(&format!("{}b", "a".repeat(20_000))));
    }
}
