//! Corpus and documents source on a small handbook.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use super::corpus::{Corpora, Corpus};
use super::failing;
use super::tests::tree;
use super::{IndexFile, Model, SelectRequest, bring, select};
use crate::candidate::Candidate;
use crate::note::NoteKind;
use crate::select::Weights;
use crate::settings::{Layer, LayerKind, Places, Settings};
use crate::{Brought, Failure, Silence};

const DEPLOY: &str = "how do I roll back the canary release when the error budget is gone?";
const DATABASE: &str = "the migration locks a large table, split it into two SQL transactions";

struct Handbook {
    _keep: tempfile::TempDir,
    root: PathBuf,
    settings: String,
}

impl Handbook {
    fn new() -> Self {
        let (keep, root) = tree(&[
            ("brief.toml", ""),
            (
                "docs/deploy.md",
                "---\ntags: [release]\n---\n# Deploying to production\n\nReleases are rolled out to the cluster with a canary. The rollout pauses after \
                 ten percent of the traffic and continues when the error budget holds.\n\n## Rolling back\n\nA rollback puts the \
                 previous image of the release back and drains the canary.\n",
            ),
            (
                "docs/database.md",
                "# Database migrations\n\nMigrations are SQL files, applied in order inside a transaction. A migration that locks a \
                 large table must be split.\n\n## Required reads\n\n- @docs/style.md\n",
            ),
            (
                "docs/style.md",
                "# SQL style\n\nKeywords are written in capitals, one clause a line. Names of tables are plural, names of columns are not, and an alias is a whole word.\n",
            ),
            ("docs/auth.md", "# Authentication\n\nUsers sign in with a session cookie; services use bearer tokens.\n"),
            ("docs/logging.md", "# Logging\n\nStructured log records with levels and sinks.\n"),
            ("docs/metrics.md", "# Metrics\n\nCounters and histograms are scraped every minute.\n"),
            ("docs/billing.md", "# Billing\n\nInvoices are created at the end of the month.\n"),
            (
                "docs/index.json",
                r#"{"version":1,"docs":[{"path":"deploy.md"},{"path":"database.md"},{"path":"style.md"},{"path":"auth.md"},
                {"path":"logging.md"},{"path":"metrics.md"},{"path":"billing.md"}]}"#,
            ),
        ]);
        Self { _keep: keep, root, settings: String::new() }
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn places(&self) -> Places {
        let home = self.root.with_file_name("home");
        Places {
            here: self.root.clone(),
            config: Some(home.join(".config")),
            state: None,
            cache: Some(home.join(".cache")),
            home: Some(home),
        }
    }

    fn settings(&self) -> Settings {
        let user = Layer::from_toml(LayerKind::User, Path::new("brief.toml"), &self.settings);
        Settings::resolve(vec![Layer::defaults(), user]).0
    }

    fn bring_with(&self, message: &str, model: &Model<'_>) -> Brought {
        bring(&SelectRequest { model: Some(model), ..SelectRequest::new(message, &self.places(), &self.settings()) })
    }

    fn bring(&self, message: &str) -> Brought {
        bring(&SelectRequest::new(message, &self.places(), &self.settings()))
    }

    fn corpus(&self) -> Corpus {
        let indexes = [IndexFile::named(self.root.join("docs/index.json"))];
        let cache = self.places().cache;
        Corpus::open(&Corpora { indexes: &indexes, cache: cache.as_deref(), ..Corpora::default() }).unwrap()
    }
}

fn len(corpus: &Corpus) -> usize {
    corpus.query(DEPLOY, 0, 0, &Weights::default()).unwrap().documents
}

fn paths(brought: &Brought) -> Vec<&str> {
    brought.pieces.iter().map(|piece| piece.path.as_str()).collect()
}

#[test]
fn a_message_brings_its_document_and_small_talk_brings_nothing() {
    let handbook = Handbook::new();
    let brought = handbook.bring(DEPLOY);
    assert_eq!(brought.pieces[0].path, "docs/deploy.md");
    assert_eq!(brought.pieces[0].id, handbook.root.join("docs/deploy.md").display().to_string());
    assert!(brought.pieces[0].text.starts_with("# Deploying"), "front matter stays out");
    assert!(brought.pieces[0].reason.to_string().starts_with("matches: "), "{}", brought.pieces[0].reason);
    for quiet in ["yes", "run the tests again", "", "<task-notification>the canary release is rolled back</task-notification>"] {
        let brought = handbook.bring(quiet);
        assert_eq!((&brought.pieces[..], &brought.notes[..]), (&[][..], &[][..]), "{quiet}");
        let why = brought.silence.expect("it knows why");
        assert!(matches!(why, Silence::NothingFits { .. } | Silence::NoMessage), "{quiet}: {why:?}");
    }
}

