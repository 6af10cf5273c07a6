//! What is fuzzed: one function per target, which takes any bytes and panics if a promise is broken.
//!
//! The programs in `fuzz_targets/` call these functions under libFuzzer. A test of `crates/cli` calls the same functions with
//! every file in `seeds/`, so that what was found once stays fixed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use briefing_agents::host::Embedded;
use briefing_agents::install::{Change, Part, install, uninstall};
use briefing_agents::transcripts::conversation::converse;
use briefing_agents::transcripts::format::Place;
use briefing_agents::{AGENTS, Agent, Request, find, tmux, window};
use briefing_core::frames::{defuse, inline};
use briefing_core::secrets::{redact, removed};
use briefing_core::select::{sections, user_words};
use briefing_core::sources::docs::{Index, IndexFile, Plan, Reach, make};
use briefing_core::sources::domains::{Knowledge, parse_topics, summarize};
use briefing_core::sources::requests::{Content, ReadFiles, build_context_assign_string};
use briefing_core::tokens::Estimate;
use briefing_goals::Goal;
use briefing_store::SessionKey;
use briefing_testkit::parse_assigns;

/// Takes any bytes, and panics if a promise is broken.
pub type Target = fn(&[u8]);

/// The name of every target, which is also the name of its directory in `seeds/`.
pub const TARGETS: &[(&str, Target)] = &[
    ("hook", hook),
    ("index", index),
    ("knowledge", knowledge),
    ("goal", goal),
    ("settings", settings),
    ("redactor", redactor),
    ("frames", frames),
    ("sections", split),
    ("tmux", pane),
    ("assign", assign),
    ("references", references),
    ("transcripts", transcripts),
];

/// Returns a directory of this process for targets that read files.
fn scratch() -> PathBuf {
    let directory = std::env::temp_dir().join(format!("brief-fuzz-{}-{:?}", std::process::id(), std::thread::current().id()));
    fs::create_dir_all(&directory).expect("a scratch directory can be made");
    directory.canonicalize().expect("it was just made")
}

fn text(data: &[u8]) -> Option<&str> {
    std::str::from_utf8(data).ok()
}

/// Reads a payload as every event of every agent.
pub fn hook(data: &[u8]) {
    for agent in AGENTS {
        for event in agent.events {
            if let Ok(request) = Request::read(agent, event, data) {
                assert!(!request.session.is_empty(), "an event belongs to a session");
                assert!(request.cwd.is_none_or(|path| path.is_absolute()));
            }
        }
    }
}

/// Reads an index in each of its file formats, and keeps its documents inside its root.
pub fn index(data: &[u8]) {
    let directory = scratch();
    for name in ["index.json", "index.yaml"] {
        let file = directory.join(name);
        fs::write(&file, data).expect("a scratch file is writable");
        let index = Index::read(&IndexFile { file, reach: Reach::Below(directory.clone()) }, None);
        for document in index.iter().flat_map(|index| &index.documents) {
            assert!(document.file.starts_with(&directory), "{} leaves the project", document.file.display());
        }
    }
}

/// Parses knowledge, its front matter and its topics; printing what was parsed gives the same bytes.
pub fn knowledge(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let parsed = Knowledge::parse(text);
    assert_eq!(parsed.print(), text, "no byte is lost");
    for topic in parsed.topics().keys() {
        assert!(!parsed.about(topic).is_empty(), "a listed topic has entries");
    }
    let _ = (summarize(&parsed, 0), parse_topics(text));
}

/// Parses a goal.
pub fn goal(data: &[u8]) {
    if let Some(text) = text(data) {
        let _ = Goal::parse("fuzzed", PathBuf::from("/goal"), text, BTreeMap::new());
    }
}

/// Adds our entries to settings, twice, and removes them again.
pub fn settings(data: &[u8]) {
    for name in ["claude", "gemini", "cursor", "codex", "opencode"] {
        let agent = find(name).expect("it is in the table");
        for part in Part::ALL {
            let installed = match install(agent, &[part], "/usr/bin/brief", Some(data)) {
                Ok(Change::Write(installed)) => installed,
                Ok(_) => data.to_vec(),
                Err(_) => continue,
            };
            let again = install(agent, &[part], "/usr/bin/brief", Some(&installed)).expect("what we wrote can be read");
            assert_eq!(again, Change::Nothing, "installing twice changes nothing");
            uninstall(agent, &[part], Some(&installed), None).expect("what we wrote can be read");
        }
    }
}

/// Redacts twice, which changes nothing, and keeps the number of lines.
pub fn redactor(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let once = redact(text);
    assert_eq!(once.text.matches('\n').count(), text.matches('\n').count(), "line numbers stay");
    assert_eq!(once.secrets.is_empty(), once.text == text);
    let twice = redact(&once.text);
    assert_eq!(twice.text, once.text, "nothing is left to redact");
    let _ = (removed(text), user_words(text));
}

