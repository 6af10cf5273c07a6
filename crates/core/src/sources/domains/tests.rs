//! The pieces and entries of domains, in real directories.

use std::fs;
use std::path::Path;

use jiff::Timestamp;

use super::*;
use crate::piece::Order;

const READING: Reading<'_> = Reading { redacts: true, links: None };

fn now() -> Timestamp {
    "2026-11-15T12:00:00Z".parse().unwrap()
}

fn write(root: &Path, name: &str, text: &str) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn entries_text(count: usize, body: &str) -> String {
    let entry = |at: usize| format!("\n---\n\n## 2026-01-01 - Title {}\n**Type:** rule\n**Topics:** t{at}\n\n{body}\n", at % 2);
    (0..count).map(entry).collect()
}

#[test]
fn a_session_gets_chain_state_knowledge_and_navigation_with_stable_texts() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    write(root, ".megg/info.md", "---\nupdated: 2026-01-01\n---\n# Top");
    write(root, "a/.megg/info.md", "# A");
    write(root, "a/.megg/knowledge.md", &entries_text(1, "body"));
    write(root, "a/.megg/state.md", "---\nupdated: 2026-11-15T10:00:00Z\nstatus: active\n---\nNext: tests");
    let brought = bring(&root.join("a/src"), now(), READING);
    let own = |id: &str| id.strip_prefix(root.to_str().unwrap()).unwrap_or(id).to_owned();
    let pieces: Vec<_> = brought.pieces.iter().map(|piece| (own(&piece.id), piece.order, piece.text.as_str())).collect();
    assert_eq!(pieces.len(), 5, "{pieces:#?}");
    assert_eq!(pieces[0].0, "/.megg/info.md");
    assert_eq!(
        pieces[0].2,
        format!(
            "> The info.md of `{}` was last updated on 2026-01-01: check that it is still true.\n\n# Top",
            root.file_name().unwrap().to_str().unwrap()
        )
    );
    assert_eq!((&*pieces[1].0, pieces[1].1, pieces[1].2), ("/a/.megg/info.md", Order::Chain, "# A"));
    assert_eq!(
        (&*pieces[2].0, pieces[2].1, pieces[2].2),
        ("/a/.megg/state.md", Order::State, "Hand-off of the session before, updated 2026-11-15T10:00:00Z:\n\nNext: tests")
    );
    assert_eq!((&*pieces[3].0, pieces[3].1), ("/a/.megg/knowledge.md", Order::Knowledge));
    assert_eq!((&*pieces[4].0, pieces[4].1), ("/a/.megg#around", Order::Knowledge));
    let later = bring(&root.join("a/src"), "2026-11-16T09:30:00Z".parse().unwrap(), READING);
    assert_eq!(later, brought, "the same files give the same bytes");
}

#[test]
fn a_summary_and_a_blocked_file_have_identities_of_their_own() {
    let dir = tempfile::tempdir().unwrap();
    for (tokens, end) in [(9_000, "knowledge.md#summary"), (17_000, "knowledge.md#blocked")] {
        write(dir.path(), ".megg/knowledge.md", &entries_text(2, &"x".repeat(tokens * 2)));
        let brought = bring(dir.path(), now(), READING);
        assert!(brought.pieces[0].id.ends_with(end), "{brought:?}");
        assert!(!brought.pieces[0].text.contains("xxxx"));
    }
}

#[test]
fn nothing_is_brought_where_there_is_no_domain() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(bring(dir.path(), now(), READING).pieces, []);
    assert_eq!(entries(dir.path(), READING, &mut Vec::new()), []);
}

#[test]
fn entries_of_a_large_file_are_candidates_and_of_a_small_one_are_not() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), ".megg/knowledge.md", &entries_text(3, "small"));
    assert_eq!(entries(dir.path(), READING, &mut Vec::new()), []);
    write(dir.path(), ".megg/knowledge.md", &entries_text(3, &"words ".repeat(3_000)));
    let candidates = entries(&dir.path().join("src/main.rs"), READING, &mut Vec::new());
    let names: Vec<_> = candidates.iter().map(|candidate| candidate.id().rsplit_once('#').unwrap().1).collect();
    assert_eq!(names, ["2026-01-01-title-0", "2026-01-01-title-1", "2026-01-01-title-0-2"]);
    let first = &candidates[0];
    assert_eq!((first.title(), &first.about.tags[..]), ("Title 0", &["t0".to_owned()][..]));
    assert!(first.about.text().starts_with("## 2026-01-01 - Title 0\n") && first.about.text().contains("words words"));
    write(dir.path(), ".megg/knowledge.md", &"x".repeat(5_000_000));
    let mut notes = Vec::new();
    assert_eq!(entries(dir.path(), READING, &mut notes), []);
    assert!(notes[0].reason.contains("too many to search"), "{notes:?}");
}
