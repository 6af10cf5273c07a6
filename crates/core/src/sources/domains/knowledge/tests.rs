use proptest::prelude::*;

use super::*;

const ENTRY: &str = "## 2026-01-14 - First\n**Type:** decision\n**Topics:** auth, api\n\nbody\n";

fn titles(text: &str) -> Vec<&str> {
    let knowledge = Knowledge::parse(text);
    assert_eq!(knowledge.print(), text);
    knowledge.entries.iter().map(|entry| entry.title).collect()
}

#[test]
fn entries_as_the_tool_writes_them() {
    let text = format!(
        "---\ntype: knowledge\n---\n\n# Knowledge\n\n---\n\n{ENTRY}\n---\n\n## 2026-01-15 - Second\n**Type:** rule\n**Topics:** ui\n\nmore"
    );
    let knowledge = Knowledge::parse(&text);
    assert_eq!(knowledge.print(), text);
    let [first, second] = &knowledge.entries[..] else { panic!("{knowledge:?}") };
    assert_eq!((first.date, first.title, first.kind(), first.body), (Some("2026-01-14"), "First", "decision", "body"));
    assert_eq!(first.topics, ["auth", "api"]);
    assert_eq!(first.text, ENTRY.trim_end());
    assert_eq!((second.kind(), second.body), ("rule", "more"));
    assert_eq!(knowledge.topics().into_iter().collect::<Vec<_>>(), [("api", 1), ("auth", 1), ("ui", 1)]);
}

#[test]
fn a_rule_inside_a_body_does_not_cut_it() {
    let text = format!("# Knowledge\n\n---\n\n{ENTRY}\n---\n\nstill the first\n\n---\n\n## 2026-01-15 - Second\n\nbody\n");
    assert_eq!(titles(&text), ["First", "Second"]);
    assert!(Knowledge::parse(&text).entries[0].body.ends_with("still the first"));
}

#[test]
fn a_separator_inside_a_fence_does_not_cut_the_body() {
    let text = format!("---\n\n{ENTRY}\n```\n---\n\n## 2026-01-15 - Example\n**Type:** x\n```\nafter\n");
    assert_eq!(titles(&text), ["First"]);
    assert!(Knowledge::parse(&text).entries[0].body.ends_with("after"));
}

#[test]
fn an_unclosed_fence_swallows_no_entry() {
    let text = format!("---\n\n{ENTRY}\n```rust\nfn\n\n---\n\n## 2026-01-15 - Second\n**Type:** fact\n\nbody\n");
    assert_eq!(titles(&text), ["First", "Second"]);
}

#[test]
fn crlf_and_a_byte_order_mark_change_nothing() {
    let text = format!("\u{FEFF}---\ntype: knowledge\n---\n# Knowledge\n\n---\n\n{ENTRY}\n---\n\n## Second\n\nbody").replace('\n', "\r\n");
    assert_eq!(titles(&text), ["First", "Second"]);
    let knowledge = Knowledge::parse(&text);
    assert_eq!((knowledge.entries[0].kind(), knowledge.entries[0].body), ("decision", "body"));
    assert_eq!(knowledge.entries[0].topics, ["auth", "api"]);
}

#[test]
fn headings_inside_a_body_are_not_entries() {
    let text = format!("---\n\n{ENTRY}\n## Summary\n\nx\n\n## 2026-02-02 in a body\n\ny\n");
    assert_eq!(titles(&text), ["First"]);
}

#[test]
fn an_entry_written_by_hand_without_separator_is_found() {
    let text = format!("# Knowledge\n{ENTRY}{ENTRY}## Third\n**Type:** fact\n**Topics:** x\nbody\n");
    assert_eq!(titles(&text), ["First", "First", "Third"]);
    assert_eq!(titles("# Notes\n## One\na\n## Two\nb\n"), ["One", "Two"]);
}

