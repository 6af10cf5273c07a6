//! One test per line of the spec's message format, edge cases and unit-test list.

use super::*;
use crate::candidate::Candidate;
use crate::piece::Order;
use crate::sources::gate::{bring, entries};

#[test]
fn the_message_format_to_the_letter() {
    let rule = "=".repeat(80);
    let expected = format!(
        "PROJECT CONTEXT (auto-loaded by system hook — already in your context window)\n{rule}\n\n\
         --- CONSTITUTION.md ---\n# Constitution\nrule one\n\n\n\
         --- CONVENTIONS.md ---\n# Conventions\nconvention one\n\n\n\
         --- ARCHITECTURE.md ---\n# Architecture\nmap one\n\n\n\
         --- AGENT_PLAYBOOK.md ---\n# Playbook\nplay one\n\n\n\
         --- DECISIONS.md (index — read full entries by date when relevant) ---\n\
         | Date | Decision |\n|------|--------|\n| 2026-01-02 | Use X |\n\n\
         --- LEARNINGS.md (index — read full entries by date when relevant) ---\n\
         | Date | Learning |\n|------|--------|\n| 2026-01-03 | Beware |\n\n\
         {rule}\nContext: 6 files loaded (~56 tokens). Order follows config.FileReadOrder.\n\n\
         TASKS.md contains the project's prioritized work items. Read it when\n\
         discussing priorities, picking up work, or when the user asks about tasks.\n\n\
         For full decision or learning details, read the entry in DECISIONS.md or\n\
         LEARNINGS.md by timestamp.\n"
    );
    assert_eq!(loaded(&full()).message(), expected);
}

#[test]
fn the_pieces_concatenated_are_the_message_and_the_constitution_leads() {
    let sandbox = full();
    let gate = loaded(&sandbox);
    let brought = bring(&places(sandbox.root(), &sandbox), &Settings::defaults());
    let texts: String = brought.pieces.iter().map(|piece| piece.text.as_str()).collect();
    let (files, notes) = texts.split_at(texts.rfind("\nTASKS.md contains").unwrap());
    let count = super::super::footer(gate.files(), gate.tokens());
    assert_eq!(format!("{}{files}{count}{notes}", super::super::banner()), gate.message());
    assert_eq!(brought.pieces[0].order, Order::Constitution);
    assert!(brought.pieces[1..].iter().all(|piece| piece.order == Order::Gate));
    assert!(brought.pieces[4].id.ends_with("/.context/DECISIONS.md#index"), "{}", brought.pieces[4].id);
}

#[test]
fn context_not_initialized_is_silent() {
    assert_eq!(gate_of(&Sandbox::new()), None);
    assert_eq!(gate_of(&Sandbox::new().directory(".context")), None);
    assert_eq!(gate_of(&Sandbox::new().file(".context/index.json", "{}").file(".context/notes.md", "x")), None);
}

#[test]
fn a_glossary_alone_has_nothing_to_say() {
    assert_eq!(gate_of(&Sandbox::new().file(".context/GLOSSARY.md", "words")), None);
}

#[test]
fn cannot_read_context_is_silent() {
    let sandbox = Sandbox::new().file(".context", "a file, not a directory");
    assert_eq!(gate_of(&sandbox), None);
}

#[test]
fn verbatim_files_present() {
    let message = loaded(&full()).message();
    for content in ["# Constitution\nrule one\n", "# Conventions\nconvention one\n", "# Architecture\nmap one\n", "# Playbook\nplay one\n"]
    {
        assert!(message.contains(content), "{content}");
    }
}

#[test]
fn index_only_files_show_index_table_not_full_content() {
    let message = loaded(&full()).message();
    assert!(message.contains("| 2026-01-02 | Use X |") && message.contains("| 2026-01-03 | Beware |"));
    assert!(!message.contains("long decision body") && !message.contains("long learning body"));
}

#[test]
fn tasks_not_in_content_mentioned_in_footer_only() {
    let message = loaded(&full()).message();
    assert!(!message.contains("secret task words") && !message.contains("--- TASKS.md"));
    assert!(message.contains("TASKS.md contains the project's prioritized work items."));
    let without = loaded(&Sandbox::new().file(".context/CONSTITUTION.md", "x")).message();
    assert!(!without.contains("TASKS.md"), "mentioned only if it exists");
}

#[test]
fn glossary_not_in_output() {
    let message = loaded(&full()).message();
    assert!(!message.contains("glossary words") && !message.contains("GLOSSARY"));
}

#[test]
fn missing_file_other_files_still_injected() {
    let sandbox = full();
    std::fs::remove_file(sandbox.path(".context/CONVENTIONS.md")).unwrap();
    std::fs::remove_file(sandbox.path(".context/CONSTITUTION.md")).unwrap();
    let gate = loaded(&sandbox);
    assert_eq!(gate.files(), 4);
    assert!(gate.message().starts_with("PROJECT CONTEXT"));
    assert!(!gate.message().contains("CONVENTIONS.md"));
    assert_eq!(gate.left_out, []);
}