#[test]
fn a_document_that_could_not_be_read_once_is_found_the_next_time() {
    let handbook = Handbook::new();
    // A file that changed a moment ago is read again in any case.
    std::thread::sleep(std::time::Duration::from_millis(2100));
    let without = failing::during("deploy.md", || handbook.corpus());
    assert_eq!((len(&without), without.unread[0].path.as_str()), (6, "deploy.md"));
    assert_eq!(failing::during("deploy.md", || len(&handbook.corpus())), 6, "and it is said each time");
    assert_eq!(handbook.bring(DEPLOY).pieces[0].path, "docs/deploy.md");
    assert_eq!(len(&handbook.corpus()), 7);
    // What is known of a document that changed stays until it can be read again.
    handbook.write("docs/deploy.md", "# Zeppelins\n\nA zeppelin is moored at the mast in a thunderstorm.\n");
    let behind = failing::during("deploy.md", || handbook.corpus());
    assert_eq!((len(&behind), behind.unread.len()), (7, 1));
    assert_eq!(behind.query(DEPLOY, 5, 0, &Weights::default()).unwrap().chosen().count(), 1);
    let message = "how is the zeppelin moored at the mast in a thunderstorm?";
    assert_eq!(handbook.corpus().query(message, 5, 0, &Weights::default()).unwrap().chosen().count(), 1);
}

#[test]
fn a_document_that_changed_is_found_by_what_it_says_now() {
    let handbook = Handbook::new();
    let message = "how does the zeppelin anchor at the mooring mast in a thunderstorm?";
    assert_eq!(handbook.corpus().query(message, 5, 0, &Weights::default()).unwrap().chosen().count(), 0);
    handbook.write(
        "docs/auth.md",
        "# Zeppelins\n\nA zeppelin is anchored at the mooring mast; in a thunderstorm it is brought into the hangar.\n",
    );
    let found = handbook.corpus().query(message, 5, 0, &Weights::default()).unwrap();
    assert!(found.chosen().next().unwrap().id.ends_with("docs/auth.md"));
    // Same length and same timestamp: only reading reveals the change.
    let text = fs::read_to_string(handbook.root.join("docs/auth.md")).unwrap();
    handbook.write("docs/auth.md", &text.replace("eppelin", "olepine"));
    assert!(
        handbook
            .corpus()
            .query(message, 5, 0, &Weights::default())
            .unwrap()
            .chosen()
            .next()
            .is_none_or(|best| best.matches.iter().all(|m| m.word != "zeppelin"))
    );
    fs::remove_file(handbook.root.join("docs/auth.md")).unwrap();
    let corpus = handbook.corpus();
    assert_eq!((len(&corpus), corpus.unread[0].kind), (6, NoteKind::Missing));
}

#[test]
fn a_damaged_or_missing_cache_costs_nothing_but_time() {
    let handbook = Handbook::new();
    let before = handbook.bring(DEPLOY);
    let search = handbook.places().cache.unwrap().join("brief/search");
    assert_eq!(fs::read_dir(&search).unwrap().count(), 2);
    for file in fs::read_dir(&search).unwrap() {
        fs::write(file.unwrap().path(), "damaged").unwrap();
    }
    assert_eq!(handbook.bring(DEPLOY), before);
    fs::remove_dir_all(&search).unwrap();
    fs::write(&search, "a file where a directory should be").unwrap();
    assert_eq!(handbook.bring(DEPLOY), before);
}

#[test]
fn a_flipped_bit_in_the_cache_changes_no_answer() {
    let handbook = Handbook::new();
    let before = handbook.bring(DEPLOY);
    assert!(!before.pieces.is_empty());
    let search = handbook.places().cache.unwrap().join("brief/search");
    let whole: Vec<(PathBuf, Vec<u8>)> =
        fs::read_dir(&search).unwrap().map(|file| file.unwrap().path()).map(|path| (path.clone(), fs::read(path).unwrap())).collect();
    for (damaged, bytes) in &whole {
        for at in (0..bytes.len()).step_by(bytes.len() / 60) {
            for (path, bytes) in &whole {
                fs::write(path, bytes).unwrap();
            }
            let mut bytes = bytes.clone();
            bytes[at] ^= 16;
            fs::write(damaged, bytes).unwrap();
            assert_eq!(handbook.bring(DEPLOY), before, "{}:{at}", damaged.display());
        }
    }
}

