//! Runs the library's example: a program other than `brief` delivers what is due exactly once.

#[path = "../examples/due.rs"]
#[allow(dead_code, unreachable_pub, reason = "an example is a program")]
mod due;

#[test]
fn a_program_gets_what_is_due_exactly_once() {
    let (project, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::create_dir_all(project.path().join(".megg")).unwrap();
    std::fs::write(project.path().join(".megg/info.md"), "# Shop\n\nSells things.\n").unwrap();
    let first = due::say(project.path(), home.path(), "hello", "1");
    assert!(first.contains("=== brief: ") && first.contains("Sells things."), "{first}");
    assert_eq!(due::say(project.path(), home.path(), "hello again", "2"), "");
    std::fs::write(project.path().join(".megg/info.md"), "# Shop\n\nSells nothing.\n").unwrap();
    let other = tempfile::tempdir().unwrap();
    assert!(due::say(project.path(), other.path(), "hello", "1").contains("Sells nothing."), "another ledger, another window");
}