#[test]
fn a_context_file_is_empty() {
    let gate = loaded(&Sandbox::new().file(".context/CONSTITUTION.md", "").file(".context/DECISIONS.md", "\n"));
    assert!(gate.message().contains("--- CONSTITUTION.md ---\n(empty)\n\n"), "{}", gate.message());
    assert!(gate.message().contains("when relevant) ---\n(empty)\n\n"));
    assert!(gate.message().contains("Context: 2 files loaded (~1 tokens)"), "an empty file counts as loaded: {}", gate.message());
}

#[test]
fn no_index_markers_computed_from_headings() {
    let gate = loaded(&Sandbox::new().file(".context/DECISIONS.md", "# D\n\n## [2026-01-02-030405] Use X\n\nbody\n"));
    assert!(gate.message().contains("| 2026-01-02 | Use X |"));
}

#[test]
fn no_index_markers_and_no_headings_include_full_file_as_fallback() {
    let gate = loaded(&Sandbox::new().file(".context/DECISIONS.md", "# D\n\nWe use X because of Y.\n"));
    assert!(gate.message().contains("We use X because of Y."));
    assert!(reasons(&gate)[0].contains("it is shown in full"));
}

#[test]
fn index_extraction_finds_no_content() {
    let gate =
        loaded(&Sandbox::new().file(".context/LEARNINGS.md", "# L\n\n<!-- INDEX:START -->\n<!-- INDEX:END -->\n\n<!-- add here -->\n"));
    assert!(gate.message().contains("when relevant) ---\n(no index entries)\n\n"), "{}", gate.message());
    assert_eq!(gate.tokens(), 5);
}

#[test]
fn token_count_in_footer_matches_heuristic_estimate() {
    let sandbox = Sandbox::new().file(".context/CONSTITUTION.md", "12345").file(".context/CONVENTIONS.md", "é");
    assert!(loaded(&sandbox).message().contains("Context: 2 files loaded (~3 tokens)."), "(5+3)/4 + (2+3)/4");
}

#[test]
fn total_injection_exceeds_15k_tokens_inject_anyway() {
    let gate = loaded(&Sandbox::new().file(".context/ARCHITECTURE.md", "a".repeat(60_001)));
    assert_eq!(
        super::super::message::summary(gate.files(), gate.tokens()),
        "context-load-gate: injected 1 files (~15001 tokens) — over 15000"
    );
    assert!(gate.message().contains(&"a".repeat(60_001)));
    assert!(reasons(&gate)[0].contains("more than 15000"));
    let gate = loaded(&Sandbox::new().file(".context/ARCHITECTURE.md", "a".repeat(60_000)));
    assert_eq!(super::super::message::summary(gate.files(), gate.tokens()), "context-load-gate: injected 1 files (~15000 tokens)");
}

#[test]
fn other_names_are_served_by_the_settings() {
    let sandbox = full()
        .file(".context/RUNBOOK.md", "run\n")
        .file(".context/GOTCHAS.md", "## [2026-01-01-000000] G\n")
        .file(".context/STATE.md", "s");
    let settings = settings(
        "[gate.files]\n\"RUNBOOK.md\" = \"verbatim\"\n\"GOTCHAS.md\" = \"index\"\n\"STATE.md\" = \"mention\"\n\"TASKS.md\" = \"skip\"\n",
    );
    let message = load(&places(sandbox.root(), &sandbox), &settings).unwrap().message();
    assert!(message.find("--- AGENT_PLAYBOOK.md").unwrap() < message.find("--- RUNBOOK.md ---\nrun\n").unwrap());
    assert!(message.contains("| Date | Entry |\n|------|--------|\n| 2026-01-01 | G |"));
    assert!(message.contains("\nAlso in .context/, to be read when needed: STATE.md.\n"));
    assert!(!message.contains("TASKS.md"));
    let only = Sandbox::new().file(".context/RUNBOOK.md", "run\n");
    assert!(load(&places(only.root(), &only), &settings).is_some(), "a project with other names is initialised too");
    assert_eq!(gate_of(&only), None);
}

#[test]
fn entries_of_index_only_files_are_candidates() {
    let sandbox = full();
    let mut notes = Vec::new();
    let found = entries(&places(sandbox.root(), &sandbox), &Settings::defaults(), &mut notes);
    let name = |entry: &Candidate| entry.id().strip_prefix(&sandbox.root().join(".context/").display().to_string()).map(str::to_owned);
    let names: Vec<_> = found.iter().map(|entry| (name(entry).unwrap(), entry.title(), entry.about.text())).collect();
    assert_eq!(
        names,
        [
            ("DECISIONS.md#2026-01-02-030405-use-x".into(), "Use X", "## [2026-01-02-030405] Use X\n\nlong decision body"),
            ("LEARNINGS.md#2026-01-03-030405-beware".into(), "Beware", "## [2026-01-03-030405] Beware\n\nlong learning body")
        ]
    );
    assert_eq!(notes, []);
}