#[test]
fn what_is_required_requires_more_and_circles_end() {
    let mut handbook = Handbook::new();
    handbook.settings = "docs.max_docs = 1".into();
    handbook.write(
        "docs/style.md",
        "# SQL style\n\nKeywords are written in capitals.\n\n## Required reads\n\n- @docs/names.md\n- @docs/types.md\n",
    );
    handbook.write("docs/names.md", "# Names\n\nTables are plural.\n\n## Required reads\n\n- @docs/types.md\n- @docs/database.md\n");
    handbook.write("docs/types.md", "# Types\n\nText has no length.\n\n## Required reads\n\n- @docs/style.md\n- @docs/gone.md\n");
    let brought = handbook.bring(DATABASE);
    assert_eq!(paths(&brought), ["docs/names.md", "docs/types.md", "docs/style.md", "docs/database.md"]);
    assert_eq!(brought.pieces[1].reason.to_string(), "required by docs/style.md");
    // The reason of a document names a required one that has no room.
    handbook.write("docs/types.md", &format!("# Types\n\n{}\n", "Text has no length. ".repeat(1_000)));
    let brought = handbook.bring(DATABASE);
    assert_eq!(paths(&brought), ["docs/names.md", "docs/style.md", "docs/database.md"]);
    assert_eq!(brought.pieces[1].reason.to_string(), "required by docs/database.md; read docs/types.md first");
    // However many are required, only a few are read.
    for number in 0..60 {
        handbook.write(&format!("docs/link{number}.md"), &format!("Required reads\n\n@docs/link{}.md\n", number + 1));
    }
    handbook.write("docs/style.md", "# SQL style\n\n## Required reads\n\n@docs/link0.md\n");
    let brought = handbook.bring(DATABASE);
    assert!(brought.pieces.len() < 30, "{:?}", paths(&brought));
    assert!(brought.notes.iter().any(|note| note.kind == NoteKind::Budget), "the next one is named");
}

#[test]
fn an_index_says_what_is_required_too() {
    let mut handbook = Handbook::new();
    handbook.settings = "docs.max_docs = 1".into();
    handbook.write(
        "docs/index.json",
        r#"{"version":1,"docs":[{"path":"deploy.md","requires":["auth.md"]},{"path":"auth.md","requires":["logging.md"]},
        {"path":"logging.md"},{"path":"metrics.md"},{"path":"billing.md"}]}"#,
    );
    for _ in 0..2 {
        assert_eq!(paths(&handbook.bring(DEPLOY)), ["docs/logging.md", "docs/auth.md", "docs/deploy.md"]);
    }
}

#[test]
fn without_time_the_last_prepared_state_answers() {
    let handbook = Handbook::new();
    let indexes = [IndexFile::named(handbook.root.join("docs/index.json"))];
    let cache = handbook.places().cache;
    let late = || {
        let deadline = Some(std::time::Instant::now());
        Corpus::open(&Corpora { indexes: &indexes, cache: cache.as_deref(), deadline, ..Corpora::default() }).unwrap()
    };
    assert_eq!((len(&late()), late().is_behind), (0, true), "nothing is prepared yet");
    assert_eq!(len(&handbook.corpus()), 7);
    handbook.write("docs/auth.md", "# Something else\n");
    let corpus = late();
    assert_eq!((len(&corpus), corpus.is_behind), (7, true));
    assert!(!corpus.query(DEPLOY, 3, 0, &Weights::default()).unwrap().candidates.is_empty());
}

#[test]
fn required_reads_come_first_while_there_is_room() {
    let mut handbook = Handbook::new();
    handbook.settings = "docs.max_docs = 1".into();
    let brought = handbook.bring(DATABASE);
    assert_eq!(paths(&brought)[..2], ["docs/style.md", "docs/database.md"]);
    assert_eq!(brought.pieces[0].reason.to_string(), "required by docs/database.md");
    handbook.settings = "docs.max_tokens = 70\ndocs.max_docs = 1".into();
    let brought = handbook.bring(DATABASE);
    assert_eq!(paths(&brought), ["docs/database.md"]);
    assert!(brought.pieces[0].reason.to_string().ends_with("; read docs/style.md first"), "{}", brought.pieces[0].reason);
    assert!(brought.notes.iter().any(|note| note.kind == NoteKind::Budget && note.path == "docs/style.md"));
}

