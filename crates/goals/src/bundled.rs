//! The goals that come with the program. All other goals shadow them. They are written to disk only on request.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::goal::Goal;

/// Name and `prompt.yaml` of each goal, sorted by name.
pub(crate) const BUNDLED: &[(&str, &str)] = &[
    ("code-review", include_str!("../bundled/code-review/prompt.yaml")),
    ("commit-message", include_str!("../bundled/commit-message/prompt.yaml")),
    ("explain", include_str!("../bundled/explain/prompt.yaml")),
    ("release-notes", include_str!("../bundled/release-notes/prompt.yaml")),
    ("write-tests", include_str!("../bundled/write-tests/prompt.yaml")),
];

/// Returns the names of the bundled goals.
pub fn names() -> impl Iterator<Item = &'static str> {
    BUNDLED.iter().map(|(name, _)| *name)
}

/// Returns the `prompt.yaml` of a bundled goal.
pub fn text(name: &str) -> Option<&'static str> {
    BUNDLED.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// Returns a bundled goal. Its path `bundled:NAME` is not a real path, because there is no file.
pub(crate) fn goal(name: &str) -> Option<Goal> {
    let text = text(name)?;
    Some(Goal::parse(name, PathBuf::from(format!("bundled:{name}")), text, BTreeMap::new()).expect("a test reads every bundled goal"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::problems;

    #[test]
    fn every_bundled_goal_is_valid() {
        for name in names() {
            let goal = goal(name).unwrap();
            assert_eq!(problems(&goal), [], "{name}");
            assert!(goal.description.is_some(), "{name}");
        }
    }

    #[test]
    fn bundled_goals_embed_files_with_the_context_key() {
        for name in names() {
            let goal = goal(name).unwrap();
            assert!(goal.scripts.iter().all(|script| !script.command.contains("cat ")), "{name}");
        }
        assert_eq!(goal("explain").unwrap().context, ["{{ Args.path }}"]);
        assert!(goal("explain").unwrap().scripts.is_empty());
    }
}
