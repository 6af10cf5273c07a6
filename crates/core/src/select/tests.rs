//! Properties of the whole selector on a small, made-up handbook.

use proptest::prelude::*;

use super::{Abstention, Document, Field, SearchFileError, SearchIndex, Verdict, Wanted, Weights};

fn page(path: &str, title: &str, text: &str) -> Document {
    Document {
        id: path.to_owned(),
        path: path.to_owned(),
        title: title.to_owned(),
        text: format!("# {title}\n\n{text}\n"),
        hash: text.len().to_string(),
        ..Document::default()
    }
}

fn handbook() -> Vec<Document> {
    let mut pages = vec![
        page(
            "docs/deploy.md",
            "Deploying to production",
            "Releases are rolled out to the cluster with a canary. The rollout pauses after ten percent of the traffic \
             and continues when the error budget holds.\n\n## Rolling back\n\nA rollback puts the previous image of the \
             release back and drains the canary. Set `rollout.maxSurge` in `deploy.yaml` to limit the surge.",
        ),
        page(
            "docs/auth.md",
            "Authentication and tokens",
            "Users sign in with a session cookie. Services use bearer tokens, which expire after an hour and are \
             refreshed by the gateway and/or re-run; double-check yes/no. Error AUTH-4012 means that the clock of the caller is wrong.",
        ),
        page(
            "docs/database.md",
            "Database migrations",
            "Migrations are SQL files, applied in order inside a transaction. A migration that locks a large table \
             must be split. Run `make migrate` before the service starts.",
        ),
        page("docs/設定.md", "設定ファイル", "設定ファイルは起動時に読み込まれます。キャッシュの大きさを変更できます。"),
    ];
    for (name, words) in [
        ("logging", "structured log records with levels and sinks"),
        ("metrics", "counters and histograms are scraped every minute"),
        ("frontend", "components are rendered in the browser with a bundler"),
        ("billing", "invoices are created at the end of the month"),
        ("search", "the index of products is refreshed every night"),
    ] {
        pages.push(page(&format!("docs/{name}.md"), name, words));
    }
    pages
}

fn index() -> SearchIndex {
    SearchIndex::from_bytes(SearchIndex::build(&handbook())).unwrap()
}

fn best(message: &str) -> Option<String> {
    index().query(message, 5).unwrap().chosen().next().map(|ranked| ranked.id.clone())
}

#[test]
fn finds_the_page_a_message_is_about() {
    for (message, expected) in [
        ("how do I roll back the canary release when the error budget is gone?", "docs/deploy.md"),
        ("the migration locks a large table, split it into two SQL transactions", "docs/database.md"),
        ("services get AUTH-4012 from the gateway with fresh bearer tokens", "docs/auth.md"),
        ("set maxSurge of the rollout in deploy.yaml so that the surge is limited", "docs/deploy.md"),
        ("設定ファイルのキャッシュの大きさを変更したい", "docs/設定.md"),
    ] {
        assert_eq!(best(message).as_deref(), Some(expected), "{message}");
    }
}

#[test]
fn small_talk_selects_nothing() {
    let index = index();
    for message in ["yes", "ok, continue", "run the tests again", "thanks, looks good!", "why did that fail?", "do it", "👍", "..."] {
        let selection = index.query(message, 5).unwrap();
        assert_eq!(selection.chosen().count(), 0, "{message}");
        assert!(selection.abstained.is_some(), "{message}");
    }
    let machine = index.query("<task-notification>the canary rollout of the release is done</task-notification>", 5).unwrap();
    assert_eq!(machine.abstained, Some(Abstention::NotTheUser));
}

#[test]
fn a_message_that_names_a_document_selects_only_that_one() {
    let index = index();
    for message in [
        "what does `docs/auth.md` say?",
        "read auth.md",
        "summarize /home/me/shop/docs/AUTH.md:12 for me",
        "look at @docs/auth.md",
        "docs/auth.md:12:5 MD013",
    ] {
        let chosen: Vec<String> = index.query(message, 5).unwrap().chosen().map(|ranked| ranked.id.clone()).collect();
        assert_eq!(chosen, ["docs/auth.md"], "{message}");
    }
    for other in ["read other.md", "fetch https://example.org/x/docs/auth.md", "delete /var/x/node_modules/y/auth.md"] {
        assert_eq!(best(other), None, "{other}");
    }
    let both = index.query("how do I roll back the canary release when the error budget is gone? auth.md did not say", 5).unwrap();
    let chosen: Vec<&str> = both.chosen().map(|ranked| ranked.id.as_str()).collect();
    assert_eq!(chosen[..2], ["docs/auth.md", "docs/deploy.md"], "a name takes nothing away from what fits");
    let named_first =
        index.query("does the rollback of a canary release in deploy.md need what auth.md says of expired tokens?", 5).unwrap();
    let chosen: Vec<&str> = named_first.chosen().map(|ranked| ranked.id.as_str()).collect();
    assert!(chosen[..2].contains(&"docs/auth.md") && chosen[..2].contains(&"docs/deploy.md"), "{chosen:?}");
}