/// Defuses twice, which changes nothing.
pub fn frames(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let once = defuse(text).text;
    assert_eq!(defuse(&once).text, once, "nothing is left to defuse");
    for line in once.split(['\n', '\r']) {
        assert!(!line.trim_start().starts_with("=== brief:"), "{line}");
    }
    assert!(!once.contains("</system-reminder") && !once.contains('\u{1b}'));
    assert_eq!(inline(text).lines().count().max(1), 1);
}

/// Splits a document into sections that cover it in order.
pub fn split(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let mut end = sections::front_matter(text).end;
    for section in sections::split(text) {
        assert!(section.range.start >= end.min(section.range.start) && section.range.end <= text.len());
        assert!(text.is_char_boundary(section.range.start) && text.is_char_boundary(section.range.end));
        end = section.range.end;
    }
    let _ = sections::headings(text);
}

/// Removes what a terminal would obey.
pub fn pane(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let clean = tmux::stripped(text);
    assert!(!clean.chars().any(|c| c.is_control() && c != '\n' && c != '\t'));
    assert_eq!(tmux::stripped(&clean), clean);
}

/// Writes a file as an assignment and reads it back as the consumer does.
pub fn assign(data: &[u8]) {
    let Some(content) = text(data) else { return };
    let mut files = ReadFiles::new();
    files.insert(PathBuf::from("/w/a.md"), Content::Read { content: content.into() });
    files.insert(PathBuf::from("/w/b.md"), Content::Read { content: "plain\n".into() });
    let written = build_context_assign_string(&files, Path::new("/w"));
    let read = parse_assigns(&written).expect("the consumer can read what we write");
    assert_eq!(read.len(), 2);
    assert_eq!(read[0].content, content, "every byte arrives");
    let _ = parse_assigns(content);
}

/// Indexes a document and whatever it leads to, and stays inside the project.
pub fn references(data: &[u8]) {
    let top = scratch().join("references");
    let root = top.join("project");
    fs::create_dir_all(root.join("docs")).expect("a scratch directory can be made");
    for (path, text) in
        [("../outside.md", &b"# Outside\n"[..]), ("docs/other.md", b"# Other\n\n[back](../README.md)\n"), ("README.md", data)]
    {
        fs::write(root.join(path), text).expect("a scratch file is writable");
    }
    let plan = Plan::new(&root, Some(&root), Some("index.json".into()), Vec::new(), false).expect("a project can be indexed");
    let made = make(&plan, &Estimate).expect("a readable project has an index");
    for document in &made.documents {
        assert!(document.file.starts_with(&plan.root) && document.path != "../outside.md", "{} leaves the project", document.path);
    }
    assert_eq!(make(&plan, &Estimate).expect("as before").text, made.text, "the same documents give the same index");
}

/// How often a text may come when a transcript does not show it: once, repaired twice, and once for a window that was shortened.
const MOST: usize = 4;

/// Believes no transcript: whatever an agent has written there, rules come a bounded number of times, and always once.
pub fn transcripts(data: &[u8]) {
    for agent in AGENTS.iter().filter(|agent| agent.transcript.is_some_and(|transcript| matches!(transcript.place, Place::Named))) {
        let top = scratch().join("transcripts");
        let project = top.join("project");
        let _ = fs::remove_dir_all(&top);
        fs::create_dir_all(project.join(".megg")).expect("a scratch directory can be made");
        fs::write(project.join(".megg/info.md"), "# Shop\n\nRULE-ONE\n").expect("a scratch file is writable");
        let file = top.join("session.jsonl");
        let host = Embedded { home: top.join("home"), now: jiff::Timestamp::UNIX_EPOCH };
        let mut received = talk(agent, &host, &project, &file, "1");
        assert_eq!(received.matches("RULE-ONE").count(), 1, "{}", agent.name);
        fs::write(&file, data).expect("a scratch file is writable");
        for turn in ["2", "3", "4", "5", "6"] {
            received += &talk(agent, &host, &project, &file, turn);
        }
        assert!(received.matches("RULE-ONE").count() <= MOST, "{}", agent.name);
        let key = SessionKey::new(agent.name, "s", None);
        let _ = converse(agent, &key, &host, file.to_str(), &mut |_, _| {});
    }
}

/// Returns what one message brings to a session that has a transcript.
fn talk(agent: &'static Agent, host: &Embedded, project: &Path, file: &Path, turn: &str) -> String {
    let mut request = Request::message(agent, "s", project.to_path_buf(), &format!("message {turn}"), turn).expect("it has messages");
    request.transcript = Some(file.to_path_buf());
    let mut text = String::new();
    window::brief(&request, host, &mut text);
    text
}
