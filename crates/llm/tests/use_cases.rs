//! Runs the example with and without a model.

use std::fs;

use briefing_llm::gather::Round;

#[path = "../examples/gather.rs"]
#[allow(dead_code, unreachable_pub, reason = "an example is a program")]
mod gather;

#[test]
fn gather_chooses_files_for_a_task() {
    let project = tempfile::tempdir().unwrap();
    fs::write(project.path().join("retry.rs"), "// Every failed call is retried with exponential backoff.\n").unwrap();
    fs::write(project.path().join("invoice.rs"), "// Invoices and their numbers.\n").unwrap();
    let text = gather::files(project.path(), "retry a failed call", None).unwrap();
    assert!(text.contains("### retry.rs") && !text.contains("### invoice.rs"), "{text}");
    let mut model = |_: &Round<'_>| Ok(r#"{"files":["invoice.rs"],"done":true}"#.to_owned());
    let text = gather::files(project.path(), "retry a failed call", Some(&mut model)).unwrap();
    assert!(text.contains("### invoice.rs") && !text.contains("### retry.rs"), "{text}");
}