#[test]
fn of_a_long_document_the_best_sections_come_with_its_outline() {
    let handbook = Handbook::new();
    let filler = "Words about the weather of the day and nothing else at all. ".repeat(24);
    let mut text = String::from("# Operations\n\n");
    for number in 0..12 {
        let _ = write!(text, "## Topic {number}\n\n{filler}\n\n");
    }
    text.push_str(
        "## Rolling back\n\nTo roll back the canary release when the error budget is gone, drain it and put the previous image back.\n",
    );
    handbook.write("docs/deploy.md", &text);
    let brought = handbook.bring(DEPLOY);
    let ids: Vec<_> = brought.pieces.iter().map(|piece| piece.id.rsplit('/').next().unwrap()).collect();
    assert_eq!(ids[..2], ["deploy.md#outline", "deploy.md#Operations › Rolling back"]);
    assert!(brought.pieces[0].text.ends_with("- Topic 10\n- … 2 more"), "{}", brought.pieces[0].text);
    let tokens: u64 = brought.pieces.iter().map(|piece| piece.tokens).sum();
    assert!(tokens <= 4000, "{tokens}");
    assert_eq!(handbook.bring(DEPLOY), brought, "the same bytes every time");
}

#[test]
fn global_documents_come_before_the_projects() {
    let handbook = Handbook::new();
    handbook.write(
        "../home/.config/brief/canary.md",
        "# My rules\n\nRoll back the canary when the error budget is gone; never roll forward.\n",
    );
    handbook.write("../home/.config/brief/index.json", r#"{"canary.md":["rollback"]}"#);
    let brought = handbook.bring(DEPLOY);
    let home = handbook.root.with_file_name("home").join(".config/brief/canary.md");
    let paths = paths(&brought);
    assert_eq!(paths[0], home.display().to_string());
    assert!(paths[1..].contains(&"docs/deploy.md"), "{paths:?}");
}

#[test]
fn secrets_and_ways_out_are_guarded() {
    let handbook = Handbook::new();
    let key = format!("ghp_{}", "aB3dE5fG7hJ9kL1m".repeat(3));
    handbook.write("docs/deploy.md", &format!("# Roll back the canary release\n\nWhen the error budget is gone, use {key}.\n"));
    let brought = handbook.bring(DEPLOY);
    assert!(brought.pieces[0].text.contains("[redacted: GitHub token]"));
    #[cfg(unix)]
    {
        handbook.write("../secret.md", "# Roll back the canary release when the error budget is gone\n");
        fs::remove_file(handbook.root.join("docs/deploy.md")).unwrap();
        std::os::unix::fs::symlink("../../secret.md", handbook.root.join("docs/deploy.md")).unwrap();
        let brought = handbook.bring(DEPLOY);
        assert!(!paths(&brought).contains(&"docs/deploy.md"));
        assert!(brought.notes.iter().any(|note| note.kind == NoteKind::Outside));
    }
}

#[test]
fn entries_of_other_sources_are_candidates() {
    let handbook = Handbook::new();
    let body = "When the error budget is gone, the canary rolls back by itself. ";
    let entry = format!("## 2026-01-01 - Canary releases roll back\n**Type:** rule\n**Topics:** release\n\n{body}");
    let filler = format!("## 2026-01-02 - Invoices\n**Type:** fact\n**Topics:** billing\n\n{}", "Invoices have numbers. ".repeat(1_500));
    handbook.write(".megg/info.md", "# Handbook\n");
    handbook.write(".megg/knowledge.md", &format!("# Knowledge\n\n{entry}\n\n---\n\n{filler}\n"));
    let brought = handbook.bring(DEPLOY);
    let id = format!("{}#2026-01-01-canary-releases-roll-back", handbook.root.join(".megg/knowledge.md").display());
    let piece = brought.pieces.iter().find(|piece| piece.id == id).unwrap_or_else(|| panic!("{:?}", paths(&brought)));
    assert_eq!((piece.path.as_str(), piece.text.as_str()), (".megg/knowledge.md", entry.trim_end()));
}

#[test]
fn a_document_that_was_ranked_and_dropped_leaves_a_note_with_its_numbers() {
    let mut handbook = Handbook::new();
    // Two documents match, one of them much less.
    let message = "how is the canary release rolled out to the cluster, and what does a migration do?";
    let brought = handbook.bring(message);
    let far: Vec<_> = brought.notes.iter().filter(|note| note.kind == NoteKind::Score).collect();
    assert_eq!(far.iter().map(|note| note.path.as_str()).collect::<Vec<_>>(), ["docs/database.md"], "{:?}", brought.notes);
    let numbers = far[0].numbers.unwrap();
    assert!(numbers.had > 0 && numbers.had < numbers.needed, "{numbers:?}");
    assert!(brought.pieces.iter().all(|piece| piece.file != "docs/database.md"));
    handbook.settings = "[docs]\nmax_docs = 1\n".into();
    handbook.write("docs/auth.md", &fs::read_to_string(handbook.root.join("docs/deploy.md")).unwrap());
    let brought = handbook.bring(DEPLOY);
    let over: Vec<_> = brought.notes.iter().filter(|note| note.kind == NoteKind::Limit).collect();
    assert_eq!(over.len(), 1, "{:?}", brought.notes);
    assert!(over[0].decided_by.as_deref().unwrap().starts_with("docs.max_docs ("), "{:?}", over[0]);
}

#[test]
fn a_model_sees_candidates_only_and_its_failure_blocks_nothing() {
    let mut handbook = Handbook::new();
    handbook.settings = "[selector]\nkind = \"openai\"\n".into();
    let asked = std::cell::RefCell::new(Vec::<Vec<Candidate>>::new());
    let named = |name: &str, shown: &[Candidate]| shown.iter().position(|candidate| candidate.about.name == name);
    let answer = |_: &str, shown: &[Candidate]| {
        asked.borrow_mut().push(shown.to_vec());
        Ok([named("database.md", shown), Some(99), named("deploy.md", shown), named("deploy.md", shown)].into_iter().flatten().collect())
    };
    assert_eq!(handbook.bring_with("yes", &answer).pieces, []);
    assert!(asked.borrow().is_empty(), "small talk is sent nowhere");
    let message = format!("{DEPLOY} {DATABASE}");
    let request = |limit| {
        select(&SelectRequest { model: Some(&answer), limit, ..SelectRequest::new(&message, &handbook.places(), &handbook.settings()) })
    };
    let order = |limit| -> Vec<String> {
        let choice = request(limit).unwrap();
        assert!(choice.is_models);
        choice.chosen().iter().map(|candidate| candidate.shown.clone()).collect()
    };
    assert_eq!(order(3), ["docs/database.md", "docs/deploy.md"], "in the order of the model");
    assert_eq!(order(1), ["docs/database.md"]);
    assert!(asked.borrow()[0].len() > 2, "it is shown more than it may choose");
    let broken = |_: &str, _: &[Candidate]| Err(Failure::new("the model did not answer"));
    let brought = handbook.bring_with(DEPLOY, &broken);
    assert!(brought.pieces.is_empty());
    assert_eq!(brought.notes[0].kind, NoteKind::Fallback);
    handbook.settings.push_str("on_failure = \"local\"\n");
    let brought = handbook.bring_with(DEPLOY, &broken);
    assert_eq!(brought.pieces[0].path, "docs/deploy.md");
}

#[test]
fn an_index_that_is_named_is_all_there_is_and_must_be_readable() {
    let handbook = Handbook::new();
    let (places, settings) = (handbook.places(), handbook.settings());
    let chosen = |indexes: &[PathBuf]| {
        let choice = select(&SelectRequest { indexes: Some(indexes), ..SelectRequest::new(DEPLOY, &places, &settings) })?;
        Ok::<_, Failure>(choice.chosen().iter().map(|candidate| candidate.about.name.clone()).collect::<Vec<_>>())
    };
    handbook.write("other/index.json", r#"{"version":1,"docs":[]}"#);
    assert_eq!(chosen(&[handbook.root.join("other/index.json")]).unwrap(), [""; 0]);
    assert_eq!(chosen(&[handbook.root.join("docs/index.json")]).unwrap()[0], "deploy.md");
    assert!(chosen(&[handbook.root.join("docs/index.json"), handbook.root.join("gone.json")]).is_err());
    assert!(chosen(&[]).unwrap_err().to_string().contains("no index"));
}

#[test]
fn a_broken_index_is_noted_and_the_other_one_used() {
    let handbook = Handbook::new();
    handbook.write("../home/.config/brief/index.json", "{broken");
    let brought = handbook.bring(DEPLOY);
    assert_eq!(brought.pieces[0].path, "docs/deploy.md");
    assert!(brought.notes.iter().any(|note| note.reason.contains("cannot read the index")));
}