#[test]
fn entries_without_date_type_or_topics_are_entries() {
    let text = "---\n\n## Only a title\n\nbody\n\n---\n\n## 2026-01-02 - No type\n\n**Topics:** x\n\n---\n## No body\n";
    assert_eq!(titles(text), ["Only a title", "No type", "No body"]);
    let knowledge = Knowledge::parse(text);
    assert_eq!(knowledge.entries[0].kind(), "context");
    assert_eq!(knowledge.entries[1].topics, ["x"]);
    assert_eq!(knowledge.entries[2].body, "");
}

#[test]
fn an_entry_that_talks_about_front_matter_is_not_lost() {
    let text = format!("# Knowledge\n\n---\n\n{ENTRY}created: and type: are keys\n");
    assert_eq!(titles(&text), ["First"]);
}

#[test]
fn the_first_version_of_the_format_is_read() {
    let text = "---\ntype: memory\n---\n\n## 2025-12-30T13:52:11.000Z\nOne.\n\n## 2025-12-31T09:00:00.000Z\nTwo.\n";
    let knowledge = Knowledge::parse(text);
    assert_eq!(knowledge.entries.len(), 2);
    assert_eq!(knowledge.entries[1].date, Some("2025-12-31"));
    assert_eq!(knowledge.entries[1].body, "Two.");
}

#[test]
fn empty_and_odd_files_have_no_entries() {
    for text in ["", "\n", "---", "---\n---\n", "# Knowledge", "\u{FEFF}", "##", "## "] {
        assert_eq!(Knowledge::parse(text).print(), text);
        assert!(Knowledge::parse(text).entries.len() <= 1, "{text:?}");
    }
}

#[test]
fn a_topic_matches_exactly_first_then_in_part_and_never_the_title() {
    let entry =
        |title: &str, topics: &str| format!("\n---\n\n## 2026-01-01 - {title}\n**Type:** fact\n**Topics:** {topics}\n\nauth in the body\n");
    let text = [entry("Auth in the title", "ui"), entry("Exact", "auth"), entry("Part", "oauth2")].concat();
    let knowledge = Knowledge::parse(&text);
    let about = |topic: &str| knowledge.about(topic).iter().map(|entry| entry.title).collect::<Vec<_>>();
    assert_eq!(about("AUTH"), ["Exact"]);
    assert_eq!(about("oauth"), ["Part"]);
    assert_eq!(about("title"), Vec::<&str>::new());
    assert_eq!(about(" "), Vec::<&str>::new());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn printing_what_was_parsed_gives_the_same_bytes(lines in proptest::collection::vec(prop_oneof![
        Just("---".to_owned()), Just(String::new()), Just("```".to_owned()), Just("~~~~ x".to_owned()), Just("<!--".to_owned()), Just("-->".to_owned()),
        Just("## 2026-01-14 - Title".to_owned()), Just("## Title".to_owned()), Just("# Knowledge".to_owned()),
        Just("**Type:** rule".to_owned()), Just("**Topics:** a, b".to_owned()), Just("updated: x".to_owned()), ".{0,20}",
    ], 0..24), ending in prop_oneof![Just("\n"), Just("\r\n")], has_mark: bool, has_last: bool) {
        let mut text = lines.join(ending);
        if has_last { text.push_str(ending); }
        if has_mark { text.insert(0, '\u{FEFF}'); }
        let knowledge = Knowledge::parse(&text);
        prop_assert_eq!(knowledge.print(), text.as_str());
        // Each block begins where the previous one ends, so that blocks do not overlap.
        let mut at = 0;
        for block in &knowledge.blocks {
            prop_assert_eq!(block.range.start, at);
            at = block.range.end;
        }
        prop_assert_eq!(at, text.len());
    }

    #[test]
    fn any_text_at_all_survives(text in "(?s).{0,300}") {
        prop_assert_eq!(Knowledge::parse(&text).print(), text.as_str());
    }
}