#[test]
fn a_rare_identifier_points_at_its_document() {
    assert_eq!(best("what is `rollout.maxSurge`?").as_deref(), Some("docs/deploy.md"));
    assert_eq!(best("AUTH-4012").as_deref(), Some("docs/auth.md"));
    for said in ["now v2", "ok, double-check it", "re-run it", "yes/no", "and/or whatever"] {
        assert_eq!(best(said), None, "{said}");
    }
}

#[test]
fn says_which_words_matched_where_and_which_section_is_best() {
    let selection = index().query("how do I roll back the canary release when the error budget is gone?", 2).unwrap();
    let first = selection.chosen().next().unwrap();
    let word = first.matches.iter().find(|found| found.word == "canary").unwrap();
    assert_eq!(word.fields, [Field::Body]);
    assert!(!first.sections.is_empty());
    assert!(first.sections.windows(2).all(|pair| pair[0].score >= pair[1].score));
    let text = &handbook()[0].text;
    assert!(first.sections.iter().all(|section| text.get(section.range.clone()).is_some()));
    assert!(selection.candidates.iter().skip(2).all(|ranked| ranked.verdict != Verdict::Chosen));
}

#[test]
fn order_of_documents_does_not_matter() {
    let pages = handbook();
    let reversed: Vec<Document> = pages.iter().rev().cloned().collect();
    assert_eq!(SearchIndex::build(&pages), SearchIndex::build(&reversed));
}

#[test]
fn a_file_is_valid_only_for_its_documents() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("search");
    let mut pages = handbook();
    std::fs::write(&path, SearchIndex::build(&pages)).unwrap();
    let fingerprint = |pages: &[Document]| Wanted::new(pages.iter().map(|page| (page.id.as_str(), Some(page.hash.as_str())))).fingerprint();
    let index = SearchIndex::open(&path, &fingerprint(&pages)).unwrap();
    assert_eq!(index.documents(), pages.len());
    assert_eq!(
        index.query("split the SQL migration that locks a large table", 3).unwrap(),
        self::index().query("split the SQL migration that locks a large table", 3).unwrap()
    );
    pages[0].hash.push('x');
    assert!(matches!(SearchIndex::open(&path, &fingerprint(&pages)), Err(SearchFileError::Stale)));
    std::fs::write(&path, "something else").unwrap();
    assert!(matches!(SearchIndex::open(&path, &fingerprint(&pages)), Err(SearchFileError::Corrupt(_))));
    assert!(SearchIndex::open(directory.path(), &fingerprint(&pages)).is_err());
}

#[test]
fn an_empty_index_selects_nothing() {
    let index = SearchIndex::from_bytes(SearchIndex::build(&[])).unwrap();
    let selection = index.query("how do I roll back the canary release?", 5).unwrap();
    assert_eq!(selection.abstained, Some(Abstention::NoMatch));
}

#[test]
fn one_document_is_enough() {
    let index = SearchIndex::from_bytes(SearchIndex::build(&handbook()[..1])).unwrap();
    let count = |message: &str| index.query(message, 5).unwrap().chosen().count();
    assert_eq!(count("how do I roll back the canary release when the error budget is gone?"), 1);
    assert_eq!(count("run the tests again"), 0);
    assert_eq!(count("what should I cook for dinner tonight?"), 0);
}

#[test]
fn a_truncated_file_is_refused() {
    let bytes = SearchIndex::build(&handbook());
    for keep in [0, 7, 60, 200, 1000, bytes.len() - 1] {
        assert!(SearchIndex::from_bytes(bytes[..keep].to_vec()).is_err(), "{keep}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_is_answered_and_always_alike(message: String, limit in 0usize..9) {
        let index = index();
        let first = index.query(&message, limit).unwrap();
        prop_assert!(first.chosen().count() <= limit);
        prop_assert_eq!(first, index.query(&message, limit).unwrap());
    }

    #[test]
    fn any_documents_can_be_built(texts in proptest::collection::vec(any::<String>(), 0..6)) {
        let pages: Vec<Document> = texts.iter().map(|text| page(text, text, text)).collect();
        let index = SearchIndex::from_bytes(SearchIndex::build(&pages)).unwrap();
        for text in &texts {
            index.query(text, 3).unwrap();
        }
    }

    #[test]
    fn a_damaged_file_is_an_error_or_makes_no_difference(at in 0usize..1_000_000, bit in 0u32..8) {
        let message = "roll back the canary release of the rollout, AUTH-4012";
        let mut bytes = SearchIndex::build(&handbook());
        let at = at % bytes.len();
        bytes[at] ^= 1 << bit;
        if let Ok(found) = SearchIndex::from_bytes(bytes).and_then(|index| index.query_with(message, 5, 9, &Weights::default())) {
            prop_assert_eq!(found, index().query_with(message, 5, 9, &Weights::default()).unwrap());
        }
    }
}
