//! Which directory the gate uses: from the current directory upward, and what applies from above.

use super::*;

#[test]
fn found_from_below_up_to_the_repositorys_root() {
    let sandbox = full().directory(".git").directory("a/b/c");
    let gate = load(&places(sandbox.path("a/b/c"), &sandbox), &Settings::defaults()).unwrap();
    assert_eq!(gate.directory, sandbox.path(".context"));
    let above = Sandbox::new().file(".context/CONSTITUTION.md", "x").directory("repository/.git").directory("repository/src");
    assert_eq!(load(&places(above.path("repository/src"), &above), &Settings::defaults()), None, "not beyond the repository");
}

#[test]
fn without_a_repository_not_above_the_home() {
    let sandbox = Sandbox::new().file("../.context/CONSTITUTION.md", "above the home").file("~/work/x", "");
    let here = sandbox.home().join("work");
    assert_eq!(load(&places(here, &sandbox), &Settings::defaults()), None);
    assert!(load(&places(sandbox.root(), &sandbox), &Settings::defaults()).is_some(), "outside the home the walk goes on");
}

#[test]
fn the_nearest_is_the_gates_and_a_parents_constitution_comes_first() {
    let sandbox = full()
        .directory(".git")
        .file("packages/.context/CONSTITUTION.md", "middle rule\n")
        .file("packages/api/.context/CONSTITUTION.md", "api rule\n")
        .file("packages/api/.context/CONVENTIONS.md", "api convention\n")
        .directory("packages/api/src");
    let gate = load(&places(sandbox.path("packages/api/src"), &sandbox), &Settings::defaults()).unwrap();
    let message = gate.message();
    let heads: Vec<_> = message.lines().filter(|line| line.starts_with("--- ")).collect();
    assert_eq!(
        heads,
        [
            "--- ../../.context/CONSTITUTION.md ---",
            "--- ../.context/CONSTITUTION.md ---",
            "--- CONSTITUTION.md ---",
            "--- CONVENTIONS.md ---"
        ]
    );
    assert!(message.contains("Context: 4 files loaded"));
    assert!(!message.contains("convention one"), "only the constitution of a parent holds here");
    let orders: Vec<_> = gate.pieces().iter().map(|piece| piece.order).collect();
    assert!(orders[..3].iter().all(|order| *order == crate::Order::Constitution));
}

#[test]
fn a_directory_without_core_files_does_not_hide_the_one_above() {
    let sandbox = full().directory(".git").file("docs/.context/index.json", "{}");
    let gate = load(&places(sandbox.path("docs"), &sandbox), &Settings::defaults()).unwrap();
    assert_eq!(gate.directory, sandbox.path(".context"));
}
