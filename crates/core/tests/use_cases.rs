//! The examples run, on a small project: every use case is a function of the library.

use std::fs;
use std::path::Path;

#[path = "../examples/context.rs"]
#[allow(dead_code, unreachable_pub, reason = "an example is a program")]
mod context;
#[path = "../examples/gate.rs"]
#[allow(dead_code, unreachable_pub, reason = "an example is a program")]
mod gate;
#[path = "../examples/pack.rs"]
#[allow(dead_code, unreachable_pub, reason = "an example is a program")]
mod pack;
#[path = "../examples/read.rs"]
#[allow(dead_code, unreachable_pub, reason = "an example is a program")]
mod read;
#[path = "../examples/select.rs"]
#[allow(dead_code, unreachable_pub, reason = "an example is a program")]
mod select;

fn project() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (path, text) in [
        ("README.md", "# Shop\n\nSells things.\n"),
        ("docs/retries.md", "# Retries\n\nEvery failed call is retried with exponential backoff.\n"),
        ("docs/billing.md", "# Billing\n\nInvoices are created at the end of the month.\n"),
        ("docs/index.json", r#"{"version":1,"docs":[{"path":"retries.md"},{"path":"billing.md"}]}"#),
        (".megg/info.md", "# Shop\n\nThe domain of the shop.\n"),
        (".context/CONSTITUTION.md", "Never sell at a loss.\n"),
    ] {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    directory
}

#[test]
fn pack_makes_one_document() {
    let document = pack::document(project().path()).unwrap();
    assert!(document.contains("Sells things.") && document.contains("exponential backoff"), "{document}");
    assert!(document.ends_with("4 files\n") && !document.contains("Never sell"), "hidden files stay out: {document}");
}

#[test]
fn select_chooses_what_a_message_is_about() {
    let project = project();
    let chosen = select::paths(project.path(), "how long does the backoff wait before a failed call is retried?").unwrap();
    assert_eq!(chosen, ["docs/retries.md"]);
    assert_eq!(select::paths(project.path(), "thanks!").unwrap(), [""; 0]);
    assert!(select::paths(Path::new("/nonexistent"), "anything").is_err(), "there is no index");
}

#[test]
fn context_tells_about_a_directory() {
    let project = project();
    assert!(context::about(&project.path().join("docs"), None).contains("The domain of the shop."));
}

#[test]
fn gate_loads_the_core_files() {
    let project = project();
    let message = gate::message(&project.path().join("docs")).unwrap();
    assert!(message.contains("--- CONSTITUTION.md ---\nNever sell at a loss.\n"), "{message}");
    assert_eq!(gate::message(Path::new("/nonexistent")), None);
}

#[test]
fn read_stays_in_its_directory() {
    let project = project();
    let text = read::files(&project.path().join("docs"), vec!["billing.md".into(), "../README.md".into()]);
    assert!(text.contains("Invoices are created") && !text.contains("Sells things."), "{text}");
    assert!(text.contains("path is outside the allowed directory"), "{text}");
}
