//! Runs the loop with scripted answers, including malicious ones.

use std::fs;

use briefing_core::settings::Settings;
use briefing_core::sources::files::Rules;

use super::*;

struct Game {
    dir: tempfile::TempDir,
    conversations: Vec<Vec<Message>>,
    files: ReadFiles,
    rounds: Result<Rounds, Failure>,
}

fn play(answers: &[&str], change: impl FnOnce(&mut Options)) -> Game {
    let dir = tempfile::tempdir().unwrap();
    for (name, content) in [("a.md", "alpha"), ("src/b.rs", "beta"), ("c.md", "gamma"), (".env", "TOKEN=1")] {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let listing = Listing::of(dir.path(), None, &[], &Rules::settle(&Settings::defaults(), &[], &[], None).unwrap());
    let mut options = Options::new(dir.path());
    change(&mut options);
    let mut files = ReadFiles::new();
    let mut conversations = Vec::new();
    let rounds = run("explain", &listing, &mut files, &options, |round| {
        conversations.push(round.conversation.to_vec());
        assert_eq!(round.number, conversations.len());
        match answers.get(conversations.len() - 1) {
            Some(answer) => Ok((*answer).to_owned()),
            None => Err(Failure::new("the model is gone")),
        }
    });
    Game { dir, conversations, files, rounds }
}

impl Game {
    fn labels(&self) -> Vec<String> {
        self.files.iter().map(|file| file.label(self.dir.path())).collect()
    }

    fn rounds(&self) -> (usize, Stopped) {
        let rounds = self.rounds.as_ref().unwrap();
        (rounds.asked, rounds.stopped)
    }
}

#[test]
fn a_model_sees_the_listing_then_what_it_asked_for() {
    let game = play(&[r#"{"files":["a.md"],"done":false}"#, r#"{"files":["src/b.rs"],"done":true}"#], |_| {});
    assert_eq!(game.labels(), ["a.md", "src/b.rs"]);
    assert_eq!(game.rounds(), (2, Stopped::Done));
    let first = &game.conversations[0];
    assert_eq!(first.len(), 2);
    assert!(first[1].content.contains("Task: explain") && first[1].content.contains("a.md\nc.md\nsrc/b.rs\n"), "{}", first[1].content);
    assert!(!first[1].content.contains(".env"), "{}", first[1].content);
    let second = &game.conversations[1];
    assert_eq!(second[..2], first[..], "what was said stays, so that prompt caches hold");
    assert!(second[3].content.contains("### a.md\n\n```markdown\nalpha\n```"), "{}", second[3].content);
}

#[test]
fn the_loop_ends_when_nothing_new_is_asked_for_or_after_five_rounds() {
    assert_eq!(play(&["[\"a.md\"]", "[\"a.md\", \"./a.md\"]"], |_| {}).rounds(), (2, Stopped::NothingNew));
    assert_eq!(play(&["[]"], |_| {}).rounds(), (1, Stopped::NothingNew));
    let endless = ["[\"a.md\"]", "[\"c.md\"]", "[\"src/b.rs\"]", "[\"x\"]", "[\"y\"]", "[\"z\"]"];
    let game = play(&endless, |_| {});
    assert_eq!(game.rounds(), (5, Stopped::MaxRounds));
    assert_eq!(game.files.len(), 5);
}

#[test]
fn malicious_requests_are_refused_and_nothing_unlisted_is_read() {
    let game = play(&[r#"["../../etc/passwd", "/etc/passwd", ".env", "a.md", "no/such", "src", ""]"#, "[]"], |_| {});
    for file in &game.files {
        let (label, text) = (file.label(game.dir.path()), file.content.text());
        assert!(label == "a.md" || text.starts_with("[Error reading file: "), "{label}: {text}");
    }
    let sent = &game.conversations[1][3].content;
    assert!(!sent.contains("root:") && !sent.contains("TOKEN"), "{sent}");
    let many = json!((0..10_000).map(|number| format!("{number}.md")).collect::<Vec<_>>()).to_string();
    let game = play(&[&many], |options| options.max_files = Some(8));
    assert_eq!((game.files.len(), game.rounds()), (8, (1, Stopped::MaxFiles)));
}

#[test]
fn prose_is_searched_for_listed_paths() {
    let game = play(&["I would look at `a.md`, (src/b.rs) and c.md. Not at d.md!", "That is all I need, thank you."], |_| {});
    assert_eq!(game.labels(), ["a.md", "src/b.rs", "c.md"]);
    assert_eq!(game.rounds(), (2, Stopped::NoList));
    let game = play(&["I cannot help with that."], |_| {});
    assert!(game.files.is_empty());
    assert_eq!(game.files.notes[0].reason, "the model's answer contains no list of files");
}

#[test]
fn the_first_failure_is_returned_and_later_ones_become_notes() {
    assert!(play(&[], |_| {}).rounds.is_err());
    let game = play(&["[\"a.md\"]"], |_| {});
    assert_eq!((game.labels(), game.rounds()), (vec!["a.md".to_owned()], (2, Stopped::Failed)));
    assert!(game.files.notes[0].reason.contains("the model is gone"));
}

#[test]
fn limits_are_sent_and_enforced() {
    let game = play(&["[\"a.md\", \"src/b.rs\"]", "[]"], |options| {
        options.filter = Some("*.rs".into());
        options.max_file_size = Some(3);
    });
    assert_eq!(game.labels(), ["src/b.rs"]);
    assert!(game.conversations[0][1].content.contains("Limits: none larger than 3 bytes, only file names that match `*.rs`."));
    assert!(game.conversations[1][3].content.contains("[Skipped: file size 4 bytes exceeds maxFileSize 3]"));
}
