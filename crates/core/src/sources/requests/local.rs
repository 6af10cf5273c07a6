//! Chooses files for a task without a model: by words, with the same selector as for documents.

use std::path::Path;
use std::sync::Arc;

use super::listing::Listing;
use crate::load::Root;
use crate::select::{Document, Fitted, SearchIndex, Weights};

/// The limits of what is read of the tree: indexing a gigabyte would take too long.
const MAX_FILES: usize = 5000;
const MAX_FILE_BYTES: u64 = 256 * 1024;
const MAX_TOTAL_BYTES: usize = 32 * 1024 * 1024;

/// Returns the listed files that match the task, best first and at most `limit`; none if nothing matches.
///
/// A request for files should return some. So, unlike for a message, files that match the task only loosely are still
/// chosen.
pub fn choose(task: &str, listing: &Listing, limit: usize) -> Vec<String> {
    let root = Root::open(listing.dir());
    let read = |path: &String| root.as_ref().ok()?.open_file(Path::new(path)).ok()?.text(MAX_FILE_BYTES).ok();
    let mut total = 0;
    let mut documents = Vec::new();
    for path in listing.paths().iter().take(MAX_FILES) {
        // A file that cannot be read may still match by its name.
        let text = if total < MAX_TOTAL_BYTES { read(path).unwrap_or_default() } else { String::new() };
        total += text.len();
        documents.push(Document { id: path.clone(), path: path.clone(), text, ..Document::default() });
    }
    let index = SearchIndex::from_bytes(SearchIndex::build(&documents)).expect("a search file that was just built can be opened");
    let anything = Fitted { needed: 0.0, ..Fitted::default() };
    let loose = Weights { fitted: Arc::new(anything), ..Weights::default() };
    let Ok(selection) = index.query_with(task, limit, 0, &loose) else { return Vec::new() };
    selection
        .candidates
        .into_iter()
        .filter(|ranked| ranked.score >= selection.cut && ranked.words > 0.0)
        .take(limit)
        .map(|ranked| ranked.path)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;
    use crate::sources::files::Rules;

    fn chosen(task: &str, files: &[(&str, &str)]) -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let listing = Listing::of(dir.path(), None, &[], &Rules::settle(&Settings::defaults(), &[], &[], None).unwrap());
        choose(task, &listing, 3)
    }

    const FILES: &[(&str, &str)] = &[
        ("docs/retries.md", "# Retries\n\nEvery failed call is retried with exponential backoff.\n"),
        ("src/http/backoff.rs", "// Exponential backoff between retries of a call.\nfn delay() {}\n"),
        ("src/billing/invoice.rs", "// Invoices and their numbers.\nfn number() {}\n"),
        ("docs/style.md", "# Style\n\nShort sentences.\n"),
    ];

    #[test]
    fn files_about_the_task_are_chosen_and_others_are_not() {
        let files = chosen("change the exponential backoff of retries", FILES);
        assert!(files.iter().any(|path| path == "docs/retries.md") && files.iter().any(|path| path == "src/http/backoff.rs"), "{files:?}");
        assert!(!files.iter().any(|path| path == "docs/style.md"), "{files:?}");
        assert_eq!(chosen("invoice numbers", FILES)[0], "src/billing/invoice.rs");
    }

    #[test]
    fn a_task_without_a_match_gets_no_files() {
        assert!(chosen("xylophone zeppelin", FILES).is_empty());
        assert!(chosen("", FILES).is_empty());
        assert!(chosen("anything", &[]).is_empty());
    }
}
